// The job of `assay verify`: tests published claims, the theorems of the papers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct VerificationFacts {
  bool searches = false;     // the check of some claim searches or draws samples
  bool statistical = false;  // the verdict of some claim holds with a confidence
};

struct VerificationJob : JobOptions {
  using Facts = VerificationFacts;

  std::vector<std::string> claims;  // names or patterns; empty for all
  ClaimRequest request;
  RunOptions run;
  std::string certificates;  // the folder to write them to; empty for none
  std::string findings;      // the file of the page of findings; empty for none
  bool strict = false;       // see as_expected()
  std::function<void(const ClaimResult&)>
      on_result;  // called when a claim is decided; may be empty

  static void fields(const VisitOption<VerificationJob>& visit);
};

struct VerificationOutcome {
  Verification verification;
  RunMeta meta;
  Status certificates;  // an error if a certificate could not be written

  bool complete() const;
  // Whether every verdict is the expected one. strict: a refuted claim counts as unexpected, even a known one.
  bool as_expected(bool strict) const;
};

// Errors: an unknown claim, or an option out of range or without effect.
Result<PreparedJob<VerificationOutcome>> prepare(const VerificationJob& job);

}  // namespace assay

// The job of `assay verify`: test the claims of the papers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct VerificationFacts {
  bool searches = false;     // the check of some claim searches or samples
  bool statistical = false;  // the verdict of some claim is statistical
};

struct VerificationJob : JobOptions {
  using Facts = VerificationFacts;

  std::vector<std::string> claims;  // names or patterns; none for all
  ClaimRequest request;
  RunOptions run;
  std::string certificates;  // folder; empty for none
  bool strict = false;
  std::function<void(const ClaimResult&)>
      on_result;  // called when a claim is decided; may be empty

  static void fields(const VisitOption<VerificationJob>& visit);
};

struct VerificationOutcome {
  Verification verification;
  RunMeta meta;
  Status certificates;  // the error of a certificate that could not be written

  bool complete() const;
  bool as_expected(bool strict) const;  // strict: no claim may be refuted, even a known one
};

Result<PreparedJob<VerificationOutcome>> prepare(const VerificationJob& job);

}  // namespace assay

// The job of a verification: put the claims of the papers to the test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct VerificationFacts {
  bool searches = false;     // some claim's check searches or samples
  bool statistical = false;  // some claim's verdict is
};

struct VerificationJob : JobOptions {
  using Facts = VerificationFacts;

  std::vector<std::string> claims;  // names or patterns; none for all
  ClaimRequest request;
  RunOptions run;
  std::string certificates;  // folder; empty for none
  bool strict = false;
  std::function<void(const ClaimResult&)> on_result;  // as soon as it is decided; may be empty

  static void fields(const VisitOption<VerificationJob>& visit);
};

struct VerificationOutcome {
  Verification verification;
  RunMeta meta;
  Status certificates;  // the error of one that could not be written

  bool complete() const;
  bool as_expected(bool strict) const;  // strict: a refuted claim is not, a known one neither
};

Result<PreparedJob<VerificationOutcome>> prepare(const VerificationJob& job);

}  // namespace assay

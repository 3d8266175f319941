// Upper bounds of an external target, by the probabilities that it reports (docs/protocol.md, "Probabilities").
//
// A black box gives no upper bound. If the target reports the probability of each action given its input and the past
// actions alone, the methods for policies with a likelihood apply to one pair (methods/black_box/reported_pair.hpp).
// Their bounds hold for the target if the reported probabilities are right, which nobody but its author can know, so
// each is marked Evidence::kReported, and a claim that they meet is VerifiedIfReported, never Verified. Two checks can
// only find that they are wrong:
//   seeds   asked again with other seeds along the same forced actions, the target must answer the same bits. A
//           difference breaks the protocol: an error.
//   draws   the actions of ordinary runs are tested against them, by e-processes: statistics/drawn_actions.hpp and
//           reported_probabilities.hpp. After an alarm there is no upper bound.
// Lower bounds remain those of the runs, which assume nothing of the probabilities, and so does a refutation.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/engine/audit_request.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::detail {

// The part of alpha for upper bounds and the checks on which they rest. Runs get the rest.
inline constexpr double kReportedShare = 0.5;
inline constexpr std::string_view kReportedPurpose = "upper bounds by the reported probabilities";
inline constexpr std::int64_t kDefaultReported = 16'384;  // transcripts on each input
inline constexpr std::int64_t kMostListed = 1 << 16;      // transcripts of an exact audit

struct ReportedPlan {
  Method method = Method::kLikelihood;  // or kExact
  std::int64_t samples = kDefaultReported;
};

struct ReportedBounds {
  PairEvidence evidence;                        // on the distributions that the target reports
  std::string none;                             // why there is no upper bound; or empty
  std::int64_t paths = 0, again = 0, runs = 0;  // messages: forced paths, those asked again, runs
};

// Errors: a target that reports no probabilities, or whose kind has none; --method exact with too many transcripts.
Status check_reports(const Target& target, const ReportedPlan& plan);

// Bounds the loss of the pair, on fresh instances of the target. `terms` are those of the whole report. Errors: the
// target's, an interruption, and probabilities that depend on the seed.
Result<ReportedBounds> reported_bounds(const Target& target, const InputPair& pair,
                                       const AuditTerms& terms, const ReportedPlan& plan,
                                       const RunControl& control);

// Adds the bounds to the report of an audit by runs that left kReportedShare of alpha, under kReportedPurpose.
void add_reported(AuditReport& report, ReportedBounds bounds);

}  // namespace assay::detail

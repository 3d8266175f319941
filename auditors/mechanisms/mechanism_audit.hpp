// The audit of one mechanism at one configuration: everything that does not depend on its type.
//
//   exact       the laws of the output under both rows, or a privacy profile known beforehand
//   likelihood  releases with the log-ratio of their densities, certified by betting
//   events      releases alone, as of an external target (methods/black_box)
// The pair is the one of --input, or the worst of the hard pairs and of random ones by
// what the claim is about; where releases are sampled, the search and the
// certification use disjoint streams.
//
// Exact and likelihood bounds are about the law that the mechanism states. Each such run also tests
// releases against that law (reported_probabilities.hpp): if they do not follow it the verdict is
// Inconclusive, whatever the law says.
// Threads: any number, the same report. Cost: under a second at defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/level_expression.hpp"
#include "assay/auditors/mechanisms/row_pair.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/known_profile.hpp"

namespace assay {

// Of one pair: log dP/dQ of a fresh release of one side; NaN where that side's own law excludes it.
using ReleaseLoss = std::function<double(Side, ReplayStream)>;

// Of one pair: all outcomes with both log-probabilities, and which of them a fresh release is.
struct ListedLaw {
  std::vector<double> log_p;
  std::vector<double> log_q;
  std::function<int(Side, ReplayStream)> draw;  // -1 for an output that is not listed
};

struct AuditedMechanism {
  std::string id;
  std::string title;
  std::vector<KeyValue> parameters;
  std::vector<Variable> variables;  // for claims
  Guarantee guarantee;
  bool proved = false;  // the guarantee has its proof in a header, for all pairs
  std::vector<InputPair> hard_pairs;
  std::vector<InputPair> random_pairs;

  std::function<Status(const InputPair&)> check;
  std::function<void(std::span<const double> row, ReplayStream& random, std::vector<double>& out)>
      release;
  // Empty where the mechanism has none; errors where this configuration or pair is out of reach.
  std::function<Result<EnumeratedLaws>(const InputPair&)> laws;
  std::function<Result<KnownProfile>(const InputPair&, const PrivacyLevel& claim, Delta delta0)>
      profile;
  std::function<Result<ReleaseLoss>(const InputPair&)> losses;
  std::function<Result<ListedLaw>(const InputPair&)> listed;
};

Result<ResolvedRequest> resolve_mechanism(const AuditedMechanism& mechanism,
                                          const AuditRequest& request);

Result<AuditReport> audit_mechanism(const AuditedMechanism& mechanism, const AuditRequest& request,
                                    const RunControl& control);

}  // namespace assay

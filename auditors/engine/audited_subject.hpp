// Everything that an audit knows of a policy or mechanism at one configuration: its description, the pairs of
// inputs to examine, and the known quantities. A family writes only this; audit.hpp does the rest.
//
// The known quantities determine the methods. Each method uses the first of these that the subject has:
//   exact        `find`; every transcript of a process; a `profile`; or listed distributions
//   likelihood   transcripts of a process; or `losses` of releases
//   release      `release`: the losses of the release bound that of the actions, whose own distribution is out of reach
//   events       `play`, as for an external target (methods/black_box), if nothing else is known or if the request
//                asks for it
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/engine/search.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/known_profile.hpp"
#include "assay/auditors/methods/release.hpp"

namespace assay {

// For one pair: draws a release on one input and returns its log dP/dQ, or NaN if the distribution of that input
// excludes it.
using ReleaseLoss = std::function<double(Side, ReplayStream)>;

// For one pair: all outcomes with both log-probabilities, and a function that draws a release and returns its index.
struct ListedDistribution {
  std::vector<double> log_p;
  std::vector<double> log_q;
  std::function<int(Side, ReplayStream)> draw;  // -1 for an output that is not listed
};

// The evidence of the pair that a subject's own search found.
struct FoundEvidence {
  SearchResult found;
  PairEvidence evidence;
};

struct AuditedSubject {
  std::string id;
  std::string title;
  std::vector<KeyValue> parameters;
  std::vector<Variable> variables;  // for claims
  Guarantee stated;                 // the claim if the request makes none
  std::optional<Guarantee> proved;  // a guarantee for all pairs, proved in a header
  std::vector<std::string> notes;   // remarks on this setting, for the report
  std::string program;              // the program that audits it, if `assay audit` has no such case
  InputShape shape;  // for a mechanism only the kind counts, since its rows may differ in length
  // The rounds of a run of a release, if they are more than the shape's rows.
  std::int64_t rounds = 0;

  // Checks that a given input fits, and for a mechanism also that its two rows are neighbours.
  std::function<Status(const InputPair&)> check;

  // ---- the pairs: a list, the search over processes, or the subject's own search
  std::vector<InputPair> hard_pairs;  // the worst known first
  // The hard pairs for a given input `base` that came without a neighbour.
  std::function<std::vector<InputPair>(const std::shared_ptr<const InputTable>& base)> beside;
  std::vector<InputPair> random_pairs;  // further pairs, if distributions are listed
  // Draws a further pair for the search (--search) of a release. `base` is a given input, or null.
  std::function<InputPair(const std::shared_ptr<const InputTable>& base, const ReplayStream&)>
      random_pair;
  std::optional<PairMoves> moves;
  // The subject's own search, which returns the exact evidence of the pair that it finds. `base` is a given input,
  // whose neighbours it searches, or null. Errors: a subject that is too large to search.
  std::function<Result<FoundEvidence>(const PrivacyLevel& claim,
                                      const std::shared_ptr<const InputTable>& base, Delta delta0,
                                      const RunControl& control)>
      find;

  // Whether the user's class reports the probabilities of the process. If so, an exact audit tests samples against
  // them, too.
  bool is_told = false;

  // ---- the known quantities: empty if unknown; they return an error if this pair is out of reach
  ProcessOfPair process;
  std::function<Result<EnumeratedDistributions>(const InputPair&)> distributions;
  std::function<std::vector<int>(const InputPair&, std::size_t outcome)>
      actions;  // of listed outcomes
  std::function<Result<KnownProfile>(const InputPair&, const PrivacyLevel& claim, Delta delta0)>
      profile;
  std::function<Result<ReleaseLoss>(const InputPair&)> losses;
  std::function<Result<ListedDistribution>(const InputPair&)>
      listed;  // the outcomes that releases are tested against
  std::function<Result<std::unique_ptr<PairRelease>>(const InputPair&)> release;
  // Runs the subject once on an input, and appends the numbers of its output to `out`.
  std::function<void(std::span<const double> input, ReplayStream& random, std::vector<double>& out)>
      play;
};

// A subject with everything that the policy or mechanism says of itself. The caller fills in the rest.
template <class P>
AuditedSubject subject_of(std::string_view id, std::string_view title, const P& policy) {
  AuditedSubject subject;
  subject.id = id;
  subject.title = title;
  subject.parameters = field_values(policy.config());
  subject.variables = claim_variables(policy.config());
  subject.stated = policy.guarantee();
  return subject;
}

}  // namespace assay

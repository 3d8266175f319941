// Everything that an audit knows of a policy or mechanism at one configuration: its description, the pairs of
// inputs to examine, and the known quantities. A family writes this and no more; audit.hpp does the rest.
//
// The known quantities decide the methods. Each method uses at most one of them, the first that is there:
//   exact        `find`; every transcript of a process; a `profile`; or listed distributions
//   likelihood   transcripts of a process; or `losses` of releases
//   release      the actions of `release`, whose own distribution is out of reach, by the losses of the release
//   events       `play` alone, as for an external target (methods/black_box), or if the request asks for it
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

// For one pair: log dP/dQ of a fresh release on one input, or NaN if that input's distribution excludes it.
using ReleaseLoss = std::function<double(Side, ReplayStream)>;

// For one pair: all outcomes with both log-probabilities, and the index of a fresh release among them.
struct ListedDistribution {
  std::vector<double> log_p;
  std::vector<double> log_q;
  std::function<int(Side, ReplayStream)> draw;  // -1 for an output that is not listed
};

// For the pair that a subject's own search found.
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
  std::optional<Guarantee> proved;  // guarantee for all pairs, by a proof in a header
  std::vector<std::string> notes;   // remarks on this setting, for the report
  std::string program;      // that audits it, if `assay audit` has no such case (custom_case.hpp)
  InputShape shape;         // of a mechanism, whose rows may differ in length, the kind alone
  std::int64_t rounds = 0;  // of a run of a release, if they are more than the shape's rows

  // Checks that a given input fits, and for a mechanism that its two rows are neighbours.
  std::function<Status(const InputPair&)> check;

  // ---- pairs: a list; or the search over processes; or the subject's own search
  std::vector<InputPair> hard_pairs;  // the worst known first
  // The hard pairs whose base is a given input without a neighbour.
  std::function<std::vector<InputPair>(const std::shared_ptr<const InputTable>& base)> beside;
  std::vector<InputPair> random_pairs;  // more of them, if distributions are listed
  // One more random pair for --search of a release, beside a given input or null.
  std::function<InputPair(const std::shared_ptr<const InputTable>& base, const ReplayStream&)>
      random_pair;
  std::optional<PairMoves> moves;
  // The subject's own search, with the exact evidence of the pair that it finds. `base` is a given input, beside
  // which it searches, or null. Errors: a subject that is too large to search.
  std::function<Result<FoundEvidence>(const PrivacyLevel& claim,
                                      const std::shared_ptr<const InputTable>& base, Delta delta0,
                                      const RunControl& control)>
      find;

  // The caller's class reports the probabilities of the process, so an exact audit tests samples against them too.
  bool is_told = false;

  // ---- known quantities; empty if nothing is known, an error if this pair is out of reach
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
  // Appends the numbers of one release on an input.
  std::function<void(std::span<const double> input, ReplayStream& random, std::vector<double>& out)>
      play;
};

// The subject with everything that the policy or mechanism says of itself. The caller fills the rest.
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

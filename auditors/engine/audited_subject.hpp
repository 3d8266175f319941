// What an audit has to be told of a policy or mechanism at one configuration: what it is, which pairs of
// inputs to look at, and what is known of it. A family writes this and no more; everything done with it
// is in audit.hpp.
//
// What is known decides the methods. Of each kind at most one way is used, the first below:
//   exact        `find`; of a process every transcript; a `profile`; or listed `laws`
//   likelihood   transcripts of a process; or `losses` of releases
//   release      the actions of `release`, whose own law is out of reach, by the losses of what it released
//   events       `play` alone, as of a target outside (methods/black_box), or where that is asked for
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

// Of one pair: log dP/dQ of a fresh release of one side; NaN where that side's own law excludes it.
using ReleaseLoss = std::function<double(Side, ReplayStream)>;

// Of one pair: all outcomes with both log-probabilities, and which of them a fresh release is.
struct ListedLaw {
  std::vector<double> log_p;
  std::vector<double> log_q;
  std::function<int(Side, ReplayStream)> draw;  // -1 for an output that is not listed
};

// Of the pair that a search of a subject's own found.
struct FoundEvidence {
  SearchResult found;
  PairEvidence evidence;
};

struct AuditedSubject {
  std::string id;
  std::string title;
  std::vector<KeyValue> parameters;
  std::vector<Variable> variables;  // for claims
  Guarantee stated;                 // the claim where none is made
  std::optional<Guarantee> proved;  // what holds for all pairs, by a proof in a header
  std::vector<std::string> notes;   // what there is to say of this setting, for the report
  std::string program;      // that audits it, where `assay audit` has no such case (own_case.hpp)
  InputShape shape;         // of a mechanism's rows, whose lengths may differ, the kind alone
  std::int64_t rounds = 0;  // of a play of a release, where they are more than the shape's rows

  // Does a given input fit? Of a mechanism, and are both rows neighbours?
  std::function<Status(const InputPair&)> check;

  // ---- pairs: a list; or the one search, over processes; or a search of its own
  std::vector<InputPair> hard_pairs;  // the worst known first
  // The same beside a given input without a neighbour.
  std::function<std::vector<InputPair>(const std::shared_ptr<const InputTable>& base)> beside;
  std::vector<InputPair> random_pairs;  // more of them, where laws are listed
  // One more for --search of what is released, beside a given input or null.
  std::function<InputPair(const std::shared_ptr<const InputTable>& base, const ReplayStream&)>
      random_pair;
  std::optional<PairMoves> moves;
  // The last one, with what is known of the pair it finds, exactly. `base`: a given input, beside which
  // it searches; or null. Errors: what is too large to search.
  std::function<Result<FoundEvidence>(const PrivacyLevel& claim,
                                      const std::shared_ptr<const InputTable>& base, Delta delta0,
                                      const RunControl& control)>
      find;

  // ---- what is known; empty where nothing is, errors where this pair is out of reach
  ProcessOfPair process;
  std::function<Result<EnumeratedLaws>(const InputPair&)> laws;
  std::function<std::vector<int>(const InputPair&, std::size_t outcome)> actions;  // of those laws
  std::function<Result<KnownProfile>(const InputPair&, const PrivacyLevel& claim, Delta delta0)>
      profile;
  std::function<Result<ReleaseLoss>(const InputPair&)> losses;
  std::function<Result<ListedLaw>(const InputPair&)> listed;  // that releases are held against
  std::function<Result<std::unique_ptr<PairRelease>>(const InputPair&)> release;
  // Appends the numbers of one release on an input.
  std::function<void(std::span<const double> input, ReplayStream& random, std::vector<double>& out)>
      play;
};

// What a policy or mechanism says of itself; the rest is left to fill.
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

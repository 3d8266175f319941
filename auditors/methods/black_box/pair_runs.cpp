#include "assay/auditors/methods/black_box/pair_runs.hpp"

#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

bool is_divided(const PlayedSubject& subject) {
  return subject.players->first().takes_keys() == TakesKeys::kTaken;
}

PairRuns::PairRuns(const PlayedSubject& subject, const BlackBoxPlan& plan, Candidate candidate)
    : subject_(subject),
      plan_(plan),
      stream_{plan.seed, "certify", lane_of(plan, candidate), Phase::kCertify, is_divided(subject)},
      base_(plan.pairs[candidate.pair].base_input()),
      neighbour_(plan.pairs[candidate.pair].neighbour_input()),
      changed_row_(plan.pairs[candidate.pair].changed_row()) {}

bool PairRuns::is_on_neighbour(std::int64_t i) const {
  ReplayStream words({plan_.seed, hash_purpose("side of a certified play"),
                      static_cast<std::uint64_t>(i), stream_.lane, Phase::kCertify});
  return words.next() >> 63 != 0;
}

bool PairRuns::is_keyed(std::int64_t i) const { return assay::is_keyed(stream_, i); }

Result<OutputBatch> PairRuns::make(Target& target, std::int64_t i) const {
  auto run = ASSAY_TRY(play_run(target, is_on_neighbour(i) ? neighbour_ : base_, stream_, i));
  keep_view(subject_.players->shape(), changed_row_, plan_, run);
  return run;
}

}  // namespace assay

#include "assay/auditors/methods/black_box/pair_runs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

namespace {

// How many runs one instance makes in a row. It does not depend on the number of instances.
std::int64_t group_of(std::int64_t count) {
  constexpr std::int64_t kGroups = 8, kMost = 64;
  return std::clamp<std::int64_t>(count / kGroups, 1, kMost);
}

}  // namespace

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

PairRuns::Made PairRuns::make_all(
    std::int64_t first, std::int64_t count, const RunControl& control,
    const std::function<void(std::int64_t, const OutputBatch&)>& keep) const {
  const std::int64_t size = group_of(count);
  const auto groups = static_cast<std::size_t>((count + size - 1) / size);
  std::vector<std::int64_t> done(groups, 0);
  std::vector<std::string> failures(groups);  // the first of each
  RunControl quiet = control;
  quiet.progress = nullptr;
  const auto ran = subject_.players->run(
      groups, "certifying", quiet, [&](Target& target, std::size_t group) -> Status {
        const std::int64_t from = first + static_cast<std::int64_t>(group) * size;
        const std::int64_t to = std::min(from + size, first + count);
        for (std::int64_t i = from; i < to; ++i) {
          if (control.cancelled()) return fail(ErrorCode::kInterrupted, "interrupted");
          const auto run = ASSAY_TRY(make(target, i));
          if (failures[group].empty()) failures[group] = run.failure;
          keep(i, run);
          ++done[group];
        }
        return {};
      });
  Made made{count, ran.error, {}};
  for (std::size_t group = 0; made.failure.empty() && group < groups; ++group) {
    if (group <= ran.chunks) made.failure = failures[group];
  }
  if (ran.error) {
    made.count = static_cast<std::int64_t>(ran.chunks) * size + done[ran.chunks];
  }
  return made;
}

}  // namespace assay

// Runs of one pair of inputs, each on the input that a fair coin chooses, in a message of its own.
//
// Run i is a function of the plan's seed, the pair and i: its coin, its seeds and, if runs are divided between two
// seedings, whether it has a key. So runs can be made in any order, by any instance, and once more. The target cannot
// know the coin: it is not drawn from the seeds that the target gets.
// Threads: const members may be called from several.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Whether the coin-chosen runs of a subject are divided between two seedings.
bool is_divided(const PlayedSubject& subject);

class PairRuns {
 public:
  // All three must outlive it.
  PairRuns(const PlayedSubject& subject, const BlackBoxPlan& plan, Candidate candidate);

  bool is_on_neighbour(std::int64_t i) const;  // the coin
  bool is_keyed(std::int64_t i) const;
  // Run i in this instance, as the adversary sees it.
  Result<OutputBatch> make(Target& target, std::int64_t i) const;

  template <class Run>
  struct Made {
    std::vector<Run> runs;       // in a row from the first
    std::optional<Error> error;  // if they are fewer than requested
    std::string failure;         // the message of the first failed run
  };
  // Makes the runs [first, first + count), several at a time; read(i, run), called from several threads, returns what is
  // kept of one.
  template <class Read>
  auto make_all(std::int64_t first, std::int64_t count, const RunControl& control,
                Read&& read) const
      -> Made<std::invoke_result_t<Read&, std::int64_t, const OutputBatch&>>;

 private:
  // Runs that one instance makes in a row.
  template <class Run>
  struct Group {
    std::vector<Run> runs;
    std::string failure;
    std::optional<Error> error;
    static auto byte_fields(auto& self) { return std::tie(self.runs, self.failure, self.error); }
  };
  // Their number. It does not depend on the number of instances.
  static std::int64_t group_of(std::int64_t count) {
    constexpr std::int64_t kGroups = 8, kMost = 64;
    return std::clamp<std::int64_t>(count / kGroups, 1, kMost);
  }

  const PlayedSubject& subject_;
  const BlackBoxPlan& plan_;
  PlayStream stream_;
  const InputTable& base_;
  InputTable neighbour_;
  std::int64_t changed_row_;
};

template <class Read>
auto PairRuns::make_all(std::int64_t first, std::int64_t count, const RunControl& control,
                        Read&& read) const
    -> Made<std::invoke_result_t<Read&, std::int64_t, const OutputBatch&>> {
  using Run = std::invoke_result_t<Read&, std::int64_t, const OutputBatch&>;
  const std::int64_t size = group_of(count);
  const auto groups = static_cast<std::size_t>((count + size - 1) / size);
  RunControl quiet = control;
  quiet.progress = nullptr;
  std::atomic<bool> stop{false};
  const auto play = [&](Target& target, std::size_t at) -> Result<Group<Run>> {
    const std::int64_t from = first + static_cast<std::int64_t>(at) * size;
    Group<Run> group;
    for (std::int64_t i = from; i < std::min(from + size, first + count); ++i) {
      if (stop || control.cancelled()) {
        group.error = Error{ErrorCode::kInterrupted, "interrupted", "", 0};
        break;
      }
      const auto run = make(target, i);
      if (!run) {
        stop = true;
        group.error = run.error();
        break;
      }
      if (group.failure.empty()) group.failure = run->failure;
      group.runs.push_back(read(i, *run));
    }
    return group;
  };
  auto ran = subject_.players->run(groups, "certifying", quiet, play);
  Made<Run> made;
  for (auto& group : ran.values) {
    if (!made.error) {
      if (made.failure.empty()) made.failure = std::move(group.failure);
      std::move(group.runs.begin(), group.runs.end(), std::back_inserter(made.runs));
    }
    const bool says_more = made.error && made.error->code == ErrorCode::kInterrupted;
    if (group.error && (!made.error || says_more)) made.error = std::move(group.error);
  }
  if (ran.error && !made.error) made.error = std::move(ran.error);
  return made;
}

}  // namespace assay

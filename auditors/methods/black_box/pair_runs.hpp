// Runs of one pair of inputs, each on the input that a fair coin chooses, in a message of its own.
//
// Run i is a function of the plan's seed, the pair and i: its coin, its seeds and, if runs are divided between two
// seedings, whether it has a key. So runs can be made in any order, by any instance, and once more. The target cannot
// know the coin: it is not drawn from the seeds that the target gets.
// Threads: const members may be called from several.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"

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

  struct Made {
    std::int64_t count = 0;      // in a row from the first
    std::optional<Error> error;  // if that is fewer than requested
    std::string failure;         // the message of the first failed run
  };
  // Makes the runs [first, first + count), several at a time, and calls keep(i, run) for each, from several threads.
  Made make_all(std::int64_t first, std::int64_t count, const RunControl& control,
                const std::function<void(std::int64_t, const OutputBatch&)>& keep) const;

 private:
  const PlayedSubject& subject_;
  const BlackBoxPlan& plan_;
  PlayStream stream_;
  const InputTable& base_;
  InputTable neighbour_;
  std::int64_t changed_row_;
};

}  // namespace assay

// What the outputs of a pair look like: how often each action occurs in each round, on D and on D'; or the values of
// a number. A report shows this, so that a reader sees what differs; no bound rests on it.
//
//     const OutputFrequencies seen = output_frequencies(shape, changed_row, base_runs, neighbour_runs);
//     if (seen.largest)
//       fmt::format("{} in {} of the runs on D and {} on D'", seen.largest->event,
//                   percent(seen.largest->frequency.base), percent(seen.largest->frequency.neighbour));
//     // "arm 2 is chosen in round 3 in 71% of the runs on D and 12% on D'"
//
// A black-box audit takes the runs from which it learns its event, so these frequencies are estimates. An audit that knows
// the probabilities of actions takes those along its witness: exact probabilities (is_exact), each given the witness's
// actions in the rounds before. Differences are ranked by the two-proportion z statistic,
//     z = |p - q| / sqrt(r (1 - r) (1/n + 1/m)),   r the frequency on both inputs together,              (1)
// and `largest` is given only if z is beyond chance: z^2 > 2 log(c / 0.001) for c differences that are compared.
//
// Threads: pure functions. Same bits on every machine. Cost: 1 ns an entry of an output, of 4 million at most; a
// sort of some thousand runs for each of at most 64 numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/methods/pair_histogram.hpp"
#include "assay/policies/external/target.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Of one event on both inputs, in [0, 1].
struct FrequencyPair {
  double base = 0.0;
  double neighbour = 0.0;
};

// Rounds first..last, counted from 1. An event may be about one action, counted from 0.
struct EventRounds {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::optional<std::int64_t> action = {};
};

inline constexpr std::int64_t kRunOver = -1;  // the row for runs that stopped before the round

struct RoundFrequencies {
  std::int64_t first =
      0;  // rounds first..last, counted from 1; both are 0 for the recommendation at the end
  std::int64_t last = 0;
  // Of each row, the share of the rounds in which it occurs. Empty if the adversary does not see the round. In a duel
  // two actions may occur.
  std::vector<FrequencyPair> of_row;
};

struct ActionFrequencies {
  std::vector<std::int64_t> rows;        // actions, increasing, and kRunOver last if runs may stop
  std::int64_t left_out = 0;             // further actions, which differ less
  std::vector<RoundFrequencies> rounds;  // in order; some stand for several rounds of a long run
};

// The values of the number that differs most.
struct NumberFrequencies {
  std::string name;                          // "output 2", "number of round 3", "estimate 1"
  std::vector<double> values = {};           // if it takes only few, increasing
  std::vector<FrequencyPair> of_value = {};  // of each
  PairHistogram histogram = {};              // otherwise
};

struct FrequencyDifference {
  // A clause: "arm 2 is chosen in round 3", "expert 1 is recommended", "output 2 is at least 0.5", "the run fails",
  // "the run ends before round 4".
  std::string event;
  FrequencyPair frequency;
};

struct OutputFrequencies {
  std::int64_t base_runs = 0;  // both are 0 if the frequencies are exact probabilities
  std::int64_t neighbour_runs = 0;
  std::optional<ActionFrequencies> actions = {};  // of a policy
  std::optional<NumberFrequencies> number =
      {};                     // of a mechanism, or of a policy that reports numbers
  FrequencyPair failed = {};  // runs; they are in no row and no value
  std::optional<FrequencyDifference> largest = {};

  bool is_exact() const { return base_runs == 0; }
};

// From runs as the adversary sees them, at least one on each input. changed_row: of the input, from 0. More than enough
// runs are left out.
OutputFrequencies output_frequencies(const InputShape& shape, std::int64_t changed_row,
                                     const OutputBatch& base_runs,
                                     const OutputBatch& neighbour_runs);

// From the exact probabilities of all actions in the rounds from first_round on, counted from 1, given the actions of one
// transcript before them. A `largest` event is then given these as well.
OutputFrequencies frequencies_along(const InputShape& shape, std::int64_t first_round,
                                    const std::vector<std::vector<FrequencyPair>>& of_rounds);

}  // namespace assay

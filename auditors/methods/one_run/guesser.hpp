// Guesses canaries from an output. It learns the log-odds of each canary from transcripts that have coins of
// their own.
//
// For a sequence, the outputs after round t describe canary j of that round: how far the actions in windows
// of doubling length favour what coin 1 favours (the arm chosen in round t if rows are rewards of
// the chosen arm, else the arms whose column the coin raises), the same before t, the next
// action and the last; then the numbers of round t, the estimates, and the length of the run.
// Canaries of rounds of the same size class (1, 2 to 3, 4 to 7, ...) share one logistic model. For a
// mechanism with as many outputs as inputs, the output at the same place and its differences from its
// neighbours describe a canary, with one model for all; otherwise all outputs do, with one model for all
// or, for few canaries, one each.
// Half of the training transcripts fit the models. The other half puts their log-odds on one scale
// and determines how many guesses are worth making.
// Nothing here can make an audit invalid: a bad guesser only guesses worse.
// Results are bit-identical on every machine. Cost: at most 8,000 rows of 24 features a model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/logistic.hpp"
#include "assay/auditors/methods/one_run/canaries.hpp"
#include "assay/auditors/statistics/one_run.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

// Transcripts with their coins.
struct CoinRuns {
  std::vector<Coins> coins;
  OutputBatch outputs;  // possibly fewer
};

// The log-odds of all canaries, run by run.
struct CanaryScores {
  std::size_t canaries = 0;
  std::vector<double> log_odds;
};

class CanaryGuesser {
 public:
  // If stopped, the guesser has no meaning.
  static CanaryGuesser learn(const InputShape& shape, const Canaries& canaries,
                             const CoinRuns& runs, StopPoll stop = {});
  // If stopped, of the first runs only, each whole.
  CanaryScores scores(const OutputBatch& outputs, StopPoll stop = {}) const;

 private:
  CanaryGuesser(const InputShape& shape, const Canaries& canaries)
      : shape_(shape), layout_(shape), actions_(layout_.action_entries()), canaries_(&canaries) {}
  std::size_t features() const;
  void describe(std::size_t canary, std::span<const double> output, std::span<double> row) const;
  void describe_number(std::size_t canary, std::span<const double> output,
                       std::span<double> row) const;
  void describe_told(std::size_t round, std::span<const double> output,
                     std::span<double> row) const;
  double favour(std::size_t canary, std::span<const double> output, std::size_t at) const;
  void group_canaries();
  // The rows of a group with coin 1 and with coin 0.
  void collect(const std::vector<std::size_t>& group, const CoinRuns& runs, StopPoll& stop,
               std::vector<double>& heads, std::vector<double>& tails) const;

  InputShape shape_;
  OutputLayout layout_;
  std::vector<std::size_t> actions_;  // entries, of a recommendation too
  const Canaries* canaries_;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<LogisticModel> models_;  // of each group
  std::vector<LogisticModel> scales_;  // of the model's log-odds
};

// Guesses the `guesses` canaries of all runs with the largest |log-odds| (ties: the first) by its
// sign, and returns how many are right. Canaries beyond the scores count as wrong guesses.
std::int64_t right_guesses(const CanaryScores& scores, const std::vector<Coins>& coins,
                           std::int64_t guesses);

// The same with `guesses` in each run: the right ones, run by run; if stopped, of the first runs only.
std::vector<std::int64_t> right_guesses_by_run(const CanaryScores& scores,
                                               const std::vector<Coins>& coins,
                                               std::int64_t guesses, StopPoll stop = {});

// The number of guesses, out of `canaries`, that is expected to give the largest bound, by runs that the models were
// not fitted to. Sets `bound` to the 99.5% lower limit of the share of right guesses.
std::int64_t choose_guesses(const CanaryScores& scores, const std::vector<Coins>& coins,
                            std::int64_t canaries,
                            const std::function<double(const GuessCounts&)>& bound);

}  // namespace assay

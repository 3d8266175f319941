// The wealth of a bettor who forecasts the coin of each run from the runs before it.
//
// Runs on P and Q, chosen by fair coins, come in blocks. Before a block, every forecaster of coin_forecast.hpp reads
// the runs of earlier blocks; its bet is the best portfolio of guess games for its forecast (guess_games.hpp), and a
// second, cautious bet stakes 0.4 of the wealth on it. These members share the first stake equally, and the wealth
// is their mean. Under the claim, given all runs before, it is a nonnegative supermartingale that starts
// at 1, whatever the target does: it reaches 1/alpha with probability at most alpha, at any time
// (docs/proofs/forecast_bets.md). No run is spent on learning alone, except a first few.
//
// Blocks: the first has 24 runs, without bets. Then each has an eighth of the runs before it, at least 8.
// What bets on a run is fixed before it: classes, forecasts and tables are of earlier blocks.
//
// Reference: Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference" (Statistical Science, 2023).
// Threads: values. Results are bit-identical on every machine. Cost: 0.2 us a run; 1 to 3 ms a block.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/statistics/coin_forecast.hpp"

namespace assay {

// The lines of a claim, and its mu or eps.
struct ForecastClaim {
  ClaimLines lines;
  double claimed = 0.0;

  static ForecastClaim of(Epsilon epsilon, Delta delta) {
    return {lines_of(epsilon, delta), epsilon.value};
  }
  static ForecastClaim of(Mu mu) { return {lines_of(mu), mu.value}; }
};

// The length of the block after so many runs.
std::int64_t next_block(std::int64_t runs);

class ForecastBets {
 public:
  explicit ForecastBets(ForecastClaim claim);

  // Fixes the bets of the next runs, from runs of earlier blocks.
  void start_block(const ClassedRuns& earlier);
  // Does nothing before the first start_block.
  void observe(std::size_t output_class, bool on_p);

  double log_wealth() const;  // of all members
  // Whether the wealth reached 1/alpha after any run, with room for rounding.
  bool reached(double alpha) const;
  const std::vector<CoinBet>& bets() const { return bets_; }  // in force, member by member

 private:
  ForecastClaim claim_;
  std::vector<CoinBet> bets_;
  std::vector<double> factors_;  // member by member within class and side
  std::vector<double> wealths_;  // of the members, over e^scale_
  double scale_ = 0.0;
  double most_ = 0.0;  // the largest log_wealth() so far
};

}  // namespace assay

// The wealth of a bettor who forecasts the coin of each run from the runs before it.
//
// Runs on P and Q, chosen by fair coins, come in blocks. One or more scores divide outputs into classes. Before a block,
// every forecaster of coin_forecast.hpp reads the runs of earlier blocks in the classes of each score; its bet is
// the best portfolio of guess games for its forecast (guess_games.hpp), and a second, cautious bet stakes 0.4 of the
// wealth on it. These members share the first stake, and the wealth is their mean. Under the claim, given all runs
// before, it is a nonnegative supermartingale that starts at 1, whatever the target does: it reaches 1/alpha with
// probability at most alpha, at any time (docs/proofs/forecast_bets.md). No run is spent on learning alone, except a
// first few.
//
// Blocks: the first has 24 runs, without bets. Then each has an eighth of the runs before it, at least 8. What bets on
// a run is fixed before it: classes, forecasts and factors are of earlier blocks.
//
// If the runs are divided between two seedings (certify.hpp), the same bets on the runs of each seeding alone make two
// more wealths, and a claim falls only if all three say so.
//
// Reference: Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference" (Statistical Science, 2023).
// Threads: values. Results are bit-identical on every machine. Cost: 0.2 us a run; 1 to 3 ms a block and score.
#pragma once

#include <cstdint>
#include <span>
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
  // shares: of the first stake, one for each score; they sum to 1. divided: between two seedings.
  explicit ForecastBets(ForecastClaim claim, std::vector<double> shares = {1.0},
                        bool divided = false);

  // Fixes the bets of the next runs, from the runs of earlier blocks in the classes of each score.
  void start_block(std::span<const ClassedRuns> earlier);
  // A run, and its class by each score. Does nothing before the first start_block.
  void observe(std::span<const std::uint8_t> classes, bool on_p, bool keyed = false);

  double log_wealth() const { return wealths_.front().log(); }
  // Whether the wealth reached 1/alpha after any run, with room for rounding, and those of the seedings 1/seeding_alpha.
  bool reached(double alpha, double seeding_alpha = 1.0) const;
  const std::vector<CoinBet>& bets() const {
    return bets_;
  }  // in force, score by score, member by member

 private:
  // Of all members, over e^scale.
  struct Wealth {
    std::vector<double> of_members;
    double scale = 0.0;
    double most = 0.0;  // the largest log() so far

    double log() const;
    void settle();  // after a run
  };

  ForecastClaim claim_;
  std::vector<double> shares_;
  std::vector<CoinBet> bets_;
  std::vector<std::vector<double>> factors_;  // by score: member by member within side and class
  std::vector<Wealth>
      wealths_;  // by all runs; if they are divided, by those without a key and those with one
};

}  // namespace assay

// Bets on the runs of one pair, from the first run on, by scores that are learned on the way.
//
// Every run is on an input that a fair coin chose. Before each block of runs, the scores of all earlier runs are
// divided into classes (run_classes.hpp), and forecasters bet on the coins of the block (forecast_bets.hpp). Between
// blocks a score may be exchanged for one that earlier runs suggest: its bettor keeps the wealth. So a run teaches only
// bets on later runs, and no run is spent on learning alone, except the first 24.
//
// The blocks and classes are kept, so that other claims can be tested by the same runs later: the bets on a run are a
// function of earlier runs and the claim. The largest level whose bets, and those of all levels before it, have
// reached 1/alpha is a lower bound of the leak at confidence 1 - alpha, at any time, if the levels were fixed
// before the first run.
// Threads: values. Cost: 1 to 3 ms a block, score and claim; about 50 blocks for 10,000 runs, 90 for a million.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/auditors/methods/black_box/run_classes.hpp"
#include "assay/auditors/statistics/forecast_bets.hpp"

namespace assay {

struct CoinRun {
  bool on_p = false;
  bool keyed = false;  // its seeding, if runs are divided; certify.hpp
};

class CoinBets {
 public:
  // shares: of the first stake, one for each score; they sum to 1.
  explicit CoinBets(ForecastClaim claim, std::vector<double> shares = {1.0}, bool divided = false)
      : shares_(std::move(shares)),
        divided_(divided),
        scores_(shares_.size()),
        first_(shares_.size()),
        bets_(std::move(claim), shares_, divided) {}

  std::int64_t runs() const { return static_cast<std::int64_t>(runs_.size()); }
  // How many more runs have their bets; 0 between two blocks.
  std::int64_t block_left() const { return left_; }
  // Between two blocks: exchanges a score; `scores` are those of all runs so far by the new one. Later bets count
  // only runs from `first` on, if earlier ones taught the score.
  void exchange_score(std::size_t score, std::vector<double> scores, std::size_t first = 0);
  // A run with its output's number by each score. Starts the next block if the last one is over.
  void observe(std::span<const double> scores, CoinRun run);

  double log_wealth() const { return bets_.log_wealth(); }
  bool reached(double alpha, double seeding_alpha = 1.0) const {
    return bets_.reached(alpha, seeding_alpha);
  }
  const std::vector<CoinBet>& bets() const { return bets_.bets(); }  // in force

  // What the bets against another claim, on the same runs, have come to.
  ForecastBets against(ForecastClaim claim) const;

 private:
  struct Block {
    std::int64_t last = 0;             // run, exclusive
    std::vector<ClassedRuns> learned;  // score by score; none in the first block
  };
  void start_block();

  std::vector<double> shares_;
  bool divided_;
  std::vector<std::vector<double>> scores_;      // of all runs, score by score
  std::vector<std::size_t> first_;               // run that counts, score by score
  std::vector<std::vector<std::int64_t>> cuts_;  // of the block, score by score
  std::vector<CoinRun> runs_;
  std::vector<std::uint8_t> classes_;  // run by run, those of all scores
  std::vector<Block> blocks_;
  std::int64_t left_ = 0;  // of the block
  ForecastBets bets_;
};

// The largest of the levels that these bets certify with all before it; 0 for none. claim_of gives the claim at a
// level.
template <class ClaimOf>
double certified_level(const CoinBets& bets, std::span<const double> levels, double alpha,
                       double seeding_alpha, const ClaimOf& claim_of) {
  double certified = 0.0;
  for (const double level : levels) {
    if (!bets.against(claim_of(level)).reached(alpha, seeding_alpha)) break;
    certified = level;
  }
  return certified;
}

}  // namespace assay

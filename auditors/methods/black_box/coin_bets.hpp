// Bets on the runs of one pair by one score, from the first run on.
//
// Every run is on an input that a fair coin chose, and has a score. Before each block of runs, the scores of all
// earlier runs are divided into classes (run_classes.hpp), and the forecasters bet on the coins of the block
// (forecast_bets.hpp). So a run teaches only bets on later runs, and no run is spent on learning alone, except the
// first 24. The wealth refutes "every run is as private as claimed, given all runs before it" when it reaches 1/alpha.
// Threads: values. Cost: 1 to 3 ms a block, and about 90 blocks for a million runs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "assay/auditors/methods/black_box/run_classes.hpp"
#include "assay/auditors/statistics/forecast_bets.hpp"

namespace assay {

class CoinBets {
 public:
  explicit CoinBets(ForecastClaim claim) : bets_(std::move(claim)) {}

  void observe(double score, bool on_p);

  std::int64_t runs() const { return static_cast<std::int64_t>(scores_.size()); }
  double log_wealth() const { return bets_.log_wealth(); }
  bool reached(double alpha) const { return bets_.reached(alpha); }
  const std::vector<CoinBet>& bets() const { return bets_.bets(); }  // in force

 private:
  ForecastBets bets_;
  std::vector<std::int64_t> cuts_;
  std::vector<double> scores_;
  std::vector<std::uint8_t> on_p_;
  std::int64_t left_ = 0;  // of the block
};

}  // namespace assay

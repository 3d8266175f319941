#include "assay/auditors/statistics/forecast_bets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFirstBlock = 24;
constexpr std::array kStakedParts = {1.0, 0.4};  // of the wealth
constexpr double kCash = 1e-3;              // part of every bet, so that no factor is 0
constexpr std::size_t kMembers = kCoinForecasters * kStakedParts.size();
constexpr double kLogRounding = 1e-9;  // of the logarithm of a wealth

CoinBet staked(CoinBet bet, double stake) {
  const double at_stake = stake * (1.0 - kCash);
  for (auto* side : {&bet.on_p, &bet.on_q}) {
    for (double& factor : *side) factor = 1.0 - at_stake + at_stake * factor;
  }
  return bet;
}

}  // namespace

std::int64_t next_block(std::int64_t runs) {
  constexpr std::int64_t kPart = 8, kShortest = 8;
  return runs == 0 ? kFirstBlock : std::max(kShortest, runs / kPart);
}

ForecastBets::ForecastBets(ForecastClaim claim)
    : claim_(std::move(claim)), wealths_(kMembers, 1.0 / static_cast<double>(kMembers)) {}

void ForecastBets::start_block(const ClassedRuns& earlier) {
  bets_.clear();
  for (const CoinForecast& forecast : forecast_coin(earlier, claim_.claimed)) {
    const CoinBet best = best_portfolio(claim_.lines, forecast);
    for (const double stake : kStakedParts) bets_.push_back(staked(best, stake));
  }
  factors_.clear();
  for (std::size_t k = 0; k < earlier.size(); ++k) {
    for (const CoinBet& bet : bets_) factors_.push_back(bet.on_p[k]);
    for (const CoinBet& bet : bets_) factors_.push_back(bet.on_q[k]);
  }
}

void ForecastBets::observe(std::size_t output_class, bool on_p) {
  if (bets_.empty()) return;
  ASSAY_CHECK(output_class < bets_.front().size(), "a class of the block");
  const double* factor = &factors_[(2 * output_class + (on_p ? 0 : 1)) * kMembers];
  double sum = 0.0;
  for (std::size_t i = 0; i < kMembers; ++i) sum += wealths_[i] *= factor[i];
  // Members far below the others may underflow to 0: they lose their wealth, which is allowed.
  if (sum > 1e100 || sum < 1e-100) {
    for (double& wealth : wealths_) wealth /= sum;
    scale_ += portable_log(sum);
    sum = 1.0;
  }
  most_ = std::max(most_, scale_ + portable_log(sum));
}

double ForecastBets::log_wealth() const {
  return scale_ + portable_log(std::accumulate(wealths_.begin(), wealths_.end(), 0.0));
}

bool ForecastBets::reached(double alpha) const { return most_ >= kLogRounding - portable_log(alpha); }

}  // namespace assay

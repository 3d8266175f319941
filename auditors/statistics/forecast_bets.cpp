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
constexpr double kCash = 1e-3;                   // part of every bet, so that no factor is 0
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

double ForecastBets::Wealth::log() const {
  return scale + portable_log(std::accumulate(of_members.begin(), of_members.end(), 0.0));
}

// Members far below the others may become 0, which gives up their wealth.
void ForecastBets::Wealth::settle() {
  constexpr double kFar = 1e100;
  const double sum = std::accumulate(of_members.begin(), of_members.end(), 0.0);
  most = std::max(most, scale + portable_log(sum));
  if (sum < kFar && sum > 1.0 / kFar) return;
  for (double& wealth : of_members) wealth /= sum;
  scale += portable_log(sum);
}

ForecastBets::ForecastBets(ForecastClaim claim, std::vector<double> shares, bool divided)
    : claim_(std::move(claim)), shares_(std::move(shares)), factors_(shares_.size()) {
  Wealth first;
  for (const double share : shares_) {
    first.of_members.insert(first.of_members.end(), kMembers,
                            share / static_cast<double>(kMembers));
  }
  wealths_.assign(divided ? 3 : 1, first);
}

void ForecastBets::start_block(std::span<const ClassedRuns> earlier) {
  ASSAY_CHECK(earlier.size() == shares_.size(), "classes of every score");
  bets_.clear();
  for (std::size_t score = 0; score < earlier.size(); ++score) {
    const std::size_t first = bets_.size();
    for (const CoinForecast& forecast : forecast_coin(earlier[score], claim_.claimed)) {
      const CoinBet best = best_portfolio(claim_.lines, forecast);
      for (const double stake : kStakedParts) bets_.push_back(staked(best, stake));
    }
    const auto members = std::span(bets_).subspan(first);
    auto& factors = factors_[score];
    factors.clear();
    for (std::size_t k = 0; k < earlier[score].size(); ++k) {
      for (const CoinBet& bet : members) factors.push_back(bet.on_p[k]);
      for (const CoinBet& bet : members) factors.push_back(bet.on_q[k]);
    }
  }
}

void ForecastBets::observe(std::span<const std::uint8_t> classes, bool on_p, bool keyed) {
  if (bets_.empty()) return;
  ASSAY_CHECK(classes.size() == shares_.size(), "a class of every score");
  for (std::size_t which = 0; which < wealths_.size(); ++which) {
    if (which > 0 && (which == 2) != keyed) continue;
    Wealth& wealth = wealths_[which];
    for (std::size_t score = 0; score < classes.size(); ++score) {
      const std::size_t side = 2 * std::size_t{classes[score]} + (on_p ? 0 : 1);
      const double* factor = &factors_[score].at(side * kMembers);
      double* member = &wealth.of_members[score * kMembers];
      for (std::size_t i = 0; i < kMembers; ++i) member[i] *= factor[i];
    }
    wealth.settle();
  }
}

bool ForecastBets::reached(double alpha, double seeding_alpha) const {
  const auto has = [](const Wealth& wealth, double level) {
    return wealth.most >= kLogRounding - portable_log(level);
  };
  return has(wealths_.front(), alpha) &&
         std::all_of(wealths_.begin() + 1, wealths_.end(),
                     [&](const Wealth& one) { return has(one, seeding_alpha); });
}

}  // namespace assay

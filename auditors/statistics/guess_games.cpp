#include "assay/auditors/statistics/guess_games.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kTiny = 1e-30;  // weights below count as 0
constexpr double kSumOutward =
    1.0 + 1e-12;  // of the weights, so that rounding never adds to a mean

// The games of all lines and thresholds of the forecast. Game (l, t) has E = {classes of rank t and above}, its mirror
// E = {classes below rank t}, t = 1..K - 1. All games of rank t pay alike in shape, so sums over lines come first.
class Portfolio {
 public:
  Portfolio(const ClaimLines& lines, const CoinForecast& forecast)
      : lines_(lines),
        ranks_(forecast.size()),
        order_(ranks_),
        above_(ranks_ + 1, 0.0),
        below_(ranks_ + 1, 0.0),
        step_p_(ranks_),
        step_q_(ranks_) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return forecast.on_p[a] < forecast.on_p[b];
    });
    for (std::size_t k : order_) {
      gain_p_.push_back(forecast.mass[k] * forecast.on_p[k]);
      gain_q_.push_back(forecast.mass[k] * (1.0 - forecast.on_p[k]));
    }
    for (const SideClaim& line : lines) {
      // 2/(c + d) and 2c/(c + d), for slopes up to e^700.
      const double over_slope = 1.0 + line.offset / line.slope;
      low_.push_back(2.0 / line.slope / over_slope);
      high_.push_back(2.0 / over_slope);
    }
    const std::size_t games = lines.size() * (ranks_ - 1);
    const double each = games == 0 ? 0.0 : 0.25 / static_cast<double>(games);
    straight_.assign(games, each);
    mirror_.assign(games, each);
    normalise();
  }

  void improve() {
    for (std::size_t r = ranks_; r-- > 0;) {
      above_[r] = above_[r + 1] + over(gain_p_[r], pays_p_[r]);
    }
    for (std::size_t r = 0; r < ranks_; ++r) {
      below_[r + 1] = below_[r] + over(gain_q_[r], pays_q_[r]);
    }
    coin_p_ = stepped(coin_p_, 2.0 * above_[0]);
    coin_q_ = stepped(coin_q_, 2.0 * below_[ranks_]);
    for (std::size_t l = 0, at = 0; l < lines_.size(); ++l) {
      for (std::size_t t = 1; t < ranks_; ++t, ++at) {
        straight_[at] = stepped(straight_[at], low_[l] * above_[t] + high_[l] * below_[t]);
        mirror_[at] = stepped(mirror_[at], high_[l] * above_[t] + low_[l] * below_[t]);
      }
    }
    normalise();
  }

  CoinBet bet() const {
    CoinBet bet{std::vector<double>(ranks_), std::vector<double>(ranks_)};
    for (std::size_t r = 0; r < ranks_; ++r) {
      bet.on_p[order_[r]] = pays_p_[r];
      bet.on_q[order_[r]] = pays_q_[r];
    }
    return bet;
  }

 private:
  static double over(double gain, double pays) { return pays > 0.0 ? gain / pays : 0.0; }
  // About ratio^1.5 near 1, which is faster than Cover's first power.
  static double stepped(double weight, double ratio) {
    const double next = weight * ratio * (0.5 + 0.5 * ratio);
    return next > kTiny ? next : 0.0;
  }

  void normalise() {
    double sum = coin_p_ + coin_q_;
    for (std::size_t at = 0; at < straight_.size(); ++at) sum += straight_[at] + mirror_[at];
    const double scale = 1.0 / (sum * kSumOutward);
    coin_p_ *= scale;
    coin_q_ *= scale;
    for (double& weight : straight_) weight *= scale;
    for (double& weight : mirror_) weight *= scale;
    set_payoffs();
  }

  // What the mixture pays on each rank.
  void set_payoffs() {
    std::fill(step_p_.begin(), step_p_.end(), 0.0);
    std::fill(step_q_.begin(), step_q_.end(), 0.0);
    for (std::size_t l = 0, at = 0; l < lines_.size(); ++l) {
      for (std::size_t t = 1; t < ranks_; ++t, ++at) {
        step_p_[t] += low_[l] * straight_[at] + high_[l] * mirror_[at];
        step_q_[t] += high_[l] * straight_[at] + low_[l] * mirror_[at];
      }
    }
    pays_p_.assign(ranks_, 2.0 * coin_p_);
    pays_q_.assign(ranks_, 2.0 * coin_q_);
    double sum = 0.0;
    for (std::size_t r = 0; r < ranks_; ++r) pays_p_[r] += sum += step_p_[r];
    sum = 0.0;
    for (std::size_t r = ranks_; r-- > 1;) pays_q_[r - 1] += sum += step_q_[r];
  }

  const ClaimLines& lines_;
  std::size_t ranks_;
  std::vector<std::size_t> order_;         // classes by rank
  std::vector<double> gain_p_, gain_q_;    // probabilities of the class with each side, by rank
  std::vector<double> low_, high_;         // the payoffs of (2), by line
  double coin_p_ = 0.25, coin_q_ = 0.25;   // weights
  std::vector<double> straight_, mirror_;  // weights, by line and threshold
  std::vector<double> pays_p_, pays_q_;    // by rank
  std::vector<double> above_,
      below_;  // sums of gain/payoff from rank t on, on P, and below t, on Q
  std::vector<double> step_p_, step_q_;  // what the games of threshold t alone pay
};

}  // namespace

ClaimLines lines_of(Epsilon epsilon, Delta delta) {
  return {SideClaim::approximate(epsilon, delta)};
}

ClaimLines lines_of(Mu mu) {
  constexpr std::array kLogSlopes = {0.0, 0.25, 0.5, 0.75, 1.0, 1.4, 1.9, 2.6};  // over mu
  constexpr double kOutward = 1e-14;  // a smaller offset would make bets inadmissible
  constexpr double kLargestLog = 700.0;
  if (mu.value == 0.0) return {{1.0, 0.0}};
  ClaimLines lines;
  for (const double at : kLogSlopes) {
    if (at * mu.value > kLargestLog) break;
    const double slope = portable_exp(at * mu.value);
    const double log_over_mu = portable_log(slope) / mu.value;
    const double upper = normal_cdf(0.5 * mu.value - log_over_mu);
    const double lower = slope * normal_cdf(-0.5 * mu.value - log_over_mu);
    lines.push_back({slope, std::clamp(upper - lower + kOutward * upper, 0.0, 1.0)});
  }
  return lines;
}

double growth(const CoinBet& bet, const CoinForecast& forecast) {
  double sum = 0.0;
  for (std::size_t k = 0; k < bet.size(); ++k) {
    sum += forecast.mass[k] * (forecast.on_p[k] * portable_log(bet.on_p[k]) +
                               (1.0 - forecast.on_p[k]) * portable_log(bet.on_q[k]));
  }
  return sum;
}

CoinBet best_portfolio(const ClaimLines& lines, const CoinForecast& forecast, int rounds) {
  ASSAY_CHECK(!lines.empty() && forecast.size() >= 1, "lines and classes");
  Portfolio portfolio(lines, forecast);
  for (int round = 0; round < rounds; ++round) portfolio.improve();
  return portfolio.bet();
}

}  // namespace assay

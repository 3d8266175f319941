#include "assay/auditors/statistics/betting.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace detail {

namespace {

constexpr double kOvershoot = 0.05;
constexpr double kLargestStake = 0.95;  // of the wealth, on "mean > m"
constexpr double kRoundingMargin = 1e-9;
constexpr double kHopeless = 1e-5;  // of the initial wealth

double threshold(double alpha) { return (1.0 + kRoundingMargin) / alpha; }

// x^n by squaring.
double power(double x, std::int64_t n) {
  double result = 1.0;
  for (; n > 0; n >>= 1) {
    if (n & 1) result *= x;
    x *= x;
  }
  return result;
}

double stake_cap(BetSide side, double m, double range) {
  if (side == BetSide::kAbove) return kLargestStake / m;
  return m < range ? 1.0 / (range - m) : kInfinity;
}

double first_jump(BetSide side, double range) { return side == BetSide::kAbove ? 1.0 : range; }

// The planned end, extended as often as time has passed it.
std::int64_t extended(std::int64_t horizon, std::int64_t time) {
  while (horizon <= time) horizon *= 2;
  return horizon;
}

Bet bet_of(BetSide side, double lambda, double m) {
  const double base = side == BetSide::kAbove ? 1.0 - lambda * m : 1.0 + lambda * m;
  return {base, (side == BetSide::kAbove ? lambda : -lambda) / base};
}

}  // namespace

// ------------------------------------------------------------------------------- one m

MeanTest::MeanTest(BetSide side, double m, double range, const BettingPlan& plan)
    : side_(side),
      m_(m),
      cap_(stake_cap(side, m, range)),
      alpha_(plan.alpha),
      jump_(plan.design_mean, plan.design_variance, first_jump(side, range)) {
  ASSAY_CHECK(m >= 0.0, "the tested mean must not be negative");
  ASSAY_CHECK(plan.alpha > 0.0 && plan.alpha < 1.0, "alpha must lie in (0, 1)");
  constexpr double kShares[kGamblers] = {0.8, 0.13, 0.07};
  constexpr std::int64_t kParts[kGamblers] = {1, 6, 36};
  for (std::size_t i = 0; i < kGamblers; ++i) {
    gamblers_[i].wealth = kShares[i];
    gamblers_[i].horizon = std::max<std::int64_t>(1, plan.horizon / kParts[i]);
  }
  end_block();
}

void MeanTest::end_block() {
  jump_.add(pending_count_, pending_sum_, pending_square_);
  pending_count_ = 0;
  pending_sum_ = pending_square_ = 0.0;
  gamblers_[0].horizon = extended(gamblers_[0].horizon, time_);
  block_left_ = block_length(time_, gamblers_[0].horizon);
  const double jump = jump_.value();
  for (auto& g : gamblers_) {
    const std::int64_t left = g.horizon - time_;
    if (left > 0) block_left_ = std::min(block_left_, left);
    g.bet = certified_ || left <= 0 || !(cap_ < kInfinity) ? Bet{} : next_bet(g, jump);
  }
}

Bet MeanTest::next_bet(const Gambler& g, double jump) const {
  const double price = alpha_ * g.wealth / (1.0 + kOvershoot);
  if (!(price > 0.0)) return {};
  const double left = static_cast<double>(g.horizon - time_);
  const double lambda = bet_fraction(side_, price, m_, jump, left);
  return bet_of(side_, std::clamp(lambda, 0.0, cap_), m_);
}

void MeanTest::note_wealth() {
  double wealth = 0.0;
  for (const auto& g : gamblers_) wealth += g.wealth;
  max_wealth_ = std::max(max_wealth_, wealth);
  if (!certified_ && wealth >= threshold(alpha_)) {
    certified_ = true;  // betting ends here
    for (auto& g : gamblers_) g.bet = {};
  }
}

void MeanTest::observe_hit(double value) {
  // An infinite stake, at an edge of the range: any
  // value inside refutes "mean <= 0", "mean >= range".
  if (!(cap_ < kInfinity) && (side_ == BetSide::kAbove || value < m_)) {
    gamblers_[0].wealth = kInfinity;
  }
  for (auto& g : gamblers_) g.wealth *= std::max(0.0, g.bet.factor(value));
  ++time_;
  ++hits_;
  ++pending_count_;
  pending_sum_ += value;
  pending_square_ += value * value;
  note_wealth();
  if (--block_left_ == 0 || hits_ <= kFewHits) end_block();
}

void MeanTest::observe_zeros(std::int64_t count) {
  while (count > 0) {
    const std::int64_t now = std::min(count, block_left_);
    if (!(cap_ < kInfinity) && side_ == BetSide::kBelow) gamblers_[0].wealth = kInfinity;
    for (auto& g : gamblers_) g.wealth *= power(g.bet.base, now);
    note_wealth();  // the wealth is monotone in a run of zeros
    time_ += now;
    pending_count_ += now;
    count -= now;
    block_left_ -= now;
    if (block_left_ == 0) end_block();
  }
}

void MeanTest::observe_block(std::int64_t zeros, std::int64_t hits, double size) {
  for (auto& g : gamblers_) {
    g.wealth *= power(g.bet.base, zeros) * power(g.bet.factor(size), hits);
  }
  time_ += zeros + hits;
  hits_ += hits;
  pending_count_ += zeros + hits;
  pending_sum_ += size * static_cast<double>(hits);
  pending_square_ += size * size * static_cast<double>(hits);
  note_wealth();
  block_left_ -= zeros + hits;
  if (block_left_ == 0) end_block();
}

void MeanTest::observe(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size();) {
    if (values[i] != 0.0) {
      observe_hit(values[i++]);
      continue;
    }
    const std::size_t first = i;
    while (i < values.size() && values[i] == 0.0) ++i;
    observe_zeros(static_cast<std::int64_t>(i - first));
  }
}

double MeanTest::max_log_wealth() const { return portable_log(max_wealth_); }

// ------------------------------------------------------------------------------- all m

namespace {

// product[g] *= prod_i (1 + slope[g] z_i), four values at a time; the lanes g vectorise.
void multiply_lanes(std::span<const double> z, const double* slope, double* product,
                    std::size_t lanes) {
  std::size_t i = 0;
  for (; i + 4 <= z.size(); i += 4) {
    const double a = z[i], b = z[i + 1], c = z[i + 2], d = z[i + 3];
    for (std::size_t g = 0; g < lanes; ++g) {
      const double s = slope[g];
      product[g] *= ((1.0 + s * a) * (1.0 + s * b)) * ((1.0 + s * c) * (1.0 + s * d));
    }
  }
  for (; i < z.size(); ++i) {
    for (std::size_t g = 0; g < lanes; ++g) product[g] *= 1.0 + slope[g] * z[i];
  }
}

// Gamblers at many means, ordered from the one that is easiest to certify. Each makes its own bets, or all
// follow the bets of the last, the hardest.
class Lanes {
 public:
  enum class Bets { kOwn, kOfTheLast };

  Lanes(BetSide side, std::vector<double> means, double range, const BettingPlan& plan, Bets bets)
      : side_(side),
        bets_(bets),
        means_(std::move(means)),
        range_(range),
        alpha_(plan.alpha),
        horizon_(std::max<std::int64_t>(1, plan.horizon)),
        control_(plan.control),
        jump_(plan.design_mean, plan.design_variance, first_jump(side, range)),
        wealth_(means_.size(), 1.0),
        base_(means_.size(), 1.0),
        slope_(means_.size(), 0.0),
        product_(means_.size(), 1.0),
        certified_(means_.size(), false),
        end_(means_.size()) {
    hits_in_block_.reserve(4096);
  }

  // How many of the means, from the first on without a gap, are certified.
  std::size_t run(std::span<const double> values) {
    std::size_t i = 0;
    while (i < values.size() && first_ < end_) {
      if (control_ != nullptr && control_->interrupted()) break;
      set_bets();
      i = observe_block(values, i);
      settle();
    }
    return first_;
  }

 private:
  void set_bets() {
    horizon_ = extended(horizon_, time_);
    const double jump = jump_.value();
    const double left = static_cast<double>(horizon_ - time_);
    const double to_price = alpha_ / (1.0 + kOvershoot);
    if (bets_ == Bets::kOfTheLast) {
      const std::size_t last = means_.size() - 1;
      const double lambda = stake(last, wealth_[last] * to_price, jump, left);
      for (std::size_t g = first_; g < end_; ++g) set_bet(g, lambda);
      return;
    }
    for (std::size_t g = first_; g < end_; ++g) {
      set_bet(g, stake(g, wealth_[g] * to_price, jump, left));
    }
  }

  double stake(std::size_t g, double price, double jump, double left) const {
    const double lambda = bet_fraction(side_, price, means_[g], jump, left);
    return std::clamp(lambda, 0.0, stake_cap(side_, means_[g], range_));
  }

  void set_bet(std::size_t g, double lambda) {
    const Bet bet = certified_[g] ? Bet{} : bet_of(side_, lambda, means_[g]);
    base_[g] = bet.base;
    slope_[g] = bet.slope;
  }

  std::size_t observe_block(std::span<const double> values, std::size_t i) {
    const auto length = static_cast<std::size_t>(block_length(time_, horizon_));
    const std::size_t end = std::min(values.size(), i + length);
    const std::size_t first = i;
    hits_in_block_.clear();
    double sum = 0.0, square = 0.0, largest = 0.0;
    while (i < end) {
      const double z = values[i++];
      if (z == 0.0) continue;
      hits_in_block_.push_back(z);
      sum += z;
      square += z * z;
      largest = std::max(largest, z);
      if (hits_ + static_cast<std::int64_t>(hits_in_block_.size()) <= kFewHits) break;
    }
    const auto count = static_cast<std::int64_t>(i - first);
    for (std::size_t g = first_; g < end_; ++g) wealth_[g] *= power(base_[g], count);
    multiply_hits(largest);
    jump_.add(count, sum, square);
    hits_ += static_cast<std::int64_t>(hits_in_block_.size());
    time_ += count;
    return i;
  }

  // In chunks short enough that no product overflows.
  void multiply_hits(double largest) {
    const std::size_t lanes = end_ - first_;
    const double* slopes = slope_.data() + first_;
    const double steepest = *std::max_element(slopes, slopes + lanes);
    const int exponent = std::ilogb(1.0 + std::max(0.0, steepest * largest)) + 1;
    const auto chunk = static_cast<std::size_t>(std::max(1, 900 / exponent));
    const std::span<const double> hits(hits_in_block_);
    for (std::size_t i = 0; i < hits.size(); i += chunk) {
      std::fill_n(product_.begin(), lanes, 1.0);
      multiply_lanes(hits.subspan(i, std::min(chunk, hits.size() - i)), slopes, product_.data(),
                     lanes);
      for (std::size_t g = 0; g < lanes; ++g) wealth_[first_ + g] *= product_[g];
    }
  }

  void settle() {
    for (std::size_t g = first_; g < end_; ++g) {
      if (wealth_[g] >= threshold(alpha_)) {
        certified_[g] = true;
      } else if (!(wealth_[g] >= kHopeless)) {
        // Means after a gap do not count, but the last lane still leads the bets.
        if (bets_ == Bets::kOwn || g == first_) end_ = g;
      }
    }
    while (first_ < end_ && certified_[first_]) ++first_;
  }

  BetSide side_;
  Bets bets_;
  std::vector<double> means_;
  double range_;
  double alpha_;
  std::int64_t horizon_;
  const RunControl* control_;
  JumpSize jump_;
  std::vector<double> wealth_, base_, slope_, product_;
  std::vector<bool> certified_;
  std::size_t first_ = 0;  // the first not certified
  std::size_t end_;        // no mean from here on can count
  std::int64_t time_ = 0;
  std::int64_t hits_ = 0;
  std::vector<double> hits_in_block_;
};

// Increasing means from `low` to `high`: 0.4 standard errors apart around the design point,
// coarser away from it.
std::vector<double> mean_grid(double low, double high, double jump, const BettingPlan& plan) {
  constexpr double kCell = 0.4;         // of a standard error of the mean
  constexpr double kLargestStep = 0.1;  // in log m
  constexpr double kUnplanned = 0.01;
  const double n = static_cast<double>(std::max<std::int64_t>(1, plan.horizon));
  std::vector<double> grid;
  double m = low;
  while (m < high) {
    grid.push_back(m);
    const double fine = kCell * std::sqrt(jump / (n * m));
    double step = m > jump ? kLargestStep : std::max(fine, kUnplanned);
    if (plan.design_mean > 0.0) {
      const double away = std::abs(portable_log(m / plan.design_mean));
      const double pilot_noise = 30.0 * fine;
      step = fine + 0.03 * std::max(0.0, away - pilot_noise);
    }
    m *= 1.0 + std::min(step, kLargestStep);
  }
  grid.push_back(high);
  return grid;
}

// Means strictly inside (easy, hard), then `hard` itself.
std::vector<double> inside_cell(double easy, double hard) {
  constexpr int kParts = 16;
  std::vector<double> means;
  for (int i = 1; i < kParts; ++i) means.push_back(easy + (hard - easy) * i / kParts);
  means.push_back(hard);
  return means;
}

// The last certified mean of the increasing or decreasing `grid`, refined; `none` if there is none.
double certified_mean(BetSide side, std::span<const double> values, const std::vector<double>& grid,
                      double range, const BettingPlan& plan, double none) {
  const std::size_t count = Lanes(side, grid, range, plan, Lanes::Bets::kOwn).run(values);
  const double easy = count == 0 ? none : grid[count - 1];
  if (count == grid.size()) return easy;
  const auto cell = inside_cell(easy, grid[count]);
  const std::size_t inner = Lanes(side, cell, range, plan, Lanes::Bets::kOfTheLast).run(values);
  return inner == 0 ? easy : cell[inner - 1];
}

}  // namespace
}  // namespace detail

LowerBound<Mean> mean_lower_bound(std::span<const double> values, const BettingPlan& plan) {
  const bool any_hit = std::any_of(values.begin(), values.end(), [](double z) { return z > 0.0; });
  if (!any_hit) return {};
  const double jump = detail::JumpSize(plan.design_mean, plan.design_variance, 1.0).value();
  const double n = static_cast<double>(std::max<std::int64_t>(1, plan.horizon));
  // One hit of n certifies about alpha J/n; the grid leaves room for a wrong J.
  const double low = plan.alpha * jump / n * (plan.design_mean > 0.0 ? 1e-3 : 1e-6);
  const double high = std::max(1.0, std::max(jump, plan.design_mean)) * 1e9;
  const auto grid = detail::mean_grid(low, high, jump, plan);
  return {{detail::certified_mean(detail::BetSide::kAbove, values, grid, 0.0, plan, 0.0)}};
}

UpperBound<Mean> mean_upper_bound(std::span<const double> values, double range,
                                  const BettingPlan& plan) {
  const double jump = detail::JumpSize(plan.design_mean, plan.design_variance, range).value();
  const double n = static_cast<double>(std::max<std::int64_t>(1, plan.horizon));
  // n zeros certify -range log(alpha)/n at best. The grid has room for 16 times the planned number, as
  // it must not depend on how many values came.
  const double low = std::min(0.5, -0.9 * portable_log(plan.alpha) / (16.0 * n)) * range;
  auto grid = detail::mean_grid(low, range * (1.0 - 1e-3), jump, plan);
  std::reverse(grid.begin(), grid.end());
  return {{detail::certified_mean(detail::BetSide::kBelow, values, grid, range, plan, range)}};
}

Interval<Mean> mean_interval(std::span<const double> values, double range,
                             const BettingPlan& plan) {
  BettingPlan half = plan;
  half.alpha = plan.alpha / 2.0;
  return {mean_lower_bound(values, half), mean_upper_bound(values, range, half)};
}

Interval<Mean> mean_interval_between(std::span<const double> values, double low, double high,
                                     const BettingPlan& plan) {
  if (!(high > low)) return {{{low}}, {{low}}};
  std::vector<double> scaled;
  scaled.reserve(values.size());
  for (const double value : values) {
    scaled.push_back(std::clamp((value - low) / (high - low), 0.0, 1.0));
  }
  const auto interval = mean_interval(scaled, 1.0, plan);
  return {{{low + (high - low) * interval.lower.value.value}},
          {{low + (high - low) * interval.upper.value.value}}};
}

}  // namespace assay

#include "assay/auditors/statistics/side_betting.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kSideOvershoot = 0.02;  // of the option's payoff
constexpr double kPriorPlays = 50.0;     // a side; what the guesses are worth
constexpr double kNewton = 2.2186216;    // 2/(2 - ln 3), rounded: any constant is valid

// (5), by Newton's method within a bracket: the log likelihood is concave in q0.
double most_likely_q(const SideClaim& claim, double p, double q) {
  const double c = claim.slope, d = claim.offset;
  if (!(p > c * q + d)) return q;
  double low = q, high = std::min(p - d, 1.0 - d) / c;
  double x = std::min(high, std::max(low, (p - d + c * q) / (2.0 * c)));
  for (int i = 0; i < 60 && high - low > 1e-9 * high; ++i) {
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    if (!(x > low && x < high)) break;
    const double at = c * x + d;
    const double a = c * p / at, b = p < 1.0 ? c * (1.0 - p) / (1.0 - at) : 0.0;
    const double e = q / x, f = (1.0 - q) / (1.0 - x);
    const double gradient = a - b + e - f;
    (gradient > 0.0 ? low : high) = x;
    const double curvature = c * a / at + c * b / (1.0 - at) + e / x + f / (1.0 - x);
    const double step = gradient / curvature;
    x += step;
    if (std::abs(step) < 1e-9 * x) break;
  }
  return std::clamp(x, low, high);
}

double power_of(double base, std::int64_t times) {
  if (times == 0) return 1.0;
  if (!(base > 0.0)) return 0.0;
  return portable_exp(static_cast<double>(times) * portable_log(base));
}

}  // namespace

SideClaim SideClaim::approximate(Epsilon epsilon, Delta delta) {
  return {portable_exp(epsilon.value), delta.value};
}

SideClaim SideClaim::gaussian(Mu mu, double p, double q) {
  constexpr double kOutward = 1e-12;
  constexpr int kTangents = 4;
  const auto h = detail::ClaimBoundary::gaussian(mu.value);
  const double low = std::clamp(q, 1e-12, 1.0 - 1e-9);
  const double high = std::clamp(h.inverse(p), low, 1.0 - 1e-9);
  SideClaim best{1.0, 1.0};  // holds of everything: where no tangent can be told from 0
  double largest = -HUGE_VAL;
  for (int i = 0; i <= kTangents; ++i) {
    const double at = low + (high - low) * i / kTangents;
    const double slope = h.derivative(at);
    const double offset = std::clamp(h(at) - slope * at + kOutward, 0.0, 1.0);
    const double noise = std::sqrt(p * (1.0 - p) + slope * slope * q * (1.0 - q)) + 1e-300;
    const double speaks = (p - slope * q - offset) / noise;
    if (slope > 0.0 && speaks > largest) {
      largest = speaks;
      best = {slope, offset};
    }
  }
  return best;
}

// Rounding moves the wealth by less than 1e-15 of itself a play.
SideBettingTest::SideBettingTest(const SideClaim& claim, const SideBettingPlan& plan)
    : claim_(claim),
      plan_(plan),
      threshold_((1.0 + 1e-9 + 1e-15 * static_cast<double>(plan.horizon)) / plan.alpha),
      option_(1.0 - plan.online_share),
      online_(plan.online_share) {
  ASSAY_CHECK(claim.slope > 0.0 && claim.offset >= 0.0 && claim.offset <= 1.0, "a claim");
  ASSAY_CHECK(plan.alpha > 0.0 && plan.alpha < 1.0 && plan.horizon >= 1, "a plan");
  const double scale = std::max(1.0, claim.slope);
  curvature_ = std::max(1.0 / scale / scale, 1e-300);
}

void SideBettingTest::observe(SidePlay play) {
  if (certified_) return;  // the money is put away
  if (left_ == 0) start_block();
  const std::size_t kind = (play.on_p ? 0U : 2U) + (play.hit ? 1U : 0U);
  option_ *= option_factor_[kind];  // (3)
  online_ *= online_factor_[kind];
  certified_ = option_ + online_ >= threshold_;
  ++seen_[kind];
  ++time_;
  --left_;
  if (play.hit && hits() <= detail::kFewHits) left_ = 0;
}

void SideBettingTest::observe_counts(const std::array<std::int64_t, 4>& counts) {
  if (certified_) return;
  if (left_ == 0) start_block();
  for (std::size_t kind = 0; kind < 4; ++kind) {
    option_ *= power_of(option_factor_[kind], counts[kind]);
    online_ *= power_of(online_factor_[kind], counts[kind]);
    seen_[kind] += counts[kind];
    time_ += counts[kind];
    left_ -= counts[kind];
  }
  ASSAY_CHECK(left_ >= 0, "the plays must not go beyond the block");
  certified_ = option_ + online_ >= threshold_;
  if (counts[1] + counts[3] > 0 && hits() <= detail::kFewHits) left_ = 0;
}

std::int64_t SideBettingTest::block_left() {
  if (left_ == 0) start_block();
  return left_;
}

// One Newton step for all plays of a block.
// (6), one step for all plays of a block.
void SideBettingTest::adapt_online() {
  double slope = 0.0;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const auto plays = static_cast<double>(seen_[kind] - seen_before_[kind]);
    const double gradient = -z_[kind] / online_factor_[kind];
    slope += plays * gradient;
    curvature_ += plays * gradient * gradient;
  }
  online_bet_ -= kNewton * slope / curvature_;
  seen_before_ = seen_;
}

double SideBettingTest::option_bet(double p, double q, double scale, double cap) const {
  constexpr double kLeastJump = 1e-9;
  if (time_ >= plan_.horizon || !(option_ > 0.0)) return 0.0;
  const double q0 = most_likely_q(claim_, p, q);
  const double p0 = std::min(1.0, claim_.slope * q0 + claim_.offset);
  const double weights[] = {0.5 * (1.0 - p0), 0.5 * p0, 0.5 * (1.0 - q0), 0.5 * q0};
  double second = 0.0, third = 0.0;
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const double square = z_[kind] * z_[kind];
    second += weights[kind] * square;
    third += weights[kind] * square * z_[kind];
  }
  if (!(second > 1e-280)) return 0.0;
  const double price = plan_.alpha * option_ / (1.0 + kSideOvershoot);
  const double jump = std::max(std::abs(third) / second, kLeastJump / scale);
  const auto side = third < 0.0 ? detail::BetSide::kBelow : detail::BetSide::kAbove;
  const double bet = detail::bet_fraction(side, price, second / jump, jump,
                                          static_cast<double>(plan_.horizon - time_));
  return std::clamp(bet, 0.0, cap);
}

void SideBettingTest::start_block() {
  const double c = claim_.slope, d = claim_.offset, scale = std::max(1.0, c);
  if (time_ > 0) adapt_online();
  const auto frequency = [&](std::size_t miss, double guess) {
    const auto hits = static_cast<double>(seen_[miss + 1]);
    return (hits + kPriorPlays * guess) / (hits + static_cast<double>(seen_[miss]) + kPriorPlays);
  };
  const double p = frequency(0, plan_.p), q = frequency(2, plan_.q);
  const double u = std::clamp(p + c * q, 0.0, 2.0 - d);  // (4)
  z_ = {(-u - d) / scale, (2.0 - u - d) / scale, (u - d) / scale,
        (u - d - 2.0 * c) / scale};  // (1)
  if (plan_.against_more) {
    for (double& z : z_) z = -z;
  }
  double worst = 0.0;
  for (const double z : z_) worst = std::max(worst, -z);
  const double cap = worst > 0.0 ? (1.0 - 1e-12) / worst : 0.0;
  const double bet = plan_.against_more ? 0.0 : option_bet(p, q, scale, cap);
  online_bet_ = std::clamp(online_bet_, 0.0, 0.5 * cap);
  for (std::size_t kind = 0; kind < 4; ++kind) {
    option_factor_[kind] = 1.0 + bet * z_[kind];
    online_factor_[kind] = 1.0 + online_bet_ * z_[kind];
  }
  left_ = detail::block_length(time_, plan_.horizon);
}

bool is_certified(const SideClaim& claim, const SideBettingPlan& plan,
                  std::span<const SidePlay> plays) {
  SideBettingTest test(claim, plan);
  for (std::size_t i = 0; i < plays.size() && !test.certified(); ++i) test.observe(plays[i]);
  return test.certified();
}

namespace {

constexpr int kSimulatedRuns = 300;
constexpr double kPowerDoubt = 0.01;  // of the Clopper-Pearson limit on the simulated power

// Runs of the test on plays of fixed probabilities, block by block: its wealth is looked at less often
// than by the test itself, so that the simulated power is at most the true one.
class SimulatedRuns {
 public:
  SimulatedRuns(const SideClaim& claim, const SideBettingPlan& plan, double p, double q,
                std::uint64_t seed)
      : claim_(claim),
        plan_(plan),
        seed_(seed),
        log_no_hit_(portable_log1p(-0.5 * (p + q))),
        hit_on_p_(probability_threshold(p / (p + q))),
        miss_on_p_(probability_threshold((1.0 - p) / (2.0 - p - q))),
        hit_(probability_threshold(0.5 * (p + q))) {}

  bool certifies(std::uint64_t run) const {
    ReplayStream random({seed_, hash_purpose("power of side betting"), run, 0, Phase::kPilot});
    SideBettingTest test(claim_, plan_);
    while (!test.certified() && test.plays() < plan_.horizon) {
      const std::int64_t count = std::min(test.block_left(), plan_.horizon - test.plays());
      std::int64_t misses = count, hits = 0;
      if (test.hits() < detail::kFewHits) {
        const double gap = std::floor(portable_log(random.uniform()) / log_no_hit_);
        if (gap < static_cast<double>(count)) {
          misses = static_cast<std::int64_t>(gap);
          hits = 1;
        }
      } else {
        hits = binomial_count(random, count, hit_);
        misses = count - hits;
      }
      const std::int64_t on_p = binomial_count(random, misses, miss_on_p_);
      const std::int64_t hits_on_p = binomial_count(random, hits, hit_on_p_);
      test.observe_counts({on_p, hits_on_p, misses - on_p, hits - hits_on_p});
    }
    return test.certified();
  }

 private:
  SideClaim claim_;
  SideBettingPlan plan_;
  std::uint64_t seed_;
  double log_no_hit_;
  std::uint64_t hit_on_p_, miss_on_p_, hit_;
};

}  // namespace

Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double q,
                                 const SideBettingPlan& plan, double power, std::uint64_t seed) {
  ASSAY_CHECK(q > 0.0 && q < 1.0 && power > 0.0 && power < 1.0, "a probability and a power");
  const SideClaim claim = SideClaim::approximate(claimed, delta);
  const auto may_fail = kSimulatedRuns - fewest_successes(kSimulatedRuns, power, kPowerDoubt);
  const auto visible = [&](double p) {
    const SimulatedRuns runs(claim, plan, p, q, seed);
    int failures = 0;
    for (int i = 0; i < kSimulatedRuns && failures <= may_fail; ++i) {
      if (!runs.certifies(static_cast<std::uint64_t>(i))) ++failures;
    }
    return failures <= may_fail;
  };
  // Bracketed by steps from what the normal limit says, then halved on a logarithmic scale.
  constexpr double kAlmostOne = 1.0 - 0x1.0p-30;
  constexpr double kStep = 1.2, kPrecision = 1.03;
  const double least = claim.slope * q + claim.offset, most = kAlmostOne - least;
  if (!(most > 0.0)) return Epsilon{HUGE_VAL};
  const double variance = least * (1.0 - least) + claim.slope * claim.slope * q * (1.0 - q);
  const double spread = std::sqrt(2.0 * variance / static_cast<double>(plan.horizon));
  double excess = std::min(spread * (normal_quantile(power) - normal_quantile(plan.alpha)), most);
  double unseen = 0.0;
  if (visible(least + excess)) {
    while (visible(least + excess / kStep)) excess /= kStep;
    unseen = excess / kStep;
  } else {
    do {
      if (excess >= most) return Epsilon{HUGE_VAL};
      unseen = excess;
      excess = std::min(excess * kStep, most);
    } while (!visible(least + excess));
  }
  while (excess > kPrecision * unseen) {
    const double middle = std::sqrt(unseen * excess);
    (visible(least + middle) ? excess : unseen) = middle;
  }
  return Epsilon{portable_log((least + excess - delta.value) / q)};
}

}  // namespace assay

#include "assay/auditors/statistics/side_betting.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kSideOvershoot = 0.02;  // of the option's payoff
constexpr double kPriorRuns = 50.0;      // on each of P and Q; the weight of the guesses
constexpr double kNewton = 2.2186216;    // 2/(2 - ln 3), rounded: any constant is valid

double power_of(double base, std::int64_t times) {
  if (times == 0) return 1.0;
  if (!(base > 0.0)) return 0.0;
  return portable_exp(static_cast<double>(times) * portable_log(base));
}

}  // namespace

// (5) for one event, by Newton's method within a bracket: the log likelihood is concave in q0.
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

SideClaim SideClaim::approximate(Epsilon epsilon, Delta delta) {
  return {portable_exp(epsilon.value), delta.value};
}

SideClaim SideClaim::gaussian(Mu mu, double p, double q) {
  constexpr double kTangentOutward = 1e-12;
  constexpr int kTangents = 4;
  const auto h = detail::ClaimBoundary::gaussian(mu.value);
  const double low = std::clamp(q, 1e-12, 1.0 - 1e-9);
  const double high = std::clamp(h.inverse(p), low, 1.0 - 1e-9);
  SideClaim best{1.0, 1.0};  // holds for everything; the result if no tangent differs from 0
  double largest = -HUGE_VAL;
  for (int i = 0; i <= kTangents; ++i) {
    const double at = low + (high - low) * i / kTangents;
    const double slope = h.derivative(at);
    const double offset = std::clamp(h(at) - slope * at + kTangentOutward, 0.0, 1.0);
    const double noise = std::sqrt(p * (1.0 - p) + slope * slope * q * (1.0 - q)) + 1e-300;
    const double speaks = (p - slope * q - offset) / noise;
    if (slope > 0.0 && speaks > largest) {
      largest = speaks;
      best = {slope, offset};
    }
  }
  return best;
}

SideClaim SideClaim::gaussian_from_below(Mu mu, double low, double high) {
  constexpr double kChordOutward = 1e-12;
  ASSAY_CHECK(low >= 0.0 && low < high && high <= 1.0, "an interval of probabilities");
  const auto h = detail::ClaimBoundary::gaussian(mu.value);
  constexpr double kFlat = 1e-300;  // where h is 1
  const double slope = std::max((h(high) - h(low)) / (high - low), kFlat);
  return {slope, std::clamp(h(low) - slope * low - kChordOutward, 0.0, 1.0)};
}

// Rounding changes the wealth by less than 1e-15 of itself per run.
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
  learnt_ = {{1.0 - plan.p, plan.p}, {1.0 - plan.q, plan.q}};
  for (auto* side : {&learnt_.p, &learnt_.q}) {
    for (double& runs : *side) runs *= kPriorRuns;
  }
  weights_ = {{}, {1.0, 0.0}};
  start();
}

SideBettingTest::SideBettingTest(const SideClaim& claim, const SideBettingPlan& plan,
                                 const ClassCounts& learnt)
    : SideBettingTest(claim, plan) {
  ASSAY_CHECK(learnt.size() >= 2 && learnt.size() <= 255 && !plan.against_more, "classes");
  weighs_ = true;
  learnt_ = learnt;
  weights_.assign(learnt.size(), {});
  start();
}

void SideBettingTest::start() {
  kinds_.assign(2 * classes(), {});
  distribution_.assign(kinds_.size(), 0.0);
  learnt_p_ = std::accumulate(learnt_.p.begin(), learnt_.p.end(), 0.0);
  learnt_q_ = std::accumulate(learnt_.q.begin(), learnt_.q.end(), 0.0);
}

void SideBettingTest::observe(SidePlay play) {
  if (certified_) return;  // betting ends once certified
  if (left_ == 0) start_block();
  const std::size_t of = weighs_ ? play.output_class : play.hit ? 1 : 0;
  Kind& kind = kinds_[(play.on_p ? 0 : classes()) + of];
  option_ *= kind.option_factor;  // (3)
  online_ *= kind.online_factor;
  certified_ = option_ + online_ >= threshold_;
  ++kind.seen;
  ++time_;
  --left_;
  end_after_hit(weights_[of].f > 0.0 || weights_[of].g > 0.0);
}

void SideBettingTest::observe_counts(const std::array<std::int64_t, 4>& counts) {
  if (certified_) return;
  if (left_ == 0) start_block();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Kind& kind = kinds_[i];
    option_ *= power_of(kind.option_factor, counts[i]);
    online_ *= power_of(kind.online_factor, counts[i]);
    kind.seen += counts[i];
    time_ += counts[i];
    left_ -= counts[i];
  }
  ASSAY_CHECK(left_ >= 0, "the runs must not go beyond the block");
  certified_ = option_ + online_ >= threshold_;
  const std::int64_t hits = counts[1] + counts[3];
  if (hits > 0) hits_ += hits - 1;
  end_after_hit(hits > 0);
}

void SideBettingTest::end_after_hit(bool hit) {
  if (hit && ++hits_ <= detail::kFewHits) left_ = 0;
}

std::int64_t SideBettingTest::block_left() {
  if (left_ == 0) start_block();
  return left_;
}

// (6), one step for all runs of a block.
void SideBettingTest::adapt_online() {
  double slope = 0.0;
  for (Kind& kind : kinds_) {
    const auto runs = static_cast<double>(kind.seen - kind.seen_before);
    const double gradient = -kind.z / kind.online_factor;
    slope += runs * gradient;
    curvature_ += runs * gradient * gradient;
    kind.seen_before = kind.seen;
  }
  online_bet_ -= kNewton * slope / curvature_;
}

// (5): the distribution of an event on the claim's boundary; for classes law/(1 + tilt z), tilt the root of a
// decreasing function, by Newton's method within a bracket, starting from the result of the previous block.
void SideBettingTest::find_null_distribution(double cap) {
  null_distribution_ = distribution_;
  if (!weighs_) {
    const double q0 = most_likely_q(claim_, 2.0 * distribution_[1], 2.0 * distribution_[3]);
    const double p0 = std::min(1.0, claim_.slope * q0 + claim_.offset);
    null_distribution_ = {0.5 * (1.0 - p0), 0.5 * p0, 0.5 * (1.0 - q0), 0.5 * q0};
    return;
  }
  double at_zero = 0.0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) at_zero += distribution_[i] * kinds_[i].z;
  if (at_zero <= 0.0) {
    tilt_ = 0.0;
    return;
  }
  double low = 0.0, high = cap;
  tilt_ = std::min(tilt_, 0.999 * cap);
  for (int step = 0; step < 12; ++step) {
    double mean = 0.0, slope = 0.0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const double z = kinds_[i].z, tilted = z / (1.0 + tilt_ * z);
      mean += distribution_[i] * tilted;
      slope += distribution_[i] * tilted * tilted;
    }
    (mean > 0.0 ? low : high) = tilt_;
    double next = tilt_ + mean / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - tilt_) < 1e-4 * high;
    tilt_ = next;
    if (done) break;
  }
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    null_distribution_[i] /= 1.0 + tilt_ * kinds_[i].z;
}

double SideBettingTest::option_bet(double scale, double cap) {
  constexpr double kLeastJump = 1e-9;
  if (time_ >= plan_.horizon || !(option_ > 0.0)) return 0.0;
  find_null_distribution(cap);
  double second = 0.0, third = 0.0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const double z = kinds_[i].z, square = null_distribution_[i] * z * z;
    second += square;
    third += square * z;
  }
  if (!(second > 1e-280)) return 0.0;
  const double price = plan_.alpha * option_ / (1.0 + kSideOvershoot);
  const double jump = std::max(std::abs(third) / second, kLeastJump / scale);
  const auto side = third < 0.0 ? detail::BetSide::kBelow : detail::BetSide::kAbove;
  const double bet = detail::bet_fraction(side, price, second / jump, jump,
                                          static_cast<double>(plan_.horizon - time_));
  return std::clamp(bet, 0.0, cap);
}

// The weights of the next runs, from all runs so far.
void SideBettingTest::weigh() {
  ClassCounts known = learnt_;
  for (std::size_t k = 0; k < classes(); ++k) {
    known.p[k] += static_cast<double>(kinds_[k].seen);
    known.q[k] += static_cast<double>(kinds_[classes() + k].seen);
  }
  weights_ = best_weights(claim_, known, 0.5 * static_cast<double>(plan_.horizon));
  next_weighing_ = std::max(2 * time_, plan_.horizon / 64 + 1);
}

void SideBettingTest::start_block() {
  const double c = claim_.slope, scale = std::max(1.0, c);
  if (time_ > 0) adapt_online();
  if (weighs_ && time_ >= next_weighing_) weigh();
  const double d = claim_.offset * weight_of_delta(weights_);
  const std::size_t count = classes();
  std::int64_t on_p = 0, on_q = 0;
  for (std::size_t k = 0; k < count; ++k) {
    on_p += kinds_[k].seen;
    on_q += kinds_[count + k].seen;
  }
  double mean_p = 0.0, mean_q = 0.0, most_p = 0.0, most_q = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    Kind &of_p = kinds_[k], &of_q = kinds_[count + k];
    distribution_[k] = 0.5 * (static_cast<double>(of_p.seen) + learnt_.p[k]) /
                       (static_cast<double>(on_p) + learnt_p_);
    distribution_[count + k] = 0.5 * (static_cast<double>(of_q.seen) + learnt_.q[k]) /
                               (static_cast<double>(on_q) + learnt_q_);
    of_p.z = 2.0 * (weights_[k].f - c * weights_[k].g);
    of_q.z = 2.0 * (weights_[k].g - c * weights_[k].f);
    mean_p += distribution_[k] * of_p.z;
    mean_q += distribution_[count + k] * of_q.z;
    most_p = std::max(most_p, of_p.z);
    most_q = std::max(most_q, of_q.z);
  }
  const double u =
      std::clamp(mean_p - mean_q, -std::max(0.0, most_q - d), std::max(0.0, most_p - d));  // (4)
  double worst = 0.0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    double& z = kinds_[i].z;
    z = (z - d + (i < count ? -u : u)) / scale;  // (1), (7)
    if (plan_.against_more) z = -z;
    worst = std::max(worst, -z);
  }
  const double cap = worst > 0.0 ? (1.0 - 1e-12) / worst : 0.0;
  const double bet = plan_.against_more ? 0.0 : option_bet(scale, cap);
  online_bet_ = std::clamp(online_bet_, 0.0, 0.5 * cap);
  for (Kind& kind : kinds_) {
    kind.option_factor = 1.0 + bet * kind.z;
    kind.online_factor = 1.0 + online_bet_ * kind.z;
  }
  left_ = detail::block_length(time_, plan_.horizon);
  if (weighs_) left_ = std::min(left_, next_weighing_ - time_);
}

namespace {

constexpr int kSimulatedRuns = 300;
constexpr double kPowerDoubt = 0.01;  // of the Clopper-Pearson limit on the simulated power

// Simulates the test on runs with fixed probabilities, block by block. It checks the wealth less often
// than the test itself, so that the simulated power is at most the true one.
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
    while (!test.certified() && test.runs() < plan_.horizon) {
      const std::int64_t count = std::min(test.block_left(), plan_.horizon - test.runs());
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

namespace {

// The smallest p that the test detects for an event of this mean frequency, by steps of it from the most that the
// claim allows; infinite if none. claim_at(p, q): the claim against which the test bets if it expects these.
double smallest_visible(const std::function<SideClaim(double p, double q)>& claim_at,
                        const detail::ClaimBoundary& claimed, double frequency,
                        const SideBettingPlan& plan, double power, std::uint64_t seed) {
  ASSAY_CHECK(frequency > 0.0 && frequency <= 0.5 && power > 0.0 && power < 1.0,
              "a frequency and a power");
  const auto may_fail = kSimulatedRuns - fewest_successes(kSimulatedRuns, power, kPowerDoubt);
  const double both = 2.0 * frequency;
  const auto visible = [&](double p) {
    const SimulatedRuns runs(claim_at(p, both - p), plan, p, both - p, seed);
    int failures = 0;
    for (int i = 0; i < kSimulatedRuns && failures <= may_fail; ++i) {
      if (!runs.certifies(static_cast<std::uint64_t>(i))) ++failures;
    }
    return failures <= may_fail;
  };
  // Bracketed by steps from the normal limit's estimate, then halved on a logarithmic scale.
  constexpr double kAlmostAll = 1.0 - 0x1.0p-30;
  constexpr double kStep = 1.2, kPrecision = 1.03;
  const double q = claimed.split(frequency), least = both - q;
  const double most = kAlmostAll * q;
  if (!(most > 0.0)) return HUGE_VAL;
  const double slope = claim_at(least, q).slope;
  const double variance = least * (1.0 - least) + slope * slope * q * (1.0 - q);
  // A larger p also lowers q, so that the room above the claim grows 1 + slope times as fast.
  const double spread =
      std::sqrt(2.0 * variance / static_cast<double>(plan.horizon)) / (1.0 + slope);
  double excess = std::min(spread * (normal_quantile(power) - normal_quantile(plan.alpha)), most);
  double unseen = 0.0;
  if (visible(least + excess)) {
    while (visible(least + excess / kStep)) excess /= kStep;
    unseen = excess / kStep;
  } else {
    do {
      if (excess >= most) return HUGE_VAL;
      unseen = excess;
      excess = std::min(excess * kStep, most);
    } while (!visible(least + excess));
  }
  while (excess > kPrecision * unseen) {
    const double middle = std::sqrt(unseen * excess);
    (visible(least + middle) ? excess : unseen) = middle;
  }
  return least + excess;
}

}  // namespace

Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double frequency,
                                 const SideBettingPlan& plan, double power, std::uint64_t seed) {
  const SideClaim claim = SideClaim::approximate(claimed, delta);
  const double p = smallest_visible([&](double, double) { return claim; },
                                    detail::ClaimBoundary::approximate(claimed.value, delta.value),
                                    frequency, plan, power, seed);
  const double q = 2.0 * frequency - p;
  return Epsilon{std::isfinite(p) ? portable_log((p - delta.value) / q) : HUGE_VAL};
}

Mu smallest_visible_mu(Mu claimed, double frequency, const SideBettingPlan& plan, double power,
                       std::uint64_t seed) {
  const double p = smallest_visible(
      [&](double at_p, double at_q) { return SideClaim::gaussian(claimed, at_p, at_q); },
      detail::ClaimBoundary::gaussian(claimed.value), frequency, plan, power, seed);
  const double q = 2.0 * frequency - p;
  return Mu{std::isfinite(p) ? normal_quantile(p) - normal_quantile(q) : HUGE_VAL};
}

}  // namespace assay

// smallest_visible_mean: the power of "mean > claim" by simulating the test itself.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

namespace {

constexpr int kRuns = 300;
constexpr double kDoubt = 0.01;  // of the Clopper-Pearson limit on the simulated power

// Binomial(n, p) by inversion of its tabulated distribution function (to double precision).
class BinomialTable {
 public:
  BinomialTable(std::int64_t n, double p) {
    const double mean = static_cast<double>(n) * p;
    const double reach = 12.0 * std::sqrt(mean * (1.0 - p)) + 40.0;
    const auto mode = static_cast<std::int64_t>(mean);
    first_ = std::max<std::int64_t>(0, mode - static_cast<std::int64_t>(reach));
    const auto last = std::min(n, mode + static_cast<std::int64_t>(reach));
    // Weights relative to the mode, by the ratio of neighbouring probabilities.
    const double odds = p / (1.0 - p);
    std::vector<double> weights(static_cast<std::size_t>(last - first_ + 1));
    const auto at = [&](std::int64_t k) -> double& {
      return weights[static_cast<std::size_t>(k - first_)];
    };
    at(mode) = 1.0;
    for (std::int64_t k = mode + 1; k <= last; ++k) {
      at(k) = at(k - 1) * odds * static_cast<double>(n - k + 1) / static_cast<double>(k);
    }
    for (std::int64_t k = mode - 1; k >= first_; --k) {
      at(k) = at(k + 1) / odds * static_cast<double>(k + 1) / static_cast<double>(n - k);
    }
    double sum = 0.0;
    for (const double w : weights) cdf_.push_back(sum += w);
    for (double& c : cdf_) c /= sum;
  }

  std::int64_t operator()(double uniform) const {
    const auto found = std::lower_bound(cdf_.begin(), cdf_.end() - 1, uniform);
    return first_ + (found - cdf_.begin());
  }

 private:
  std::int64_t first_ = 0;
  std::vector<double> cdf_;
};

// Simulates the test "mean > claim" on Bernoulli(p) data: gaps between hits while they are few, then the
// number of hits of whole blocks, which is all that the test needs of them.
class BernoulliRuns {
 public:
  BernoulliRuns(double claim, double p, const BettingPlan& plan, std::uint64_t seed)
      : claim_(claim), p_(p), log_miss_(portable_log1p(-p)), plan_(plan), seed_(seed) {}

  bool certifies(std::uint64_t run) {
    ReplayStream random({seed_, hash_purpose("power"), run, 0, Phase::kPilot});
    MeanExceedsTest test(claim_, plan_);
    while (!test.certified() && test.observations() < plan_.horizon) {
      const std::int64_t left = plan_.horizon - test.observations();
      if (test.hits() < detail::kFewHits) {
        to_next_hit(test, left, random.uniform());
      } else {
        const std::int64_t count = std::min(test.block_left(), left);
        const std::int64_t hits = table(count)(random.uniform());
        test.observe_block(count - hits, hits, 1.0);
      }
    }
    return test.certified();
  }

 private:
  void to_next_hit(MeanExceedsTest& test, std::int64_t left, double uniform) const {
    const double gap = std::floor(portable_log(uniform) / log_miss_);
    if (!(gap < static_cast<double>(left))) {
      test.observe_zeros(left);
      return;
    }
    test.observe_zeros(static_cast<std::int64_t>(gap));
    constexpr double kHit[] = {1.0};
    test.observe(kHit);
  }

  const BinomialTable& table(std::int64_t count) {
    return tables_.try_emplace(count, count, p_).first->second;
  }

  double claim_;
  double p_;
  double log_miss_;
  BettingPlan plan_;
  std::uint64_t seed_;
  std::map<std::int64_t, BinomialTable> tables_;
};

bool is_visible(double claim, double mean, const BettingPlan& plan, double power,
                std::uint64_t seed) {
  BernoulliRuns runs(claim, mean, plan, seed);
  const auto may_fail = kRuns - fewest_successes(kRuns, power, kDoubt);
  int failures = 0;
  for (int i = 0; i < kRuns && failures <= may_fail; ++i) {
    if (!runs.certifies(static_cast<std::uint64_t>(i))) ++failures;
  }
  return failures <= may_fail;
}

}  // namespace

double smallest_visible_mean(double claim, const BettingPlan& plan, double power,
                             std::uint64_t seed) {
  ASSAY_CHECK(power > 0.0 && power < 1.0, "power must lie in (0, 1)");
  if (!(claim < 1.0) || plan.horizon < 1) return 1.0;
  const double n = static_cast<double>(plan.horizon);
  const auto visible = [&](double mean) { return is_visible(claim, mean, plan, power, seed); };
  // Bracket by doubling the excess over the claim, then halve on a logarithmic scale.
  double low = 0.0;
  double high = 2.0 * std::sqrt(claim * (1.0 - claim) / n) + 2.0 / n;
  while (claim + high < 1.0 && !visible(claim + high)) {
    low = high;
    high *= 2.0;
  }
  if (claim + high >= 1.0) {
    high = 1.0 - claim;
    constexpr double kAlmostOne = 1.0 - 0x1.0p-40;
    if (!visible(kAlmostOne)) return 1.0;
  }
  constexpr double kPrecision = 1.01;
  if (low <= 0.0) low = high / 64.0;
  while (high > low * kPrecision) {
    const double middle = std::sqrt(low * high);
    (visible(claim + middle) ? high : low) = middle;
  }
  return claim + high;
}

}  // namespace assay

#include "assay/auditors/statistics/exact_test.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/internal/rejection_region.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

using detail::ClaimBoundary;
using detail::CountOrdering;
using detail::RejectionRegion;

namespace {

constexpr std::int64_t kMostRuns = 100'000'000;
constexpr double kGammaShare = 1e-3;  // of alpha, for C(y)
constexpr double kLargestEpsilon = 700.0;
constexpr double kLargestMu = 35.0;

double level_of(double alpha) { return alpha * (1.0 - kGammaShare); }

// The count beyond which, downward or upward, a binomial distribution has at most probability `tail`.
std::int64_t binomial_tail_count(std::int64_t m, double q, double tail, bool upward) {
  const double log_tail = portable_log(tail);
  std::int64_t low = 0, high = m;
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (upward ? binomial_log_at_least(k + 1, m, q) <= log_tail
               : binomial_log_cdf(k, m, q) > log_tail) {
      high = k;
    } else {
      low = k + 1;
    }
  }
  return low;
}

struct ApproximateClaims {
  double delta;
  ClaimBoundary operator()(double epsilon) const {
    return ClaimBoundary::approximate(epsilon, delta);
  }
};

struct GaussianClaims {
  ClaimBoundary operator()(double mu) const { return ClaimBoundary::gaussian(mu); }
};

}  // namespace

Result<ExactTest> ExactTest::create(const EventCounts& counts, double alpha) {
  const auto runs = [](std::int64_t size) { return size >= 1 && size <= kMostRuns; };
  if (!runs(counts.n)) return fail(ErrorCode::kInvalidArgument, "n must lie in [1, 1e8]", "/n");
  if (!runs(counts.m)) return fail(ErrorCode::kInvalidArgument, "m must lie in [1, 1e8]", "/m");
  if (counts.x < 0 || counts.x > counts.n) {
    return fail(ErrorCode::kInvalidArgument, "x must lie in [0, n]", "/x");
  }
  if (counts.y < 0 || counts.y > counts.m) {
    return fail(ErrorCode::kInvalidArgument, "y must lie in [0, m]", "/y");
  }
  if (!(alpha > 1e-12 && alpha <= 0.5)) {
    return fail(ErrorCode::kInvalidArgument, "alpha must lie in (1e-12, 0.5]", "/alpha");
  }
  return ExactTest(counts, alpha);
}

ExactTest::ExactTest(const EventCounts& counts, double alpha) : counts_(counts), alpha_(alpha) {
  const double gamma = alpha * kGammaShare;
  q_low_ = clopper_pearson_lower(counts.y, counts.m, gamma / 2.0).value.value;
  q_high_ = clopper_pearson_upper(counts.y, counts.m, gamma / 2.0).value.value;
}

// (5), and (1) if both are the same.
bool ExactTest::rejects(const ClaimBoundary& easiest, const ClaimBoundary& hardest) const {
  double seen = 0.0;
  return detail::rejects_block(counts_, level_of(alpha_), q_low_, q_high_, easiest, hardest, seen);
}

bool ExactTest::refutes(Epsilon epsilon, Delta delta) const {
  ASSAY_CHECK(epsilon.value >= 0.0 && epsilon.value <= kLargestEpsilon,
              "epsilon must lie in [0, 700]");
  ASSAY_CHECK(delta.value >= 0.0 && delta.value <= 1.0, "delta must lie in [0, 1]");
  const auto h = ClaimBoundary::approximate(epsilon.value, delta.value);
  return rejects(h, h);
}

bool ExactTest::refutes(Mu mu) const {
  ASSAY_CHECK(mu.value >= 0.0 && mu.value <= kLargestMu, "mu must lie in [0, 35]");
  const auto h = ClaimBoundary::gaussian(mu.value);
  return rejects(h, h);
}

// Each interval ends at the level up to which the test is expected to just reject all of it: T falls by w over the
// interval, and its rest above the critical value must exceed w. Expectations are normal ones,
// corrected by the result of the interval before.
template <class Claim>
double ExactTest::chain(const Claim& claim, double largest) const {
  constexpr double kMargin = 0.003;  // in T, that is, in standard errors
  constexpr double kLeastFall = 0.004;
  constexpr int kMostBlocks = 100;
  const auto x = static_cast<double>(counts_.x), y = static_cast<double>(counts_.y);
  const auto strength = [&](double e) {
    return CountOrdering(claim(e), counts_.n, counts_.m)(x, y);
  };
  const double level = level_of(alpha_);
  double seen = 0.0;
  const auto rejects = [&](double from, double to) {
    return detail::rejects_block(counts_, level, q_low_, q_high_, claim(from), claim(to), seen);
  };
  if (!rejects(0.0, 0.0)) return 0.0;
  const double wanted = normal_ccdf_quantile(level);
  double end = 0.0, at_end = strength(0.0), offset = 0.0, caution = kMargin;
  // No level beyond `refuted_not` is rejected.
  double open = largest;
  for (int i = 0; i < kMostBlocks; ++i) {
    const double target = 0.5 * (at_end + wanted + caution - offset);
    if (at_end - target < kLeastFall) break;
    double low = end, high = open;
    for (int j = 0; j < 60 && high - low > 1e-9 * (1.0 + high); ++j) {
      const double middle = 0.5 * (low + high);
      (strength(middle) >= target ? low : high) = middle;
    }
    if (!(low > end)) break;
    const double at_low = strength(low);
    const bool done = rejects(end, low);
    const bool telling = seen > 1e-3 * level && seen < 0.5;
    const double shown = telling ? normal_ccdf_quantile(seen) - (2.0 * at_low - at_end) : 0.0;
    if (done) {
      end = low;
      at_end = at_low;
      offset = shown;
      caution = kMargin;
    } else {
      offset = telling ? std::min(offset, shown) : offset;
      caution = 2.0 * caution + kMargin;
    }
  }
  return end;
}

LowerBound<Epsilon> ExactTest::epsilon_lower_bound(Delta delta) const {
  return {{chain(ApproximateClaims{delta.value}, kLargestEpsilon)}};
}

LowerBound<Mu> ExactTest::mu_lower_bound() const { return {{chain(GaussianClaims{}, kLargestMu)}}; }

namespace {

// Fewest hits on P that are rejected with each number of hits on Q. Rejections are monotone in x,
// because its growth shrinks the region and does not change C(y).
template <class Refutes>
class SmallestRejected {
 public:
  SmallestRejected(std::int64_t n, std::int64_t m, double alpha, const Refutes& refutes)
      : n_(n), m_(m), alpha_(alpha), refutes_(refutes) {}

  // n + 1 if none is rejected. `guess` affects time only.
  std::int64_t operator()(std::int64_t y, std::int64_t guess) const {
    std::int64_t low = -1, high = n_ + 1;  // low is not rejected, high is
    std::int64_t x = std::clamp<std::int64_t>(guess, 0, n_), step = 1;
    while (high - low > 1) {
      const bool rejected = refutes_(*ExactTest::create({x, n_, y, m_}, alpha_));
      (rejected ? high : low) = x;
      if (low >= 0 && high <= n_) {
        x = low + (high - low) / 2;
      } else {
        x = rejected ? std::max(low + 1, x - step) : std::min(high - 1, x + step);
        step *= 2;
      }
    }
    return high;
  }

 private:
  std::int64_t n_, m_;
  double alpha_;
  const Refutes& refutes_;
};

}  // namespace

double exact_test_power(std::int64_t n, std::int64_t m, double alpha, Epsilon epsilon, Delta delta,
                        double p, double q) {
  ASSAY_CHECK(n >= 1 && n <= kMostRuns && m >= 1 && m <= kMostRuns, "runs must lie in [1, 1e8]");
  ASSAY_CHECK(alpha > 1e-12 && alpha <= 0.5, "alpha must lie in (1e-12, 0.5]");
  ASSAY_CHECK(p >= 0.0 && p <= 1.0 && q >= 0.0 && q <= 1.0, "p and q are probabilities");
  constexpr double kTail = 1e-7;
  constexpr std::int64_t kKnots = 128;
  const auto h = ClaimBoundary::approximate(epsilon.value, delta.value);
  const auto refutes = [&](const ExactTest& test) { return test.refutes(epsilon, delta); };
  const std::int64_t first = binomial_tail_count(m, q, kTail, false);
  const std::int64_t last = binomial_tail_count(m, q, kTail, true);
  const std::int64_t step = std::max<std::int64_t>(1, (last - first + kKnots - 1) / kKnots);
  const SmallestRejected smallest(n, m, alpha, refutes);
  const auto runs = static_cast<double>(n);
  std::int64_t left = first;
  double guess =
      runs * h(static_cast<double>(first) / static_cast<double>(m)) + 2.0 * std::sqrt(runs * 0.25);
  std::int64_t at_left = smallest(left, static_cast<std::int64_t>(std::min(guess, runs)));
  double power = 0.0;
  const auto add = [&](std::int64_t y, std::int64_t x) {
    if (x > n) return;
    power += portable_exp(binomial_log_pmf(y, m, q) + binomial_log_at_least(x, n, p));
  };
  add(left, at_left);
  std::int64_t slope = 0;
  while (left < last) {
    const std::int64_t right = std::min(last, left + step);
    const std::int64_t at_right = smallest(right, at_left + slope);
    for (std::int64_t y = left + 1; y <= right; ++y) {
      // Rounded up, which can only lower the power.
      const std::int64_t rise = at_right - at_left, width = right - left;
      add(y, at_left + (rise * (y - left) + width - 1) / width);
    }
    slope = at_right - at_left;
    left = right;
    at_left = at_right;
  }
  return std::min(1.0, power);
}

double best_ratio(Epsilon epsilon, double p, double q) {
  return portable_exp(epsilon.value) * std::sqrt(q * (1.0 - q) / (p * (1.0 - p)));
}

}  // namespace assay

#include "assay/auditors/statistics/exact_test.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/rejection_region.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

using detail::ClaimBoundary;
using detail::CountOrdering;
using detail::RejectionRegion;

namespace {

constexpr std::int64_t kMostRuns = 1'000'000'000;
constexpr double kGammaShare = 1e-3;  // of alpha, for C(y)
constexpr double kLargestEpsilon = 700.0;
constexpr double kLargestMu = 35.0;

double level_of(double alpha) { return alpha * (1.0 - kGammaShare); }

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
  if (!runs(counts.n)) return fail(ErrorCode::kInvalidArgument, "n must lie in [1, 1e9]", "/n");
  if (!runs(counts.m)) return fail(ErrorCode::kInvalidArgument, "m must lie in [1, 1e9]", "/m");
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

// (5), and (1) where both are the same.
bool ExactTest::rejects(const ClaimBoundary& easiest, const ClaimBoundary& hardest) const {
  double seen = 0.0;
  return detail::rejects_stretch(counts_, level_of(alpha_), q_low_, q_high_, easiest, hardest,
                                 seen);
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

// Each stretch ends where the test is expected to just reject all of it: T falls by w over the
// stretch, and what is left above the critical value has to exceed w. Expectations are normal ones,
// corrected by what the stretch before has shown.
template <class Claim>
double ExactTest::chain(const Claim& claim, double largest) const {
  constexpr double kMargin = 0.003;  // in T, that is, in standard errors
  constexpr double kLeastFall = 0.004;
  constexpr int kMostStretches = 100;
  const auto x = static_cast<double>(counts_.x), y = static_cast<double>(counts_.y);
  const auto strength = [&](double e) {
    return CountOrdering(claim(e), counts_.n, counts_.m)(x, y);
  };
  const double level = level_of(alpha_);
  double seen = 0.0;
  const auto rejects = [&](double from, double to) {
    return detail::rejects_stretch(counts_, level, q_low_, q_high_, claim(from), claim(to), seen);
  };
  if (!rejects(0.0, 0.0)) return 0.0;
  const double wanted = normal_ccdf_quantile(level);
  double end = 0.0, at_end = strength(0.0), offset = 0.0, caution = kMargin;
  // Nothing beyond `refuted_not` is rejected.
  double open = largest;
  for (int i = 0; i < kMostStretches; ++i) {
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

}  // namespace assay

#include "assay/mechanisms/accounting/conversions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kRoundUp = 1.0 + 2.0 * kGdpRelativeError;

Delta rounded_up(double delta) {
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  return Delta{std::min(1.0, delta * kRoundUp + 4.0 * kSmallest)};
}

// delta of (eps, delta)-DP at another eps.
Delta profile(const ApproximateDp& level, Epsilon eps) {
  if (eps.value >= level.epsilon.value) return level.delta;
  const double lost = portable_expm1(eps.value - level.epsilon.value);
  const double corner = -lost / (1.0 + portable_exp(-level.epsilon.value));
  return rounded_up(level.delta.value + (1.0 - level.delta.value) * corner);  // (2)
}

// The (eps, delta) that a level implies; nothing for mu > 0, which has no finite eps at delta = 0.
std::optional<ApproximateDp> as_approximate(const PrivacyLevel& level) {
  if (const auto* pure = std::get_if<PureDp>(&level)) return ApproximateDp{pure->epsilon, {}};
  if (const auto* both = std::get_if<ApproximateDp>(&level)) return *both;
  if (std::get<GaussianDp>(level).mu.value == 0.0) return ApproximateDp{};
  return std::nullopt;
}

Mu gaussian_from_pure(double eps) {
  constexpr double kQuantileRoundUp = 1.0 + 2e-13;
  if (std::isinf(eps)) return Mu{eps};
  const double decay = portable_exp(-eps);
  if (eps >= 1.0) {
    const double corner = normal_quantile_from_log(-(eps + portable_log1p(decay)));
    return Mu{-2.0 * corner * kQuantileRoundUp};  // (1)
  }
  // (1) is delta_mu(0) = 2 Phi(mu/2) - 1 = tanh(eps/2), which keeps its digits as eps goes to 0.
  const double log_delta = portable_log(-portable_expm1(-eps)) - portable_log1p(decay);
  return gdp_mu_upper(Epsilon{0.0}, log_delta).value;
}

}  // namespace

ApproximateDp approximate_at_epsilon(const PrivacyLevel& level, Epsilon eps) {
  ASSAY_CHECK(eps.value >= 0.0, "eps must be in [0, inf]");
  if (const auto known = as_approximate(level)) return {eps, profile(*known, eps)};
  const Mu mu = std::get<GaussianDp>(level).mu;
  if (std::isinf(eps.value) && !std::isinf(mu.value)) return {eps, Delta{0.0}};
  return {eps, rounded_up(gdp_delta(mu, eps).value)};  // (3)
}

Result<ApproximateDp> approximate_at_delta(const PrivacyLevel& level, Delta delta) {
  if (!(delta.value >= 0.0 && delta.value <= 1.0)) {
    return fail(ErrorCode::kInvalidArgument, "delta must be in [0, 1]");
  }
  const auto known = as_approximate(level);
  if (!known && delta.value == 0.0) {
    return fail(ErrorCode::kInvalidArgument,
                to_string(level) + " implies no finite eps at delta = 0: give a delta above 0");
  }
  if (!known) {
    const Mu mu = std::get<GaussianDp>(level).mu;
    return ApproximateDp{gdp_epsilon_upper(mu, portable_log(delta.value)).value, delta};  // (3)
  }
  if (delta < known->delta) {
    return fail(ErrorCode::kInvalidArgument,
                to_string(level) + " implies nothing at a delta below its own");
  }
  const double eps = detail::smallest_double(
      [&](double candidate) { return profile(*known, Epsilon{candidate}) <= delta; });
  return ApproximateDp{Epsilon{eps}, delta};
}

Result<GaussianDp> to_gaussian(const PrivacyLevel& level) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&level)) return *gaussian;
  const ApproximateDp known = *as_approximate(level);
  if (known.delta.value > 0.0) {
    return fail(
        ErrorCode::kInvalidArgument,
        to_string(level) +
            " implies no mu: with delta > 0 an event may have probability 0 on one input only");
  }
  return GaussianDp{gaussian_from_pure(known.epsilon.value)};
}

Result<PureDp> to_pure(const PrivacyLevel& level) {
  const auto known = as_approximate(level);
  if (!known) {
    return fail(ErrorCode::kInvalidArgument,
                to_string(level) + " implies no finite eps at delta = 0");
  }
  if (known->delta.value > 0.0) {
    return fail(ErrorCode::kInvalidArgument, to_string(level) + " implies no eps at delta = 0");
  }
  return PureDp{known->epsilon};
}

}  // namespace assay

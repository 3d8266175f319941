#include "assay/mechanisms/accounting/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/order_search.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

using detail::Enclosure;

double randomized_response_divergence(double eps, double order) {
  const Enclosure a = order;
  const Enclosure e = eps;
  const Enclosure beyond = a - 1.0;
  const Enclosure half = e * 0.5;
  Enclosure log_moment;
  if (order * eps < 700.0) {
    const Enclosure cosh = (exp(half) + exp(-half)) * 0.5;
    log_moment = log1p(2.0 * sinh(a * half) * sinh(beyond * half) / cosh);  // (4)
  } else {
    // log cosh((alpha - 1/2) eps) - log cosh(eps/2), where the sinh overflow.
    log_moment = beyond * e + log1p(exp((1.0 - 2.0 * a) * e)) - log1p(exp(-e));
  }
  return std::min(eps, std::max(0.0, (log_moment / beyond).high));
}

double laplace_divergence(double ratio, double order) {
  // Laplace noise is ratio-DP, so (4) holds too; it is the better of the two for tiny ratios, where
  // the difference in (5) cancels.
  const double pure = randomized_response_divergence(ratio, order);
  const Enclosure a = order;
  const Enclosure e = ratio;
  const Enclosure beyond = a - 1.0;
  const Enclosure twice = 2.0 * a - 1.0;
  Enclosure log_moment;
  if ((order - 1.0) * ratio < 700.0) {
    log_moment = log1p((a * expm1(beyond * e) + beyond * expm1(-a * e)) / twice);  // (5)
  } else {
    log_moment = log(a / twice) + beyond * e + log1p(beyond / a * exp(-twice * e));
  }
  return std::min(pure, std::max(0.0, (log_moment / beyond).high));
}

// (6), the points being increasing in order.
double interpolated(const std::vector<RenyiPoint>& points, double order) {
  const auto next = std::lower_bound(points.begin(), points.end(), order,
                                     [](const RenyiPoint& p, double x) { return p.order < x; });
  if (next == points.end()) return kInfinity;
  const RenyiPoint before = next == points.begin() ? RenyiPoint{1.0, {}} : *(next - 1);
  const auto moment = [](const RenyiPoint& p) {
    return (Enclosure(p.order) - 1.0) * p.epsilon.value;
  };
  const Enclosure weight =
      (Enclosure(order) - before.order) / (Enclosure(next->order) - before.order);
  const Enclosure value = (1.0 - weight) * moment(before) + weight * moment(*next);
  return std::min(next->epsilon.value, (value / (Enclosure(order) - 1.0)).high);
}

double log_delta_at(const RenyiDp& curve, double eps, double order) {
  const double divergence = curve.at(order).value.value;
  if (!std::isfinite(divergence)) return kInfinity;
  const Enclosure a = order;
  const Enclosure beyond = a - 1.0;
  return (beyond * ((divergence - Enclosure(eps)) + log(beyond / a)) - log(a)).high;  // (7)
}

double epsilon_at(const RenyiDp& curve, double delta, double order) {
  const double divergence = curve.at(order).value.value;
  if (!std::isfinite(divergence)) return kInfinity;
  const Enclosure a = order;
  const Enclosure beyond = a - 1.0;
  return (divergence + log(beyond / a) - (log(Enclosure(delta)) + log(a)) / beyond).high;  // (8)
}

tl::unexpected<Error> promises_nothing() {
  return fail(ErrorCode::kNumerical,
              "curve must bound the divergence of some order finitely, and so far that a finite "
              "bound follows",
              "/curve");
}

}  // namespace

RenyiDp::RenyiDp() : RenyiDp([](double) { return 0.0; }) {}

RenyiDp::RenyiDp(std::function<double(double)> function) : function_(std::move(function)) {}

UpperBound<Epsilon> RenyiDp::at(double order) const {
  ASSAY_CHECK(order > 1.0, "an order is above 1");
  const double bound = function_(order);
  return {Epsilon{bound >= 0.0 ? bound : kInfinity}};  // NaN bounds nothing
}

Result<RenyiDp> to_renyi(const PureDp& level) {
  const double eps = level.epsilon.value;
  ASSAY_TRY(detail::check_non_negative("epsilon", eps));
  return RenyiDp([eps](double order) { return randomized_response_divergence(eps, order); });
}

Result<RenyiDp> to_renyi(const GaussianDp& level) {
  const double mu = level.mu.value;
  ASSAY_TRY(detail::check_non_negative("mu", mu));
  return RenyiDp([mu](double order) { return (Enclosure(order) * mu * mu * 0.5).high; });  // (2)
}

Result<RenyiDp> to_renyi(const ZeroConcentratedDp& level) {
  const double rho = level.rho.value;
  ASSAY_TRY(detail::check_non_negative("rho", rho));
  return RenyiDp([rho](double order) { return (Enclosure(order) * rho).high; });  // (3)
}

Result<RenyiDp> laplace_renyi(Epsilon ratio) {
  ASSAY_TRY(detail::check_non_negative("ratio", ratio.value));
  return RenyiDp([e = ratio.value](double order) { return laplace_divergence(e, order); });
}

Result<RenyiDp> renyi_from_points(std::span<const RenyiPoint> points) {
  if (points.empty())
    return fail(ErrorCode::kInvalidArgument, "points must not be empty", "/points");
  double previous = 1.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string field = "points/" + std::to_string(i);
    if (!(points[i].order > previous && std::isfinite(points[i].order))) {
      return tl::make_unexpected(detail::out_of_range(field + "/order",
                                                      "finite and above " + number_text(previous),
                                                      number_text(points[i].order))
                                     .error());
    }
    ASSAY_TRY(detail::check_non_negative(field + "/epsilon", points[i].epsilon.value));
    previous = points[i].order;
  }
  std::vector<RenyiPoint> copy(points.begin(), points.end());
  return RenyiDp([copy = std::move(copy)](double order) { return interpolated(copy, order); });
}

Result<UpperBound<Delta>> renyi_delta(const RenyiDp& curve, Epsilon epsilon) {
  ASSAY_TRY(detail::check_non_negative("epsilon", epsilon.value));
  const double log_delta = detail::least_over_orders(
      [&](double order) { return log_delta_at(curve, epsilon.value, order); });
  if (!(log_delta < kInfinity)) return promises_nothing();
  return UpperBound<Delta>{Delta{std::min(1.0, exp(Enclosure(log_delta)).high)}};
}

Result<UpperBound<Epsilon>> renyi_epsilon(const RenyiDp& curve, Delta delta) {
  ASSAY_TRY(detail::check_open_delta("delta", delta.value));
  const double eps = detail::least_over_orders(
      [&](double order) { return epsilon_at(curve, delta.value, order); });
  if (!(eps < kInfinity)) return promises_nothing();
  return UpperBound<Epsilon>{Epsilon{std::max(0.0, eps)}};
}

}  // namespace assay

// Privacy profile and trade-off function of a chain, as two bounds each.
//
// The profile uses compositions that are tight around several deltas: at every eps the best of their
// bounds, and the monotone hull of those. Since delta falls, an upper bound serves every larger eps and
// a lower bound every smaller one.
//
// The trade-off function T of both orders has, by the profile delta(e) of the worse one,
//   T(x) = max over e >= 0 of 1 - delta(e) - e^e x and e^-e (1 - delta(e) - x), and 0             (1)
// Upper bounds of delta at some e give lines below T. For an upper bound of T every e counts:
// between e_j and e_(j+1) a line of (1) is at most, delta falling,
//   1 - delta_lower(e_(j+1)) - e^(e_j) x   and   e^(-e_j) (1 - delta_lower(e_(j+1)) - x)          (2)
// where that is positive; beyond the last e the same with delta_lower = 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/order_profile.hpp"
#include "assay/mechanisms/accounting/trade_off.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

using detail::Enclosure;
using detail::OrderProfile;

constexpr double kLeastDelta = 1e-12;  // where the profile ends
constexpr std::array<double, 6> kAnchors = {0.3, 1e-2, 1e-4, 1e-6, 1e-9, kLeastDelta};
constexpr int kCells = 240;                   // of the profile
constexpr int kTestCells = 80;                // of the trade-off curve
constexpr double kLargestLine = 700.0;        // e^eps of a line has to be a double
constexpr std::int64_t kMostClosed = 10'000;  // releases of which closed forms are read as well

constexpr LossAccuracy kCurveAccuracy{.relative_width = 1e-3};  // a cell is 1/kCells of eps

AccountTarget delta_at(double eps) { return {AccountTarget::Asked::kDeltaAtEpsilon, eps}; }

std::vector<double> even_grid(double end) {
  std::vector<double> grid;
  for (int i = 0; i <= kCells; ++i) grid.push_back(end * i / kCells);
  return grid;
}

void make_monotone(std::vector<ProfileBand>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    points[i].upper = std::min(points[i].upper, points[i - 1].upper);
  }
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    points[i - 1].lower = std::max(points[i - 1].lower, points[i].lower);
  }
}

bool has_cheap_closed_form(std::span<const ChainStep> chain) {
  return chain.size() == 1 && chain.front().count <= kMostClosed;
}

double largest_lower(const std::vector<OrderProfile>& orders, double eps) {
  double lower = 0.0;
  for (const OrderProfile& order : orders) lower = std::max(lower, order.lower(eps));
  return lower;
}

Result<std::vector<ProfileBand>> paired_profile(std::span<const ChainStep> steps,
                                                const detail::PairedChain& chain,
                                                const RunControl& control) {
  const PldOptions options = detail::profile_width(steps, control);
  const auto profiles = ASSAY_TRY(detail::paired_profiles(chain, kAnchors, options, control));
  const auto& above = profiles.dominating;
  double end = 1e-9;
  for (const OrderProfile& order : above) end = std::max(end, order.end());
  std::vector<ProfileBand> points;
  for (const double eps : even_grid(end)) {
    ProfileBand point{eps, 0.0, 0.0};
    for (const OrderProfile& order : above) point.upper = std::max(point.upper, order.upper(eps));
    point.lower = largest_lower(profiles.lower(), eps);
    const auto closed =
        has_cheap_closed_form(steps) ? detail::closed_form(steps, delta_at(eps)) : std::nullopt;
    if (closed) {
      point.lower = std::max(point.lower, closed->lower);
      point.upper = std::min(point.upper, closed->upper);
    }
    points.push_back(point);
  }
  return points;
}

// `attained` may be null: no lower bounds.
Result<std::vector<ProfileBand>> upper_profile(std::span<const ChainStep> chain,
                                               const detail::OrderedTerms* attained,
                                               const RunControl& control) {
  constexpr int kFewer = 6;  // each of these is several compositions
  using Asked = AccountTarget::Asked;
  const auto last = ASSAY_TRY(detail::one_sided(chain, {Asked::kEpsilonAtDelta, 1e-9}, control));
  std::vector<ProfileBand> points;
  if (!std::isfinite(last.upper)) return points;
  std::vector<OrderProfile> below;
  if (attained != nullptr)
    below = ASSAY_TRY(detail::order_profiles(*attained, kAnchors,
                                             detail::profile_width(chain, control), control));
  const auto grid = even_grid(last.upper);
  for (std::size_t i = 0; i < grid.size(); i += kFewer) {
    const auto delta = ASSAY_TRY(detail::one_sided(chain, delta_at(grid[i]), control));
    points.push_back({grid[i], largest_lower(below, grid[i]), delta.upper});
  }
  return points;
}

// (2), for the interval from `eps` to the next point, at whose end delta is at least `next_lower`.
// Lines fall in eps: one at 700 is above those beyond.
double highest_line(double eps, double next_lower, double x) {
  eps = std::min(eps, kLargestLine);
  const Enclosure kept = Enclosure(1.0) - next_lower;
  const Enclosure steep = kept - exp(Enclosure(eps)) * x;
  const Enclosure flat = exp(Enclosure(-eps)) * (kept - x);
  return std::max({0.0, steep.high, flat.high});
}

double trade_off_above(const std::vector<ProfileBand>& points, double x) {
  double above = 0.0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const double next_lower = j + 1 < points.size() ? points[j + 1].lower : 0.0;
    above = std::max(above, highest_line(points[j].epsilon, next_lower, x));
  }
  return std::min({above, 1.0, (Enclosure(1.0) - x).high});
}

struct TestBands {
  std::vector<TradeOffBand> curve, rates;
};

Result<TestBands> trade_off_of_points(const std::vector<ProfileBand>& points) {
  std::vector<ApproximateDp> levels{{{}, Delta{1.0}}};  // a level without content
  for (const ProfileBand& point : points) {
    if (point.upper >= 1.0 || point.epsilon > kLargestLine) continue;  // also without content
    levels.push_back({Epsilon{point.epsilon}, Delta{point.upper}});
  }
  const auto lower = ASSAY_TRY(trade_off_from_profile(levels));
  const auto at = [&](double x) {
    return TradeOffBand{x, lower.value.lower_at(x), trade_off_above(points, x)};
  };
  TestBands bands;
  for (int i = 0; i <= kTestCells; ++i) {
    const double t = static_cast<double>(i) / kTestCells;
    bands.curve.push_back(at(t * t * (3.0 - 2.0 * t)));  // denser at both ends
  }
  for (const double x : {1e-3, 1e-2, 0.1}) bands.rates.push_back(at(x));
  return bands;
}

}  // namespace

Result<AccountCurves> account_curves(std::span<const ChainStep> steps, const RunControl& control) {
  const auto chain = ASSAY_TRY(detail::checked_chain(steps));
  const auto paired = ASSAY_TRY(detail::paired_chain(chain, control, kCurveAccuracy));
  AccountCurves curves;
  std::vector<ProfileBand> points;
  if (paired) {
    points = ASSAY_TRY(paired_profile(chain, *paired, control));
  } else {
    const auto attained = ASSAY_TRY(detail::attained_chain(chain, control));
    curves.two_sided = attained.has_value();
    points = ASSAY_TRY(upper_profile(chain, attained ? &*attained : nullptr, control));
  }
  if (points.empty()) return curves;
  make_monotone(points);
  auto bands = ASSAY_TRY(trade_off_of_points(points));
  curves.profile = std::move(points);
  curves.trade_off = std::move(bands.curve);
  curves.rates = std::move(bands.rates);
  return curves;
}

}  // namespace assay

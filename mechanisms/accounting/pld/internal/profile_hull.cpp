#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"

#include <algorithm>
#include <cstddef>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
ProfileHull convex_hull(const std::vector<ProfilePoint>& points) {
  const auto slope = [&](std::size_t a, std::size_t b) {
    return (points[b].delta - points[a].delta) /
           (portable_exp(points[a].loss) * portable_expm1(points[b].loss - points[a].loss));
  };
  std::vector<std::size_t> corners;
  for (std::size_t j = 0; j < points.size(); ++j) {
    while (corners.size() >= 2) {
      const std::size_t last = corners.back(), before = corners[corners.size() - 2];
      if (slope(before, last) < slope(last, j)) break;
      corners.pop_back();
    }
    corners.push_back(j);
  }
  ProfileHull hull{slope(corners[0], corners[1]), {}};
  double before = hull.first_slope;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double after = i + 1 < corners.size() ? slope(corners[i], corners[i + 1]) : 0.0;
    const double q = after - before;
    before = after;
    if (q < 1e-290) continue;
    hull.masses.push_back({points[corners[i]].loss, q});
  }
  return hull;
}

PrivacyLoss hull_of_profile(const std::vector<ProfilePoint>& points) {
  return hull_of_profiles(points, points);
}

PrivacyLoss hull_of_profiles(const std::vector<ProfilePoint>& points,
                             const std::vector<ProfilePoint>& reverse) {
  const ProfileHull above = convex_hull(points), below = convex_hull(reverse);
  PrivacyLoss loss;
  for (auto at = below.masses.rbegin(); at != below.masses.rend(); ++at) {
    loss.atoms.push_back({-at->loss, portable_log(at->delta)});
  }
  // With R the profile of (Q, P), D(1/x) = 1 - 1/x + R(x)/x, so the kink at 1 is 1 - D(1) + D'(1) + R'(1).
  const double at_zero =
      std::max(1.0 - points.front().delta + (above.first_slope + below.first_slope), 0.0) + 1e-13;
  loss.atoms.push_back({0.0, portable_log(at_zero)});
  for (const ProfilePoint& at : above.masses) {
    loss.atoms.push_back({at.loss, portable_log(at.delta) + at.loss});
  }
  const double last_loss = std::max(points.back().loss, reverse.back().loss);
  loss.mass_above = points.back().delta * (1.0 + 1e-9);
  loss.weight_error = 64.0 * kUnitRoundoff * (1.0 + last_loss);
  loss.loss_error = 16.0 * kUnitRoundoff * last_loss;
  return loss;
}

}  // namespace assay::detail

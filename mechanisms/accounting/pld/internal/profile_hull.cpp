#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"

#include <algorithm>
#include <cstddef>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

PrivacyLoss hull_of_profile(const std::vector<ProfilePoint>& points) {
  const auto slope = [&](std::size_t a, std::size_t b) {  // as a function of e^loss
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
  const double last_loss = points.back().loss;
  PrivacyLoss loss;
  std::vector<LossAtom> above;
  double before = slope(corners[0], corners[1]);
  // Of a profile D on both sides, D(1/x) = 1 - 1/x + D(x)/x, the kink at 1 is 1 - D(1) + 2 D'(1).
  const double at_zero = std::max(1.0 - points.front().delta + 2.0 * before, 0.0) + 1e-13;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double after = i + 1 < corners.size() ? slope(corners[i], corners[i + 1]) : 0.0;
    const double q = after - before;
    before = after;
    if (q < 1e-290) continue;
    const double at = points[corners[i]].loss;
    above.push_back({at, portable_log(q) + at});
    loss.atoms.push_back({-at, portable_log(q)});
  }
  std::reverse(loss.atoms.begin(), loss.atoms.end());
  loss.atoms.push_back({0.0, portable_log(at_zero)});
  loss.atoms.insert(loss.atoms.end(), above.begin(), above.end());
  loss.mass_above = points.back().delta * (1.0 + 1e-9);
  loss.weight_error = 64.0 * kUnitRoundoff * (1.0 + last_loss);
  loss.loss_error = 16.0 * kUnitRoundoff * last_loss;
  return loss;
}

}  // namespace assay::detail

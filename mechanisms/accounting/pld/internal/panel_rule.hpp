// Integrals over outcomes of a LossPiece: Gauss-Legendre rules of 6 points on panels, and of 3 on narrow ones,
// whose errors LossPiece::panel keeps below u/8 of the masses of P and Q.
//
// Reference: Abramowitz and Stegun, table 25.4. Threads: pure.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

namespace assay::detail {

inline constexpr std::array<double, 6> kPanelNode{-0.9324695142031520278, -0.6612093864662645136,
                                                  -0.2386191860831969086, 0.2386191860831969086,
                                                  0.6612093864662645136,  0.9324695142031520278};
inline constexpr std::array<double, 6> kPanelWeight{0.1713244923791703450, 0.3607615730481386076,
                                                    0.4679139345726910473, 0.4679139345726910473,
                                                    0.3607615730481386076, 0.1713244923791703450};
inline constexpr std::array<double, 3> kNarrowNode{-0.7745966692414833770, 0.0,
                                                   0.7745966692414833770};
inline constexpr std::array<double, 3> kNarrowWeight{0.5555555555555555556, 0.8888888888888888889,
                                                     0.5555555555555555556};
inline constexpr double kNarrow = 0.02;  // of a panel

// Calls visit(outcome, weight) for each node of [low, high], low < high. An integral is the sum of weight times the
// integrand, times the radius; as many roundings of the sum are possible as there are panels, twice.
struct PanelSum {
  double radius;
  double panels;
};
template <class Visit>
PanelSum visit_panels(const LossPiece& piece, double low, double high, const Visit& visit) {
  const double panels = std::ceil((high - low) / piece.panel);
  const double radius = 0.5 * (high - low) / panels;
  const bool is_narrow = 2.0 * radius <= kNarrow * piece.panel;
  const std::span<const double> nodes =
      is_narrow ? std::span<const double>(kNarrowNode) : kPanelNode;
  const std::span<const double> weights =
      is_narrow ? std::span<const double>(kNarrowWeight) : kPanelWeight;
  for (double panel = 0.0; panel < panels; panel += 1.0) {
    const double middle = low + (2.0 * panel + 1.0) * radius;
    for (std::size_t k = 0; k < nodes.size(); ++k) visit(middle + radius * nodes[k], weights[k]);
  }
  return {radius, panels};
}

}  // namespace assay::detail

// Encloses a privacy-loss distribution between two others on one grid: an optimistic and a pessimistic one.
//
// On the losses l_i = i h they have P-masses a_i (lower) and b_i (upper), and Q-masses
// a_i e^(-l_i), b_i e^(-l_i). With x = e^eps, a profile
// is the convex, decreasing, piecewise linear function
//   D(x) = m + sum over i of p_i (1 - x e^(-l_i))+,  m the mass at infinity                     (1)
// and the bracket guarantees D_lower(x) <= delta(log x) <= D_upper(x) for every x > 0, even for eps < 0.
//
// Both bounds survive composition. Pessimistic (connect the dots): a mass at loss l = l_i + r, 0 <=
// r < h, is split between the ends of its cell so that it keeps its P- and its Q-mass,
//   b_(i+1) += p (1 - e^(-r))/(1 - e^(-h)),   b_i += p (e^(-r) - e^(-h))/(1 - e^(-h))           (2)
// Optimistic: chords between lines that lie below delta, one a cell. For the group of losses between
// two middles, with P-mass P_i and gap g_i = P_i - e^(l_i) Q_i,
//   a_i = P_i + max(g_i, 0)/(e^h - 1) + max(-g_i, 0)/(1 - e^(-h))
//         - max(g_(i+1), 0)/(e^h - 1) - max(-g_(i-1), 0)/(1 - e^(-h))                           (3)
// Proofs: docs/proofs/pld_bracket.md.
//
// Errors of arithmetic: the true masses of either side differ from the stored ones by at most
// error_i in the neighbourhood of l_i (summed over the grid), and the true losses from the grid by
// at most loss_error. Everything that reads a bracket carries both outward.
//
// Reference: Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, "Connect the dots: tighter discrete
// approximations of privacy loss distributions" (PoPETs 2022), for (2) and for survival under
// composition; (3) is ours.
// Threads: a value. Cost: 0.3 us a cell that holds a density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {

struct PldBracket {
  double step = 0.0;                 // h
  std::int64_t lowest = 0;           // the index i of the first mass
  std::vector<std::int64_t> places;  // i - lowest of each mass; empty: one at every step
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> error;
  double lower_at_infinity = 0.0;
  double upper_at_infinity = 0.0;
  double loss_error = 0.0;

  std::size_t size() const { return upper.size(); }
  std::int64_t place(std::size_t k) const {
    return places.empty() ? static_cast<std::int64_t>(k) : places[k];
  }
  double loss(std::size_t k) const { return static_cast<double>(lowest + place(k)) * step; }

  // (1) for a single release, errors carried outward; any finite eps. Cost: a pass over the grid.
  Interval<Delta> delta(Epsilon eps) const;
};

// Where a bracket needs no detail: after tilting by `tilt` and scaling by e^-log_scale, tails of mass m have cells of up to
// w steps, w^2 m at most `share`, so that each width of cells adds a part of that to the whole width. Their ends are
// multiples of their widths. Without a focus every cell is a step.
struct BracketFocus {
  double tilt = 0.0;
  double log_scale = 0.0;
  double share = 0.05;
  double tolerance = kInfinity;  // relative, of the masses: a looser one is faster. Above 2^-42
};

// Tails of up to tail_mass each, of the atoms and of a piece, cut off at either end and counted.
PrivacyLoss without_tails(const PrivacyLoss& full, double tail_mass);

// Tails of up to tail_mass are cut off at either end, as above. The pessimistic side moves the upper tail to
// infinity and the lower one to its lowest points; the optimistic side drops both.
// Errors: step outside (0, 100], tail_mass outside [0, 0.1], or more than max_points cells.
Result<PldBracket> discretise(const PrivacyLoss& distribution, double step, double tail_mass = 0.0,
                              std::int64_t max_points = std::int64_t{1} << 22,
                              const std::optional<BracketFocus>& focus = std::nullopt);

// From a privacy profile known by its values alone: delta(l) at l = i h for lowest <= i <=
// highest, of either sign, each right to relative_error. Pessimistic: the chords, and the last
// value as mass at infinity. Optimistic: in each cell the mean of the lines through the two
// dots on its left and the two on its right, both below delta by convexity; nothing above the
// highest point. Second differences lose a factor of 1/h: error_i is about 16 (relative_error +
// 4 u) delta(l_i)/h, so prefer a PrivacyLoss where there is one. Errors: a value outside [0,
// 1], fewer than 4 or too many points.
Result<PldBracket> discretise_profile(const std::function<double(double)>& delta, double step,
                                      std::int64_t lowest, std::int64_t highest,
                                      double relative_error);

}  // namespace assay

#include "assay/mechanisms/accounting/pld/internal/grid_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/mechanisms/numerics/constants.hpp"

namespace assay::detail {

bool is_lattice_only(const PrivacyLoss& distribution) {
  return distribution.pieces.empty() && distribution.lattice > 0.0;
}

double on_lattice(const PrivacyLoss& distribution, double wanted, bool keeps_lattice) {
  wanted = std::min(wanted, kLargestStep);
  if (distribution.lattice == 0.0) return wanted;
  if (!is_lattice_only(distribution) || distribution.lattice > kLargestStep) {
    return distribution.lattice / std::ceil(distribution.lattice / wanted);
  }
  if (!keeps_lattice) return wanted;
  const double span = distribution.atoms.back().loss - distribution.atoms.front().loss;
  const bool is_dense =
      span < 4.0 * distribution.lattice * static_cast<double>(distribution.atoms.size());
  return is_dense && wanted > 8.0 * distribution.lattice
             ? distribution.lattice * std::floor(wanted / distribution.lattice)
             : distribution.lattice;
}

double dyadic_at_most(double unit, double wanted) {
  int exponent = 0;
  static_cast<void>(std::frexp(wanted / unit, &exponent));
  return std::ldexp(unit, exponent - 1);
}

std::optional<AtomGrid> atom_grid(const PrivacyLoss& loss, double tilt, double wanted) {
  constexpr double kFinest = 1.0 / 16.0;  // of the wanted step
  constexpr int kLeastSteps = 4;          // between the atoms after the last doubling
  if (loss.pieces.empty() || loss.atoms.size() < 2) return std::nullopt;
  std::vector<LossAtom> atoms = loss.atoms;
  std::partial_sort(atoms.begin(), atoms.begin() + 2, atoms.end(),
                    [&](const LossAtom& a, const LossAtom& b) {
                      return a.log_mass + tilt * a.loss > b.log_mass + tilt * b.loss;
                    });
  const double distance = std::fabs(atoms[1].loss - atoms[0].loss);
  const double step = std::min(wanted, kLargestStep);
  if (!(distance > kFinest * step)) return std::nullopt;
  const double unit =
      std::ldexp(1.0, std::max(std::ilogb(std::max(distance / step, 1.0) / kLeastSteps), 0));
  return AtomGrid{distance / (std::ceil(distance / step / unit) * unit), atoms[0].loss};
}

PrivacyLoss shifted(PrivacyLoss loss, double by) {
  double largest = std::fabs(by);
  for (LossAtom& atom : loss.atoms) {
    atom.loss -= by;
    largest = std::max(largest, std::fabs(atom.loss));
  }
  for (LossPiece& piece : loss.pieces) {
    piece.loss = [of = std::move(piece.loss), by](double x) { return of(x) - by; };
    piece.outcome = [of = std::move(piece.outcome), by](double l) { return of(l + by); };
    piece.densities = {};
    piece.density_and_loss = {};
    largest =
        std::max({largest, std::fabs(piece.loss(piece.low)), std::fabs(piece.loss(piece.high))});
  }
  loss.loss_error += 4.0 * kUnitRoundoff * largest;
  loss.lattice = 0.0;
  return loss;
}

}  // namespace assay::detail

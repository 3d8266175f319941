// Grids for the losses of a term: near a wanted step, with the atoms on their points where that is possible.
#pragma once

#include <optional>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

namespace assay::detail {

inline constexpr double kLargestStep = 16.0;  // e^h and tilts times h stay far from overflow

// Nothing but atoms, all on a lattice.
bool is_lattice_only(const PrivacyLoss& distribution);

// A step of at most `wanted` with the atoms of the distribution on its multiples; or the lattice itself,
// if it has nothing but atoms: finer grids would be empty between them. Only atoms on most of its points
// may lie between those of a coarser grid.
double on_lattice(const PrivacyLoss& distribution, double wanted, bool keeps_lattice = true);

// The largest step unit 2^k that is at most `wanted`.
double dyadic_at_most(double unit, double wanted);

// A grid on which the two heaviest atoms lie: its step, and its origin.
struct AtomGrid {
  double step = 0.0;
  double offset = 0.0;
};
// For two atoms or more beside a density. Few sums of atoms lie between grid points while the steps grow by doubling.
std::optional<AtomGrid> atom_grid(const PrivacyLoss& loss, double tilt, double wanted);

// With Q times e^by: each loss is less by that.
PrivacyLoss shifted(PrivacyLoss loss, double by);

}  // namespace assay::detail

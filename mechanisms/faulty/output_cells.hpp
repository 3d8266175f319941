// The outputs of a mechanism on two inputs, as a list of cells with their probabilities on both inputs. Exact
// privacy losses and best events need no more.
//
//   loss of a cell = log(p/q)                                                                  (1)
//   best event of probability at least c: cells by falling loss until p (or q) sums to c, with a
//   fraction of the last one (Neyman and Pearson); its level is log(P(A)/Q(A))                 (2)
//
// A cell is an output, or all outputs of one loss, or a quadrature node of a density (p and q are
// then density times weight, and sums over nodes are integrals). Merging cells coarsens the events,
// so (2) of merged cells is a lower bound of (2), lower by at most the width of the merged losses.
//
// Reference: Neyman, Pearson (1933); Bichsel et al., "DP-Sniper" (S&P 2021), section IV, for the
// level of the best event at a least probability.
// Threads: pure functions. Cost: sorting.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/noise/laplace.hpp"

namespace assay::faulty {

struct OutputCell {
  double p;  // on the first input
  double q;  // on the second
};
using OutputCells = std::vector<OutputCell>;

// The probability that (2) bounds from below.
enum class LeastOf { kLarger /* P(A) */, kSmaller /* Q(A) */ };

// The level (2), in [0, inf]. Precondition: 0 < least <= 1.
double best_event_epsilon(OutputCells cells, double least, LeastOf side);
// The largest loss (1) of a cell, which is the level over all events. Infinite if some cell has p > 0 = q.
double largest_loss(std::span<const OutputCell> cells);

// The cells with the first and second input exchanged.
OutputCells exchanged(OutputCells cells);
// Cells of the pair of two independent outputs.
OutputCells product(std::span<const OutputCell> a, std::span<const OutputCell> b);
// Merges the cells of equal floor(loss/width), except those of p = 0 or q = 0.
OutputCells merged(std::span<const OutputCell> cells, double width);
// Cells from logarithms of probabilities of the same outputs.
OutputCells cells_from_logs(std::span<const double> log_p, std::span<const double> log_q);
// One answer with Laplace noise: x on the first input and y on the second.
OutputCells laplace_cells(double x, double y, const Laplace& noise);
// The same for the event that the noisy answer exceeds `floor`.
OutputCells laplace_cells_above(double x, double y, const Laplace& noise, double floor);
// Vectors with independent Laplace noise. The loss is resolved to `width`.
OutputCells laplace_cells(std::span<const double> x, std::span<const double> y,
                          const Laplace& noise, double width);

}  // namespace assay::faulty

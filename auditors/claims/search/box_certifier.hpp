// Certifies an inequality over a whole box by branch and bound.
//
// The caller bounds the slack of the inequality from below over any cell. It usually evaluates each monotone part at
// the right corner and rounds outward. A cell whose bound is not negative is done; the others are halved along their
// longest side. When every cell is done, the inequality is proved at every real point of the box, if the caller's bound
// is right.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/auditors/claims/search/parameter_space.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

struct CellSide {
  double low = 0.0;
  double high = 0.0;
};
using Cell = std::vector<CellSide>;  // one side per parameter

// A lower bound of the slack over the cell; if it is negative, the cell is undecided.
using SlackBound = std::function<double(const Cell&)>;

struct BoxOutcome {
  bool certified = false;
  std::int64_t cells = 0;
  Cell open;  // the first cell that was too small to halve, or that was left when the budget of
              // cells ran out
};

// Treats all parameters as real, even those that take whole values only.
BoxOutcome certify_box(std::span<const Parameter> box, const SlackBound& slack,
                       std::int64_t most_cells, const RunControl& control);

}  // namespace assay

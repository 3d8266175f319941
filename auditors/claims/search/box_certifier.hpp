// Certifies an inequality over a whole box by branch and bound.
//
// The caller bounds the slack of the inequality from below over any cell, usually by evaluating
// each monotone part at the right corner, its numerical error carried outward. A cell whose bound is
// not negative is done; others are halved along their longest side. When every cell is done the
// inequality holds at every real point of the box: a proof up to the arithmetic of the bound.
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

// A lower bound of the slack over the cell; negative: not decided.
using SlackBound = std::function<double(const Cell&)>;

struct BoxOutcome {
  bool certified = false;
  std::int64_t cells = 0;
  Cell open;  // the first cell that was too small to halve, or left when the cells ran out
};

// Parameters are treated as real, whole ones too.
BoxOutcome certify_box(std::span<const Parameter> box, const SlackBound& slack,
                       std::int64_t most_cells, const RunControl& control);

}  // namespace assay

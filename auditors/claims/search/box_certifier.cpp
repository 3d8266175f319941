#include "assay/auditors/claims/search/box_certifier.hpp"

#include <cstddef>
#include <utility>

namespace assay {
namespace {

double real_value_at(Parameter parameter, double position) {
  parameter.whole = false;
  return value_at(parameter, position);
}

// A cell, and the positions of its ends along the scales, each computed once.
struct OpenCell {
  Cell cell;
  Cell positions;
};

struct Longest {
  std::size_t side = 0;
  double length = 0.0;
};

Longest longest_side(const Cell& positions) {
  Longest longest;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double length = positions[i].high - positions[i].low;
    if (length > longest.length) longest = {i, length};
  }
  return longest;
}

}  // namespace

BoxOutcome certify_box(std::span<const Parameter> box, const SlackBound& slack,
                       std::int64_t most_cells, const RunControl& control) {
  constexpr double kShortest = 1e-9;  // of a side, measured along its scale
  BoxOutcome outcome;
  OpenCell whole;
  for (const Parameter& p : box) {
    whole.cell.push_back({p.low, p.high});
    whole.positions.push_back({position_of(p, p.low), position_of(p, p.high)});
  }
  std::vector<OpenCell> open{std::move(whole)};
  while (!open.empty()) {
    OpenCell& last = open.back();
    if (outcome.cells >= most_cells || control.cancelled()) {
      outcome.open = last.cell;
      return outcome;
    }
    ++outcome.cells;
    if (slack(last.cell) >= 0.0) {
      open.pop_back();
      continue;
    }
    const Longest longest = longest_side(last.positions);
    if (longest.length < kShortest) {
      outcome.open = last.cell;
      return outcome;
    }
    const std::size_t side = longest.side;
    const Parameter& p = box[side];
    const CellSide at = last.positions[side];
    const double middle = real_value_at(p, (at.low + at.high) / 2.0);
    const double position = position_of(p, middle);
    OpenCell lower = last;
    lower.cell[side].high = middle;
    lower.positions[side].high = position;
    last.cell[side].low = middle;
    last.positions[side].low = position;
    open.push_back(std::move(lower));
  }
  outcome.certified = true;
  return outcome;
}

}  // namespace assay

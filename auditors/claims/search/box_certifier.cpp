#include "assay/auditors/claims/search/box_certifier.hpp"

#include <cstddef>

namespace assay {
namespace {

struct Longest {
  std::size_t side = 0;
  double length = 0.0;
};

double real_value_at(Parameter parameter, double position) {
  parameter.whole = false;
  return value_at(parameter, position);
}

Longest longest_side(std::span<const Parameter> box, const Cell& cell) {
  Longest longest;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const double length = position_of(box[i], cell[i].high) - position_of(box[i], cell[i].low);
    if (length > longest.length) longest = {i, length};
  }
  return longest;
}

}  // namespace

BoxOutcome certify_box(std::span<const Parameter> box, const SlackBound& slack,
                       std::int64_t most_cells, const RunControl& control) {
  constexpr double kShortest = 1e-9;  // of a side, measured along its scale
  BoxOutcome outcome;
  Cell whole;
  for (const Parameter& p : box) whole.push_back({p.low, p.high});
  std::vector<Cell> open{whole};
  while (!open.empty()) {
    const Cell cell = open.back();
    if (outcome.cells >= most_cells || control.cancelled()) {
      outcome.open = cell;
      return outcome;
    }
    open.pop_back();
    ++outcome.cells;
    if (slack(cell) >= 0.0) continue;
    const Longest longest = longest_side(box, cell);
    if (longest.length < kShortest) {
      outcome.open = cell;
      return outcome;
    }
    const Parameter& p = box[longest.side];
    const double middle = real_value_at(
        p,
        (position_of(p, cell[longest.side].low) + position_of(p, cell[longest.side].high)) / 2.0);
    Cell lower = cell;
    Cell upper = cell;
    lower[longest.side].high = middle;
    upper[longest.side].low = middle;
    open.push_back(std::move(upper));
    open.push_back(std::move(lower));
  }
  outcome.certified = true;
  return outcome;
}

}  // namespace assay

// A picture of how two inputs differ: the probability of each action in each round, on D and on D'.
//
//     ProbabilityGrid grid{"arms", "Arms chosen", "a description for readers who cannot see it"};
//     grid.columns = {"1", "2", "3"};        // rounds
//     grid.rows = {"0", "1"};                // arms
//     grid.cells = {{{0.5, 0.5}, {0.5, 0.5}}, {{0.9, 0.2}, {0.1, 0.8}}, {{0.9, 0.3}, {0.1, 0.7}}};
//     grid.changed = 0;                      // the inputs differ in the first round
//     std::string svg = to_svg(grid);
//
// A cell has two bars, on the left for D and on the right for D'. A bar as high as its cell means probability 1.
// Columns that do not fit beside each other continue below. With one row it is a strip, for the values of one
// output. Text, colours, ids and bytes are as in svg_plot.hpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay {

struct ProbabilityPair {
  double base = 0.0;  // a bar is left out if its probability is not in [0, 1]
  double neighbour = 0.0;
};

struct ProbabilityGrid {
  std::string id;           // letters, digits and '-'; unique on the page
  std::string title;        // for screen readers, not shown
  std::string description;  // for screen readers: the contents, with the main numbers
  std::string column_label = "round";
  std::string row_label = "arm";          // empty for a strip, whose only row needs no name
  std::vector<std::string> columns = {};  // names, from the left
  std::vector<std::string> rows = {};     // names, from the top
  std::vector<std::vector<ProbabilityPair>> cells = {};  // of each column, the cells of its rows
  // Of each column, the rows with a frame: those of a witness or of an event. May be shorter.
  std::vector<std::vector<std::size_t>> chosen = {};
  std::string chosen_label = "witness";     // what the frame means
  std::optional<std::size_t> changed = {};  // the column in which the inputs differ
};

std::string to_svg(const ProbabilityGrid& grid);
// The same for a telephone; it shares the title and description of to_svg's drawing.
std::string to_narrow_svg(const ProbabilityGrid& grid);

}  // namespace assay

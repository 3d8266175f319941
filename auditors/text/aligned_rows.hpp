// Tables whose columns are as wide as their widest cell: numbers to the right, words to the left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay::detail {

// Pads the cells of every row to the widest of their column, and to as many columns as `least` says: numbers to
// the right, words, whose number there is negative, to the left. Columns beyond `least` stay as they are.
inline void align(std::vector<std::vector<std::string>>& rows, const std::vector<int>& least) {
  for (std::size_t i = 0; i < least.size(); ++i) {
    auto width = static_cast<std::size_t>(std::abs(least[i]));
    for (const auto& row : rows) width = std::max(width, column_count(row[i]));
    for (auto& row : rows) {
      row[i] = least[i] > 0 ? padded_left(row[i], width) : padded(row[i], width);
    }
  }
}

}  // namespace assay::detail

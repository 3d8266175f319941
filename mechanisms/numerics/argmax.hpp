// The index i < n of the largest value(i), the first if several are equal. Calls value once for each i, in order.
#pragma once

#include <cstddef>
#include <limits>

namespace assay::detail {

template <class Value>
std::size_t argmax(std::size_t n, Value value) {
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const double here = value(i);
    if (here > most) most = here, best = i;
  }
  return best;
}

}  // namespace assay::detail

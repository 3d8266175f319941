// Joins the lists of all families.
#pragma once

#include <initializer_list>
#include <iterator>
#include <vector>

namespace assay::detail {

template <class T>
std::vector<T> gathered(std::initializer_list<std::vector<T> (*)()> lists) {
  std::vector<T> all;
  for (const auto list : lists) {
    auto part = list();
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  }
  return all;
}

}  // namespace assay::detail

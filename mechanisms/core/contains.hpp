// Whether a list holds a value, like std::ranges::contains of C++23.
#pragma once

#include <algorithm>

namespace assay {

template <class List, class Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace assay

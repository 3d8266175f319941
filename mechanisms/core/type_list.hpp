// A list of types: the one place that registers each kind of thing that a user picks by name.
#pragma once

#include <memory>
#include <vector>

namespace assay {

template <class... Types>
struct TypeList {};

// One default-constructed value of each type, through their common base.
template <class Base, class... Types>
std::vector<std::unique_ptr<Base>> make_all(TypeList<Types...>) {
  std::vector<std::unique_ptr<Base>> values;
  (values.push_back(std::make_unique<Types>()), ...);
  return values;
}

}  // namespace assay

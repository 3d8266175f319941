// A list of types: the one registration place of each kind of thing that a user picks by name.
#pragma once

#include <memory>
#include <vector>

namespace assay {

template <class... Types>
struct TypeList {};

namespace detail {

template <class First, class Second>
struct Joined;
template <class... A, class... B>
struct Joined<TypeList<A...>, TypeList<B...>> {
  using Type = TypeList<A..., B...>;
};

template <template <class> class Wrap, class List>
struct Wrapped;
template <template <class> class Wrap, class... Types>
struct Wrapped<Wrap, TypeList<Types...>> {
  using Type = TypeList<Wrap<Types>...>;
};

}  // namespace detail

// One list after another; Wrap<T> for each T of a list.
template <class First, class Second>
using JoinedList = typename detail::Joined<First, Second>::Type;
template <template <class> class Wrap, class List>
using WrappedList = typename detail::Wrapped<Wrap, List>::Type;

// One default-constructed value of each type, behind their common base.
template <class Base, class... Types>
std::vector<std::unique_ptr<Base>> make_all(TypeList<Types...>) {
  std::vector<std::unique_ptr<Base>> values;
  (values.push_back(std::make_unique<Types>()), ...);
  return values;
}

}  // namespace assay

// The base classes of mechanisms. They define an input of answers, an output that is the index of an
// answer, and one of `release` and `release_many` by means of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

namespace assay::detail {

// A mechanism whose input is as many finite answers as the configuration says.
template <class C, std::int64_t C::*kSize = &C::answers>
class ReadsAnswers : public Configured<C> {
 public:
  using Input = std::span<const double>;

  Status check_input(const Input& input) const {
    return check_answers(input, static_cast<std::size_t>(this->config_.*kSize));
  }

 protected:
  using Configured<C>::Configured;
};

// A mechanism that releases the index of one answer, counted from 0.
template <class C>
class ReleasesIndex : public ReadsAnswers<C> {
 public:
  using Output = std::int64_t;

  std::vector<Output> outputs(const typename ReadsAnswers<C>::Input& input) const {
    std::vector<Output> out(input.size());
    std::iota(out.begin(), out.end(), Output{0});
    return out;
  }

 protected:
  using ReadsAnswers<C>::ReadsAnswers;
};

// Defines release() by release_many(): one number, or a vector with as many numbers as the input.
template <class M>
class ReleasesOneOfMany {
 public:
  template <class Input, RandomSource R>
  auto release(const Input& input, R& random) const {
    using Output = typename M::Output;
    const M& mechanism = static_cast<const M&>(*this);
    if constexpr (std::is_arithmetic_v<Output>) {
      double out = 0.0;
      mechanism.release_many(input, random, {&out, 1});
      return static_cast<Output>(out);
    } else {
      Output out(input.size());
      mechanism.release_many(input, random, out);
      return out;
    }
  }
};

// Defines release_many() by release(): one release for each entry of `out`.
template <class M, class Number = double>
class ReleasesManyByOne {
 public:
  template <class Input, RandomSource R>
  void release_many(const Input& input, R& random, std::span<Number> out) const {
    const M& mechanism = static_cast<const M&>(*this);
    for (Number& x : out) x = static_cast<Number>(mechanism.release(input, random));
  }
};

}  // namespace assay::detail

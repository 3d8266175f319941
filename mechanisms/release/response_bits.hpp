// Independent bits, each reported by randomised response: P(1) = p_one for a bit that is set, p_zero elsewhere.
// Each probability is rounded down to a multiple of 2^-64. Cost: one random number a bit, from bit 0 on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/random/random_source.hpp"

namespace assay::detail {

class ResponseBits {
 public:
  ResponseBits(std::int64_t bits, double p_one, double p_zero);

  double p_one() const { return p_[1]; }
  double p_zero() const { return p_[0]; }

  // `set` has the bits; bit j of a report is bit j.
  template <RandomSource R>
  std::uint64_t release(std::uint64_t set, R& random) const;
  // out.size() is a multiple of the number of bits; entries are 0 and 1, bit 0 first.
  template <RandomSource R>
  void release_many(std::uint64_t set, R& random, std::span<double> out) const;
  double log_probability(std::uint64_t output, std::uint64_t set) const;
  std::vector<std::uint64_t> outputs() const;  // at most 2^20
  std::vector<double> log_pmf(std::uint64_t set) const;

 private:
  int bits_;
  double p_[2];
};

}  // namespace assay::detail

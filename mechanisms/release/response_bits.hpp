// Reports each bit of a number independently by randomised response: 1 with probability p_one if the bit is set, and
// p_zero if not. Each probability is rounded down to a multiple of 2^-64. Cost: one random number per bit, from bit 0
// on.
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

  // `set` has the true bits. Bit j of the report answers for bit j.
  template <RandomSource R>
  std::uint64_t release(std::uint64_t set, R& random) const;
  // Fills `out` with independent reports: a number 0 or 1 for each bit, bit 0 first. Precondition: out.size() is a
  // multiple of the number of bits.
  template <RandomSource R>
  void release_many(std::uint64_t set, R& random, std::span<double> out) const;
  double log_probability(std::uint64_t output, std::uint64_t set) const;
  std::vector<std::uint64_t> outputs() const;  // precondition: at most 20 bits
  std::vector<double> log_pmf(std::uint64_t set) const;

 private:
  int bits_;
  double p_[2];
};

}  // namespace assay::detail

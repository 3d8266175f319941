// The truncated geometric mechanism adds two-sided geometric noise to a count c in 0..n. A result
// below 0 is released as 0, and one above n as n. All probabilities are exact rationals.
//
//   d = (2^(k+1) + 1) (2^k + 1)^(n-1)                                                          (1)
//   F(z) = 2^(k (c-z)) (2^k + 1)^(n-(c-z))                   for 0 <= z < c
//        = d - 2^(k (z-c+1)) (2^k + 1)^(n-1-(z-c))           for c <= z < n,  F(n) = d         (2)
//   Z = the least z with F(z) >= U, U uniform on 1..d: P(Z <= z) = F(z)/d                      (3)
//
// Privacy. Relation: replace one record, which moves the count c by at most 1. View: the output. The
// mechanism is log(1 + 2^-k)-DP, and this is attained. To claim epsilon take k = ceil(log2(2/epsilon)).
// DP-Sniper's benchmark takes k = ceil(ln(2/epsilon)), which is 3 at epsilon = 0.1; its level is then
// 0.1178 > 0.1.
// Accuracy: (3) is exact, since U is drawn by rejection.
// Reference: Balcer, Vadhan, "Differential privacy on finite computers" (ITCS 2018), algorithm 4.8
// and theorem 4.7. Threads: a value. Cost: 20 ns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct TruncatedGeometricConfig {
  std::int64_t bits = 5;
  std::int64_t records = 5;

  static void fields(auto&& visit) {
    using C = TruncatedGeometricConfig;
    visit(field("bits", &C::bits, Range{1, 30}, "k", "the level is log(1 + 2^-k)"));
    visit(field("records", &C::records, Range{1, 60}, "n", "largest count"));
  }
  Status check() const;  // Error: d is 2^63 or more.
};

class TruncatedGeometric : public Configured<TruncatedGeometricConfig>,
                           public detail::ReleasesManyByOne<TruncatedGeometric> {
 public:
  using Input = std::int64_t;
  using Output = std::int64_t;

  static Result<TruncatedGeometric> create(const Config& config);

  Status check_input(const Input& input) const {
    return detail::check_integer(input, 0, config_.records);
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  std::vector<Output> outputs(const Input& input) const;
  std::vector<double> log_pmf(const Input& input) const;
  // The whole distribution as integers: weights that sum to d.
  std::vector<std::uint64_t> weights(const Input& input) const;

  Guarantee guarantee() const;

 private:
  explicit TruncatedGeometric(const Config& config);

  std::uint64_t total_;                                 // d
  std::vector<std::vector<std::uint64_t>> cumulative_;  // [c][z]: F(z) for the count c
};

static_assert(FiniteMechanism<TruncatedGeometric>);

}  // namespace assay

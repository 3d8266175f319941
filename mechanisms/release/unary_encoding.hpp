// Unary encoding turns one of k values into k bits, of which only the value's own is set. Every bit is then
// reported by randomised response.
//
//   P(Y_v = 1) = p for the value's bit,  P(Y_j = 1) = q for the others, independent              (1)
//   optimized: p = 1/2, q = 1/(e^epsilon + 1);  symmetric: p = 1 - q, q = 1/(e^(epsilon/2) + 1)    (2)
//
// Privacy. Relation: replace the one record, v, by any other. View: the output. The mechanism is epsilon-DP,
// and this is attained: only the bits of the two values differ in distribution, and a report with the first
// of them set and the second not is p (1 - q)/((1 - p) q) = e^epsilon times as likely. q is rounded up to a
// multiple of 2^-64, and 1 - q down to a double; the released bits follow the rounded numbers exactly. So the
// level is at most epsilon, except for the last digits of a double. It is lower than epsilon by at most
// 2^-64/q, or 2^-53/q if symmetric.
// Use: if c of n reports have bit j set, (c - n q)/(p - q) is an unbiased estimate of the number of records
// with value j.
// Reference: Wang, Blocki, Li, Jha, "Locally differentially private protocols for frequency
// estimation" (USENIX Security 2017), unary encoding. Threads: a value. Cost: one random number per bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"
#include "assay/mechanisms/release/response_bits.hpp"

namespace assay {

enum class UnaryBits { kOptimized, kSymmetric };
constexpr std::array<std::pair<UnaryBits, std::string_view>, 2> enum_names(UnaryBits) {
  return {{{UnaryBits::kOptimized, "optimized"}, {UnaryBits::kSymmetric, "symmetric"}}};
}

struct UnaryEncodingConfig {
  double epsilon = 1.0;
  std::int64_t values = 4;
  UnaryBits bits = UnaryBits::kOptimized;

  static void fields(auto&& visit) {
    using C = UnaryEncodingConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 30}, "eps", "privacy level"));
    visit(field("values", &C::values, Range{2, 64}, "k", "values 0 to k - 1"));
    visit(field("bits", &C::bits, Range{}, "",
                "how p and q share the level: optimized is for rare values"));
  }
};

class UnaryEncoding : public Configured<UnaryEncodingConfig> {
 public:
  using Input = std::int64_t;
  using Output = std::uint64_t;  // bit j of the report is bit j

  static Result<UnaryEncoding> create(const Config& config);

  Status check_input(const Input& input) const {
    return detail::check_integer(input, 0, config_.values - 1);
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // Fills `out` with independent releases: a number 0 or 1 for each bit, bit 0 first. Precondition: out.size() is a
  // multiple of k.
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  std::vector<Output> outputs(const Input& input) const;  // precondition: k is at most 20
  std::vector<double> log_pmf(const Input& input) const;
  double log_probability(const Output& output, const Input& input) const;

  double p() const { return bits_.p_one(); }
  double q() const { return bits_.p_zero(); }
  Guarantee guarantee() const;

 private:
  explicit UnaryEncoding(const Config& config);

  detail::ResponseBits bits_;
};

static_assert(FiniteMechanism<UnaryEncoding>);

}  // namespace assay

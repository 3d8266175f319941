// A faulty report noisy max: it releases the largest noisy answer itself instead of its index.
//
//   Y = max_i (q_i + Z_i), Z Laplace or exponential of scale b = 2/epsilon, independent         (1)
//   density of y: sum over i of f(y - q_i) prod over j != i of F(y - q_j)                      (2)
//   P(Y <= y) = prod over i of F(y - q_i)                                                      (3)
//
// Privacy. Relation: every answer moves by at most 1. The adversary sees the value. It claims epsilon,
// which holds for the index only (../release/report_noisy_max.hpp). The true level, for n answers:
//   Laplace: n epsilon/2. Every factor of (2) moves by at most e^(epsilon/2), and where all answers
//   rise by 1 the ratio of (2) tends to e^(n epsilon/2) as y falls. At n = 5 and epsilon 0.1: 0.25.
//   Exponential: infinite. Y >= max q, so when all answers rise by 1 the values between the two
//   maxima become impossible; their probability is at most (1 - e^(-epsilon/2))^n.
// Accuracy of log_density: 1e-15 n.
// Reference: Ding, Wang, Wang, Zhang, Kifer, "Detecting violations of differential privacy" (CCS
// 2018), algorithms 7 and 8. Threads: a value. Cost: one noise (20 ns) per answer.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay::faulty {

enum class ValueNoise { kLaplace, kExponential };
constexpr std::array<std::pair<ValueNoise, std::string_view>, 2> enum_names(ValueNoise) {
  return {{{ValueNoise::kLaplace, "laplace"}, {ValueNoise::kExponential, "exponential"}}};
}

struct NoisyMaxValueConfig {
  double epsilon = 1.0;
  std::int64_t answers = 5;
  ValueNoise noise = ValueNoise::kLaplace;

  static void fields(auto&& visit) {
    using C = NoisyMaxValueConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level it claims"));
    visit(field("answers", &C::answers, Range{1, 1024}, "n", "length of the input"));
    visit(field("noise", &C::noise, Range{}, "", "distribution of the noise"));
  }
};

class NoisyMaxValue : public assay::detail::ReadsAnswers<NoisyMaxValueConfig>,
                      public assay::detail::ReleasesOneOfMany<NoisyMaxValue> {
 public:
  using Output = double;

  static Result<NoisyMaxValue> create(const Config& config);

  // Fills `out` with independent releases, one value for each entry.
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;
  double log_cdf(double y, const Input& input) const;  // (3)

  Guarantee guarantee() const;

 private:
  using Noise = std::variant<Laplace, Exponential>;
  NoisyMaxValue(const Config& config, const Noise& noise) : ReadsAnswers(config), noise_(noise) {}

  Noise noise_;
};

static_assert(DensityMechanism<NoisyMaxValue>);

}  // namespace assay::faulty

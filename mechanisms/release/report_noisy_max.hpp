// Report noisy max releases the index of the largest of n noisy answers.
//
//   I = argmax_i (q_i + Z_i), the first if several are equal, Z_i independent, of scale b      (1)
//   P(I = i) = integral of f(x - q_i) prod over j != i of F(x - q_j) dx                        (2)
//   b = 2/epsilon for Laplace, exponential, Gumbel and discrete Laplace noise
//   b = 2 sqrt(n)/epsilon, its standard deviation, for Gaussian noise                          (3)
//
// Privacy. Relation: every answer moves by at most 1. View: the index.
//   Laplace, exponential, Gumbel, discrete Laplace noise: epsilon-DP. Given the other noises, I = i
//   is the event Z_i >= t (or > t), where t moves by at most 2. For each of these distributions
//   P(Z >= t + 2) >= e^(-2/b) P(Z >= t), for integer noise also where t is not an integer. With Gumbel
//   noise it is the exponential mechanism: P(I = i) = softmax(q/b)_i                           (4)
//   Gaussian noise: (epsilon/2)-GDP, since I is a function of n Gaussian releases whose means move by
//   at most sqrt(n) in L2 distance. This holds but is not tight.
// Accuracy of log_pmf(): 1e-12 of each probability, however small (noisy_max_distribution.hpp).
// Reference: Dwork, Roth, "Algorithmic foundations" (2014), section 3.3; for exponential noise
// Ding, Kifer, Sayed-Moustafa, Steinke, Xiao, "The permute-and-flip mechanism is identical to
// report-noisy-max with exponential noise" (2021); GDP by Dong, Roth, Su (JRSS B, 2022).
// Threads: a value. Cost: one noise per answer (12 to 35 ns); log_pmf: noisy_max_distribution.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noisy_max/max_noise.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct ReportNoisyMaxConfig {
  double epsilon = 1.0;
  std::int64_t answers = 5;
  MaxNoise noise = MaxNoise::kLaplace;

  static void fields(auto&& visit) {
    using C = ReportNoisyMaxConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level"));
    visit(field("answers", &C::answers, Range{1, 1024}, "n", "length of the input"));
    visit(field("noise", &C::noise, Range{}, "", "distribution of the noise"));
  }
};

class ReportNoisyMax : public detail::ReleasesIndex<ReportNoisyMaxConfig>,
                       public detail::ReleasesOneOfMany<ReportNoisyMax> {
 public:
  static Result<ReportNoisyMax> create(const Config& config);

  // Fills `out` with independent releases, one index for each entry.
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;

 private:
  ReportNoisyMax(const Config& config, const MaxNoiseDistribution& noise)
      : ReleasesIndex(config), noise_(noise) {}

  MaxNoiseDistribution noise_;
};

static_assert(FiniteMechanism<ReportNoisyMax>);

}  // namespace assay

// Noisy histogram, prefix sums and parallel copies: three mechanisms that add Laplace noise of scale
// 1/epsilon to every answer. Not for the release of data.
//
//   z_i = q_i + Laplace(1/epsilon), independent, i = 1..n                                      (1)
//   NoisyHistogram releases z;  PrefixSum releases s_i = z_1 + .. + z_i                        (2)
//   ParallelLaplace releases `copies` independent z, one after another                         (3)
//
// Privacy. View: the output.
//   NoisyHistogram, PrefixSum. Relation: one answer moves by at most 1. They are epsilon-DP, since (2)
//   maps z one to one, and one density of (1) changes, by a factor of at most e^epsilon. If every answer
//   may move, the level is n epsilon. Both levels are attained when the answers move by 1.
//   ParallelLaplace. Relation: the same. It is (copies epsilon)-DP, and this is attained.
// Accuracy: P(|z_i - q_i| > t) = e^(-epsilon t).
// Idealized: all this holds for noise in real numbers, not in doubles. The answer determines which
// doubles the sum of answer and noise can be, and `assay audit` detects this in the low bits
// (Mironov, CCS 2012). Use this for audits and simulations. To release data, use
// release/laplace_mechanism.hpp, whose guarantee is for the doubles themselves.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006); prefix sums as in Wang, Ding, Wang, Kifer,
// Zhang, "Proving differential privacy with shadow execution" (PLDI 2019).
// Threads: values. Cost: 20 ns per noise.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay::idealized {

struct NoisyHistogramConfig {
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    visit(field("epsilon", &NoisyHistogramConfig::epsilon, Range{1e-6, 1e6}, "eps",
                "privacy level of one answer"));
  }
};

struct ParallelLaplaceConfig {
  double epsilon = 1.0;
  std::int64_t copies = 20;

  static void fields(auto&& visit) {
    using C = ParallelLaplaceConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level of one copy"));
    visit(field("copies", &C::copies, Range{1, 1e6}, "m", "independent releases of the answer"));
  }
};

class NoisyHistogram : public AdditiveNoise<Laplace, RealLine>,
                       public Configured<NoisyHistogramConfig> {
 public:
  static Result<NoisyHistogram> create(const Config& config);

  Guarantee guarantee() const;

 private:
  NoisyHistogram(const Config& config, const Laplace& noise)
      : AdditiveNoise(noise), Configured(config) {}
};

class PrefixSum : public assay::detail::ReleasesOneOfMany<PrefixSum> {
 public:
  using Config = NoisyHistogramConfig;
  using Input = std::span<const double>;
  using Output = std::vector<double>;

  static Result<PrefixSum> create(const Config& config);

  Status check_input(const Input& input) const { return cells_.check_input(input); }
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;

  Guarantee guarantee() const;
  const Config& config() const { return cells_.config(); }

 private:
  explicit PrefixSum(const NoisyHistogram& cells) : cells_(cells) {}

  NoisyHistogram cells_;
};

class ParallelLaplace : public AdditiveNoise<Laplace, RealLine>,
                        public Configured<ParallelLaplaceConfig> {
 public:
  static Result<ParallelLaplace> create(const Config& config);

  // All copies, one after another. out.size() of release_many() must be a multiple of their number, too.   (3)
  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    Output out(static_cast<std::size_t>(config_.copies) * input.size());
    release_many(input, random, out);
    return out;
  }
  double log_density(const Output& output, const Input& input) const;

  Guarantee guarantee() const;

 private:
  ParallelLaplace(const Config& config, const Laplace& noise)
      : AdditiveNoise(noise), Configured(config) {}
};

static_assert(DensityMechanism<NoisyHistogram> && DensityMechanism<PrefixSum> &&
              DensityMechanism<ParallelLaplace>);

}  // namespace assay::idealized

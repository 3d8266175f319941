// Draws of stated distributions by Assay's own samplers.
#pragma once

#include "assay/auditors/sampler/stated_distribution.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct SamplerCase {
  std::string stated;
  std::function<double(ReplayStream&)> draw;

  std::vector<double> draws(std::size_t n, std::uint64_t seed) const {
    ReplayStream random = seeded_stream(seed, hash_purpose(stated));
    std::vector<double> out(n);
    for (double& x : out) x = draw(random);
    return out;
  }
};

template <class Noise>
std::function<double(ReplayStream&)> draws_of(Noise noise) {
  return [noise](ReplayStream& random) { return static_cast<double>(noise.sample(random)); };
}

// One of each distribution.
inline std::vector<SamplerCase> sampler_cases() {
  return {
      {"laplace:scale=2", draws_of(must(Laplace::create(0.0, 2.0)))},
      {"gaussian:sigma=3,location=5", draws_of(must(Gaussian::create(5.0, 3.0)))},
      {"exponential:scale=1", draws_of(must(Exponential::create(1.0)))},
      {"gumbel:scale=1", draws_of(must(Gumbel::create(0.0, 1.0)))},
      {"uniform:low=0,high=1", [](ReplayStream& random) { return random.uniform(); }},
      {"discrete-laplace:scale=2", draws_of(must(DiscreteLaplace::create(2.0)))},
      {"discrete-gaussian:sigma=40", draws_of(must(DiscreteGaussian::create(40.0)))},
      {"geometric:p=0.3",
       [](ReplayStream& random) {
         double k = 0.0;
         while (random.uniform() >= 0.3) k += 1.0;
         return k;
       }},
      {"bernoulli:p=0.3", [](ReplayStream& random) { return random.uniform() < 0.3 ? 1.0 : 0.0; }}};
}

}  // namespace assay

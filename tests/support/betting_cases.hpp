// Variables with known means, for tests of confidence bounds.
#pragma once

#include "assay/auditors/statistics/betting.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct BettingCase {
  std::string name;
  double mean;
  double variance;
  std::function<double(ReplayStream&)> draw;  // in [0, 1]
};

inline BettingCase bernoulli_case(double p) {
  return {"Bernoulli(" + std::to_string(p) + ")", p, p * (1.0 - p),
          [p](ReplayStream& random) { return random.uniform() < p ? 1.0 : 0.0; }};
}

// Z = (1 - e^(eps - L))_+ with L ~ N(mu^2/2, mu^2): the privacy loss of a Gaussian pair. Its mean
// is delta_mu(eps); the variance is only a guess, mean/2.
inline BettingCase gaussian_loss_case(double mu, double epsilon) {
  const double delta = gdp_delta(Mu{mu}, Epsilon{epsilon}).value;
  return {"Gaussian pair, mu " + std::to_string(mu) + ", eps " + std::to_string(epsilon), delta,
          delta / 2.0, [=](ReplayStream& random) {
            const double loss = mu * mu / 2.0 + mu * normal_quantile(random.uniform());
            return loss > epsilon ? -portable_expm1(epsilon - loss) : 0.0;
          }};
}

inline BettingCase uniform_case() {
  return {"uniform", 0.5, 1.0 / 12.0, [](ReplayStream& random) { return random.uniform(); }};
}

// One level or the other, both far from 0: a mean near 1 with jumps down.
inline BettingCase near_one_case() {
  return {"near one", 0.98 * 0.95 + 0.1 * 0.05, 0.88 * 0.88 * 0.95 * 0.05,
          [](ReplayStream& random) { return random.uniform() < 0.95 ? 0.98 : 0.1; }};
}

inline std::vector<double> draws(const BettingCase& c, int count, std::uint64_t run,
                                 std::uint64_t seed = 1) {
  ReplayStream random({seed, hash_purpose(c.name), run, 0, Phase::kCertify});
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& v : values) v = c.draw(random);
  return values;
}

}  // namespace assay

// Targets whose privacy about each of many coins is known: mechanisms that read a vector of n values
// in [0, 1] and release n numbers, and bandits.
#pragma once

#include <cmath>
#include <vector>

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/function_target.hpp"

namespace assay {

inline InputShape vector_shape(std::int64_t n, std::int64_t outputs) {
  return InputShape{.kind = InputKind::kMechanism, .inputs = n, .outputs = outputs};
}

// Randomised response on every bit: exactly eps-DP.
inline FunctionTarget released_bits(std::int64_t n, double epsilon) {
  return {vector_shape(n, n),
          [epsilon](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const double truth = 1.0 / (1.0 + std::exp(-epsilon));
            for (const double bit : input.values) {
              out.push_back(random.uniform() < truth ? bit : 1.0 - bit);
            }
          }};
}

// Gaussian noise on every value: exactly (1/sigma)-GDP where one value moves by 1.
inline FunctionTarget noisy_values(std::int64_t n, double sigma) {
  return {vector_shape(n, n),
          [sigma](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const auto noise = Gaussian::create(0.0, sigma).value();
            for (const double x : input.values) out.push_back(x + noise.sample(random));
          }};
}

// The law that one-run audits find hardest: as many bits told truthfully as Bin(n, e^eps/(1 + e^eps))
// says, `factor` times as likely where they are `from` or more; which ones is left to chance.
// Exactly (eps, delta)-DP with the delta of worst_delta.
struct WorstBits {
  std::int64_t n = 40;
  double epsilon = 1.0;
  std::int64_t from = 36;
  double factor = 2.0;

  std::vector<double> distribution() const {  // of the number of true bits
    const double truth = 1.0 / (1.0 + std::exp(-epsilon));
    std::vector<double> p;
    double sum = 0.0;
    for (std::int64_t l = 0; l <= n; ++l) {
      const auto level = static_cast<double>(l), size = static_cast<double>(n);
      p.push_back(std::exp(std::lgamma(size + 1) - std::lgamma(level + 1) -
                           std::lgamma(size - level + 1) + level * std::log(truth) +
                           (size - level) * std::log1p(-truth)) *
                  (l >= from ? factor : 1.0));
      sum += p.back();
    }
    for (double& x : p) x /= sum;
    return p;
  }
  // One step up in the likelihood of the level, at `from`.
  double delta() const {
    return static_cast<double>(from) * distribution()[static_cast<std::size_t>(from)] *
           (1.0 - 1.0 / factor) / static_cast<double>(n);
  }
  FunctionTarget target() const {
    return {vector_shape(n, n), [p = distribution()](const InputTable& input, ReplayStream& random,
                                                     std::vector<double>& out) {
              double left = random.uniform();
              std::size_t level = 0;
              while (level + 1 < p.size() && left >= p[level]) left -= p[level++];
              // `level` true places of n, by selection sampling.
              for (std::size_t i = 0; i < input.values.size(); ++i) {
                const auto places = static_cast<double>(input.values.size() - i);
                const bool told = random.uniform() * places < static_cast<double>(level);
                if (told) --level;
                out.push_back(told ? input.values[i] : 1.0 - input.values[i]);
              }
            }};
  }
};

// A bandit of two arms that plays the arm whose released mean is larger; after 1, 2, 4, ... pulls of an
// arm its rewards since the last release are released with Laplace noise of this scale. 1/scale-DP
// about one reward.
inline FunctionTarget doubling_bandit(std::int64_t horizon, double scale) {
  return {bandit_shape(2, horizon),
          [scale](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const auto noise = Laplace::create(0.0, scale).value();
            double mean[2] = {1e9, 1e9}, sum[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
            double due[2] = {1.0, 1.0};
            for (const double reward : input.values) {
              const bool explore = random.uniform() < 0.1;
              const std::size_t arm =
                  explore ? (random.uniform() < 0.5 ? 0 : 1) : (mean[1] > mean[0] ? 1 : 0);
              out.push_back(static_cast<double>(arm));
              sum[arm] += reward;
              count[arm] += 1.0;
              if (count[arm] < due[arm]) continue;
              mean[arm] = (sum[arm] + noise.sample(random)) / count[arm];
              sum[arm] = count[arm] = 0.0;
              due[arm] *= 2.0;
            }
          }};
}

}  // namespace assay

#include "assay/mechanisms/release/noisy_max_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "assay/mechanisms/numerics/discrete_quadrature.hpp"
#include "assay/mechanisms/numerics/gaussian_argmax.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

MaxNoiseLaw law_of(const std::string& name, double scale) {
  if (name == "laplace") return *Laplace::create(0.0, scale);
  if (name == "exponential") return *Exponential::create(scale);
  if (name == "gumbel") return *Gumbel::create(0.0, scale);
  if (name == "gaussian") return *Gaussian::create(0.0, scale);
  return *DiscreteLaplace::create(scale);
}

constexpr const char* kNoises[] = {"laplace", "exponential", "gumbel", "gaussian",
                                   "discrete-laplace"};

double total(const std::vector<double>& logs) {
  double sum = 0.0;
  for (const double x : logs) sum += std::exp(x);
  return sum;
}

std::vector<double> uniform_scores(std::size_t n, double spread, std::uint64_t seed) {
  ReplayStream random({seed, hash_purpose("tests/noisy_max"), 0, 0, Phase::kSearch});
  std::vector<double> scores(n);
  for (double& q : scores) q = spread * random.uniform();
  return scores;
}

TEST(NoisyMaxLaw, AgreesWithHighPrecision) {
  std::ifstream in(ASSAY_SOURCE_DIR "/tests/support/noisy_max_cases.txt");
  ASSERT_TRUE(in);
  std::string line;
  int checked = 0;
  double worst = 0.0;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string noise;
    std::string scale;
    std::size_t n = 0;
    fields >> noise >> scale >> n;
    std::vector<double> scores(n);
    for (double& q : scores) {
      std::string text;
      fields >> text;
      q = std::strtod(text.c_str(), nullptr);
    }
    const auto law = law_of(noise, std::strtod(scale.c_str(), nullptr));
    const auto logs = noisy_max_log_probabilities(law, scores);
    for (std::size_t i = 0; i < n; ++i) {
      double truth = 0.0;
      fields >> truth;
      const double allowed = 1e-13 + 3e-16 * std::abs(truth);
      EXPECT_NEAR(logs[i], truth, allowed) << line.substr(0, 300) << "\n entry " << i;
      EXPECT_NEAR(noisy_max_log_probability(law, scores, i), truth, allowed);
      worst = std::max(worst, std::abs(logs[i] - truth) / allowed);
      ++checked;
    }
    ASSERT_TRUE(fields);
  }
  EXPECT_GT(checked, 1000);
  RecordProperty("worst_share_of_tolerance", std::to_string(worst));
}

TEST(NoisyMaxLaw, SumsToOneForAThousandScores) {
  for (const char* noise : kNoises) {
    for (const double spread : {0.0, 1.0, 30.0, 3000.0}) {
      const auto logs =
          noisy_max_log_probabilities(law_of(noise, 2.0), uniform_scores(1000, spread, 1));
      EXPECT_NEAR(total(logs), 1.0, 1e-12) << noise << ", spread " << spread;
    }
  }
  const auto gumbel =
      noisy_max_log_probabilities(law_of("gumbel", 2.0), uniform_scores(10000, 30.0, 1));
  EXPECT_NEAR(total(gumbel), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay

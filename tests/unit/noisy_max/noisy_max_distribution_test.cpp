#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"

#include <fstream>

#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/numerics/internal/discrete_quadrature.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

MaxNoiseDistribution max_distribution(const std::string& name, double scale) {
  if (name == "laplace") return *Laplace::create(0.0, scale);
  if (name == "exponential") return *Exponential::create(scale);
  if (name == "gumbel") return *Gumbel::create(0.0, scale);
  if (name == "gaussian") return *Gaussian::create(0.0, scale);
  return *DiscreteLaplace::create(scale);
}

constexpr const char* kNoises[] = {"laplace", "exponential", "gumbel", "gaussian",
                                   "discrete-laplace"};

double total_of_logs(const std::vector<double>& logs) {
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

TEST(NoisyMaxDistribution, AgreesWithHighPrecision) {
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
    const auto distribution = max_distribution(noise, std::strtod(scale.c_str(), nullptr));
    const auto logs = noisy_max_log_probabilities(distribution, scores);
    for (std::size_t i = 0; i < n; ++i) {
      double truth = 0.0;
      fields >> truth;
      const double allowed = 1e-13 + 3e-16 * std::abs(truth);
      EXPECT_NEAR(logs[i], truth, allowed) << line.substr(0, 300) << "\n entry " << i;
      EXPECT_NEAR(noisy_max_log_probability(distribution, scores, i), truth, allowed);
      worst = std::max(worst, std::abs(logs[i] - truth) / allowed);
      ++checked;
    }
    ASSERT_TRUE(fields);
  }
  EXPECT_GT(checked, 1000);
  RecordProperty("worst_share_of_tolerance", std::to_string(worst));
}

// Exponential noise by inclusion and exclusion: P(i) = w_i sum over subsets A of the others of
// (-1)^|A| prod w/(|A| + 1).
TEST(NoisyMaxDistribution, AgreesWithInclusionAndExclusion) {
  for (const double spread : {0.5, 4.0}) {
    const auto scores = uniform_scores(10, spread, 3);
    const double most = *std::max_element(scores.begin(), scores.end());
    const auto logs = noisy_max_log_probabilities(max_distribution("exponential", 1.0), scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      long double sum = 0.0L;
      for (unsigned set = 0; set < 1024; ++set) {
        if (((set >> i) & 1U) != 0) continue;
        long double term = 1.0L;
        int size = 0;
        for (std::size_t j = 0; j < scores.size(); ++j) {
          if (((set >> j) & 1U) == 0) continue;
          term *= -std::exp(static_cast<long double>(scores[j] - most));
          ++size;
        }
        sum += term / static_cast<long double>(size + 1);
      }
      EXPECT_NEAR(logs[i], scores[i] - most + static_cast<double>(std::log(sum)), 1e-12);
    }
  }
}

// Integer noise by the definition: every integer, ties to the first.
TEST(NoisyMaxDistribution, IntegerNoiseAgreesWithTheSum) {
  for (const double scale : {0.3, 2.0, 40.0}) {
    const auto noise = *DiscreteLaplace::create(scale);
    auto scores = uniform_scores(7, 6.0 * scale, 4);
    scores[2] = scores[5] = 3.0;
    scores[6] = 4.0;
    const auto logs = noisy_max_log_probabilities(noise, scores);
    const auto reach = static_cast<std::int64_t>(50.0 * scale) + 5;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      double sum = 0.0;
      for (std::int64_t k = -reach; k <= reach; ++k) {
        double term = std::exp(noise.log_pmf(k));
        for (std::size_t j = 0; j < scores.size(); ++j) {
          if (j == i) continue;
          const double gap = static_cast<double>(k) + scores[i] - scores[j];
          const double limit = j < i ? std::ceil(gap) - 1.0 : std::floor(gap);
          term *= noise.cdf(static_cast<std::int64_t>(limit));
        }
        sum += term;
      }
      EXPECT_NEAR(logs[i], std::log(sum), 1e-12) << scale << ", " << i;
    }
  }
}

TEST(NoisyMaxDistribution, GaussianAgreesWithOneIntegralPerWinner) {
  const auto scores = uniform_scores(300, 12.0, 5);
  const std::vector<double> scales(scores.size(), 0.5);
  const auto logs = noisy_max_log_probabilities(max_distribution("gaussian", 0.5), scores);
  for (std::size_t i = 0; i < scores.size(); i += 7) {
    const double alone =
        log_argmax_probability(scores, scales, static_cast<int>(i), ArgmaxPrecision::kExact);
    EXPECT_NEAR(logs[i], alone, 2e-13 + 4e-16 * std::abs(alone)) << i;
  }
}

// Where two scores lie so far apart that they decide alone: P = (1/2)(1 + g/2) e^-g for Laplace
// noise, e^-g/2 for exponential, g the gap over the scale; any depth, other scores deeper still.
TEST(NoisyMaxDistribution, ExtremeGapsHaveTheirClosedForms) {
  for (const double gap : {100.0, 650.0, 1e4, 1e6}) {
    std::vector<double> scores(1000, -3.0 * gap);
    scores[500] = 0.0;
    scores[7] = -gap;
    const auto laplace = noisy_max_log_probabilities(max_distribution("laplace", 1.0), scores);
    EXPECT_NEAR(laplace[7], -gap + std::log(0.5 + 0.25 * gap), 1e-13 + 3e-16 * gap);
    EXPECT_EQ(laplace[500], 0.0);
    const auto exponential =
        noisy_max_log_probabilities(max_distribution("exponential", 1.0), scores);
    EXPECT_NEAR(exponential[7], -gap - std::log(2.0), 1e-13 + 3e-16 * gap);
    for (const auto& logs : {laplace, exponential}) EXPECT_LT(logs[0], -2.9 * gap);
    // Integer noise of scale 1: every x between the two adds the same, and the ends geometric sums.
    const double a = std::exp(-1.0);
    const auto integer =
        noisy_max_log_probabilities(max_distribution("discrete-laplace", 1.0), scores);
    // Index 7 comes before 500, so it wins ties: sum over its value x of pmf(x + g) P(Z <= x).
    const double above = 1.0 / (1.0 - a) - a / ((1.0 + a) * (1.0 - a * a));
    const double between = gap / (1.0 + a);
    const double below = a * a / ((1.0 + a) * (1.0 - a * a));
    const double sum = (1.0 - a) / (1.0 + a) * (above + between + below);
    EXPECT_NEAR(integer[7], -gap + std::log(sum), 1e-12 + 3e-16 * gap);
  }
}

// Gaussian noise, winners up to 1e140 scales below: two or all answers above the peak, in closed form
// from Mills' ratio, on both sides of the depth where the method changes.
TEST(NoisyMaxDistribution, GaussianDepthsHaveTheirClosedForms) {
  const double log_root = 0.5 * std::log(2.0 * 3.14159265358979323846);
  for (const double g : {1e5, 0x1p26 * 0.999, 0x1p26 * 1.001, 5e8, 1e9, 1e12, 1e140}) {
    const auto two =
        noisy_max_log_probabilities(max_distribution("gaussian", 1.0), std::vector{0.0, g});
    const double half = g / std::sqrt(2.0);
    EXPECT_NEAR(two[0] / (-0.5 * half * half - std::log(half) - log_root), 1.0, 1e-14) << g;
    // The peak is at 0.6 g, the mean of 0, 0.8 g and g; a fourth at 0.5 g is not above it.
    for (const auto& scores :
         {std::vector{0.0, 0.8 * g, g}, std::vector{0.0, 0.8 * g, g, 0.5 * g}}) {
      const auto logs = noisy_max_log_probabilities(max_distribution("gaussian", 1.0), scores);
      const double squares = 0.36 + 0.04 + 0.16;
      const double rest =
          std::log(0.2 * g) + std::log(0.4 * g) + 2.0 * log_root + 0.5 * std::log(3.0);
      EXPECT_NEAR(logs[0] / (-0.5 * squares * g * g - rest), 1.0, 1e-14) << g;
      EXPECT_NEAR(noisy_max_log_probability(max_distribution("gaussian", 1.0), scores, 0) / logs[0],
                  1.0, 1e-15);
      EXPECT_EQ(logs[2], 0.0);
    }
    const auto near = noisy_max_log_probabilities(max_distribution("gaussian", 1.0),
                                                  std::vector{-g * 1e3, g - 30.0, g});
    if (g < 1e15) {
      EXPECT_NEAR(total_of_logs(near), 1.0, 1e-12) << g;
    }
  }
}

TEST(NoisyMaxDistribution, SumsToOneWhereDifferencesOverflow) {
  for (const char* noise : kNoises) {
    for (const double scale : {0.002, 1.0, 2e6}) {
      for (const auto& scores :
           {std::vector{1.7e308, -1.7e308, 0.0}, std::vector{1e300, -1e300, 5e-324, -0.0}}) {
        const auto logs = noisy_max_log_probabilities(max_distribution(noise, scale), scores);
        EXPECT_EQ(logs[0], 0.0) << noise << " " << scale;
        for (std::size_t i = 1; i < logs.size(); ++i) EXPECT_LT(logs[i], -1e200) << noise;
      }
    }
  }
}

TEST(NoisyMaxDistribution, EqualScoresShareEvenly) {
  const std::vector<double> scores(1000, 4.5);
  for (const char* noise : {"laplace", "exponential", "gumbel", "gaussian"}) {
    for (const double log_p : noisy_max_log_probabilities(max_distribution(noise, 0.7), scores)) {
      ASSERT_NEAR(log_p, -std::log(1000.0), 2e-13) << noise;
    }
  }
}

TEST(NoisyMaxDistribution, OnlyDifferencesAndTheirScaleMatter) {
  const std::vector<double> scores{0.0, 3.0, -4.0, 1.0, 3.0};
  for (const char* noise : kNoises) {
    const auto logs = noisy_max_log_probabilities(max_distribution(noise, 2.0), scores);
    std::vector<double> moved;
    for (const double q : scores) moved.push_back(q + 1024.0);
    EXPECT_EQ(noisy_max_log_probabilities(max_distribution(noise, 2.0), moved), logs) << noise;
  }
}

TEST(DiscreteGaussRule, IsExactForPolynomialsOfDegree31) {
  for (const std::int64_t count : {1, 24, 25, 31, 100, 4001}) {
    const auto nodes = discrete_gauss_nodes(count);
    for (int degree = 0; degree <= 31; ++degree) {
      const auto term = [&](double x) {
        return std::pow((2.0 * x + 1.0) / static_cast<double>(count), degree);
      };
      double by_rule = 0.0;
      for (const auto& node : nodes) by_rule += node.weight * term(node.x);
      double by_sum = 0.0;
      for (std::int64_t k = 0; k < count; ++k) by_sum += term(static_cast<double>(k));
      EXPECT_NEAR(by_rule / by_sum, 1.0, 2e-13) << count << ", degree " << degree;
    }
  }
}

TEST(NoisyMaxDistribution, SumsToOneForAThousandScores) {
  for (const char* noise : kNoises) {
    for (const double spread : {0.0, 1.0, 30.0, 3000.0}) {
      const auto logs = noisy_max_log_probabilities(max_distribution(noise, 2.0),
                                                    uniform_scores(1000, spread, 1));
      EXPECT_NEAR(total_of_logs(logs), 1.0, 1e-12) << noise << ", spread " << spread;
    }
  }
  const auto gumbel =
      noisy_max_log_probabilities(max_distribution("gumbel", 2.0), uniform_scores(10000, 30.0, 1));
  EXPECT_NEAR(total_of_logs(gumbel), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay

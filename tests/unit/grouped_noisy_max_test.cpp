// The law of the largest of grouped noisy scores, against closed forms in 60 digits, against the
// plain law of ReportNoisyMax, and against enumeration of random scores.
#include "assay/mechanisms/numerics/grouped_noisy_max.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cmath>
#include <numeric>

#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"

namespace assay {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<300>>;

const Laplace kLaplace = Laplace::create(0.0, 2.0).value();
const Exponential kExponential = Exponential::create(2.0).value();
const Gumbel kGumbel = Gumbel::create(0.0, 2.0).value();

Wide binomial(int n, int k) {
  Wide out = 1;
  for (int i = 0; i < k; ++i) out = out * (n - i) / (i + 1);
  return out;
}

// Exponential noise of scale 1: one expert d behind (d > 0) or ahead of `others` equal ones.
//   ahead by a:  E[(1 - e^-(Q + a))^m],  behind by d: e^-d E[(1 - e^-Q)^m] = e^-d / (m + 1)
Wide exponential_ahead(int others, const Wide& ahead) {
  Wide sum = 0;
  for (int k = 0; k <= others; ++k) {
    const Wide term = binomial(others, k) * exp(-k * ahead) / (k + 1);
    sum += k % 2 == 0 ? term : Wide(-term);
  }
  return sum;
}

// Laplace noise of scale 1, one expert d >= 0 behind m equal ones, F(x) = e^x/2 or 1 - e^-x/2:
//   integral of f(x) F(x - d)^m dx over x < 0, 0..d and x > d
Wide laplace_behind(int m, const Wide& d) {
  const Wide half = Wide(1) / 2;
  Wide sum = pow(half, m + 1) * exp(-m * d) / (m + 1);
  const Wide rate = m - 1;
  sum += half * pow(half, m) * exp(-m * d) * (m == 1 ? d : Wide((exp(rate * d) - 1) / rate));
  for (int k = 0; k <= m; ++k) {
    const Wide term = half * binomial(m, k) * pow(half, k) * exp(-d) / (k + 1);
    sum += k % 2 == 0 ? term : Wide(-term);
  }
  return sum;
}

template <class Noise>
double one_against(const Noise& noise, double ahead, std::int64_t others) {
  const std::vector<ScoreGroup> groups{ScoreGroup::fixed(ahead, 1), ScoreGroup::fixed(0.0, others)};
  return grouped_noisy_max(noise, groups)[0];
}

void expect_relative(double log_value, const Wide& truth) {
  const Wide error = abs(exp(Wide(log_value)) / truth - 1);
  EXPECT_LT(static_cast<double>(error), kNoisyMaxRelativeError)
      << log_value << " against " << static_cast<double>(log(truth));
}

TEST(GroupedNoisyMax, ExponentialNoiseHasTheClosedFormOfPermuteAndFlip) {
  for (const int others : {1, 2, 9, 99, 400}) {
    for (const double steps : {0.0, 0.25, 1.0, 2.0, 7.0, 40.0}) {
      SCOPED_TRACE(testing::Message() << others << " others, " << steps);
      expect_relative(one_against(kExponential, 2.0 * steps, others),
                      exponential_ahead(others, Wide(steps)));
      expect_relative(one_against(kExponential, -2.0 * steps, others),
                      exp(-Wide(steps)) / (others + 1));
    }
  }
  expect_relative(one_against(kExponential, -2.0 * 450.0, 3), exp(-Wide(450)) / 4);
}

TEST(GroupedNoisyMax, LaplaceNoiseHasItsClosedForm) {
  for (const int others : {1, 2, 9, 99, 400}) {
    for (const double steps : {0.0, 0.25, 1.0, 2.0, 7.0, 40.0, 450.0}) {
      SCOPED_TRACE(testing::Message() << others << " others, " << steps);
      expect_relative(one_against(kLaplace, -2.0 * steps, others),
                      laplace_behind(others, Wide(steps)));
    }
  }
}

TEST(GroupedNoisyMax, GumbelNoiseIsSoftmaxAndTheQuadratureAgrees) {
  for (const int others : {1, 9, 999}) {
    for (const double ahead : {-80.0, -3.0, 0.0, 1.5, 30.0}) {
      const Wide weight = exp(Wide(ahead) / 2);
      expect_relative(one_against(kGumbel, ahead, others), weight / (weight + others));
      // A random score that is surely the same, which takes the quadrature.
      const std::vector<ScoreGroup> groups{{{ahead, ahead}, {0.25, 0.75}, 1},
                                           ScoreGroup::fixed(0.0, others)};
      expect_relative(grouped_noisy_max(kGumbel, groups)[0], weight / (weight + others));
    }
  }
}

template <class Noise>
void expect_plain_law(const Noise& noise, MaxNoise kind) {
  ReportNoisyMaxConfig config;
  config.noise = kind;
  config.answers = 5;
  const std::vector<double> scores{-3.5, 0.0, 0.0, 1.25, -40.0};
  const auto plain = ReportNoisyMax::create(config).value().log_pmf(scores);
  const std::vector<ScoreGroup> groups{ScoreGroup::fixed(-3.5, 1), ScoreGroup::fixed(0.0, 2),
                                       ScoreGroup::fixed(1.25, 1), ScoreGroup::fixed(-40.0, 1)};
  const auto grouped = grouped_noisy_max(noise, groups);
  const std::size_t group_of[] = {0, 1, 1, 2, 3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(plain[i], grouped[group_of[i]], 2e-12) << i;
}

TEST(GroupedNoisyMax, AgreesWithReportNoisyMaxOnScoresThatDiffer) {
  expect_plain_law(kLaplace, MaxNoise::kLaplace);
  expect_plain_law(kExponential, MaxNoise::kExponential);
  expect_plain_law(kGumbel, MaxNoise::kGumbel);
}

template <class Noise>
void expect_mixture(const Noise& noise) {
  const std::vector<ScoreGroup> groups{{{0.0, -1.0, -2.0}, {0.5, 0.3, 0.2}, 1},
                                       {{-0.5, -1.5}, {0.1, 0.9}, 2}};
  double one = 0.0;    // P(the member of the first group), by enumeration of all scores
  double other = 0.0;  // P(the first member of the second)
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t c = 0; c < 2; ++c) {
        const double weight = groups[0].weights[a] * groups[1].weights[b] * groups[1].weights[c];
        const std::vector<ScoreGroup> fixed{ScoreGroup::fixed(groups[0].values[a], 1),
                                            ScoreGroup::fixed(groups[1].values[b], 1),
                                            ScoreGroup::fixed(groups[1].values[c], 1)};
        const auto law = grouped_noisy_max(noise, fixed);
        one += weight * std::exp(law[0]);
        other += weight * std::exp(law[1]);
      }
    }
  }
  const auto mixed = grouped_noisy_max(noise, groups);
  EXPECT_NEAR(std::exp(mixed[0]), one, 1e-13);
  EXPECT_NEAR(std::exp(mixed[1]), other, 1e-13);
  EXPECT_NEAR(std::exp(mixed[0]) + 2.0 * std::exp(mixed[1]), 1.0, 1e-13);
}

TEST(GroupedNoisyMax, RandomScoresAreTheMixtureOverAllTheirValues) {
  expect_mixture(kLaplace);
  expect_mixture(kExponential);
  expect_mixture(kGumbel);
}

TEST(GroupedNoisyMax, AThousandDifferentScoresHaveProbabilitiesThatSumToOne) {
  std::vector<ScoreGroup> groups;
  for (int i = 0; i < 1000; ++i) groups.push_back(ScoreGroup::fixed(0.01 * i * i / 100.0, 1));
  const auto sum = [&](const auto& noise) {
    double total = 0.0;
    for (const double log_p : grouped_noisy_max(noise, groups)) total += std::exp(log_p);
    return total;
  };
  EXPECT_NEAR(sum(kGumbel), 1.0, 1e-12);
  EXPECT_NEAR(sum(kExponential), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay

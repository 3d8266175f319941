// The law of the largest of grouped noisy scores: against 50 digits, closed forms, the definition
// evaluated node by node, the plain law of ReportNoisyMax, and enumeration of random scores.
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <cstdlib>
#include <fstream>

#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/tests/support/direct_noisy_max.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

// ---- against 50 digits --------------------------------------------------------------------------

struct PreciseCase {
  std::string noise;
  double scale = 1.0;
  std::vector<ScoreGroup> groups;
  std::vector<std::pair<std::size_t, double>> log_p;  // of a member of a group
};

PreciseCase read_case(const std::string& line) {
  std::istringstream fields(line);
  const auto number = [&] {
    std::string text;
    fields >> text;
    return std::strtod(text.c_str(), nullptr);
  };
  PreciseCase out;
  fields >> out.noise;
  out.scale = number();
  out.groups.resize(static_cast<std::size_t>(number()));
  for (ScoreGroup& group : out.groups) {
    group.count = number();
    group.values.resize(static_cast<std::size_t>(number()));
    group.weights.resize(group.values.size());
    for (double& value : group.values) value = number();
    for (double& weight : group.weights) weight = number();
  }
  out.log_p.resize(static_cast<std::size_t>(number()));
  for (auto& [g, log_p] : out.log_p) {
    g = static_cast<std::size_t>(number());
    log_p = number();
  }
  EXPECT_TRUE(fields) << line.substr(0, 200);
  return out;
}

std::vector<double> grouped_distribution(const PreciseCase& at) {
  if (at.noise == "laplace")
    return grouped_noisy_max(Laplace::create(0.0, at.scale).value(), at.groups);
  if (at.noise == "gumbel")
    return grouped_noisy_max(Gumbel::create(0.0, at.scale).value(), at.groups);
  return grouped_noisy_max(Exponential::create(at.scale).value(), at.groups);
}

// Fractional sums and resampled ones, up to 1000 members with exponential and Laplace noise, 10,000
// with Gumbel noise, and 30 million of few laws.
TEST(GroupedNoisyMax, AgreesWithFiftyDigits) {
  std::ifstream in(ASSAY_SOURCE_DIR "/tests/support/grouped_noisy_max_cases.txt");
  ASSERT_TRUE(in);
  std::string line;
  int checked = 0;
  double worst = 0.0;
  while (std::getline(in, line)) {
    const PreciseCase at = read_case(line);
    const auto distribution = grouped_distribution(at);
    for (const auto& [g, truth] : at.log_p) {
      EXPECT_NEAR(distribution[g], truth, kNoisyMaxRelativeError)
          << line.substr(0, 200) << "\n group " << g;
      worst = std::max(worst, std::fabs(distribution[g] - truth));
      ++checked;
    }
  }
  EXPECT_GT(checked, 150);
  RecordProperty("largest_relative_error", std::to_string(worst * 1e12) + "e-12");
}

// ---- against the definition ---------------------------------------------------------------------

class RandomGroups {
 public:
  explicit RandomGroups(std::uint64_t seed)
      : random_({seed, hash_purpose("tests/grouped_noisy_max"), 0, 0, Phase::kSearch}) {}

  double uniform(double low, double high) { return low + (high - low) * random_.uniform(); }

  // Up to five groups of up to six scores, whole or not, weights down to e^-20, counts up to e^12.
  std::vector<ScoreGroup> draw() {
    const bool whole = random_.uniform() < 0.5;
    const double spread = std::exp(uniform(-1.0, 4.0));
    std::vector<ScoreGroup> groups(static_cast<std::size_t>(uniform(2.0, 6.0)));
    for (ScoreGroup& group : groups) {
      double total = 0.0;
      for (double left = uniform(1.0, 7.0); left >= 1.0; left -= 1.0) {
        const double value = -uniform(0.0, spread);
        group.values.push_back(whole ? std::floor(value) : value);
        group.weights.push_back(std::exp(-uniform(0.0, 20.0)));
        total += group.weights.back();
      }
      for (double& weight : group.weights) weight /= total;
      group.count = random_.uniform() < 0.5 ? 1.0 : std::floor(std::exp(uniform(0.0, 12.0)));
    }
    return groups;
  }

 private:
  ReplayStream random_;
};

template <class Noise>
void expect_definition(const Noise& noise, const std::vector<ScoreGroup>& groups) {
  const auto distribution = grouped_noisy_max(noise, groups);
  const auto direct = direct_noisy_max(noise, groups);
  double total = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (direct[g] > -690.0) {
      EXPECT_NEAR(distribution[g], direct[g], 2e-13) << "group " << g;
    }
    total += groups[g].count * std::exp(distribution[g]);
  }
  EXPECT_NEAR(total, 1.0, 2e-13);
}

TEST(GroupedNoisyMax, IsItsDefinitionEvaluatedNodeByNode) {
  RandomGroups random(1);
  for (int i = 0; i < repetitions(60); ++i) {
    SCOPED_TRACE(i);
    const auto groups = random.draw();
    const double scale = std::exp(random.uniform(-2.0, 3.0));
    expect_definition(Laplace::create(0.0, scale).value(), groups);
    expect_definition(Exponential::create(scale).value(), groups);
    expect_definition(Gumbel::create(0.0, scale).value(), groups);
  }
}

// The same law by another route inside: whole Gumbel scores share a table, shifted ones do not; a
// shift and a change of unit move every panel.
template <class Noise>
void expect_same_distributions(const Noise& noise, const Noise& finer) {
  RandomGroups random(2);
  for (int i = 0; i < repetitions(60); ++i) {
    const auto groups = random.draw();
    auto shifted = groups;
    auto scaled = groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (double& value : shifted[g].values) value += 0.375;
      for (double& value : scaled[g].values) value *= 0.1;
    }
    const auto distribution = grouped_noisy_max(noise, groups);
    const auto of_shifted = grouped_noisy_max(noise, shifted);
    const auto of_scaled = grouped_noisy_max(finer, scaled);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      EXPECT_NEAR(distribution[g], of_shifted[g], 2e-13) << i;
      EXPECT_NEAR(distribution[g], of_scaled[g], 2e-13) << i;
    }
  }
}

TEST(GroupedNoisyMax, OnlyDifferencesOverTheScaleMatter) {
  for (const double b : {0.3, 2.0, 25.0}) {
    expect_same_distributions(Laplace::create(0.0, b).value(),
                              Laplace::create(0.0, 0.1 * b).value());
    expect_same_distributions(Exponential::create(b).value(), Exponential::create(0.1 * b).value());
    expect_same_distributions(Gumbel::create(0.0, b).value(), Gumbel::create(0.0, 0.1 * b).value());
  }
}

// ---- against closed forms -----------------------------------------------------------------------

using Decimal300 = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<300>>;

const Laplace kWideLaplace = Laplace::create(0.0, 2.0).value();
const Exponential kExponential = Exponential::create(2.0).value();
const Gumbel kGumbel = Gumbel::create(0.0, 2.0).value();

Decimal300 binomial(int n, int k) {
  Decimal300 out = 1;
  for (int i = 0; i < k; ++i) out = out * (n - i) / (i + 1);
  return out;
}

// Exponential noise of scale 1: one expert d behind (d > 0) or ahead of `others` equal ones.
//   ahead by a:  E[(1 - e^-(Q + a))^m],  behind by d: e^-d E[(1 - e^-Q)^m] = e^-d / (m + 1)
Decimal300 exponential_ahead(int others, const Decimal300& ahead) {
  Decimal300 sum = 0;
  for (int k = 0; k <= others; ++k) {
    const Decimal300 term = binomial(others, k) * exp(-k * ahead) / (k + 1);
    sum += k % 2 == 0 ? term : Decimal300(-term);
  }
  return sum;
}

// Laplace noise of scale 1, one expert d >= 0 behind m equal ones, F(x) = e^x/2 or 1 - e^-x/2:
//   integral of f(x) F(x - d)^m dx over x < 0, 0..d and x > d
Decimal300 laplace_behind(int m, const Decimal300& d) {
  const Decimal300 half = Decimal300(1) / 2;
  Decimal300 sum = pow(half, m + 1) * exp(-m * d) / (m + 1);
  const Decimal300 rate = m - 1;
  sum += half * pow(half, m) * exp(-m * d) * (m == 1 ? d : Decimal300((exp(rate * d) - 1) / rate));
  for (int k = 0; k <= m; ++k) {
    const Decimal300 term = half * binomial(m, k) * pow(half, k) * exp(-d) / (k + 1);
    sum += k % 2 == 0 ? term : Decimal300(-term);
  }
  return sum;
}

template <class Noise>
double one_against(const Noise& noise, double ahead, double others) {
  const std::vector<ScoreGroup> groups{ScoreGroup::fixed(ahead, 1), ScoreGroup::fixed(0.0, others)};
  return grouped_noisy_max(noise, groups)[0];
}

void expect_relative(double log_value, const Decimal300& truth) {
  const Decimal300 error = abs(exp(Decimal300(log_value)) / truth - 1);
  EXPECT_LT(static_cast<double>(error), kNoisyMaxRelativeError)
      << log_value << " against " << static_cast<double>(log(truth));
}

TEST(GroupedNoisyMax, ExponentialNoiseHasTheClosedFormOfPermuteAndFlip) {
  for (const int others : {1, 2, 9, 99, 400}) {
    if (kSanitized && others == 400) continue;
    for (const double steps : {0.0, 0.25, 1.0, 2.0, 7.0, 40.0}) {
      SCOPED_TRACE(::testing::Message() << others << " others, " << steps);
      expect_relative(one_against(kExponential, 2.0 * steps, others),
                      exponential_ahead(others, Decimal300(steps)));
      expect_relative(one_against(kExponential, -2.0 * steps, others),
                      exp(-Decimal300(steps)) / (others + 1));
    }
  }
  expect_relative(one_against(kExponential, -2.0 * 450.0, 3), exp(-Decimal300(450)) / 4);
}

TEST(GroupedNoisyMax, LaplaceNoiseHasItsClosedForm) {
  for (const int others : {1, 2, 9, 99, 400}) {
    if (kSanitized && others == 400) continue;
    for (const double steps : {0.0, 0.25, 1.0, 2.0, 7.0, 40.0, 450.0}) {
      SCOPED_TRACE(::testing::Message() << others << " others, " << steps);
      expect_relative(one_against(kWideLaplace, -2.0 * steps, others),
                      laplace_behind(others, Decimal300(steps)));
    }
  }
}

TEST(GroupedNoisyMax, GumbelNoiseIsSoftmaxAndTheQuadratureAgrees) {
  for (const int others : {1, 9, 999}) {
    for (const double ahead : {-80.0, -3.0, 0.0, 1.5, 30.0}) {
      const Decimal300 weight = exp(Decimal300(ahead) / 2);
      expect_relative(one_against(kGumbel, ahead, others), weight / (weight + others));
      // A random score that is surely the same, which takes the quadrature.
      const std::vector<ScoreGroup> groups{{{ahead, ahead}, {0.25, 0.75}, 1},
                                           ScoreGroup::fixed(0.0, others)};
      expect_relative(grouped_noisy_max(kGumbel, groups)[0], weight / (weight + others));
    }
  }
}

template <class Noise>
void expect_plain_distribution(const Noise& noise, MaxNoise kind) {
  ReportNoisyMaxConfig config{.answers = 5, .noise = kind};
  const std::vector<double> scores{-3.5, 0.0, 0.0, 1.25, -40.0};
  const auto plain = ReportNoisyMax::create(config).value().log_pmf(scores);
  const std::vector<ScoreGroup> groups{ScoreGroup::fixed(-3.5, 1), ScoreGroup::fixed(0.0, 2),
                                       ScoreGroup::fixed(1.25, 1), ScoreGroup::fixed(-40.0, 1)};
  const auto grouped = grouped_noisy_max(noise, groups);
  const std::size_t group_of[] = {0, 1, 1, 2, 3};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(plain[i], grouped[group_of[i]], 2e-12) << i;
}

// A group of one law: nobody is ahead.
TEST(GroupedNoisyMax, MembersOfOneGroupAreEquallyLikely) {
  const std::vector<ScoreGroup> groups{ScoreGroup::of_losses(binomial_distribution(9, 0.3), 7.0)};
  EXPECT_EQ(grouped_noisy_max(kWideLaplace, groups)[0], -portable_log(7.0));
  EXPECT_EQ(grouped_noisy_max(kGumbel, groups)[0], -portable_log(7.0));
  const std::vector<ScoreGroup> alone{ScoreGroup::fixed(3.0)};
  EXPECT_EQ(grouped_noisy_max(kExponential, alone)[0], 0.0);
}

TEST(GroupedNoisyMax, AgreesWithReportNoisyMaxOnScoresThatDiffer) {
  expect_plain_distribution(kWideLaplace, MaxNoise::kLaplace);
  expect_plain_distribution(kExponential, MaxNoise::kExponential);
  expect_plain_distribution(kGumbel, MaxNoise::kGumbel);
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
        const auto distribution = grouped_noisy_max(noise, fixed);
        one += weight * std::exp(distribution[0]);
        other += weight * std::exp(distribution[1]);
      }
    }
  }
  const auto mixed = grouped_noisy_max(noise, groups);
  EXPECT_NEAR(std::exp(mixed[0]), one, 1e-13);
  EXPECT_NEAR(std::exp(mixed[1]), other, 1e-13);
  EXPECT_NEAR(std::exp(mixed[0]) + 2.0 * std::exp(mixed[1]), 1.0, 1e-13);
}

TEST(GroupedNoisyMax, RandomScoresAreTheMixtureOverAllTheirValues) {
  expect_mixture(kWideLaplace);
  expect_mixture(kExponential);
  expect_mixture(kGumbel);
}

template <class Noise>
void expect_sum_of_many(const Noise& noise) {
  const std::vector<ScoreGroup> groups{ScoreGroup::of_losses(binomial_distribution(64, 0.1)),
                                       ScoreGroup::of_losses(binomial_distribution(64, 0.5)),
                                       ScoreGroup::of_losses(binomial_distribution(64, 0.8), 300.0),
                                       ScoreGroup::of_losses(binomial_distribution(64, 1.0), 1e7)};
  const auto distribution = grouped_noisy_max(noise, groups);
  double total = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g)
    total += groups[g].count * std::exp(distribution[g]);
  EXPECT_NEAR(total, 1.0, 1e-13);
}

TEST(GroupedNoisyMax, ProbabilitiesOfManyMembersSumToOne) {
  for (const double b : {0.25, 3.0, 40.0}) {
    expect_sum_of_many(Laplace::create(0.0, b).value());
    expect_sum_of_many(Exponential::create(b).value());
    expect_sum_of_many(Gumbel::create(0.0, b).value());
  }
}

// e^60 members one step behind one another: P = (1 - (1 - 1/e)^K) e/K ahead, e^-1/K behind.
TEST(GroupedNoisyMax, CountsMayBeAsLargeAsDoubles) {
  const Exponential noise = Exponential::create(1.0).value();
  for (const double members : {3.0, 1e6, std::floor(std::exp(60.0))}) {
    const std::vector<ScoreGroup> ahead{ScoreGroup::fixed(0.0), ScoreGroup::fixed(-1.0, members)};
    const std::vector<ScoreGroup> behind{ScoreGroup::fixed(-1.0), ScoreGroup::fixed(0.0, members)};
    const Decimal300 k = Decimal300(members) + 1;
    const Decimal300 none = exp(k * log(1 - exp(Decimal300(-1))));
    expect_relative(grouped_noisy_max(noise, ahead)[0], (1 - none) * exp(Decimal300(1)) / k);
    expect_relative(grouped_noisy_max(noise, behind)[0], exp(Decimal300(-1)) / k);
  }
}

// A leader that is certain to be 0 but for a weight of 2^-900 1000 scales below, and its rival, for
// whom only that chance counts: terms that no double holds.
TEST(GroupedNoisyMax, TermsBelowTheSmallestDoubleAreKept) {
  const double weight = std::ldexp(1.0, -900);  // e^-623.8
  const std::vector<ScoreGroup> groups{{{0.0, -2000.0}, {1.0, weight}, 1.0},
                                       ScoreGroup::fixed(-1990.0, 1.0)};
  const double chance = -900.0 * std::log(2.0);
  EXPECT_NEAR(grouped_noisy_max(kExponential, groups)[1],
              chance + std::log1p(-0.5 * std::exp(-5.0)), 1e-12);
  EXPECT_NEAR(grouped_noisy_max(kGumbel, groups)[1], chance - std::log1p(std::exp(-5.0)), 1e-12);
  const double laplace = 1.0 - std::exp(-5.0) * (0.5 + 5.0 / 4.0);
  EXPECT_NEAR(grouped_noisy_max(kWideLaplace, groups)[1], chance + std::log(laplace), 1e-12);
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
  EXPECT_NEAR(sum(kWideLaplace), 1.0, 1e-12);
}

}  // namespace
}  // namespace assay

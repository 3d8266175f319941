// Mechanisms: laws that sum to one, guarantees that are attained, errors by their messages, and the
// bits of releases.
#include <bit>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/faulty/noisy_max_value.hpp"
#include "assay/mechanisms/faulty/parallel_sparse_vectors.hpp"
#include "assay/mechanisms/faulty/sparse_vectors.hpp"
#include "assay/mechanisms/faulty/unscaled_histogram.hpp"
#include "assay/mechanisms/idealized/gaussian_mechanism.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/idealized/noisy_histogram.hpp"
#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/discrete_noise_mechanisms.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/gaussian_mechanism.hpp"
#include "assay/mechanisms/release/laplace_mechanism.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/snapped_laplace.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"
#include "assay/mechanisms/release/unary_encoding.hpp"
#include "assay/tests/support/mechanism_distributions.hpp"

namespace assay {
namespace {

using testing::pure_level;
using testing::total_probability;
using testing::worst_loss;
using Vector = std::vector<double>;

ReplayStream mechanism_stream(std::string_view purpose) {
  return ReplayStream({17, hash_purpose(purpose), 0, 0, Phase::kCertify});
}

// Every vector of `n` answers with entries from `values`.
std::vector<Vector> answers_from(std::size_t n, const Vector& values) {
  std::vector<Vector> out{{}};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Vector> longer;
    for (const auto& v : out) {
      for (const double x : values) {
        longer.push_back(v);
        longer.back().push_back(x);
      }
    }
    out = longer;
  }
  return out;
}

// The largest loss over pairs (centre, centre + d), d a vector of -1, 0 and 1.
template <class M>
double worst_loss_of_neighbours(const M& mechanism, std::size_t n, const Vector& centres) {
  double most = 0.0;
  for (const auto& centre : answers_from(n, centres)) {
    const auto p = mechanism.log_pmf(centre);
    EXPECT_NEAR(total_probability(p), 1.0, 1e-12);
    for (auto other : answers_from(n, {-1.0, 0.0, 1.0})) {
      for (std::size_t i = 0; i < n; ++i) other[i] += centre[i];
      most = std::max(most, worst_loss(p, mechanism.log_pmf(other)));
    }
  }
  return most;
}

TEST(ReportNoisyMax, AttainsItsGuaranteeAndNeverExceedsIt) {
  for (const auto noise : {MaxNoise::kLaplace, MaxNoise::kExponential, MaxNoise::kGumbel,
                           MaxNoise::kDiscreteLaplace}) {
    const auto m = ReportNoisyMax::create({0.5, 3, noise}).value();
    const double level = pure_level(m.guarantee());
    const double worst = worst_loss_of_neighbours(m, 3, {0.0, 1.5, 40.0});
    EXPECT_LE(worst, level * (1.0 + 1e-9)) << m.config().answers;
    EXPECT_GE(worst, 0.95 * level);
  }
}

TEST(ReportNoisyMax, GaussianNoiseKeepsItsGaussianGuarantee) {
  const auto m = ReportNoisyMax::create({1.0, 3, MaxNoise::kGaussian}).value();
  const double mu = std::get<GaussianDp>(m.guarantee().level).mu.value;
  const auto p = m.log_pmf(Vector{1, 1, 1});
  const auto q = m.log_pmf(Vector{2, 0, 0});
  EXPECT_NEAR(total_probability(p), 1.0, 1e-12);
  EXPECT_NEAR(total_probability(q), 1.0, 1e-12);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(mu_from_event(p[i], q[i]).value, mu);
  EXPECT_GE(mu_from_event(p[0], q[0]).value, 0.25 * mu);
}

TEST(ReportNoisyMax, TwoAnswersHaveAClosedDistribution) {
  // For d = q_1 - q_0 >= 0 and Laplace noise of scale b: P(0) = (2 + d/b) e^(-d/b)/4.
  const auto m = ReportNoisyMax::create({0.8, 2, MaxNoise::kLaplace}).value();
  for (const double d : {0.0, 0.3, 1.0, 20.0, 700.0}) {
    const double z = d / 2.5;
    const auto p = m.log_pmf(Vector{-1.0, d - 1.0});
    EXPECT_NEAR(p[0], std::log((2.0 + z) / 4.0) - z, 1e-12 * (1.0 + z)) << d;
  }
}

TEST(ReportNoisyMax, ExponentialNoiseIsPermuteAndFlip) {
  const auto noisy = ReportNoisyMax::create({0.7, 5, MaxNoise::kExponential}).value();
  const auto flip = PermuteAndFlip::create({0.7, 1.0, 5}).value();
  const Vector q{3.0, -1.0, 4.5, 4.5, 0.0};
  const auto a = noisy.log_pmf(q);
  const auto b = flip.log_pmf(q);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
}

TEST(ReportNoisyMax, GumbelNoiseIsTheExponentialMechanism) {
  const auto noisy = ReportNoisyMax::create({0.7, 4, MaxNoise::kGumbel}).value();
  const auto exponential = ExponentialMechanism::create({0.7, 1.0, 4}).value();
  const Vector q{3.0, -1.0, 4.5, 400.0};
  const auto a = noisy.log_pmf(q);
  const auto b = exponential.log_pmf(q);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * std::abs(b[i]));
}

TEST(Selection, ExponentialMechanismAndPermuteAndFlipAttainTheirGuarantee) {
  const auto exponential = ExponentialMechanism::create({0.5, 1.0, 3}).value();
  const auto flip = PermuteAndFlip::create({0.5, 1.0, 3}).value();
  const double first = worst_loss_of_neighbours(exponential, 3, {0.0, 1.0, 60.0});
  const double second = worst_loss_of_neighbours(flip, 3, {0.0, 1.0, 60.0});
  EXPECT_LE(first, 0.5 + 1e-9);
  EXPECT_GE(first, 0.49);
  EXPECT_LE(second, 0.5 + 1e-9);
  EXPECT_GE(second, 0.49);
}

TEST(SparseVector, CorrectVariantsKeepTheirGuarantee) {
  for (const std::int64_t cutoff : {1, 2}) {
    const auto once = AboveThreshold::create({1.0, 0.5, cutoff, 3}).value();
    const auto again = ResettingAboveThreshold::create({1.0, 0.5, cutoff, 3}).value();
    EXPECT_LE(worst_loss_of_neighbours(once, 3, {-10.0, 0.0, 1.0}), 1.0 + 1e-9);
    EXPECT_LE(worst_loss_of_neighbours(again, 3, {-10.0, 0.0, 1.0}), 1.0 + 1e-9);
  }
}

TEST(SparseVector, FaultyVariantsBreakTheirClaimButKeepWhatTheirHeadersState) {
  const auto fourth = faulty::SparseVector4::create({1.0, 0.0, 2, 4}).value();
  const auto sixth = faulty::SparseVector6::create({1.0, 0.0, 1, 4}).value();
  const double four = worst_loss_of_neighbours(fourth, 4, {0.0});
  const double six = worst_loss_of_neighbours(sixth, 4, {0.0});
  EXPECT_GT(four, 1.2);
  EXPECT_LE(four, pure_level(fourth.guarantee()));
  EXPECT_GT(six, 1.2);
  EXPECT_LE(six, pure_level(sixth.guarantee()));
}

TEST(SparseVector, WithoutNoiseOnTheAnswersOutputsBecomeImpossible) {
  const auto fifth = faulty::SparseVector5::create({1.0, 1.0, 1, 2}).value();
  const Vector equal{1.0, 1.0};
  const Vector apart{2.0, 0.0};
  const auto p = fifth.log_pmf(apart);
  const auto q = fifth.log_pmf(equal);
  EXPECT_NEAR(total_probability(p), 1.0, 1e-13);
  // Outputs in order: 00, 01, 10, 11. From (2, 0): 10 needs -1 < z <= 1.
  EXPECT_EQ(q[2], -kInfinity);
  EXPECT_NEAR(std::exp(p[2]), 1.0 - std::exp(-0.5), 1e-13);
  EXPECT_EQ(pure_level(fifth.guarantee()), kInfinity);
}

TEST(SparseVector, OneAnswerIsADifferenceOfTwoLaplaceVariables) {
  // P(q + nu >= T + rho) for scales r, n and gap g = T - q >= 0:
  // (n^2 e^(-g/n) - r^2 e^(-g/r))/(2 (n^2 - r^2)).
  const auto m = AboveThreshold::create({1.0, 3.0, 1, 1}).value();
  const double r = 2.0, n = 4.0, g = 2.5;
  const auto p = m.log_pmf(Vector{3.0 - g});
  const double above =
      (n * n * std::exp(-g / n) - r * r * std::exp(-g / r)) / (2.0 * (n * n - r * r));
  EXPECT_NEAR(std::exp(p[1]), above, 1e-13);
  EXPECT_NEAR(std::exp(p[0]), 1.0 - above, 1e-13);
}

template <class M>
void expect_all_outputs_agree(const M& m, const Vector& q, std::size_t count) {
  const auto outputs = m.outputs(q);
  const auto all = m.log_pmf(q);
  ASSERT_EQ(outputs.size(), count);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_NEAR(m.rule().log_probability(outputs[i], q), all[i], 1e-12);
  }
}

TEST(SparseVector, AllOutputsAtOnceAgreeWithOneAtATime) {
  const Vector q{0.0, 1.0, 7.0, -3.0, 0.5, 0.5};
  for (const auto& [cutoff, count] : {std::pair(1, 7U), std::pair(2, 22U), std::pair(6, 64U)}) {
    const SparseVectorConfig config{1.0, 0.5, cutoff, 6};
    expect_all_outputs_agree(AboveThreshold::create(config).value(), q, count);
    expect_all_outputs_agree(ResettingAboveThreshold::create(config).value(), q, count);
  }
}

// Long lists took seconds, which nothing cuts short: what many outputs have in common is computed once.
TEST(SparseVector, TheWorkOfADistributionGrowsWithTheListAndNotWithTheOutputs) {
  const auto work = [](auto m, std::size_t n) {
    return m.value().rule().distribution_work(Vector(n, 0.0));
  };
  const double of_few = work(AboveThreshold::create({1.0, 0.0, 1, 16}), 16);
  EXPECT_EQ(work(AboveThreshold::create({1.0, 0.0, 16, 16}), 16) / of_few, 1.0);
  EXPECT_EQ(work(AboveThreshold::create({1.0, 0.0, 1, 1024}), 1024) / of_few, 64.0);
}

TEST(SparseVector, DensitiesOfValuesIntegrateToTheFlags) {
  // One answer above at place 1: the density of its value, by the trapezoid rule, against P(flags).
  const auto third = faulty::SparseVector3::create({1.0, 0.5, 1, 2}).value();
  const auto numerical = idealized::NumericalSparseVector::create({1.0, 0.5, 1, 2}).value();
  const Vector q{0.0, 1.0};
  double third_sum = 0.0;
  double numerical_sum = 0.0;
  for (double v = -400.0; v < 400.0; v += 0.125) {
    const Vector output{-kInfinity, v};
    third_sum += 0.125 * std::exp(third.log_density(output, q));
    numerical_sum += 0.125 * std::exp(numerical.log_density(output, q));
  }
  const std::vector<Answer> flags{Answer::kBelow, Answer::kAbove};
  EXPECT_NEAR(third_sum, std::exp(third.rule().log_probability(flags, q)), 2e-4);
  EXPECT_NEAR(numerical_sum, std::exp(numerical.rule().log_probability(flags, q)), 2e-4);
}

TEST(SparseVector, TheThirdVariantAttainsItsLevelAsTheValueFalls) {
  const auto third = faulty::SparseVector3::create({0.1, 1.0, 1, 10}).value();
  Vector output(10, -kInfinity);
  output[9] = -1000.0;
  const double loss =
      third.log_density(output, Vector(10, 1.0)) - third.log_density(output, Vector(10, 2.0));
  EXPECT_NEAR(loss, 0.5, 1e-12);
  EXPECT_NEAR(pure_level(third.guarantee()), 0.5, 1e-15);
}

TEST(TruncatedGeometric, IsExactAndAttainsItsLevel) {
  for (const std::int64_t bits : {1, 3, 6}) {
    const auto m = TruncatedGeometric::create({bits, 5}).value();
    double worst = 0.0;
    for (std::int64_t c = 0; c <= 5; ++c) {
      EXPECT_NEAR(total_probability(m.log_pmf(c)), 1.0, 1e-14);
      if (c > 0) worst = std::max(worst, worst_loss(m.log_pmf(c), m.log_pmf(c - 1)));
      if (c > 0) worst = std::max(worst, worst_loss(m.log_pmf(c - 1), m.log_pmf(c)));
    }
    EXPECT_NEAR(worst, pure_level(m.guarantee()), 1e-13);
  }
  // d = 17 9^4 = 111537; from c = 0, F(0) = d - 8 9^4 = 9^5; from c = 5, F(0) = 8^5.
  const auto m = TruncatedGeometric::create({3, 5}).value();
  EXPECT_EQ(m.weights(0)[0], 59049u);
  EXPECT_EQ(m.weights(5)[0], 32768u);
}

TEST(RandomizedResponse, AttainsItsLevel) {
  const auto m = RandomizedResponse::create({1.25, 7}).value();
  EXPECT_NEAR(total_probability(m.log_pmf(3)), 1.0, 1e-15);
  EXPECT_NEAR(worst_loss(m.log_pmf(3), m.log_pmf(2)), 1.25, 1e-14);
}

TEST(UnaryEncoding, AttainsItsLevelAndEstimatesWithoutBias) {
  for (const auto bits : {UnaryBits::kOptimized, UnaryBits::kSymmetric}) {
    const auto m = UnaryEncoding::create({1.25, 7, bits}).value();
    EXPECT_NEAR(total_probability(m.log_pmf(3)), 1.0, 1e-14);
    EXPECT_NEAR(worst_loss(m.log_pmf(3), m.log_pmf(2)), 1.25, 1e-14);
    EXPECT_DOUBLE_EQ(m.p() * (1.0 - m.q()), std::exp(1.25) * m.q() * (1.0 - m.p()));
    // Records 0..6 a hundred times each: every estimate is about 100, with its exact variance.
    Vector counts(7, 0.0), out(7);
    auto random = mechanism_stream("unary");
    for (int i = 0; i < 700; ++i) {
      m.release_many(i % 7, random, out);
      for (std::size_t j = 0; j < 7; ++j) counts[j] += out[j];
    }
    const double variance = 100.0 * m.p() * (1.0 - m.p()) + 600.0 * m.q() * (1.0 - m.q());
    for (const double count : counts) {
      const double estimate = (count - 700.0 * m.q()) / (m.p() - m.q());
      EXPECT_NEAR(estimate, 100.0, 5.0 * std::sqrt(variance) / (m.p() - m.q()));
    }
  }
}

TEST(Rappor, HashesAreMurmurHash3) {
  EXPECT_EQ(detail::murmur3("", 0), 0u);
  EXPECT_EQ(detail::murmur3("", 1), 0x514E28B7u);
  EXPECT_EQ(detail::murmur3("test", 0), 0xba6bd213u);
  EXPECT_EQ(detail::murmur3("Hello, world!", 0x9747b28cu), 0x24884CBAu);
}

TEST(Rappor, FiltersOfTheBenchmarkValues) {
  const auto m = Rappor::create({}).value();
  const auto bits = [](std::initializer_list<int> set) {
    std::uint64_t out = 0;
    for (const int j : set) out |= std::uint64_t{1} << j;
    return out;
  };
  EXPECT_EQ(m.filter(0), bits({0, 11, 18}));
  EXPECT_EQ(m.filter(1), bits({3, 10, 13}));
  EXPECT_EQ(m.filter(2), bits({7, 10, 11, 19}));
}

TEST(Rappor, LevelsOfTwoValuesAreThoseOfTheirDistributions) {
  const auto m = Rappor::create({8, 2, 0.5, 0.3, 0.8}).value();
  const auto once = OneTimeRappor::create({8, 2, 0.5}).value();
  double worst = 0.0;
  double worst_once = 0.0;
  for (std::int64_t v = 0; v < 12; ++v) {
    EXPECT_NEAR(total_probability(m.log_pmf(v)), 1.0, 1e-13);
    for (std::int64_t w = 0; w < v; ++w) {
      const double level =
          std::max(worst_loss(m.log_pmf(v), m.log_pmf(w)), worst_loss(m.log_pmf(w), m.log_pmf(v)));
      EXPECT_NEAR(level, m.pair_epsilon(v, w), 1e-12) << v << " " << w;
      worst = std::max(worst, level);
      worst_once = std::max(worst_once, worst_loss(once.log_pmf(v), once.log_pmf(w)));
    }
  }
  EXPECT_NEAR(worst, pure_level(m.guarantee()), 1e-12);
  EXPECT_NEAR(worst_once, pure_level(once.guarantee()), 1e-12);
  EXPECT_NEAR(pure_level(once.guarantee()), 4.0 * std::log(3.0), 1e-14);
}

TEST(GaussianMechanism, AnalyticNoiseIsTheLeastThatKeepsTheClaim) {
  for (const double epsilon : {0.01, 0.5, 1.0, 8.0}) {
    for (const double delta : {1e-2, 1e-5, 1e-12}) {
      const auto m = idealized::GaussianMechanism::create({epsilon, delta, 2.0}).value();
      const Mu mu = m.mu();
      EXPECT_LE(gdp_delta(mu, Epsilon{epsilon}).value, delta);
      EXPECT_GE(gdp_delta(Mu{mu.value * (1 + 1e-9)}, Epsilon{epsilon}).value, delta);
    }
  }
}

TEST(GaussianMechanism, ClassicalNoiseIsLargerAndKeepsTheClaim) {
  for (const double epsilon : {0.01, 0.5, 0.99}) {
    const auto classical = idealized::GaussianMechanism::create(
                               {epsilon, 1e-5, 1.0, idealized::GaussianCalibration::kClassical})
                               .value();
    const auto analytic = idealized::GaussianMechanism::create({epsilon, 1e-5, 1.0}).value();
    EXPECT_GT(classical.noise().scale(), analytic.noise().scale());
    EXPECT_LT(gdp_delta(classical.mu(), Epsilon{epsilon}).value, 1e-5);
  }
  EXPECT_THAT(idealized::GaussianMechanism::create(
                  {1.0, 1e-5, 1.0, idealized::GaussianCalibration::kClassical}),
              IsRefused("epsilon must be below 1 for the classical"));
}

TEST(DiscreteMechanisms, DeltaOfTheDiscreteGaussianIsThatOfItsDistribution) {
  const auto m = DiscreteGaussianMechanism::create({0.5, 3.0, 2}).value();
  double delta = 0.0;
  for (std::int64_t y = -120; y <= 120; ++y) {
    delta += std::max(0.0, std::exp(m.log_density(y, 2)) - std::exp(0.5 + m.log_density(y, 0)));
  }
  const double stated = std::get<ApproximateDp>(m.guarantee().level).delta.value;
  EXPECT_GE(stated, delta);
  EXPECT_LE(stated, delta + 3e-12);
  EXPECT_GT(delta, 1e-3);
}

TEST(DiscreteMechanisms, DiscreteLaplaceAttainsItsLevel) {
  const auto m = DiscreteLaplaceMechanism::create({0.75, 2}).value();
  const std::vector<std::int64_t> q{0, 5}, other{1, 4}, output{-3, 9};
  EXPECT_NEAR(m.log_density(output, q) - m.log_density(output, other), 0.75, 1e-14);
}

TEST(LaplaceReleases, LossesAreThoseOfTheirHeaders) {
  const Vector q{1, 1, 1}, up{2, 2, 2}, output{-5, -9, -7};
  const auto histogram = idealized::NoisyHistogram::create({0.1}).value();
  EXPECT_NEAR(histogram.log_density(output, q) - histogram.log_density(output, up), 0.3, 1e-14);
  const auto prefix = idealized::PrefixSum::create({0.1}).value();
  const Vector sums{-5, -14, -21};
  EXPECT_NEAR(prefix.log_density(sums, q), histogram.log_density(output, q), 1e-13);
  const auto parallel = idealized::ParallelLaplace::create({0.005, 20}).value();
  EXPECT_NEAR(parallel.log_density(Vector(40, -1.0), Vector{0.0, 3.0}) -
                  parallel.log_density(Vector(40, -1.0), Vector{1.0, 3.0}),
              0.1, 1e-13);
  EXPECT_NEAR(pure_level(parallel.guarantee()), 0.1, 1e-15);
  const auto unscaled = faulty::UnscaledHistogram::create({0.1}).value();
  EXPECT_NEAR(pure_level(unscaled.guarantee()), 10.0, 1e-13);
  EXPECT_NEAR(unscaled.log_density(output, q) - unscaled.log_density(output, Vector{2, 1, 1}), 10.0,
              1e-12);
}

TEST(NoisyMaxValue, DensityIsTheDerivativeOfItsDistribution) {
  const Vector q{0.0, 1.0, 1.5};
  for (const auto noise : {faulty::ValueNoise::kLaplace, faulty::ValueNoise::kExponential}) {
    const auto m = faulty::NoisyMaxValue::create({1.0, 3, noise}).value();
    for (const double y : {1.7, 3.0, 10.0}) {
      const double h = 1e-5;
      const double slope =
          (std::exp(m.log_cdf(y + h, q)) - std::exp(m.log_cdf(y - h, q))) / (2 * h);
      EXPECT_NEAR(std::exp(m.log_density(y, q)), slope, 1e-9);
    }
  }
  const auto m = faulty::NoisyMaxValue::create({1.0, 3, faulty::ValueNoise::kExponential}).value();
  EXPECT_EQ(m.log_density(1.4, q), -kInfinity);
}

// ---- errors ---------------------------------------------------------------------------------

template <class M>
void expect_message(const Result<M>& result, const std::string& text, const std::string& path) {
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr(text));
  EXPECT_EQ(result.error().path, path);
}

template <class M>
void expect_epsilon_is_checked() {
  for (const double bad : {0.0, -1.0, kNaN, kInfinity}) {
    typename M::Config config;
    config.epsilon = bad;
    expect_message(M::create(config), "epsilon must be ", "/epsilon");
  }
}
template <class... M>
void expect_epsilons_are_checked() {
  (expect_epsilon_is_checked<M>(), ...);
}

TEST(MechanismErrors, EpsilonHasToBePositiveAndFinite) {
  expect_epsilons_are_checked<
      idealized::LaplaceMechanism, idealized::GaussianMechanism, LaplaceMechanism,
      GaussianMechanism, SnappedLaplace, DiscreteLaplaceMechanism, DiscreteGaussianMechanism,
      idealized::NoisyHistogram, idealized::PrefixSum, idealized::ParallelLaplace,
      ExponentialMechanism, PermuteAndFlip, ReportNoisyMax, AboveThreshold,
      idealized::NumericalSparseVector, RandomizedResponse, UnaryEncoding, faulty::NoisyMaxValue,
      faulty::SparseVector3, faulty::ParallelSparseVectors, faulty::UnscaledHistogram>();
}

TEST(MechanismErrors, OtherFieldsNameThemselves) {
  expect_message(idealized::LaplaceMechanism::create({1.0, -2.0}), "sensitivity must be",
                 "/sensitivity");
  expect_message(idealized::GaussianMechanism::create({1.0, 0.0}), "delta must be", "/delta");
  expect_message(TruncatedGeometric::create({30, 60}), "need integers beyond 2^63", "/records");
  expect_message(Rappor::create({20, 4, kNaN, 0.45, 0.55}), "f must be", "/f");
  expect_message(RandomizedResponse::create({1.0, 1}), "values must be 2 to", "/values");
  expect_message(UnaryEncoding::create({1.0, 65}), "values must be 2 to 64", "/values");
  expect_message(DiscreteGaussian::create(0.0), "scale must be 0.01 to 1e+09, not 0", "/scale");
  expect_message(DiscreteLaplace::create(kNaN), "scale must be 0.001 to 1e+15", "/scale");
}

TEST(MechanismErrors, InputsAreCheckedByEntry) {
  const auto histogram = idealized::NoisyHistogram::create({1.0}).value();
  expect_message(histogram.check_input(Vector{}), "input must have at least 1 entry, not 0",
                 "/input");
  expect_message(histogram.check_input(Vector{1.0, kNaN}), "input[1] must be finite, not nan",
                 "/input/1");
  const auto max = ReportNoisyMax::create({1.0, 5}).value();
  expect_message(max.check_input(Vector{1.0}), "input must have 5 entries, not 1", "/input");
  const auto geometric = TruncatedGeometric::create({3, 5}).value();
  expect_message(geometric.check_input(6), "input must be 0 to 5, not 6", "/input");
  const auto parallel = idealized::ParallelLaplace::create({}).value();
  expect_message(parallel.check_input(Vector{kInfinity}), "input[0] must be finite", "/input/0");
  EXPECT_TRUE(max.check_input(Vector(5, 0.0)));
}

// ---- bits -----------------------------------------------------------------------------------

std::uint64_t hash_of(std::span<const double> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double x : values) {
    // Not a number counts as one value: its sign bit is the processor's.
    const auto bits = std::isnan(x) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(x);
    hash = (hash ^ bits) * 0x100000001b3u;
  }
  return hash;
}

template <class M>
std::uint64_t hash_of_releases(const M& mechanism, const typename M::Input& input,
                               std::size_t size) {
  auto random = mechanism_stream("golden");
  Vector out(100 * size);
  mechanism.release_many(input, random, out);
  return hash_of(out);
}

TEST(MechanismBits, ArePinned) {
  const Vector five{1, 2, 0, 1, 1.5};
  const auto svt = SparseVectorConfig{0.5, 1.0, 2, 5};
  const std::array<std::uint64_t, 16> hashes{
      hash_of_releases(idealized::LaplaceMechanism::create({}).value(), five, 5),
      hash_of_releases(idealized::GaussianMechanism::create({}).value(), five, 5),
      hash_of_releases(idealized::PrefixSum::create({}).value(), five, 5),
      hash_of_releases(idealized::ParallelLaplace::create({1.0, 4}).value(), Vector{0.5}, 4),
      hash_of_releases(ExponentialMechanism::create({}).value(), five, 1),
      hash_of_releases(PermuteAndFlip::create({}).value(), five, 1),
      hash_of_releases(ReportNoisyMax::create({1.0, 5, MaxNoise::kLaplace}).value(), five, 1),
      hash_of_releases(ReportNoisyMax::create({1.0, 5, MaxNoise::kDiscreteLaplace}).value(), five,
                       1),
      hash_of_releases(AboveThreshold::create(svt).value(), five, 5),
      hash_of_releases(ResettingAboveThreshold::create(svt).value(), five, 5),
      hash_of_releases(idealized::NumericalSparseVector::create(svt).value(), five, 5),
      hash_of_releases(faulty::ParallelSparseVectors::create(svt).value(), five, 10),
      hash_of_releases(TruncatedGeometric::create({}).value(), 3, 1),
      hash_of_releases(RandomizedResponse::create({1.0, 5}).value(), 3, 1),
      hash_of_releases(Rappor::create({}).value(), 1, 20),
      hash_of_releases(faulty::NoisyMaxValue::create({}).value(), five, 1)};
  const std::array<std::uint64_t, 16> pinned{
      13385558616759872901u, 15901670256088633523u, 9156260746403620245u,  10421198726895519855u,
      5053142905733350261u,  10651117242554876789u, 11096973605664555893u, 6302891802328662901u,
      1194576391691572917u,  2655994470773298869u,  17142963555676330637u, 5197784250551096472u,
      12314071404961432437u, 12144060519028196213u, 12985243840325410661u, 4610149909433402315u};
  EXPECT_EQ(hashes, pinned);
}

TEST(MechanismBits, OfTheDiscreteGaussianArePinned) {
  const auto m = DiscreteGaussianMechanism::create({1.0, 5.0, 1}).value();
  auto random = mechanism_stream("golden");
  Vector out;
  for (int i = 0; i < 100; ++i) out.push_back(static_cast<double>(m.release(0, random)));
  EXPECT_EQ(hash_of(out), 766279010430059381u);
}

TEST(MechanismBits, OfFixedPointReleasesArePinned) {
  const Vector five{1, 2, 0, 1, 1.5};
  const std::array<std::uint64_t, 3> hashes{
      hash_of_releases(LaplaceMechanism::create({1.0, 1.0, 5, 0.0}).value(), five, 5),
      hash_of_releases(GaussianMechanism::create({1.0, 1e-5, 1.0, 5, 0.0}).value(), five, 5),
      hash_of_releases(SnappedLaplace::create({}).value(), 1.5, 1)};
  const std::array<std::uint64_t, 3> pinned{11133948997710386869u, 17904520214244497077u,
                                            16830055931307197301u};
  EXPECT_EQ(hashes, pinned);
}

TEST(MechanismBits, ManyReleasesAreRepeatedSingleOnes) {
  const Vector five{1, 2, 0, 1, 1.5};
  const auto m = idealized::NumericalSparseVector::create({0.5, 1.0, 2, 5}).value();
  auto one = mechanism_stream("many");
  auto many = mechanism_stream("many");
  Vector all(500), singles;
  m.release_many(five, many, all);
  for (int i = 0; i < 100; ++i) {
    for (const double x : m.release(five, one)) singles.push_back(x);
  }
  EXPECT_EQ(hash_of(all), hash_of(singles));
  EXPECT_EQ(one.next(), many.next());
}

using testing::expect_counts_follow;
using testing::total_probability;

ReplayStream exponential_stream(std::uint64_t seed) {
  return ReplayStream({seed, hash_purpose("tests/exponential"), 0, 0, Phase::kCertify});
}

// Several blocks, the last one short; some of no weight at all.
std::vector<double> long_scores() {
  std::vector<double> scores(3000);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = i % 3 == 0 ? -1e6 : 0.002 * static_cast<double>(i % 1500);
  }
  scores[2998] = 12.0;
  return scores;
}

TEST(ExponentialMechanism, ManyReleasesAreTheBitsOfRepeatedOnes) {
  const auto scores = long_scores();
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, 3000}).value();
  auto one = exponential_stream(1);
  auto many = exponential_stream(1);
  std::vector<double> out(500);
  mechanism.release_many(scores, many, out);
  for (const double x : out)
    EXPECT_EQ(static_cast<std::int64_t>(x), mechanism.release(scores, one));
  EXPECT_EQ(one.next(), many.next());
}

TEST(ExponentialMechanism, BothSamplersFollowTheDistribution) {
  const auto scores = long_scores();
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, 3000}).value();
  const auto distribution = mechanism.log_pmf(scores);
  auto random = exponential_stream(2);
  std::vector<double> blocks(scores.size(), 0.0);
  std::vector<double> out(400000);
  mechanism.release_many(scores, random, out);
  for (const double x : out) ++blocks[static_cast<std::size_t>(x)];
  expect_counts_follow(blocks, distribution, 400000, "blocks");
  std::vector<double> streaming(scores.size(), 0.0);
  for (int draw = 0; draw < 5000; ++draw) {
    ++streaming[static_cast<std::size_t>(mechanism.release_streaming(scores, random))];
  }
  expect_counts_follow(streaming, distribution, 5000, "streaming");
}

TEST(ExponentialMechanism, AMillionCandidatesKeepTheirDistribution) {
  constexpr std::size_t kCandidates = 1'000'000;
  std::vector<double> scores(kCandidates);
  for (std::size_t i = 0; i < kCandidates; ++i) scores[i] = -0.001 * static_cast<double>(i);
  const auto mechanism = ExponentialMechanism::create({2.0, 1.0, 1'000'000}).value();
  const auto distribution = mechanism.log_pmf(scores);
  // Geometric: P(0) = 1 - e^-0.001, up to e^-1000.
  const double first = std::log(-std::expm1(-0.001));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, kCandidates / 2, kCandidates - 1}) {
    EXPECT_NEAR(distribution[i], first - 0.001 * static_cast<double>(i), 1e-12);
  }
  EXPECT_NEAR(total_probability(distribution), 1.0, 1e-11);
}

TEST(ExponentialMechanism, TooManyCandidatesAreAnError) {
  const auto error = error_of(ExponentialMechanism::create({1.0, 1.0, 100'000'001}));
  EXPECT_EQ(error.path, "/answers");
}

}  // namespace
}  // namespace assay

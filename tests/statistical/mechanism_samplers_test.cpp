// Releases against their laws. alpha = 1e-6 for each assertion, fixed seeds.
//
// Finite mechanisms: chi-square. Laplace releases are sums with noises tested elsewhere; values of
// noisy max by Kolmogorov-Smirnov (Massart 1990); the mechanisms with values by the probability of
// each pattern of flags, and the third variant's value by its distribution, integrated.
#include "assay/mechanisms/faulty/noisy_max_value.hpp"
#include "assay/mechanisms/faulty/parallel_sparse_vectors.hpp"
#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/randomized_response.hpp"
#include "assay/mechanisms/release/rappor.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/truncated_geometric.hpp"
#include "assay/mechanisms/release/unary_encoding.hpp"
#include "assay/tests/support/mechanism_distributions.hpp"

namespace assay {
namespace {

using testing::expect_counts_follow;
using testing::expect_releases_follow_pmf;
using Vector = std::vector<double>;

constexpr int kReleaseDraws = 300'000;

ReplayStream stream(std::string_view purpose) {
  return ReplayStream({20260102, hash_purpose(purpose), 0, 0, Phase::kCertify});
}

TEST(MechanismSamplers, SelectionFollowsItsDistribution) {
  const Vector q{0.0, 3.0, 2.5, -4.0, 3.0};
  for (const auto noise : {MaxNoise::kLaplace, MaxNoise::kExponential, MaxNoise::kGumbel,
                           MaxNoise::kGaussian, MaxNoise::kDiscreteLaplace}) {
    const auto m = ReportNoisyMax::create({0.8, 5, noise}).value();
    expect_releases_follow_pmf(m, q, kReleaseDraws,
                               "noisy max " + std::to_string(static_cast<int>(noise)));
  }
  expect_releases_follow_pmf(ExponentialMechanism::create({0.8, 1.0, 5}).value(), q, kReleaseDraws,
                             "exponential mechanism");
  expect_releases_follow_pmf(PermuteAndFlip::create({0.8, 1.0, 5}).value(), q, kReleaseDraws,
                             "permute and flip");
}

TEST(MechanismSamplers, DiscreteNoisyMaxBreaksTiesToTheFirst) {
  const auto m = ReportNoisyMax::create({4.0, 3, MaxNoise::kDiscreteLaplace}).value();
  expect_releases_follow_pmf(m, Vector{1.0, 1.0, 1.0}, kReleaseDraws, "ties");
  const auto p = m.log_pmf(Vector{1.0, 1.0, 1.0});
  EXPECT_GT(p[0], p[1]);
  EXPECT_GT(p[1], p[2]);
}

TEST(MechanismSamplers, SparseVectorsFollowTheirDistributions) {
  const Vector q{1.0, 0.0, 2.5, 1.0};
  const SparseVectorConfig config{1.5, 1.0, 2, 4};
  expect_releases_follow_pmf(AboveThreshold::create(config).value(), q, kReleaseDraws, "svt 1");
  expect_releases_follow_pmf(ResettingAboveThreshold::create(config).value(), q, kReleaseDraws,
                             "svt 2");
  expect_releases_follow_pmf(faulty::SparseVector4::create(config).value(), q, kReleaseDraws,
                             "svt 4");
  expect_releases_follow_pmf(faulty::SparseVector5::create(config).value(), q, kReleaseDraws,
                             "svt 5");
  expect_releases_follow_pmf(faulty::SparseVector6::create(config).value(), q, kReleaseDraws,
                             "svt 6");
}

TEST(MechanismSamplers, LocalMechanismsFollowTheirDistributions) {
  expect_releases_follow_pmf(TruncatedGeometric::create({2, 5}).value(), 1, kReleaseDraws,
                             "geometric");
  expect_releases_follow_pmf(RandomizedResponse::create({1.0, 6}).value(), 4, kReleaseDraws,
                             "response");
  expect_releases_follow_pmf(UnaryEncoding::create({1.0, 6}).value(), 4, kReleaseDraws, "unary");
  expect_releases_follow_pmf(Rappor::create({6, 2, 0.5, 0.3, 0.8}).value(), 7, kReleaseDraws,
                             "rappor");
  expect_releases_follow_pmf(OneTimeRappor::create({6, 2, 0.5}).value(), 7, kReleaseDraws,
                             "one-time");
}

template <class Noise>
void expect_integers_follow(const Noise& noise, std::int64_t reach, std::string_view what) {
  auto random = stream(what);
  Vector counts(static_cast<std::size_t>(2 * reach + 1), 0.0);
  Vector log_pmf;
  for (std::int64_t k = -reach; k <= reach; ++k) log_pmf.push_back(noise.log_pmf(k));
  for (int i = 0; i < kReleaseDraws; ++i) {
    const std::int64_t k = noise.sample(random);
    ASSERT_LE(std::abs(k), reach) << what;
    counts[static_cast<std::size_t>(k + reach)] += 1.0;
  }
  expect_counts_follow(counts, log_pmf, kReleaseDraws, what);
}

TEST(MechanismSamplers, DiscreteNoiseFollowsItsDistribution) {
  for (const double scale : {0.4, 1.0, 6.5}) {
    expect_integers_follow(DiscreteLaplace::create(scale).value(), 330, "discrete laplace");
    expect_integers_follow(DiscreteGaussian::create(scale).value(), 330, "discrete gaussian");
    expect_integers_follow(ExactDiscreteLaplace::create(scale).value(), 330, "exact laplace");
    expect_integers_follow(ExactDiscreteGaussian::at_least(scale).value(), 330, "exact gaussian");
  }
}

TEST(MechanismSamplers, NoisyMaximaFollowTheirDistribution) {
  const Vector q{0.0, 1.0, 1.5};
  for (const auto noise : {faulty::ValueNoise::kLaplace, faulty::ValueNoise::kExponential}) {
    const auto m = faulty::NoisyMaxValue::create({1.0, 3, noise}).value();
    auto random = stream("noisy maximum");
    Vector draws(kReleaseDraws);
    m.release_many(q, random, draws);
    const auto cdf = [&](double x) { return std::exp(m.log_cdf(x, q)); };
    EXPECT_LE(kolmogorov_distance(draws, cdf), kolmogorov_limit(draws.size()));
  }
}

// Flags of releases of values: finite above, -infinity below, NaN not answered.
std::vector<Answer> flags_of(std::span<const double> values) {
  std::vector<Answer> out;
  for (const double x : values) {
    out.push_back(std::isnan(x) ? Answer::kNone : std::isinf(x) ? Answer::kBelow : Answer::kAbove);
  }
  return out;
}

template <class M>
void expect_flags_follow(const M& m, const Vector& q, std::string_view what) {
  const auto outputs = m.rule().outputs(q.size());
  Vector counts(outputs.size(), 0.0);
  auto random = stream(what);
  for (int i = 0; i < kReleaseDraws; ++i) {
    const auto at = std::find(outputs.begin(), outputs.end(), flags_of(m.release(q, random)));
    ASSERT_NE(at, outputs.end()) << what;
    counts[static_cast<std::size_t>(at - outputs.begin())] += 1.0;
  }
  expect_counts_follow(counts, m.rule().log_pmf(q), kReleaseDraws, what);
}

TEST(MechanismSamplers, ReleasesOfValuesHaveTheFlagsOfTheirDistributions) {
  const Vector q{1.0, 0.0, 2.5, 1.0};
  const SparseVectorConfig config{1.5, 1.0, 2, 4};
  expect_flags_follow(idealized::NumericalSparseVector::create(config).value(), q, "numerical");
  expect_flags_follow(faulty::SparseVector3::create(config).value(), q, "svt 3");
}

TEST(MechanismSamplers, TheThirdVariantsValueFollowsItsDensity) {
  const auto m = faulty::SparseVector3::create({1.5, 1.0, 1, 2}).value();
  const Vector q{0.0, 1.5};
  auto random = stream("value of svt 3");
  // Releases whose second answer is the first above, by the value's interval of length 1.
  constexpr int kLow = -8;
  constexpr int kIntervals = 20;
  Vector counts(kIntervals + 1, 0.0);
  Vector log_pmf;
  double rest = 1.0;
  for (int k = 0; k < kIntervals; ++k) {
    double p = 0.0;
    for (double v = kLow + k + 1.0 / 128; v < kLow + k + 1; v += 1.0 / 64) {
      p += std::exp(m.log_density(Vector{-std::numeric_limits<double>::infinity(), v}, q)) / 64;
    }
    log_pmf.push_back(std::log(p));
    rest -= p;
  }
  log_pmf.push_back(std::log(rest));
  for (int i = 0; i < kReleaseDraws; ++i) {
    const auto out = m.release(q, random);
    const double place = std::isinf(out[0]) && std::isfinite(out[1]) ? out[1] - kLow : -1.0;
    const bool inside = place >= 0.0 && place < kIntervals;
    counts[inside ? static_cast<std::size_t>(place) : kIntervals] += 1.0;
  }
  expect_counts_follow(counts, log_pmf, kReleaseDraws, "value of svt 3");
}

}  // namespace
}  // namespace assay

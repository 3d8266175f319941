// Releases of counters against their stated variances and error bounds. alpha = 1e-6 for each
// assertion, fixed seeds.
//
// Gaussian kinds: the sum of n squared errors over the variance is chi-square with n degrees of
// freedom. Laplace: the error at t = 1 is one noise, and 2/s times the sum of n absolute values of it
// is chi-square with 2 n degrees.
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t kSteps = 31;

const int kCounterReleases = 20'000;

void expect_chi_square(double statistic, double degrees, const std::string& what) {
  const boost::math::chi_squared_distribution<> distribution(degrees);
  EXPECT_GT(boost::math::cdf(distribution, statistic), 0.5 * kTestAlpha) << what << ": too small";
  EXPECT_GT(boost::math::cdf(boost::math::complement(distribution, statistic)), 0.5 * kTestAlpha)
      << what << ": too large";
}

// Mean squares of the errors of estimates(release) at each t, and how often any exceeds `bound`.
struct Errors {
  Vector squares = Vector(kSteps, 0.0);
  double first_absolute = 0.0;
  int beyond = 0;
};

template <class Mechanism, class Estimates>
Errors errors_of(const Mechanism& m, double bound, Estimates estimates, std::string_view purpose) {
  Errors out;
  Vector x;
  for (std::size_t t = 0; t < kSteps; ++t) x.push_back(t % 3 == 0 ? 1.0 : 0.0);
  ReplayStream random({5, hash_purpose(purpose), 0, 0, Phase::kCertify});
  for (int i = 0; i < kCounterReleases; ++i) {
    const Vector released = estimates(m.release(x, random));
    double sum = 0.0, largest = 0.0;
    for (std::size_t t = 0; t < kSteps; ++t) {
      sum += x[t];
      const double error = released[t] - sum;
      out.squares[t] += error * error;
      largest = std::max(largest, std::abs(error));
      if (t == 0) out.first_absolute += std::abs(error);
    }
    out.beyond += largest > bound ? 1 : 0;
  }
  return out;
}

template <class Mechanism>
void expect_variances(const Mechanism& m, const Errors& errors, const std::string& what) {
  for (std::size_t t = 0; t < kSteps; ++t) {
    expect_chi_square(errors.squares[t] / m.variance(static_cast<std::int64_t>(t) + 1),
                      kCounterReleases, what + " at " + std::to_string(t + 1));
  }
}

// P(Binomial(n, beta) >= beyond) has to stay above alpha.
void expect_rarely_beyond(const Errors& errors, double beta) {
  const boost::math::binomial_distribution<> distribution(kCounterReleases, beta);
  if (errors.beyond == 0) return;
  EXPECT_GT(boost::math::cdf(boost::math::complement(distribution, errors.beyond - 1)), kTestAlpha);
}

constexpr double kBeta = 0.05;

TEST(CounterVariances, AreThoseOfSimulatedGaussianReleases) {
  const auto same = [](const Vector& x) { return x; };
  const TreeCounterConfig config{kSteps, 1.0, 1e-5, 1.0, 0.0, CounterNoise::kIdealizedGaussian};
  const auto tree = TreeCounterMechanism::create(config).value();
  const auto of_tree = errors_of(tree, tree.error_bound(kBeta), same, "tree");
  expect_variances(tree, of_tree, "tree");
  expect_rarely_beyond(of_tree, kBeta);

  const auto honaker = HonakerCounterMechanism::create(config).value();
  const auto of_honaker = errors_of(
      honaker, honaker.error_bound(kBeta),
      [&](const Vector& nodes) { return honaker.estimates(nodes); }, "honaker");
  expect_variances(honaker, of_honaker, "honaker");
  expect_rarely_beyond(of_honaker, kBeta);

  const auto hybrid =
      HybridCounterMechanism::create({1.0, 1e-5, 1.0, 0.0, 0.4, CounterNoise::kIdealizedGaussian})
          .value();
  expect_variances(hybrid, errors_of(hybrid, 1e300, same, "hybrid"), "hybrid");

  const auto root = idealized::SquareRootCounterMechanism::create({kSteps, 1.0, 1.0, 0.0}).value();
  const auto of_root = errors_of(root, root.error_bound(kBeta), same, "root");
  expect_variances(root, of_root, "square root");
  expect_rarely_beyond(of_root, kBeta);
}

TEST(CounterVariances, LaplaceReleasesHaveTheirScaleAndStayWithinTheirBound) {
  const auto same = [](const Vector& x) { return x; };
  const TreeCounterConfig config{kSteps, 0.7, 0.0, 1.0, 0.0, CounterNoise::kIdealizedLaplace};
  const auto tree = TreeCounterMechanism::create(config).value();
  const auto of_tree = errors_of(tree, tree.error_bound(kBeta), same, "laplace tree");
  expect_chi_square(2.0 * of_tree.first_absolute / (5 / 0.7), 2.0 * kCounterReleases, "tree");
  expect_rarely_beyond(of_tree, kBeta);

  auto whole = config;
  whole.noise = CounterNoise::kDiscreteLaplace;
  const auto discrete = TreeCounterMechanism::create(whole).value();
  expect_rarely_beyond(errors_of(discrete, discrete.error_bound(kBeta), same, "discrete"), kBeta);
}

// Every noise is used once: errors of disjoint intervals do not correlate. With n pairs of
// independent standard normals the mean product z has P(|z| > x) <= 2 exp(-n (x^2/2 - x^4/2)) for
// x < 1/2 (their generating function is (1 - h^2)^(-1/2) <= e^(h^2/2 + h^4/2)).
TEST(CounterNoises, OfDisjointIntervalsDoNotCorrelate) {
  const TreeCounterConfig config{8, 1.0, 1e-5, 1.0, 0.0, CounterNoise::kIdealizedGaussian};
  const auto tree = TreeCounterMechanism::create(config).value();
  ReplayStream random({6, hash_purpose("correlation"), 0, 0, Phase::kCertify});
  const Vector zeros(8, 0.0);
  const double variance = tree.noise().variance();
  double siblings = 0.0, levels = 0.0;
  for (int i = 0; i < kCounterReleases; ++i) {
    const auto out = tree.release(zeros, random);
    siblings += out[0] * (out[2] - out[1]) / variance;  // nodes [1, 1] and [3, 3]
    levels += out[0] * out[1] / variance;               // nodes [1, 1] and [1, 2]
  }
  const double n = kCounterReleases;
  const double x = 1.05 * std::sqrt(2.0 * std::log(2.0 / kTestAlpha) / n);
  ASSERT_LE(2.0 * std::exp(-n * (x * x / 2.0 - x * x * x * x / 2.0)), kTestAlpha);
  EXPECT_LE(std::abs(siblings / n), x);
  EXPECT_LE(std::abs(levels / n), x);
}

}  // namespace
}  // namespace assay

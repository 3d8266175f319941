// Continual counters against explicit matrices, least squares, closed forms and high precision.
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/tests/support/counter_algebra.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using idealized::SquareRootCounterMechanism;
using testing::Matrix;
using testing::Vector;

constexpr CounterNoise kKinds[] = {CounterNoise::kDiscreteLaplace, CounterNoise::kDiscreteGaussian,
                                   CounterNoise::kIdealizedLaplace,
                                   CounterNoise::kIdealizedGaussian};

ReplayStream counter_stream(std::string_view purpose) {
  return ReplayStream({23, hash_purpose(purpose), 0, 0, Phase::kCertify});
}

// Every noise from this word is 0 or below 1e-18 of its scale.
struct MiddleWords {
  std::uint64_t next() { return std::uint64_t{1} << 63; }
};

double default_delta(CounterNoise kind) { return is_laplace(kind) ? 0.0 : 1e-6; }

TreeCounterConfig tree_config(std::int64_t horizon, CounterNoise kind, double epsilon = 1.0) {
  return {horizon, epsilon, default_delta(kind), 1.0, 0.0, kind};
}

double level_mu(const Guarantee& guarantee) {
  return std::get<GaussianDp>(guarantee.level).mu.value;
}

// Bits of a fixed stream.
Vector bits(std::size_t n) {
  auto random = counter_stream("bits");
  Vector out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<double>(random.next() >> 63));
  return out;
}

template <class Counter>
void expect_exact_without_noise(Counter counter, std::size_t steps) {
  MiddleWords middle;
  double sum = 0.0;
  for (const double x : bits(steps)) {
    counter.add(x, middle);
    sum += x;
    ASSERT_NEAR(counter.estimate(), sum, 1e-9) << counter.time();
  }
}

TEST(Counters, AreExactWhenEveryNoiseIsZero) {
  for (const auto kind : kKinds) {
    if (kind == CounterNoise::kDiscreteGaussian) continue;  // its sampler rejects by the same word
    expect_exact_without_noise(TreeCounterMechanism::create(tree_config(1000, kind))->start(),
                               1000);
    expect_exact_without_noise(HonakerCounterMechanism::create(tree_config(1000, kind))->start(),
                               1000);
    HybridCounterConfig config{.delta = default_delta(kind), .noise = kind};
    expect_exact_without_noise(HybridCounterMechanism::create(config)->start(), 3000);
  }
  expect_exact_without_noise(SquareRootCounterMechanism::create({1000, 1.0, 1.0, 0.0})->start(),
                             1000);
}

template <class Mechanism, class Estimates>
void expect_stream_equals_batch(const Mechanism& mechanism, const Vector& input,
                                Estimates estimates) {
  auto first = counter_stream("both");
  auto second = counter_stream("both");
  const Vector batch = estimates(mechanism.release(input, first));
  auto counter = mechanism.start();
  ASSERT_EQ(batch.size(), input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    counter.add(input[i], second);
    ASSERT_EQ(counter.estimate(), batch[i]) << i;
  }
}

TEST(Counters, GiveTheSameBitsStepByStepAsInOneRelease) {
  const auto same = [](const Vector& x) { return x; };
  for (const auto kind : kKinds) {
    const auto config = tree_config(300, kind);
    expect_stream_equals_batch(TreeCounterMechanism::create(config).value(), bits(300), same);
    const auto honaker = HonakerCounterMechanism::create(config).value();
    expect_stream_equals_batch(honaker, bits(300),
                               [&](const Vector& nodes) { return honaker.estimates(nodes); });
    HybridCounterConfig hybrid{.delta = default_delta(kind), .noise = kind};
    expect_stream_equals_batch(HybridCounterMechanism::create(hybrid).value(), bits(300), same);
  }
  expect_stream_equals_batch(SquareRootCounterMechanism::create({300, 1.0, 1.0, 0.0}).value(),
                             bits(300), same);
}

TEST(Counters, BatchesAreReleasesOneAfterAnother) {
  const auto tree = TreeCounterMechanism::create(tree_config(20, kKinds[3])).value();
  const auto root = SquareRootCounterMechanism::create({20, 1.0, 1.0, 0.0}).value();
  const auto hybrid = HybridCounterMechanism::create({}).value();
  const auto check = [&](const auto& mechanism) {
    auto first = counter_stream("batch");
    auto second = counter_stream("batch");
    Vector one_by_one;
    for (int i = 0; i < 3; ++i) {
      const auto out = mechanism.release(bits(20), second);
      one_by_one.insert(one_by_one.end(), out.begin(), out.end());
    }
    Vector all(one_by_one.size());
    mechanism.release_many(bits(20), first, all);
    EXPECT_EQ(all, one_by_one);
  };
  check(tree);
  check(HonakerCounterMechanism::create(tree_config(20, kKinds[0])).value());
  check(root);
  check(hybrid);
}

TEST(TreeCounter, AVectorIsAsManyCountersWithOneTree) {
  const auto noise = NodeNoise::create(CounterNoise::kIdealizedLaplace, 3.0).value();
  TreeCounter both(noise, 50, 2);
  TreeCounter first(noise, 50);
  TreeCounter second(noise, 50);
  HonakerCounter wide(noise, 50, 2);
  MiddleWords middle;
  auto random = counter_stream("vector");
  auto again = counter_stream("vector");
  for (int t = 1; t <= 50; ++t) {
    const double x[] = {1.0 * t, -0.5 * t};
    both.add(x, random);
    first.add_with_noise(x[0], noise.sample(again));
    second.add_with_noise(x[1], noise.sample(again));
    wide.add(x, middle);
    ASSERT_EQ(both.estimates()[0], first.estimate());
    ASSERT_EQ(both.estimates()[1], second.estimate());
    EXPECT_NEAR(wide.estimates()[1], -0.25 * t * (t + 1), 1e-9);
  }
}

// How the estimates depend on the noises, from the code: noises of one unit at a time, entries 0.
Matrix tree_rows(std::size_t horizon) {
  const auto noise = NodeNoise::create(CounterNoise::kIdealizedGaussian, 1.0).value();
  Matrix columns;
  for (std::size_t i = 0; i < horizon; ++i) {
    TreeCounter counter(noise, static_cast<std::int64_t>(horizon));
    Vector column;
    for (std::size_t t = 0; t < horizon; ++t) {
      counter.add_with_noise(0.0, t == i ? 1.0 : 0.0);
      column.push_back(counter.estimate());
    }
    columns.push_back(column);
  }
  return testing::transposed(columns);
}

Matrix honaker_rows(std::size_t horizon) {
  const auto mechanism =
      HonakerCounterMechanism::create(tree_config(static_cast<std::int64_t>(horizon), kKinds[2]))
          .value();
  const std::size_t nodes = testing::dyadic_nodes(horizon).size();
  Matrix columns;
  for (std::size_t i = 0; i < nodes; ++i) {
    columns.push_back(mechanism.estimates(testing::unit_vector(nodes, i)));
  }
  return testing::transposed(columns);
}

TEST(TreeCounter, AddsTheDyadicIntervalsOfTheTextbook) {
  for (std::size_t horizon = 1; horizon <= 16; ++horizon) {
    const auto nodes = testing::dyadic_nodes(horizon);
    const auto textbook = testing::gram(testing::plain_tree_rows(horizon));
    const auto ours = testing::gram(tree_rows(horizon));
    EXPECT_EQ(ours, textbook);  // small integers
    const auto mechanism =
        TreeCounterMechanism::create(tree_config(static_cast<std::int64_t>(horizon), kKinds[2]))
            .value();
    for (std::size_t t = 1; t <= horizon; ++t) {
      EXPECT_DOUBLE_EQ(mechanism.variance(static_cast<std::int64_t>(t)),
                       textbook[t - 1][t - 1] * mechanism.noise().variance());
    }
  }
}

TEST(HonakerCounter, NodesAreTheIntervalsOfTheTree) {
  for (std::size_t horizon = 1; horizon <= 40; ++horizon) {
    Vector x;
    for (std::size_t i = 0; i < horizon; ++i) x.push_back(std::ldexp(1.0, static_cast<int>(i)));
    const auto sums = tree_node_sums(x);
    const auto nodes = testing::dyadic_nodes(horizon);
    ASSERT_EQ(sums.size(), nodes.size());
    ASSERT_EQ(sums.size(), 2 * horizon - static_cast<std::size_t>(std::popcount(horizon)));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(sums[i], testing::dot(testing::indicator(nodes[i], horizon), x));
    }
  }
}

// Least squares for the entries from all nodes complete at t: weights A (A^T A)^-1 1 of the sum.
TEST(HonakerCounter, IsTheLeastSquaresEstimateFromTheNodesSoFar) {
  constexpr std::size_t kHorizon = 16;
  const auto nodes = testing::dyadic_nodes(kHorizon);
  const auto rows = honaker_rows(kHorizon);
  const auto mechanism = HonakerCounterMechanism::create(tree_config(kHorizon, kKinds[2])).value();
  for (std::size_t t = 1; t <= kHorizon; ++t) {
    Matrix a;
    for (const auto& node : nodes) {
      if (node.end <= t) a.push_back(testing::indicator(node, t));
    }
    const auto solved = testing::solve(testing::gram(testing::transposed(a)), Vector(t, 1.0));
    const auto weights = testing::times(a, solved);
    double squares = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double expected = i < weights.size() ? weights[i] : 0.0;
      EXPECT_NEAR(rows[t - 1][i], expected, 1e-13) << t << " " << i;
      squares += expected * expected;
    }
    EXPECT_NEAR(mechanism.variance(static_cast<std::int64_t>(t)),
                squares * mechanism.noise().variance(), 1e-12 * mechanism.noise().variance());
    EXPECT_LE(squares, std::popcount(t) + 1e-12);
  }
}

// The exact level of all estimates, and of the nodes, against the one that is claimed.
TEST(Counters, GaussianLevelsAreThoseOfTheMatrices) {
  for (std::size_t horizon = 1; horizon <= 16; ++horizon) {
    const auto config = tree_config(static_cast<std::int64_t>(horizon), kKinds[3]);
    const auto tree = TreeCounterMechanism::create(config).value();
    const auto honaker = HonakerCounterMechanism::create(config).value();
    const double s = tree.noise().scale();
    const double claimed = level_mu(tree.guarantee());
    EXPECT_EQ(level_mu(honaker.guarantee()), claimed);
    const auto plain = tree_rows(horizon);
    const auto refined = honaker_rows(horizon);
    double worst_plain = 0.0, worst_nodes = 0.0;
    for (std::size_t i = 0; i < horizon; ++i) {
      double inside = 0.0;
      for (const auto& node : testing::dyadic_nodes(horizon)) {
        inside += node.first <= i && i < node.end ? 1.0 : 0.0;
      }
      worst_nodes = std::max(worst_nodes, std::sqrt(inside) / s);
      worst_plain = std::max(worst_plain, testing::level_of_estimates(plain, i, 1.0, s));
      EXPECT_LE(testing::level_of_estimates(refined, i, 1.0, s), std::sqrt(inside) / s + 1e-12);
    }
    EXPECT_LE(worst_plain, claimed);
    EXPECT_NEAR(worst_plain, claimed, 1e-12 * claimed);
    EXPECT_LE(worst_nodes, claimed);
    EXPECT_NEAR(worst_nodes, claimed, 1e-12 * claimed);
  }
}

TEST(SquareRootCounter, ItsLevelIsThatOfTheMatrix) {
  for (std::size_t horizon = 1; horizon <= 16; ++horizon) {
    const auto m =
        SquareRootCounterMechanism::create({static_cast<std::int64_t>(horizon), 0.7, 2.0, -1.0})
            .value();
    Matrix columns;
    for (std::size_t i = 0; i < horizon; ++i) {
      auto column = testing::unit_vector(horizon, i);
      m.factor().product.apply(column);
      columns.push_back(column);
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < horizon; ++i) {
      worst = std::max(worst, testing::level_of_estimates(testing::transposed(columns), i, 2.0,
                                                          m.factor().noise.scale()));
    }
    EXPECT_LE(worst, 0.7 * (1.0 + 1e-13)) << "the elimination's own rounding";
    EXPECT_NEAR(worst, 0.7, 1e-11);
    EXPECT_EQ(level_mu(m.guarantee()), 0.7);
  }
}

// Of a Gaussian release whose mean moves by mu standard deviations, the loss at the mean is mu^2/2.
template <class Mechanism>
double level_from_density(const Mechanism& m, const Vector& x, std::size_t i, double d,
                          const Vector& mean) {
  Vector other = x;
  other[i] += d;
  return std::sqrt(2.0 * (m.log_density(mean, x) - m.log_density(mean, other)));
}

TEST(Counters, DensitiesOfGaussianReleasesHaveTheirLevel) {
  constexpr std::size_t kHorizon = 21;
  const Vector x(kHorizon, 0.0);
  const auto config = tree_config(kHorizon, kKinds[3]);
  const auto tree = TreeCounterMechanism::create(config).value();
  const auto honaker = HonakerCounterMechanism::create(config).value();
  const auto root = SquareRootCounterMechanism::create({kHorizon, 1.0, 1.0, 0.0}).value();
  const auto plain = tree_rows(kHorizon);
  for (std::size_t i = 0; i < kHorizon; ++i) {
    EXPECT_NEAR(level_from_density(tree, x, i, 1.0, x),
                testing::level_of_estimates(plain, i, 1.0, tree.noise().scale()), 1e-9);
    const Vector nodes(testing::dyadic_nodes(kHorizon).size(), 0.0);
    double inside = 0.0;
    for (const auto& node : testing::dyadic_nodes(kHorizon)) {
      inside += node.first <= i && i < node.end ? 1.0 : 0.0;
    }
    EXPECT_NEAR(level_from_density(honaker, x, i, 1.0, nodes),
                std::sqrt(inside) / honaker.noise().scale(), 1e-9);
    EXPECT_LE(level_from_density(root, x, i, 1.0, x), 1.0 + 1e-9);
  }
  EXPECT_NEAR(level_from_density(root, x, 0, 1.0, x), 1.0, 1e-9);
}

// The hybrid counter's noises by its definition: the estimates' rows over (Y_0, Y_1, .., tree nodes),
// each column times its scale.
Matrix hybrid_rows(const HybridCounterMechanism& m, std::size_t n) {
  Matrix columns;
  for (std::size_t k = 0, first = 0; first < n; first += std::size_t{1} << k, ++k) {
    const std::size_t length = std::size_t{1} << k;
    Vector total(n, 0.0);
    for (std::size_t t = first + length - 1; t < n; ++t) total[t] = m.noise().total.scale();
    columns.push_back(total);
    const auto tree = testing::transposed(testing::plain_tree_rows(length));
    for (const auto& node : tree) {
      Vector column(n, 0.0);
      for (std::size_t j = 0; j + 1 < length && first + j < n; ++j) {
        column[first + j] = node[j] * m.noise().tree[k].scale();
      }
      columns.push_back(column);
    }
  }
  return testing::transposed(columns);
}

TEST(HybridCounter, VariancesAndLevelsAreThoseOfItsDefinition) {
  for (const double share : {0.5, 0.2, 0.9}) {
    const auto m = HybridCounterMechanism::create({1.0, 1e-6, 2.0, -1.0, share, kKinds[3]}).value();
    constexpr std::size_t kSteps = 45;
    const auto rows = hybrid_rows(m, kSteps);
    double worst = 0.0;
    for (std::size_t t = 0; t < kSteps; ++t) {
      EXPECT_NEAR(m.variance(static_cast<std::int64_t>(t) + 1) / testing::dot(rows[t], rows[t]),
                  1.0, 1e-12);
      const double level = testing::level_of_estimates(rows, t, 2.0, 1.0);
      worst = std::max(worst, level);
      EXPECT_NEAR(level_from_density(m, Vector(kSteps, 0.0), t, 2.0, Vector(kSteps, 0.0)), level,
                  1e-9);
    }
    const double claimed = level_mu(m.guarantee());
    EXPECT_LE(worst, claimed * (1.0 + 1e-12)) << "the elimination's own rounding";
    EXPECT_NEAR(worst, claimed, 1e-10 * claimed);
    EXPECT_EQ(m.guarantee().relation, Relation::kReplaceOneRecord);
  }
}

TEST(Counters, LaplaceLevelsAreAttainedAndNotExceeded) {
  // All noises far on one side: the loss adds D/s for every node that the entry is in.
  for (const auto kind : {kKinds[0], kKinds[2]}) {
    for (const std::int64_t horizon : {1, 2, 7, 8, 16, 100}) {
      const auto n = static_cast<std::size_t>(horizon);
      const auto tree = TreeCounterMechanism::create(tree_config(horizon, kind, 0.8)).value();
      const auto honaker = HonakerCounterMechanism::create(tree_config(horizon, kind, 0.8)).value();
      Vector x(n, 0.0), other(n, 0.0), estimates(n);
      other[0] = 1.0;
      for (std::size_t t = 1; t <= n; ++t) estimates[t - 1] = -50.0 * std::popcount(t);
      const double loss = tree.log_density(estimates, x) - tree.log_density(estimates, other);
      EXPECT_NEAR(loss, 0.8, 1e-9);
      const Vector nodes(testing::dyadic_nodes(n).size(), -50.0);
      EXPECT_NEAR(honaker.log_density(nodes, x) - honaker.log_density(nodes, other), 0.8, 1e-9);
      EXPECT_EQ(std::get<PureDp>(tree.guarantee().level).epsilon.value, 0.8);
      EXPECT_EQ(tree.guarantee().relation, Relation::kOneAnswer);
    }
    const auto hybrid = HybridCounterMechanism::create({0.8, 0.0, 1.0, 0.0, 0.3, kind}).value();
    Vector x(31, 0.0), estimates;
    // Each noise -50: t = 2^k - 1 + j adds k and popcount(j) of them.
    for (std::uint64_t t = 1; t <= 31; ++t) {
      const int k = static_cast<int>(std::bit_width(t)) - 1;
      const auto j = t + 1 - (std::uint64_t{1} << k);
      const int noises = std::has_single_bit(t + 1) ? k + 1 : k + std::popcount(j);
      estimates.push_back(-50.0 * noises);
    }
    double worst = 0.0;
    for (std::size_t i = 0; i < 31; ++i) {
      Vector other = x;
      other[i] = 1.0;
      worst =
          std::max(worst, hybrid.log_density(estimates, x) - hybrid.log_density(estimates, other));
    }
    EXPECT_NEAR(worst, 0.8, 1e-9);
    EXPECT_LE(worst, 0.8 + 1e-12);
  }
}

TEST(Counters, DiscreteGaussianNoiseKeepsItsDeltaByEnumeration) {
  // Estimates of two entries; sum of (P - e^eps Q)+ and the law's mass, over all within 80.
  const auto m = TreeCounterMechanism::create(tree_config(2, kKinds[1])).value();
  ASSERT_LT(m.noise().scale(), 10.0);
  const Vector x{0.0, 0.0}, other{1.0, 0.0};
  double mass = 0.0, delta = 0.0, reverse = 0.0;
  for (int a = -80; a <= 80; ++a) {
    for (int b = -80; b <= 80; ++b) {
      const Vector out{1.0 * a, 1.0 * b};  // with nothing else in it, each is a node
      const double p = std::exp(m.log_density(out, x));
      const double q = std::exp(m.log_density(out, other));
      mass += p;
      delta += std::max(0.0, p - std::exp(1.0) * q);
      reverse += std::max(0.0, q - std::exp(1.0) * p);
    }
  }
  EXPECT_NEAR(mass, 1.0, 1e-12);
  EXPECT_LE(delta, 1e-6);
  EXPECT_LE(reverse, 1e-6);
  EXPECT_GE(delta, 1e-8);  // and is no claim about nothing
  EXPECT_EQ(std::get<ApproximateDp>(m.guarantee().level).delta.value, 1e-6);
}

TEST(CounterNoise, ScalesAreTheSmallestThatTheirTheoremsAllow) {
  const ApproximateDp pure{Epsilon{0.5}, Delta{0.0}};
  EXPECT_NEAR(counter_scale(kKinds[0], pure, 2.0, 7).value(), 7 * 2.0 / 0.5, 1e-12);
  EXPECT_GE(counter_scale(kKinds[0], pure, 2.0, 7).value(), 28.0);
  const ApproximateDp target{Epsilon{0.5}, Delta{1e-6}};
  EXPECT_EQ(counter_scale(kKinds[3], target, 2.0, 7).value(),
            tree_gaussian_scale(target, 100, 2.0)->value.value);
  const double s = counter_scale(kKinds[1], target, 2.0, 7).value();
  const double rho = 7 * 4.0 / (2.0 * s * s);
  EXPECT_LE(zcdp_delta(Rho{rho}, Epsilon{0.5})->value.value, 1e-6);
  EXPECT_GT(zcdp_delta(Rho{rho * (1.0 + 1e-9)}, Epsilon{0.5})->value.value, 1e-6 * (1.0 - 1e-12));
}

TEST(CounterNoise, VariancesAreThoseOfTheDistributions) {
  for (const double scale : {0.3, 0.9, 1.99, 2.01, 7.0}) {
    for (const auto kind : {kKinds[0], kKinds[1]}) {
      const auto noise = NodeNoise::create(kind, scale).value();
      double sum = 0.0;
      for (int k = 1; k <= 400; ++k) sum += 2.0 * k * k * std::exp(noise.log_density(k));
      EXPECT_NEAR(noise.variance() / sum, 1.0, 1e-12) << scale;
      EXPECT_EQ(noise.log_density(0.5), -std::numeric_limits<double>::infinity());
      EXPECT_EQ(noise.kind(), kind);
    }
  }
}

TEST(SquareRootCounter, CoefficientsAreCentralBinomials) {
  const auto m = SquareRootCounterMechanism::create({100'000, 1.0, 1.0, 0.0}).value();
  const auto& f = m.factor().coefficients;
  oracle::Real exact = 1, squares = 1;
  double worst = 0.0;
  for (std::size_t k = 1; k < f.size(); ++k) {
    exact = exact * (2 * oracle::Real(k) - 1) / (2 * oracle::Real(k));
    squares += exact * exact;
    worst = std::max(worst, oracle::relative_error(f[k], exact));
  }
  EXPECT_LE(worst, 1e-10);
  const double norm = sqrt(squares).convert_to<double>();
  EXPECT_GE(m.factor().noise.scale(), norm);
  EXPECT_LE(m.factor().noise.scale(), norm * (1.0 + 1e-6));
  EXPECT_DOUBLE_EQ(f[4], 70.0 / 256.0);
  // The square of the series is 1/(1 - z).
  for (std::size_t n = 0; n < 64; ++n) {
    double sum = 0.0;
    for (std::size_t k = 0; k <= n; ++k) sum += f[k] * f[n - k];
    EXPECT_NEAR(sum, 1.0, 1e-14);
  }
}

TEST(SquareRootCounter, ConvolutionsStayWithinTheirStatedError) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
    const auto m =
        SquareRootCounterMechanism::create({static_cast<std::int64_t>(n), 1.0, 1.0, 0.0}).value();
    const auto& factor = m.factor();
    const auto& f = factor.coefficients;
    auto random = counter_stream("convolution");
    Vector z(n);
    factor.noise.fill(random, z);
    Vector computed = z;
    factor.product.apply(computed);
    long double error = 0.0L, squares = 0.0L;
    for (std::size_t t = 0; t < n; ++t) {
      long double sum = 0.0L;
      for (std::size_t k = 0; k <= t; ++k) sum += static_cast<long double>(f[k]) * z[t - k];
      error += (sum - computed[t]) * (sum - computed[t]);
      squares += static_cast<long double>(z[t]) * z[t];
    }
    const double e = factor.product.relative_error();
    const double all = std::accumulate(f.begin(), f.end(), 0.0);
    const double points = std::sqrt(static_cast<double>(std::bit_ceil(2 * n)));
    const double bound =
        (1.0 + 4.0 * e) *
        ((2.0 * e + std::sqrt(5.0) * 0x1p-53) * all + e * points * std::sqrt(factor.squared_norm)) *
        std::sqrt(static_cast<double>(squares));
    EXPECT_LE(std::sqrt(static_cast<double>(error)), bound);
    EXPECT_LE(bound, 1e-11 * std::sqrt(static_cast<double>(squares)));
  }
}

TEST(SquareRootCounter, DensityIsThatOfTheNoiseFoundBySubstitution) {
  constexpr std::size_t kHorizon = 200;
  const auto m = SquareRootCounterMechanism::create({kHorizon, 0.5, 1.0, 0.0}).value();
  const auto x = bits(kHorizon);
  auto random = counter_stream("density");
  const auto out = m.release(x, random);
  Vector z;
  double prefix = 0.0, expected = 0.0;
  for (std::size_t t = 0; t < kHorizon; ++t) {
    prefix += x[t];
    double rest = out[t] - prefix;
    for (std::size_t k = 1; k <= t; ++k) rest -= m.factor().coefficients[k] * z[t - k];
    z.push_back(rest);
    expected += m.factor().noise.log_density(rest);
  }
  EXPECT_NEAR(m.log_density(out, x), expected, 1e-9);
}

TEST(SquareRootCounter, NoFactorisationBeatsTheNuclearNorm) {
  EXPECT_NEAR(least_factorisation_error(1), 1.0, 1e-14);
  EXPECT_NEAR(least_factorisation_error(2), 1.25, 1e-14);  // singular values (1 +- sqrt(5))/2
  for (const std::int64_t horizon : {1, 2, 3, 10, 1000}) {
    // The squares of the singular values add up to M's entries.
    double squares = 0.0;
    for (std::int64_t j = 1; j <= horizon; ++j) {
      const double angle =
          M_PI * static_cast<double>(2 * j - 1) / static_cast<double>(4 * horizon + 2);
      squares += 0.25 / (std::sin(angle) * std::sin(angle));
    }
    const auto entries = static_cast<double>(horizon) * static_cast<double>(horizon + 1) / 2.0;
    EXPECT_NEAR(squares / entries, 1.0, 1e-12);
    const auto m = SquareRootCounterMechanism::create({horizon, 1.0, 1.0, 0.0}).value();
    double mean = 0.0;
    for (std::int64_t t = 1; t <= horizon; ++t)
      mean += m.variance(t) / static_cast<double>(horizon);
    EXPECT_GE(mean, least_factorisation_error(horizon) * (1.0 - 1e-12));
    EXPECT_LE(mean, 1.5 * least_factorisation_error(horizon));
  }
}

TEST(Counters, ErrorBoundsTakeTheWorstTime) {
  for (const std::int64_t horizon : {1, 2, 6, 7, 8, 12, 100}) {
    const auto tree = TreeCounterMechanism::create(tree_config(horizon, kKinds[3])).value();
    const auto honaker = HonakerCounterMechanism::create(tree_config(horizon, kKinds[3])).value();
    double plain = 0.0, refined = 0.0;
    for (std::int64_t t = 1; t <= horizon; ++t) {
      plain = std::max(plain, tree.variance(t));
      refined = std::max(refined, honaker.variance(t));
    }
    const double log_term = 2.0 * std::log(2.0 * static_cast<double>(horizon) / 0.01);
    EXPECT_NEAR(tree.error_bound(0.01), std::sqrt(plain * log_term), 1e-9);
    EXPECT_NEAR(honaker.error_bound(0.01), std::sqrt(refined * log_term), 1e-9);
  }
}

// Doubles near 1e9 are 2^-23 apart: 1e9 + 7e-8 rounds up to a step that is 1.7 times the sensitivity.
TEST(Counters, TakeNoEntryThatMovesFurtherThanTheSensitivity) {
  const double coarse = 1e9 + 7e-8;
  ASSERT_GT(coarse - 1e9, 7e-8);  // the difference is exact
  for (const double lowest : {1e9, -1e9, 0.1, 1.0 / 3.0, -1e-60}) {
    for (const double sensitivity : {7e-8, 0.2, 1e-9, 1.0 / 3.0, 1e9}) {
      using boost::multiprecision::cpp_bin_float;
      using Wide = boost::multiprecision::number<cpp_bin_float<400>>;
      const double highest = detail::highest_entry(lowest, sensitivity);
      EXPECT_LE(Wide(highest) - Wide(lowest), Wide(sensitivity)) << lowest << " " << sensitivity;
      const double next = std::nextafter(highest, 1e10);
      EXPECT_GT(Wide(next) - Wide(lowest), Wide(sensitivity)) << lowest << " " << sensitivity;
    }
  }
  const auto m =
      TreeCounterMechanism::create({4, 1.0, 0.0, 7e-8, 1e9, CounterNoise::kIdealizedLaplace});
  EXPECT_TRUE(m->check_input(Vector{1e9}));
  EXPECT_FALSE(m->check_input(Vector{coarse}));
  const auto root = SquareRootCounterMechanism::create({4, 1.0, 7e-8, 1e9});
  EXPECT_TRUE(root->check_input(Vector{1e9}));
  EXPECT_FALSE(root->check_input(Vector{coarse}));
}

std::string tree_refusal(TreeCounterConfig config) {
  const auto m = TreeCounterMechanism::create(config);
  return m ? "accepted" : m.error().message;
}

TEST(Counters, SayWhatTheyDoNotTake) {
  TreeCounterConfig config;
  EXPECT_EQ(tree_refusal(config), "accepted");
  config.delta = 1e-6;
  EXPECT_EQ(tree_refusal(config), "delta must be 0 for Laplace noise, not 1e-06");
  config.noise = CounterNoise::kIdealizedGaussian;
  EXPECT_EQ(tree_refusal(config), "accepted");
  config.delta = 0.0;
  EXPECT_EQ(tree_refusal(config), "delta must be in (0, 1) for Gaussian noise, not 0");
  config = {};
  config.sensitivity = 0.5;
  EXPECT_EQ(tree_refusal(config),
            "sensitivity must be a positive integer for discrete noise, not 0.5");
  config = {};
  config.lowest = 0.25;
  EXPECT_EQ(tree_refusal(config), "lowest must be an integer for discrete noise, not 0.25");
  config = {};
  config.horizon = 0;
  EXPECT_THAT(tree_refusal(config), HasSubstr("horizon must be 1 to"));
  config = {};
  config.epsilon = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(tree_refusal(config), HasSubstr("epsilon must be"));
  config = {};
  config.horizon = std::int64_t{1} << 40;
  config.sensitivity = 1e6;
  EXPECT_THAT(tree_refusal(config), HasSubstr("must stay below 2^53"));

  const auto m = TreeCounterMechanism::create({4, 1.0, 0.0, 2.0, -1.0, kKinds[0]}).value();
  EXPECT_TRUE(m.check_input(Vector{-1.0, 1.0, 0.0}));
  EXPECT_EQ(m.check_input(Vector{}).error().message, "input must have 1 to 4 entries, not 0");
  EXPECT_EQ(m.check_input(Vector{0.0, 2.0}).error().message,
            "input[1] must be an integer from -1 to 1, not 2");
  EXPECT_EQ(m.check_input(Vector{0.5}).error().path, "/input/0");
  EXPECT_FALSE(m.check_input(Vector{std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_FALSE(m.check_input(Vector(5, 0.0)));

  const auto hybrid = HybridCounterMechanism::create({1e-6, 0.0, 1e9, 0.0, 0.5, kKinds[0]});
  ASSERT_FALSE(hybrid);
  const auto ordinary = HybridCounterMechanism::create({}).value();
  EXPECT_GE(ordinary.longest(), std::int64_t{1} << 45);
  EXPECT_FALSE(SquareRootCounterMechanism::create({10, 0.0, 1.0, 0.0}));
}

}  // namespace
}  // namespace assay

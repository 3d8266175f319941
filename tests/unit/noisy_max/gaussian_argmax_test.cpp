#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_kernel.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr ArgmaxPrecision kBoth[] = {ArgmaxPrecision::kSampling, ArgmaxPrecision::kExact};

// The header's bound on the error of log P.
double allowed_error(ArgmaxPrecision precision, double log_p) {
  const double spacing = 0x1p-52 * std::fabs(log_p);
  return precision == ArgmaxPrecision::kExact ? 1e-14 + spacing : 1e-10 + 4.0 * spacing;
}

// A pair of sides and the logs of arm k's probabilities as sums of
// two doubles, from tests/support/make_gaussian_argmax_cases.py.
struct ArgmaxCase {
  int k = 0;
  int changed = 0;
  double changed_mean = 0.0;
  double log_p[2] = {};
  double log_q[2] = {};
  std::vector<double> means;
  std::vector<double> scales;

  std::vector<double> other_means() const {
    auto other = means;
    other[static_cast<std::size_t>(changed)] = changed_mean;
    return other;
  }
};

std::vector<ArgmaxCase> read_cases() {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/support/gaussian_argmax_cases.txt");
  std::vector<ArgmaxCase> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    const auto number = [&] {
      std::string text;
      in >> text;
      return std::strtod(text.c_str(), nullptr);  // streams do not read hexadecimal
    };
    ArgmaxCase c;
    std::size_t n = 0;
    in >> n >> c.k >> c.changed;
    c.changed_mean = number();
    for (double& x : c.log_p) x = number();
    for (double& x : c.log_q) x = number();
    for (std::size_t j = 0; j < n; ++j) c.means.push_back(number());
    for (std::size_t j = 0; j < n; ++j) c.scales.push_back(number());
    EXPECT_TRUE(in && n > 0) << line;
    cases.push_back(c);
  }
  return cases;
}

double error(double value, const double (&reference)[2]) {
  return std::fabs((value - reference[0]) - reference[1]);
}

TEST(GaussianArgmax, AgreesWithQuadratureInFortyFiveDigits) {
  const auto cases = read_cases();
  ASSERT_EQ(cases.size(), 227u);
  double least = 0.0;
  double most = -1.0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ArgmaxCase& c = cases[i];
    least = std::min(least, c.log_p[0]);
    most = std::max(most, c.log_p[0]);
    for (const auto precision : kBoth) {
      SCOPED_TRACE("case " + std::to_string(i) + (precision == kBoth[0] ? " sampling" : " exact"));
      const auto pair =
          log_argmax_probability_pair(c.means, c.scales, c.changed, c.changed_mean, c.k, precision);
      EXPECT_LE(error(pair.p, c.log_p), allowed_error(precision, c.log_p[0]));
      EXPECT_LE(error(pair.q, c.log_q), allowed_error(precision, c.log_q[0]));
      const double p = log_argmax_probability(c.means, c.scales, c.k, precision);
      const double q = log_argmax_probability(c.other_means(), c.scales, c.k, precision);
      EXPECT_LE(error(p, c.log_p), allowed_error(precision, c.log_p[0]));
      EXPECT_LE(error(q, c.log_q), allowed_error(precision, c.log_q[0]));
    }
  }
  // The table covers what the header claims.
  EXPECT_LT(least, -9e4);
  EXPECT_LT(-1e-12, most);
}

TEST(GaussianArgmax, AllArmsAtOnceAgreeWithTheSameQuadrature) {
  for (const ArgmaxCase& c : read_cases()) {
    const auto k = static_cast<std::size_t>(c.k);
    for (const auto precision : kBoth) {
      std::vector<double> p(c.means.size());
      std::vector<double> q(c.means.size());
      log_argmax_probabilities_pair(c.means, c.scales, c.changed, c.changed_mean, precision, p, q);
      EXPECT_LE(error(p[k], c.log_p), allowed_error(precision, c.log_p[0]));
      EXPECT_LE(error(q[k], c.log_q), allowed_error(precision, c.log_q[0]));
      log_argmax_probabilities(c.means, c.scales, precision, p);
      EXPECT_LE(error(p[k], c.log_p), allowed_error(precision, c.log_p[0]));
    }
  }
}

TEST(GaussianArgmax, OneArmAlwaysWins) {
  const std::vector<double> one{0.3};
  for (const auto precision : kBoth) {
    EXPECT_EQ(log_argmax_probability(one, one, 0, precision), 0.0);
    const auto pair = log_argmax_probability_pair(one, one, 0, 0.7, 0, precision);
    EXPECT_EQ(pair.p, 0.0);
    EXPECT_EQ(pair.q, 0.0);
  }
}

TEST(GaussianArgmax, TwoArmsFollowTheNormalCdf) {
  for (double gap = -60.0; gap <= 9.0; gap += 0.37) {
    const std::vector<double> means{gap, 0.0};
    const std::vector<double> scales{0.6, 0.8};
    const double expected = normal_log_cdf(gap);
    EXPECT_NEAR(log_argmax_probability(means, scales, 0, ArgmaxPrecision::kExact), expected,
                1e-14 + 4e-13 * std::fabs(expected));
  }
}

TEST(GaussianArgmax, EqualArmsShareTheProbability) {
  for (const int arms :
       {3, 4, 5, 8, 16, 17, 33, 64, 65, 200}) {  // around the limits of the methods
    const auto n = static_cast<std::size_t>(arms);
    const std::vector<double> means(n, 0.25);
    const std::vector<double> scales(n, 0.1);
    for (const auto precision : kBoth) {
      std::vector<double> log_p(n);
      log_argmax_probabilities(means, scales, precision, log_p);
      for (const double lp : log_p) {
        EXPECT_NEAR(lp, -std::log(arms), allowed_error(precision, lp)) << arms;
      }
    }
  }
}

TEST(GaussianArgmax, ATieOfTwoFarAboveTheRestIsDecidedBetweenThem) {
  const std::vector<double> means{50.0, 50.0, 0.0, -3.0};
  const std::vector<double> scales{1.0, 2.0, 1.0, 0.5};
  for (const auto precision : kBoth) {
    std::vector<double> log_p(4);
    log_argmax_probabilities(means, scales, precision, log_p);
    EXPECT_NEAR(log_p[0], -std::log(2.0), allowed_error(precision, 1.0));
    EXPECT_NEAR(log_p[1], -std::log(2.0), allowed_error(precision, 1.0));
    EXPECT_LT(log_p[3], log_p[2]);
    EXPECT_LT(log_p[2], -500.0);
    EXPECT_TRUE(std::isfinite(log_p[3]));
  }
}

TEST(GaussianArgmax, NarrowArmsFarFromTheOthersKeepTheirAccuracy) {
  // The last arm cannot win, but places the origin: positions near 5.9, scales of 0.006.
  const std::vector<double> means{0.4138, 3.2911, -0.2136, 3.3092, -2.5771};
  const std::vector<double> scales{0.841, 0.00898, 0.224, 0.00556, 0.00166};
  std::vector<double> log_p(5);
  log_argmax_probabilities(means, scales, ArgmaxPrecision::kExact, log_p);
  for (const int k : {1, 3}) {
    const double one = log_argmax_probability(means, scales, k, ArgmaxPrecision::kExact);
    EXPECT_NEAR(log_p[static_cast<std::size_t>(k)], one,
                allowed_error(ArgmaxPrecision::kExact, one));
  }
}

TEST(GaussianArgmax, SidesFarApartAreBothRight) {
  // Arm 1 is harmless on side p and beats arm 0 by far on side q.
  const std::vector<double> means{0.0, -90.0, -0.5};
  const std::vector<double> scales{0.3, 1.0, 0.2};
  for (const auto precision : kBoth) {
    const auto pair = log_argmax_probability_pair(means, scales, 1, 90.0, 0, precision);
    const double p = log_argmax_probability(means, scales, 0, precision);
    const double q =
        log_argmax_probability(std::vector<double>{0.0, 90.0, -0.5}, scales, 0, precision);
    EXPECT_NEAR(pair.p, p, 2.0 * allowed_error(precision, p));
    EXPECT_NEAR(pair.q, q, 2.0 * allowed_error(precision, q));
    const double two = normal_log_cdf(-90.0 / std::hypot(0.3, 1.0));  // arm 2 no longer matters
    EXPECT_NEAR(pair.q, two, 1e-9);
  }
}

TEST(GaussianArgmax, BothInstructionSetsGiveTheSameBits) {
  const detail::ArgmaxKernels* wide = detail::argmax_kernels_avx2();
  if (wide == nullptr) GTEST_SKIP() << "this machine has no AVX2";
  const detail::ArgmaxKernels& narrow = detail::argmax_kernels_baseline();
  ReplayStream rng(StreamId{.seed = 11});
  for (int trial = 0; trial < 2000; ++trial) {
    detail::ArgmaxArm arms[6];
    for (auto& arm : arms) {
      const double inverse = std::exp(8.0 * rng.uniform() - 2.0);
      const double half = 0.5 * inverse * inverse;
      const double leading = static_cast<double>(static_cast<float>(half));
      arm = {4.0 * rng.uniform() - 2.0, 1e-17 * rng.uniform(), inverse, leading, half - leading};
    }
    detail::ArgmaxNodes nodes{.count = 4 * (1 + static_cast<int>(rng.uniform() * 32.0))};
    const double step = std::exp(-6.0 * rng.uniform());
    for (int i = 0; i < nodes.count; ++i) {
      nodes.position[i] = -3.0 + step * (i + 0.5 * rng.uniform());
      nodes.position_low[i] = 1e-17 * rng.uniform();
      nodes.weight[i] = rng.uniform();
    }
    detail::ArgmaxIntegrand f{.shared = arms,
                              .shared_count = 3,
                              .played = trial % 2 == 0 ? &arms[3] : nullptr,
                              .sides = 2};
    f.own[0] = &arms[4];
    f.own[1] = &arms[5];
    f.shift[0] = 5.0 * rng.uniform();
    f.shift[1] = 500.0 * rng.uniform();
    const detail::ArgmaxFamily family{arms, 5, trial % 5, &arms[5]};
    for (const auto member : {&detail::ArgmaxKernels::sampling, &detail::ArgmaxKernels::exact}) {
      double a[12] = {};
      double b[12] = {};
      (narrow.*member).add(nodes, f, a);
      (wide->*member).add(nodes, f, b);
      (narrow.*member).add_all(nodes, family, a + 2, a + 7);
      (wide->*member).add_all(nodes, family, b + 2, b + 7);
      ASSERT_EQ(std::memcmp(a, b, sizeof a), 0) << trial;
    }
  }
}

TEST(GaussianArgmax, BothInstructionSetsGiveTheSameFactors) {
  const detail::ArgmaxKernels* wide = detail::argmax_kernels_avx2();
  if (wide == nullptr) GTEST_SKIP() << "this machine has no AVX2";
  const detail::ArgmaxKernels& narrow = detail::argmax_kernels_baseline();
  ReplayStream rng(StreamId{.seed = 12});
  for (int trial = 0; trial < 500; ++trial) {
    detail::ArgmaxTails tails{};
    detail::ArgmaxFactors a[2];
    detail::ArgmaxFactors b[2];
    std::memset(a, 0, sizeof a);
    std::memset(b, 0, sizeof b);
    for (int i = 0; i < 4; ++i) {
      const double inverse = std::exp(4.0 * rng.uniform() - 2.0);
      tails.depth[i] = 10.0 * rng.uniform();
      tails.inverse_scale[i] = inverse;
      tails.half_precision[i] = 0.5 * inverse * inverse;
      tails.shift[i] = tails.depth[i] * tails.depth[i] * tails.half_precision[i];
    }
    for (const auto member : {&detail::ArgmaxKernels::sampling, &detail::ArgmaxKernels::exact}) {
      double one[6] = {};
      double two[6] = {};
      (narrow.*member).tails(tails, one);
      (wide->*member).tails(tails, two);
      for (int i = 0; i < 2; ++i) {
        const detail::ArgmaxArm arm{tails.depth[i] - 5.0, 0.0, tails.inverse_scale[i],
                                    tails.half_precision[i], 0.0};
        (narrow.*member).factors(arm, 0.3, -7 - trial, 20, a[i]);
        (wide->*member).factors(arm, 0.3, -7 - trial, 20, b[i]);
      }
      detail::ArgmaxProducts f{.first = -5 - trial, .blocks = 11, .sides = 2};
      f.density[0] = &a[0];
      f.density[1] = f.own[0] = &a[1];
      (narrow.*member).products(f, one + 4);
      f.density[0] = &b[0];
      f.density[1] = f.own[0] = &b[1];
      (wide->*member).products(f, two + 4);
      ASSERT_EQ(std::memcmp(one, two, sizeof one), 0) << trial;
      ASSERT_EQ(std::memcmp(a, b, sizeof a), 0) << trial;
    }
  }
}

// Rounds of a policy: one arm changes at a time. The grid of another history gives the same bits.
TEST(GaussianArgmax, AGridOfManyRoundsIsAsAccurateAndForgetsItsHistory) {
  ReplayStream rng(StreamId{.seed = 13});
  GaussianArgmaxGrid grid;
  for (const std::size_t arms : {2u, 3u, 5u, 10u, 16u, 17u}) {
    std::vector<double> means(arms, 0.0);
    std::vector<double> scales(arms, 1.0);
    std::vector<double> pulls(arms, 0.0);
    for (int round = 0; round < 300; ++round) {
      const auto moved = static_cast<std::size_t>(rng.uniform() * static_cast<double>(arms));
      pulls[moved] += 1.0 + std::floor(2.0 * rng.uniform()) * std::floor(20.0 * rng.uniform());
      means[moved] = rng.uniform() * (round % 50 == 0 ? 12.0 : 1.0);
      scales[moved] = 1.0 / std::sqrt(pulls[moved] + 1.0);
      const int changed = round % static_cast<int>(arms);
      const int k = static_cast<int>(rng.uniform() * static_cast<double>(arms));
      const double other = means[static_cast<std::size_t>(changed)] + 0.5 * rng.uniform();
      const auto found = grid.log_probability_pair(means, scales, changed, other, k);
      const auto exact =
          log_argmax_probability_pair(means, scales, changed, other, k, ArgmaxPrecision::kExact);
      ASSERT_NEAR(found.p, exact.p, allowed_error(ArgmaxPrecision::kSampling, exact.p));
      ASSERT_NEAR(found.q, exact.q, allowed_error(ArgmaxPrecision::kSampling, exact.q));
      const GaussianArgmaxGrid copy = grid;
      GaussianArgmaxGrid fresh = copy;
      const auto again = fresh.log_probability_pair(means, scales, changed, other, k);
      ASSERT_EQ(found.p, again.p) << arms << " " << round;
      ASSERT_EQ(found.q, again.q) << arms << " " << round;
    }
  }
}

TEST(GaussianArgmax, RefusesStatesThatAreNotOne) {
  if (!kChecked) GTEST_SKIP() << "preconditions are compiled out of this build";
  const std::vector<double> means{0.0, 1.0};
  const std::vector<double> scales{1.0, 1.0};
  const auto call = [](std::vector<double> m, std::vector<double> s, int k) {
    log_argmax_probability(m, s, k, ArgmaxPrecision::kSampling);
  };
  EXPECT_DEATH(call({}, {}, 0), "one scale for each mean");
  EXPECT_DEATH(call(means, {1.0}, 0), "one scale for each mean");
  EXPECT_DEATH(call(means, scales, 2), "k must be one of the arms");
  EXPECT_DEATH(call({0.0, std::nan("")}, scales, 0), "means must be finite");
  EXPECT_DEATH(call(means, {1.0, 0.0}, 0), "scales must be positive");
}

}  // namespace
}  // namespace assay

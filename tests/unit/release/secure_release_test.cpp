// Release on a grid, in integers: sensitivities, levels and laws of the mechanisms for real data.
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/idealized/laplace_mechanism.hpp"
#include "assay/mechanisms/noise/exact_coins.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Vector = std::vector<double>;
using Big100 = boost::multiprecision::cpp_bin_float_100;

ReplayStream release_stream(std::string_view what) {
  return ReplayStream({7, hash_purpose(what), 0, 0, Phase::kCertify});
}

// Every mechanism of the list releases from both sources.
template <class M>
typename M::Output secure_release(SecureStream& random, std::span<const double> numbers,
                                  std::span<const std::int64_t> integers) {
  typename M::Config config;
  if constexpr (requires { config.answers; }) config.answers = 5;
  const auto mechanism = M::create(config).value();
  if constexpr (std::is_same_v<typename M::Input, std::span<const double>>) {
    return mechanism.release(numbers, random);
  } else if constexpr (std::is_same_v<typename M::Input, std::span<const std::int64_t>>) {
    return mechanism.release(integers, random);
  } else {
    return mechanism.release(static_cast<typename M::Input>(1), random);
  }
}

template <class... M>
void expect_all_release(TypeList<M...>) {
  auto random = SecureStream::create().value();
  const Vector numbers{1, 0, 0, 1, 1};  // an input of every kind, counters included
  const std::vector<std::int64_t> integers{1, 2, 0, 1, 5};
  (static_cast<void>(secure_release<M>(random, numbers, integers)), ...);
}

TEST(SecureRelease, EveryMechanismReleasesFromUnpredictableWords) {
  expect_all_release(Mechanisms{});
  auto random = SecureStream::create().value();
  const auto laplace = LaplaceMechanism::create({}).value();
  const Vector q{0.0};
  std::set<double> outputs;
  for (int i = 0; i < 100; ++i) outputs.insert(laplace.release(q, random)[0]);
  EXPECT_GT(outputs.size(), 95u);  // of 2^21 values and more
}

TEST(FixedPoint, RoundsHalvesUpExactlyAndClamps) {
  const auto grid = FixedPoint::create(0.25).value();
  EXPECT_EQ(grid.steps(0.125), 1);
  EXPECT_EQ(grid.steps(-0.125), 0);
  EXPECT_EQ(grid.steps(std::nextafter(0.125, 0.0)),
            0);  // 0.5 - 2^-54 steps, whose sum with 0.5 is 1
  EXPECT_EQ(grid.steps(std::nextafter(-0.125, -1.0)), -1);
  EXPECT_EQ(grid.steps(-1e-300), 0);
  EXPECT_EQ(grid.steps(1e300), FixedPoint::kMostSteps);
  EXPECT_EQ(grid.steps(-1e300), -FixedPoint::kMostSteps);
  EXPECT_EQ(grid.value(FixedPoint::kMostOutput + 1), 0x1p51);
  for (const double odd : {0.0, -1.0, 0.3, 3.0, HUGE_VAL, std::nan("")}) {
    const auto refused = error_of(FixedPoint::create(odd));
    EXPECT_EQ(refused.path, "/granularity");
  }
}

// All moves on a grid of quarter steps (and hairs beside them), by brute force.
struct Worst {
  double l1 = 0.0;
  double squared_l2 = 0.0;
};

Worst enumerate_moves(int n, double reach, bool l1) {
  const auto grid = FixedPoint::create(1.0).value();
  constexpr double kHair = 0x1p-20;
  std::vector<double> starts{0.0, 0.5 - kHair, 0.5, 0.25};
  std::vector<double> moves{0.0, kHair, 2 * kHair};
  for (double d = 0.25; d <= reach; d += 0.25) {
    moves.push_back(d);
    moves.push_back(d - kHair);
    moves.push_back(d - 2 * kHair);
  }
  Worst worst;
  std::vector<double> steps(static_cast<std::size_t>(n));
  const std::function<void(int, double, double, double)> extend = [&](int i, double used, double m1,
                                                                      double m2) {
    if (i == n) {
      worst.l1 = std::max(worst.l1, m1);
      worst.squared_l2 = std::max(worst.squared_l2, m2);
      return;
    }
    for (const double d : moves) {
      const double more = used + (l1 ? d : d * d);
      if (more > (l1 ? reach : reach * reach)) continue;
      for (const double start : starts) {
        const auto m = static_cast<double>(grid.steps(start + d) - grid.steps(start));
        extend(i + 1, more, m1 + m, m2 + m * m);
      }
    }
  };
  extend(0, 0.0, 0.0, 0.0);
  return worst;
}

TEST(FixedPoint, SensitivitiesAreThoseOfAllMoves) {
  const auto grid = FixedPoint::create(1.0).value();
  for (const double reach : {0.25, 1.0, 1.5, 2.0}) {
    for (int n = 1; n <= (reach > 1.0 ? 2 : 3); ++n) {
      EXPECT_EQ(enumerate_moves(n, reach, true).l1, grid.l1_sensitivity(reach, n))
          << reach << " " << n;
      const double l2 = enumerate_moves(n, reach, false).squared_l2;
      EXPECT_LE(l2, grid.squared_l2_sensitivity(reach, n)) << reach << " " << n;
      EXPECT_GE(l2 + 2.0 * n, grid.squared_l2_sensitivity(reach, n)) << reach << " " << n;
      if (n == 1) {
        EXPECT_EQ(l2, grid.squared_l2_sensitivity(reach, n));
      }
    }
  }
  // One answer on a grid that divides the sensitivity costs nothing.
  EXPECT_EQ(FixedPoint::create(0x1p-20)->l1_sensitivity(1.0, 1), 0x1p20);
  EXPECT_EQ(FixedPoint::create(0x1p-20)->squared_l2_sensitivity(1.0, 1), 0x1p40);
}

TEST(ExactCoins, HaveTheProbabilityOfTheirExponential) {
  // Hoeffding, alpha = 1e-9 for each of the five.
  constexpr int kDraws = 100'000;
  const double t = std::sqrt(0.5 * std::log(2e9) / kDraws);
  auto random = release_stream("coins");
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> cases{
      {0, 1}, {1, 3}, {1, 1}, {7, 2}, {12345678901234567u, 98765432109876543u}};
  for (const auto& [n, d] : cases) {
    int heads = 0;
    for (int i = 0; i < kDraws; ++i) heads += detail::exp_coin(random, n, d) ? 1 : 0;
    const double p = std::exp(-static_cast<double>(n) / static_cast<double>(d));
    EXPECT_NEAR(static_cast<double>(heads) / kDraws, p, t) << n << "/" << d;
  }
}

// The law of the coin as a rational sum, all outcomes of it enumerated: P(K even) of (1) exactly.
TEST(ExactCoins, WideUniformsCoverTheirRangeEvenly) {
  auto random = release_stream("wide");
  const detail::Wide bound = (detail::Wide{3} << 64) + 1;
  int thirds[3] = {0, 0, 0};
  constexpr int kDraws = 30'000;
  for (int i = 0; i < kDraws; ++i) {
    const detail::Wide x = detail::uniform_below_wide(random, bound);
    ASSERT_LT(x, bound);
    if (x >> 64 < 3) ++thirds[static_cast<int>(x >> 64)];
  }
  const double t = kDraws * std::sqrt(0.5 * std::log(6e9) / kDraws);  // alpha 1e-9
  for (const int count : thirds) EXPECT_NEAR(count, kDraws / 3.0, t);
}

TEST(ExactCoins, ABoundOfTwoTo64TakesOneWord) {
  auto random = release_stream("wide bound");
  auto same = release_stream("wide bound");
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(detail::uniform_below_wide(random, detail::Wide{1} << 64) == same.next());
  }
}

TEST(LaplaceRelease, TheLossOfEveryOutputIsAtMostEpsilonAndAttainsIt) {
  for (const double epsilon : {0.1, 1.0, 3.0}) {
    for (const double granularity : {0.25, 1.0, 4.0, 0.0}) {
      const auto m = LaplaceMechanism::create({epsilon, 1.5, 2, granularity}).value();
      // In exact arithmetic: M/t <= epsilon.
      EXPECT_LE(Big100(m.steps()), Big100(epsilon) * Big100(m.noise().scale()));
      double worst = 0.0;
      const double g = m.grid().granularity();
      const double hair = g * 0x1p-10;
      // Halves cross: the first answer by 1.5 - hair, the second by a hair.
      const Vector q{0.5 * g - hair, 0.5 * g - hair / 8};
      const Vector other{q[0] + 1.5 - hair / 2, q[1] + hair / 4};
      for (int i = -8; i <= 8; ++i) {
        for (int j = -8; j <= 8; ++j) {
          const Vector y{g * i, g * j};
          worst = std::max(worst, std::abs(m.log_density(y, q) - m.log_density(y, other)));
        }
      }
      EXPECT_LE(worst, epsilon * (1 + 1e-9)) << epsilon << " " << granularity;
      if (granularity == 0.25) {
        EXPECT_GE(worst, epsilon * (1 - 1e-9));
      }
    }
  }
}

TEST(LaplaceRelease, ProbabilitiesOfTheGridSumToOne) {
  const auto m = LaplaceMechanism::create({1.0, 1.0, 1, 0.25}).value();
  const Vector q{0.6};
  double sum = 0.0;
  for (int z = -400; z <= 400; ++z) sum += std::exp(m.log_density(Vector{0.25 * z}, q));
  EXPECT_NEAR(sum, 1.0, 1e-13);
  EXPECT_EQ(m.log_density(Vector{0.3}, q), -HUGE_VAL);  // off the grid
  // The end of the range has the mass beyond it.
  const double end = 0.25 * static_cast<double>(FixedPoint::kMostOutput);
  const Vector far{1e300};
  const double log_tail = m.log_density(Vector{end}, far);
  EXPECT_NEAR(log_tail, -0x1p52 / m.noise().scale(), 1.0);
}

TEST(LaplaceRelease, NoiseIsThatOfRealNumbersNearly) {
  const auto one = LaplaceMechanism::create({0.3, 2.0, 1, 0.0}).value();
  const double b = one.grid().granularity() * one.noise().scale();
  EXPECT_GE(b, 2.0 / 0.3);
  EXPECT_LE(b, 2.0 / 0.3 * (1 + 0x1p-18));
  const auto many = LaplaceMechanism::create({0.3, 2.0, 10'000, 0.0}).value();
  EXPECT_LE(many.grid().granularity() * many.noise().scale(), 2.0 / 0.3 * (1 + 0x1p-9));
}

TEST(LaplaceRelease, ReleasesAreOnTheGridForAnyInput) {
  const auto m = LaplaceMechanism::create({1.0, 1.0, 2, 0.0}).value();
  auto random = release_stream("grid");
  for (const double x : {0.1, 1e6 + 0.3, -3.7e-9, 1e200}) {
    const Vector q{x, -x};
    for (const double y : m.release(q, random)) {
      const double steps = y / m.grid().granularity();
      EXPECT_EQ(steps, std::floor(steps));
    }
  }
}

TEST(LaplaceRelease, BadGridsNameTheField) {
  for (const double g : {0.3, 1e-40, 1e40}) {
    const auto error = error_of(LaplaceMechanism::create({1.0, 1.0, 1, g}));
    EXPECT_EQ(error.path, "/granularity") << g;
  }
  const auto refused = error_of(GaussianMechanism::create({1.0, 1e-5, 1.0, 1, 0x1p-60}));
  EXPECT_EQ(refused.path, "/granularity");
  EXPECT_FALSE(LaplaceMechanism::create({})->check_input(Vector{1.0, 2.0}));
}

// Upper bounds that hug the sum of the law, by sums in 50 digits.
TEST(DiscreteGaussianProfile, IsTheSumOfTheDistributionFromAbove) {
  using Digits = boost::multiprecision::cpp_bin_float_50;
  for (const auto& [scale, shift, epsilon] :
       std::vector<std::array<double, 3>>{{0.5, 1, 1}, {3, 2, 0.5}, {40, 7, 0.9}, {300, 90, 2}}) {
    const auto noise = DiscreteGaussian::create(scale).value();
    const auto reach = static_cast<int>(16 * scale + shift);
    const auto weight = [&, s = scale](int k) -> Digits {
      return exp(-Digits(k) * k / (2 * Digits(s) * s));
    };
    Digits norm = 0, delta = 0;
    for (int k = -reach; k <= reach; ++k) norm += weight(k);
    const Digits factor = exp(Digits(epsilon));
    for (int k = -reach; k <= reach; ++k) {
      const Digits term = weight(k) - factor * weight(k + static_cast<int>(shift));
      if (term > 0) delta += term;
    }
    delta /= norm;
    const double stated = discrete_gaussian_delta(noise, shift, Epsilon{epsilon}).value.value;
    EXPECT_GE(Digits(stated), delta) << scale;
    EXPECT_LE(stated, static_cast<double>(delta) + 3e-12) << scale;
  }
}

// On both sides of 2^13 the two ways, enclosure and sum, agree.
TEST(DiscreteGaussianProfile, EnclosureAgreesWithTheSum) {
  for (const double x : {-1.5, 0.0, 0.4, 1.0, 3.0, 6.0, 12.0}) {
    const double scale = 8200.0;
    const auto noise = DiscreteGaussian::create(scale).value();
    const double shift = 4000.0;
    const double middle = x * scale + 0.5 * shift;
    const double epsilon = middle * shift / (scale * scale);
    if (epsilon < 0) continue;
    const auto above = [](double y) { return static_cast<std::int64_t>(std::floor(y)) + 1; };
    const double sum = noise.ccdf(above(middle - 0.5 * shift)) -
                       std::exp(epsilon) * noise.ccdf(above(middle + 0.5 * shift));
    const double stated = discrete_gaussian_delta(noise, shift, Epsilon{epsilon}).value.value;
    EXPECT_GE(stated, sum * (1 - 1e-10)) << x;
    EXPECT_LE(stated, sum * (1 + 1e-4)) << x;
  }
}

TEST(GaussianRelease, OneAnswerKeepsItsDeltaWithTheScaleOfRealNumbers) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-12}) {
      const auto m = GaussianMechanism::create({epsilon, delta, 3.0, 1, 0.0}).value();
      const double shift = std::sqrt(m.squared_steps());
      EXPECT_EQ(shift, std::floor(shift));
      EXPECT_LE(
          discrete_gaussian_delta(m.noise().distribution(), shift, Epsilon{epsilon}).value.value,
          delta);
      const double real = gaussian_scale({Epsilon{epsilon}, Delta{delta}}, 3.0)->value.value;
      const double ours = m.grid().granularity() * m.noise().scale();
      EXPECT_NEAR(ours / real, 1.0, 1e-5) << epsilon << " " << delta;
      EXPECT_LE(ours, real * (1 + 2e-6)) << epsilon << " " << delta;
    }
  }
}

TEST(GaussianRelease, CoarseGridsKeepTheirDeltaToo) {
  const auto m = GaussianMechanism::create({0.5, 0.01, 1.0, 1, 1.0}).value();
  Vector q{0.0}, other{1.0};
  double delta = 0.0;
  for (int z = -300; z <= 300; ++z) {
    const Vector y{static_cast<double>(z)};
    delta += std::max(0.0, std::exp(m.log_density(y, other)) - std::exp(0.5 + m.log_density(y, q)));
  }
  EXPECT_LE(delta, 0.01);
  EXPECT_GE(delta, 0.01 * (1 - 1e-3));
}

TEST(GaussianRelease, SeveralAnswersAreCalibratedByZcdp) {
  const auto m = GaussianMechanism::create({1.0, 1e-6, 1.0, 10, 0.0}).value();
  EXPECT_LE(zcdp_delta(m.zcdp().rho, Epsilon{1.0})->value.value, 1e-6);
  EXPECT_GE(zcdp_delta(Rho{m.zcdp().rho.value * 1.001}, Epsilon{1.0})->value.value, 1e-6);
  const double real = gaussian_scale({Epsilon{1.0}, Delta{1e-6}}, 1.0)->value.value;
  const double ours = m.grid().granularity() * m.noise().scale();
  EXPECT_GE(ours, real);
  EXPECT_LE(ours, 1.2 * real);
  // rho covers the sensitivity in exact arithmetic.
  EXPECT_GE(Big100(m.zcdp().rho.value) * 2 * Big100(m.noise().scale()) * Big100(m.noise().scale()),
            Big100(m.squared_steps()));
}

TEST(Scales, AreNeverBelowTheExactQuotient) {
  auto random = release_stream("scales");
  int tight = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(1.0 + random.uniform(), static_cast<int>(random.next() % 60) - 30);
    const double y = std::ldexp(1.0 + random.uniform(), static_cast<int>(random.next() % 60) - 30);
    const double q = detail::divide_up(x, y);
    ASSERT_GE(Big100(q) * Big100(y), Big100(x));
    ASSERT_LT(Big100(std::nextafter(q, 0.0)) * Big100(y), Big100(x));  // the least such
    if (q == x / y) ++tight;
    const double epsilon = std::min(std::max(y, 1e-3), 1e3);
    const auto m = idealized::LaplaceMechanism::create({epsilon, 1.0}).value();
    ASSERT_GE(Big100(m.noise().scale()) * Big100(epsilon), 1);
  }
  EXPECT_GT(tight, 8000);  // rounding to nearest was upwards already, half of the time
  EXPECT_EQ(detail::divide_up(1.0, 0.5), 2.0);
}

// -- snapping --

TEST(SnappedLaplace, TheLogarithmIsCorrectlyRounded) {
  auto random = release_stream("log");
  for (int i = 0; i < 2000; ++i) {
    detail::UniformDouble u{.exponent = 1 + random.next() % (i % 2 == 0 ? 3 : 5000),
                            .mantissa = random.next() >> 12};
    if (i == 0) u = {1, (std::uint64_t{1} << 52) - 1};
    if (i == 1) u = {1, 0};
    const Big100 exact = -log(
        ldexp(Big100((std::uint64_t{1} << 52) + u.mantissa), -52 - static_cast<int>(u.exponent)));
    const double got = detail::exponential_of(u);
    const Big100 error = abs(exact - got);
    EXPECT_LE(error, abs(exact - std::nextafter(got, 0.0)));
    EXPECT_LE(error, abs(exact - std::nextafter(got, HUGE_VAL)));
  }
}

TEST(SnappedLaplace, ProbabilitiesSumToOneAndKeepTheLevel) {
  const auto m = SnappedLaplace::create({0.7, 1.0, 12.0}).value();
  EXPECT_EQ(m.step(), 2.0);
  EXPECT_GE(m.lambda(), 1.0 / 0.7);
  for (const double q : {0.0, 0.31, 5.0, 40.0}) {
    double sum = 0.0;
    double worst = 0.0;
    for (double y = -12.0; y <= 12.0; y += 2.0) {
      const double here = m.log_density(y, q);
      sum += std::exp(here);
      for (const double other : {q - 1.0, q - 0.5, q + 1.0}) {
        worst = std::max(worst, std::abs(here - m.log_density(y, other)));
      }
    }
    EXPECT_NEAR(sum, 1.0, 1e-13) << q;
    EXPECT_LE(worst, 0.7) << q;
  }
}

TEST(SnappedLaplace, ReleasesFollowTheirDistribution) {
  const auto m = SnappedLaplace::create({0.7, 1.0, 12.0}).value();
  auto random = release_stream("snapped");
  constexpr int kDraws = 2000;
  std::vector<int> counts(13, 0);
  for (int i = 0; i < kDraws; ++i) {
    const double y = m.release(0.31, random);
    ASSERT_EQ(y, 2.0 * std::round(y / 2.0));
    ++counts[static_cast<std::size_t>(y / 2.0 + 6.0)];
  }
  const double t = kDraws * std::sqrt(0.5 * std::log(26e9) / kDraws);  // alpha 1e-9 for all
  for (int i = 0; i < 13; ++i) {
    EXPECT_NEAR(counts[static_cast<std::size_t>(i)],
                kDraws * std::exp(m.log_density(2.0 * i - 12.0, 0.31)), t);
  }
}

TEST(SnappedLaplace, BoundsOutsideTheProofAreRefused) {
  for (const double bound : {0.5, 1e14}) {
    const auto error = error_of(SnappedLaplace::create({1.0, 1.0, bound}));
    EXPECT_THAT(error.message, HasSubstr("bound must be 1 to 2^40 times"));
    EXPECT_EQ(error.path, "/bound");
  }
}

}  // namespace
}  // namespace assay

// The noise distributions: parameters, densities, tails and quantiles against 50-digit formulas,
// the map from words to draws, and their pinned bits.
#include <bit>
#include <random>

#include "assay/mechanisms/core/internal/avx2.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using oracle::Real;

// The standard law (location 0, scale 1) in 50 digits: each function of the header at the exact z.
struct StandardDistribution {
  std::function<Real(const Real&)> log_density, log_cdf, log_ccdf;
  std::function<Real(const Real&)> quantile_of_log_cdf;  // z with log cdf(z) = the argument
  // A tail that is e^(log tail) carries |log tail| times the rounding of that logarithm.
  double roundings = 0.0;
};

Real log_one_minus_exp(const Real& x) { return x > -0.7 ? log(-expm1(x)) : log1p(-exp(x)); }

StandardDistribution laplace_distribution() {
  const auto log_lower = [](const Real& z) -> Real {
    return z < 0 ? Real(z - log(Real(2))) : log1p(-exp(-z) / 2);
  };
  return {[](const Real& z) -> Real { return -abs(z) - log(Real(2)); }, log_lower,
          [=](const Real& z) { return log_lower(-z); },
          [](const Real& log_p) -> Real {
            return log_p < -log(Real(2)) ? Real(log_p + log(Real(2)))
                                         : Real(-log_one_minus_exp(log_p) - log(Real(2)));
          }};
}

StandardDistribution gumbel_distribution() {
  return {[](const Real& z) -> Real { return -z - exp(-z); },
          [](const Real& z) -> Real { return -exp(-z); },
          [](const Real& z) -> Real { return log_one_minus_exp(-exp(-z)); },
          [](const Real& log_p) -> Real { return -log(-log_p); }, 0x1p-52};
}

StandardDistribution exponential_distribution() {
  return {[](const Real& z) -> Real { return -z; },
          [](const Real& z) -> Real { return log_one_minus_exp(-z); },
          [](const Real& z) -> Real { return -z; },
          [](const Real& log_p) -> Real { return -log_one_minus_exp(log_p); }};
}

Real normal_quantile_of_log(const Real& log_p) {
  // Newton in log space on the smaller tail, from a double's start.
  const Real log_q = log_one_minus_exp(log_p);
  const bool lower = log_p < log_q;
  const Real target = lower ? log_p : log_q;
  const double y = sqrt(-2 * target).convert_to<double>();
  Real x = std::max(0.0, y - (std::log(y) + 0.919) / y);
  for (Real step = 1; abs(step) > 1e-24 * abs(x);) {
    step =
        (oracle::normal_log_tail(x) - target) * oracle::normal_tail(x) / oracle::normal_density(x);
    x += step;
  }
  return lower ? Real(-x) : x;
}

StandardDistribution gaussian_distribution() {
  return {[](const Real& z) -> Real {
            return -z * z / 2 - log(2 * boost::math::constants::pi<Real>()) / 2;
          },
          [](const Real& z) { return oracle::normal_log_tail(-z); }, oracle::normal_log_tail,
          normal_quantile_of_log};
}

// Scales and locations that are powers of two, so
// that z is exact and the errors are the functions'.
constexpr double kLocation = 0.0;
constexpr double kScale = 4.0;

template <class Distribution>
void expect_accurate_distribution(const Distribution& d, const StandardDistribution& distribution,
                                  double low, double high) {
  std::mt19937_64 words(1);
  for (int i = 0; i < 1'000; ++i) {
    const double z = low + (high - low) * (static_cast<double>(words() >> 11) * 0x1p-53);
    const double x = kLocation + kScale * z;
    const Real log_density = distribution.log_density(Real(z)) - log(Real(kScale));
    // log density passes through 0 where the density is 1: error relative to max(1, |.|).
    EXPECT_LE(abs(Real(d.log_density(x)) - log_density),
              1e-15 * (1 + abs(log_density).convert_to<double>()))
        << z;
    const Real log_cdf = distribution.log_cdf(Real(z));
    const Real log_ccdf = distribution.log_ccdf(Real(z));
    const double limit = 2e-15 + distribution.roundings * abs(log_cdf).convert_to<double>();
    EXPECT_LE(oracle::relative_error(d.log_cdf(x), log_cdf), 2e-15) << z;
    EXPECT_LE(oracle::relative_error(d.log_ccdf(x), log_ccdf), limit) << z;
    EXPECT_LE(oracle::relative_error(d.cdf(x), exp(log_cdf)), limit) << z;
    EXPECT_LE(oracle::relative_error(d.ccdf(x), exp(log_ccdf)), 2e-15) << z;
  }
  for (int i = 0; i < 300; ++i) {
    const double u = static_cast<double>(words() >> 11) * 0x1p-53;
    const double p = i % 2 == 0 ? std::ldexp(u, -static_cast<int>(words() % 60)) : u;
    if (p == 0.0) continue;
    // Relative to |z| + 1: near its root a quantile carries the rounding of p itself.
    const Real z = distribution.quantile_of_log_cdf(log(Real(p)));
    EXPECT_LE(abs(Real(d.quantile(p)) / kScale - z), 1e-15 * (1 + abs(z).convert_to<double>()))
        << p;
    const Real upper = distribution.quantile_of_log_cdf(log1p(-Real(p)));
    EXPECT_LE(abs(Real(d.ccdf_quantile(p)) / kScale - upper),
              1e-15 * (1 + abs(upper).convert_to<double>()))
        << p;
  }
}

TEST(Gaussian, FunctionsAreAccurate) {
  expect_accurate_distribution(*Gaussian::create(kLocation, kScale), gaussian_distribution(), -37.0,
                               37.0);
}
TEST(Laplace, FunctionsAreAccurate) {
  expect_accurate_distribution(*Laplace::create(kLocation, kScale), laplace_distribution(), -700.0,
                               700.0);
}
TEST(Gumbel, FunctionsAreAccurate) {
  expect_accurate_distribution(*Gumbel::create(kLocation, kScale), gumbel_distribution(), -6.0,
                               700.0);
  expect_accurate_distribution(*Gumbel::create(kLocation, kScale), gumbel_distribution(), -6.0,
                               6.0);
}
TEST(Exponential, FunctionsAreAccurate) {
  expect_accurate_distribution(*Exponential::create(kScale), exponential_distribution(), 0.0,
                               700.0);
  expect_accurate_distribution(*Exponential::create(kScale), exponential_distribution(), 0.0, 2.0);
}

// Symmetry, location and scale move the law as they should.
TEST(Noise, LocationAndScaleMoveTheStandardDistribution) {
  const auto gaussian = *Gaussian::create(3.0, 0.5);
  EXPECT_DOUBLE_EQ(gaussian.cdf(3.0), 0.5);
  EXPECT_DOUBLE_EQ(gaussian.quantile(0.8), 3.0 + 0.5 * Gaussian::create(0, 1)->quantile(0.8));
  const auto laplace = *Laplace::create(3.0, 0.5);
  EXPECT_DOUBLE_EQ(laplace.cdf(2.5), 0.5 * std::exp(-1.0));
  EXPECT_DOUBLE_EQ(laplace.log_density(3.0), 0.0);
  EXPECT_DOUBLE_EQ(laplace.ccdf_quantile(0.5 * std::exp(-1.0)), 3.5);
  const auto gumbel = *Gumbel::create(3.0, 0.5);
  EXPECT_DOUBLE_EQ(gumbel.cdf(3.0), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(gumbel.quantile(std::exp(-1.0)), 3.0);
  const auto exponential = *Exponential::create(0.5);
  EXPECT_DOUBLE_EQ(exponential.ccdf(0.5), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(exponential.log_density(0.0), std::log(2.0));
}

TEST(Noise, EndsOfTheRangeAreExact) {
  const auto check = [](const auto& d, double least) {
    EXPECT_EQ(d.quantile(0.0), least);
    EXPECT_EQ(d.quantile(1.0), kInfinity);
    EXPECT_EQ(d.ccdf_quantile(0.0), kInfinity);
    EXPECT_EQ(d.ccdf_quantile(1.0), least);
    EXPECT_EQ(d.cdf(-kInfinity), 0.0);
    EXPECT_EQ(d.cdf(kInfinity), 1.0);
    EXPECT_EQ(d.ccdf(-kInfinity), 1.0);
    EXPECT_EQ(d.ccdf(kInfinity), 0.0);
    EXPECT_EQ(d.log_cdf(-kInfinity), -kInfinity);
    EXPECT_EQ(d.log_cdf(kInfinity), 0.0);
    EXPECT_EQ(d.log_ccdf(-kInfinity), 0.0);
    EXPECT_EQ(d.log_ccdf(kInfinity), -kInfinity);
    EXPECT_EQ(d.log_density(kInfinity), -kInfinity);
    EXPECT_EQ(d.log_density(-kInfinity), -kInfinity);
    for (const double p : {-0.5, 1.5, kNaN}) {
      EXPECT_TRUE(std::isnan(d.quantile(p))) << p;
      EXPECT_TRUE(std::isnan(d.ccdf_quantile(p))) << p;
    }
  };
  check(*Gaussian::create(1.0, 2.0), -kInfinity);
  check(*Laplace::create(1.0, 2.0), -kInfinity);
  check(*Gumbel::create(1.0, 2.0), -kInfinity);
  check(*Exponential::create(2.0), 0.0);
  EXPECT_EQ(Exponential::create(2.0)->cdf(-1.0), 0.0);
  EXPECT_EQ(Exponential::create(2.0)->ccdf(-1.0), 1.0);
  EXPECT_EQ(Exponential::create(2.0)->log_density(-1.0), -kInfinity);
}

TEST(Noise, CreateRefusesScalesAndLocationsThatAreNoneAndSaysWhich) {
  const auto check = [](const auto& result, const std::string& message, const std::string& path) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(result.error().message, ::testing::HasSubstr(message));
    EXPECT_EQ(result.error().path, path);
  };
  for (const double scale : {0.0, -1.0, kInfinity, -kInfinity, kNaN}) {
    const std::string message = "scale must be positive and finite";
    check(Gaussian::create(0.0, scale), message, "/scale");
    check(Laplace::create(0.0, scale), message, "/scale");
    check(Gumbel::create(0.0, scale), message, "/scale");
    check(Exponential::create(scale), message, "/scale");
  }
  for (const double location : {kInfinity, -kInfinity, kNaN}) {
    check(Gaussian::create(location, 1.0), "location must be finite", "/location");
    check(Laplace::create(location, 1.0), "location must be finite", "/location");
    check(Gumbel::create(location, 1.0), "location must be finite", "/location");
  }
  check(Laplace::create(0.0, -2.5), "-2.5", "/scale");
}

// Words from every octave of the distance to either end, and their neighbours.
std::vector<std::uint64_t> words_of_all_depths() {
  std::vector<std::uint64_t> out;
  std::mt19937_64 random(2);
  for (int e = 0; e < 64; ++e) {
    const std::uint64_t power = std::uint64_t{1} << e;
    for (std::uint64_t d = 0; d < 3; ++d) {
      for (const std::uint64_t k : {power + d, power - 1 - d}) {
        out.insert(out.end(), {k, ~k, k ^ (std::uint64_t{1} << 63)});
      }
    }
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t k = random() >> e;
      out.insert(out.end(), {k, ~k, k ^ (std::uint64_t{1} << 63)});
    }
  }
  return out;
}

template <class Distribution>
void expect_draws_are_quantiles(const Distribution& d, const StandardDistribution& distribution,
                                double limit) {
  for (const auto word : words_of_all_depths()) {
    // The exact log cdf at (word + 1/2) 2^-64.
    const Real p = ldexp(Real(word) + Real(0.5), -64);
    const Real z = distribution.quantile_of_log_cdf(p < 0.5 ? log(p) : log1p(-(1 - p)));
    EXPECT_LE(oracle::relative_error(d.from_word(word) / kScale, z), limit) << word;
  }
}

TEST(Gaussian, DrawsAreTheQuantilesOfTheirWords) {
  expect_draws_are_quantiles(*Gaussian::create(0.0, kScale), gaussian_distribution(), 2e-15);
}
TEST(Laplace, DrawsAreTheQuantilesOfTheirWords) {
  expect_draws_are_quantiles(*Laplace::create(0.0, kScale), laplace_distribution(), 3e-16);
}
TEST(Exponential, DrawsAreTheQuantilesOfTheirWords) {
  expect_draws_are_quantiles(*Exponential::create(kScale), exponential_distribution(), 3e-16);
}
TEST(Gumbel, DrawsAreTheQuantilesOfTheirWords) {
  const auto gumbel = *Gumbel::create(0.0, kScale);
  for (const auto word : words_of_all_depths()) {
    const Real z = -log(-log(ldexp(Real(word) + Real(0.5), -64)));
    EXPECT_LE(abs(Real(gumbel.from_word(word)) / kScale - z),
              3e-16 * (1 + abs(z).convert_to<double>()))
        << word;
  }
}

TEST(Gaussian, ComplementaryWordsGiveOppositeDraws) {
  for (const auto word : words_of_all_depths()) {
    EXPECT_EQ(gaussian_from_word(~word), -gaussian_from_word(word));
  }
}

TEST(Gaussian, AdjacentTableCellsJoinWithoutAJump) {
  for (int octave = 47; octave < 63; ++octave) {
    for (std::uint64_t cell = 0; cell < 32; ++cell) {
      const std::uint64_t k = (32 + cell) << (octave - 5);
      EXPECT_NEAR(gaussian_from_word(k), gaussian_from_word(k - 1),
                  3e-15 * std::abs(gaussian_from_word(k)));
      EXPECT_LT(gaussian_from_word(k - (k >> 30)), gaussian_from_word(k));
    }
  }
}

TEST(Gaussian, BracketsHoldTheFirstAndTheLastWordOfEachAndAreTight) {
  const auto& brackets = gaussian_brackets();
  for (std::uint64_t top = 0; top < 65536; ++top) {
    const auto [low, high] = brackets(static_cast<std::uint16_t>(top));
    const double first = gaussian_from_word(top << 48);
    const double last = gaussian_from_word((top << 48) | 0xFFFFFFFFFFFFu);
    ASSERT_LE(low, first);
    ASSERT_GE(high, last);
    ASSERT_GE(low, first - 1e-6 * std::abs(first) - 1e-19) << top;
    ASSERT_LE(high, last + 1e-6 * std::abs(last) + 1e-19) << top;
  }
}

// fill and repeated sample agree bit for bit, whatever
// is left of the current block, also afterwards.
template <class Distribution>
void expect_fill_is_repeated_sample(const Distribution& d) {
  for (std::size_t used = 0; used < 5; ++used) {
    for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 31u, 32u, 33u, 64u, 100u, 1001u}) {
      ReplayStream one({3, hash_purpose("fill"), used, size, Phase::kPilot});
      ReplayStream other = one;
      for (std::size_t i = 0; i < used; ++i) EXPECT_EQ(one.next(), other.next());
      std::vector<double> filled(size);
      d.fill(one, filled);
      for (const double x : filled) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(d.sample(other)));
      }
      EXPECT_EQ(one.next(), other.next());
    }
  }
}

TEST(Noise, FillGivesTheBitsOfRepeatedSample) {
  expect_fill_is_repeated_sample(*Gaussian::create(0.25, 3.0));
  expect_fill_is_repeated_sample(*Laplace::create(0.25, 3.0));
  expect_fill_is_repeated_sample(*Gumbel::create(0.25, 3.0));
  expect_fill_is_repeated_sample(*Exponential::create(3.0));
}

// A source without blocks draws from the same words.
class CountingWords {
 public:
  std::uint64_t next() { return state_ += 0x9E3779B97F4A7C15u; }

 private:
  std::uint64_t state_ = 0;
};

TEST(Noise, AnySourceOfWordsWillDo) {
  CountingWords one;
  CountingWords other;
  const auto gaussian = *Gaussian::create(1.0, 2.0);
  std::vector<double> filled(10);
  gaussian.fill(one, filled);
  for (const double x : filled) EXPECT_EQ(x, gaussian.sample(other));
}

// 2^21 draws meet the far tail (probability 2^-16) about 32 times.
TEST(Gaussian, WideAndBaselineKernelsGiveTheSameBits) {
  if (!detail::has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  const std::size_t size = std::size_t{1} << 21;
  std::vector<double> wide(size);
  std::vector<double> baseline(size);
  detail::fill_gaussian_blocks_avx2({~std::uint64_t{0} - 5, 1, 2, 3}, {4, 5}, 0.1, 3.0, wide);
  detail::fill_gaussian_blocks_baseline({~std::uint64_t{0} - 5, 1, 2, 3}, {4, 5}, 0.1, 3.0,
                                        baseline);
  int tail = 0;
  for (std::size_t i = 0; i < size; ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(wide[i]), std::bit_cast<std::uint64_t>(baseline[i]))
        << i;
    tail += std::abs(wide[i] - 0.1) > 3.0 * 4.3249190408260463 ? 1 : 0;
  }
  EXPECT_GE(tail, 10);
}

// 2^20 words, some of them short ones, whose logarithm takes another path.
TEST(Noise, WideAndBaselineLogarithmsGiveTheSameBits) {
  if (!detail::has_avx2()) GTEST_SKIP() << "this processor has no AVX2";
  ReplayStream random({3, hash_purpose("log words"), 0, 0, Phase::kCertify});
  std::vector<std::uint64_t> words((std::size_t{1} << 20) + 3);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = random.next() >> (i % 8 == 0 ? i / 8 % 64 : 0);
    if (i % 16 == 0) words[i] = ~words[i];
  }
  for (const auto distribution :
       {detail::LogDistribution::kLaplace, detail::LogDistribution::kExponential,
        detail::LogDistribution::kGumbel}) {
    std::vector<double> wide(words.size());
    std::vector<double> baseline(words.size());
    detail::map_log_words_avx2(distribution, words, 0.1, 3.0, wide.data());
    detail::map_log_words_baseline(distribution, words, 0.1, 3.0, baseline.data());
    for (std::size_t i = 0; i < words.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(wide[i]), std::bit_cast<std::uint64_t>(baseline[i]))
          << words[i];
    }
  }
}

TEST(Noise, WordsInSpansAreThoseOfRepeatedDraws) {
  for (std::size_t size = 0; size < 90; ++size) {
    ReplayStream one({3, hash_purpose("words"), 0, 0, Phase::kCertify});
    ReplayStream other = one;
    for (std::size_t i = 0; i < size % 5; ++i) EXPECT_EQ(one.next(), other.next());
    std::vector<std::uint64_t> words(size);
    fill_words(one, words);
    for (const std::uint64_t word : words) ASSERT_EQ(word, other.next());
    EXPECT_EQ(one.next(), other.next());
  }
}

TEST(Noise, ReplicatesHaveTheSameBitsForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    std::vector<std::vector<double>> out(64, std::vector<double>(300));
    parallel_for(threads, out.size(), [&](std::size_t i) {
      ReplayStream random({5, hash_purpose("threads"), i, 0, Phase::kCertify});
      Gaussian::create(0.0, 1.0)->fill(random, std::span(out[i]).first(150));
      Laplace::create(0.0, 1.0)->fill(random, std::span(out[i]).subspan(150));
    });
    return out;
  };
  const auto one = run(1);
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(run(7), one);
}

// The same on every machine and compiler: a hash over 10,000 draws, and the first ones readably.
template <class Distribution>
std::uint64_t hash_of_draws(const Distribution& d) {
  ReplayStream random({6, hash_purpose("golden"), 0, 0, Phase::kCertify});
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<double> draws(10'000);
  d.fill(random, draws);
  for (const double x : draws) hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3u;
  return hash;
}

TEST(Noise, BitsArePinned) {
  EXPECT_EQ(hash_of_draws(*Gaussian::create(0.5, 2.0)), 17254628923030914530u);
  EXPECT_EQ(hash_of_draws(*Laplace::create(0.5, 2.0)), 10924671197294538748u);
  EXPECT_EQ(hash_of_draws(*Gumbel::create(0.5, 2.0)), 8112272531823856145u);
  EXPECT_EQ(hash_of_draws(*Exponential::create(2.0)), 16991615643940103503u);

  EXPECT_EQ(gaussian_from_word(0x0123456789abcdefu), -0x1.4ee2dc0a9dff8p+1);
  EXPECT_EQ(gaussian_from_word(0x8000000000000000u), 0x1.40d931ff62702p-64);
  EXPECT_EQ(gaussian_from_word(0xffffffffffffffffu), 0x1.24f82aa55eb14p+3);
  EXPECT_EQ(gaussian_from_word(0x0000000000001000u), -0x1.04072cd05676dp+3);
}

}  // namespace
}  // namespace assay

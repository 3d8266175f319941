// The portable elementary functions against MPFR: at most 1 ulp in every regime.
#include "assay/mechanisms/numerics/portable_math.hpp"

#include <mpfr.h>

#include <bit>
#include <random>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using oracle::Real;

// MPFR at 140 bits, and the error in ulp; the fixed buffers make millions of points cheap.
class Reference {
 public:
  using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  explicit Reference(Function function) : function_(function) {
    mpfr_init2(argument_, 53);
    mpfr_init2(value_, 140);
  }
  ~Reference() {
    mpfr_clear(argument_);
    mpfr_clear(value_);
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  double ulp_error(double got, double x) {
    mpfr_set_d(argument_, x, MPFR_RNDN);
    function_(value_, argument_, MPFR_RNDN);
    const double nearest = mpfr_get_d(value_, MPFR_RNDN);
    if (!std::isfinite(nearest) || !std::isfinite(got)) {
      return nearest == got || (std::isnan(nearest) && std::isnan(got)) ? 0.0 : kInfinity;
    }
    const int exponent = nearest == 0.0 ? -1074 : std::max(std::ilogb(nearest) - 52, -1074);
    mpfr_sub_d(value_, value_, got, MPFR_RNDN);
    mpfr_mul_2si(value_, value_, -exponent, MPFR_RNDN);
    return std::abs(mpfr_get_d(value_, MPFR_RNDN));
  }

 private:
  Function function_;
  mpfr_t argument_;
  mpfr_t value_;
};

struct Regime {
  const char* name;
  double low;
  double high;
  bool logarithmic;  // uniform in the exponent, both signs
};

// Every double, then where each function bends: near 0, near 1, near overflow and underflow.
constexpr Regime kRegimes[] = {
    {"all exponents", -1074, 1024, true},  {"small", -60, 0, true},    {"unit", -1.0, 1.0, false},
    {"near 1", 0.97, 1.03, false},         {"wide", -750, 720, false}, {"middle", -45, 45, false},
    {"exp underflows", -746, -705, false}, {"octave", 0.5, 2.0, false}};

double draw_of_regime(const Regime& regime, std::mt19937_64& words) {
  const double u = static_cast<double>(words() >> 11) * 0x1p-53;
  const double x = regime.low + (regime.high - regime.low) * u;
  if (!regime.logarithmic) return x;
  return std::copysign(std::exp2(x), (words() & 1) != 0 ? 1.0 : -1.0);
}

void expect_at_most(double limit, double (*function)(double), Reference::Function exact) {
  Reference reference(exact);
  std::mt19937_64 words(20240501);
  for (const auto& regime : kRegimes) {
    double worst = 0.0;
    double worst_at = 0.0;
    for (int i = 0; i < 50'000; ++i) {
      const double x = draw_of_regime(regime, words);
      const double error = reference.ulp_error(function(x), x);
      if (!(error <= worst)) {
        worst = error;
        worst_at = x;
      }
    }
    EXPECT_LE(worst, limit) << regime.name << " at " << std::hexfloat << worst_at;
  }
}

TEST(PortableMath, ExpIsWithinOneUlp) { expect_at_most(0.76, portable_exp, mpfr_exp); }
TEST(PortableMath, LogIsWithinOneUlp) { expect_at_most(0.55, portable_log, mpfr_log); }
TEST(PortableMath, Log1pIsWithinOneUlp) { expect_at_most(0.55, portable_log1p, mpfr_log1p); }
TEST(PortableMath, Expm1IsWithinOneUlp) { expect_at_most(0.6, portable_expm1, mpfr_expm1); }

// Neighbours of every boundary inside the algorithms: table cells, branches, powers of two.
TEST(PortableMath, IsWithinOneUlpOnBothSidesOfEveryBoundary) {
  std::vector<double> points;
  for (int j = -300; j <= 300; ++j) points.push_back((j + 0.5) * 0.00541521234812457);
  for (int j = 0; j <= 256; ++j) points.push_back(0.5 + j / 256.0);
  for (int j = 0; j <= 128; ++j) points.push_back(1.0 + j / 128.0);
  for (int e = -1074; e <= 1023; ++e) points.push_back(std::ldexp(1.0, e));
  for (const double x : {0.125, 0.70703125, 40.0, 38.0, 708.0, 709.782712893384, 745.1332191019412,
                         744.4400719213812, 0x1p-54, 0x1p60, 0x1p52, 0x1.fffffffffffffp-1022}) {
    points.push_back(x);
  }
  struct Pair {
    double (*function)(double);
    Reference::Function exact;
  };
  for (const auto& [function, exact] :
       {Pair{portable_exp, mpfr_exp}, Pair{portable_log, mpfr_log},
        Pair{portable_log1p, mpfr_log1p}, Pair{portable_expm1, mpfr_expm1}}) {
    Reference reference(exact);
    for (const double point : points) {
      for (const double near :
           {std::nextafter(point, -kInfinity), point, std::nextafter(point, kInfinity)}) {
        for (const double x : {near, -near, near - 1.0}) {
          EXPECT_LE(reference.ulp_error(function(x), x), 0.76) << std::hexfloat << x;
        }
      }
    }
  }
}

TEST(PortableMath, SpecialValuesFollowIeee754) {
  EXPECT_EQ(portable_exp(0.0), 1.0);
  EXPECT_EQ(portable_exp(kInfinity), kInfinity);
  EXPECT_EQ(portable_exp(-kInfinity), 0.0);
  EXPECT_EQ(portable_exp(oracle::kMax), kInfinity);
  EXPECT_EQ(portable_exp(-oracle::kMax), 0.0);
  EXPECT_TRUE(std::isnan(portable_exp(kNaN)));
  EXPECT_EQ(portable_log(1.0), 0.0);
  EXPECT_EQ(portable_log(0.0), -kInfinity);
  EXPECT_EQ(portable_log(-0.0), -kInfinity);
  EXPECT_EQ(portable_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable_log(-oracle::kTiny)));
  EXPECT_TRUE(std::isnan(portable_log(-kInfinity)));
  EXPECT_TRUE(std::isnan(portable_log(kNaN)));
  EXPECT_EQ(portable_log1p(-1.0), -kInfinity);
  EXPECT_EQ(portable_log1p(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable_log1p(std::nextafter(-1.0, -2.0))));
  EXPECT_TRUE(std::isnan(portable_log1p(kNaN)));
  EXPECT_EQ(portable_expm1(kInfinity), kInfinity);
  EXPECT_EQ(portable_expm1(-kInfinity), -1.0);
  EXPECT_TRUE(std::isnan(portable_expm1(kNaN)));
  for (const double x : {0.0, -0.0, oracle::kTiny, -oracle::kTiny}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(portable_log1p(x)), std::bit_cast<std::uint64_t>(x));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(portable_expm1(x)), std::bit_cast<std::uint64_t>(x));
  }
}

TEST(PortableMath, ExpOfSumTakesTheLowPartIntoAccount) {
  std::mt19937_64 words(3);
  for (int i = 0; i < 20'000; ++i) {
    const double high = draw_of_regime({"", -700, 700, false}, words);
    const double low = draw_of_regime({"", -0x1p-10, 0x1p-10, false}, words);
    EXPECT_LE(oracle::ulp_error(detail::exp_of_sum(high, low), exp(Real(high) + Real(low))), 0.6);
  }
}

TEST(PortableMath, LogMidpointIsWithinOneUlpOfEveryWord) {
  std::mt19937_64 words(4);
  std::vector<std::uint64_t> points{0, 1, 2};
  for (int e = 0; e < 64; ++e) {
    const std::uint64_t power = std::uint64_t{1} << e;
    for (std::uint64_t d = 0; d < 3; ++d) {
      points.insert(points.end(), {power + d, power - d, ~(power + d), ~(power - d)});
    }
    for (int i = 0; i < 300; ++i) {
      points.push_back(words() >> e);
      points.push_back(~(words() >> e));
    }
  }
  for (const auto k : points) {
    for (const int bits : {63, 64}) {
      if (bits == 63 && k >> 63 != 0) continue;
      const Real exact = log(ldexp(Real(k) + Real(0.5), -bits));
      EXPECT_LE(oracle::ulp_error(detail::log_midpoint(k, bits), exact), 0.6) << k << " " << bits;
    }
  }
}

// log(e^a - e^b) = a + log(1 - e^(b - a)): one rounding each of the gap (whose effect is at most
// one rounding of 1), of the second term and of the sum.
TEST(PortableMath, LogAddExpAndLogSubExpAreAccurateToRounding) {
  std::mt19937_64 words(5);
  for (int i = 0; i < 20'000; ++i) {
    const double a = draw_of_regime({"", -800, 800, false}, words);
    const double b = a - std::abs(draw_of_regime({"", -30, 6, true}, words));
    const Real gap = exp(Real(b) - Real(a));
    const Real sum = Real(a) + log1p(gap);
    const Real difference = Real(a) + log1p(-gap);
    const auto tolerance = [&](const Real& result) {
      return 0x1p-53 * (2.0 + 2.0 * abs(result - a) + abs(result));
    };
    EXPECT_LE(abs(Real(log_add_exp(a, b)) - sum), tolerance(sum)) << a << " " << b;
    EXPECT_EQ(log_add_exp(a, b), log_add_exp(b, a));
    if (b < a) {
      EXPECT_LE(abs(Real(log_sub_exp(a, b)) - difference), tolerance(difference)) << a << " " << b;
    }
  }
}

TEST(PortableMath, LogAddExpAndLogSubExpTreatMinusInfinityAsTheLogOfZero) {
  EXPECT_EQ(log_add_exp(-kInfinity, -kInfinity), -kInfinity);
  EXPECT_EQ(log_add_exp(-kInfinity, 3.0), 3.0);
  EXPECT_EQ(log_add_exp(kInfinity, 3.0), kInfinity);
  EXPECT_EQ(log_add_exp(kInfinity, -kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(log_add_exp(kNaN, -kInfinity)));
  EXPECT_TRUE(std::isnan(log_add_exp(1.0, kNaN)));
  EXPECT_EQ(log_sub_exp(2.0, -kInfinity), 2.0);
  EXPECT_EQ(log_sub_exp(-kInfinity, -kInfinity), -kInfinity);
  EXPECT_EQ(log_sub_exp(2.0, 2.0), -kInfinity);
  EXPECT_EQ(log_sub_exp(kInfinity, 2.0), kInfinity);
  EXPECT_TRUE(std::isnan(log_sub_exp(1.0, 2.0)));
  EXPECT_TRUE(std::isnan(log_sub_exp(kInfinity, kInfinity)));
  EXPECT_TRUE(std::isnan(log_sub_exp(kNaN, -kInfinity)));
  EXPECT_TRUE(std::isnan(log_sub_exp(1.0, kNaN)));
}

// The same on every machine and compiler: pinned bits of a few values of each function.
TEST(PortableMath, BitsArePinned) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](double value) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3u;
  };
  std::mt19937_64 words(6);
  for (int i = 0; i < 10'000; ++i) {
    const double x = draw_of_regime({"", -700, 700, false}, words);
    const double y = draw_of_regime({"", -0.9, 3.0, false}, words);
    add(portable_exp(x));
    add(portable_log(std::abs(x)));
    add(portable_log1p(y));
    add(portable_expm1(y));
  }
  EXPECT_EQ(hash, 3826090983282212554u);
}

}  // namespace
}  // namespace assay

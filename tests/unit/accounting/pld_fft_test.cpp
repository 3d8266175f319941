// The transform against sums in extended precision, and the ledger of a composition against direct
// convolution: the stated error has to cover the actual one.
#include "assay/mechanisms/accounting/pld/fft.hpp"

#include <bit>
#include <complex>
#include <random>

#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay::detail {
namespace {

using Long = long double;
using LongComplex = std::complex<Long>;

std::vector<double> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> values(count);
  for (double& v : values) v = std::ldexp(static_cast<double>(generator() >> 11), -52) - 1.0;
  return values;
}

std::size_t reversed(std::size_t place, std::size_t size) {
  std::size_t out = 0;
  for (std::size_t bit = 1; bit < size; bit *= 2) out = 2 * out + ((place & bit) != 0 ? 1 : 0);
  return out;
}

TEST(FftRoots, AreWithinTheirStatedErrorOfTheUnitCircle) {
  double worst = 0.0;
  for (const std::size_t n : {std::size_t{8}, std::size_t{1024}, std::size_t{1} << 20}) {
    for (std::size_t j = 0; j < n; j += std::max<std::size_t>(1, n / 1024) + (n > 1024 ? 1 : 0)) {
      const UnitRoot root = unit_root(j, n);
      const oracle::Real angle = 2 * boost::math::constants::pi<oracle::Real>() * j / n;
      const oracle::Real c = oracle::Real(root.cosine) - cos(angle);
      const oracle::Real s = oracle::Real(root.sine) - sin(angle);
      worst = std::max(worst, sqrt(oracle::Real(c * c + s * s)).convert_to<double>());
    }
  }
  EXPECT_LE(worst, kTwiddleError);
  EXPECT_GT(worst, 0.1 * kUnitRoundoff);
}

TEST(FftTransform, IsWithinItsStatedErrorOfTheSum) {
  for (std::size_t size = 1; size <= 512; size *= 2) {
    const auto re = random_values(size, 1);
    const auto im = random_values(size, 2);
    auto out_re = re;
    auto out_im = im;
    const Fft fft(size);
    fft.forward(out_re, out_im);
    Long error = 0.0, norm = 0.0;
    for (std::size_t place = 0; place < size; ++place) {
      const std::size_t k = reversed(place, size);
      LongComplex sum = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        const Long angle =
            -2.0L * std::acos(-1.0L) * static_cast<Long>(j * k % size) / static_cast<Long>(size);
        sum += LongComplex(re[j], im[j]) * std::polar(1.0L, angle);
      }
      error += std::norm(sum - LongComplex(out_re[place], out_im[place]));
      norm += std::norm(sum);
      EXPECT_EQ((k + reversed(Fft::partner(place), size)) % size, 0U);
    }
    EXPECT_LE(std::sqrt(error), fft.relative_error() * std::sqrt(norm) + 1e-18L) << size;
    fft.inverse(out_re, out_im);
    Long back = 0.0, before = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      back += std::norm(LongComplex(out_re[j], out_im[j]) / static_cast<Long>(size) -
                        LongComplex(re[j], im[j]));
      before += std::norm(LongComplex(re[j], im[j]));
    }
    EXPECT_LE(std::sqrt(back), 2.001L * fft.relative_error() * std::sqrt(before) + 1e-18L) << size;
  }
}

std::vector<Long> convolved(const std::vector<Long>& x, const std::vector<Long>& y) {
  std::vector<Long> out(x.size() + y.size() - 1, 0.0L);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) out[i + j] += x[i] * y[j];
  }
  return out;
}

std::vector<Long> direct(const std::vector<double>& a, std::int64_t power,
                         const std::vector<double>& b, std::int64_t other_power) {
  std::vector<Long> out{1.0L};
  const std::vector<Long> x(a.begin(), a.end());
  const std::vector<Long> y(b.begin(), b.end());
  for (std::int64_t i = 0; i < power; ++i) out = convolved(out, x);
  for (std::int64_t i = 0; i < other_power; ++i) out = convolved(out, y);
  return out;
}

// l1 distance, where `masses` starts at index `first` of the whole result.
double distance(const std::vector<Long>& whole, const std::vector<double>& masses,
                std::int64_t first) {
  Long sum = 0.0;
  for (std::size_t t = 0; t < whole.size(); ++t) {
    const auto i = static_cast<std::int64_t>(t) - first;
    const bool is_inside = i >= 0 && i < static_cast<std::int64_t>(masses.size());
    sum += std::fabs(whole[t] - (is_inside ? masses[static_cast<std::size_t>(i)] : 0.0));
  }
  return static_cast<double>(sum);
}

// Masses falling like e^(-sharpness |i - middle|), of a ragged shape, about a probability law.
TiltedPld ragged(std::size_t size, double sharpness, unsigned seed) {
  TiltedPld pld{.step = 0.01, .lowest = -static_cast<std::int64_t>(size / 2)};
  const auto noise = random_values(size, seed);
  double sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    const double d = std::fabs(static_cast<double>(i) - 0.6 * static_cast<double>(size));
    pld.upper.push_back((1.5 + noise[i]) * std::exp(-sharpness * d));
    sum += pld.upper.back();
  }
  for (double& x : pld.upper) x /= sum;
  for (const double x : pld.upper) pld.lower.push_back(0.999 * x);
  return pld;
}

struct PowerCase {
  std::size_t size;
  double sharpness;
  std::int64_t power;
  std::int64_t other_power;
};

class PldLedger : public ::testing::TestWithParam<PowerCase> {};

TEST_P(PldLedger, CoversTheDistanceToDirectConvolution) {
  const PowerCase& c = GetParam();
  const TiltedPld a = ragged(c.size, c.sharpness, 3);
  const TiltedPld b = ragged(c.size / 2 + 1, 2.0 * c.sharpness, 4);
  const std::int64_t origin = c.power * a.lowest + c.other_power * b.lowest;
  const auto upper = direct(a.upper, c.power, b.upper, c.other_power);
  const auto lower = direct(a.lower, c.power, b.lower, c.other_power);
  // At many repeats the budget is small, and what is left is the transform's error.
  for (const double repeats : {1.0, 1e12}) {
    FftPlans plans;
    PowerProduct product{{{&a, c.power}}, repeats};
    if (c.other_power > 0) product.factors.push_back({&b, c.other_power});
    const auto got = must(compose(product, plans, 1 << 20));
    EXPECT_LE(distance(upper, got.upper, got.lowest - origin), got.unlocated);
    EXPECT_LE(distance(lower, got.lower, got.lowest - origin), got.unlocated);
    EXPECT_LE(got.unlocated, repeats == 1.0 ? 1e-9 : 1e-10);  // and it says something
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PldLedger,
                         ::testing::ValuesIn(std::vector<PowerCase>{{1, 0.1, 5, 0},
                                                                    {2, 0.1, 31, 0},
                                                                    {33, 0.05, 2, 1},
                                                                    {33, 2.0, 60, 0},
                                                                    {65, 1.0, 24, 7},
                                                                    {129, 0.5, 17, 0},
                                                                    {200, 0.01, 8, 3}}));

TEST(PldLedgers, AliasingIsCountedWhereTheWindowIsShorterThanTheResult) {
  const TiltedPld a = ragged(129, 0.5, 5);
  FftPlans plans;
  const auto got = must(compose({{{&a, 60}}, 1.0}, plans, 1 << 20));
  const auto upper = direct(a.upper, 60, {}, 0);
  ASSERT_LT(std::bit_ceil(got.size()), upper.size());  // it did wrap around
  EXPECT_LE(distance(upper, got.upper, got.lowest - 60 * a.lowest), got.unlocated);
  EXPECT_GT(got.unlocated, kLevelBudget * 1e-3);
}

TEST(PldLedgers, WhatIsUnlocatedInAFactorGrowsWithThePower) {
  TiltedPld a = ragged(33, 0.3, 6);
  a.unlocated = 1e-6;
  FftPlans plans;
  const auto got = must(compose({{{&a, 20}}, 1.0}, plans, 1 << 20));
  EXPECT_GE(got.unlocated, 20e-6);
  EXPECT_LE(got.unlocated, 20.1e-6);
}

TEST(PldLedgers, TooFewPointsAreAnErrorThatNamesTheLimit) {
  const TiltedPld a = ragged(129, 0.01, 7);
  FftPlans plans;
  const auto error = error_of(compose({{{&a, 16}}, 1.0}, plans, 256));
  EXPECT_EQ(error.code, ErrorCode::kLimit);
  EXPECT_EQ(error.path, "/max_points");
}

}  // namespace
}  // namespace assay::detail

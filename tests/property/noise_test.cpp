// Noise distributions on arbitrary parameters, probabilities and words: cdf and quantile invert each
// other, words map monotonically, brackets hold.
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/philox.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// A word whose distance from one end of the range has any number of leading zeros.
std::uint64_t arbitrary_word() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto shift = *rc::gen::inRange(0, 64);
  const auto flip = *rc::gen::arbitrary<bool>();
  const std::uint64_t word = philox4x64({seed, 0, 0, 0}, {0, 0})[0] >> shift;
  return flip ? ~word : word;
}

double arbitrary_scale() { return std::exp2(arbitrary_between(-30.0, 30.0)); }

// A probability in (0, 1/2], down to the least normal numbers.
double arbitrary_probability() {
  return *rc::gen::arbitrary<bool>() ? std::exp2(arbitrary_between(-1000.0, -1.0))
                                     : arbitrary_between(0.001, 0.5);
}

// x = quantile(p) is rounded by about an ulp of |x| + |location| + scale, which moves p by that times
// the density; the rest is the rounding of the cdf itself.
template <class Distribution>
void check_inverse(const Distribution& d, double location) {
  const double p = arbitrary_probability();
  const auto check = [&](double x, double inverted, double log_inverted) {
    const double size = std::abs(x) + std::abs(location) + d.scale();
    const double slope = std::exp(d.log_density(x) - log_inverted);
    RC_ASSERT(std::abs(inverted / p - 1.0) <=
              1e-15 * (4.0 + std::abs(log_inverted) + 4.0 * size * slope));
  };
  const double x = d.quantile(p), y = d.ccdf_quantile(p);
  check(x, d.cdf(x), d.log_cdf(x));
  check(y, d.ccdf(y), d.log_ccdf(y));
}

template <class Distribution>
void check_all(const Distribution& d, double location) {
  check_inverse(d, location);
  const double x = d.quantile(arbitrary_probability());
  RC_ASSERT(std::abs(d.cdf(x) + d.ccdf(x) - 1.0) <= 1e-15);
  // Words map monotonically.
  const auto a = arbitrary_word(), b = arbitrary_word();
  const double low = d.from_word(std::min(a, b)), high = d.from_word(std::max(a, b));
  RC_ASSERT(low <= high + 4e-15 * (std::abs(high) + std::abs(location)));
}

RC_GTEST_PROP(NoiseProperty, CdfsQuantilesAndWordsAgree, ()) {
  const double location = arbitrary_between(-100.0, 100.0);
  check_all(*Gaussian::create(location, arbitrary_scale()), location);
  check_all(*Laplace::create(location, arbitrary_scale()), location);
  check_all(*Gumbel::create(location, arbitrary_scale()), location);
  check_all(*Exponential::create(arbitrary_scale()), 0.0);
}

RC_GTEST_PROP(NoiseProperty, TheTop16BitsBracketEveryGaussianDraw, ()) {
  const auto word = arbitrary_word();
  const auto bracket = gaussian_bracket_from_top16(static_cast<std::uint16_t>(word >> 48));
  const double x = gaussian_from_word(word);
  RC_ASSERT(bracket.low <= x);
  RC_ASSERT(x <= bracket.high);
}

RC_GTEST_PROP(NoiseProperty, OppositeWordsGiveOppositeSymmetricDraws, ()) {
  const auto word = arbitrary_word();
  const double scale = arbitrary_scale();
  RC_ASSERT(Laplace::create(0.0, scale)->from_word(word) ==
            -Laplace::create(0.0, scale)->from_word(~word));
  RC_ASSERT(gaussian_from_word(word) == -gaussian_from_word(~word));
}

}  // namespace
}  // namespace assay

#include "assay/mechanisms/release/snapped_laplace.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/internal/mpfr_constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/input_checks.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

constexpr double kH = 0x1p-53;
constexpr std::uint64_t kMantissas = std::uint64_t{1} << 52;
constexpr std::uint64_t kMostExponent = std::uint64_t{1} << 52;  // e^-2^51: no draw reaches it

template <RandomSource R>
detail::UniformDouble draw_uniform(R& random) {
  detail::UniformDouble u;
  std::uint64_t word = random.next();
  while (word == 0) {
    u.exponent += 64;
    word = random.next();
  }
  u.exponent += static_cast<std::uint64_t>(std::countl_zero(word));
  u.mantissa = random.next() >> 12;
  return u;
}

// log P(U in the set), for a set of the least doubles: all those for which `in` holds.
template <class In>
double log_measure(In in) {
  if (in(detail::UniformDouble{1, kMantissas - 1})) return 0.0;
  std::uint64_t out_at = 1;  // the largest exponent one of whose doubles is not in the set
  for (std::uint64_t span = kMostExponent; span > 0; span /= 2) {
    if (!in(detail::UniformDouble{out_at + span, kMantissas - 1})) out_at += span;
  }
  if (out_at >= kMostExponent) return -kInfinity;
  std::uint64_t inside = 0;  // how many doubles of that exponent are in it
  for (std::uint64_t span = kMantissas / 2; span > 0; span /= 2) {
    if (in(detail::UniformDouble{out_at, inside + span - 1})) inside += span;
  }
  const double size = 1.0 + static_cast<double>(inside) * 0x1p-52;
  return portable_log(size) - static_cast<double>(out_at) * 0.69314718055994530942;
}

}  // namespace

namespace detail {

// Ziv's test: takes more bits until the rounded value equals the rounded exact value. The difference of
// logarithms cancels 2^53 at most; each is right to half a unit in its last place.
double exponential_of(const UniformDouble& u) {
  constexpr mpfr_prec_t kCancelled = 56;
  own_mpfr_constants();
  double out = 0.0;
  bool settled = false;
  for (mpfr_prec_t bits = 192; !settled && bits <= 768; bits *= 2) {
    mpfr_t value, head;
    mpfr_inits2(bits, value, head, nullptr);
    mpfr_set_ui_2exp(head, kMantissas + u.mantissa, -52, MPFR_RNDN);  // exact
    mpfr_log(head, head, MPFR_RNDN);
    mpfr_const_log2(value, MPFR_RNDN);
    mpfr_mul_ui(value, value, u.exponent, MPFR_RNDN);
    mpfr_sub(value, value, head, MPFR_RNDN);
    settled = mpfr_can_round(value, bits - kCancelled, MPFR_RNDN, MPFR_RNDN, 53) != 0;
    out = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clears(value, head, nullptr);
  }
  return out;
}

}  // namespace detail

Status SnappedLaplaceConfig::check() const {
  const double ratio = bound / (sensitivity / epsilon);
  if (ratio >= 1.0 && ratio <= 0x1p40) return {};
  return fail(ErrorCode::kInvalidArgument,
              "bound must be 1 to 2^40 times sensitivity/epsilon, not " + number_text(bound),
              "/bound");
}

Result<SnappedLaplace> SnappedLaplace::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const double moved =
      detail::round_up(config.sensitivity + detail::round_up(40.0 * kH * config.bound));
  const double lambda =
      detail::divide_up(moved, detail::round_down(config.epsilon - 100.0 * kH));  // (3)
  int exponent = 0;
  const bool power = std::frexp(lambda, &exponent) == 0.5;
  return SnappedLaplace(config, lambda, std::ldexp(1.0, power ? exponent - 1 : exponent));
}

Status SnappedLaplace::check_input(const Input& input) const {
  return detail::check_answers(std::span(&input, 1), 1);
}

double SnappedLaplace::output_of(double input, bool negative,
                                 const detail::UniformDouble& u) const {
  const double c = std::clamp(input, -config_.bound, config_.bound);
  const double noise = lambda_ * detail::exponential_of(u);
  const double w = c + (negative ? -noise : noise);  // (1)
  const double steps = w / step_;                    // exact
  const double whole = std::floor(steps);
  const double nearest = steps - whole >= 0.5 ? whole + 1.0 : whole;
  return std::clamp(nearest * step_, -config_.bound, config_.bound);  // (2)
}

template <RandomSource R>
SnappedLaplace::Output SnappedLaplace::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "a finite answer");
  const detail::UniformDouble u = draw_uniform(random);
  return output_of(input, (random.next() >> 63) != 0, u);
}

double SnappedLaplace::log_tail(double output, double input, bool negative) const {
  // The smaller U, the farther the output lies on the side of the sign.
  const double sign = negative ? -1.0 : 1.0;
  return log_measure([&](const detail::UniformDouble& u) {
    return sign * output_of(input, negative, u) >= sign * output;
  });
}

double SnappedLaplace::log_half(double output, double input, bool negative) const {
  const double sign = negative ? -1.0 : 1.0;
  const double bound = sign * output;
  const auto at_least = log_tail(output, input, negative);
  const auto beyond = log_measure(
      [&](const detail::UniformDouble& u) { return sign * output_of(input, negative, u) > bound; });
  return at_least > beyond ? log_sub_exp(at_least, beyond) : -kInfinity;
}

double SnappedLaplace::log_density(const Output& output, const Input& input) const {
  const double a = log_half(output, input, false);
  const double b = log_half(output, input, true);
  return (a > b ? log_add_exp(a, b) : log_add_exp(b, a)) - 0.69314718055994530942;
}

Guarantee SnappedLaplace::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Mironov (CCS 2012), theorem 1, with the constants proved here"};
}

ASSAY_ONE_FROM_BOTH_STREAMS(SnappedLaplace);

}  // namespace assay

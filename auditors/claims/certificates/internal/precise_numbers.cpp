#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/internal/mpfr_constants.hpp"

namespace assay::precise {
namespace {

GaussRule make_rule() {
  constexpr int kNodes = 30;
  GaussRule rule;
  for (int i = 0; i < kNodes / 2; ++i) {
    Float x = std::cos(3.141592653589793 * (i + 0.75) / (kNodes + 0.5));
    Float slope = 1;
    for (int step = 0; step < 6; ++step) {  // Newton's method; the first guess has 3 digits
      Float before = 1, here = x;           // Legendre's polynomials
      for (int n = 1; n < kNodes; ++n) {
        const Float next = ((2 * n + 1) * x * here - n * before) / (n + 1);
        before = here;
        here = next;
      }
      slope = kNodes * (before - x * here) / (1 - x * x);
      x -= here / slope;
    }
    rule.nodes.push_back(x);
    rule.weights.push_back(2 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace

const Float kSlack("1e-20");

Float::Float(double value) {
  mpfr_custom_init(limbs_, kBits);
  mpfr_custom_init_set(value_, MPFR_ZERO_KIND, 0, kBits, limbs_);
  mpfr_set_d(value_, value, MPFR_RNDN);
}

Float::Float(const char* decimal) : Float(0.0) { mpfr_set_str(value_, decimal, 10, MPFR_RNDN); }

Float::Float(const Float& other) : Float(0.0) { mpfr_set(value_, other.value_, MPFR_RNDN); }

Float& Float::operator=(const Float& other) {
  mpfr_set(value_, other.value_, MPFR_RNDN);
  return *this;
}

Float Float::of_signed(long value) {
  Float out;
  mpfr_set_si(out.value_, value, MPFR_RNDN);
  return out;
}

Float Float::of_unsigned(unsigned long value) {
  Float out;
  mpfr_set_ui(out.value_, value, MPFR_RNDN);
  return out;
}

Float::operator double() const { return mpfr_get_d(value_, MPFR_RNDN); }

long Float::to_whole() const { return mpfr_get_si(value_, MPFR_RNDZ); }

Float Float::applied(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) const {
  detail::own_mpfr_constants();
  Float out;
  function(out.value_, value_, MPFR_RNDN);
  return out;
}

Float Float::operator-() const {
  Float out;
  mpfr_neg(out.value_, value_, MPFR_RNDN);
  return out;
}

Float& Float::operator+=(const Float& other) {
  mpfr_add(value_, value_, other.value_, MPFR_RNDN);
  return *this;
}

Float& Float::operator-=(const Float& other) {
  mpfr_sub(value_, value_, other.value_, MPFR_RNDN);
  return *this;
}

Float& Float::operator*=(const Float& other) {
  mpfr_mul(value_, value_, other.value_, MPFR_RNDN);
  return *this;
}

Float& Float::operator/=(const Float& other) {
  mpfr_div(value_, value_, other.value_, MPFR_RNDN);
  return *this;
}

std::partial_ordering operator<=>(const Float& a, const Float& b) {
  if (mpfr_unordered_p(a.value_, b.value_) != 0) return std::partial_ordering::unordered;
  return mpfr_cmp(a.value_, b.value_) <=> 0;
}

Float abs(const Float& x) { return x < 0 ? -x : x; }
Float sqrt(const Float& x) { return x.applied(mpfr_sqrt); }
Float exp(const Float& x) { return x.applied(mpfr_exp); }
Float expm1(const Float& x) { return x.applied(mpfr_expm1); }
Float log(const Float& x) { return x.applied(mpfr_log); }
Float log1p(const Float& x) { return x.applied(mpfr_log1p); }
Float erfc(const Float& x) { return x.applied(mpfr_erfc); }
Float floor(const Float& x) { return x.applied(mpfr_rint_floor); }
Float ceil(const Float& x) { return x.applied(mpfr_rint_ceil); }
Float round(const Float& x) { return x.applied(mpfr_rint_round); }

Float pow(const Float& x, const Float& power) {
  detail::own_mpfr_constants();
  Float out;
  mpfr_pow(out.value_, x.value_, power.value_, MPFR_RNDN);
  return out;
}

Float pi() {
  detail::own_mpfr_constants();
  Float out;
  mpfr_const_pi(out.value_, MPFR_RNDN);
  return out;
}

const GaussRule& gauss_rule() {
  static const GaussRule rule = make_rule();
  return rule;
}

std::string shown(const Float& value) { return shown(static_cast<double>(value)); }
std::string shown(double value) { return fmt::format("{:.10g}", value); }
std::string listed(const std::vector<double>& values) {
  return fmt::format("({:.10g})", fmt::join(values, ", "));
}

Status carried(double stated, const Float& computed, const Float& slack, const char* name) {
  const Float tolerance = abs(computed) / 1'000'000'000 + slack;
  if (abs(stated - computed) <= tolerance) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("states {}, but the inputs give {}", shown(stated), shown(computed)),
              fmt::format("/numbers/{}", name));
}

CertificateCheck compared(const Float& found, const Float& claimed) {
  CertificateCheck check;
  check.refutes = found - claimed > kSlack;
  check.p = static_cast<double>(found);
  check.q = static_cast<double>(claimed);
  check.true_delta = static_cast<double>(found - claimed);
  return check;
}

std::string no_refutation(const Float& found, const Float& claimed) {
  return fmt::format("Not refuted by this: {} does not exceed {}.", shown(found), shown(claimed));
}

Float compare_level(CertificateCheck& check, const Float& p, const Float& q, double epsilon) {
  const Float true_delta = p - exp(Float(epsilon)) * q;
  check.epsilon = epsilon;
  check.p = static_cast<double>(p);
  check.q = static_cast<double>(q);
  check.true_delta = static_cast<double>(true_delta);
  return true_delta;
}

std::string level_step(const CertificateCheck& check, const Float& p, const Float& q,
                       const Float& epsilon, double delta) {
  const Float grown = exp(epsilon);
  return fmt::format("p - e^eps q = {} - {} * {} = {} {} {} = delta", shown(p), shown(grown),
                     shown(q), shown(p - grown * q), check.refutes ? ">" : "<=", shown(delta));
}

std::string no_level_refutation(const Float& true_delta, double delta) {
  return fmt::format("Not refuted by this: p - e^eps q = {} does not exceed {}.", shown(true_delta),
                     shown(delta));
}

std::string loss_conclusion(bool refutes, std::string_view what, const Float& loss,
                            double epsilon) {
  if (!refutes) {
    return fmt::format("Not refuted by this: the loss {} does not exceed {}.", shown(loss),
                       shown(epsilon));
  }
  return fmt::format("Refuted: {} is not {}-differentially private; its loss is at least {}.", what,
                     rounded_up(epsilon, 10),
                     rounded_down_beside(static_cast<double>(loss), epsilon, 8));
}

}  // namespace assay::precise

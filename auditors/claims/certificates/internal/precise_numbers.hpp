// Numbers of 57 digits, which the checks of certificates share.
//
// Float has 192 bits and MPFR's range of exponents. Every operation and function below is correctly rounded to nearest,
// so its bits are the same on every machine. Only the source includes MPFR, so this header costs little.
//
// Reference: Fousse, Hanrot, Lefevre, Pelissier, Zimmermann, "MPFR" (ACM TOMS 2007).
// Threads: values. Cost: 20 to 60 ns an operation, 1 to 20 us a function.
#pragma once

#include <mpfr.h>

#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::precise {

class Float {
 public:
  Float() : Float(0.0) {}
  // Implicit because formulas mix the two. NOLINTBEGIN(google-explicit-constructor)
  Float(double value);
  template <std::integral Whole>
  Float(Whole value) : Float(of_whole(value)) {}
  // NOLINTEND(google-explicit-constructor)
  explicit Float(const char* decimal);
  Float(const Float& other);
  Float& operator=(const Float& other);

  explicit operator double() const;
  template <std::integral Whole>
  explicit operator Whole() const {  // towards 0
    return static_cast<Whole>(to_whole());
  }

  Float operator-() const;
  Float& operator+=(const Float& other);
  Float& operator-=(const Float& other);
  Float& operator*=(const Float& other);
  Float& operator/=(const Float& other);
  friend Float operator+(Float a, const Float& b) { return a += b; }
  friend Float operator-(Float a, const Float& b) { return a -= b; }
  friend Float operator*(Float a, const Float& b) { return a *= b; }
  friend Float operator/(Float a, const Float& b) { return a /= b; }
  friend bool operator==(const Float& a, const Float& b) { return (a <=> b) == 0; }
  friend std::partial_ordering operator<=>(const Float& a, const Float& b);

  friend Float abs(const Float& x);
  friend Float sqrt(const Float& x);
  friend Float exp(const Float& x);
  friend Float expm1(const Float& x);
  friend Float log(const Float& x);
  friend Float log1p(const Float& x);
  friend Float pow(const Float& x, const Float& power);
  friend Float erfc(const Float& x);
  friend Float floor(const Float& x);
  friend Float ceil(const Float& x);
  friend Float round(const Float& x);  // halves away from 0
  friend Float pi();

 private:
  static constexpr mpfr_prec_t kBits = 192;
  template <std::integral Whole>
  static Float of_whole(Whole value) {
    if constexpr (std::signed_integral<Whole>) {
      return of_signed(value);
    } else {
      return of_unsigned(value);
    }
  }
  static Float of_signed(long value);
  static Float of_unsigned(unsigned long value);
  long to_whole() const;
  Float applied(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) const;

  mp_limb_t limbs_[kBits / 64];
  mpfr_t value_;  // in limbs_
};

Float pi();

// Gauss and Legendre's rule on [-1, 1] with 30 nodes: the 15 positive ones, and their weights.
struct GaussRule {
  std::vector<Float> nodes, weights;
};
const GaussRule& gauss_rule();

std::string shown(const Float& value);
std::string shown(double value);
std::string listed(const std::vector<double>& values);  // "(0, 0.5)"

extern const Float kSlack;  // 1e-20, of numbers that are near 1

// Compares a number that a certificate carries with the one that its inputs give.
Status carried(double stated, const Float& computed, const Float& slack, const char* name);

// The comparison of two numbers that are not probabilities, as a report on certificates shows it.
CertificateCheck compared(const Float& found, const Float& claimed);

std::string no_refutation(const Float& found, const Float& claimed);

// Sets p and q of an event at a level, and true_delta = p - e^epsilon q, which it returns.
Float compare_level(CertificateCheck& check, const Float& p, const Float& q, double epsilon);
// "p - e^eps q = .. = .. > 0.01 = delta", once check.refutes is set; then the conclusion of a check that does not
// refute.
std::string level_step(const CertificateCheck& check, const Float& p, const Float& q,
                       const Float& epsilon, double delta);
std::string no_level_refutation(const Float& true_delta, double delta);

// A sentence that compares a loss with the epsilon that is claimed for `what`.
std::string loss_conclusion(bool refutes, std::string_view what, const Float& loss, double epsilon);

}  // namespace assay::precise

// Checks a certificate from scratch, in 50 digits, by code that shares nothing with the search.
//
// Everything is computed again from the inputs: that they are allowed and neighbours, the level
// that the claim states for them (its formula is written out here a second time), the probabilities
// of the event. A round with two arms uses the closed form, more arms the trapezoid rule on an
// analytic integrand, whose error is bounded as in mechanisms/numerics/gaussian_argmax.hpp.
//
// Refutes: true_delta = p - e^eps q exceeds delta by more than the error of the arithmetic, which
// is below 1e-20. The numbers that the certificate carries must agree to 1e-9; they decide nothing.
// Cost: below 1 s for at most 16 arms.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct CertificateCheck {
  bool refutes = false;            // the claim is false, by this counterexample
  std::string conclusion;          // one sentence
  std::vector<std::string> steps;  // the recomputation line by line, for a person to follow
};

// Errors: a claim that no certificate can refute, inputs that are not allowed or not neighbours,
// carried numbers that are not those computed here; each names the field as a JSON pointer.
Result<CertificateCheck> check_certificate(const Certificate& certificate);

}  // namespace assay

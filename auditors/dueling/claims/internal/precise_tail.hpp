// The tail of a sum of Laplace variables in 57 digits, for the checks of certificates.
#pragma once

#include "assay/auditors/claims/certificates/internal/precise_numbers.hpp"

namespace assay::precise {

// P(|X| > y), y >= 0, for the sum X of h standard Laplace variables:
//   sum over k of C(h-1+k, k) 2^(1-h-k) e^-y sum_{i < h-k} y^i/i!
inline Float laplace_sum_beyond(int h, const Float& y) {
  Float tail = 0;
  Float weight = pow(Float(2), 1 - h);
  for (int k = 0; k < h; ++k) {
    Float erlang = 0;
    Float power = 1;
    for (int i = 0; i < h - k; ++i) {
      erlang += power;
      power *= y / (i + 1);
    }
    tail += weight * erlang;
    weight *= Float(h + k) / (2 * (k + 1));
  }
  return tail * exp(Float(-y));
}

}  // namespace assay::precise

// Gauss quadrature for sums over consecutive integers: a few real nodes instead of many terms.
//
//   sum over k = first .. first + count - 1 of g(k) = sum over nodes of weight g(x)            (1)
//
// Exact for polynomials of degree 31; for g analytic as in gauss_legendre.hpp, with the same error.
// Sums of at most 24 terms are those terms. The nodes are the zeros of the Gram polynomial of
// degree 16, found by Sturm sequences; weights are positive.
//
// Reference: Abramowitz and Stegun 22.17 (Gram polynomials); Gautschi, "Orthogonal Polynomials:
// Computation and Approximation" (2004), section 1.5.2. Threads: pure. Same bits on every machine.
// Cost: 30 microseconds for a rule.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/numerics/gauss_legendre.hpp"

namespace assay {

// The nodes for the integers 0..count-1, ascending. Precondition: 1 <= count <= 2^53.
std::vector<QuadratureNode> discrete_gauss_nodes(std::int64_t count);

}  // namespace assay

// Choices of RNM-FTNL in 50 digits, by code that shares nothing with epoch_law.hpp.
//
// Exponential and Laplace noise: between the scores every F_j is a combination of 1, e^(x/b) and
// e^(-x/b), summed atom by atom; 30-point Gauss-Legendre on pieces of at most b/4. Gumbel noise:
// the trapezoid rule of step at most b/16. Errors are bounded in precise_law.cpp.
// Threads: pure functions. Cost: 1 ms for a few actions, 0.1 to 1 s for the mixtures of an epoch of
// 64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/experts/conjecture.hpp"

namespace assay::expert_checks {

// log of the c1 that (1) of conjecture.hpp needs at c2 on this instance.
double precise_log_needed_constant(const ConjectureInstance& instance, double c2);

}  // namespace assay::expert_checks

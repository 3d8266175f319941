// Choices of RNM-FTNL in arithmetic of 50 digits, by code that shares nothing with
// grouped_noisy_max.hpp. It uses the integral of precise_choice.hpp, which has the rules of
// quadrature.
//
// Accuracy: below 1e-31 of each probability, proved in precise_choice.hpp for any number of arms.
// The result is rounded to a double.
// Threads: pure functions. Cost: 0.02 to 0.2 s for an epoch of 64 rounds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/experts/claims/conjecture.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"

namespace assay::expert_checks {

// log of the c1 that (1) of conjecture.hpp needs at c2 on this instance.
double precise_log_needed_constant(const ConjectureInstance& instance, double c2);

}  // namespace assay::expert_checks

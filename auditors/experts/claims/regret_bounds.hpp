// The paper's bounds on the regret of RNM-FTNL, as numbers. Their checks have the proofs:
// regret.cpp (Theorem 2), deterministic.cpp (Theorems 3 and 4).
//
// Theorem 2, c1 = 2, resampled losses, every T, actions ordered by ascending gap, ranks j from 2:
//   (8 c2 log K + c1 c2)/Delta_min + (2 c2/eps) sum over Delta_j > eps of (log(K)/j + c1/K)    (1)
// Theorem 3, K >= 6, deterministic losses, every eps-DP policy, mean over places of the best:
//   sum over t = 1 to T of (K - 5)/(3 e^(t eps) + K - 5), from below                           (2)
// Theorem 4, deterministic losses, Gumbel(2/eps) and Exponential(1/eps) noise, every T:
//   3 + (a/eps) log K, a = 4 (1 + log 2)/log 2, half of that with the temperature as printed   (3)
// Threads: pure.
#pragma once

#include <span>

#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay::expert_checks {

inline constexpr double kC1 = 2.0;
// c2 of eq. (7), with 2^(r+1) in the exponent: twice the 8 of Lemma 5, which has 2^r there.
inline constexpr double kC2 = 16.0;
inline constexpr double kLemmaThree = (1.0 + kLog2) / kLog2;
inline constexpr double kTheoremFour = 4.0 * kLemmaThree;         // a of (3)
inline constexpr double kTheoremFourPrinted = 2.0 * kLemmaThree;  // with the printed temperature

double actions_of(std::span<const GapGroup> gaps);  // K, including the best action

double theorem_2_bound(std::span<const GapGroup> ascending, double epsilon, double c2);  // (1)
double theorem_3_bound(double actions, double epsilon, double rounds);                   // (2)
double theorem_4_bound(double actions, double epsilon, double factor);                   // (3)

}  // namespace assay::expert_checks

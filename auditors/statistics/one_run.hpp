// One-run audits: the evidence against a claim if v of r guesses about m private fair coins are right.
//
// m canaries are entries of the input that each take one of two values by a fair coin of their own,
// independent of everything else. The auditor guesses r of the coins from the output, and v guesses are right.
// Which coins it guesses may depend on the output; r may not.
//
// (eps, delta). The p-value, with B ~ Bin(r, e^eps/(1 + e^eps)), beta = P[B >= v] and b = P[B = v]:
//   p(v) = min(1, beta + m delta beta (1 - beta)/(v b)),   p(0) = 1                            (2)
// It is the largest probability that any mechanism attains. The published bound,
//   beta + 2 m delta max_(1 <= i <= v) P[v - i <= B < v]/i,                                    (3)
// is larger if it is below 1/2; near 1 it is not a bound (tests/property/one_run_test.cpp).
// mu. The test is the recursion (5) of the proof page. If it rejects a mu, it rejects every smaller one.
// Many runs with fresh coins and no memory between them are one run: add up m, r and v. Or bound
// the mean share X of right ones among the k guesses of a run, by betting, and derive eps and mu
// from E[X]: (6) and (7) of the proof page.
// docs/proofs/one_run.md has (1) to (7) and the proofs.
//
// Reference: Steinke, Nasr, Jagielski, "Privacy auditing with one (1) training run" (NeurIPS 2023),
// Corollary 5.4 and Appendix D for (3); Mahloujifar, Melis, Chaudhuri, "Auditing f-differential
// privacy in one run" (ICML 2025), its recursion for (5). (2) and both proofs are ours.
// Preconditions: 1 <= r <= m, 0 <= v <= r, alpha in (0, 1). Threads: pure functions.
// Cost: two binomial tails for (2), at most v normal cdfs and quantiles a decision of (5).
#pragma once

#include <cstdint>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

struct GuessCounts {
  std::int64_t canaries = 1;  // m, of all runs
  std::int64_t guesses = 1;   // r
  std::int64_t correct = 0;   // v
  friend bool operator==(const GuessCounts&, const GuessCounts&) = default;
};

// The p-value (2), rounded up.
UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Epsilon epsilon, Delta delta);

// The bound by (6) or (7), from a lower bound on E[X] and guessed = k/m; 0 if they give none.
LowerBound<Epsilon> epsilon_from_share(double share, double guessed, Delta delta);
LowerBound<Mu> mu_from_share(double share, double guessed);

// The largest eps with p-value (2) at most alpha; 0 if there is none.
LowerBound<Epsilon> one_run_epsilon(const GuessCounts& counts, Delta delta, double alpha);

// Whether (5) ends above r/m, which refutes mu. Rounding can only turn "yes" into "no".
bool one_run_refutes(const GuessCounts& counts, Mu mu, double alpha);

// The largest mu that is refuted, to seven digits, rounded down; 0 if there is none.
LowerBound<Mu> one_run_mu(const GuessCounts& counts, double alpha);

// The smallest level at which mu is refuted, to three digits, rounded up; 1 if no level below 1/2 refutes it.
UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Mu mu);

}  // namespace assay

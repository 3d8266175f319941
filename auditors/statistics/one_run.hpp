// One-run audits: what v right guesses of r, about m private fair coins, say against a claim.
//
// m canaries: entries of the input that each take one of two values by a fair coin of their own,
// independent of everything else. From the output, r of the coins are guessed (which ones may depend
// on the output, r may not); v guesses are right. W is their number, p_l = P[W = l]. A claim about
// replacing one entry bounds the law of W, however the guesses depend on each other: turning coin j
// turns "W = l, guess j right" into "W = l - 1, guess j wrong", so that, summed over j, for every
// set L of levels
//     sum_(l in L) l p_l <= e^eps sum_(l in L) (r - l + 1) p_(l-1) + m delta.                    (1)
//
// (eps, delta). The largest P[W >= v] that (1) allows, with B ~ Bin(r, e^eps/(1 + e^eps)),
// beta = P[B >= v] and b = P[B = v], is
//     p(v) = min(1, beta + m delta beta (1 - beta)/(v b)),   p(0) = 1.                           (2)
//   Proof. With p_l = b_l u_l, (1) says that the upward steps of u cost
//   sum_l l b_l (u_l - u_(l-1))_+ <= m delta. u is a sum of indicators of intervals [a, c] with the
//   same total cost, so the best law mixes conditional laws of B: given B >= 0, of gain beta and no
//   cost, and given B >= a, of gain beta/P[B >= a] and cost a b_a/P[B >= a] (c = r gains most, and
//   a > v costs more than a = v). Gain per cost is beta P[B < a]/(a b_a), and as
//   a b_a = e^eps (r - a + 1) b_(a-1) and P[B < a]/b_(a-1) grows with a (B is log-concave), a = v is
//   best. For r = m some mechanism attains it: agree with the coins in W places drawn like this.
//   p(v) is a linear programme's value: it grows with eps, delta and m and falls with v, so it is a
//   p-value and its rejections are those of every smaller eps.
// The published bound,
//     beta + 2 m delta max_(1 <= i <= v) P[v - i <= B < v]/i,                                    (3)
// is larger where it is below 1/2; near 1 it is no bound (tests/property/one_run_test.cpp).
//
// mu. Averaged over coins, concavity of Phi(Phi^-1(x) + mu) turns mu-GDP into, for every i,
//     H_(i-1) >= g(R_i),  g(x) = Phi(Phi^-1(x) - mu),                                            (4)
//     R_i = sum_(l >= i) (l/m) p_l,  H_i = sum_(l >= i) ((r - l)/m) p_l.
// If P[W >= v] = alpha, then R_0 + H_0 = r/m is at least where the recursion ends that starts from
// R = alpha v/m, H = alpha (r - v)/m and goes through i = v - 1, ..., 0 by
//     H' = max(H, g(R)),  R <- R + i/(r - i) (H' - H),  H <- H'.                                 (5)
//   Proof: let D_k be the mass at levels >= k less that of (5). Where (5) takes H' = H, D_i >=
//   D_(i+1); where it takes g(R), H_i is no less than its, so (r - i) D_i >= sum_(k > i) D_k. So no
//   D_k is negative, and ending above r/m refutes at level alpha; also every smaller mu, and at every
//   larger v and alpha.
// mu-GDP also implies (2) at every (eps, delta_mu(eps)): another test, left out as (5) is about as
// strong.
//
// Many runs. R runs, fresh coins and no memory between them, are one run of a mechanism with R m
// entries: add up m, r and v. Nothing is lost for eps at delta = 0. The worst case for mu is a run
// that gives much of itself away at once, which adding up lets happen to all runs together. Run by
// run, (1) with every level in L bounds the mean share X of right ones among k guesses of m coins:
//     eps >= log((E[X] - delta m/k)/(1 - E[X])),                                                 (6)
//     mu >= Phi^-1(E[X] k/m) - Phi^-1((1 - E[X]) k/m), for E[X] > 1/2,                           (7)
// and the mean is bounded by betting (betting.hpp), which knows that shares of many coins vary little.
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

// (2), rounded up.
UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Epsilon epsilon, Delta delta);

// (3), for comparison. Cost: v point probabilities.
double published_one_run_p_value(const GuessCounts& counts, Epsilon epsilon, Delta delta);

// (6) and (7) for a lower bound on E[X] and guessed = k/m; 0 where it says nothing.
LowerBound<Epsilon> epsilon_from_share(double share, double guessed, Delta delta);
LowerBound<Mu> mu_from_share(double share, double guessed);

// Largest eps with p-value (2) at most alpha; 0 if none.
LowerBound<Epsilon> one_run_epsilon(const GuessCounts& counts, Delta delta, double alpha);

// Does (5) end above r/m? Rounded so that it errs towards "no".
bool one_run_refutes(const GuessCounts& counts, Mu mu, double alpha);

// Largest mu that is refuted, to seven digits, rounded down; 0 if none.
LowerBound<Mu> one_run_mu(const GuessCounts& counts, double alpha);

// The smallest level at which mu is refuted, to three digits, rounded up; 1 where none below 1/2 is.
UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Mu mu);

}  // namespace assay

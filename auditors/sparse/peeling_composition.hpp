// Bounds the privacy loss of peelings from both sides. A peeling makes s choices by report noisy max, and s noisy
// values. h = distance/noise scale is the most that one record moves an entry, in scales of the noise.
//
//   above   every choice is 2 h-DP, so randomised response of level 2 h dominates it. Two Laplace
//           distributions h apart dominate a value. Adaptive composition is at most that of these
//           pairs, which certified PLDs bound                                                  (1)
//   below   entries in two groups A and B at one size: P has A higher by h, Q has B. With k of the
//           choices from A, and the values shifted by h where P and Q differ, either way,
//           delta >= sum over k of P(k) D(eps - log P(k)/Q(k)),                                 (2)
//           D(x) the profile of s Laplace pairs, at x < 0: 1 - e^x + e^x D(-x)
// P(k) for d entries is a chain of noisy-max probabilities (grouped_noisy_max.hpp); for many entries
// the largest noises are Gumbel's, and k is binomial with P(A) = w, Q(A) of odds e^(-2 h) w/(1 - w).
// This is the limit, so a bound below for large d: the supremum over d is at least it.          (3)
// It tries several sizes of A and takes the best. The gap comes from the choices: (1) lets a choice
// lose 2 h either way, (2) has losses that differ by 2 h.
//
// Reference: Dwork, Su, Zhang, "Differentially private false discovery rate control" (2021); Zhu,
// Dong, Wang (AISTATS 2022) for (1).
// Threads: pure functions. Cost: (1) 10 to 50 ms; (2) 10 ms at s = 10, d = 400.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct PeeledEntries {
  std::int64_t count = 1;  // s, for one peeling or for several alike
  double shift = 1.0;      // h
};

// (1), for peelings one after another. Errors: those of PLDs (pld_composition.hpp).
Result<UpperBound<Delta>> peelings_delta_above(std::span<const PeeledEntries> peelings, Epsilon eps,
                                               const std::atomic<bool>* cancel = nullptr);
// (2), for one peeling of `count` of `entries`; 0 means (3). Precondition: entries is 0 or at least
// 2 count.
Result<LowerBound<Delta>> peeling_delta_below(const PeeledEntries& peeling, std::int64_t entries,
                                              Epsilon eps,
                                              const std::atomic<bool>* cancel = nullptr);

// lambda/xi for the scale of Lemma A.2, xi = lambda 2 sqrt(3 s log(1/delta))/eps.
double paper_peeling_shift(std::int64_t rounds, double epsilon, double delta);

}  // namespace assay

// The two correct forms of the sparse vector technique, which releases a flag for each answer of a
// list: above or below a public threshold T. It stops after `cutoff` flags "above".
//
// sparse_vector.hpp has the notation and the distribution; eps_1 = eps_2 = epsilon/2, c = cutoff.
//   AboveThreshold:           b_rho = 1/eps_1,  b_nu = 2 c/eps_2,  z drawn once                (1)
//   ResettingAboveThreshold:  b_rho = c/eps_1,  b_nu = 2 c/eps_2,  a new z after each answer
//                             above the threshold                                              (2)
//
// Privacy. Relation: every answer moves by at most 1. View: the flags. Both are epsilon-DP for any
// number n of answers.
// Accuracy of (1): with probability at least 1 - 2 beta, every answer whose |q_i - T| exceeds
// b_rho log(1/beta) + b_nu log(n/beta) gets the right flag.
// Reference: Lyu, Su, Li (PVLDB 2017), algorithm 1 with theorem 2; (2) is their algorithm 2, after
// Dwork and Roth (2014), theorem 3.25. Threads: values. Cost: 20 ns per noise.
#pragma once

#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/sparse_vector.hpp"

namespace assay {
namespace detail {

struct AboveThresholdVariant {
  static SparseVectorRule rule(const SparseVectorConfig& config) {
    const auto c = static_cast<double>(config.cutoff);
    const double half = 0.5 * config.epsilon;
    return {config.threshold, divide_up(1.0, half), divide_up(2.0 * c, half), config.cutoff,
            false};  // (1)
  }
  static Guarantee guarantee(const SparseVectorConfig& config) {
    return {PureDp{Epsilon{config.epsilon}}, Relation::kAllAnswers, View::kOutput,
            "Lyu, Su, Li (PVLDB 2017), theorem 2"};
  }
};

struct ResettingAboveThresholdVariant {
  static SparseVectorRule rule(const SparseVectorConfig& config) {
    const auto c = static_cast<double>(config.cutoff);
    const double half = 0.5 * config.epsilon;
    return {config.threshold, divide_up(c, half), divide_up(2.0 * c, half), config.cutoff,
            true};  // (2)
  }
  static Guarantee guarantee(const SparseVectorConfig& config) {
    return {PureDp{Epsilon{config.epsilon}}, Relation::kAllAnswers, View::kOutput,
            "Dwork, Roth (2014), theorem 3.25"};
  }
};

}  // namespace detail

using AboveThreshold = detail::FlagSparseVector<detail::AboveThresholdVariant>;
using ResettingAboveThreshold = detail::FlagSparseVector<detail::ResettingAboveThresholdVariant>;

static_assert(FiniteMechanism<AboveThreshold> && FiniteMechanism<ResettingAboveThreshold>);

}  // namespace assay

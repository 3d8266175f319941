// Preference matrices of K arms: P(i,j) is the probability that i wins a duel with j.
//
//   P(i,j) + P(j,i) = 1,  P(i,i) = 1/2                                                         (1)
//   linear scores  r_i = <w, x_i>,  P(i,j) = 1/(1 + e^(r_j - r_i))                             (2)
//   arithmetic     P(i,j) = 1/2 + step (j - i), where K - 1 steps are at most 1/2              (3)
// i is the Condorcet winner if P(i,j) > 1/2 for every other j. There is at most one. Scores with a
// unique largest always have one, and so has a step above 0.
//
// Reference: Saha, Asi, "DP-Dueling: Learning from Preference Feedback without Compromising User
// Privacy", section 1, for (2); Komiyama, Honda, Kashima, Nakagawa, "Regret Lower Bound and Optimal
// Algorithm in Dueling Bandit Problem" (COLT 2015), section 4, for (3).
// Threads: values. The same bits on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

inline constexpr std::int64_t kMostDuelingArms = 1024;
inline constexpr double kPreferenceTolerance = 1e-9;  // of (1) for a given matrix

// A matrix, stored row by row: values[i * arms + j] is P(i,j).
struct PreferenceMatrix {
  std::int64_t arms = 0;
  std::vector<double> values;

  double of(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * arms + j)];
  }
  friend bool operator==(const PreferenceMatrix&, const PreferenceMatrix&) = default;
};

// Checks 2 to kMostDuelingArms arms, probabilities, and (1) up to the tolerance. The error names row
// and column, counted from 1.
Status check_preferences(const PreferenceMatrix& preferences);

// The matrix (2). Errors: too few or too many arms; a score that is not -1e100 to 1e100.
Result<PreferenceMatrix> preferences_of_scores(std::span<const double> scores);
// The scores <w, x_i>. Errors: those of check_features; weights that are not `dimension` numbers.
Result<std::vector<double>> linear_scores(const ArmFeatures& features,
                                          std::span<const double> weights);
// The matrix (3). Errors: arms out of range, a step that is not above 0 or is too long.
Result<PreferenceMatrix> arithmetic_preferences(std::int64_t arms, double step);

// 1/(1 + e^-x), within 3 ulp.
double logistic(double x);

}  // namespace assay

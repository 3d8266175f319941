// The distribution of a best-arm phase that pulls all its arms: which of them have the largest
// noisy means.
//
// Arm i has mean m_i and noise of scale b_i; f and F are its density and cdf there. For a set S of
// k arms
//   P(S is the top k) =
//       integral of d/dx[prod over i not in S of F_i(x)] prod over S of (1 - F_i(x)) dx  (1)
// Arms of the same mean and scale form a class. (1) needs only their numbers in S and outside, so a
// node's cost grows with the classes, not with the arms.
//
// Accuracy: 1e-10 of each probability above 1e-300, measured against closed forms and another
// quadrature in more digits (tests/unit/best_arm/top_set_distribution_test.cpp). The panels of 16
// Gauss-Legendre nodes between the means have the width min(1/4, 4/sqrt(arms)) of the smallest
// scale. They cover the range within 50 of the logarithm's top, which a scan in steps of that scale
// finds. All terms are positive and none underflows.
// Reference: (1) is (1) of noisy_max/internal/top_k_distribution.hpp, with a scale for each arm.
// Threads: pure. Same bits on every machine. Cost: 10 ns (Gaussian: 60 ns) for each class and node,
// with 64 or more nodes for each scale of the range: below 1 ms for 1000 arms of which one has a
// different mean.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/phases.hpp"

namespace assay {

struct ArmClass {
  double mean = 0.0;
  double scale = 1.0;  // a standard deviation if Gaussian
  double inside = 0;   // its arms in S
  double outside = 0;  // its arms outside S
};

// The log of (1). Errors: means further apart than 1e5 of the smallest scale. Preconditions: noise;
// some arm in S; scales above 0.
Result<double> top_set_log_probability(PhaseNoise noise, std::span<const ArmClass> classes);

}  // namespace assay

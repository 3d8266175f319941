// The mode, the bracket and the resolution of the integrand of the Gaussian argmax probability.
//
// The integrand f(x) = phi((x - m_k)/s_k) prod_{j != k} Phi((x - m_j)/s_j) is log-concave, and
//   1/s_k^2 <= -(log f)''(x) <= 1/r(x)^2,  1/r(x)^2 = 1/s_k^2 + sum over unsaturated j of 1/s_j^2
//   (1)
// where arms with Phi = 1 to the precision wanted count as saturated. Internal to gaussian_argmax.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace assay::detail {

// One input, or the two inputs of a pair, which differ in the mean of arm `changed`.
struct ArgmaxProblem {
  std::span<const double> means;
  std::span<const double> scales;
  std::size_t played;
  std::size_t changed;  // size() if there is one input
  double changed_mean;

  std::size_t size() const { return means.size(); }
  int sides() const { return changed < size() ? 2 : 1; }
  double mean(std::size_t j, int side) const {
    return side == 1 && j == changed ? changed_mean : means[j];
  }
  double lowest(std::size_t j) const { return std::min(means[j], mean(j, 1)); }
  double highest(std::size_t j) const { return std::max(means[j], mean(j, 1)); }
  // Phi((x - m_j)/s_j) is not yet 1 at x, on some input.
  bool active(std::size_t j, double x, double saturated) const {
    return x < highest(j) + saturated * scales[j];
  }
};

// r(x) of (1), for all arms if no arm is to be left out as saturated.
double resolution(const ArgmaxProblem& problem, double x, double saturated);

// x with prod_j Phi((x - m_j)/s_j) <= exp(-cut) on all inputs: the probability that any arm wins
// with a value below x.
double lower_cut(const ArgmaxProblem& problem, double cut);

struct ArgmaxBracket {
  double low;
  double high;
  double mode;  // approximate; it places nodes but does not affect values
};

// The bracket for one input: the integral outside of it is below exp(-drop) of the whole.
ArgmaxBracket find_bracket(const ArgmaxProblem& problem, int side, double drop);

// The sum of z_j^2/2 of the winning arm and of the arms with z_j < 0.
double exponent_at(const ArgmaxProblem& problem, int side, double x);

}  // namespace assay::detail

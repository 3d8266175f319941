// The law of the largest of many noisy scores, where scores come in groups and may be random.
//
// Group g has c_g members; each member's score is a random X_g, equal to values[k] with probability
// weights[k], plus noise Q of its own; all are independent. With f the density and F the cdf of Q,
//   h_g(x) = sum over k of w_k f(x - v_k),   H_g(x) = sum over k of w_k F(x - v_k)              (1)
//   P(one given member of g is the largest) = integral of h_g(x) H_g(x)^-1 prod_h H_h(x)^c_h dx (2)
//   Gumbel noise of scale b and fixed scores: e^(v_g / b) / sum over h of c_h e^(v_h / b)       (3)
// A mixture over random scores costs no enumeration of their combinations: they are independent, so
// it is taken inside the integral, member by member.
//
// Accuracy: 1e-12 of each probability above e^-1000, by Gauss-Legendre panels of half a scale,
// broken at every kink of (1); what is cut off, beyond every score by 40 + log(members) scales, is
// below 1e-16 of it. Logarithms, never a probability that could underflow.
// Threads: pure. Same bits on every machine.
// Cost: O(nodes (number of values of all groups)), nodes = 32 (spread of the scores / scale + 80)
// and 16 more per distinct value; 0.3 ms for two groups. (3) is O(groups).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

class Laplace;
class Exponential;
class Gumbel;

struct ScoreGroup {
  std::vector<double> values;
  std::vector<double> weights;  // as many, positive, with sum 1
  std::int64_t count = 1;

  static ScoreGroup fixed(double value, std::int64_t count) { return {{value}, {1.0}, count}; }
};

// The relative error of a probability above e^-1000 as computed.
inline constexpr double kNoisyMaxRelativeError = 1e-12;
inline constexpr double kLeastNoisyMaxLog = -1000.0;

// (2), its logarithm, for one member of each group. At least one group, at least one member each.
std::vector<double> grouped_noisy_max(const Laplace& noise, std::span<const ScoreGroup> groups);
std::vector<double> grouped_noisy_max(const Exponential& noise, std::span<const ScoreGroup> groups);
std::vector<double> grouped_noisy_max(const Gumbel& noise, std::span<const ScoreGroup> groups);

}  // namespace assay

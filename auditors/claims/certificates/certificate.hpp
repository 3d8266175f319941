// Certificates: refutations small enough to check by hand, as plain values.
//
// A certificate carries the counterexample itself (inputs, their neighbours, an event) and the
// numbers that its finder computed. A check (check_certificate.hpp) computes every number
// again from the inputs alone. Arms count from 0 here and from 1 in files and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "assay/policies/experts/leader_noise.hpp"

namespace assay {

// `times` plays of one arm in a row, each with the same reward.
struct ArmPlays {
  int arm = 0;
  double reward = 0.0;
  std::int64_t times = 1;
  friend bool operator==(const ArmPlays&, const ArmPlays&) = default;
};

// What two neighbouring inputs do to the probability of one event, at a level (epsilon, delta).
struct EventNumbers {
  std::vector<int> event;  // arms; the event is that one of them is played
  double epsilon = 0.0;    // claimed at `delta`
  double delta = 0.0;
  double p = 0.0;           // probability of the event after the input
  double q = 0.0;           // after its neighbour
  double true_delta = 0.0;  // p - e^epsilon q: above delta, the level is refuted
  friend bool operator==(const EventNumbers&, const EventNumbers&) = default;
};

// The next action of Thompson sampling (b = 0, c = 1) after a history and after its neighbour, in
// which one reward differs. Refutes a level claimed for one round.
struct RoundCounterexample {
  int arms = 2;
  std::vector<ArmPlays> history;
  std::size_t changed = 0;  // index in `history` of an entry with times = 1
  double new_reward = 1.0;
  EventNumbers numbers;
  friend bool operator==(const RoundCounterexample&, const RoundCounterexample&) = default;
};

// The Gaussian report-noisy-max of values_i + N(0, deviations_i^2), one value changing by at most
// its sensitivity. Refutes a level claimed for all such neighbours.
struct NoisyMaxCounterexample {
  std::vector<double> values;
  std::vector<double> deviations;
  std::vector<double> sensitivities;
  std::size_t changed = 0;
  double new_value = 0.0;
  EventNumbers numbers;
  friend bool operator==(const NoisyMaxCounterexample&, const NoisyMaxCounterexample&) = default;
};

// Two descriptions of one round of Thompson sampling that give one arm different probabilities:
// Algorithm 1 draws theta_i with variance 1/(n_i + 1), the other text with 1/(n_i + 1)^2.
struct LawMismatch {
  int arms = 2;
  std::vector<ArmPlays> history;
  int arm = 0;
  double probability = 0.0;          // by Algorithm 1
  double printed_probability = 0.0;  // by the other text
  friend bool operator==(const LawMismatch&, const LawMismatch&) = default;
};

// One epoch of RNM-FTNL (B = 0), its noise at the scale that the paper prints, on two sequences of
// loss vectors that differ in one vector. Refutes eps-DP by the probability of one action.
struct EpochCounterexample {
  LeaderNoise noise = LeaderNoise::kExponential;
  double epsilon = 1.0;        // claimed
  std::vector<double> others;  // sums of the epoch's other loss vectors, an entry per action
  std::vector<double> before;  // the vector
  std::vector<double> after;   // what replaces it
  int action = 0;
  double p = 0.0;     // probability of the action with `before`
  double q = 0.0;     // with `after`
  double loss = 0.0;  // log(p/q): above epsilon, the claim is refuted
  friend bool operator==(const EpochCounterexample&, const EpochCounterexample&) = default;
};

// `times` actions of one gap to the best one.
struct GapGroup {
  double gap = 0.0;
  double times = 1.0;
  friend bool operator==(const GapGroup&, const GapGroup&) = default;
};

// Regret of RNM-FTNL with Gumbel(2/eps) noise on deterministic losses over T = 2^epochs - 1 rounds.
// Refutes an upper bound on it.
struct RegretCounterexample {
  double epsilon = 1.0;
  int epochs = 1;
  std::vector<GapGroup> gaps;  // of all actions but the best
  double regret = 0.0;
  double bound = 0.0;
  friend bool operator==(const RegretCounterexample&, const RegretCounterexample&) = default;
};

// The integral over x >= 0 of sum_i 2^x a_i e^(-2^x a_i)/sum_i e^(-2^x a_i), beside the value that
// is printed for it.
struct IntegralMismatch {
  std::vector<double> levels;  // a_1 = 0 < a_2 <= ...
  double integral = 0.0;
  double printed = 0.0;  // (2/log 2) log K
  friend bool operator==(const IntegralMismatch&, const IntegralMismatch&) = default;
};

// Two families of instances, one for every c2 at most `split`, one for every c2 at least `split`,
// on which P[J_r = j] over the conjectured softmax bound grows like e^(rate n), n = 2^(r - 1).
// Refutes that universal constants exist.
struct GrowthCounterexample {
  LeaderNoise noise = LeaderNoise::kGumbel;
  double epsilon = 0.25;
  double gap = 0.5;  // Delta_j, above epsilon
  double split = 8.25;
  double rate_below = 0.0;  // for c2 <= split, with two actions
  double rate_above = 0.0;  // for c2 >= split, with about e^(n/scale) actions
  friend bool operator==(const GrowthCounterexample&, const GrowthCounterexample&) = default;
};

using Counterexample =
    std::variant<RoundCounterexample, NoisyMaxCounterexample, LawMismatch, EpochCounterexample,
                 RegretCounterexample, IntegralMismatch, GrowthCounterexample>;

struct Certificate {
  std::string claim;  // id of the refuted claim
  Counterexample counterexample;
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace assay

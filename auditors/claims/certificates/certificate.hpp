// Certificates: refutations small enough to check by hand, as plain values.
//
// A certificate carries the counterexample itself (inputs, their neighbours, an event) and the
// numbers that its finder computed. Whoever checks it (check_certificate.hpp) computes every number
// again from the inputs alone. Arms count from 0 here and from 1 in files and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

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

using Counterexample = std::variant<RoundCounterexample, NoisyMaxCounterexample, LawMismatch>;

struct Certificate {
  std::string claim;  // id of the refuted claim
  Counterexample counterexample;
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

}  // namespace assay

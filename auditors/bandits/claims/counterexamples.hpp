// What refutes claims about Thompson sampling (certificate_fields.hpp). Arms count from 0 here and
// from 1 in files and texts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"

namespace assay {

constexpr double kLargestValue = 1e9;  // of a noisy max
constexpr double kLeastDeviation = 1e-9;

// `times` plays of one arm in a row, each with the same reward.
struct ArmPlays {
  int arm = 0;
  double reward = 0.0;
  std::int64_t times = 1;

  static void fields(auto& self, auto visit) {
    visit("arm", self.arm, counted(kMostCertificateArms));
    visit("reward", self.reward, within(0.0, 1.0));
    visit("times", self.times, within(1.0, kMostTimes));
  }
  bool operator==(const ArmPlays&) const = default;
};

// What two neighbouring inputs do to the probability of one event, at a level (epsilon, delta).
// The event and delta are inputs.
struct EventNumbers {
  std::vector<int> event;  // arms; the event is that one of them is played
  double epsilon = 0.0;    // claimed at `delta`
  double delta = 0.0;
  double p = 0.0;           // probability of the event after the input
  double q = 0.0;           // after its neighbour
  double true_delta = 0.0;  // p - e^epsilon q: above delta, the level is refuted

  static void fields(auto& self, auto visit) {
    visit("event", self.event,
          counted(kMostCertificateArms)
              .entries(1, kMostCertificateArms, "must name at least one arm"));
    visit("epsilon", self.epsilon);
    visit("delta", self.delta);
    visit("p", self.p);
    visit("q", self.q);
    visit("true_delta", self.true_delta);
  }
  Status check(std::size_t arms) const;
  bool operator==(const EventNumbers&) const = default;
};

// The next action of Thompson sampling (b = 0, c = 1) after a history and after its neighbour, in
// which one reward differs. Refutes a level claimed for one round.
struct RoundCounterexample {
  static constexpr std::string_view kKind = "round";
  static constexpr std::array<std::string_view, 1> kRefutes{"ts-step-dp"};
  int arms = 2;
  std::vector<ArmPlays> history;
  std::size_t changed = 0;  // index in `history` of an entry with times = 1
  double new_reward = 1.0;
  EventNumbers numbers;

  static void fields(auto& self, auto input, auto number) {
    input("arms", self.arms, within(2.0, kMostCertificateArms));
    input("history", self.history, Limits().entries(1, kMostHistoryEntries, "must not be empty"));
    input("changed", self.changed, counted(kMostHistoryEntries));
    input("new_reward", self.new_reward, within(0.0, 1.0));
    EventNumbers::fields(self.numbers, number);
  }
  Status check() const;
  bool operator==(const RoundCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const RoundCounterexample& found);

// The Gaussian report-noisy-max of values_i + N(0, deviations_i^2), one value changing by at most
// its sensitivity. Refutes a level claimed for all such neighbours.
struct NoisyMaxCounterexample {
  static constexpr std::string_view kKind = "noisy-max";
  static constexpr std::array<std::string_view, 1> kRefutes{"rnm-hetero-gauss"};
  std::vector<double> values;
  std::vector<double> deviations;
  std::vector<double> sensitivities;
  std::size_t changed = 0;
  double new_value = 0.0;
  EventNumbers numbers;

  static void fields(auto& self, auto input, auto number) {
    constexpr Limits kValue = within(-kLargestValue, kLargestValue);
    input("values", self.values,
          kValue.entries(2, kMostCertificateArms, "must have {} to {} numbers, not {}"));
    input("deviations", self.deviations,
          within(kLeastDeviation, kLargestValue).entries(0, kMostCertificateArms));
    input("sensitivities", self.sensitivities,
          within(0.0, kLargestValue).entries(0, kMostCertificateArms));
    input("changed", self.changed, counted(kMostCertificateArms));
    input("new_value", self.new_value, kValue);
    EventNumbers::fields(self.numbers, number);
  }
  Status check() const;
  bool operator==(const NoisyMaxCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const NoisyMaxCounterexample& found);

// Two descriptions of one round of Thompson sampling that give one arm different probabilities:
// Algorithm 1 draws theta_i with variance 1/(n_i + 1), the other text with 1/(n_i + 1)^2.
struct LawMismatch {
  static constexpr std::string_view kKind = "law";
  static constexpr std::array<std::string_view, 1> kRefutes{"ts-eq27"};
  int arms = 2;
  std::vector<ArmPlays> history;
  int arm = 0;
  double probability = 0.0;          // by Algorithm 1
  double printed_probability = 0.0;  // by the other text

  static void fields(auto& self, auto input, auto number) {
    input("arms", self.arms, within(2.0, kMostCertificateArms));
    input("history", self.history, Limits().entries(0, kMostHistoryEntries));
    input("arm", self.arm, counted(kMostCertificateArms));
    number("probability", self.probability);
    number("printed_probability", self.printed_probability);
  }
  Status check() const;
  bool operator==(const LawMismatch&) const = default;
};
Result<CertificateCheck> recompute(const LawMismatch& found);

}  // namespace assay

// The counterexamples to claims about Thompson sampling (certificate_fields.hpp). Arms and entries of a
// history count from 0.
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

// `times` pulls of one arm in a row, each with the same reward.
struct ArmPlays {
  int arm = 0;
  double reward = 0.0;
  std::int64_t times = 1;

  static void fields(auto& self, auto visit) {
    visit("arm", self.arm, index_below(kMostCertificateArms));
    visit("reward", self.reward, within(0.0, 1.0));
    visit("times", self.times, within(1.0, kMostTimes),
          "The number of pulls, each with this reward.");
  }
  bool operator==(const ArmPlays&) const = default;
};

// The probabilities of one event on two neighbouring inputs, against a level (epsilon, delta). The
// event and delta are inputs.
struct EventNumbers {
  std::vector<int> event;  // the event that one of these arms is played
  double epsilon = 0.0;    // the claimed eps at `delta`
  double delta = 0.0;
  double p = 0.0;           // probability of the event on the input
  double q = 0.0;           // probability of the event on its neighbour
  double true_delta = 0.0;  // p - e^epsilon q: above delta, the level is refuted

  static void fields(auto& self, auto visit) {
    visit("event", self.event,
          index_below(kMostCertificateArms)
              .entries(1, kMostCertificateArms, "must name at least one arm"),
          "An input: the event is that one of these arms is played.");
    visit("epsilon", self.epsilon, kFinite, "The eps that the claim states at delta.");
    visit("delta", self.delta, kFinite,
          "An input; at most (N - 1)/2, so that the claimed epsilon is real.");
    visit("p", self.p, kFinite, "The probability of the event on the inputs.");
    visit("q", self.q, kFinite, "The probability of the event on their neighbour.");
    visit("true_delta", self.true_delta, kFinite,
          "p - e^epsilon q; above delta, the claim is false.");
  }
  Status check(std::size_t arms) const;
  bool operator==(const EventNumbers&) const = default;
};

// The next action of Thompson sampling (b = 0, c = 1) after a history and after its neighbour, in
// which one reward differs. It refutes a level that is claimed for one round.
struct RoundCounterexample {
  static constexpr std::string_view kKind = "round";
  static constexpr std::string_view kAbout =
      "Thompson sampling (b = 0, c = 1) plays its next arm after a history and after its "
      "neighbour, in which one reward differs.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ts-step-dp"};
  int arms = 2;
  std::vector<ArmPlays> history;
  std::size_t changed = 0;  // index in `history` of an entry with times = 1
  double neighbour_reward = 1.0;
  EventNumbers numbers;

  static void fields(auto& self, auto input, auto number) {
    input("arms", self.arms, within(2.0, kMostCertificateArms), "N.");
    input("history", self.history, Limits().entries(1, kMostHistoryEntries, "must not be empty"),
          "The arms that were pulled and their rewards. The order does not affect the next "
          "action.");
    input("changed", self.changed, index_below(kMostHistoryEntries),
          "The entry of the history that changes. Its `times` is 1.");
    input("neighbour_reward", self.neighbour_reward, within(0.0, 1.0));
    EventNumbers::fields(self.numbers, number);
  }
  Status check() const;
  bool operator==(const RoundCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const RoundCounterexample& found);

// The Gaussian report-noisy-max of values_i + N(0, deviations_i^2). One value changes by at most
// its sensitivity. It refutes a level that is claimed for all such neighbours.
struct NoisyMaxCounterexample {
  static constexpr std::string_view kKind = "noisy-max";
  static constexpr std::string_view kAbout =
      "The index of the largest of values_i + N(0, deviations_i^2), where one value changes by at "
      "most its sensitivity.";
  static constexpr std::array<std::string_view, 1> kRefutes{"rnm-hetero-gauss"};
  std::vector<double> values;
  std::vector<double> deviations;
  std::vector<double> sensitivities;
  std::size_t changed = 0;
  double neighbour_value = 0.0;
  EventNumbers numbers;

  static void fields(auto& self, auto input, auto number) {
    constexpr Limits kValue = within(-kLargestValue, kLargestValue);
    input("values", self.values,
          kValue.entries(2, kMostCertificateArms, "must have {} to {} numbers, not {}"));
    input("deviations", self.deviations,
          within(kLeastDeviation, kLargestValue).entries(0, kMostCertificateArms));
    input("sensitivities", self.sensitivities,
          within(0.0, kLargestValue).entries(0, kMostCertificateArms));
    input("changed", self.changed, index_below(kMostCertificateArms), "The value that changes.");
    input("neighbour_value", self.neighbour_value, kValue);
    EventNumbers::fields(self.numbers, number);
  }
  Status check() const;
  bool operator==(const NoisyMaxCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const NoisyMaxCounterexample& found);

// Two descriptions of one round of Thompson sampling that give one arm different probabilities:
// Algorithm 1 draws theta_i with variance 1/(n_i + 1), the other description with 1/(n_i + 1)^2.
struct DistributionMismatch {
  static constexpr std::string_view kKind = "law";
  static constexpr std::string_view kAbout =
      "A history after which the variances 1/(n + 1) and 1/(n + 1)^2 give one arm different "
      "probabilities.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ts-eq27"};
  int arms = 2;
  std::vector<ArmPlays> history;
  int arm = 0;
  double probability = 0.0;          // by Algorithm 1
  double printed_probability = 0.0;  // by the other description

  static void fields(auto& self, auto input, auto number) {
    input("arms", self.arms, within(2.0, kMostCertificateArms), "N.");
    input("history", self.history, Limits().entries(0, kMostHistoryEntries),
          "The arms that were pulled and their rewards. The order does not affect the next "
          "action.");
    input("arm", self.arm, index_below(kMostCertificateArms));
    number("probability", self.probability, kFinite, "The probability under variance 1/(n + 1).");
    number("printed_probability", self.printed_probability, kFinite,
           "The probability under variance 1/(n + 1)^2.");
  }
  Status check() const;
  bool operator==(const DistributionMismatch&) const = default;
};
Result<CertificateCheck> recompute(const DistributionMismatch& found);

}  // namespace assay

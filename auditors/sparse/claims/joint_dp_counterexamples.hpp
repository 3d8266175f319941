// The counterexamples to claims about FLIPHAT's joint privacy (certificate_fields.hpp): two inputs that differ in one
// reward, and an event of the actions of other rounds.
//
// They have the paper's noise, the full squared loss, two arms (three in the last), and eta = 1e-4 in the second and third, where it
// matters only to the projection. Each check recomputes every number in 50 digits, in closed form, and refutes if
// p - e^eps q exceeds delta by more than 1e-20. The formulas are in joint_dp_recompute.cpp, the derivation in
// docs/proofs/fliphat_joint_dp.md. Cost: 0.1 ms; 30 ms for 400 coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"

namespace assay {

// d = s = 1, T = 2, eta = 1/(2 x_max^2), M iterations, Proposition 5.5's own number for kappa = 1 and
// some b_max. Round 1: both arms have context x_max and reward R, in the neighbour -R. Round 2:
// contexts 0 and x_max. The event is that round 2 plays the second arm, which means theta > 0.
struct GreedySignCounterexample {
  static constexpr std::string_view kKind = "greedy-sign";
  static constexpr std::string_view kAbout =
      "FLIPHAT with two arms, d = s = 1, T = 2, eta = 1/(2 x_max^2), the paper's noise. Round 1: "
      "both arms have context x_max and reward R, in the neighbour -R. Round 2: contexts 0 and "
      "x_max; the event is that the second arm is played.";
  static constexpr std::array<std::string_view, 1> kRefutes{"fliphat-jdp"};
  double epsilon = 0.5;
  double delta = 0.01;
  std::int64_t iterations = 1;  // M
  double x_max = 10.0;
  double p = 0.0;
  double q = 0.0;           // on the neighbour
  double true_delta = 0.0;  // p - e^epsilon q

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 1e3), "Claimed.");
    input("delta", self.delta, within(1e-15, 0.5), "Claimed.");
    input("iterations", self.iterations, within(1.0, 1e4), "M.");
    input("x_max", self.x_max, within(1e-3, 1e6));
    number("p", self.p, kFinite, "The probability of the event.");
    number("q", self.q, kFinite, "The probability of the event on the neighbour.");
    number("true_delta", self.true_delta, kFinite,
           "p - e^epsilon q; above delta, the claim is false.");
  }
  bool operator==(const GreedySignCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const GreedySignCounterexample& found);

// M = 1. The coordinates form two groups of `group` each, d = 2 group. In an episode of n rounds, in which both arms
// have the same context and reward, one round has x_max everywhere and reward R. One has x_max on group 1, -x_max on
// group 2 and reward R, in the neighbour -R. All others are 0. In round j of the next episode the contexts are 0 and
// x_max e_j. The event is that the second arm is played at least `lead` times more often over the coordinates of group
// 1 than over those of group 2.
struct PeeledGroups {
  std::int64_t records = 64;  // n, a power of 2, at least `group`
  std::int64_t lead = 1;
  double shift = 0.0;       // distance between a coordinate's two values, in scales of the noise
  double p = 0.0;           // lower bound
  double q = 0.0;           // upper bound on the neighbour
  double true_delta = 0.0;  // p - e^epsilon q

  static void shape(auto& self, auto input, double most_records) {
    input("records", self.records, within(2.0, most_records),
          "The rounds of the episode, a power of 2.");
    input("lead", self.lead, within(-60.0, 60.0));
  }
  static void numbers(auto& self, auto number) {
    number("shift", self.shift, kFinite,
           "The distance by which one reward moves a coordinate, in scales of the noise.");
    number("p", self.p, kFinite, "A lower bound of the event's probability.");
    number("q", self.q, kFinite, "An upper bound of the event's probability on the neighbour.");
    number("true_delta", self.true_delta, kFinite,
           "p - e^epsilon q; above delta, the claim is false.");
  }
  Status check_groups() const;
  bool operator==(const PeeledGroups&) const = default;
};

// x_max = 1, b_max = C = 1, in the range for which the lemma of peeling is proved.
struct NormalizedContextsCounterexample : PeeledGroups {
  static constexpr std::string_view kKind = "normalized-contexts";
  static constexpr std::string_view kAbout =
      "FLIPHAT with two arms, one iteration, x_max = b_max = C = 1, eta = 1e-4, d = 2 group, the "
      "paper's noise. In an episode of `records` rounds, with both arms alike, one round has "
      "context x_max everywhere and reward R, one has x_max on group 1, -x_max on group 2 and "
      "reward R, in the neighbour -R, and the others have 0. Round j of the next episode has "
      "contexts 0 and x_max e_j. The event is that the second arm is played at least `lead` times "
      "more often over group 1 than over group 2.";
  static constexpr std::array<std::string_view, 1> kRefutes{"fliphat-jdp-normalized"};
  double epsilon = 0.5;
  double delta = 0.01;
  std::int64_t sparsity = 10;
  std::int64_t group = 10;
  double sigma = 1.0;

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 0.5), "Claimed.");
    input("delta", self.delta, within(1e-15, 0.011), "Claimed.");
    input("sparsity", self.sparsity, within(10.0, 60.0), "s, at most 2 group.");
    input("group", self.group, within(10.0, 200.0), "At most records.");
    input("sigma", self.sigma, within(0.0, 1e3));
    shape(self, input, 1 << 24);
    numbers(self, number);
  }
  Status check() const;
  bool operator==(const NormalizedContextsCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const NormalizedContextsCounterexample& found);

// The experiments: d = 400, s = 10, sigma = 0.1, delta = 0.01, C = b_max, and x_max = sqrt(2 log d) of
// the authors' code. Their third arm has the context of the first.
struct ExperimentsCounterexample : PeeledGroups {
  static constexpr std::string_view kKind = "experiments";
  static constexpr std::string_view kAbout =
      "As normalized-contexts, with d = 400, s = 10, sigma = 0.1, delta = 0.01, x_max = sqrt(2 log d), "
      "C = b_max, and a third arm with the context of the first.";
  static constexpr std::array<std::string_view, 1> kRefutes{"fliphat-jdp-experiments"};
  double epsilon = 0.5;
  double b_max = 5.0;

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(0.5, 10.0), "Claimed.");
    input("b_max", self.b_max, within(2.5, 5.0));
    shape(self, input, 1 << 13);  // T = 20,000
    numbers(self, number);
  }
  Status check() const;
  bool operator==(const ExperimentsCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const ExperimentsCounterexample& found);

inline constexpr std::int64_t kExperimentsGroup = 200;
inline constexpr std::int64_t kExperimentsSparsity = 10;
inline constexpr double kExperimentsDelta = 0.01;
inline constexpr double kExperimentsSigma = 0.1;  // Gaussian noise of Figures 1 and 2

}  // namespace assay

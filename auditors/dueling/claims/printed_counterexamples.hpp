// The counterexamples to statements about private dueling bandits that are printed without the repair
// or the range that a claim beside them has (certificate_fields.hpp).
//
// Each check recomputes every number in 50 digits, in closed form, and refutes if the claimed bound
// is exceeded by more than 1e-20. The formulas are in printed_recompute.cpp. Cost: below 1 ms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"

namespace assay {

// Algorithm 1 as listed, two arms: only a win feeds the counter of the first arm, so a counter
// without items reads 0. The first arm of every duel loses, in the neighbour it wins in round 1. The
// event is that arm 1 comes first in rounds 3 and 4, for which arm 2 must have left.
struct EmptyCounterCounterexample {
  static constexpr std::string_view kKind = "empty-counter";
  static constexpr std::string_view kAbout =
      "Algorithm 1 as listed, two arms. The first arm of every duel loses, in the neighbour it wins "
      "in round 1. The event is that arm a_1 comes first in rounds 3 and 4.";
  static constexpr std::array<std::string_view, 1> kRefutes{"duel-dp-printed"};
  std::int64_t horizon = 4;  // T
  double epsilon = 1.0;
  double delta = 0.5;   // of the radius
  double radius = 0.0;  // after one duel
  double p = 0.0;       // lower bound of the event's probability in the neighbour: not 0

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(4.0, 1e9), "T.");
    input("epsilon", self.epsilon, within(1e-3, 100.0), "Claimed; the counters have a quarter.");
    input("delta", self.delta, within(1e-9, 0.5), "Of the radius.");
    number("radius", self.radius, kFinite, "The radius after one duel.");
    number("p", self.p, kFinite,
           "A lower bound of the event's probability in the neighbour; it is 0 on the input.");
  }
  bool operator==(const EmptyCounterCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const EmptyCounterCounterexample& found);

// Three arms, delta = 1/T. Arms 1 and 2 win half of their duels, and P(1,3) = P(2,3) = `preference`.
// Arm 3 leaves first, and the counters of the others keep all wins against it but one.
struct RemovalCounterexample {
  static constexpr std::string_view kKind = "removal";
  static constexpr std::string_view kAbout =
      "Three arms, delta = 1/T, the listing's radius. Arms a_1 and a_2 win half of the duels between "
      "them, and each beats a_3 with probability `preference`. A loss feeds a 0, and the leaving of "
      "an arm one -1.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ebs-removal-printed"};
  std::int64_t horizon = 1 << 24;
  double epsilon = 1.0;
  double preference = 0.7;
  double reach = 60.0;   // of the counters' noise, in its scales
  double failure = 0.0;  // upper bound of the probability of noise or means that lie farther off
  double least = 0.0;    // duels of each arm as the first before arm 3 may leave
  double low = 0.0;      // lower end of the next interval: above 1/2, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(16.0, 1e9), "T.");
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("preference", self.preference, within(0.51, 0.99), "P(1,3) and P(2,3).");
    input("reach", self.reach, within(1.0, 500.0),
          "The noise of a count lies within that many of its scales.");
    number(
        "failure", self.failure, kFinite,
        "An upper bound of the probability that noise, means or numbers of duels lie farther off.");
    number("least", self.least, kFinite,
           "The duels of each arm as the first before arm a_3 may leave.");
    number(
        "low", self.low, kFinite,
        "A lower bound of the lower end of the first interval after arm a_3 has left; above 1/2, "
        "the score, the claim is false.");
  }
  bool operator==(const RemovalCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const RemovalCounterexample& found);

// Two arms after their first duels, with the listing's radius, a loss feeding a 0.
struct CoverageCounterexample {
  static constexpr std::string_view kKind = "coverage";
  static constexpr std::string_view kAbout =
      "Two arms after one duel of each as the first arm, with the listing's radius. A loss feeds a 0.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ebs-coverage-printed"};
  std::int64_t horizon = 3;
  double epsilon = 1.0;
  double delta = 0.5;
  double preference = 0.75;  // P(1,2)
  double radius = 0.0;
  double missed = 0.0;  // probability that an interval misses: above delta, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(2.0, 1e9), "T.");
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("delta", self.delta, within(1e-9, 0.5), "Claimed.");
    input("preference", self.preference, within(0.5, 0.999), "P(1,2).");
    number("radius", self.radius, kFinite, "The radius after one duel.");
    number("missed", self.missed, kFinite,
           "The probability that one of the two intervals misses its score; above delta, the claim "
           "is false.");
  }
  bool operator==(const CoverageCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const CoverageCounterexample& found);

// A stream of one number, 0 or 1. At T = 1 the bound of Lemma 1 is 0, so the counter would have to
// report the number itself with probability 1 - delta.
struct OneCountCounterexample {
  static constexpr std::string_view kKind = "one-count";
  static constexpr std::string_view kAbout =
      "A stream of one number, 0 or 1, and any counter: at T = 1 the bound allows no error.";
  static constexpr std::array<std::string_view, 1> kRefutes{"tree-accuracy-printed"};
  double epsilon = 1.0;
  double delta = 0.125;
  double least = 0.0;  // P(it reports 1 | 1), by the bound
  double most = 0.0;   // by privacy: below it, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 100.0), "The counter's level.");
    input("delta", self.delta, within(1e-9, 0.999));
    number("least", self.least, kFinite,
           "1 - delta, the least P(1 is reported | the number is 1).");
    number("most", self.most, kFinite,
           "e^epsilon delta, the most that privacy allows; below the least, the claim is false.");
  }
  bool operator==(const OneCountCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const OneCountCounterexample& found);

// Two arms. With probability q = T/(2 T - n) a policy holds n duels of both arms, draws one of them
// at random, and pulls its winner against itself in all other rounds. Otherwise it pulls arm 1 against
// itself throughout. It is (0, q/n)-DP. Arm 1 wins every duel.
struct SampledDuelCounterexample {
  static constexpr std::string_view kKind = "sampled-duel";
  static constexpr std::string_view kAbout =
      "Two arms; arm a_1 always wins. With probability T/(2 T - duels) a policy holds `duels` duels "
      "of both arms and then the winner of one of them, drawn at random, against itself. Otherwise it "
      "always pulls arm a_1 against itself.";
  static constexpr std::array<std::string_view, 1> kRefutes{"duel-lower-printed"};
  std::int64_t horizon = 1000;
  double epsilon = 0.1;
  std::int64_t duels = 10;
  double delta = 0.0;   // at which the policy is (0, delta)-DP
  double regret = 0.0;  // the largest over all preferences
  double pulls = 0.0;   // of arm 2, expected
  double bound = 0.0;   // 1/epsilon: above the pulls, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(20.0, 1e9), "T, at least 20/epsilon.");
    input("epsilon", self.epsilon, within(1e-6, 1.0));
    input("duels", self.duels, within(1.0, 1e9), "Below T.");
    number("delta", self.delta, kFinite, "The policy is (0, delta)-DP.");
    number("regret", self.regret, kFinite, "The largest regret over all preferences, T/2.");
    number("pulls", self.pulls, kFinite, "The expected pulls of arm a_2.");
    number("bound", self.bound, kFinite, "1/epsilon; above the pulls, the claim is false.");
  }
  Status check() const;
  bool operator==(const SampledDuelCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const SampledDuelCounterexample& found);

}  // namespace assay

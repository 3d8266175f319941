// The counterexamples to claims about private dueling bandits (certificate_fields.hpp).
//
// Each check recomputes every number in 50 digits, in closed form, and refutes if the claimed bound
// is exceeded by more than 1e-20. The formulas are in recompute.cpp. Cost: below 1 ms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"

namespace assay {

// Arms of these scores, P(i,j) = sigma(r_i - r_j). An arm other than the best has an effective
// Borda score that exceeds the worst arm's by more than Delta(best, worst).
struct BordaCounterexample {
  static constexpr std::string_view kKind = "borda";
  static constexpr std::string_view kAbout =
      "Arms of different scores, with preferences logistic in their differences.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ebs-property-2"};
  std::vector<double> scores;  // no two are equal
  int arm = 0;                 // j
  double lead = 0.0;           // B(j) - B(worst)
  double gap = 0.0;            // Delta(best, worst): below the lead, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("scores", self.scores, within(-100.0, 100.0).entries(2, kMostCertificateArms),
          "The scores, all different.");
    input("arm", self.arm, index_below(kMostCertificateArms));
    number("lead", self.lead, kFinite, "B(arm) - B(worst).");
    number("gap", self.gap, kFinite, "Delta(best, worst); below the lead, the claim is false.");
  }
  Status check() const;
  bool operator==(const BordaCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const BordaCounterexample& found);

// Two scores that lie `gap` apart.
struct ScoreGapCounterexample {
  static constexpr std::string_view kKind = "score-gap";
  static constexpr std::string_view kAbout = "Two scores that lie `gap` apart.";
  static constexpr std::array<std::string_view, 1> kRefutes{"duel-gap"};
  double gap = 1.0;
  double doubled = 0.0;  // 2 Delta: below the gap, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("gap", self.gap, within(1e-6, 2.0));
    number("doubled", self.doubled, kFinite, "2 Delta; below the gap, the claim is false.");
  }
  bool operator==(const ScoreGapCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const ScoreGapCounterexample& found);

// Two arms, elimination without noise. After `plays` pulls of each arm the first phase has ended
// only if one arm won all of them and the other lost all of them, and it cannot end earlier.
struct PhaseCounterexample {
  static constexpr std::string_view kKind = "phase";
  static constexpr std::string_view kAbout =
      "Two arms, elimination without noise, `plays` pulls of each arm: the first time at which one "
      "can be eliminated, and only if the other always wins.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ebs-unbiased-phase"};
  std::int64_t horizon = 100;  // T
  double delta = 0.5;
  double preference = 0.75;  // P(1,2)
  std::int64_t plays = 1;    // n, of each arm
  double score = 0.0;        // B(1)
  double bias = 0.0;         // of its estimate, given that the phase lasts; not 0

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(2.0, 1e9), "T.");
    input("delta", self.delta, within(1e-9, 0.5));
    input("preference", self.preference, within(0.001, 0.999), "P(1,2).");
    input("plays", self.plays, within(2.0, 1e4),
          "The pulls of each arm, at most half of the horizon.");
    number("score", self.score, kFinite, "B(1).");
    number("bias", self.bias, kFinite,
           "The bias of the estimate of arm a_1, given that the phase lasts; not 0.");
  }
  Status check() const;
  bool operator==(const PhaseCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const PhaseCounterexample& found);

// Two arms, delta = 1/T. All estimates of arm 1 are too low by `share` of their radius, and those
// of arm 2 too high by as much, so every interval holds.
struct PullsCounterexample {
  static constexpr std::string_view kKind = "pulls";
  static constexpr std::string_view kAbout =
      "Two arms, delta = 1/T. All estimates of arm a_1 are too low by `share` of their radius, and "
      "those of arm a_2 too high by as much.";
  static constexpr std::array<std::string_view, 1> kRefutes{"duel-pulls"};
  std::int64_t horizon = 1'000'000;
  double epsilon = 1.0;
  double preference = 0.75;  // P(1,2)
  double share = 0.9;
  double bound = 0.0;  // on the pulls of arm 2
  double pulls = 0.0;  // without an elimination: above the bound, the claim is refuted
  double radii = 0.0;  // (1 + share) times both radii there, not below Delta

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(2.0, 1e9), "T.");
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("preference", self.preference, within(0.5001, 0.999), "P(1,2).");
    input("share", self.share, within(0.0, 0.999));
    number("bound", self.bound, kFinite, "The bound on the pulls of arm a_2.");
    number("pulls", self.pulls, kFinite, "The next whole number above the bound.");
    number("radii", self.radii, kFinite,
           "(1 + share) times both radii after that many pulls; not below Delta, the claim is "
           "false.");
  }
  bool operator==(const PullsCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const PullsCounterexample& found);

// Two arms with scores `gap` apart, delta = 1/T. With the radius of Lemma 4's proof neither is
// eliminated, except with a small probability, so each has half of the pulls.
struct DuelRegretCounterexample {
  static constexpr std::string_view kKind = "duel-regret";
  static constexpr std::string_view kAbout =
      "Two arms with scores `gap` apart, delta = 1/T, the radius of the proof.";
  static constexpr std::array<std::string_view, 1> kRefutes{"duel-regret"};
  std::int64_t horizon = 1'000'000;  // even
  double epsilon = 1.0;
  double gap = 2.0;
  double bound = 0.0;
  double failure = 0.0;  // upper bound of the probability that an arm is eliminated
  double regret = 0.0;   // lower bound: above the bound, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(4.0, 1e9), "T, even.");
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("gap", self.gap, within(1e-3, 2.0));
    number("bound", self.bound, kFinite, "The bound of Theorem 1.");
    number("failure", self.failure, kFinite,
           "An upper bound of the probability of an elimination.");
    number("regret", self.regret, kFinite,
           "A lower bound of the expected regret; above the bound, the claim is false.");
  }
  Status check() const;
  bool operator==(const DuelRegretCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const DuelRegretCounterexample& found);

// Two items 1 and 1 - `gap` on a line, w* = 0, delta = 1/T. The duels of the first phase, including
// its t_0 initial draws of the one pair, reveal little of w*.
struct ConfidenceCounterexample {
  static constexpr std::string_view kKind = "confidence";
  static constexpr std::string_view kAbout =
      "Two items 1 and 1 - gap on a line, gap > 1/T, w* = 0, delta = 1/T, the first phase with its "
      "initial draws.";
  static constexpr std::array<std::string_view, 1> kRefutes{"gopt-confidence"};
  std::int64_t horizon = 1'000'000;
  double epsilon = 1.0;
  double gap = 0.001;
  double initial = 0.0;  // t_0 = 16 (1 + log(T/delta))/kappa^4, up to the constants C_1, C_2
  double duels = 0.0;    // of the first phase, including t_0
  double error = 0.0;    // lower bound of the probability that |<1, w - w*>| > 1/2
  double allowed = 0.0;  // 3 delta: below the error, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(4.0, 1e9), "T.");
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("gap", self.gap, within(1e-9, 1.0));
    number("initial", self.initial, kFinite, "t_0.");
    number("duels", self.duels, kFinite, "The duels of the first phase, including t_0.");
    number("error", self.error, kFinite,
           "A lower bound of the probability that the score of the item 1 is off by more than "
           "1/2.");
    number("allowed", self.allowed, kFinite, "3 delta; below the error, the claim is false.");
  }
  bool operator==(const ConfidenceCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const ConfidenceCounterexample& found);

}  // namespace assay

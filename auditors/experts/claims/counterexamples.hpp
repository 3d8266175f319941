// The counterexamples to claims about RNM-FTNL (certificate_fields.hpp). Actions count from 0 here
// and from 1 in files and texts.
//
// Each check recomputes every number in 50 digits:
//   epoch     probabilities of one action by Gauss-Legendre panels or softmax (precise_choice.hpp),
//             absolute error below 1e-45; refutes if log(p/q) exceeds epsilon by more than 1e-20
//   regret    closed sums over epochs; refutes if the regret exceeds the bound by more than 1e-20
//   integral  closed form; refutes if it differs from the printed value by more than 1e-9
//   growth    both rates; refutes if they exceed 1e-20
//   votes, first-round  closed sums; refute if the bound is exceeded, or exceeds, by more than 1e-20
// Cost: below 1 ms; 30 ms for an epoch of 16 actions.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay {

// One epoch of RNM-FTNL (B = 0), with the noise scale that the paper prints, on two sequences of
// loss vectors that differ in one vector. It refutes eps-DP by the probability of one action.
struct EpochCounterexample {
  static constexpr std::string_view kKind = "epoch";
  static constexpr std::string_view kAbout =
      "RNM-FTNL chooses its next action after an epoch and after its neighbour, in which one loss "
      "vector differs.";
  static constexpr std::array<std::string_view, 3> kRefutes{
      "ftnl-dp-laplace", "ftnl-dp-exponential", "ftnl-dp-gumbel"};
  LeaderNoise noise = LeaderNoise::kExponential;
  double epsilon = 1.0;        // claimed
  std::vector<double> others;  // sums of the epoch's other loss vectors, an entry per action
  std::vector<double> before;  // the vector
  std::vector<double> after;   // its replacement
  int action = 0;
  double p = 0.0;     // probability of the action with `before`
  double q = 0.0;     // with `after`
  double loss = 0.0;  // log(p/q): above epsilon, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("noise", self.noise, kFinite, "Laplace(2/eps), Exponential(1/eps) or Gumbel(2/eps).");
    input("epsilon", self.epsilon, within(1e-3, 100.0), "Claimed.");
    input("others", self.others, within(0.0, 1e3).entries(2, kMostCertificateArms),
          "The sums of the epoch's other loss vectors.");
    input("before", self.before, within(0.0, 1.0).entries(0, kMostCertificateArms),
          "The vector that changes.");
    input("after", self.after, within(0.0, 1.0).entries(0, kMostCertificateArms),
          "Its replacement.");
    input("action", self.action, index_below(kMostCertificateArms));
    number("p", self.p, kFinite, "The probability of the action with the vector before.");
    number("q", self.q, kFinite, "The probability of the action with the vector after.");
    number("loss", self.loss, kFinite, "log(p/q); above epsilon, the claim is false.");
  }
  Status check() const;
  bool operator==(const EpochCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const EpochCounterexample& found);

// `times` actions with the same gap to the best one.
struct GapGroup {
  double gap = 0.0;
  double times = 1.0;

  static void fields(auto& self, auto visit) {
    visit("gap", self.gap, within(0.0, 1.0));
    visit("times", self.times, kFinite);
  }
  bool operator==(const GapGroup&) const = default;
};

// The regret of RNM-FTNL with Gumbel(2/eps) noise on deterministic losses over T = 2^epochs - 1
// rounds. It refutes an upper bound on the regret.
struct RegretCounterexample {
  static constexpr std::string_view kKind = "regret";
  static constexpr std::string_view kAbout =
      "RNM-FTNL with Gumbel(2/eps) noise on deterministic losses over T = 2^epochs - 1 rounds.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ftnl-det-regret-printed"};
  double epsilon = 1.0;
  int epochs = 1;
  std::vector<GapGroup> gaps;  // of all actions but the best
  double regret = 0.0;
  double bound = 0.0;

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("epochs", self.epochs, within(1.0, 60.0));
    input("gaps", self.gaps, Limits().entries(1, kMostCertificateArms),
          "The gaps of all actions but the best.");
    number("regret", self.regret, kFinite, "The regret; above the bound, the claim is false.");
    number("bound", self.bound, kFinite);
  }
  Status check() const;
  bool operator==(const RegretCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const RegretCounterexample& found);

// The integral over x >= 0 of sum_i 2^x a_i e^(-2^x a_i)/sum_i e^(-2^x a_i), and its printed value.
struct IntegralMismatch {
  static constexpr std::string_view kKind = "integral";
  static constexpr std::string_view kAbout = "The levels of the softmax mean f under the integral.";
  static constexpr std::array<std::string_view, 1> kRefutes{"softmax-integral"};
  std::vector<double> levels;  // a_1 = 0 < a_2 <= ...
  double integral = 0.0;
  double printed = 0.0;  // (2/log 2) log K

  static void fields(auto& self, auto input, auto number) {
    input("levels", self.levels, within(0.0, 1e3).entries(2, kMostCertificateArms),
          "0 = a_1 < a_2 <= ...");
    number("integral", self.integral, kFinite);
    number("printed", self.printed, kFinite, "(2/log 2) log K.");
  }
  Status check() const;
  bool operator==(const IntegralMismatch&) const = default;
};
Result<CertificateCheck> recompute(const IntegralMismatch& found);

// Two families of instances, one for every c2 at most `split`, one for every c2 at least `split`,
// on which P[J_r = j] over the conjectured softmax bound grows like e^(rate n), n = 2^(r - 1). They
// refute that universal constants exist.
struct GrowthCounterexample {
  static constexpr std::string_view kKind = "growth";
  static constexpr std::string_view kAbout =
      "Two families of instances on which no constants c1, c2 suffice: one for c2 up to the split, "
      "one for c2 from the split on.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ftnl-conjecture"};
  LeaderNoise noise = LeaderNoise::kGumbel;
  double epsilon = 0.25;
  double gap = 0.5;  // Delta_j, above epsilon
  double split = 8.25;
  double rate_below = 0.0;  // for c2 <= split, with two actions
  double rate_above = 0.0;  // for c2 >= split, with about e^(n/scale) actions

  static void fields(auto& self, auto input, auto number) {
    input("noise", self.noise, kFinite, "Laplace(2/eps), Exponential(1/eps) or Gumbel(2/eps).");
    input("epsilon", self.epsilon, within(1e-3, 0.999));
    input("gap", self.gap, within(1e-3, 0.999), "Delta_j, above epsilon.");
    input("split", self.split, within(0.1, 1e3));
    number("rate_below", self.rate_below, kFinite,
           "The rate of the first family at c2 = split; positive.");
    number("rate_above", self.rate_above, kFinite, "The rate of the second family; positive.");
  }
  Status check() const;
  bool operator==(const GrowthCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const GrowthCounterexample& found);

// Two actions with deterministic losses 0 and `gap`. A policy counts, for each action, the rounds in
// which it is the worse one, and chooses by these counts as RNM-FTNL with Gumbel(2/eps) noise does by
// sums. It is eps-DP, as a loss vector moves its counts by a vector in [0, 1]^2. It refutes a lower
// bound of c log(2)/eps, for every T.
struct VotesCounterexample {
  static constexpr std::string_view kKind = "votes";
  static constexpr std::string_view kAbout =
      "Two actions, losses 0 and gap. RNM-FTNL with Gumbel(2/eps) noise on the rounds in which an "
      "action is the worse one, in place of its losses.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ftnl-det-lower-printed"};
  double epsilon = 1.0;
  double gap = 0.01;
  double constant = 0.1;  // c
  double regret = 0.0;    // for every T: an upper bound
  double bound = 0.0;     // c log(2)/epsilon: above the regret, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("gap", self.gap, within(1e-12, 1.0));
    input("constant", self.constant, within(1e-9, 1.0), "c.");
    number("regret", self.regret, kFinite, "The regret as T grows without limit.");
    number("bound", self.bound, kFinite, "c log(2)/epsilon; above the regret, the claim is false.");
  }
  bool operator==(const VotesCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const VotesCounterexample& found);

// Deterministic losses 0 for one action and 1 for the others. The first action is drawn uniformly.
struct FirstRoundCounterexample {
  static constexpr std::string_view kKind = "first-round";
  static constexpr std::string_view kAbout =
      "Losses 0 for one action and 1 for the others. The first action is drawn uniformly.";
  static constexpr std::array<std::string_view, 1> kRefutes{"ftnl-det-regret-rate"};
  int actions = 2;
  double epsilon = 100.0;
  double constant = 10.0;  // C
  double regret = 0.0;     // of the first round
  double bound = 0.0;      // C log(K)/epsilon: below the regret, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("actions", self.actions, within(2.0, 1e6), "K.");
    input("epsilon", self.epsilon, within(1e-3, 1e9));
    input("constant", self.constant, within(1e-3, 1e6), "C.");
    number("regret", self.regret, kFinite, "The regret of the first round.");
    number("bound", self.bound, kFinite, "C log(K)/epsilon; below the regret, the claim is false.");
  }
  bool operator==(const FirstRoundCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const FirstRoundCounterexample& found);

}  // namespace assay

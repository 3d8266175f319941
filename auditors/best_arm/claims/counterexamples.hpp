// The counterexamples to claims about private best-arm identification (certificate_fields.hpp).
//
// Each check recomputes every number in 50 digits, in closed form. It refutes if the claimed level
// or bound is exceeded by more than 1e-20:
//   gaussian           two values of the normal distribution, relative error below 1e-30
//   moments            three integrals of exponentials, written out in recompute.cpp
//   later-basis        coordinates of one vector, a square root
//   change-of-measure  one reward, one randomised response
//   budget             whole numbers, and one root whose ceilings are not within 1e-20 of a step
//   one-dimension      one value of the Laplace distribution
// Cost: below 1 ms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"

namespace assay {

enum class BestArmView { kRelease, kTranscript };
constexpr std::array<std::pair<BestArmView, std::string_view>, 2> enum_names(BestArmView) {
  return {{{BestArmView::kRelease, "release"}, {BestArmView::kTranscript, "transcript"}}};
}

// DP-BAI-Gauss with three arms (0, 1), (1, 0), (1, 1) and T = 6 n: its first phase pulls each n times and keeps two.
// The rewards of arm 1 add up to `others`, besides one that is 0, and 1 in the neighbour; those of arm 2 to 0; those of
// arm 3 to n. For the sums S_i with noise N(0, c^2), c = sqrt(2 log(1.25/delta))/eps,
//   release      the event is that the sum of arm 1 is at most 0
//   transcript   the event is that arm 1 is dropped, because its sum is the smallest
struct GaussianCounterexample {
  static constexpr std::string_view kKind = "gaussian";
  static constexpr std::string_view kAbout =
      "DP-BAI-Gauss with three arms and T = 6 pulls: sums of rewards `others` (one more in the "
      "neighbour), 0 and `pulls` with normal noise by the classical constant.";
  static constexpr std::array<std::string_view, 2> kRefutes{"bai-gauss-dp", "bai-gauss-release"};
  BestArmView view = BestArmView::kTranscript;
  double epsilon = 10.0;
  double delta = 0.01;
  std::int64_t pulls = 2;   // n
  double others = 0.0;      // at most n - 1
  double p = 0.0;           // lower bound of the event's probability
  double q = 0.0;           // upper bound on the neighbour
  double true_delta = 0.0;  // p - e^epsilon q

  static void fields(auto& self, auto input, auto number) {
    input("view", self.view, kFinite,
          "The event: the released sum of arm a_1 is at most 0, or arm a_1 is dropped.");
    input("epsilon", self.epsilon, within(1e-3, 1e3), "Claimed.");
    input("delta", self.delta, within(1e-15, 0.5), "Claimed.");
    input("pulls", self.pulls, within(1.0, 1e6), "The pulls of each arm.");
    input("others", self.others, within(0.0, 1e6),
          "The sum of the rewards of arm a_1 besides the one that changes; at most pulls - 1.");
    number("p", self.p, kFinite, "A lower bound of the event's probability.");
    number("q", self.q, kFinite, "An upper bound of the event's probability on the neighbour.");
    number("true_delta", self.true_delta, kFinite,
           "p - e^epsilon q; above delta, the claim is false.");
  }
  Status check() const;
  bool operator==(const GaussianCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const GaussianCounterexample& found);

// DP-OD read with the l2 norm, three arms a_1 = (x, y), a_2 = (y, -x), a_3 = t a_1 and T = 2 n: its
// one phase pulls a_1 and a_2 n times each. All rewards of arm 1 are 1 except one, which is 0, and
// 1 in the neighbour. Those of arm 2 are 0. The event is that arm 3 is recommended.
struct MomentsCounterexample {
  static constexpr std::string_view kKind = "moments";
  static constexpr std::string_view kAbout =
      "DP-OD read with the l2 norm, arms (first, second), (second, -first) and third times the "
      "first; all rewards of arm a_1 are 1 except one, those of arm a_2 are 0; arm a_3 is recommended.";
  static constexpr std::array<std::string_view, 1> kRefutes{"dp-od-dp"};
  double epsilon = 1.0;
  double first = 1.0;   // x
  double second = 1.0;  // y, above t x
  double third = 0.5;   // t
  std::int64_t pulls = 10;
  double p = 0.0;
  double q = 0.0;     // on the neighbour
  double loss = 0.0;  // log(p/q): above epsilon, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-2, 100.0), "Claimed.");
    input("first", self.first, within(0.01, 1.0));
    input("second", self.second, within(0.01, 1.0), "Above third times first.");
    input("third", self.third, within(0.001, 0.999));
    input("pulls", self.pulls, within(1.0, 1e4), "The pulls of arm a_1 and of arm a_2.");
    number("p", self.p, kFinite, "The probability that arm a_3 is recommended.");
    number("q", self.q, kFinite, "The probability on the neighbour.");
    number("loss", self.loss, kFinite, "log(p/q); above epsilon, the claim is false.");
  }
  Status check() const;
  bool operator==(const MomentsCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const MomentsCounterexample& found);

// DP-OD read with the l1 norm, L taken once over all arms: (x_1, y_1, 0), (x_2, y_2, 0), (0, 0, 1).
// The second phase has the first two, with the first along its first axis. One reward of arm 2 goes
// from 1 to 0. It refutes the level of that phase's release.
struct LaterBasisCounterexample {
  static constexpr std::string_view kKind = "later-basis";
  static constexpr std::string_view kAbout =
      "DP-OD read with the l1 norm taken once: arms (x1, y1, 0), (x2, y2, 0), (0, 0, 1), of which "
      "the first two are left.";
  static constexpr std::array<std::string_view, 1> kRefutes{"dp-od-literal"};
  double epsilon = 1.0;
  double x1 = 1.0;
  double y1 = 0.5;
  double x2 = 1.0;
  double y2 = -0.5;
  double norm = 0.0;  // L
  double loss = 0.0;  // above epsilon

  static void fields(auto& self, auto input, auto number) {
    constexpr Limits kFeature = within(-1.0, 1.0);
    input("epsilon", self.epsilon, within(1e-2, 100.0), "Claimed.");
    input("x1", self.x1, kFeature);
    input("y1", self.y1, kFeature);
    input("x2", self.x2, kFeature);
    input("y2", self.y2, kFeature);
    number("norm", self.norm, kFinite, "L.");
    number("loss", self.loss, kFinite, "The loss; above epsilon, the claim is false.");
  }
  Status check() const;
  bool operator==(const LaterBasisCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const LaterBasisCounterexample& found);

// A policy that pulls arm iota in its last round only and recommends one of two others by randomised
// response on that reward. It is eps-DP, and its own early-stopped version for n = 1. iota pays 1
// with probability `distance` in one instance, never in the other. It refutes e^(6 eps n TV).
struct MeasureCounterexample {
  static constexpr std::string_view kKind = "change-of-measure";
  static constexpr std::string_view kAbout =
      "A randomised response on one reward, which is 1 with probability `distance` in one instance "
      "and never in the other.";
  static constexpr std::array<std::string_view, 1> kRefutes{"bai-change-of-measure"};
  double epsilon = 5.0;
  double distance = 0.01;  // TV
  double p = 0.0;          // probability of the answer that a reward of 1 makes likely
  double q = 0.0;          // in the other instance
  double loss = 0.0;       // log(p/q)
  double bound = 0.0;      // 6 eps TV: below the loss, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("distance", self.distance, within(1e-9, 1.0),
          "The total variation distance of the instances.");
    number("p", self.p, kFinite, "The probability of the answer 1 in the first instance.");
    number("q", self.q, kFinite, "The probability of the answer 1 in the other instance.");
    number("loss", self.loss, kFinite, "log(p/q); above the bound, the claim is false.");
    number("bound", self.bound, kFinite, "6 epsilon distance.");
  }
  bool operator==(const MeasureCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const MeasureCounterexample& found);

// DP-BAI as printed, formulas (5) to (8), with pulls rounded up and arms in general position.
struct BudgetCounterexample {
  static constexpr std::string_view kKind = "budget";
  static constexpr std::string_view kAbout =
      "DP-BAI as printed, formulas (5) to (8), with arms in general position.";
  static constexpr std::array<std::string_view, 1> kRefutes{"bai-budget"};
  std::int64_t arms = 3;
  std::int64_t dimension = 2;
  std::int64_t budget = 100;
  double spent = 0.0;  // pulls of all phases: above the budget, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("arms", self.arms, within(3.0, 1e4), "Above a quarter of the dimension's square.");
    input("dimension", self.dimension, within(2.0, 64.0));
    input("budget", self.budget, within(1.0, 1e9));
    number("spent", self.spent, kFinite,
           "Pulls of all phases; above the budget, the claim is false.");
  }
  Status check() const;
  bool operator==(const BudgetCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const BudgetCounterexample& found);

// DP-BAI as printed in one dimension, two arms: features 1 and t, 0 < t < 1, so that the first is the
// best. All its rewards are 1. Theorem 4.2's H is a maximum over the empty set, read as 0, so its bound
// is 0. DP-BAI pulls the first arm T - 1 times and errs if its private mean is below 0.
struct OneDimensionCounterexample {
  static constexpr std::string_view kKind = "one-dimension";
  static constexpr std::string_view kAbout =
      "DP-BAI as printed in one dimension, arms 1 and t, 0 < t < 1, all rewards of arm a_1 are 1.";
  static constexpr std::array<std::string_view, 1> kRefutes{"bai-error-printed"};
  double epsilon = 1.0;
  std::int64_t budget = 10;
  double error = 0.0;  // of the recommendation: not 0

  static void fields(auto& self, auto input, auto number) {
    input("epsilon", self.epsilon, within(1e-3, 100.0));
    input("budget", self.budget, within(2.0, 1e9), "T.");
    number("error", self.error, kFinite,
           "The probability that arm a_2 is recommended; above 0, the claim is false.");
  }
  bool operator==(const OneDimensionCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const OneDimensionCounterexample& found);

}  // namespace assay

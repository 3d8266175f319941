// The counterexamples to claims about sparse linear bandits (certificate_fields.hpp).
//
// Each check recomputes every number in 50 digits, in closed form, and refutes if the claimed bound
// is exceeded by more than 1e-20. The formulas are in recompute.cpp. Cost: below 1 ms; for a
// peeling 10 us an entry.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assay/auditors/claims/certificates/certificate_fields.hpp"
#include "assay/policies/sparse/niht.hpp"

namespace assay {

// A record, which is a context and a reward, replaced by another: the distance by which that moves
// v = theta - eta grad L(theta) of N-IHT, for any other records.
struct GradientCounterexample {
  static constexpr std::string_view kKind = "gradient";
  static constexpr std::string_view kAbout =
      "One record of n, a context and a reward, replaced by another. theta and the contexts have "
      "equally many entries, contexts lie within x_max, theta has an l1 norm of at most b_max, "
      "rewards lie within R = x_max b_max + sigma sqrt(2 log n).";
  static constexpr std::array<std::string_view, 1> kRefutes{"niht-sensitivity"};
  std::int64_t records = 1;  // n
  SquaredLoss loss = SquaredLoss::kFull;
  double step = 1.0;             // eta
  double x_max = 1.0;            // of every entry of a context
  double b_max = 1.0;            // of the l1 norm of beta*, and C
  double sigma = 0.0;            // of the reward noise
  std::vector<double> estimate;  // theta
  std::vector<double> context;
  double reward = 0.0;
  std::vector<double> other_context;
  double other_reward = 0.0;
  double distance = 0.0;  // of the two v, sup norm
  double allowed = 0.0;   // eta B/n: below the distance, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    const auto entries = within(-1000.0, 1000.0).entries(1, kMostCertificateArms);
    input("records", self.records, within(1.0, 1e9), "n.");
    input("loss", self.loss, Limits{}, "The mean of (y - <x, theta>)^2, or of half of it.");
    input("step", self.step, within(1e-9, 1000.0), "eta.");
    input("x_max", self.x_max, within(1e-6, 1000.0));
    input("b_max", self.b_max, within(1e-6, 1000.0));
    input("sigma", self.sigma, within(0.0, 1000.0));
    input("estimate", self.estimate, entries, "theta.");
    input("context", self.context, entries, "As many entries as the estimate.");
    input("reward", self.reward, within(-1e7, 1e7));
    input("other_context", self.other_context, entries, "As many entries as the estimate.");
    input("other_reward", self.other_reward, within(-1e7, 1e7));
    number("distance", self.distance, kFinite,
           "The distance by which the vector given to peeling moves, in sup norm.");
    number("allowed", self.allowed, kFinite,
           "eta (R + x_max b_max)/n; below the distance, the claim is false.");
  }
  Status check() const;
  bool operator==(const GradientCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const GradientCounterexample& found);

// An episode of `records` rounds with contexts that make every mean reward x_max b_max, and
// Gaussian noise.
struct ClippingCounterexample {
  static constexpr std::string_view kKind = "clipping";
  static constexpr std::string_view kAbout =
      "An episode with all mean rewards x_max b_max, and Gaussian noise.";
  static constexpr std::array<std::string_view, 1> kRefutes{"clip-inactive"};
  std::int64_t records = 8;  // N_l, a power of 2
  double acts = 0.0;         // probability that some reward is clipped
  double allowed = 0.0;      // 1/N_l: below it, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("records", self.records, within(1.0, 1e9), "N, the rounds of the episode, a power of 2.");
    number("acts", self.acts, kFinite, "The probability that some reward is clipped.");
    number("allowed", self.allowed, kFinite, "1/N; below it, the claim is false.");
  }
  Status check() const;
  bool operator==(const ClippingCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const ClippingCounterexample& found);

// Peeling of s from s entries, so that all are chosen. The neighbour has every entry lambda higher.
// The event is that `least` or more values are at least the neighbour's entries.
struct PeelingCounterexample {
  static constexpr std::string_view kKind = "peeling";
  static constexpr std::string_view kAbout =
      "Peeling of all of s entries, 0 each or lambda each. The event is that at least `least` "
      "values are lambda or more.";
  static constexpr std::array<std::string_view, 1> kRefutes{"peel-dp"};
  std::int64_t entries = 1;  // s, and d
  double epsilon = 1.0;
  double delta = 0.01;
  std::int64_t least = 1;
  double p = 0.0;           // of the event, on the neighbour
  double q = 0.0;           // and on the vector itself
  double true_delta = 0.0;  // p - e^eps q: above delta, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("entries", self.entries, within(1.0, 1e4), "s, and d.");
    input("epsilon", self.epsilon, within(1e-3, 1000.0));
    input("delta", self.delta, within(1e-9, 0.5));
    input("least", self.least, within(1.0, 1e4), "At most s.");
    number("p", self.p, kFinite, "The probability of the event if entries are lambda.");
    number("q", self.q, kFinite, "The probability of the event if entries are 0.");
    number("true_delta", self.true_delta, kFinite,
           "p - e^epsilon q; above delta, the claim is false.");
  }
  Status check() const;
  bool operator==(const PeelingCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const PeelingCounterexample& found);

// A lower bound of c s* log(d/s*)^1.5/eps, and the expected regret that no policy exceeds with two arms
// whose contexts have E|x|_inf <= `context`. They may be bounded by it, or Gaussian.
struct LowerCounterexample {
  static constexpr std::string_view kKind = "lower";
  static constexpr std::string_view kAbout =
      "A lower bound of c s* log(d/s*)^1.5/epsilon for T rounds, and two arms whose contexts have a "
      "mean of |x|_inf of at most `context`.";
  static constexpr std::array<std::string_view, 1> kRefutes{"sparse-lower"};
  std::int64_t horizon = 1;  // T
  std::int64_t dimension = 100;
  std::int64_t sparsity = 10;  // s*
  double context = 1.0;        // E|x|_inf of a context, at most
  double b_max = 1.0;
  double epsilon = 1.0;
  double constant = 0.001;  // c
  double bound = 0.0;
  double most = 0.0;  // 2 context b_max T: below the bound, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("horizon", self.horizon, within(1.0, 1e9), "T.");
    input("dimension", self.dimension, within(2.0, 1e9), "d.");
    input("sparsity", self.sparsity, within(1.0, 1e9), "s*, at most d/10.");
    input("context", self.context, within(1e-6, 1000.0),
          "The mean of |x|_inf of a context, at most.");
    input("b_max", self.b_max, within(1e-6, 1000.0));
    input("epsilon", self.epsilon, within(1e-12, 1000.0));
    input("constant", self.constant, within(1e-9, 1.0), "c.");
    number("bound", self.bound, kFinite);
    number("most", self.most, kFinite, "2 context b_max T; below the bound, the claim is false.");
  }
  Status check() const;
  bool operator==(const LowerCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const LowerCounterexample& found);

// Peeling of s coordinates without noise from a vector whose support I has fewer than s entries, all of
// size `value`, so that all of I is chosen, compared with v' = 0.
struct LeftOutCounterexample {
  static constexpr std::string_view kKind = "left-out";
  static constexpr std::string_view kAbout =
      "Peeling of s coordinates without noise from a vector with `support` entries of size `value`, "
      "fewer than s, and v' = 0.";
  static constexpr std::array<std::string_view, 1> kRefutes{"peel-contraction-printed"};
  std::int64_t support = 1;   // |I|
  std::int64_t sparsity = 2;  // s
  std::int64_t kept = 0;      // s'
  double factor = 1.0;        // c
  double value = 1.0;
  double left = 0.0;   // |P(v) - v|^2
  double right = 0.0;  // below the left side, the claim is refuted

  static void fields(auto& self, auto input, auto number) {
    input("support", self.support, within(1.0, 1e6), "|I|.");
    input("sparsity", self.sparsity, within(1.0, 1e6), "s, above |I|.");
    input("kept", self.kept, within(0.0, 1e6), "s', below |I|.");
    input("factor", self.factor, within(1e-6, 1e6), "c.");
    input("value", self.value, within(1e-6, 1e6));
    number("left", self.left, kFinite, "|P(v) - v|^2, which is 0.");
    number("right", self.right, kFinite, "Below the left side, the claim is false.");
  }
  Status check() const;
  bool operator==(const LeftOutCounterexample&) const = default;
};
Result<CertificateCheck> recompute(const LeftOutCounterexample& found);

}  // namespace assay

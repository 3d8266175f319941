// Elimination by effective Borda scores without the noise of DP-EBS-Elimination, as baselines for it.
// EbsElimination sees the outcomes. LocalEbsElimination sees only each user's randomised response.
//
// Symbols: K arms, T rounds, n(i) and w(i) as in ebs_rounds.hpp, w by the answers; q the probability
// of a lie, c = 1/(1 - 2q).
//   mean of i = c (w(i)/n(i) - q)                                                               (1)
//   bounds of i: its mean +- c sqrt(log(K T/delta)/n(i))                                        (2)
//   EbsElimination: q = 0.   LocalEbsElimination: q = 1/(e^eps + 1), rounded up to 2^-63        (3)
// (1) is unbiased given the duel, and an answer moves it by c/n(i). So Hoeffding's bound is c times as
// wide as that of the listing, with c about 2/eps for small eps. If arms leave, their duels and answers are
// removed without noise.
//
// Privacy. Relation: replace the outcomes of one round. EbsElimination has no level, eps = infinity.
// LocalEbsElimination is eps-DP for the view of all answers (local), and the actions are a
// post-processing: an answer reads one bit, and P(answer | 1)/P(answer | 0) <= (1 - q)/q <= e^eps.
//
// Reference: Saha, Asi, "DP-Dueling: Learning from Preference Feedback without Compromising User
// Privacy", Algorithm 1 and Remark 3, which leaves (1) and (2) to the reader.
// Threads: values. The same bits on every machine. Cost: 40 and 50 ns a round at K = 10.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/ebs_rounds.hpp"

namespace assay {

struct EbsEliminationConfig {
  std::int64_t arms = 2;
  std::int64_t horizon = 100'000;
  double delta = 0.0;

  static void fields(auto&& visit) {
    using C = EbsEliminationConfig;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("delta", &C::delta, Range{0, 0.5}, "delta",
                "probability that some bound fails; 0 for 1/T"));
  }
};

struct LocalEbsEliminationConfig {
  std::int64_t arms = 2;
  std::int64_t horizon = 100'000;
  double epsilon = 1.0;
  double delta = 0.0;

  static void fields(auto&& visit) {
    using C = LocalEbsEliminationConfig;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 40}, "eps", "privacy level of an answer"));
    visit(field("delta", &C::delta, Range{0, 0.5}, "delta",
                "probability that some bound fails; 0 for 1/T"));
  }
};

namespace detail {

// The rounds of both policies, by the answers that they get: (1) and (2).
class CountedEbs {
 public:
  CountedEbs(std::int64_t arms, std::int64_t horizon, double delta, double lie);

  // The duel of the next round; observe() must follow. Draws the second arm.
  template <RandomSource R>
  Duel choose(R& random) {
    ASSAY_CHECK(round_ < horizon_, "all rounds of the horizon are done");
    return rounds_.choose(random);
  }
  // Takes the answer to whether its first arm won.
  void observe(bool told) {
    ASSAY_CHECK(round_ < horizon_, "observe follows an action, T times");
    ++round_;
    if (rounds_.finished()) return;
    rounds_.record(told);
    set_bounds(rounds_.duel().first);
    if (rounds_.eliminate([](int, int, std::uint32_t, std::uint32_t) {})) {
      for (const int arm : rounds_.active()) set_bounds(arm);
    }
  }

  std::int64_t round() const { return round_; }  // rounds completed
  std::span<const int> active() const { return rounds_.active(); }
  const EbsRounds& rounds() const { return rounds_; }

 private:
  void set_bounds(int arm) {
    const std::int64_t plays = rounds_.plays(arm);
    if (plays == 0) return rounds_.set_bounds(arm, -HUGE_VAL, HUGE_VAL);
    const double share = 1.0 / static_cast<double>(plays);
    const double mean = block_ * (static_cast<double>(rounds_.wins(arm)) * share - lie_);  // (1)
    const double wide = block_ * std::sqrt(log_cases_ * share);                            // (2)
    rounds_.set_bounds(arm, mean - wide, mean + wide);
  }

  EbsRounds rounds_;
  std::int64_t horizon_;
  double lie_;        // q
  double block_;      // c
  double log_cases_;  // log(K T/delta)
  std::int64_t round_ = 0;
};

}  // namespace detail

class EbsElimination : public DuelingPolicy<EbsEliminationConfig>, public detail::CountedEbs {
 public:
  static Result<EbsElimination> create(const Config& config);

  Guarantee guarantee() const;

 private:
  explicit EbsElimination(const Config& config)
      : PolicyOf(config), CountedEbs(config.arms, config.horizon, config.delta, 0.0) {}
};

class LocalEbsElimination : public DuelingPolicy<LocalEbsEliminationConfig>,
                            public detail::CountedEbs {
 public:
  static Result<LocalEbsElimination> create(const Config& config);

  // Takes whether its first arm won. Draws one random number for the user's lie; none with one arm left.
  void observe(bool won, ReplayStream& random) {
    observe(won, random, [](bool) {});
  }
  // The same; it also passes the answer to visit(bool).
  template <class Visit>
  void observe(bool won, ReplayStream& random, Visit&& visit) {
    if (rounds().finished()) return CountedEbs::observe(won);
    const bool told = won != ((random.next() >> 1) < lie_threshold_);
    visit(told);
    CountedEbs::observe(told);
  }

  Guarantee guarantee() const;

  double lie() const { return static_cast<double>(lie_threshold_) * 0x1p-63; }  // q

 private:
  LocalEbsElimination(const Config& config, std::uint64_t lie_threshold)
      : PolicyOf(config),
        CountedEbs(config.arms, config.horizon, config.delta,
                   static_cast<double>(lie_threshold) * 0x1p-63),
        lie_threshold_(lie_threshold) {}

  std::uint64_t lie_threshold_;  // q 2^63
};

static_assert(Policy<EbsElimination> && Policy<LocalEbsElimination>);

}  // namespace assay

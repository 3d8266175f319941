// DP-EBS-Elimination lets the arms duel in turn against random rivals. A tree counter keeps each arm's wins
// private, and an arm whose bound is too low leaves.
//
// Symbols: K arms, T rounds, S the active arms, n(i) the duels of i that count, delta = 1/T by default.
//   every round takes the duel (1) of ebs_rounds.hpp and feeds the counter of a with 1 for a win, 0 for
//   a loss; an arm i that leaves feeds the counter of every survivor j with minus the wins of j over i
//   bounds of i: (count(i) +- radius)/n(i) +- sqrt(log(K T/delta)/n(i))                         (1)
//   radius = paper: 16 log(K/delta) log(T)^2.5/eps, that of Lemma 4's proof                     (2)
//            exact: q with P(|noise of the nodes in count(i)| > q) = delta/(K H)                (3)
//            none: 0, to measure the cost of the radius; the bounds then fail more often than delta
// H = T + K - 2 is the largest length of a counter. (3) uses laplace_sum.hpp and holds for all readings
// of all counters with probability 1 - delta, as Lemma 4 demands of (2). The log log of the listing is
// negative or undefined for small K. The last arm's counter is no longer fed, since nobody reads it.
//
// Privacy. Relation: replace the outcomes of one round. View: the actions, a post-processing of all
// node sums. The bit moves one entry of one counter by 1. Once the duels of its pair are removed, it
// also moves a later entry of that counter by 1 the other way; a node that holds both does not move.
// At most
//   D = max(h, 2h - 3, h + k + 1) nodes move, h = floor(log2 H) + 1,                            (4)
// k the second highest bit of H (-1 for none); D = h for K = 2, where nothing is removed. Proof:
// docs/proofs/dp_ebs_elimination.md. Node noise is Laplace(s) in real numbers, drawn once; it is D/s-DP:
//   paper:     s = 4h/eps, counters of level eps/4 each; the sums cost D/(4h) < 1/2 of eps     (5)
//   corrected: s = D/eps, all of eps                                                           (6)
//
// Reference: Saha, Asi, "DP-Dueling", Algorithm 1, Lemmas 2 and 4.
// Threads: a value. The same bits on every machine. Cost: about 80 ns a round at K = 10.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/ebs_rounds.hpp"

namespace assay {

enum class Radius { kPaper, kExact, kNone };
constexpr std::array<std::pair<Radius, std::string_view>, 3> enum_names(Radius) {
  return {{{Radius::kPaper, "paper"}, {Radius::kExact, "exact"}, {Radius::kNone, "none"}}};
}

struct DpEbsEliminationConfig {
  std::int64_t arms = 2;
  std::int64_t horizon = 100'000;
  double epsilon = 1.0;
  double delta = 0.0;
  Radius radius = Radius::kExact;
  Calibration calibration = Calibration::kCorrected;

  static void fields(auto&& visit) {
    using C = DpEbsEliminationConfig;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{0, 0.5}, "delta",
                "probability that some bound fails; 0 for 1/T"));
    visit(field("radius", &C::radius, Range{}, "",
                "radius of the noise: the paper's, its quantile, or 0"));
    visit(field("calibration", &C::calibration, Range{}, "",
                "noise of the nodes: the paper's, or the noise that the sensitivity needs"));
  }
};

class DpEbsElimination : public DuelingPolicy<DpEbsEliminationConfig> {
 public:
  // One entry of a counter: its `time`, counted from 1, and the noise of the node that ends there. The
  // length of that node is the largest power of two that divides `time`. All node sums follow from these.
  struct Fed {
    int arm;
    std::int64_t time;
    std::int64_t entry;
    double noise;
    int left;  // the arm whose wins it subtracts, or -1 for the outcome of a round
  };

  static Result<DpEbsElimination> create(const Config& config);

  // The duel of the next round; observe() must follow. Draws the second arm.
  Duel choose(ReplayStream& random) {
    ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
    return rounds_.choose(random);
  }

  // Takes whether its first arm won. Draws one noise for each new entry of a counter, in order.
  void observe(bool won, ReplayStream& random) {
    observe(won, random, [](const Fed&) {});
  }
  // The same; it also passes every new entry to visit(Fed).
  template <class Visit>
  void observe(bool won, ReplayStream& random, Visit&& visit) {
    ASSAY_CHECK(round_ < config_.horizon, "observe follows an action, T times");
    ++round_;
    if (rounds_.finished()) return;
    const int a = rounds_.duel().first;
    rounds_.record(won);
    feed(a, won ? 1 : 0, -1, random, visit);
    set_bounds(a);
    const auto removed = [&](int j, int i, std::uint32_t, std::uint32_t wins) {
      feed(j, -static_cast<std::int64_t>(wins), i, random, visit);
    };
    if (rounds_.eliminate(removed)) {
      for (const int arm : rounds_.active()) set_bounds(arm);
    }
  }

  Guarantee guarantee() const;

  // The level of the release of all node sums, by (4): the part of eps that is spent, rounded up.
  double spent_epsilon() const;
  double noise_scale() const { return noise_.scale(); }  // s
  // The radius in (1) of a count with `nodes` noises.
  double radius(int nodes) const { return (*radii_)[static_cast<std::size_t>(nodes)]; }
  // Distance of the bounds (1) from the estimate of an arm with `plays` >= 1 duels that count, whose
  // counter has `fed` entries.
  double half_width(std::int64_t plays, std::int64_t fed) const {
    const double share = 1.0 / static_cast<double>(plays);
    return std::sqrt(log_cases_ * share) +
           radius(std::popcount(static_cast<std::uint64_t>(fed))) * share;
  }

  std::int64_t round() const { return round_; }  // rounds completed
  std::span<const int> active() const { return rounds_.active(); }
  const EbsRounds& rounds() const { return rounds_; }
  const TreeCounter& counter(int arm) const { return counters_[static_cast<std::size_t>(arm)]; }

 private:
  DpEbsElimination(const Config& config, const NodeNoise& node);

  template <class Visit>
  void feed(int arm, std::int64_t entry, int left, ReplayStream& random, Visit&& visit) {
    TreeCounter& counter = counters_[static_cast<std::size_t>(arm)];
    const double noise = noise_.sample(random);
    counter.add_with_noise(static_cast<double>(entry), noise);
    visit(Fed{arm, counter.time(), entry, noise, left});
  }
  void set_bounds(int arm) {
    const std::int64_t plays = rounds_.plays(arm);
    if (plays == 0) return rounds_.set_bounds(arm, -HUGE_VAL, HUGE_VAL);
    const TreeCounter& counter = counters_[static_cast<std::size_t>(arm)];
    const double mean = counter.estimate() * (1.0 / static_cast<double>(plays));
    const double wide = half_width(plays, counter.time());
    rounds_.set_bounds(arm, mean - wide, mean + wide);  // (1)
  }

  EbsRounds rounds_;
  std::vector<TreeCounter> counters_;
  Laplace noise_;
  double log_cases_;                                  // log(K T/delta)
  std::shared_ptr<const std::vector<double>> radii_;  // by the number of nodes; never written
  std::int64_t round_ = 0;
};

static_assert(Policy<DpEbsElimination>);

namespace detail {

// D of (4), for a counter of at most `entries` entries of which one bit moves two.
std::int64_t tree_nodes_moved_twice(std::int64_t entries);

}  // namespace detail
}  // namespace assay

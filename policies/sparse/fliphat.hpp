// FLIPHAT takes greedy actions in episodes of doubling length (greedy_episodes.hpp). Its estimates come from
// N-IHT, with the noise of peeling (niht.hpp), on the records of the previous episode.
//
//   the call on n = N_(l-1) records has M(n) iterations, and its noise is for the level (eps, delta):
//   paper:     (4) of niht.hpp: eps/M and delta/M an iteration, B = R + x_max b_max           (1)
//   corrected: (5) of niht.hpp                                                                (2)
//
// Privacy. Relation: replace one round, its contexts and all its rewards. View: all actions but
// that round's (joint DP). Up to the end of its episode beta_l does not read the round, so that it
// moves one record of one episode. beta_(l+1) is (eps, delta)-DP in it by niht.hpp, and everything
// later reads beta_(l+1) and rounds that are the same on D and D'. The round's own action reads its
// contexts as they are and is not seen. Rounds of an episode that no estimate follows cost nothing.
// In real numbers this proves (2). (1) assumes a sensitivity that is up to 4 x_max times too small if
// C <= b_max (2 x_max for half the loss), but it splits the level evenly, which takes more noise than
// composition needs. proved_epsilon() is the result of both.
//
// Readings. R and M belong to the episode of the records. The first step, at theta = 0, moves less than
// later ones, and (2) uses this.
//
// Reference: Chakraborty, Roy, Basu, "FLIPHAT: Joint Differential Privacy for High Dimensional
// Sparse Linear Bandits", algorithm 2, Theorem 5.1.
// Threads: a value; copies share noise scales, which nobody writes. The same bits on every machine.
// Cost: 0.2 us a round at d = 400; a call of N-IHT 45 us at M = 1, s = 10, and 37 ms at M = 14, n =
// 8192, whose records take 26 MB; create() 3 to 25 ms for each different M.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/sparse/greedy_episodes.hpp"

namespace assay {

struct FliphatConfig : EpisodesConfig {
  double epsilon = 1.0;
  double delta = 0.01;
  Calibration calibration = Calibration::kCorrected;

  static void fields(auto&& visit) {
    using C = FliphatConfig;
    visit_base_fields<C, EpisodesConfig>(visit);
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{0, 0.5}, "delta", "privacy level, 0 for pure"));
    visit(field("calibration", &C::calibration, Range{}, "",
                "noise: the paper's, or the noise that the sensitivity needs"));
  }
  Status check() const;  // the paper's noise needs delta above 0
};

class Fliphat : public ContextPolicy<FliphatConfig> {
 public:
  // Further errors: a noise scale outside the allowed range (/step).
  static Result<Fliphat> create(const Config& config);

  // Draws random numbers only in the first round.
  int choose(const ContextSet& contexts, ReplayStream& random) {
    return episodes_.choose(contexts, random);
  }
  // With the last reward of an episode it draws the peelings of the next estimate.
  void observe(double reward, ReplayStream& random) {
    observe(reward, random, [](const NihtStep&) {});
  }
  // The same; it also passes each peeling, which is the release, to visit(NihtStep).
  template <class Visit>
  void observe(double reward, ReplayStream& random, Visit&& visit) {
    const std::int64_t ended = episodes_.episode();
    if (!episodes_.record(reward)) return;
    episodes_.set_estimate(run_niht(plan(ended), episodes_.records(), random, visit));
  }

  Guarantee guarantee() const;

  // The call of N-IHT on the records of episode l, with its noise.
  const NihtPlan& plan(std::int64_t episode) const {
    return (*plans_)[static_cast<std::size_t>(episode)];
  }
  std::int64_t estimates() const { return static_cast<std::int64_t>(plans_->size()); }  // in T
  // The least epsilon that the theorems of niht.hpp prove at delta for this noise, whatever the
  // calibration. It is at most eps (1 + 2e-6) for (2), because it is rounded up.
  double proved_epsilon() const;

  std::int64_t round() const { return episodes_.round(); }  // rounds completed
  std::int64_t episode() const { return episodes_.episode(); }
  const SparseVector& estimate() const { return episodes_.estimate(); }
  const RegressionData& records() const { return episodes_.records(); }

 private:
  Fliphat(const Config& config, std::vector<NihtPlan> plans);

  GreedyEpisodes episodes_;
  std::shared_ptr<const std::vector<NihtPlan>> plans_;  // by the episode of the records
};

static_assert(Policy<Fliphat>);

}  // namespace assay

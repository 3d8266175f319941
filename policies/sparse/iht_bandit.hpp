// Episodes as in FLIPHAT (greedy_episodes.hpp), with iterative hard thresholding in place of N-IHT: the
// same clipping without noise. The difference is the cost of FLIPHAT's privacy.
//
// Privacy. Relation: replace one round. View: all actions but that round's. There is no level, since
// the later actions are a function of the rounds. guarantee() is eps = infinity.
// Reference: Blumensath, Davies, "Iterative Hard Thresholding for Compressed Sensing" (Applied and
// Computational Harmonic Analysis 27, 2009); Chakraborty, Roy, Basu, "FLIPHAT", algorithms 1 and 2.
// Threads: a value. The same bits on every machine. Cost: as FLIPHAT.
#pragma once

#include "assay/policies/concepts.hpp"
#include "assay/policies/sparse/greedy_episodes.hpp"

namespace assay {

struct IhtBanditConfig : EpisodesConfig {
  static void fields(auto&& visit) { visit_base_fields<IhtBanditConfig, EpisodesConfig>(visit); }
};

class IhtBandit : public ContextPolicy<IhtBanditConfig> {
 public:
  static Result<IhtBandit> create(const Config& config) {
    ASSAY_TRY(validate(config));
    return IhtBandit(config);
  }

  // Draws random numbers only in the first round.
  int choose(const ContextSet& contexts, ReplayStream& random) {
    return episodes_.choose(contexts, random);
  }
  void observe(double reward, ReplayStream& random) {
    if (!episodes_.record(reward)) return;
    const auto& records = episodes_.records();
    episodes_.set_estimate(run_niht(episode_plan(config_, records.records()), records, random,
                                    [](const NihtStep&) {}));
  }

  Guarantee guarantee() const {
    return {kNotPrivate, Relation::kReplaceOneUser, View::kOtherActions,
            "iterative hard thresholding is not private: its actions are a function of the rounds"};
  }
  std::int64_t round() const { return episodes_.round(); }  // rounds completed
  const SparseVector& estimate() const { return episodes_.estimate(); }

 private:
  explicit IhtBandit(const Config& config) : PolicyOf(config), episodes_(config) {}

  GreedyEpisodes episodes_;
};

static_assert(Policy<IhtBandit>);

}  // namespace assay

// Duels of arms with scores, as the environment of a regret simulation
// (policies/simulation/series.hpp). A round costs 2 r* - r(a) - r(b). Threads: a value.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/dueling/duels.hpp"

namespace assay {

inline void count_pulls(const Duel& duel, std::int64_t rounds, std::span<std::int64_t> pulls) {
  pulls[static_cast<std::size_t>(duel.first)] += rounds;
  pulls[static_cast<std::size_t>(duel.second)] += rounds;
}

namespace detail {

class ScoredDuels {
 public:
  // Errors: those of preferences_of_scores.
  static Result<ScoredDuels> create(std::vector<double> scores) {
    auto preferences = ASSAY_TRY(preferences_of_scores(scores));
    auto duels = ASSAY_TRY(PreferenceDuels::create(std::move(preferences)));
    return ScoredDuels(std::move(scores), std::move(duels));
  }

  bool feedback(std::int64_t round, const Duel& duel, ReplayStream& random) const {
    return duels_.feedback(round, duel, random);
  }
  std::span<const double> means() const { return scores_; }
  double best() const { return 2.0 * *std::max_element(scores_.begin(), scores_.end()); }
  double earned(const Duel& duel, bool) const {
    return scores_[static_cast<std::size_t>(duel.first)] +
           scores_[static_cast<std::size_t>(duel.second)];
  }

 private:
  ScoredDuels(std::vector<double> scores, PreferenceDuels duels)
      : scores_(std::move(scores)), duels_(std::move(duels)) {}

  std::vector<double> scores_;
  PreferenceDuels duels_;
};

}  // namespace detail
}  // namespace assay

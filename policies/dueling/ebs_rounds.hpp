// The rounds of elimination by effective Borda scores: the duels, counts and eliminations that all policies
// of this kind share. The policies differ in their estimates of wins and in their bounds.
//
// Symbols: S the active arms, n(i) the duels that count with i as first arm and w(i) its wins among them, d(i,j)
// and w(i,j) those against j. A win is the answer that the policy got.
//   a = argmin of n over S, ties to the lowest index; b uniform on S, a included                (1)
//   i leaves if high(i) < max over S of low; all that leave do so at once, by the same bounds   (2)
//   for every i that left, ascending, and every survivor j, ascending:                          (3)
//     n(j) -= d(j,i),  w(j) -= w(j,i)
// An arm without such a duel has no bounds: low = -inf, high = inf. The last arm duels itself.
//
// Reference: Saha, Asi, "DP-Dueling: Learning from Preference Feedback without Compromising User
// Privacy", Algorithm 1. Threads: a value. Cost: O(|S|) a round, 8 K^2 bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/dueling/duels.hpp"

namespace assay {

class EbsRounds {
 public:
  explicit EbsRounds(std::int64_t arms)
      : arms_(static_cast<std::size_t>(arms)),
        plays_(arms_, 0),
        low_(arms_, -HUGE_VAL),
        high_(arms_, HUGE_VAL),
        won_(arms_, 0),
        duels_(arms_ * arms_, 0),
        wins_(arms_ * arms_, 0) {
    for (int arm = 0; arm < arms; ++arm) active_.push_back(arm);
  }

  // The duel (1). It draws b; with one arm left it draws no random number.
  template <RandomSource R>
  Duel choose(R& random) {
    if (finished()) return duel_ = {active_[0], active_[0]};
    int least = active_[0];
    for (const int arm : active_) {
      if (plays_[index(arm)] < plays_[index(least)]) least = arm;
    }
    return duel_ = {least,
                    active_[static_cast<std::size_t>(uniform_below(random, active_.size()))]};
  }

  // Counts the outcome of that duel.
  void record(bool won) {
    ++plays_[index(duel_.first)];
    won_[index(duel_.first)] += won ? 1 : 0;
    ++duels_[pair(duel_.first, duel_.second)];
    wins_[pair(duel_.first, duel_.second)] += won ? 1 : 0;
  }

  void set_bounds(int arm, double low, double high) {
    low_[index(arm)] = low;
    high_[index(arm)] = high;
    most_low_ = std::max(most_low_, low);
    least_high_ = std::min(least_high_, high);
  }

  // Eliminates arms by (2) and (3). Calls removed(j, i, d(j,i), w(j,i)) in that order, unless only one arm is
  // left, whose count nobody reads. If it returns true, an arm has left, and the survivors' bounds must be set
  // again.
  template <class Removed>
  bool eliminate(Removed&& removed) {
    if (!(least_high_ < most_low_)) return false;
    double best = -HUGE_VAL;
    double least = HUGE_VAL;
    for (const int arm : active_) {
      best = std::max(best, low_[index(arm)]);
      least = std::min(least, high_[index(arm)]);
    }
    most_low_ = best;
    least_high_ = least;
    if (!(least < best)) return false;
    most_low_ = -HUGE_VAL;  // of the survivors' new bounds
    least_high_ = HUGE_VAL;
    const auto stays = [&](int arm) { return !(high_[index(arm)] < best); };
    const auto first_gone = std::stable_partition(active_.begin(), active_.end(), stays);
    const std::vector<int> gone(first_gone, active_.end());
    active_.erase(first_gone, active_.end());
    for (const int i : gone) {
      for (const int j : active_) {
        plays_[index(j)] -= duels_[pair(j, i)];  // (3)
        won_[index(j)] -= wins_[pair(j, i)];
        if (!finished()) removed(j, i, duels_[pair(j, i)], wins_[pair(j, i)]);
      }
    }
    return true;
  }

  bool finished() const { return active_.size() == 1; }
  const Duel& duel() const { return duel_; }
  std::span<const int> active() const { return active_; }           // S, ascending
  std::int64_t plays(int arm) const { return plays_[index(arm)]; }  // n
  std::int64_t wins(int arm) const { return won_[index(arm)]; }     // w, private
  double low(int arm) const { return low_[index(arm)]; }
  double high(int arm) const { return high_[index(arm)]; }

 private:
  static std::size_t index(int arm) { return static_cast<std::size_t>(arm); }
  std::size_t pair(int i, int j) const { return index(i) * arms_ + index(j); }

  std::size_t arms_;
  std::vector<int> active_;
  std::vector<std::int64_t> plays_;
  std::vector<double> low_;
  std::vector<double> high_;
  // Bounds on all bounds of S: the extremes of those set since each was last examined.
  double most_low_ = -HUGE_VAL;
  double least_high_ = HUGE_VAL;
  std::vector<std::int64_t> won_;
  std::vector<std::uint32_t> duels_;
  std::vector<std::uint32_t> wins_;
  Duel duel_;
};

}  // namespace assay

// Counts the wins of every arm over every other arm, and computes the bounds that the dueling policies
// without privacy use.
//
// Symbols: w_ij the wins of i over j, n_ij = w_ij + w_ji, t the round, from 1, alpha a parameter.
//   mean  m_ij = w_ij/n_ij                                                                      (1)
//   upper u_ij = m_ij + sqrt(alpha log(t)/n_ij), lower l_ij with a minus, u_ii = l_ii = 1/2     (2)
// As in the papers of RUCB and of Double Thompson Sampling, x/0 is 1: u_ij = 2, l_ij = 0. A duel of an
// arm against itself is not counted. Threads: values. Cost: 8 K^2 bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/dueling/duels.hpp"

namespace assay {

class DuelCounts {
 public:
  explicit DuelCounts(std::int64_t arms)
      : arms_(static_cast<int>(arms)), wins_(static_cast<std::size_t>(arms * arms), 0) {}

  void record(const Duel& duel, bool first_won) {
    if (duel.first == duel.second) return;
    ++wins_[first_won ? place(duel.first, duel.second) : place(duel.second, duel.first)];
  }

  int arms() const { return arms_; }
  std::int64_t wins(int i, int j) const { return wins_[place(i, j)]; }
  std::int64_t duels(int i, int j) const { return wins(i, j) + wins(j, i); }

  // u_ij of (2), with confidence = alpha log(t).
  double upper(int i, int j, double confidence) const {
    if (i == j) return 0.5;
    const auto n = static_cast<double>(duels(i, j));
    return n == 0.0 ? 2.0 : static_cast<double>(wins(i, j)) / n + std::sqrt(confidence / n);
  }
  double lower(int i, int j, double confidence) const {
    if (i == j) return 0.5;
    const auto n = static_cast<double>(duels(i, j));
    return n == 0.0 ? 0.0 : static_cast<double>(wins(i, j)) / n - std::sqrt(confidence / n);
  }

 private:
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(arms_) +
           static_cast<std::size_t>(j);
  }

  int arms_;
  std::vector<std::int64_t> wins_;
};

namespace detail {

// A uniform choice among the arms. If there is only one, it draws no random number.
template <RandomSource R>
int one_of(std::span<const int> arms, R& random) {
  return arms.size() == 1 ? arms[0]
                          : arms[static_cast<std::size_t>(uniform_below(random, arms.size()))];
}

// Keeps the arms of the largest value.
struct Largest {
  void offer(int arm, double value) {
    if (value > most) arms.clear();
    if (value >= most) arms.push_back(arm);
    most = std::max(most, value);
  }

  double most = -HUGE_VAL;
  std::vector<int> arms;
};

// The base of a policy that chooses by the counts of all duels.
template <class C>
class CountsDuels : public DuelingPolicy<C> {
 public:
  // Takes whether the first arm of the duel just chosen won.
  void observe(bool won) {
    counts_.record(duel_, won);
    ++round_;
  }

  std::int64_t round() const { return round_; }  // rounds completed
  const DuelCounts& counts() const { return counts_; }

 protected:
  explicit CountsDuels(const C& config) : DuelingPolicy<C>(config), counts_(config.arms) {}

  DuelCounts counts_;
  Duel duel_;
  std::int64_t round_ = 0;
};

}  // namespace detail
}  // namespace assay

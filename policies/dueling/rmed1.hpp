// RMED1 (relative minimum empirical divergence) lets the arms duel in turn that are likely enough to be the
// best, given their losses. Each duels with the arm that is probably best, or with the arm that beats it
// most. A baseline that is not private.
//
// Symbols: w_ij and n_ij of duel_counts.hpp, m_ij = w_ij/n_ij, d(p) = log 2 + p log p + (1-p)
// log(1-p), O_i the j != i with m_ij <= 1/2.
//   I_i = sum over j in O_i of n_ij d(m_ij), i* = argmin I                                      (1)
//   the first K(K-1)/2 rounds play each pair once; then the arms l of a list duel in turn, ascending,
//   against i* if i* is in O_l or O_l is empty, else against argmin_{j != l} m_lj               (2)
//   after round t, an arm that has had its turn, or is not listed, joins the next list if
//   I_j - I_{i*} <= log t + slack K^1.01                                                        (3)
//   the list at its end becomes the next one; the first has all arms
// Ties go to the lowest index. (3) counts round t; the paper writes t without stating whether it does.
//
// Privacy. Relation: replace the outcomes of one round. View: the actions. There is no level: eps = infinity.
// Reference: Komiyama, Honda, Kashima, Nakagawa, "Regret Lower Bound and Optimal Algorithm in
// Dueling Bandit Problem" (COLT 2015), Algorithms 1 and 2; slack = 0.3 as in its experiments.
// Threads: a value. The same bits on every machine. Cost: O(K) a round, 0.2 us at K = 10; it draws no
// random numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duel_counts.hpp"

namespace assay {

struct Rmed1Config {
  std::int64_t arms = 2;
  double slack = 0.3;

  static void fields(auto&& visit) {
    using C = Rmed1Config;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("slack", &C::slack, Range{0, 1e6}, "",
                "factor of K^1.01 in the amount that raises log t"));
  }
};

class Rmed1 : public detail::CountsDuels<Rmed1Config> {
 public:
  static Result<Rmed1> create(const Config& config);

  // The duel of the next round; observe() must follow. Draws no random number.
  Duel choose(ReplayStream&);
  // Takes whether its first arm won.
  void observe(bool won);

  Guarantee guarantee() const;

  double divergence(int arm) const { return divergence_[static_cast<std::size_t>(arm)]; }  // I
  std::span<const int> listed() const { return list_; }  // of this turn, ascending

 private:
  explicit Rmed1(const Config& config);

  int likely_best() const;
  bool is_opponent(int i, int j) const;  // j in O_i
  int rival(int arm) const;
  void refresh(int arm);

  std::vector<double> terms_;  // n_ij d(m_ij), symmetric
  std::vector<double> divergence_;
  std::vector<int> list_;
  std::vector<bool> next_;   // joins the next list
  std::vector<bool> waits_;  // listed, has not had its turn
  std::size_t slot_ = 0;
  double raised_;       // slack K^1.01
  Duel initial_{0, 1};  // the next pair of the first rounds, while second < K
};

static_assert(Policy<Rmed1>);

}  // namespace assay

// The random-prefix policy works in blocks of doubling length, and follows one expert in each. The
// exponential mechanism draws that expert by the losses in a prefix of the previous block. The length of the
// prefix is random.
//
// Symbols: K actions, T horizon, eps epsilon; t counts from 1.
//   block r = 1, 2, ... is the rounds 2^(r-1) .. 2^r - 1, of n = 2^(r-1) rounds, cut at T
//   M_r uniform on floor(n/2) + 1 .. n, independent of everything                              (1)
//   P(J_r = j) proportional to e^(-eps S_j / 2), S_j the losses of j in the first M_r rounds of
//   block r; block r + 1 plays the expert J_r, block 1 a uniform J_0                            (2)
//
// Reading. The paper's abstract states blocks of exponentially growing size, one action a block, and
// the exponential mechanism on a prefix of random length that does not depend on the data. The listing was
// not available to us. (1) is the choice for which the ranges of M_r are disjoint.
//
// Privacy. Relation: replace one loss vector. View: the actions. The policy is eps-DP; at T = 1, eps = 0.
// Regret for fixed losses with gaps, at every T: at most
//   1 + (8/eps) log K.                                                                       (3)
// Proofs: docs/proofs/random_prefix.md.
// Reference: Cesari, Colomboni, "Optimal Gap-Dependent Regret for Private Stochastic
// Decision-Theoretic Online Learning" (arXiv:2605.29148, 2026).
// Threads: a value. The same bits on every machine. Cost: as RNM-FTNL with Gumbel noise.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/two_point_losses.hpp"

namespace assay {

struct RandomPrefixConfig {
  std::int64_t actions = 2;
  std::int64_t horizon = 3;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = RandomPrefixConfig;
    visit(field("actions", &C::actions, Range{2, 1e4}, "K", "number of experts"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level"));
  }
};

class RandomPrefix : public ExpertPolicy<RandomPrefixConfig> {
 public:
  using Block = LossCounts;

  static Result<RandomPrefix> create(const Config& config);

  // In the first round of a block, draws J and then the length of the new block's prefix.
  int choose(ReplayStream& random);
  void observe(std::span<const double> losses, ReplayStream& random);

  std::int64_t rounds_left() const;
  void observe_rounds(const LossCounts& block, ReplayStream& random);

  Guarantee guarantee() const;
  std::int64_t prefix() const { return prefix_; }         // M of the current block
  std::span<const double> sums() const { return sums_; }  // S so far

 private:
  RandomPrefix(const Config& config, const Gumbel& noise);
  bool starts_block() const { return std::has_single_bit(static_cast<std::uint64_t>(round_ + 1)); }
  std::int64_t block_rounds_done() const {
    return round_ + 1 -
           static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(round_ + 1)));
  }

  Gumbel noise_;
  std::vector<double> sums_;
  std::int64_t round_ = 0;
  std::int64_t prefix_ = 0;
  int action_ = -1;
};

static_assert(EpochPolicy<RandomPrefix>);

}  // namespace assay

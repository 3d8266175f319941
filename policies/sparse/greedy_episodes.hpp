// Episodes of doubling length. Each episode chooses arms greedily, by an estimate from the records of the
// previous episode, which are then forgotten. FLIPHAT and its baseline without noise share this.
//
//   episode l = 0, 1, ... is the rounds t = 2^l .. 2^(l+1) - 1, N_l = 2^l of them, cut at T     (1)
//   episode 0 draws a uniform arm a round; episode l >= 1 plays the arm argmax_i <x_i(t), beta_l>, the first
//   of equals, beta_l = N-IHT on the records of episode l - 1 alone (niht.hpp), n = N_(l-1)     (2)
//   R(n) = x_max b_max + sigma sqrt(2 log n)                                                    (3)
//   M(n) = theorem: ceil(28 kappa log(b_max^2 n)), at least 0 (Proposition 5.5)                 (4)
//          text:    floor(M_0 log n), as in the experiments with M_0 = 1.6                      (5)
//          code:    floor(M_0 log(1 + b_max^2 n)), which made the published curves with
//                   M_0 = 0.16 (0.15 over d): at their b_max one iteration from n = 64 to 16,384  (6)
// M = 0 leaves beta_l = 0 and all arms equal. Greedy choices use the contexts without clipping. A record is
// clipped, each entry of x to [-x_max, x_max], because nothing else bounds Gaussian contexts. An
// episode that T cuts short, or that nothing follows, keeps no records.
//
// Reference: Chakraborty, Roy, Basu, "FLIPHAT", algorithm 2, Proposition 5.5, appendix F; (6) from
// its authors' code (github.com/sunritc/FLIPHAT), in which x_max is sqrt(2 log d), sigma is 1, and (3)
// has log(1 + n).
// Threads: a value. The same bits on every machine.
// Cost: K s products and d additions a round; memory as in regression_data.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/sparse/contexts.hpp"
#include "assay/policies/sparse/niht.hpp"

namespace assay {

enum class IterationRule { kText, kCode, kTheorem };
constexpr std::array<std::pair<IterationRule, std::string_view>, 3> enum_names(IterationRule) {
  return {{{IterationRule::kText, "text"},
           {IterationRule::kCode, "code"},
           {IterationRule::kTheorem, "theorem"}}};
}

struct EpisodesConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 6;
  std::int64_t horizon = 1000;
  std::int64_t sparsity = 2;
  double step = 1e-4;
  IterationRule iterations = IterationRule::kText;
  double iteration_factor = 1.6;
  double kappa = 1.0;
  double x_max = 1.0;
  double b_max = 1.0;
  double sigma = 0.1;
  double projection = 0.0;
  SquaredLoss loss = SquaredLoss::kFull;

  static void fields(auto&& visit) {
    using C = EpisodesConfig;
    visit(field("arms", &C::arms, Range{2, kMostContextArms}, "K", "number of arms"));
    visit(field("dimension", &C::dimension, Range{1, kMostContextDimension}, "d",
                "entries of a context"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("sparsity", &C::sparsity, Range{1, 10'000}, "s", "entries that an estimate keeps"));
    visit(field("step", &C::step, Range{1e-9, 1e3}, "eta", "step of N-IHT"));
    visit(field("iterations", &C::iterations, Range{}, "",
                "number of iterations of N-IHT: three readings"));
    visit(field("iteration_factor", &C::iteration_factor, Range{0, 1000}, "M_0",
                "M_0 of iterations = text or code"));
    visit(field("kappa", &C::kappa, Range{1, 1e6}, "kappa",
                "condition number of iterations = theorem"));
    visit(
        field("x_max", &C::x_max, Range{1e-6, 1e6}, "x_max", "bound that contexts are clipped to"));
    visit(field("b_max", &C::b_max, Range{1e-6, 1e6}, "b_max", "bound of the l1 norm of beta"));
    visit(
        field("sigma", &C::sigma, Range{0, 1e6}, "sigma", "sub-Gaussian size of the reward noise"));
    visit(field("projection", &C::projection, Range{0, 1e6}, "C",
                "radius of the l1 ball; 0 for b_max"));
    visit(field("loss", &C::loss, Range{}, "", "squared loss, or half of it"));
  }
  // Checks that sparsity is at most dimension, that a call of N-IHT peels at most 100,000 entries, and
  // that records have at most kMostKeptNumbers numbers.
  Status check() const;
};

inline constexpr double kMostKeptNumbers = 268'435'456.0;  // 2 GiB

double episode_reward_clip(const EpisodesConfig& config, std::int64_t records);       // (3)
std::int64_t episode_iterations(const EpisodesConfig& config, std::int64_t records);  // (4) to (6)
// The number of episodes l = 0, 1, .. that an estimate follows, which end before round T.
std::int64_t estimated_episodes(const EpisodesConfig& config);
// The call of N-IHT on n records, without noise; and the bounds of the records.
NihtPlan episode_plan(const EpisodesConfig& config, std::int64_t records);
NihtBounds episode_bounds(const EpisodesConfig& config, std::int64_t records);

class GreedyEpisodes {
 public:
  explicit GreedyEpisodes(const EpisodesConfig& config);

  int choose(const ContextSet& contexts, ReplayStream& random);  // (2)
  // Takes the reward of that choice. Returns true if an episode ended and the next one needs an estimate
  // from records(): set_estimate() must follow.
  bool record(double reward);
  const RegressionData& records() const { return records_; }
  // Forgets the records.
  void set_estimate(SparseVector estimate);

  std::int64_t round() const { return round_; }      // rounds completed
  std::int64_t episode() const { return episode_; }  // that of the next round
  const SparseVector& estimate() const { return estimate_; }

 private:
  void start_records();

  EpisodesConfig config_;
  SparseVector estimate_;
  RegressionData records_;
  std::vector<double> chosen_;  // the context of the round's arm
  std::int64_t estimated_;      // episodes that keep records
  std::int64_t round_ = 0;
  std::int64_t episode_ = 0;
};

}  // namespace assay

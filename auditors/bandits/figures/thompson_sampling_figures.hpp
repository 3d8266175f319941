// Reproduces figures 1 to 8 of Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially
// Private".
//
// Symbols: N arms, T horizon, b pre-pulls of each arm, c variance multiplier, eta the GDP level.
//
// Figure 1      eps(delta) of Modified Thompson sampling from its GDP level,
//                 mu = sqrt(T/(c (b + 1)))  (Theorem 4)                                       (1)
//               and the sharper levels that this project proves (modified_thompson_sampling.hpp)
// Figures 2, 3  regret of pairs (b, c) that all have level eta by (1), c = T/(eta^2 (b + 1)) >= 1
// Figures 4, 5  the same with truncated exponential rewards
// Figures 6, 7  eps(delta) of Thompson sampling by three analyses:
//                 GDP, mu = sqrt(T/2)  (Theorem 3)                                            (2)
//                 RDP, min over alpha > 1 of alpha T/4 + log(1/delta)/(alpha - 1)  (Theorem 8)
//                   = T/4 + sqrt(T log(1/delta)), at alpha = 1 + 2 sqrt(log(1/delta)/T)       (3)
//                 advanced composition, min over delta' < delta/T of
//                   e sqrt(2T log(1/(delta - T delta'))) + T e (exp(e) - 1),
//                   e = sqrt(log((N - 1)/(2 delta')))/(2 sqrt 2)  (Corollary 1)               (4)
// Figure 8      regret over time of Modified Thompson sampling, DP successive elimination and
//               Anytime-Lazy-UCB at one (eps, delta); a search on streams of its own chooses (b, c)
// ts-arms       (no figure) the last two over the number of arms
//
// (4) is drawn as printed. It is not a bound, because it relies on Theorem 7, which is false for one
// round.
//
// Certainty: final pseudo-regrets, scaled to [0, 1] by T (mu* - min mu), get betting intervals.
// The series of an experiment share an alpha of 0.001 evenly, and these intervals decide comparisons of
// means. Shaded bands are pointwise normal approximations and decide nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/figure_parts.hpp"

namespace assay {

struct RegretFigureConfig : RunSetting {
  RegretKind regret = RegretKind::kPseudo;

  RegretFigureConfig() { horizon = 100'000; }
  static void fields(auto&& visit) {
    using C = RegretFigureConfig;
    visit(field<C, std::int64_t>("repetitions", &C::repetitions, Range{2, 1e6}, "R",
                                 "independent runs of every series"));
    visit(field<C, std::int64_t>("horizon", &C::horizon, Range{100, 1e9}, "T", "rounds of a run"));
    visit(field<C, std::int64_t>("seed", &C::seed, Range{0, 9e15}, "", "names the random streams"));
    visit(field("regret", &C::regret, Range{}, "",
                "drawn and tabulated: pseudo (from pulls) or realised (from rewards)"));
  }
};

// All figures, in the order above.
std::vector<Experiment> thompson_sampling_figures();

namespace detail {

// (3) and (4), at log(delta) < 0.
double rdp_epsilon(double rounds, double log_delta);
double advanced_composition_epsilon(double rounds, double arms, double log_delta);

enum class ArmFamily { kBernoulli, kTruncatedExponential };
enum class RegretView { kOverTime, kFinal };

Experiment levels_figure();                                   // 1
Experiment regret_figure(ArmFamily family, RegretView view);  // 2 to 5: two views of one simulation
Experiment analyses_figure(bool zoomed);                      // 6, and 7: the two close analyses
Experiment comparison_figure();                               // 8
Experiment arms_figure();                                     // ts-arms

}  // namespace detail
}  // namespace assay

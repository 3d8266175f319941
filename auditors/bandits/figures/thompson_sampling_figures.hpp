// Figures 1 to 8 of Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially
// Private", drawn again.
//
// Symbols: N arms, T horizon, b pre-pulls of each arm, c variance multiplier, eta the GDP level.
//
// Figure 1      eps(delta) of Modified Thompson sampling from its GDP level,
//                 mu = sqrt(T/(c (b + 1)))  (Theorem 4)                                       (1)
//               beside the sharper levels that this project proves (modified_thompson_sampling.hpp)
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
//               Anytime-Lazy-UCB at one (eps, delta); (b, c) by search, on streams of its own
//
// (4) is drawn as printed. It rests on Theorem 7, whose
// claim of one round is false: it is not a bound.
//
// Certainty: final pseudo-regrets, scaled to [0, 1] by T (mu* - min mu), get betting intervals of
// one alpha of 0.001 an experiment, shared out evenly over its series; comparisons of means decide
// by these. Shaded bands are pointwise normal approximations, and decide nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/figure_parts.hpp"

namespace assay {

struct RegretFigureConfig {
  std::int64_t repetitions = 1000;
  std::int64_t horizon = 100'000;
  std::int64_t seed = 1;
  RegretKind regret = RegretKind::kPseudo;

  static void fields(auto&& visit) {
    using C = RegretFigureConfig;
    visit(field("repetitions", &C::repetitions, Range{2, 1e6}, "R",
                "independent runs of every series"));
    visit(field("horizon", &C::horizon, Range{100, 1e8}, "T", "rounds of a run"));
    visit(field("seed", &C::seed, Range{0, 9e15}, "", "names the random streams"));
    visit(field("regret", &C::regret, Range{}, "",
                "drawn and tabulated: pseudo (from pulls) or realised (from rewards)"));
  }
};

struct ProfileFigureConfig {
  std::int64_t horizon = 1000;

  static void fields(auto&& visit) {
    using C = ProfileFigureConfig;
    visit(field("horizon", &C::horizon, Range{250, 1e9}, "T", "rounds of a run"));
  }
};

namespace detail {

// (3) and (4), at log(delta) < 0.
double rdp_epsilon(double rounds, double log_delta);
double advanced_composition_epsilon(double rounds, double arms, double log_delta);

class ProfileFigure : public Experiment {
 public:
  Result<std::vector<KeyValue>> parameters(const std::vector<KeyValue>& given) const override;
  Result<ExperimentReport> run(const std::vector<KeyValue>& given,
                               SimulationRunner& runner) const override;

 private:
  virtual void draw(const ProfileFigureConfig& config, ExperimentReport& report) const = 0;
};

// Figures 6 and 7: the same analyses, all of them or the two close ones.
class AnalysesFigure : public ProfileFigure {
 public:
  explicit AnalysesFigure(bool zoomed) : zoomed_(zoomed) {}
  ExperimentDescription describe() const override;

 private:
  void draw(const ProfileFigureConfig& config, ExperimentReport& report) const override;
  bool zoomed_;
};

enum class ArmFamily { kBernoulli, kTruncatedExponential };
enum class RegretView { kOverTime, kFinal };

// Figures 2 to 5: two families of arms, each in two views of one simulation.
class RegretFigure : public Experiment {
 public:
  RegretFigure(ArmFamily family, RegretView view) : family_(family), view_(view) {}
  ExperimentDescription describe() const override;
  Result<std::vector<KeyValue>> parameters(const std::vector<KeyValue>& given) const override;
  Result<ExperimentReport> run(const std::vector<KeyValue>& given,
                               SimulationRunner& runner) const override;

 private:
  ArmFamily family_;
  RegretView view_;
};

}  // namespace detail

class ThompsonSamplingFigure1 : public detail::ProfileFigure {
 public:
  ExperimentDescription describe() const override;

 private:
  void draw(const ProfileFigureConfig& config, ExperimentReport& report) const override;
};

class ThompsonSamplingFigure2 : public detail::RegretFigure {
 public:
  ThompsonSamplingFigure2()
      : RegretFigure(detail::ArmFamily::kBernoulli, detail::RegretView::kOverTime) {}
};

class ThompsonSamplingFigure3 : public detail::RegretFigure {
 public:
  ThompsonSamplingFigure3()
      : RegretFigure(detail::ArmFamily::kBernoulli, detail::RegretView::kFinal) {}
};

class ThompsonSamplingFigure4 : public detail::RegretFigure {
 public:
  ThompsonSamplingFigure4()
      : RegretFigure(detail::ArmFamily::kTruncatedExponential, detail::RegretView::kOverTime) {}
};

class ThompsonSamplingFigure5 : public detail::RegretFigure {
 public:
  ThompsonSamplingFigure5()
      : RegretFigure(detail::ArmFamily::kTruncatedExponential, detail::RegretView::kFinal) {}
};

class ThompsonSamplingFigure6 : public detail::AnalysesFigure {
 public:
  ThompsonSamplingFigure6() : AnalysesFigure(false) {}
};

class ThompsonSamplingFigure7 : public detail::AnalysesFigure {
 public:
  ThompsonSamplingFigure7() : AnalysesFigure(true) {}
};

class ThompsonSamplingFigure8 : public Experiment {
 public:
  ExperimentDescription describe() const override;
  Result<std::vector<KeyValue>> parameters(const std::vector<KeyValue>& given) const override;
  Result<ExperimentReport> run(const std::vector<KeyValue>& given,
                               SimulationRunner& runner) const override;
};

}  // namespace assay

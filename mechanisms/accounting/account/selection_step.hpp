// A step that runs a mechanism a random number K of times and releases the best output alone: a private search, as for
// hyperparameters.
//
// Every run is private by itself: at a level (epsilon, mu or rho), or as a mechanism that it uses run_compose times, such as the
// training of a model. Outputs have an order, as that of their scores. K is drawn without a look at the data:
//   negative-binomial   E[x^K] = (w^-eta - 1)/(gamma^-eta - 1), w = 1 - (1 - gamma) x; log w/log gamma at eta = 0;
//                       K is at least 1, and geometric at eta = 1                              (1)
//   poisson             E[x^K] = e^(m (x - 1)), m the mean; without a run nothing is released  (2)
// Let D(a) be the Renyi divergence of order a of one run. That of the release is at most
//   negative-binomial   D(a) + (1 + eta) r + log(E K)/(a - 1), where r bounds log (gamma + (1 - gamma) q)/(gamma +
//                       (1 - gamma) p) for the probabilities q and p of any event of a run on neighbours   (3)
//   poisson             log(1 + (e^((a - 1) D(a)) - 1) g)/(a - 1), g = m e^(m (a - 1) d), where d is the delta of a run
//                       at e^eps = a/(a - 1)                                                   (4)
// Runs of eps-DP have the least upper bound of the loss
//   eps + (1 + eta) log((gamma + e^eps)/(1 + gamma e^eps)), or eps + m tanh(eps/2)             (5)
// From the profile of a run follows that of the release, and with it a pair                        (8)
// (best_profile.hpp); for runs of zCDP, which have no pair, there are only (3) and (4). From below, runs are randomised response,
// Gaussian noise or the run's own pair, the order of outputs is the worst of a family, and the best output is y with
// probability E[P(<= y)^K - P(< y)^K]                                                           (6)
//
// Reference: Papernot, Steinke (ICLR 2022), theorem 2 for (3), with the r of Renyi DP, as here for rho; of other runs it
// is the largest of the profile, which is at most that. (4) is at most their theorem 6, and (5) at most corollary 3. Koskela,
// Redberg, Wang (ICML 2024) bound profiles by one shift of the run's; (8) is an average over shifts.
// docs/proofs/repeat_and_select.md has all proofs.
// Errors name the parameter and its range. Threads: values. Cost: 50 ms, and of a mechanism that of its profile.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

namespace detail {
class SelectedRun;
}  // namespace detail

enum class RunCount { kNegativeBinomial, kPoisson };
constexpr std::array<std::pair<RunCount, std::string_view>, 2> enum_names(RunCount) {
  return {{{RunCount::kNegativeBinomial, "negative-binomial"}, {RunCount::kPoisson, "poisson"}}};
}

struct RepeatAndSelectStep {
  static constexpr std::string_view kName = "repeat-and-select";
  static constexpr std::string_view kTitle = "The best output of a random number of private runs";
  RunCount repeats = RunCount::kNegativeBinomial;
  double eta = 1.0;
  double gamma = 0.0;  // 0: not given, as for all that follow
  double mean = 0.0;
  double epsilon = 0.0;
  double mu = 0.0;
  double rho = 0.0;
  std::string run = {};  // the name of a mechanism, in place of a level
  std::int64_t run_compose = 1;
  std::shared_ptr<const detail::SelectedRun> mechanism = nullptr;  // of `run`; made with the step
  static void fields(auto&& visit) {
    using C = RepeatAndSelectStep;
    visit(field("repeats", &C::repeats, Range{}, "", "the distribution of the number of runs"));
    visit(field("eta", &C::eta, Range{-0.999999, 1000.0}, "",
                "the shape of the negative binomial distribution; 1 is geometric, 0 logarithmic"));
    visit(field("gamma", &C::gamma, Range{0.0, 1.0 - 1e-9}, "",
                "the parameter of the negative binomial distribution: the chance that a "
                "run is the last, if eta is 1"));
    visit(field("mean", &C::mean, Range{0.0, 1e9}, "", "the mean number of runs, if poisson"));
    visit(field("epsilon", &C::epsilon, Range{0.0, 100.0}, "",
                "the eps of one run, if it is eps-DP"));
    visit(field("mu", &C::mu, Range{0.0, 20.0}, "", "the mu of one run, if it is mu-GDP"));
    visit(field("rho", &C::rho, Range{0.0, 200.0}, "", "the rho of one run, if it is rho-zCDP"));
    visit(field("run_compose", &C::run_compose, Range{1, 1e9}, "",
                "how often one run uses its mechanism"));
  }
  static void texts(auto&& visit) {
    visit(TextParameter<RepeatAndSelectStep, std::string>{
        "run", &RepeatAndSelectStep::run, "MECHANISM",
        "the mechanism of one run, with its parameters, in place of epsilon, mu or rho", false});
  }
  // Whether reports name this parameter: it is given, and has an effect.
  bool shows(std::string_view name) const;
  Status check() const;

  bool has_pair() const { return rho == 0.0; }
  Result<Known<StepLosses>> losses(const LossAccuracy& accuracy) const;
  // (6), with an order of outputs of the worst of several kinds.
  Result<DirectedLosses> attained(const LossAccuracy& accuracy) const;
  Known<detail::Enclosure> largest_loss() const;  // (5)
  Known<RenyiDp> renyi() const;                   // (3), (4)
};

}  // namespace assay

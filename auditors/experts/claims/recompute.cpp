#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"
#include "assay/auditors/experts/claims/internal/precise_choice.hpp"
#include "assay/auditors/experts/claims/precise_distribution.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using precise::carried;
using precise::compare_level;
using precise::compared;
using precise::Float;
using precise::kSlack;
using precise::listed;
using precise::loss_conclusion;
using precise::precise_choice;
using precise::precise_scale;
using precise::PreciseArms;
using precise::shown;

constexpr int kReach = 110;             // scales: e^-110 < 2e-48
constexpr int kDistributionReach = 75;  // of the conjecture's distributions: e^-75 < 3e-33

std::string noise_text(LeaderNoise noise, double epsilon) {
  const std::string scale = noise == LeaderNoise::kExponential ? "1/eps" : "2/eps";
  return fmt::format("{} noise of scale {} = {}", detail::value_text(noise), scale,
                     shown(precise_scale(noise, epsilon)));
}

Float epoch_probability(const EpochCounterexample& epoch, const std::vector<double>& vector) {
  std::vector<PreciseArms> arms;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    arms.push_back({{-(Float(epoch.others[i]) + Float(vector[i]))}, {Float(1)}, Float(1)});
  }
  return precise_choice(epoch.noise, precise_scale(epoch.noise, epoch.epsilon), arms,
                        static_cast<std::size_t>(epoch.action), kReach);
}

// Scores -G of Bin(rounds, mean).
PreciseArms binomial_arms(std::int64_t rounds, const Float& mean, double arms) {
  PreciseArms group;
  group.arms = arms;
  if (mean == 0 || mean == 1) {
    group.scores = {mean == 0 ? Float(0) : Float(-rounds)};
    group.weights = {Float(1)};
    return group;
  }
  Float weight = pow(mean, Float(rounds));
  for (std::int64_t k = rounds; k >= 0; --k) {
    group.scores.push_back(Float(-k));
    group.weights.push_back(weight);
    weight *= Float(k) / Float(rounds - k + 1) * (1 - mean) / mean;
  }
  return group;
}

}  // namespace

Result<CertificateCheck> recompute(const EpochCounterexample& epoch) {
  const Float p = epoch_probability(epoch, epoch.before);
  const Float q = epoch_probability(epoch, epoch.after);
  const Float loss = log(p / q);
  ASSAY_TRY(carried(epoch.p, p, kSlack, "p"));
  ASSAY_TRY(carried(epoch.q, q, kSlack, "q"));
  ASSAY_TRY(carried(epoch.loss, loss, Float("1e-12"), "loss"));
  // The margin covers errors of 1e-45 in probabilities above 1e-20.
  CertificateCheck check;
  check.refutes = q > kSlack && loss - Float(epoch.epsilon) > kSlack;
  compare_level(check, p, q, epoch.epsilon);
  const std::string action = fmt::format("P(action {})", epoch.action);
  check.steps = {
      fmt::format("{} actions, {}; the epoch's other loss vectors add up to {}",
                  epoch.others.size(), noise_text(epoch.noise, epoch.epsilon),
                  listed(epoch.others)),
      fmt::format("with the vector {}: p = {} = {}", listed(epoch.before), action, shown(p)),
      fmt::format("with {} in its place: q = {} = {}", listed(epoch.after), action, shown(q)),
      fmt::format("log(p/q) = {} {} {} = eps", shown(loss),
                  check.refutes ? ">" : "<=", shown(epoch.epsilon))};
  check.conclusion =
      loss_conclusion(check.refutes, "the choice after this epoch", loss, epoch.epsilon);
  return check;
}

Result<CertificateCheck> recompute(const RegretCounterexample& claimed) {
  const Float epsilon = claimed.epsilon;
  Float actions = 1;
  Float uniform = 0;
  for (const auto& group : claimed.gaps) {
    actions += Float(group.times);
    uniform += Float(group.times) * Float(group.gap);
  }
  Float regret = uniform / actions;
  for (int r = 2; r <= claimed.epochs; ++r) {
    const Float rounds = pow(Float(2), r - 2);
    Float total = 1;
    Float lost = 0;
    for (const auto& group : claimed.gaps) {
      const Float weight = Float(group.times) * exp(-rounds * Float(group.gap) * epsilon / 2);
      total += weight;
      lost += weight * Float(group.gap);
    }
    regret += 2 * rounds * lost / total;
  }
  const Float log_two = log(Float(2));
  const Float bound = 3 + 2 / epsilon * (1 + log_two) / log_two * log(actions);
  ASSAY_TRY(carried(claimed.regret, regret, kSlack, "regret"));
  ASSAY_TRY(carried(claimed.bound, bound, kSlack, "bound"));
  CertificateCheck check = compared(regret, bound);
  check.epsilon = claimed.epsilon;
  check.steps.push_back(fmt::format("K = {} actions, T = 2^{} - 1 rounds, eps = {}", shown(actions),
                                    claimed.epochs, shown(claimed.epsilon)));
  for (const auto& group : claimed.gaps) {
    check.steps.push_back(fmt::format("gap {} for {} {}", shown(group.gap), shown(group.times),
                                      group.times == 1.0 ? "action" : "actions"));
  }
  check.steps.push_back(
      fmt::format("regret: (mean gap) + sum over r = 2 to {} of 2^(r-1) sum_j Delta_j P_j, P_j in "
                  "proportion to "
                  "e^(-2^(r-2) Delta_j eps/2), = {}",
                  claimed.epochs, shown(regret)));
  check.steps.push_back(fmt::format("bound: 3 + (2/eps) (1 + log 2)/log 2 log K = {} {} the regret",
                                    shown(bound), check.refutes ? "<" : ">="));
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: the regret is at least {}, but the bound is at most {}.",
                        rounded_down(static_cast<double>(regret), 6),
                        rounded_up(static_cast<double>(bound), 6))
          : fmt::format("Not refuted by this: the regret {} does not exceed {}.", shown(regret),
                        shown(bound));
  return check;
}

Result<CertificateCheck> recompute(const IntegralMismatch& mismatch) {
  const Float log_two = log(Float(2));
  Float total = 0;
  for (const double level : mismatch.levels) total += exp(-Float(level));
  const Float integral = log(total) / log_two;
  const Float printed = 2 * log(Float(mismatch.levels.size())) / log_two;
  ASSAY_TRY(carried(mismatch.integral, integral, kSlack, "integral"));
  ASSAY_TRY(carried(mismatch.printed, printed, kSlack, "printed"));
  const Float difference = abs(integral - printed);
  CertificateCheck check;
  check.refutes = difference > Float("1e-9");
  check.p = static_cast<double>(integral);
  check.q = static_cast<double>(printed);
  check.true_delta = static_cast<double>(difference);
  check.steps = {
      fmt::format("K = {}, a = {}", mismatch.levels.size(), listed(mismatch.levels)),
      fmt::format("F(x) = -log(sum_i e^(-2^x a_i))/log 2 has F' = f, F(infinity) = 0, F(0) = -{}",
                  shown(integral)),
      fmt::format("the integral is -F(0) = {}; printed: (2/log 2) log K = {}", shown(integral),
                  shown(printed))};
  check.conclusion = check.refutes ? fmt::format("Refuted: the integral is {}, not {}.",
                                                 rounded(static_cast<double>(integral), 6),
                                                 rounded(static_cast<double>(printed), 6))
                                   : "Not refuted by this: the two agree within 1e-9.";
  return check;
}

Result<CertificateCheck> recompute(const GrowthCounterexample& growth) {
  const Float epsilon = growth.epsilon;
  const Float gap = growth.gap;
  const Float split = growth.split;
  const Float h = 1 / precise_scale(growth.noise, growth.epsilon);
  const Float rho = -log1p(Float(gap * expm1(Float(-h))));
  const Float below = 4 * gap * epsilon / split - rho;
  const Float above = (1 - gap) * (h - 4 * epsilon / split);
  ASSAY_TRY(carried(growth.rate_below, below, Float("1e-13"), "rate_below"));
  ASSAY_TRY(carried(growth.rate_above, above, Float("1e-13"), "rate_above"));
  CertificateCheck check;
  check.refutes = below > kSlack && above > kSlack;
  check.epsilon = growth.epsilon;
  check.p = static_cast<double>(below);
  check.q = static_cast<double>(above);
  check.true_delta = static_cast<double>(std::min(below, above));
  const std::string least = growth.noise == LeaderNoise::kExponential ? "1"
                            : growth.noise == LeaderNoise::kLaplace   ? "1/2"
                                                                      : "1 - 1/e";
  check.steps = {
      fmt::format(
          "eps = {}, {}, h = 1/scale = {}; for t >= 0 kappa e^(-h t) <= P(Q > t) <= e^(-h t), "
          "kappa = {}",
          shown(growth.epsilon), noise_text(growth.noise, growth.epsilon), shown(h), least),
      fmt::format(
          "E e^(-h G) = e^(-rho n) for G ~ Bin(n, {}), n = 2^(r-1): rho = -log(1 - {} (1 - e^-h)) "
          "= {}",
          shown(growth.gap), shown(growth.gap), shown(rho)),
      fmt::format(
          "two actions, means 0 and {}: P[J_r = 2] >= (kappa/4) e^(-rho n), and the bound is at "
          "most c1 e^(-4 n Delta eps/c2)",
          shown(growth.gap)),
      fmt::format(
          "their ratio grows like e^(a n), a = 4 Delta eps/c2 - rho, which for c2 <= {} is at "
          "least {}",
          shown(growth.split), shown(below)),
      fmt::format(
          "means 0, {} and, for floor(e^(h n)) actions, 1: P[J_r = 2] >= (4/27) kappa e^(-h Delta "
          "n), and the bound is at most c1 e^(4 n (1 - Delta) eps/c2)/floor(e^(h n))",
          shown(growth.gap)),
      fmt::format("their ratio grows at least like e^(a n), a = (1 - Delta) (h - 4 eps/c2), "
                  "which for c2 >= {} is at least {}",
                  shown(growth.split), shown(above))};
  check.conclusion =
      check.refutes
          ? fmt::format(
                "Refuted: for every c1 the bound fails from some r on, for two actions if c2 is "
                "at most {}, and for many actions if c2 is at least {}.",
                shown(growth.split), shown(growth.split))
          : fmt::format("Not refuted by this: the rates {} and {} are not both positive.",
                        shown(below), shown(above));
  return check;
}

namespace expert_checks {

double precise_log_needed_constant(const ConjectureInstance& instance, double c2) {
  const std::int64_t rounds = std::int64_t{1} << (instance.epoch - 1);
  const Float best = instance.best_mean;
  const Float temperature = 4 * Float(rounds) * Float(instance.epsilon) / Float(c2);
  // The means are doubles, as in the search, with the gaps that the instance states.
  const auto mean = [&](double gap) { return Float(instance.best_mean + gap); };
  std::vector<PreciseArms> groups{binomial_arms(rounds, mean(instance.gap), 1.0),
                                  binomial_arms(rounds, best, 1.0)};
  Float total = 1 + exp(-temperature * Float(instance.gap));
  for (const auto& other : {instance.first, instance.second}) {
    if (other.times == 0.0) continue;
    groups.push_back(binomial_arms(rounds, mean(other.gap), other.times));
    if (other.gap > instance.epsilon) {
      total += Float(other.times) * exp(-temperature * Float(other.gap));
    }
  }
  const Float p = precise_choice(instance.noise, precise_scale(instance.noise, instance.epsilon),
                                 groups, 0, kDistributionReach);
  return static_cast<double>(Float(log(p) + temperature * Float(instance.gap) + log(total)));
}

}  // namespace expert_checks
// Epoch r >= 2 has 2^(r-1) rounds and uses the choice after 2^(r-2) votes: the worse action has
// probability 1/(1 + e^(eps 2^(r-2)/2)) (Gumbel noise of scale 2/eps makes a softmax). From
// eps 2^(r-2)/2 >= 200 on the terms at least halve, and are below 1e-80.
Result<CertificateCheck> recompute(const VotesCounterexample& found) {
  const Float epsilon = found.epsilon;
  Float rounds = Float(1) / 2;  // expected rounds of the worse action; the first is drawn uniformly
  Float epoch = 2;              // 2^(r-1)
  Float last = 1;
  while (last > Float(1e-60)) {
    last = epoch / (1 + exp(Float(epsilon * epoch / 4)));
    rounds += last;
    epoch *= 2;
  }
  rounds += last;  // all further terms together
  const Float regret = Float(found.gap) * rounds;
  const Float bound = Float(found.constant) * log(Float(2)) / epsilon;
  ASSAY_TRY(carried(found.regret, regret, kSlack, "regret"));
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  CertificateCheck check = compared(bound, regret);
  check.steps = {
      fmt::format(
          "K = 2, losses 0 and {}, eps = {}: every round is one vote against the worse action",
          shown(found.gap), shown(epsilon)),
      fmt::format(
          "it is chosen with probability 1/2 in the first round and 1/(1 + e^(eps n/2)) after "
          "an epoch of n rounds, for 2 n rounds: {} rounds in all, however large T is",
          shown(rounds)),
      fmt::format("regret at most {} * {} = {} {} c log(2)/eps = {} at c = {}", shown(found.gap),
                  shown(rounds), shown(regret), check.refutes ? "<" : ">=", shown(bound),
                  shown(found.constant)),
      "with another constant, at a gap that changes by the same factor, it is the same"};
  check.conclusion =
      check.refutes
          ? fmt::format("Refuted: an eps-DP policy has a regret of at most {}, below the bound {}.",
                        rounded_up_beside(check.q, check.p, 5),
                        rounded_down_beside(check.p, check.q, 5))
          : precise::no_refutation(bound, regret);
  return check;
}

Result<CertificateCheck> recompute(const FirstRoundCounterexample& found) {
  const Float actions = found.actions;
  const Float regret = (actions - 1) / actions;
  const Float bound = Float(found.constant) * log(actions) / Float(found.epsilon);
  ASSAY_TRY(carried(found.regret, regret, kSlack, "regret"));
  ASSAY_TRY(carried(found.bound, bound, kSlack, "bound"));
  CertificateCheck check = compared(regret, bound);
  check.steps = {
      fmt::format("K = {}, one action of loss 0, the others of loss 1", found.actions),
      fmt::format(
          "the first action is drawn uniformly, for every eps: the first round costs (K - 1)/K "
          "= {}",
          shown(regret)),
      fmt::format("C log(K)/eps = {} at C = {}, eps = {} {} {}", shown(bound),
                  shown(found.constant), shown(found.epsilon),
                  check.refutes ? "<" : ">=", shown(regret)),
      "with another constant, at an eps that changes by the same factor, it is the same"};
  check.conclusion = check.refutes
                         ? fmt::format("Refuted: the first round costs {}, more than the bound {}.",
                                       rounded_down_beside(check.p, check.q, 5),
                                       rounded_up_beside(check.q, check.p, 5))
                         : precise::no_refutation(regret, bound);
  return check;
}

}  // namespace assay

#include "assay/mechanisms/accounting/account/selection_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kLeastLevel = 1e-6;
constexpr double kLeastGamma = 1e-9;

bool is_poisson(const RepeatAndSelectStep& step) { return step.repeats == RunCount::kPoisson; }

// log |e^x - 1|.
Enclosure log_expm1(Enclosure x) {
  if (x.high < 0.0) return log(-expm1(x));
  if (x.low < 1.0) return log(expm1(x));
  return x + log1p(-exp(-x));
}

// ---- above ----------------------------------------------------------------------------------------

Enclosure log_mean(const RepeatAndSelectStep& step) {
  if (is_poisson(step)) return log(Enclosure(step.mean));
  const Enclosure log_gamma = log(Enclosure(step.gamma)), eta = step.eta;
  const Enclosure odds = log1p(Enclosure(-step.gamma)) - log_gamma;
  if (step.eta == 0.0) return odds - log(-log_gamma);
  return odds + log(Enclosure(std::fabs(step.eta))) - log_expm1(eta * log_gamma);
}

double gdp_delta_above(double mu, double eps) {
  return gdp_delta(Mu{mu}, Epsilon{eps}).value * (1.0 + 4.0 * kGdpRelativeError) +
         std::numeric_limits<double>::min();
}

// The r of (3).
Enclosure log_share_ratio(const RepeatAndSelectStep& step) {
  const Enclosure gamma = step.gamma, log_inverse = -log(gamma);
  if (step.epsilon > 0.0) {
    const Enclosure odds = exp(Enclosure(step.epsilon));
    return log1p((Enclosure(1.0) - gamma) * expm1(Enclosure(step.epsilon)) / (gamma * odds + 1.0));
  }
  if (step.mu > 0.0) {
    return detail::smallest_double([&](double r) {
      const Enclosure delta = gdp_delta_above(step.mu, r);
      return ((Enclosure(1.0) - gamma) * delta).high <= (gamma * expm1(Enclosure(r))).low;
    });
  }
  const Enclosure rho = step.rho;
  const Enclosure best = sqrt(rho * log_inverse) * 2.0 - rho;  // at b = sqrt(log(1/gamma)/rho)
  if (log_inverse.low <= step.rho || best.high > log_inverse.high) return log_inverse;  // b -> 1
  return best;
}

Enclosure pure_level(const RepeatAndSelectStep& step) {  // (5)
  const Enclosure eps = step.epsilon;
  if (!is_poisson(step)) return eps + (Enclosure(step.eta) + 1.0) * log_share_ratio(step);
  return eps + Enclosure(step.mean) * (-expm1(-eps) / (exp(-eps) + 1.0));
}

RenyiDp curve_of_run(const RepeatAndSelectStep& step) {
  if (step.epsilon > 0.0) return *to_renyi(PureDp{Epsilon{step.epsilon}});
  if (step.mu > 0.0) return *to_renyi(GaussianDp{Mu{step.mu}});
  return *to_renyi(ZeroConcentratedDp{Rho{step.rho}});
}

// delta of one run, from above.
double delta_of_run(const RepeatAndSelectStep& step, double eps) {
  if (step.epsilon > 0.0) {
    if (eps >= step.epsilon) return 0.0;
    const Enclosure least = exp(Enclosure(-step.epsilon));
    return (-expm1(Enclosure(eps) - step.epsilon) / (least + 1.0)).high;
  }
  if (step.mu > 0.0) return gdp_delta_above(step.mu, eps);
  const auto delta = renyi_delta(curve_of_run(step), Epsilon{eps});
  return delta ? delta->value.value : 1.0;
}

// (4); log(1 + e^x) with x = log(e^y - 1) + log g.
double poisson_divergence(const RepeatAndSelectStep& step, double order, double divergence) {
  const Enclosure beyond = Enclosure(order) - 1.0;
  const Enclosure y = beyond * divergence;
  const double eps = std::max(0.0, log1p(Enclosure(1.0) / beyond).low);
  const Enclosure log_g = log_mean(step) + Enclosure(step.mean) * beyond * delta_of_run(step, eps);
  const double x = (log_expm1(y) + log_g).high;
  if (!std::isfinite(x)) return x > 0.0 ? kInfinity : 0.0;
  const Enclosure log_moment =
      x > 0.0 ? Enclosure(x) + log1p(exp(Enclosure(-x))) : log1p(exp(Enclosure(x)));
  return (log_moment / beyond).high;
}

// ---- below ----------------------------------------------------------------------------------------

// A cell of outputs: the logs of its probability in one run, on both inputs. Cells are listed from the best to the worst.
struct RunCell {
  Enclosure log_p, log_q;
};

// (6), in logarithms; `better` is the probability of all better outputs.
Enclosure log_selected(const RepeatAndSelectStep& step, Enclosure log_mass, Enclosure better) {
  const Enclosure mass = exp(log_mass);
  if (is_poisson(step)) {
    return log_expm1(Enclosure(step.mean) * mass) - Enclosure(step.mean) * (better + mass);
  }
  const Enclosure gamma = step.gamma, rest = Enclosure(1.0) - gamma, eta = step.eta;
  const Enclosure log_inverse = -log(gamma), fall = log1p(rest * mass / (gamma + rest * better));
  if (step.eta == 0.0) return log(fall) - log(log_inverse);
  return log_expm1(eta * fall) - log_expm1(eta * log_inverse) -
         eta * log(gamma + rest * (better + mass));
}

PrivacyLoss selected_loss(const RepeatAndSelectStep& step, const std::vector<RunCell>& cells) {
  std::vector<detail::OutputOfRelease> outputs;
  Enclosure better_p = 0.0, better_q = 0.0;
  for (const auto& [log_p, log_q] : cells) {
    const Enclosure p = log_selected(step, log_p, better_p);
    outputs.push_back({p - log_selected(step, log_q, better_q), p});
    better_p = better_p + exp(log_p);
    better_q = better_q + exp(log_q);
  }
  if (is_poisson(step)) outputs.push_back({0.0, -Enclosure(step.mean)});  // no run
  return detail::loss_of_outputs(outputs);
}

// The log of the probability of the cell between a and b under N(center, 1).
Enclosure log_normal(double a, double b, double center) {
  constexpr double kError = 2e-13;  // of normal.hpp
  const auto at = [center](double z) {
    return std::isinf(z) ? Enclosure(z) : Enclosure(z) - center;
  };
  const auto log_above = [&](double z) {
    return Enclosure(normal_log_ccdf(at(z).high) * (1.0 + kError),
                     normal_log_ccdf(at(z).low) * (1.0 - kError));
  };
  const auto log_below = [&](double z) {
    return Enclosure(normal_log_cdf(at(z).low) * (1.0 + kError),
                     normal_log_cdf(at(z).high) * (1.0 - kError));
  };
  if (a == -kInfinity) return log_below(b);
  if (b == kInfinity) return log_above(a);
  if (a < center) return log_below(b) + log(-expm1(log_below(a) - log_below(b)));
  return log_above(a) + log(-expm1(log_above(b) - log_above(a)));
}

// N(mu, 1) against N(0, 1): those below `turn` are best, and of the rest the largest.
std::vector<RunCell> normal_cells(double mu, double turn, int cells, double log_tail) {
  constexpr double kFurthest = 36.0;  // from both centers, where tails are still normal doubles
  const double reach = std::sqrt(-2.0 * log_tail) + 1.0;
  const double low = std::max(-reach, mu - kFurthest), high = std::min(mu + reach, kFurthest);
  std::vector<double> edges{-kInfinity};
  for (int i = 0; i <= cells; ++i) edges.push_back(low + (high - low) * i / cells);
  edges.push_back(kInfinity);
  std::vector<RunCell> all;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    all.push_back(
        {log_normal(edges[i - 1], edges[i], mu), log_normal(edges[i - 1], edges[i], 0.0)});
  }
  const auto first = std::upper_bound(edges.begin() + 1, edges.end() - 1, turn) - edges.begin() - 1;
  std::reverse(all.begin() + first, all.end());
  return all;
}

// Randomised response: of the answer with the negative loss a share is best, then comes the other answer. Each is spread
// evenly over the order, and cells are even in the logarithm of what (1) divides by.
std::vector<RunCell> response_cells(const RepeatAndSelectStep& step, double share, int cells) {
  const Enclosure eps = step.epsilon, factor = exp(-eps);
  const double all = (factor / (factor + 1.0)).high;  // P of the answer
  const double best = share * all, rest = all - best;
  const Enclosure log_rise = log((-expm1(-eps) + factor * all) / all);  // of Q/P, at most e^eps
  const double rise = exp(log_rise).low;
  const double gamma = is_poisson(step) ? 0.01 / (1.0 + step.mean) : step.gamma;
  std::vector<RunCell> out;
  // `better` and `size` are P times `scale`.
  const auto add = [&](double better, Enclosure size, double scale, Enclosure log_ratio) {
    const double from = gamma + (1.0 - gamma) * better * scale;
    const double to = from + (1.0 - gamma) * size.low * scale;
    double last = 0.0;
    for (int i = 1; i <= cells; ++i) {
      const double w = from * portable_exp(portable_log(to / from) * i / cells);
      const double next = (w - from) / ((1.0 - gamma) * scale);
      if (i < cells && !(next > last && next < size.low)) continue;
      const Enclosure log_mass = log((i < cells ? Enclosure(next) : size) - last);
      out.push_back({log_mass, log_mass + log_ratio});
      last = next;
    }
  };
  add(0.0, best, rise, log_rise);
  add(best, Enclosure(1.0) - all, 1.0, -eps);
  if (rest > 0.0) add(best + (1.0 - all), Enclosure(all) - best, 1.0, log_rise);
  return out;
}

// The orders to choose from, by one number each.
std::vector<double> turns_of(const RepeatAndSelectStep& step, double mu) {
  constexpr int kTurns = 32;
  std::vector<double> turns;
  for (int i = 0; i <= kTurns; ++i) {
    const double part = static_cast<double>(i) / kTurns;
    turns.push_back(step.epsilon > 0.0 ? portable_exp(-21.0 * part) : -6.5 + (mu + 8.5) * part);
  }
  return turns;
}

}  // namespace

bool RepeatAndSelectStep::shows(std::string_view name) const {
  if (name == "eta") return !is_poisson(*this);
  if (name == "gamma") return gamma > 0.0;
  if (name == "mean") return mean > 0.0;
  if (name == "epsilon") return epsilon > 0.0;
  if (name == "mu") return mu > 0.0;
  if (name == "rho") return rho > 0.0;
  return true;
}

Status RepeatAndSelectStep::check() const {
  const auto wrong = [](const std::string& message, const char* field) {
    return fail(ErrorCode::kInvalidArgument, message, std::string("/") + field);
  };
  const int levels = static_cast<int>(epsilon > 0.0) + (mu > 0.0) + (rho > 0.0);
  if (levels != 1) {
    return wrong(
        "repeat-and-select needs the level of one run: one of epsilon, mu and rho, above 0",
        "epsilon");
  }
  for (const auto& [name, level] :
       {std::pair{"epsilon", epsilon}, std::pair{"mu", mu}, std::pair{"rho", rho}}) {
    if (level > 0.0 && level < kLeastLevel) {
      return detail::out_of_range(name, "at least 1e-06", number_text(level));
    }
  }
  if (is_poisson(*this)) {
    if (gamma > 0.0) return wrong("gamma is for negative-binomial repeats, not poisson", "gamma");
    if (mean == 0.0) return wrong("repeat-and-select with poisson repeats needs mean", "mean");
    if (mean >= kLeastLevel) return {};
    return detail::out_of_range("mean", "1e-06 to 1e+09", number_text(mean));
  }
  if (mean > 0.0) return wrong("mean is for poisson repeats, not negative-binomial", "mean");
  if (gamma == 0.0) return wrong("repeat-and-select needs gamma", "gamma");
  if (gamma >= kLeastGamma) return {};
  return detail::out_of_range("gamma", "1e-09 to 1 - 1e-09", number_text(gamma));
}

bool RepeatAndSelectStep::has_pair() const {
  return epsilon > 0.0 && pure_level(*this).high <= kStepLevel.high;
}

Result<Known<StepLosses>> RepeatAndSelectStep::losses(const LossAccuracy& accuracy) const {
  if (!has_pair()) {
    return Known<StepLosses>(tl::make_unexpected(Unknown{
        "no pair above the best of several runs is known, unless they are eps-DP and it is 300-DP"}));
  }
  const Enclosure level = pure_level(*this);
  const auto response = ASSAY_TRY(loss_of::randomized_response(level.high));
  auto below = ASSAY_TRY(attained(accuracy));
  return Known<StepLosses>(
      StepLosses{{response, response, true},
                 std::move(below),
                 "randomised response of the largest loss (docs/proofs/repeat_and_select.md, (5))",
                 "runs of randomised response whose outputs have an order"});
}

Result<DirectedLosses> RepeatAndSelectStep::attained(const LossAccuracy& accuracy) const {
  constexpr int kRough = 100, kFine = 1000;
  const double run_mu = rho > 0.0 ? sqrt(Enclosure(rho) * 2.0).low : mu;
  const auto loss_at = [&](double turn, int cells) {
    return selected_loss(*this, epsilon > 0.0
                                    ? response_cells(*this, turn, cells / 2)
                                    : normal_cells(run_mu, turn, cells, accuracy.log_tail));
  };
  double worst = 0.0, most = -kInfinity;
  for (const double turn : turns_of(*this, run_mu)) {
    const PrivacyLoss loss = loss_at(turn, kRough);
    const double leak = detail::leak_by_moments(accuracy, [&](double tilt) {
      LogSum sum;
      for (const LossAtom& atom : loss.atoms) sum.add(1.0, atom.log_mass + tilt * atom.loss);
      return sum.log();
    });
    if (!(leak > most)) continue;
    most = leak;
    worst = turn;
  }
  const PrivacyLoss loss = loss_at(worst, kFine);
  return DirectedLosses{loss, loss, true};
}

Known<Enclosure> RepeatAndSelectStep::largest_loss() const {
  if (epsilon > 0.0) return pure_level(*this);
  return tl::make_unexpected(Unknown{"its runs can lose any eps, with small probability"});
}

RenyiDp RepeatAndSelectStep::renyi() const {
  const RenyiDp run = curve_of_run(*this);
  const RenyiDp pure = epsilon > 0.0 ? *to_renyi(PureDp{Epsilon{pure_level(*this).high}})
                                     : RenyiDp([](double) { return kInfinity; });
  if (is_poisson(*this)) {
    return RenyiDp([step = *this, run, pure](double order) {
      return std::min(poisson_divergence(step, order, run.at(order).value.value),
                      pure.at(order).value.value);
    });
  }
  const Enclosure shares = (Enclosure(eta) + 1.0) * log_share_ratio(*this);
  const Enclosure log_runs = log_mean(*this);
  return RenyiDp([run, pure, shares, log_runs](double order) {
    const Enclosure sum =
        shares + run.at(order).value.value + log_runs / (Enclosure(order) - 1.0);  // (3)
    return std::min(sum.high, pure.at(order).value.value);
  });
}

}  // namespace assay

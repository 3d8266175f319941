#include "assay/mechanisms/accounting/account/selection_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/pld/internal/best_profile.hpp"
#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;
using detail::ProfilePoint;

constexpr double kLeastLevel = 1e-6;
constexpr double kLeastGamma = 1e-9;
constexpr int kFineCells = 1000;  // of a lower bound; fewer only compare orders

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

// The eps of one run, if it is eps-DP; else 0.
double run_epsilon(const RepeatAndSelectStep& step) {
  return step.mechanism != nullptr ? step.mechanism->pure_epsilon() : step.epsilon;
}

// The r of (3) for runs of eps-DP.
Enclosure pure_share_ratio(double gamma_of_runs, double epsilon) {
  const Enclosure gamma = gamma_of_runs, odds = exp(Enclosure(epsilon));
  return log1p((Enclosure(1.0) - gamma) * expm1(Enclosure(epsilon)) / (gamma * odds + 1.0));
}

// That for runs of zCDP.
Enclosure zcdp_share_ratio(double gamma, double rho) {
  const Enclosure log_inverse = -log(Enclosure(gamma));
  const Enclosure best = sqrt(log_inverse * rho) * 2.0 - rho;  // at b = sqrt(log(1/gamma)/rho)
  if (log_inverse.low <= rho || best.high > log_inverse.high) return log_inverse;  // b -> 1
  return best;
}

// delta of one run at an eps, from above.
using DeltaOfRun = std::function<double(double)>;

// That for all others, by their profile.
double share_ratio(double gamma_of_runs, const DeltaOfRun& delta_of_run) {
  const Enclosure gamma = gamma_of_runs;
  return detail::smallest_double([&](double r) {
    const Enclosure delta = delta_of_run(r);
    return ((Enclosure(1.0) - gamma) * delta).high <= (gamma * expm1(Enclosure(r))).low;
  });
}

Enclosure pure_level(const RepeatAndSelectStep& step, double epsilon) {  // (5)
  const Enclosure eps = epsilon;
  if (!is_poisson(step)) {
    return eps + (Enclosure(step.eta) + 1.0) * pure_share_ratio(step.gamma, epsilon);
  }
  return eps + Enclosure(step.mean) * (-expm1(-eps) / (exp(-eps) + 1.0));
}

Known<RenyiDp> curve_of_run(const RepeatAndSelectStep& step) {
  if (step.mechanism != nullptr) {
    const auto one = ASSAY_TRY(step_renyi(step.mechanism->step().mechanism));
    return RenyiDp([one, uses = static_cast<double>(step.mechanism->step().count)](double order) {
      return (Enclosure(one.at(order).value.value) * uses).high;
    });
  }
  if (step.epsilon > 0.0) return *to_renyi(PureDp{Epsilon{step.epsilon}});
  if (step.mu > 0.0) return *to_renyi(GaussianDp{Mu{step.mu}});
  return *to_renyi(ZeroConcentratedDp{Rho{step.rho}});
}

double pure_delta_above(double epsilon, double eps) {
  if (eps >= epsilon) return 0.0;
  return (-expm1(Enclosure(eps) - epsilon) / (exp(Enclosure(-epsilon)) + 1.0)).high;
}

DeltaOfRun delta_of_run(const RepeatAndSelectStep& step, std::vector<ProfilePoint> profile) {
  if (step.mechanism != nullptr) {
    return [points = std::move(profile)](double eps) { return profile_above(points, eps); };
  }
  if (step.epsilon > 0.0) return [step](double eps) { return pure_delta_above(step.epsilon, eps); };
  if (step.mu > 0.0) return [step](double eps) { return gdp_delta_above(step.mu, eps); };
  return [curve = *curve_of_run(step)](double eps) {
    const auto delta = renyi_delta(curve, Epsilon{eps});
    return delta ? delta->value.value : 1.0;
  };
}

// Upper bounds on the profile of one run, as best_profile.hpp takes them. Precondition: the run has a pair.
Result<std::vector<ProfilePoint>> profile_of_run(const RepeatAndSelectStep& step,
                                                 const std::atomic<bool>* cancel = nullptr) {
  if (step.mechanism != nullptr) return ASSAY_TRY(step.mechanism->profile(cancel))->above;
  const auto delta = delta_of_run(step, {});
  if (step.epsilon > 0.0) return std::vector<ProfilePoint>{{0.0, delta(0.0)}, {step.epsilon, 0.0}};
  constexpr int kPoints = 1000;
  const double end = step.mu * (0.5 * step.mu + 9.5);  // where delta is below 1e-20
  std::vector<ProfilePoint> points;
  for (int i = 0; i <= kPoints; ++i) {
    points.push_back({end * i / kPoints, delta(end * i / kPoints)});
  }
  return points;
}

// f'(1 - s)/f'(1) of (1) and (2).
Enclosure share_at(const RepeatAndSelectStep& step, double s) {
  if (is_poisson(step)) return exp(Enclosure(-step.mean) * s);
  const Enclosure gamma = step.gamma;
  return exp((Enclosure(step.eta) + 1.0) *
             (log(gamma) - log(gamma + (Enclosure(1.0) - gamma) * s)));
}

// (4); log(1 + e^x) with x = log(e^y - 1) + log g.
double poisson_divergence(const RepeatAndSelectStep& step, double order, double divergence,
                          const DeltaOfRun& delta) {
  const Enclosure beyond = Enclosure(order) - 1.0;
  const Enclosure y = beyond * divergence;
  const double eps = std::max(0.0, log1p(Enclosure(1.0) / beyond).low);
  const Enclosure log_g = log_mean(step) + Enclosure(step.mean) * beyond * delta(eps);
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

std::vector<ProfilePoint> every_nth(const std::vector<ProfilePoint>& points, std::size_t n) {
  std::vector<ProfilePoint> some;
  for (std::size_t i = 0; i < points.size(); i += n) some.push_back(points[i]);
  return some;
}

// The cells of a run's own pair, the record in P or in Q; the order is that of normal_cells().
std::vector<RunCell> own_cells(const std::vector<detail::PairCell>& pair, bool record_in_p,
                               double turn) {
  constexpr double kLargest = 2e-3;  // larger ones are spread evenly over the order
  std::vector<RunCell> cells;
  for (const auto& [loss, log_p, log_q] : pair) {
    const double most = portable_exp(std::max(log_p.high, log_q.high));
    const double parts = std::ceil(most / kLargest);
    const Enclosure log_parts = log(Enclosure(parts));
    const RunCell cell{(record_in_p ? log_p : log_q) - log_parts,
                       (record_in_p ? log_q : log_p) - log_parts};
    cells.insert(cells.end(), static_cast<std::size_t>(parts), cell);
  }
  if (!record_in_p) std::reverse(cells.begin(), cells.end());
  auto first = cells.begin();
  for (double below = 0.0; first != cells.end() && below < turn; ++first) {
    below += portable_exp(first->log_q.low);
  }
  if (turn > 0.0 && first != cells.begin()) --first;
  std::reverse(first, cells.end());
  return cells;
}

// The orders to choose from, by one number each.
std::vector<double> turns_of(const RepeatAndSelectStep& step, double mu) {
  constexpr int kTurns = 32;
  std::vector<double> turns;
  const bool is_share = step.mechanism != nullptr || step.epsilon > 0.0;
  for (int i = 0; i <= kTurns; ++i) {
    const double part = static_cast<double>(i) / kTurns;
    turns.push_back(is_share ? portable_exp(-21.0 * part) : -6.5 + (mu + 8.5) * part);
  }
  return turns;
}

// The loss at the worst of the orders; it is computed at a number of cells, few to compare the orders.
template <class LossAt>
PrivacyLoss worst_order(const std::vector<double>& turns, const LossAccuracy& accuracy,
                        const LossAt& loss_at) {
  constexpr int kRoughCells = 100;
  double worst = 0.0, most = -kInfinity;
  for (const double turn : turns) {
    const PrivacyLoss loss = loss_at(turn, kRoughCells);
    const double leak = detail::leak_by_moments(
        accuracy, [&](double tilt) { return detail::log_moment(loss, tilt); });
    if (!(leak > most)) continue;
    most = leak;
    worst = turn;
  }
  return loss_at(worst, kFineCells);
}

}  // namespace

bool RepeatAndSelectStep::shows(std::string_view name) const {
  if (name == "eta") return !is_poisson(*this);
  if (name == "gamma") return gamma > 0.0;
  if (name == "mean") return mean > 0.0;
  if (name == "epsilon") return epsilon > 0.0;
  if (name == "mu") return mu > 0.0;
  if (name == "rho") return rho > 0.0;
  if (name == "run_compose") return mechanism != nullptr;
  return true;
}

Status RepeatAndSelectStep::check() const {
  const auto wrong = [](const std::string& message, const char* field) {
    return fail(ErrorCode::kInvalidArgument, message, std::string("/") + field);
  };
  const int levels =
      static_cast<int>(epsilon > 0.0) + (mu > 0.0) + (rho > 0.0) + static_cast<int>(!run.empty());
  if (levels != 1) {
    return wrong(
        "repeat-and-select needs what one run is: one of epsilon, mu and rho, above 0, or run, a "
        "mechanism",
        "epsilon");
  }
  if (run.empty() && run_compose != 1) return wrong("run_compose needs run", "run_compose");
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

Result<Known<StepLosses>> RepeatAndSelectStep::losses(const LossAccuracy& accuracy) const {
  constexpr double kFurthest = 690.0;  // of hull_of_profile()
  if (!has_pair()) {
    return Known<StepLosses>(tl::make_unexpected(
        Unknown{"no pair above the best of several runs is known, unless the runs have one"}));
  }
  const auto run_points = ASSAY_TRY(profile_of_run(*this, accuracy.cancel));
  auto points = detail::profile_of_best(run_points, exp(log_mean(*this)).high,
                                        [this](double s) { return share_at(*this, s); });
  if (const auto largest = largest_loss()) {
    std::erase_if(points, [&](const ProfilePoint& point) { return point.loss >= largest->high; });
    points.push_back({largest->high, 0.0});
  }
  while (points.size() > 2 && points[points.size() - 2].loss >= kFurthest) points.pop_back();
  if (points.back().loss > kFurthest) {
    points.back() = {kFurthest, points[points.size() - 2].delta};
  }
  const PrivacyLoss above = detail::hull_of_profile(points);
  auto below = ASSAY_TRY(attained(accuracy));
  return Known<StepLosses>(StepLosses{
      both_orders(above), std::move(below),
      "an average of the profile of one run (docs/proofs/repeat_and_select.md, (8))",
      mechanism != nullptr
          ? "the run's own pair, whose outputs have an order"
          : std::string(epsilon > 0.0 ? "runs of randomised response" : "runs of Gaussian noise") +
                " whose outputs have an order"});
}

Result<DirectedLosses> RepeatAndSelectStep::attained(const LossAccuracy& accuracy) const {
  if (mechanism != nullptr) {
    const auto profile = ASSAY_TRY(mechanism->profile(accuracy.cancel));
    const auto pair_of = [&](std::size_t every) {
      return detail::pair_below(every_nth(profile->remove, every), every_nth(profile->add, every));
    };
    const auto fine = pair_of(1), rough = pair_of(10);
    const auto in_order = [&](bool record_in_p) {
      return worst_order(turns_of(*this, 0.0), accuracy, [&](double turn, int cells) {
        return selected_loss(*this,
                             own_cells(cells < kFineCells ? rough : fine, record_in_p, turn));
      });
    };
    return DirectedLosses{in_order(true), in_order(false), false};
  }
  const double run_mu = rho > 0.0 ? sqrt(Enclosure(rho) * 2.0).low : mu;
  const PrivacyLoss loss =
      worst_order(turns_of(*this, run_mu), accuracy, [&](double turn, int cells) {
        return selected_loss(*this, epsilon > 0.0
                                        ? response_cells(*this, turn, cells / 2)
                                        : normal_cells(run_mu, turn, cells, accuracy.log_tail));
      });
  return both_orders(loss);
}

Known<Enclosure> RepeatAndSelectStep::largest_loss() const {
  const double eps = run_epsilon(*this);
  const Enclosure level = eps > 0.0 ? pure_level(*this, eps) : Enclosure(kInfinity);
  if (level.high <= kStepLevel.high) return level;
  return tl::make_unexpected(Unknown{eps > 0.0
                                         ? "its largest loss is above 300"
                                         : "its runs can lose any eps, with small probability"});
}

Known<RenyiDp> RepeatAndSelectStep::renyi() const {
  const RenyiDp run_curve = ASSAY_TRY(curve_of_run(*this));
  const auto largest = largest_loss();
  const RenyiDp pure = largest ? *to_renyi(PureDp{Epsilon{largest->high}})
                               : RenyiDp([](double) { return kInfinity; });
  std::vector<ProfilePoint> profile;
  if (mechanism != nullptr) {
    const auto found = profile_of_run(*this);
    if (!found) return tl::make_unexpected(Unknown{found.error().message});
    profile = *found;
  }
  const auto delta = delta_of_run(*this, std::move(profile));
  if (is_poisson(*this)) {
    return RenyiDp([step = *this, run_curve, pure, delta](double order) {
      const double divergence = run_curve.at(order).value.value;
      return std::min(poisson_divergence(step, order, divergence, delta),
                      pure.at(order).value.value);
    });
  }
  const Enclosure ratio = epsilon > 0.0 ? pure_share_ratio(gamma, epsilon)
                          : rho > 0.0   ? zcdp_share_ratio(gamma, rho)
                                        : Enclosure(share_ratio(gamma, delta));
  const Enclosure shares = (Enclosure(eta) + 1.0) * ratio;
  const Enclosure log_runs = log_mean(*this);
  return RenyiDp([run_curve, pure, shares, log_runs](double order) {
    const Enclosure sum =
        shares + run_curve.at(order).value.value + log_runs / (Enclosure(order) - 1.0);  // (3)
    return std::min(sum.high, pure.at(order).value.value);
  });
}

}  // namespace assay

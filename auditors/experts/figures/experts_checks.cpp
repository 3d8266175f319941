// The paper's statements about the instances, decided by exact regrets and simulations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "assay/auditors/experts/figures/experts_run.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"

namespace assay::detail {
namespace {

// The rounding error of exact values.
constexpr double kRelativeError = 1e-9;

std::string place_text(const FtnlVariant& variant, const ExpertsPoint& point, std::int64_t rounds) {
  return fmt::format("{}, K = {}, \xCE\xB5 = {}, T = {}", variant.name(), point.actions,
                     number_text(point.epsilon), grouped(rounds));
}

// The rounds at which an epoch ends, and the horizon.
std::vector<std::int64_t> ends_of_epochs(std::int64_t horizon) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end = 1; end < horizon; end = 2 * end + 1) ends.push_back(end);
  ends.push_back(horizon);
  return ends;
}

// Calls visit(variant, point, rounds, exact regret) for everything that the figure draws.
template <class Wanted, class Visit>
void for_each_exact(const ExpertsRun& run, Wanted wanted, Visit visit) {
  const auto ends = ends_of_epochs(run.setting.horizon);
  for (const auto axis : kExpertsAxes) {
    const auto points = points_of(axis, run.instance, run.setting);
    for (std::size_t v = 0; v < run.variants.size(); ++v) {
      if (!wanted(run.variants[v])) continue;
      for (std::size_t i = 0; i < points.size(); ++i) {
        for (const std::int64_t rounds : ends) {
          visit(run.variants[v], points[i], rounds,
                run.exact[static_cast<std::size_t>(axis)][v][i].after(rounds));
        }
      }
    }
  }
}

const TheoryCurve& theory(const std::vector<TheoryCurve>& curves, std::string_view beginning) {
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const TheoryCurve& curve) {
    return curve.name.starts_with(beginning);
  });
  ASSAY_CHECK(found != curves.end(), "a curve of the instance");
  return *found;
}

enum class BoundSide { kAbove, kBelow };

// Compares exact regrets with a bound; the closest place decides.
template <class Wanted>
OutcomeDecision decide_by_bound(const ExpertsRun& run, Wanted wanted, const TheoryCurve& bound,
                                BoundSide side) {
  double closest = side == BoundSide::kAbove ? 0.0 : HUGE_VAL;
  std::string where;
  for_each_exact(run, wanted,
                 [&](const FtnlVariant& variant, const ExpertsPoint& point, std::int64_t rounds,
                     double regret) {
                   const auto at = bound.value(point, static_cast<double>(rounds));
                   if (!at || *at <= 0.0) return;
                   const double ratio = regret / *at;
                   if (side == BoundSide::kAbove ? ratio <= closest : ratio >= closest) return;
                   closest = ratio;
                   where = place_text(variant, point, rounds);
                 });
  if (where.empty()) {
    return {Outcome::kUndecided, "the bound does not cover these K: Theorem 3 needs at least 6"};
  }
  return {outcome_of(side == BoundSide::kAbove ? closest <= 1.0 + kRelativeError
                                               : closest >= 1.0 - kRelativeError),
          fmt::format("exact regret reaches {} {}% of the bound ({})",
                      side == BoundSide::kAbove ? "at most" : "at least",
                      side == BoundSide::kAbove ? rounded_up(100.0 * closest, 4)
                                                : rounded_down(100.0 * closest, 4),
                      where)};
}

StatedOutcome<ExpertsRun> agreement() {
  return {
      "simulated regret is the exact one",
      "the pseudo-regret is the sum over epochs of their rounds times sum_j Delta_j P[J_(r-1) = j] "
      "(proofs of Theorems 2 and 4)",
      "for every variant the interval of the mean simulated final regret contains that sum, "
      "computed from the exact distribution of the leader",
      [](const ExpertsRun& run) {
        JointDecision found;
        Farthest farthest{-1.0};
        for (std::size_t v = 0; v < run.variants.size(); ++v) {
          const std::size_t i = run.find(SimulatedIds::variant(run.variants[v]));
          const double exact = run.at_setting(v).after(run.setting.horizon);
          const Moments& moments = run.result->at(i).all.pseudo;
          const double half = normal_half_width(moments, moments.mean.size() - 1);
          const double errors = half > 0.0 ? 1.96 * (moments.mean.back() - exact) / half : 0.0;
          farthest.offer(std::fabs(errors), [&] {
            return fmt::format("{}: {} simulated, {} exact", run.variants[v].name(),
                               rounded(moments.mean.back(), 5), rounded(exact, 5));
          });
          found.add(outcome_of(run.bounds[i].lower <= exact * (1.0 + kRelativeError) &&
                               exact * (1.0 - kRelativeError) <= run.bounds[i].upper));
        }
        found.note(fmt::format("farthest apart by {} standard errors ({})",
                               rounded(farthest.value, 3), farthest.where));
        return found.decision();
      }};
}

StatedOutcome<ExpertsRun> below_theorem_2() {
  return {"with resampling, regret is below the bound of Theorem 2",
          "with B = 1 and any of the three noises the pseudo-regret is O(log K/Delta_min + log^2 "
          "K/eps) (Theorem 2)",
          "at every T, K and eps drawn, exact regret is at most the bound with c1 = 2, c2 = 16",
          [](const ExpertsRun& run) {
            return decide_by_bound(
                run, [](const FtnlVariant& v) { return v.resample; },
                theory(theory_curves(run.instance, run.setting), "Theorem 2"), BoundSide::kAbove);
          }};
}

StatedOutcome<ExpertsRun> stops_growing() {
  return {"with resampling, regret stops growing with T",
          "the instance-dependent regret remains constant in T (Section 1)",
          "from T to 4 T, exact regret of every noise with B = 1 grows by less than 1%",
          [](const ExpertsRun& run) {
            JointDecision found;
            Farthest most{-HUGE_VAL};
            const std::int64_t horizon = run.setting.horizon;
            const ExpertsPoint point{run.setting.actions, run.setting.epsilon};
            for (const FtnlVariant& variant : run.variants) {
              if (!variant.resample) continue;
              const auto exact =
                  expected_regret(policy_of(variant, point, 4 * horizon),
                                  instance_losses(run.instance, point.actions, run.setting.gap));
              const double growth = exact.after(4 * horizon) / exact.after(horizon) - 1.0;
              // A regret that still grows at this T may stop growing later.
              found.add(growth < 0.01 ? Outcome::kHolds : Outcome::kUndecided);
              most.offer(growth, [&] { return variant.name(); });
            }
            found.note(fmt::format("grows by {}% at most ({}) from T = {} to {}",
                                   rounded_up(100.0 * most.value, 3), most.where, grouped(horizon),
                                   grouped(4 * horizon)));
            return found.decision();
          }};
}

StatedOutcome<ExpertsRun> exponential_is_best() {
  return {"exponential noise costs no more than Gumbel noise of its scale",
          "report-noisy-max with exponential noise is consistently better than the exponential "
          "mechanism (proof of Theorem 4, after McKenna and Sheldon)",
          "at every T, K and eps drawn, exact regret of Exponential(2/eps) is at most that of "
          "Gumbel(2/eps), with the same B",
          [](const ExpertsRun& run) {
            Farthest most;
            const auto index = [&](LeaderNoise noise, bool resample) {
              const auto variant =
                  std::find_if(run.variants.begin(), run.variants.end(), [&](const FtnlVariant& v) {
                    return v.noise == noise && !v.as_printed() && v.resample == resample;
                  });
              return static_cast<std::size_t>(variant - run.variants.begin());
            };
            for (const auto axis : kExpertsAxes) {
              const auto& exact = run.exact[static_cast<std::size_t>(axis)];
              const auto points = points_of(axis, run.instance, run.setting);
              for (const bool resample : {false, true}) {
                const auto& exponential = exact[index(LeaderNoise::kExponential, resample)];
                const auto& gumbel = exact[index(LeaderNoise::kGumbel, resample)];
                for (std::size_t i = 0; i < points.size(); ++i) {
                  for (const std::int64_t rounds : ends_of_epochs(run.setting.horizon)) {
                    if (rounds == 1) continue;  // both play it uniformly
                    most.offer(exponential[i].after(rounds) / gumbel[i].after(rounds), [&] {
                      return place_text(run.variants[index(LeaderNoise::kExponential, resample)],
                                        points[i], rounds);
                    });
                  }
                }
              }
            }
            return OutcomeDecision{outcome_of(most.value <= 1.0 + kRelativeError),
                                   fmt::format("reaches {}% at most ({})",
                                               rounded_up(100.0 * most.value, 4), most.where)};
          }};
}

// ---- the example of resampling ------------------------------------------------------------------

double regret_without_noise(const TwoPointLosses& losses, bool resample, int epochs) {
  const double gap = std::max(losses.gap(0), losses.gap(1));
  double regret = 0.5;  // of the first round, which is uniform
  double rounds = 2.0;
  for (const double p : worse_leads_without_noise(losses, resample, epochs)) {
    regret += rounds * p;
    rounds *= 2.0;
  }
  return gap * regret;
}

TwoPointLosses printed_example() { return instance_losses(ExpertsInstance::kResampling, 2, 0.0); }

double first_choice(bool resample) {
  return worse_leads_without_noise(printed_example(), resample, 1).front();
}

StatedOutcome<ExpertsRun> first_choice_without() {
  return {
      "without resampling the first leader is the worse expert with probability 0.8",
      "at an extreme case when there is no DP guarantee, P[J_1 = 2] = 0.8 (Section 3.1)",
      "P[J_1 = 2] at B = 0 without noise is 0.8", [](const ExpertsRun&) {
        const double p = first_choice(false);
        return OutcomeDecision{
            outcome_of(std::fabs(p - 0.8) < kRelativeError),
            fmt::format(
                "{}: the better expert loses 0.4 > 0.3 with probability 0.8, and the worse one leads",
                rounded(p, 6))};
      }};
}

StatedOutcome<ExpertsRun> first_choice_with() {
  return {
      "with resampling the first leader is the worse expert less than half of the time",
      "with the Bernoulli resampling the suboptimal action 2 has less probability than action 1 "
      "(Section 3.1, by Lemma 1)",
      "P[J_1 = 2] at B = 1 without noise is below 1/2", [](const ExpertsRun&) {
        const double p = first_choice(true);
        return OutcomeDecision{outcome_of(p < 0.5),
                               fmt::format("{}, more than the {} without resampling", rounded(p, 6),
                                           rounded(first_choice(false), 6))};
      }};
}

StatedOutcome<ExpertsRun> reduces_here() {
  return {"resampling reduces the regret of the example",
          "resampling strictly reduces the regret for some problem instances; here is one example "
          "(Section 3.1)",
          "at the T, K and eps of the setting, exact regret with B = 1 is below that with B = "
          "0, for every noise",
          [](const ExpertsRun& run) {
            JointDecision found;
            const std::size_t half = run.variants.size() / 2;
            for (std::size_t v = 0; v < half; ++v) {
              const double without = run.at_setting(v).after(run.setting.horizon);
              const double with = run.at_setting(v + half).after(run.setting.horizon);
              found.add(outcome_of(with < without),
                        fmt::format("{}: {} with, {} without", run.variants[v].noise_name(),
                                    rounded(with, 4), rounded(without, 4)));
            }
            return found.decision();
          }};
}

StatedOutcome<ExpertsRun> reduces_somewhere() {
  return {"resampling reduces the regret of some instance",
          "resampling strictly reduces the regret for some problem instances (Section 3.1)",
          "without noise, T = 16,383, if the best expert always loses 0.02 and the other 1 with "
          "probability 0.4, else 0: exact regret with B = 1 is below that with B = 0",
          [](const ExpertsRun&) {
            constexpr int kEpochs = 13;
            const double without = regret_without_noise(resampling_helps_losses(), false, kEpochs);
            const double with = regret_without_noise(resampling_helps_losses(), true, kEpochs);
            return OutcomeDecision{
                outcome_of(with < without * (1.0 - kRelativeError)),
                fmt::format("{} with, {} without", rounded(with, 5), rounded(without, 5))};
          }};
}

// ---- deterministic losses -----------------------------------------------------------------------

StatedOutcome<ExpertsRun> below_theorem_4(bool printed) {
  return {
      printed ? "regret is below that bound at the temperature as printed"
              : "regret is below the bound of Theorem 4",
      printed ? "Gumbel(2/eps) chooses in proportion to exp(-eps G), which halves the constant "
                "(proof of Theorem 4)"
              : "with B = 0 and exponential or Gumbel noise the pseudo-regret is O(log K/eps) "
                "(Theorem 4)",
      fmt::format("at every T, K and eps drawn, exact regret of {} with B = 0 is at most 3 + {}(1 "
                  "+ 1/ln 2) ln K/eps",
                  printed ? "Gumbel(2/eps)" : "Gumbel(2/eps) and Exponential(1/eps)",
                  printed ? 2 : 4),
      [printed](const ExpertsRun& run) {
        return decide_by_bound(
            run,
            [printed](const FtnlVariant& v) {
              return !v.resample &&
                     (v.noise == LeaderNoise::kGumbel || (!printed && v.as_printed()));
            },
            theory(theory_curves(run.instance, run.setting), printed ? "the same" : "Theorem 4"),
            BoundSide::kAbove);
      }};
}

StatedOutcome<ExpertsRun> above_theorem_3() {
  return {
      "no private variant is below the bound of Theorem 3",
      "every eps-DP policy costs at least c log K/eps on some order of the losses (Theorem 3)",
      "at every T, K >= 6 and eps drawn, exact regret of the variants that are eps-DP is at least "
      "the averaged bound of the proof: they treat experts alike, so every order costs the same",
      [](const ExpertsRun& run) {
        return decide_by_bound(
            run, [](const FtnlVariant& v) { return !v.as_printed(); },
            theory(theory_curves(run.instance, run.setting), "Theorem 3"), BoundSide::kBelow);
      }};
}

}  // namespace

std::vector<double> worse_leads_without_noise(const TwoPointLosses& losses, bool resample,
                                              int epochs) {
  ASSAY_CHECK(losses.actions() == 2, "two experts");
  const std::size_t worse = losses.gap(0) > 0.0 ? 0 : 1;
  std::vector<double> out;
  for (int r = 1; r <= epochs; ++r) {
    const std::int64_t rounds = std::int64_t{1} << (r - 1);
    const auto distribution = [&](std::size_t j) {
      const TwoPointDistribution& two = losses.distributions()[j];
      return binomial_distribution(
          rounds, resample ? two.mean() : (two.low == two.high ? 0.0 : two.probability));
    };
    // Sums are in thousandths, as the losses are multiples of them; resamples are whole numbers.
    const auto sum = [&](std::size_t j, std::int64_t count) -> std::int64_t {
      const TwoPointDistribution& two = losses.distributions()[j];
      if (resample) return count;
      return std::llround(1000.0 * two.low) * (rounds - count) +
             std::llround(1000.0 * two.high) * count;
    };
    const auto of_worse = distribution(worse);
    const auto of_best = distribution(1 - worse);
    double leads = 0.0;
    for (std::size_t a = 0; a < of_worse.weights.size(); ++a) {
      for (std::size_t b = 0; b < of_best.weights.size(); ++b) {
        const auto s = sum(worse, std::llround(of_worse.least) + static_cast<std::int64_t>(a));
        const auto t = sum(1 - worse, std::llround(of_best.least) + static_cast<std::int64_t>(b));
        if (s > t) continue;
        leads += (s == t ? 0.5 : 1.0) * of_worse.weights[a] * of_best.weights[b];
      }
    }
    out.push_back(leads);
  }
  return out;
}

std::vector<StatedOutcome<ExpertsRun>> experts_outcomes(ExpertsInstance instance) {
  switch (instance) {
    case ExpertsInstance::kOneGap:
      return {agreement(), below_theorem_2(), stops_growing(), exponential_is_best()};
    case ExpertsInstance::kResampling:
      return {agreement(), first_choice_without(), first_choice_with(), reduces_here(),
              reduces_somewhere()};
    case ExpertsInstance::kDeterministic:
      break;
  }
  return {agreement(), below_theorem_4(false), below_theorem_4(true), above_theorem_3(),
          exponential_is_best()};
}

}  // namespace assay::detail

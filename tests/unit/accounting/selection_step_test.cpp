// The best of several private runs, against outputs that are listed here from the probabilities of every number of runs, and
// against integrals over the real line. Nothing here uses generating functions of the library.
#include "assay/mechanisms/accounting/account/selection_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/listed_outputs.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Chances = std::vector<double>;
using AskedOfBest = AccountTarget::Asked;

RepeatAndSelectStep geometric(double gamma) {
  RepeatAndSelectStep step;
  step.gamma = gamma;
  return step;
}
RepeatAndSelectStep with_shape(double eta, double gamma) {
  RepeatAndSelectStep step = geometric(gamma);
  step.eta = eta;
  return step;
}
RepeatAndSelectStep poisson_runs(double mean) {
  RepeatAndSelectStep step;
  step.repeats = RunCount::kPoisson;
  step.mean = mean;
  return step;
}
RepeatAndSelectStep of_pure(RepeatAndSelectStep step, double epsilon) {
  step.epsilon = epsilon;
  return step;
}
RepeatAndSelectStep of_gaussian(RepeatAndSelectStep step, double mu) {
  step.mu = mu;
  return step;
}
RepeatAndSelectStep of_zcdp(RepeatAndSelectStep step, double rho) {
  step.rho = rho;
  return step;
}

AccountAnswer best_answer(std::span<const ChainStep> chain, AskedOfBest asked, double given) {
  return must(account_for(chain, std::vector<AccountTarget>{{asked, given}})).front();
}
AccountAnswer best_delta(const StepMechanism& step, std::int64_t count, double eps) {
  return best_answer(std::vector<ChainStep>{{step, count, ""}}, AskedOfBest::kDeltaAtEpsilon, eps);
}
AccountAnswer best_eps(const StepMechanism& step, std::int64_t count, double delta) {
  return best_answer(std::vector<ChainStep>{{step, count, ""}}, AskedOfBest::kEpsilonAtDelta,
                     delta);
}

// The probabilities of K = 0, 1, .., until 1e-16 is left.
Chances run_counts(const RepeatAndSelectStep& step) {
  Chances counts;
  if (step.repeats == RunCount::kPoisson) {
    double mass = std::exp(-step.mean);
    for (int k = 0; k < 40 + 5 * step.mean; ++k) {
      counts.push_back(mass);
      mass *= step.mean / (k + 1);
    }
    return counts;
  }
  const double keep = 1.0 - step.gamma;
  counts.push_back(0.0);
  double mass = step.eta == 0.0 ? keep / std::log(1.0 / step.gamma)
                                : keep * step.eta / (std::pow(step.gamma, -step.eta) - 1.0);
  for (int k = 1; k < 100'000 && (k < 10 || mass > 1e-18); ++k) {
    counts.push_back(mass);
    mass *= keep * (k + step.eta) / (k + 1);
  }
  return counts;
}

// The output of the best run, the first being the worst; no run is an output of its own.
Chances best_of(const Chances& run, const Chances& counts) {
  Chances best(run.size() + 1, 0.0);
  best.back() = counts.front();
  for (std::size_t k = 1; k < counts.size(); ++k) {
    double below = 0.0, power = 0.0;
    for (std::size_t y = 0; y < run.size(); ++y) {
      below += run[y];
      const double next = y + 1 == run.size() ? 1.0 : std::pow(below, static_cast<double>(k));
      best[y] += counts[k] * (next - power);
      power = next;
    }
  }
  return best;
}

double renyi_divergence_of(const Chances& p, const Chances& q, double order) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0) sum += std::pow(p[i], order) * std::pow(q[i], 1.0 - order);
  }
  return std::log(sum) / (order - 1.0);
}

const std::vector<RepeatAndSelectStep> kRepeats{
    geometric(0.3),        with_shape(0.0, 0.2),  with_shape(-0.7, 0.1), with_shape(4.0, 0.5),
    with_shape(0.5, 0.05), with_shape(3.0, 0.99), poisson_runs(0.5),     poisson_runs(6.0)};

// One run on neighbours.
struct RunPair {
  Chances p, q;
};

void expect_above(const RepeatAndSelectStep& step, const std::function<RunPair()>& draw) {
  const double eps = 0.4;
  const double once = best_delta(step, 1, eps).upper, both = best_delta(step, 2, eps).upper;
  const auto answer = best_eps(step, 1, 1e-3);
  const Chances counts = run_counts(step);
  const RenyiDp curve = *step.renyi();
  for (int i = 0; i < 60; ++i) {
    const RunPair pair = draw();
    const Chances a = best_of(pair.p, counts), b = best_of(pair.q, counts);
    EXPECT_LE(listed::hockey_stick(a, b, eps), once * (1.0 + 1e-12) + 1e-14);
    EXPECT_LE(listed::hockey_stick(listed::product(a, a), listed::product(b, b), eps),
              both * (1.0 + 1e-12) + 1e-14);
    EXPECT_LE(listed::hockey_stick(a, b, answer.upper), 1e-3 * (1.0 + 1e-9));
    for (const double order : {1.1, 2.0, 7.0}) {
      EXPECT_LE(renyi_divergence_of(a, b, order), curve.at(order).value.value + 1e-11);
    }
  }
}

// eps-DP runs with ratios that are e^eps, e^-eps, or between, in any order.
TEST(RepeatAndSelect, BoundsLieAboveAllPureRuns) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const double eps : {0.2, 1.0}) {
    const auto draw = [&]() -> RunPair {
      RunPair pair;
      double gain = 0.0, loss = 0.0, p_all = 0.0;
      const std::size_t n = 2 + random() % 4;
      for (std::size_t y = 0; y < n; ++y) {
        const double p = -std::log(1.0 - unit(random)) + 1e-3;
        const double part = random() % 3 == 0 ? unit(random) : 1.0;
        const double ratio = std::exp((random() % 2 == 0 ? eps : -eps) * part);
        pair.p.push_back(p);
        pair.q.push_back(p * ratio);
        p_all += p;
        (ratio > 1.0 ? gain : loss) += p * (ratio - 1.0);
      }
      for (double& x : pair.p) x /= p_all;
      for (double& x : pair.q) x /= p_all;
      // Moves the ratios of one side towards 1 until the sum is 1.
      const bool shrink_gain = gain > -loss;
      const double by = shrink_gain ? -loss / gain : gain / -loss;
      for (std::size_t y = 0; y < n; ++y) {
        if ((pair.q[y] > pair.p[y]) == shrink_gain) {
          pair.q[y] = pair.p[y] + (pair.q[y] - pair.p[y]) * by;
        }
      }
      if (random() % 2 == 0) std::swap(pair.p, pair.q);
      return pair;
    };
    for (const auto& repeats : kRepeats) expect_above(of_pure(repeats, eps), draw);
  }
}

// Gaussian runs whose outputs are cut into intervals that have any order.
TEST(RepeatAndSelect, BoundsLieAboveAllGaussianRuns) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> place(-2.5, 3.5);
  for (const double mu : {0.3, 1.0}) {
    const auto draw = [&]() -> RunPair {
      std::vector<double> cuts;
      for (std::size_t i = 0; i < 1 + random() % 5; ++i) cuts.push_back(place(random));
      cuts.push_back(40.0);
      std::sort(cuts.begin(), cuts.end());
      std::vector<std::pair<double, double>> cells;
      double below_p = 0.0, below_q = 0.0;
      for (const double z : cuts) {
        const double p = 0.5 * std::erfc((mu - z) / std::sqrt(2.0));
        const double q = 0.5 * std::erfc(-z / std::sqrt(2.0));
        cells.emplace_back(p - below_p, q - below_q);
        below_p = p;
        below_q = q;
      }
      std::shuffle(cells.begin(), cells.end(), random);
      RunPair pair;
      for (const auto& [p, q] : cells) {
        pair.p.push_back(p);
        pair.q.push_back(q);
      }
      if (random() % 2 == 0) std::swap(pair.p, pair.q);
      return pair;
    };
    for (const auto& repeats : kRepeats) {
      expect_above(of_gaussian(repeats, mu), draw);
      expect_above(of_zcdp(repeats, 0.5 * mu * mu), draw);
    }
  }
}

// An output of ratio e^eps in a thin slice above the other answer's best part: its loss tends to (5).
TEST(RepeatAndSelect, ThinSlicesAttainTheLargestLoss) {
  for (const auto& repeats : kRepeats) {
    for (const double eps : {0.1, 1.5}) {
      const double p = std::exp(eps) / (1.0 + std::exp(eps)), thin = 1e-5;
      const Chances with{p - thin, thin, 1.0 - p};
      const Chances without{std::exp(-eps) * (p - thin), std::exp(-eps) * thin,
                            1.0 - std::exp(-eps) * p};
      const Chances counts = run_counts(repeats);
      const double loss = std::log(best_of(with, counts)[1] / best_of(without, counts)[1]);
      const auto largest = *of_pure(repeats, eps).largest_loss();
      EXPECT_LT(loss, largest.high);
      EXPECT_GT(loss, largest.low - 2e-3);
      EXPECT_LT(largest.high - largest.low, 1e-12);
      if (repeats.repeats == RunCount::kPoisson) continue;
      EXPECT_LT(largest.high, (2.0 + repeats.eta) * eps);  // corollary 3 of the paper
    }
  }
  EXPECT_NEAR(of_pure(geometric(1e-9), 1.0).largest_loss()->high, 3.0, 1e-8);
  EXPECT_NEAR(of_pure(geometric(1.0 - 1e-9), 1.0).largest_loss()->high, 1.0, 1e-8);
}

// Theorem 2 of the paper for every order of its own, and theorem 6.
TEST(RepeatAndSelect, CurvesAreAtMostThoseOfThePaper) {
  for (const auto& repeats : kRepeats) {
    double mean = 0.0;
    const Chances counts = run_counts(repeats);
    for (std::size_t k = 0; k < counts.size(); ++k) mean += counts[k] * static_cast<double>(k);
    const double mu = 0.7, rho = 0.5 * mu * mu;
    const RenyiDp gaussian = *of_gaussian(repeats, mu).renyi();
    const RenyiDp zcdp = *of_zcdp(repeats, rho).renyi();
    for (const double order : {1.3, 2.0, 5.0, 30.0}) {
      double paper = kInfinity;
      if (repeats.repeats == RunCount::kPoisson) {
        const double eps = std::log(order / (order - 1.0));
        const double delta = 0.5 * std::erfc((eps / mu - mu / 2) / std::sqrt(2.0)) -
                             std::exp(eps) * 0.5 * std::erfc((eps / mu + mu / 2) / std::sqrt(2.0));
        // The term of no run, which the theorem leaves out for means of at least 1.
        paper = std::log(std::exp((order - 1.0) * (rho * order + mean * delta)) * mean +
                         std::exp(-mean)) /
                (order - 1.0);
      } else {
        for (double other = 1.0; other < 60.0; other += 1e-3) {
          paper =
              std::min(paper, rho * order +
                                  (1.0 + repeats.eta) * ((1.0 - 1.0 / other) * rho * other +
                                                         std::log(1.0 / repeats.gamma) / other) +
                                  std::log(mean) / (order - 1.0));
        }
        EXPECT_NEAR(zcdp.at(order).value.value, paper, 1e-5 * paper);
      }
      EXPECT_LE(gaussian.at(order).value.value, paper * (1.0 + 1e-9));
      EXPECT_LE(gaussian.at(order).value.value, zcdp.at(order).value.value * (1.0 + 1e-9));
    }
  }
}

// (3) and (4) with the worst event of a run found by a scan: half-lines of Gaussian noise, one answer of a response.
TEST(RepeatAndSelect, CurvesTakeTheWorstEvent) {
  const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (const auto& repeats : kRepeats) {
    const Chances counts = run_counts(repeats);
    double mean = 0.0;
    for (std::size_t k = 0; k < counts.size(); ++k) mean += counts[k] * static_cast<double>(k);
    const double mu = 0.8, eps = 0.6;
    std::vector<std::pair<double, double>> half_lines;
    for (double z = -9.0; z < 9.0; z += 1e-3) half_lines.emplace_back(below(z - mu), below(z));
    const double answer = 1.0 / (1.0 + std::exp(eps));
    const std::vector<std::pair<double, double>> answers{{answer, 1.0 - answer}, {1.0, 1.0}};
    for (const double order : {1.2, 3.0, 20.0}) {
      const double cosh = std::cosh(0.5 * eps);
      const double response =
          std::log(std::cosh((order - 0.5) * eps) / cosh) / (order - 1.0);  // renyi.hpp, (4)
      const double pure_level = of_pure(repeats, eps).largest_loss()->high;
      const double cap =
          std::log(std::cosh((order - 0.5) * pure_level) / std::cosh(0.5 * pure_level)) /
          (order - 1.0);
      const auto expected = [&](const auto& events, double run) {
        double most = -kInfinity;
        for (const auto& [p, q] : events) {
          const double gamma = repeats.gamma;
          most = std::max(
              most, repeats.repeats == RunCount::kPoisson
                        ? (order - 1.0) * q - order * p
                        : std::log((gamma + (1.0 - gamma) * q) / (gamma + (1.0 - gamma) * p)));
        }
        if (repeats.repeats == RunCount::kPoisson) {
          const double g = mean * std::exp(mean * std::max(most, 0.0));
          return std::log1p(std::expm1((order - 1.0) * run) * g) / (order - 1.0);
        }
        return run + (1.0 + repeats.eta) * most + std::log(mean) / (order - 1.0);
      };
      const double gaussian = expected(half_lines, 0.5 * mu * mu * order);
      EXPECT_NEAR(of_gaussian(repeats, mu).renyi()->at(order).value.value, gaussian,
                  1e-5 * gaussian);
      const double pure = std::min(expected(answers, response), cap);
      EXPECT_NEAR(of_pure(repeats, eps).renyi()->at(order).value.value, pure, 1e-9 * pure);
    }
  }
}

// ---- from below -----------------------------------------------------------------------------------

// The density of the rank of the best run at a probability s of better outputs.
double best_density(const RepeatAndSelectStep& step, const Chances& counts, double s) {
  if (step.repeats == RunCount::kPoisson) return step.mean * std::exp(-step.mean * s);
  double sum = 0.0, power = 1.0;
  for (std::size_t k = 1; k < counts.size(); ++k) {
    sum += counts[k] * static_cast<double>(k) * power;
    power *= 1.0 - s;
  }
  return sum;
}

// One run: the densities of its output with the record and without it.
struct DensityPair {
  std::function<double(double)> p, q;
};
double density_at(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::acos(-1.0)); }
DensityPair normal_runs(double mu) {
  return {[mu](double z) { return density_at(z - mu); }, density_at};
}

// eps of the best run, where outputs below `turn` are best and of the others the largest; `mirrored`: those above it are
// best, and of the others the least.
double eps_by_integration(const RepeatAndSelectStep& step, const DensityPair& run, double turn,
                          bool mirrored, double delta) {
  const Chances counts = run_counts(step);
  const double width = 0.01, end = 9.0;
  std::vector<double> places;
  for (double z = -end; z < end; z += width) places.push_back(z);
  if (mirrored) std::reverse(places.begin(), places.end());
  const auto first = std::find_if(places.begin(), places.end(),
                                  [&](double z) { return mirrored ? z < turn : z > turn; });
  std::reverse(first, places.end());
  Chances p, q;
  double better_p = 0.0, better_q = 0.0;
  for (const double z : places) {
    const double in_p = width * run.p(z), in_q = width * run.q(z);
    p.push_back(in_p * best_density(step, counts, better_p + 0.5 * in_p));
    q.push_back(in_q * best_density(step, counts, better_q + 0.5 * in_q));
    better_p += in_p;
    better_q += in_q;
  }
  double low = 0.0, high = 50.0;
  for (int i = 0; i < 40; ++i) {
    const double eps = 0.5 * (low + high);
    (listed::hockey_stick(p, q, eps) > delta ? low : high) = eps;
  }
  return high;
}

double worst_by_integration(const RepeatAndSelectStep& step, const DensityPair& run, double delta) {
  double most = 0.0;
  for (double turn = -6.0; turn < 4.0; turn += 0.1) {
    most = std::max(most, eps_by_integration(step, run, turn, false, delta));
    const DensityPair swapped{run.q, run.p};
    most = std::max(most, eps_by_integration(step, swapped, turn, true, delta));
  }
  return most;
}

TEST(RepeatAndSelect, TheLowerBoundIsThatOfTheWorstOrder) {
  for (const auto& repeats : {geometric(0.2), with_shape(-0.5, 0.1), poisson_runs(5.0)}) {
    const double mu = 1.0, delta = 1e-5;
    const double most = worst_by_integration(repeats, normal_runs(mu), delta);
    const auto answer = best_eps(of_gaussian(repeats, mu), 1, delta);
    EXPECT_FALSE(answer.is_exact);
    EXPECT_LE(*answer.lower, most * (1.0 + 1e-3));
    EXPECT_GE(*answer.lower, most * (1.0 - 0.01));
    EXPECT_LE(answer.upper, 1.03 * most);
    EXPECT_THAT(answer.route, HasSubstr("from below, runs of Gaussian noise"));
  }
}

TEST(RepeatAndSelect, PureRunsHaveBoundsNearEachOther) {
  for (const auto& repeats : kRepeats) {
    const auto answer = best_eps(of_pure(repeats, 0.5), 1, 1e-8);
    EXPECT_GE(*answer.lower, 0.985 * answer.upper);
    EXPECT_LE(answer.upper, of_pure(repeats, 0.5).largest_loss()->high);
    EXPECT_THAT(answer.route, HasSubstr("between two pairs"));
    const auto largest = best_eps(of_pure(repeats, 0.5), 2, 0.0);
    EXPECT_GE(largest.upper, answer.upper);
    EXPECT_NEAR(*largest.lower, largest.upper, 1e-12);
  }
}

// ---- runs of a mechanism ---------------------------------------------------------------------------

StepMechanism search_of(const RepeatAndSelectStep& repeats, std::vector<KeyValue> run) {
  if (repeats.repeats == RunCount::kPoisson) {
    run.push_back({"repeats", "poisson"});
    run.push_back({"mean", number_text(repeats.mean)});
  } else {
    run.push_back({"gamma", number_text(repeats.gamma)});
    run.push_back({"eta", number_text(repeats.eta)});
  }
  return must(make_step("repeat-and-select", run));
}

// Random orders of the nine outputs of a run of two answers, whose Renyi curve and profile the library computes by other
// means.
TEST(RepeatAndSelect, BoundsLieAroundRunsOfAMechanism) {
  const Chances p{0.5, 0.3, 0.2}, q{0.3, 0.3, 0.4};
  for (const auto& repeats : kRepeats) {
    const auto search = search_of(
        repeats,
        {{"run", "finite-pair"}, {"p", "0.5,0.3,0.2"}, {"q", "0.3,0.3,0.4"}, {"run_compose", "2"}});
    const Chances counts = run_counts(repeats), all_p = listed::product(p, p),
                  all_q = listed::product(q, q);
    std::vector<std::size_t> order(all_p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(5);
    const double eps = 0.8;
    const auto answer = best_delta(search, 1, eps), both = best_delta(search, 2, eps);
    const RenyiDp curve = *step_renyi(search);
    double most = 0.0;
    for (int i = 0; i < 400; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      Chances run_p, run_q;
      for (const std::size_t y : order) {
        run_p.push_back(all_p[y]);
        run_q.push_back(all_q[y]);
      }
      if (i % 2 == 0) std::swap(run_p, run_q);
      const Chances a = best_of(run_p, counts), b = best_of(run_q, counts);
      most = std::max(most, listed::hockey_stick(a, b, eps));
      EXPECT_LE(listed::hockey_stick(a, b, eps), answer.upper * (1.0 + 1e-12));
      EXPECT_LE(listed::hockey_stick(listed::product(a, a), listed::product(b, b), eps),
                both.upper * (1.0 + 1e-12));
      EXPECT_LE(renyi_divergence_of(a, b, 4.0), curve.at(4.0).value.value);
    }
    EXPECT_LE(*answer.lower, answer.upper);
    EXPECT_GE(*answer.lower, 0.9 * most);
  }
}

// The profile of the run is a composition where mu gives a formula.
TEST(RepeatAndSelect, RunsOfGaussianNoiseAreRunsOfItsMu) {
  for (const auto& repeats : {geometric(0.05), poisson_runs(4.0)}) {
    const auto level = best_eps(of_gaussian(repeats, 0.5), 1, 1e-6);
    const auto run = best_eps(
        search_of(repeats, {{"run", "gaussian"}, {"sigma", "8"}, {"run_compose", "16"}}), 1, 1e-6);
    EXPECT_NEAR(run.upper, level.upper, 2e-3 * level.upper);
    EXPECT_NEAR(*run.lower, *level.lower, 0.015 * level.upper);
    EXPECT_LE(*level.lower, run.upper);
    EXPECT_LE(*run.lower, level.upper);
  }
}

// Runs with the record in P are not those with it in Q; the integral knows both densities.
TEST(RepeatAndSelect, SampledRunsAreBoundedInTheWorseOrder) {
  const double sampling = 0.2, delta = 1e-5;
  const DensityPair run{
      [&](double z) { return (1.0 - sampling) * density_at(z) + sampling * density_at(z - 1.0); },
      density_at};
  for (const auto& repeats : {geometric(0.1), poisson_runs(5.0)}) {
    const auto answer = best_eps(
        search_of(
            repeats,
            {{"run", "gaussian"}, {"sigma", "1"}, {"sampler", "poisson"}, {"sampling", "0.2"}}),
        1, delta);
    const double most = std::max(worst_by_integration(repeats, run, delta),
                                 worst_by_integration(repeats, {run.q, run.p}, delta));
    EXPECT_GE(*answer.lower, 0.97 * most);
    EXPECT_LE(*answer.lower, 1.001 * most);
    EXPECT_GE(answer.upper, most);
    EXPECT_LE(answer.upper, 1.15 * most);
  }
}

TEST(RepeatAndSelect, GroupsAreThoseOfARun) {
  const auto search = search_of(geometric(0.1), {{"run", "gaussian"}, {"sigma", "4"}});
  const ChainStep grouped{search, 1, "", 1, 2};
  const auto answer = best_answer(std::vector{grouped}, AskedOfBest::kEpsilonAtDelta, 1e-6);
  const auto half =
      best_eps(search_of(geometric(0.1), {{"run", "gaussian"}, {"sigma", "2"}}), 1, 1e-6);
  EXPECT_NEAR(answer.upper, half.upper, 1e-6);
  EXPECT_NEAR(*answer.lower, *half.lower, 1e-6);
  const ChainStep level{of_gaussian(geometric(0.1), 0.25), 1, "", 1, 2};
  EXPECT_THAT(account_for(std::vector{level},
                          std::vector<AccountTarget>{{AskedOfBest::kEpsilonAtDelta, 1e-6}}),
              IsRefused("with run alone"));
}

// ---- chains ---------------------------------------------------------------------------------------

TEST(RepeatAndSelect, ChainsWithoutAPairHaveBothBounds) {
  const StepMechanism search = of_zcdp(geometric(0.1), 0.02);
  EXPECT_FALSE(has_pair(search));
  EXPECT_TRUE(has_pair(of_pure(geometric(0.1), 0.2)));
  EXPECT_TRUE(has_pair(of_gaussian(geometric(0.1), 0.2)));
  EXPECT_FALSE(has_pair(ZcdpStep{0.1}));
  EXPECT_TRUE(has_pair(GaussianStep{1.0, 1.0}));
  const std::vector<ChainStep> chain{
      {search, 3, ""}, {GaussianStep{2.0}, 5, ""}, {of_pure(poisson_runs(3.0), 0.1), 2, ""}};
  const auto answer = best_answer(chain, AskedOfBest::kEpsilonAtDelta, 1e-6);
  EXPECT_GT(*answer.lower, best_eps(GaussianStep{2.0}, 5, 1e-6).upper);
  EXPECT_LT(*answer.lower, answer.upper);
  EXPECT_LT(answer.upper, 2.0 * *answer.lower);
  std::vector<ChainStep> longer = chain;
  longer.push_back({ZcdpStep{0.01}, 1, ""});
  EXPECT_FALSE(best_answer(longer, AskedOfBest::kEpsilonAtDelta, 1e-6).lower.has_value());

  const auto curves = must(account_curves(chain));
  EXPECT_TRUE(curves.two_sided);
  for (const ProfileBand& point : curves.profile) EXPECT_LE(point.lower, point.upper);
  EXPECT_GT(curves.profile.front().lower, 0.1);

  const auto nothing = best_eps(search, 1, 0.0);
  EXPECT_EQ(nothing.upper, kInfinity);
  EXPECT_FALSE(nothing.lower.has_value());
}

TEST(RepeatAndSelect, ReadsItsParameters) {
  const auto made = [](std::vector<KeyValue> parameters) {
    return make_step("repeat-and-select", parameters);
  };
  EXPECT_EQ(to_string(must(made({{"gamma", "0.1"}, {"mu", "2"}}))),
            "repeat-and-select, repeats negative-binomial, eta 1, gamma 0.1, mu 2");
  EXPECT_EQ(to_string(must(made({{"repeats", "poisson"}, {"mean", "4"}, {"rho", "2"}}))),
            "repeat-and-select, repeats poisson, mean 4, rho 2");
  EXPECT_EQ(
      to_string(must(made({{"run", "gaussian"},
                           {"gamma", "0.1"},
                           {"sigma", "1"},
                           {"run_compose", "30"},
                           {"sampler", "poisson"},
                           {"sampling", "0.1"}}))),
      "repeat-and-select, repeats negative-binomial, eta 1, gamma 0.1, run_compose 30, run gaussian, "
      "sigma 1, sensitivity 1, sampler poisson, sampling 0.1, relation add-or-remove");
  EXPECT_THAT(made({{"gamma", "0.1"}}), IsRefused("one of epsilon, mu and rho"));
  EXPECT_THAT(made({{"gamma", "0.1"}, {"run", "zcdp"}, {"rho", "1"}}), IsRefused("has no pair"));
  EXPECT_THAT(made({{"gamma", "0.1"}, {"run", "laplace"}}), IsRefused("laplace needs scale"));
  EXPECT_THAT(made({{"gamma", "0.1"}, {"run", "repeat-and-select"}, {"mu", "1"}}),
              IsRefused("Nearest: epsilon"));
  EXPECT_THAT(made({{"gamma", "0.1"}, {"mu", "1"}, {"run_compose", "3"}}), IsRefused("needs run"));
  EXPECT_THAT(made({{"gamma", "0.1"}, {"mu", "1"}, {"rho", "1"}}),
              IsRefused("one of epsilon, mu and rho"));
  EXPECT_THAT(made({{"mu", "1"}}), IsRefused("needs gamma"));
  EXPECT_THAT(made({{"mu", "1"}, {"gamma", "1"}}), IsRefused("gamma"));
  EXPECT_THAT(made({{"mu", "1"}, {"gamma", "1e-12"}}), IsRefused("1e-09 to 1 - 1e-09"));
  EXPECT_THAT(made({{"mu", "1e-9"}, {"gamma", "0.1"}}), IsRefused("at least 1e-06"));
  EXPECT_THAT(made({{"mu", "1"}, {"gamma", "0.1"}, {"eta", "-1"}}), IsRefused("eta"));
  EXPECT_THAT(made({{"mu", "1"}, {"gamma", "0.1"}, {"mean", "2"}}),
              IsRefused("mean is for poisson"));
  EXPECT_THAT(made({{"mu", "1"}, {"repeats", "poisson"}}), IsRefused("needs mean"));
  EXPECT_THAT(made({{"mu", "1"}, {"repeats", "poisson"}, {"mean", "2"}, {"gamma", "0.1"}}),
              IsRefused("gamma is for negative-binomial"));
}

}  // namespace
}  // namespace assay

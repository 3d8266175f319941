// Flags of sparse vector, against all outputs of short lists of answers, computed here by sums over the threshold's noise.
#include "assay/mechanisms/accounting/account/above_threshold_step.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/account/internal/flag_pairs.hpp"
#include "assay/tests/support/listed_outputs.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using AskedOfFlags = AccountTarget::Asked;
using Numbers = std::vector<double>;

AccountAnswer flags_answer(const StepMechanism& step, std::int64_t count, AskedOfFlags asked,
                           double given, std::int64_t group = 1) {
  const std::vector<ChainStep> chain{{step, count, "", 1, group}};
  return must(account_for(chain, std::vector<AccountTarget>{{asked, given}})).front();
}
AccountAnswer flags_eps(const StepMechanism& step, std::int64_t count, double delta) {
  return flags_answer(step, count, AskedOfFlags::kEpsilonAtDelta, delta);
}
AccountAnswer flags_delta(const StepMechanism& step, std::int64_t count, double eps) {
  return flags_answer(step, count, AskedOfFlags::kDeltaAtEpsilon, eps);
}

AboveThresholdStep gaussian_flags_step(double threshold_sigma, double sigma, std::int64_t answers,
                                       std::int64_t cutoff = 1, bool resetting = false,
                                       bool monotone = false) {
  return {0.0, cutoff,  resetting, FlagNoise::kGaussian, threshold_sigma, sigma,
          1.0, answers, monotone};
}

// The scales of the two noises, by the header of the mechanism.
double threshold_scale(const AboveThresholdStep& s) {
  if (s.noise == FlagNoise::kGaussian) return s.threshold_sigma;
  return 2.0 * (s.resetting ? static_cast<double>(s.cutoff) : 1.0) / s.epsilon;
}
double answer_scale(const AboveThresholdStep& s) {
  if (s.noise == FlagNoise::kGaussian) return s.sigma;
  return 4.0 * static_cast<double>(s.cutoff) / s.epsilon;
}

double stays_below(FlagNoise noise, double x) {
  if (noise == FlagNoise::kGaussian) return 0.5 * std::erfc(-x / std::sqrt(2.0));
  return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x);
}
double noise_density(FlagNoise noise, double r) {
  if (noise == FlagNoise::kLaplace) return 0.5 * std::exp(-std::fabs(r));
  return std::exp(-0.5 * r * r) / std::sqrt(2.0 * 3.14159265358979323846);
}

// The probability of flags[from..to) given that the threshold's noise is new at `from`, by Simpson's rule between the kinks of
// Laplace noise.
double run_probability(const AboveThresholdStep& s, const Numbers& answers,
                       const std::vector<bool>& flags, std::size_t from, std::size_t to) {
  const double scale = threshold_scale(s), wide = answer_scale(s);
  const double end = s.noise == FlagNoise::kGaussian ? 9.0 * scale : 36.0 * scale;
  Numbers ends{-end, 0.0, end};
  for (std::size_t i = from; i < to; ++i) ends.push_back(std::clamp(answers[i], -end, end));
  std::sort(ends.begin(), ends.end());
  const auto at = [&](double r) {
    double p = noise_density(s.noise, r / scale) / scale;
    for (std::size_t i = from; i < to; ++i) {
      const double below = stays_below(s.noise, (r - answers[i]) / wide);
      p *= flags[i] ? 1.0 - below : below;
    }
    return p;
  };
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    constexpr int kCells = 60;
    const double h = (ends[i + 1] - ends[i]) / kCells;
    for (int k = 0; k < kCells && h > 0.0; ++k) {
      const double x = ends[i] + k * h;
      sum += h / 6.0 * (at(x) + 4.0 * at(x + 0.5 * h) + at(x + h));
    }
  }
  return sum;
}

// The probabilities of all outputs, in one order for all answers.
Numbers output_probabilities(const AboveThresholdStep& s, const Numbers& answers) {
  Numbers all;
  std::vector<bool> flags;
  const std::function<void(std::int64_t)> extend = [&](std::int64_t above) {
    if (flags.size() == answers.size() || above == s.cutoff) {
      double p = 1.0;
      std::size_t from = 0;
      for (std::size_t i = 0; s.resetting && i < flags.size(); ++i) {
        if (!flags[i]) continue;
        p *= run_probability(s, answers, flags, from, i + 1);
        from = i + 1;
      }
      if (from < flags.size()) p *= run_probability(s, answers, flags, from, flags.size());
      all.push_back(p);
      return;
    }
    for (const bool flag : {false, true}) {
      flags.push_back(flag);
      extend(above + (flag ? 1 : 0));
      flags.pop_back();
    }
  };
  extend(0);
  return all;
}

TEST(AboveThresholdStep, NoAnswersLeakMoreThanTheUpperBound) {
  std::vector<AboveThresholdStep> steps;
  for (const bool monotone : {false, true}) {
    for (const bool resetting : {false, true}) {
      for (const std::int64_t cutoff : {1, 2}) {
        if (resetting && cutoff == 1) continue;
        AboveThresholdStep laplace{2.0, cutoff, resetting};
        laplace.monotone = monotone;
        steps.push_back(laplace);
        steps.push_back(gaussian_flags_step(0.7, 1.1, 5, cutoff, resetting, monotone));
        steps.push_back(gaussian_flags_step(2.0, 0.5, 3, cutoff, resetting, monotone));
      }
    }
  }
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double closest = 0.0;
  for (const AboveThresholdStep& step : steps) {
    SCOPED_TRACE(to_string(StepMechanism{step}));
    const double reach = threshold_scale(step) + answer_scale(step);
    const Numbers at{0.0, 0.5, 1.2};
    Numbers once, composed;
    for (const double eps : at) {
      once.push_back(flags_delta(step, 1, eps).upper);
      composed.push_back(flags_delta(step, 2, eps).upper);
    }
    for (int trial = 0; trial < 20; ++trial) {
      const std::size_t most = step.answers == 0 ? 4 : static_cast<std::size_t>(step.answers);
      const std::size_t n = 1 + random() % std::min<std::size_t>(most, 4);
      const bool is_first_up = random() % 2 == 0;
      Numbers answers, moved;
      for (std::size_t i = 0; i < n; ++i) {
        answers.push_back(reach * (2.0 * unit(random) - 1.0));
        const double far = random() % 3 == 0 ? unit(random) : 1.0;
        const bool is_last = i + 1 == n;
        double up = random() % 4 == 0 ? 0.0 : is_last == is_first_up ? -far : far;
        if (step.monotone) up = is_last ? (is_first_up ? 0.0 : far) : (is_first_up ? far : 0.0);
        moved.push_back(answers[i] + up);
      }
      const Numbers p = output_probabilities(step, answers), q = output_probabilities(step, moved);
      for (const auto& [a, b] : {std::pair{p, q}, std::pair{q, p}}) {
        for (std::size_t e = 0; e < at.size(); ++e) {
          const double truth = listed::hockey_stick(a, b, at[e]);
          ASSERT_LE(truth, once[e] * (1.0 + 1e-6) + 1e-7);
          ASSERT_LE(listed::hockey_stick(listed::product(a, a), listed::product(b, b), at[e]),
                    composed[e] * (1.0 + 1e-6) + 1e-7);
          closest = std::max(closest, truth / once[e]);
        }
      }
    }
  }
  EXPECT_GT(closest, 0.5);  // the bound is tested near its value
}

// ---- the pairs ------------------------------------------------------------------------------------

double profile_of_atoms(const PrivacyLoss& loss, double eps) {
  double delta = loss.mass_above;
  for (const LossAtom& atom : loss.atoms) {
    if (atom.loss > eps) delta -= std::exp(atom.log_mass) * std::expm1(eps - atom.loss);
  }
  return delta;
}
// Of the pair in the other order. What is missing in its atoms is lost for certain.
double reverse_profile_of_atoms(const PrivacyLoss& loss, double eps) {
  double delta = 1.0;
  for (const LossAtom& atom : loss.atoms) {
    const double q = std::exp(atom.log_mass - atom.loss);
    delta -= atom.loss < -eps ? std::exp(eps) * std::exp(atom.log_mass) : q;
  }
  return delta;
}

// The most that flags of `answers` answers leak at b = e^eps if all move by `move` against the threshold: each x takes the
// best of a grid, from the last answer to the first.
double most_by_grid(FlagNoise noise, double move, int answers, double b) {
  const double log_b = std::log(b);
  if (answers == 0) return std::max(0.0, 1.0 - b);
  double most = 0.0;
  for (double x = -2.0 - move; x<7.0; x += answers> 2 ? 0.1 : 0.02) {
    const double p = stays_below(noise, x), q = stays_below(noise, x + move);
    const double now = std::max(0.0, (1.0 - p) - b * (1.0 - q));
    most =
        std::max(most, now + p * most_by_grid(noise, move, answers - 1, std::exp(log_b) * q / p));
  }
  return most;
}

TEST(AboveThresholdStep, FlagsLeakWhatTheBestLevelsLeak) {
  for (const double move : {0.3, 1.0, 2.5}) {
    const auto laplace = detail::laplace_flags(move);
    for (const int answers : {1, 2}) {
      const auto gaussian = detail::gaussian_flags(move, answers, kDefaultLogTail);
      for (const double eps : {0.0, 0.3, 1.0}) {
        const double by_grid = most_by_grid(FlagNoise::kGaussian, move, answers, std::exp(eps));
        const double upper = profile_of_atoms(gaussian, eps);
        EXPECT_GE(upper, by_grid * (1.0 - 1e-9)) << move << " " << answers << " " << eps;
        EXPECT_LE(upper, by_grid * 1.002 + 1e-6) << move << " " << answers << " " << eps;
        const double back =
            1.0 - std::exp(-eps) + std::exp(-eps) * reverse_profile_of_atoms(gaussian, eps);
        const double back_by_grid =
            most_by_grid(FlagNoise::kGaussian, move, answers, std::exp(-eps));
        EXPECT_GE(back, back_by_grid * (1.0 - 1e-9)) << move << " " << answers << " " << eps;
        EXPECT_LE(back, back_by_grid * 1.002 + 1e-6) << move << " " << answers << " " << eps;
        for (const double e : {eps, -eps}) {
          const double most = most_by_grid(FlagNoise::kLaplace, move, answers, std::exp(e));
          const double above =
              e >= 0.0 ? profile_of_atoms(laplace, e)
                       : 1.0 - std::exp(e) + std::exp(e) * reverse_profile_of_atoms(laplace, -e);
          EXPECT_GE(above, most * (1.0 - 1e-9)) << move << " " << answers << " " << e;
        }
      }
    }
    // Many equal answers at the best level reach the pair of any number.
    for (const double eps : {-0.5, 0.0, 0.1 * move}) {
      double most = 0.0;
      for (double x = -move; x < 1.0; x += 0.002) {
        double p = 1.0, q = 1.0;
        for (int n = 1; n < 60; ++n) {
          p *= stays_below(FlagNoise::kLaplace, x);
          q *= stays_below(FlagNoise::kLaplace, x + move);
          most = std::max(most, 1.0 - p - std::exp(eps) * (1.0 - q));
        }
      }
      const double above = eps >= 0.0 ? profile_of_atoms(laplace, eps)
                                      : 1.0 - std::exp(eps) +
                                            std::exp(eps) * reverse_profile_of_atoms(laplace, -eps);
      EXPECT_GE(above, most * (1.0 - 1e-9)) << move << " " << eps;
      EXPECT_LE(above, most * 1.05) << move << " " << eps;
    }
  }
}

TEST(AboveThresholdStep, ProbabilitiesOfAStreamAreInTheirBounds) {
  for (const FlagNoise noise : {FlagNoise::kLaplace, FlagNoise::kGaussian}) {
    const detail::FlagStream stream{noise, 1.5, 3, -1.0, 2, 4, 0.7};
    const auto bounds = stream.masses(0.5, -0.3);
    Numbers sums(4, 0.0);
    constexpr double kCell = 1e-4;
    for (double r = -40.0 + 0.5 * kCell; r < 40.0; r += kCell) {
      const double density = noise_density(noise, r) * kCell;
      const double first = std::pow(stays_below(noise, (r + 0.5) / 1.5), 3);
      const double quiet = std::pow(stays_below(noise, (r - 0.4) / 1.5), 4);
      sums[0] += density * (1.0 - first);
      sums[1] += density * first * quiet * quiet;
      sums[2] += density * first * 2.0 * quiet * (1.0 - quiet);
      sums[3] += density * first * (1.0 - quiet) * (1.0 - quiet);
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      EXPECT_NEAR(sums[j], bounds[j].low, 1e-8);
      EXPECT_LE(bounds[j].low, bounds[j].high);
      EXPECT_LE(bounds[j].high, bounds[j].low * (1.0 + 1e-9));
    }
  }
}

TEST(AboveThresholdStep, KindsOfFlagsInTurnTendToOneOddsRatio) {
  // The kind of the first flag among many pairs of answers, one of each kind, for Laplace noise of scales 1 and 3 and D = 0.7.
  const auto odds = [](double first, double second) {
    double of_first = 0.0, of_second = 0.0;
    constexpr double kCell = 1e-3, kPairs = 1e9;
    for (double r = -30.0 + 0.5 * kCell; r < 30.0; r += kCell) {
      const double one = 0.5 * std::exp((first - r) / 3.0);
      const double two = (1.0 - one) * 0.5 * std::exp((second - r) / 3.0);
      const double any = -std::expm1(kPairs * std::log1p(-one - two)) / (one + two);
      const double density = noise_density(FlagNoise::kLaplace, r) * kCell;
      of_first += density * one * any;
      of_second += density * two * any;
    }
    EXPECT_NEAR(of_first + of_second, 1.0, 1e-6);
    return of_first / of_second;
  };
  const double far = -45.0, distance = 0.7;
  EXPECT_NEAR(odds(far + distance, far - distance) / odds(far, far), std::exp(2.0 * distance / 3.0),
              1e-4);
}

TEST(AboveThresholdStep, ManyLaplaceFlagsLeakAtLeastTheirKinds) {
  // 400 independent bits of two kinds, whose odds move by e^(1/800), against their exact composition.
  const auto answer = flags_eps(AboveThresholdStep{1.0, 400, true}, 1, 1e-6);
  const auto bits = flags_eps(RandomizedResponseStep{0.5 / 800.0}, 400, 1e-6);
  EXPECT_GE(*answer.lower, 0.999 * *bits.lower);
  EXPECT_GT(answer.upper, *answer.lower);
}

// ---- bounds ---------------------------------------------------------------------------------------

// eps of one flag at the best level, by a grid.
double delta_of_one_flag(const AboveThresholdStep& s, double eps) {
  double most = 0.0;
  for (int i = -40; i <= 40; ++i) {
    const double level = 0.1 * i * (threshold_scale(s) + answer_scale(s));
    const double p = run_probability(s, {level}, {true}, 0, 1);
    const double q = run_probability(s, {level - 1.0}, {true}, 0, 1);
    most = std::max({most, p - std::exp(eps) * q, (1.0 - q) - std::exp(eps) * (1.0 - p)});
  }
  return most;
}

TEST(AboveThresholdStep, LowerBoundsLieBelowUpperOnesAndAboveOneFlag) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto log_between = [&](double low, double high) {
    return low * std::pow(high / low, unit(random));
  };
  for (int trial = 0; trial < 200; ++trial) {
    AboveThresholdStep step{log_between(1e-3, 10.0), 1 + static_cast<std::int64_t>(random() % 12),
                            random() % 2 == 0};
    step.monotone = random() % 3 == 0;
    if (random() % 2 == 0) {
      step.epsilon = 0.0;
      step.noise = FlagNoise::kGaussian;
      step.threshold_sigma = log_between(0.1, 50.0);
      step.sigma = log_between(0.1, 50.0);
      step.answers = static_cast<std::int64_t>(log_between(1.0, 3000.0));
    } else if (random() % 2 == 0) {
      step.answers = static_cast<std::int64_t>(log_between(1.0, 3000.0));
    }
    SCOPED_TRACE(to_string(StepMechanism{step}));
    const auto count = static_cast<std::int64_t>(log_between(1.0, 50.0));
    const bool asks_delta = random() % 2 == 0;
    const AccountTarget target =
        asks_delta ? AccountTarget{AskedOfFlags::kDeltaAtEpsilon, log_between(0.01, 2.0)}
                   : AccountTarget{AskedOfFlags::kEpsilonAtDelta, log_between(1e-10, 0.1)};
    const std::vector<ChainStep> chain{{step, count, ""}};
    const auto answer = must(certified_cost(chain, target, 1e-2, 1e-6));
    EXPECT_LE(*answer.lower, answer.upper);
    EXPECT_FALSE(answer.is_exact);
    if (!asks_delta || count > 1 || trial % 3 > 0) continue;
    EXPECT_GE(*answer.lower, delta_of_one_flag(step, target.given) * 0.99 - 1e-9);
  }
}

TEST(AboveThresholdStep, CostsOfKnownSettings) {
  const auto within = [](const AboveThresholdStep& step, double low, double high) {
    const auto answer = flags_eps(step, 1, 1e-6);
    EXPECT_GE(*answer.lower, low);
    EXPECT_LE(answer.upper, high);
  };
  within({1.0, 1, false}, 0.99, 1.0);
  within({1.0, 100, true}, 0.08, 0.30);
  within({1.0, 100, false}, 0.06, 0.74);
  within(gaussian_flags_step(8.0, 8.0, 1000, 10), 2.9, 8.8);
}

TEST(AboveThresholdStep, OneGaussianAnswerIsOneGaussian) {
  const auto flag = flags_eps(gaussian_flags_step(3.0, 4.0, 1), 1, 1e-5);
  EXPECT_NEAR(flag.upper, flags_eps(GdpStep{0.2}, 1, 1e-5).upper, 1e-6);
  // Two answers that move against each other: the threshold does not show. In one direction it does.
  EXPECT_NEAR(gaussian_flags_step(3.0, 4.0, 2).mu()->high, std::sqrt(2.0) / 4.0, 1e-12);
  EXPECT_NEAR(gaussian_flags_step(3.0, 4.0, 2, 1, false, true).mu()->high,
              std::sqrt((2.0 - 9.0 * 4.0 / 34.0) / 16.0), 1e-12);
}

TEST(AboveThresholdStep, LargestLosses) {
  const auto expect_level = [](const AboveThresholdStep& step, double level) {
    const auto answer = flags_eps(step, 3, 0.0);
    EXPECT_NEAR(answer.upper, 3.0 * level, 1e-9);
    EXPECT_NEAR(*answer.lower, 3.0 * level, 1e-9);
  };
  AboveThresholdStep step{0.8, 3, true};
  expect_level(step, 0.8);
  step.monotone = true;
  expect_level(step, 0.6);  // half for the threshold, half of the rest for the answers
  step.resetting = false;
  expect_level(step, 0.6);
  EXPECT_EQ(flags_eps(gaussian_flags_step(8.0, 8.0, 10), 1, 0.0).upper,
            std::numeric_limits<double>::infinity());
}

TEST(AboveThresholdStep, AGroupMovesGaussianAnswersFurther) {
  auto step = gaussian_flags_step(8.0, 6.0, 50, 2);
  const auto group = flags_answer(step, 1, AskedOfFlags::kEpsilonAtDelta, 1e-6, 3);
  step.sensitivity = 3.0;
  const auto far = flags_eps(step, 1, 1e-6);
  EXPECT_NEAR(group.upper, far.upper, 1e-9);
  EXPECT_NEAR(*group.lower, *far.lower, 1e-9);
}

TEST(AboveThresholdStep, WrongParametersAreRefused) {
  using Given = std::vector<KeyValue>;
  for (const auto& [given, message] : std::vector<std::pair<Given, const char*>>{
           {{}, "epsilon must be 1e-06 to 100 for noise laplace, not 0"},
           {{{"epsilon", "1"}, {"sigma", "2"}}, "sigma must be left out for noise laplace"},
           {{{"epsilon", "1"}, {"threshold_sigma", "2"}}, "threshold_sigma must be left out"},
           {{{"epsilon", "1"}, {"sensitivity", "2"}}, "sensitivity must be 1 for noise laplace"},
           {{{"noise", "gaussian"}, {"epsilon", "1"}}, "epsilon must be left out"},
           {{{"noise", "gaussian"}}, "answers must be 1 to 1000000 for noise gaussian, not 0"},
           {{{"noise", "gaussian"}, {"answers", "5"}, {"sigma", "1"}},
            "threshold_sigma must be 0.05 to 1e+06 times the sensitivity, not 0 times"},
           {{{"noise", "gumbel"}}, "noise"}}) {
    EXPECT_THAT(make_step("above-threshold", given), IsRefused(message));
  }
  const auto step = must(make_step(
      "above-threshold",
      Given{{"noise", "gaussian"}, {"threshold_sigma", "8"}, {"sigma", "8"}, {"answers", "100"}}));
  EXPECT_EQ(
      to_string(step),
      "above-threshold, cutoff 1, resetting false, noise gaussian, threshold_sigma 8, sigma 8, "
      "sensitivity 1, answers 100");
}

}  // namespace
}  // namespace assay

// Rates: how errors and regrets grow. Finitely many rounds refute no O(), so these claims are at
// best not refuted. The refuted one is a lower bound above the largest possible regret.
//
// Exponents: every run has one least-squares slope, of log values in the log of the varied number,
//   with common random numbers for its settings. Runs are independent, so the k-th smallest and the
//   k-th largest of n slopes enclose their median with probability at least 1 - 2 P(Bin(n, 1/2) < k),
//   for any distribution. All exponents of a claim share the error evenly.                     (1)
// niht-error. Squared error over Lambda_private = (s log d)^2 log(log(N)/delta) log(N)^3/(N eps)^2:
//   by the proposition its exponents in N, 1/eps and log d are at most 0.                      (2)
//   Half the squared loss, eta = 1/2, contexts of fair signs (kappa = 1), |beta|_1 = b_max = 1,
//   uniform noise of size 0.1, M of the proposition, and levels so large that the noise does not
//   fill the l1 ball.
// fliphat-regret. Theorem 5.6 at alpha = 0: sqrt(T (s + s*)^2 log d) + sqrt((s + s*)^3 log(1/delta))
//   log(d) log(T)^3/eps: exponents of at most 1 in log d and in 1/eps and at most 1/2 in T, except
//   for logarithms. In T it is that of R(T) over R(T/2).                                       (3)
// sparse-lower. With two arms the expected regret is at most 2 E|x|_inf b_max T, for bounded contexts
//   and for the Gaussian ones of Appendix C, but the bound has no limit as eps falls.           (4)
//   The proof has (r sqrt(s*) T/4) exp(a s* log(d/s*) - 20 eps T (sigma_X/sigma) sqrt(s*) r),
//   sigma_X^2 = 1/log d, if the exponent is at most 0: at best a s* log(d/s*) sqrt(log d)
//   sigma/(80 eps), at an r like 1/(eps T) that must leave |beta|_1 <= b_max                   (5)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/auditors/statistics/median.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/sparse/fliphat.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"

namespace assay::sparse_checks {
namespace {

// ---- exponents ----------------------------------------------------------------------------------

struct Exponent {
  std::string of;  // "log d"
  double claimed = 0.0;
  std::vector<double> slopes;  // one for each repetition
};

double slope_of(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double cross = 0.0;
  double square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    cross += (x[i] - mean_x) * (y[i] - mean_y);
    square += (x[i] - mean_x) * (x[i] - mean_x);
  }
  return cross / square;
}

ClaimFinding rates(ClaimFinding finding, std::vector<Exponent> exponents,
                   const ClaimRequest& request) {
  const auto runs = static_cast<std::int64_t>(exponents.front().slopes.size());
  const double error = (1.0 - request.confidence) / static_cast<double>(exponents.size());
  bool enough = true;
  finding.table.columns = {"in", "claimed, at most", "median", "at least", "at most"};
  std::string above;
  for (auto& exponent : exponents) {
    std::sort(exponent.slopes.begin(), exponent.slopes.end());
    const auto middle = static_cast<std::size_t>(runs / 2);
    const auto [low, high] = median_bounds(exponent.slopes, error);  // (1)
    enough = enough && std::isfinite(low);
    finding.table.rows.push_back({exponent.of, rounded(exponent.claimed, 3),
                                  rounded(exponent.slopes[middle], 3), rounded_down(low, 3),
                                  rounded_up(high, 3)});
    if (low > exponent.claimed) above += (above.empty() ? "" : ", ") + exponent.of;
  }
  finding.confidence = request.confidence;
  finding.verdict = ClaimVerdict::kNotRefuted;
  finding.summary = above.empty() ? "no fitted exponent exceeds the claimed one"
                                  : "the fitted exponent in " + above +
                                        " exceeds the claimed one, except for its logarithms";
  if (!enough)
    return undecided(std::move(finding), "too few runs for intervals at this confidence");
  return finding;
}

// ---- N-IHT --------------------------------------------------------------------------------------

struct RegressionSetting {
  std::int64_t records = 2048;  // N
  std::int64_t dimension = 32;
  double epsilon = 200.0;
  friend bool operator==(const RegressionSetting&, const RegressionSetting&) = default;
};

constexpr std::int64_t kKept = 4;  // s
constexpr double kNihtDelta = 0.01;
constexpr double kNihtSigma = 0.1;

double lambda_private(const RegressionSetting& setting) {  // of (2)
  const auto n = static_cast<double>(setting.records);
  const double log_n = portable_log(n);
  const double kept =
      static_cast<double>(kKept) * portable_log(static_cast<double>(setting.dimension));
  return kept * kept * portable_log(log_n / kNihtDelta) * log_n * log_n * log_n /
         (n * n * setting.epsilon * setting.epsilon);
}

// log of the squared error over Lambda_private, for one call.
Result<double> log_error(const RegressionSetting& setting, std::uint64_t seed, std::uint64_t run) {
  EpisodesConfig config;
  config.dimension = setting.dimension;
  config.horizon = 2 * setting.records;
  config.sparsity = kKept;
  config.step = 0.5;
  config.iterations = IterationRule::kTheorem;
  config.sigma = kNihtSigma;
  config.loss = SquaredLoss::kHalf;
  const auto bounds = episode_bounds(config, setting.records);
  const auto plan = episode_plan(config, setting.records);
  const double unit =
      ASSAY_TRY(niht_unit_scale(plan, {setting.epsilon, kNihtDelta, Calibration::kPaper}));
  const auto noisy = ASSAY_TRY(niht_with_noise(plan, bounds, unit, Calibration::kPaper));
  ReplayStream random({seed, hash_purpose("claims/niht-error"), run, 0});
  RegressionData data(setting.dimension, setting.records, plan.iterations,
                      {bounds.context, bounds.reward});
  std::vector<double> context(static_cast<std::size_t>(setting.dimension));
  for (std::int64_t i = 0; i < setting.records; ++i) {
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < context.size(); ++j) {
      if (j % 64 == 0) bits = random.next();
      context[j] = (bits >> (j % 64) & 1) != 0 ? 1.0 : -1.0;
    }
    data.add(context, 0.5 * context[0] - 0.5 * context[1] +
                          kNihtSigma * std::sqrt(3.0) * (2.0 * random.uniform() - 1.0));
  }
  const auto estimate = run_niht(noisy, data, random, [](const NihtStep&) {});
  double error = 0.5;  // |beta|^2
  for (std::size_t i = 0; i < estimate.indices.size(); ++i) {
    const std::int64_t j = estimate.indices[i];
    const double truth = j == 0 ? 0.5 : j == 1 ? -0.5 : 0.0;
    error += (estimate.values[i] - truth) * (estimate.values[i] - truth) - truth * truth;
  }
  return portable_log(error / lambda_private(setting));
}

// ---- FLIPHAT ------------------------------------------------------------------------------------

constexpr std::int64_t kRegretHorizon = 4096;

struct Regrets {
  double half = 0.0;  // regret after half of the rounds
  double whole = 0.0;
};

// Truncated contexts, x_max = 1, the paper's noise, one iteration from N = 256 on. Policies of several eps, which
// meet the same contexts and the same noise of rewards.
Result<std::vector<Regrets>> play(std::int64_t dimension, std::span<const double> epsilons,
                                  std::uint64_t seed, std::uint64_t run) {
  std::vector<Fliphat> policies;
  for (const double epsilon : epsilons) {
    FliphatConfig config;
    config.dimension = dimension;
    config.horizon = kRegretHorizon;
    config.iterations = IterationRule::kCode;
    config.iteration_factor = 0.16;
    config.b_max = 2.0;
    config.epsilon = epsilon;
    config.calibration = Calibration::kPaper;
    policies.push_back(ASSAY_TRY(Fliphat::create(config)));
  }
  GaussianContextsConfig world;
  world.arms = FliphatConfig{}.arms;
  world.dimension = dimension;
  world.truncation = 1.0;
  auto rounds = ASSAY_TRY(GaussianContexts::create(world, {{0, 1}, {1.0, -1.0}}));
  std::vector<ReplayStream> choices(
      policies.size(), ReplayStream({seed, hash_purpose("claims/fliphat-regret"), run, 0}));
  ReplayStream luck({seed, hash_purpose("claims/fliphat-regret"), run, 1});
  std::vector<Regrets> out(policies.size());
  for (std::int64_t t = 0; t < kRegretHorizon; ++t) {
    const auto contexts = rounds.context(t, luck);
    const ReplayStream noise = luck;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      luck = noise;
      const int action = policies[i].choose(contexts, choices[i]);
      out[i].whole += rounds.gap(action);
      policies[i].observe(rounds.feedback(t, action, luck), choices[i]);
      if (2 * (t + 1) == kRegretHorizon) out[i].half = out[i].whole;
    }
  }
  return out;
}

}  // namespace

Finding niht_error(const ClaimRequest& request, const RunControl& control) {
  const std::int64_t runs = scaled(24, request);
  std::vector<Exponent> exponents = {{"N", 0.0, {}}, {"1/eps", 0.0, {}}, {"log d", 0.0, {}}};
  ClaimFinding finding;
  finding.domain = fmt::format(
      "{} runs of each setting: N 512 to 8,192 (d = 32, eps = 200), eps 100 to 400 (N = 2,048), d 8 to "
      "128; s = 4, s* = 2, kappa = 1, delta = 0.01",
      runs);
  for (std::int64_t run = 0; run < runs; ++run) {
    std::optional<double> shared;  // of the setting that is in all three series
    const auto error_at = [&](const RegressionSetting& setting) -> Result<double> {
      const bool is_shared = setting == RegressionSetting{2048, 32, 200.0};
      if (is_shared && shared) return *shared;
      ++finding.evaluations;
      const double error =
          ASSAY_TRY(log_error(setting, request.seed, static_cast<std::uint64_t>(run)));
      if (is_shared) shared = error;
      return error;
    };
    const auto fit = [&](Exponent& exponent, std::span<const RegressionSetting> settings,
                         auto value) -> Status {
      std::vector<double> x;
      std::vector<double> y;
      for (const auto& setting : settings) {
        x.push_back(portable_log(value(setting)));
        y.push_back(ASSAY_TRY(error_at(setting)));
      }
      exponent.slopes.push_back(slope_of(x, y));
      return {};
    };
    if (control.stopped()) return undecided(std::move(finding), "stopped");
    ASSAY_TRY(fit(
        exponents[0],
        std::array<RegressionSetting, 3>{{{512, 32, 200.0}, {2048, 32, 200.0}, {8192, 32, 200.0}}},
        [](const RegressionSetting& s) { return static_cast<double>(s.records); }));
    ASSAY_TRY(fit(
        exponents[1],
        std::array<RegressionSetting, 3>{{{2048, 32, 400.0}, {2048, 32, 200.0}, {2048, 32, 100.0}}},
        [](const RegressionSetting& s) { return 1.0 / s.epsilon; }));
    ASSAY_TRY(fit(
        exponents[2],
        std::array<RegressionSetting, 3>{{{2048, 8, 200.0}, {2048, 32, 200.0}, {2048, 128, 200.0}}},
        [](const RegressionSetting& s) { return portable_log(static_cast<double>(s.dimension)); }));
  }
  finding.evidence = {
      "table: exponents of the squared error over Lambda_private = (s log d)^2 log(log(N)/delta) "
      "log(N)^3/(N eps)^2, at most 0 if the proposition holds; medians over runs with intervals of "
      "order statistics",
      "the levels are far from private: below them the noise of so many iterations fills the l1 "
      "ball, and no rate is visible"};
  return rates(std::move(finding), std::move(exponents), request);
}

Finding regret_rates(const ClaimRequest& request, const RunControl& control) {
  const std::int64_t runs = scaled(24, request);
  std::vector<Exponent> exponents = {{"log d", 1.0, {}}, {"1/eps", 1.0, {}}, {"T", 0.5, {}}};
  ClaimFinding finding;
  finding.domain = fmt::format(
      "{} runs of each setting: d 16 to 256 (eps = 0.5), eps 0.25 to 1 (d = 64), T = 2,048 and 4,096; K = 2, "
      "s = s* = 2, delta = 0.01, contexts truncated at x_max = 1, the paper's noise, one iteration from "
      "N = 256 on, none before",
      runs);
  const double log_two = portable_log(2.0);
  for (std::int64_t run = 0; run < runs; ++run) {
    const auto regrets = [&](std::int64_t dimension, std::span<const double> epsilons) {
      finding.evaluations += static_cast<std::int64_t>(epsilons.size());
      return play(dimension, epsilons, request.seed, static_cast<std::uint64_t>(run));
    };
    if (control.stopped()) return undecided(std::move(finding), "stopped");
    const std::array three = {0.5, 0.25, 1.0};
    const auto of_middle = ASSAY_TRY(regrets(64, three));
    const auto& [middle, tight, loose] = std::tie(of_middle[0], of_middle[1], of_middle[2]);
    const auto one = std::span(three).first(1);
    const Regrets narrow = ASSAY_TRY(regrets(16, one)).front();
    const Regrets wide = ASSAY_TRY(regrets(256, one)).front();
    const std::array logs = {portable_log(portable_log(16.0)), portable_log(portable_log(64.0)),
                             portable_log(portable_log(256.0))};
    exponents[0].slopes.push_back(
        slope_of(logs, std::array{portable_log(narrow.whole), portable_log(middle.whole),
                                  portable_log(wide.whole)}));
    exponents[1].slopes.push_back(
        slope_of(std::array{0.0, log_two, 2.0 * log_two},
                 std::array{portable_log(loose.whole), portable_log(middle.whole),
                            portable_log(tight.whole)}));
    exponents[2].slopes.push_back(portable_log(middle.whole / middle.half) / log_two);  // (3)
  }
  finding.evidence = {
      "table: exponents of the regret, in T from half of the rounds to all of them; medians over runs "
      "with intervals of order statistics",
      "the theorem's exponents are those of its leading terms, log(T)^3 apart, and are upper bounds"};
  return rates(std::move(finding), std::move(exponents), request);
}

// ---- the lower bound ----------------------------------------------------------------------------

LowerCounterexample lower_at(const Point& point) {
  LowerCounterexample found;
  found.horizon = static_cast<std::int64_t>(point[0]);
  found.dimension = static_cast<std::int64_t>(point[1]);
  found.sparsity = static_cast<std::int64_t>(point[2]);
  found.epsilon = point[3];
  const auto s = static_cast<double>(found.sparsity);
  const double cases = portable_log(static_cast<double>(found.dimension) / s);
  found.bound = found.constant * s * cases * std::sqrt(cases) / found.epsilon;
  found.most = 2.0 * found.context * found.b_max * static_cast<double>(found.horizon);
  return found;
}

// The ratio counts only up to e, since it has no limit.
SearchedClaim lower_search() {
  return {{whole_log_scale("T", 1, 1e6), whole_log_scale("d", 100, 1e5),
           whole_log_scale("s*", 10, 1000), log_scale("eps", 1e-9, 1.0)},
          [](const Point& point) {
            if (10.0 * point[2] > point[1]) return std::nan("");
            const auto found = lower_at(point);
            return std::min(1.0, portable_log(found.bound / found.most));
          },
          1e-12};
}

Finding lower_bound(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "sparse-lower", .claim = lower_search(), .points = 2'000}, request, control);
  finding.domain =
      "c = 0.001, E|x|_inf = b_max = 1, two arms, s* >= 10, d >= 10 s*: " + finding.points() +
      " settings of T, d, s* and eps";
  finding.table.columns = {"eps", "s* log(d/s*)^1.5/eps", "sqrt(s* T log(d/s*))",
                           "2 E|x|_inf b_max T"};
  for (const double epsilon : {0.5, 1.0, 10.0}) {
    const double cases = portable_log(80.0);
    finding.table.rows.push_back(
        {rounded(epsilon, 2), rounded(5.0 * cases * std::sqrt(cases) / epsilon, 3),
         rounded(std::sqrt(5.0 * 20000.0 * cases), 3), "40,000 E|x|_inf b_max"});
  }
  return refuted_or_not(
      finding, "log of the bound over 2 T", lower_at,
      {"Appendix C takes Gaussian contexts of variance 1/log d, so that E|x|_inf is of order 1, and "
       "beta* of Assumption 5.3(a), so |beta*|_1 <= b_max. Without b_max no regret is too large, and "
       "nothing here refutes the bound",
       "the proof gives a s* log(d/s*) sqrt(log d) sigma/(80 eps), where a is the constant of "
       "its packing, as long as its r, which grows like 1/(eps T), is small enough that |beta|_1 "
       "<= b_max. With the r that |beta|_1 = b_max allows it gives a bound of order T/sqrt(s*)",
       "the table has the reference curve at d = 400, s* = 5, T = 20,000; the privacy term is "
       "below the statistical term at every level of the experiments"});
}

}  // namespace assay::sparse_checks

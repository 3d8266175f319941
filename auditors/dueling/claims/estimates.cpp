// The accuracy of the counters' noise, of the estimates of effective Borda scores and of their
// intervals.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/laplace_sum.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay::dueling_checks {
namespace {

// Density of a sum of m standard Laplace variables at 0.
double density_at_zero(int m) {
  double density = 0.5;
  for (int k = 1; k < m; ++k) density *= (2.0 * k - 1.0) / (2.0 * k);
  return density;
}

std::string share_text(std::int64_t count, std::int64_t trials, double alpha) {
  return fmt::format("[{}, {}]",
                     rounded_down(clopper_pearson_lower(count, trials, alpha / 2.0).value.value, 3),
                     rounded_up(clopper_pearson_upper(count, trials, alpha / 2.0).value.value, 3));
}

// The number of `trials` for which fails(trial) holds; -1 if the run was stopped.
template <class Fails>
std::int64_t count_failures(std::int64_t trials, const RunControl& control, Fails fails) {
  const auto failed = map_chunks(
      control, static_cast<std::size_t>(trials),
      [&](std::size_t trial) -> char { return !control.cancelled() && fails(trial) ? 1 : 0; });
  if (control.cancelled()) return -1;
  return std::count(failed.begin(), failed.end(), 1);
}

}  // namespace

double log_growth(double horizon) {
  const double log_horizon = portable_log(horizon);
  return log_horizon * log_horizon * std::sqrt(log_horizon);
}

// ---- Lemma 1 ------------------------------------------------------------------------------------

SearchedClaim tree_accuracy_search() {
  return {{whole_log_scale("T", 3, 1e9), real("nodes", 0.0, 1.0),
           log_scale("log(1/delta)", 1e-6, 200.0)},
          [](const Point& point) {
            const int h = std::bit_width(static_cast<std::uint64_t>(point[0]));
            const int m = 1 + static_cast<int>(point[1] * (h - 1));
            const double wide = 4.0 * log_growth(point[0]) / h;
            return log_laplace_sum_tail(m, wide * point[2]) + point[2];
          },
          1e-9};
}

// A count's noise is h/eps times X_m, the sum of m <= h standard Laplace variables. The bound is
// h/eps times c l, c = 4 log(T)^2.5/h, l = log(1/delta). |X_m| has a log-concave density, so the
// log of its tail is concave, as is f(l) = log P(|X_m| > c l) + l, with f(0) = 0: f <= 0 for all
// l >= 0 if and only if f'(0) = 1 - 2 c g_m(0) <= 0, g_m the density of X_m. g_m(0) falls with m,
// so m = h at the smallest T of each h decides. Beyond the h that are tried, g_h(0) >= 1/(2 sqrt(pi
// h)) makes 2 c g_h(0) grow like h.
Finding tree_accuracy(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "tree-accuracy", .claim = tree_accuracy_search(), .points = 3'000},
                          request, control);
  finding.confidence = request.confidence;
  double least = HUGE_VAL;
  for (int h = 2; h <= 60; ++h) {
    const double horizon = h == 2 ? 3.0 : std::ldexp(1.0, h - 1);
    least = std::min(least, 8.0 * log_growth(horizon) * density_at_zero(h) / h);
  }
  finding.domain = "every eps, delta, time and T from 3; search: " + finding.points() +
                   " exact tails; runs for all times at once";
  finding.evidence = {
      "proof step: the log of the tail of a sum of Laplace variables is concave, so its slope at "
      "delta = 1 decides: the bound exceeds that requirement by a factor of at least " +
          rounded_down(least, 4),
      "independent search: log of the failure's probability over delta at most " + finding.excess(),
      "T = 1 and 2 are excluded: log(1) = 0 allows no error at all, and log(2)^2.5 = 0.4 allows "
      "less than the noise of the one node"};
  if (least < 1.0) return contradiction(finding, "a small T");
  finding.table.columns = {"T", "delta", "bound", "quantile", "at some time beyond it"};
  const std::int64_t trials = scaled(400, request);
  struct Row {
    std::int64_t horizon;
    double delta;
  };
  const std::vector<Row> rows = {{16, 0.5}, {16, 0.95}, {256, 0.5}, {2048, 0.05}};
  for (const Row& row : rows) {
    const std::int64_t horizon = row.horizon;
    const double delta = row.delta;
    TreeCounterConfig config;
    config.horizon = horizon;
    config.noise = CounterNoise::kIdealizedLaplace;
    const auto mechanism = ASSAY_TRY(TreeCounterMechanism::create(config));
    const double log_failure = -portable_log(delta);
    const double bound = 4.0 * log_failure * log_growth(static_cast<double>(horizon));
    const std::vector<double> zeros(static_cast<std::size_t>(horizon), 0.0);
    const auto failures = count_failures(trials, control, [&](std::size_t trial) {
      ReplayStream random(
          {request.seed, hash_purpose("claims/tree-accuracy/" + std::to_string(horizon)), trial});
      const auto errors = mechanism.release(zeros, random);
      return std::any_of(errors.begin(), errors.end(),
                         [&](double error) { return std::fabs(error) > bound; });
    });
    if (failures < 0) return undecided(finding, "stopped");
    finding.evaluations += trials;
    const int most = std::bit_width(static_cast<std::uint64_t>(horizon)) - 1;
    finding.table.rows.push_back(
        {grouped(horizon), number_text(delta), rounded(bound, 4),
         rounded(mechanism.noise().scale() * laplace_sum_quantile(most, -log_failure), 4),
         share_text(failures, trials, (1.0 - request.confidence) / 4.0)});
  }
  finding.evidence.push_back(
      "table: eps = 1; the bound, the exact quantile at the worst time, and how often an error "
      "exceeds the bound at some time");
  finding.evidence.push_back(
      "read as a bound on all times at once it fails if delta is close to 1 (second row), and is "
      "far from failing if delta is small");
  return proved(finding, "at each time, by the slope of a concave function");
}

// ---- Lemma 3 and Corollary 1 --------------------------------------------------------------------

SearchedClaim unbiased_set_search() {
  return {{whole("K", 2, 4), whole("n", 1, 3), real("r_1", -5.0, 5.0), real("r_2", -5.0, 5.0),
           real("r_3", -5.0, 5.0), real("r_4", -5.0, 5.0)},
          [](const Point& point) {
            const auto arms = static_cast<std::size_t>(point[0]);
            const auto plays = static_cast<int>(point[1]);
            const auto p = [&](std::size_t j) { return logistic(point[2] - point[2 + j]); };
            const double share = 1.0 / static_cast<double>(arms);
            double score = 0.0;
            for (std::size_t j = 0; j < arms; ++j) score += share * p(j);
            double mean = 0.0;
            const std::function<void(int, int, double)> enumerate = [&](int played, int wins,
                                                                        double weight) {
              if (played == plays) {
                mean += weight * wins / plays;
                return;
              }
              for (std::size_t j = 0; j < arms; ++j) {
                enumerate(played + 1, wins + 1, weight * share * p(j));
                enumerate(played + 1, wins, weight * share * (1.0 - p(j)));
              }
            };
            enumerate(0, 0, 1.0);
            return std::fabs(mean - score);
          },
          1e-13};
}

Finding unbiased_set(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "ebs-unbiased", .claim = unbiased_set_search(), .points = 300},
                          request, control);
  finding.domain = "every fixed set of arms and number of duels; enumeration: " + finding.points() +
                   " sets of up to 4 arms, up to 3 duels";
  finding.evidence = {
      "proof step: a duel against a uniform rival is won with probability B_S(i); the counter's "
      "noise has mean 0",
      "enumeration: the means differ by at most " + finding.excess()};
  return proved(finding, "linearity of the mean, for a set and a number of duels fixed in advance");
}

PhaseCounterexample phase_at(const Point& point) {
  PhaseCounterexample found;
  found.horizon = static_cast<std::int64_t>(point[0]);
  found.preference = point[1];
  const double cases = portable_log(2.0 * point[0] / found.delta);
  found.plays = 2;
  while (4.0 * cases >= static_cast<double>(found.plays)) ++found.plays;
  found.score = 0.5 * (0.5 + found.preference);
  const auto plays = 2.0 * static_cast<double>(found.plays);
  const double second = portable_exp(plays * portable_log(found.score));
  const double first = portable_exp(plays * portable_log(1.0 - found.score));
  found.bias = (found.score * first - (1.0 - found.score) * second) / (1.0 - second - first);
  return found;
}

SearchedClaim unbiased_phase_search() {
  return {{whole("T", 20, 200), real("P(1,2)", 0.5, 0.88)},
          [](const Point& point) {
            const auto found = phase_at(point);
            const auto n = static_cast<double>(found.plays);
            const double cases = portable_log(2.0 * point[0] / found.delta);
            const double radius = std::sqrt(cases / n);
            if (!(2.0 * n <= point[0] && radius + std::sqrt(cases / (n - 1.0)) > 1.0 &&
                  2.0 * radius < 1.0 && 2.0 * radius > 1.0 - 1.0 / n)) {
              return std::nan("");
            }
            return std::fabs(found.bias);
          },
          1e-12};
}

namespace {

// Two arms without noise, which win with probability b and 1 - b: the mean of arm 1's estimate
// after n pulls of each given that none has left, and the probability of that.
struct PhaseMean {
  double mean = 0.0;
  double lasts = 1.0;
};
PhaseMean mean_given_phase(double b, std::int64_t plays, double cases) {
  const auto width = static_cast<std::size_t>(plays) + 1;
  std::vector<double> distribution(width * width, 0.0);  // of the wins of both
  distribution[0] = 1.0;
  const auto play_one = [&](bool first, double p) {
    for (std::size_t i = width; i-- > 0;) {
      for (std::size_t j = width; j-- > 0;) {
        const std::size_t back = first ? width : 1;
        const bool has = first ? i > 0 : j > 0;
        double& at = distribution[i * width + j];
        at = at * (1.0 - p) + (has ? distribution[i * width + j - back] * p : 0.0);
      }
    }
  };
  const auto eliminate = [&](std::int64_t n1, std::int64_t n2) {
    const auto a = static_cast<double>(n1);
    const auto c = static_cast<double>(n2);
    const double radii = std::sqrt(cases / a) + std::sqrt(cases / c);
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        const double apart = static_cast<double>(i) / a - static_cast<double>(j) / c;
        if (std::fabs(apart) > radii) distribution[i * width + j] = 0.0;
      }
    }
  };
  for (std::int64_t n = 1; n <= plays; ++n) {
    play_one(true, b);
    if (n > 1) eliminate(n, n - 1);
    play_one(false, 1.0 - b);
    eliminate(n, n);
  }
  PhaseMean out{0.0, 0.0};
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      out.lasts += distribution[i * width + j];
      out.mean += distribution[i * width + j] * static_cast<double>(i) / static_cast<double>(plays);
    }
  }
  out.mean /= out.lasts;
  return out;
}

}  // namespace

Finding unbiased_phase(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched(
      {.id = "ebs-unbiased-phase", .claim = unbiased_phase_search(), .points = 1'000, .keep = 0.1},
      request, control);
  finding.domain =
      "two arms, delta = 1/2, elimination without noise, T up to 200: " + finding.points() +
      " settings";
  std::vector<std::string> evidence;
  constexpr double kScore = 0.69;
  const double cases = portable_log(2.0 * 400.0 / 0.5);
  for (const std::int64_t plays : {120, 160, 200}) {
    const auto given = mean_given_phase(kScore, plays, cases);
    evidence.push_back(fmt::format(
        "T = 400, delta = 1/2, B(1) = 0.69: after {} pulls of each the phase lasts with "
        "probability {}, and the estimate then has mean {}",
        plays, rounded(given.lasts, 3), rounded(given.mean, 4)));
  }
  evidence.emplace_back(
      "Lemma 4 needs less than this corollary: a union over fixed sets, not over phases "
      "(ebs-coverage)");
  return refuted_or_not(finding, "bias", phase_at, evidence);
}

// ---- Lemma 4 ------------------------------------------------------------------------------------

namespace {

// A union bound over K counters and H entries of P(|noise| > radius), with `cases` in the place of
// the log: 16 cases log(T)^2.5/eps over the scale 4 h/eps.
double log_noise_failures(double cases, double smallest_horizon, std::int64_t arms, int h) {
  const double y = 4.0 * cases * log_growth(smallest_horizon) / h;
  return log_laplace_sum_tail(h, y) + portable_log(static_cast<double>(arms)) +
         portable_log(std::ldexp(1.0, h));
}

// Runs with delta = 1/2 in which some interval of an active arm misses its score.
std::int64_t missed_runs(const DpEbsElimination& policy, const PreferenceMatrix& preferences,
                         std::int64_t trials, const ClaimRequest& request,
                         const std::string& purpose, const RunControl& control) {
  const auto duels = PreferenceDuels::create(preferences).value();
  return count_failures(trials, control, [&](std::size_t trial) {
    const auto stream = [&](std::uint64_t lane) {
      return ReplayStream({request.seed, hash_purpose(purpose), trial, lane});
    };
    DpEbsElimination player = policy;
    PreferenceDuels answers = duels;
    ReplayStream choices = stream(0);
    ReplayStream luck = stream(1);
    std::vector<double> scores;
    std::size_t active = 0;
    bool missed = false;
    play(player, answers, policy.config().horizon, choices, luck,
         [&](std::int64_t, const Duel&, bool) {
           const auto left = player.active();
           if (left.size() == 1 || missed) return;
           if (left.size() != active) {
             active = left.size();
             scores.assign(static_cast<std::size_t>(preferences.arms), 0.0);
             for (const int i : left) {
               for (const int j : left) {
                 scores[static_cast<std::size_t>(i)] +=
                     preferences.of(i, j) / static_cast<double>(active);
               }
             }
           }
           for (const int i : left) {
             const double score = scores[static_cast<std::size_t>(i)];
             missed = missed || score < player.rounds().low(i) || score > player.rounds().high(i);
           }
         });
    return missed;
  });
}

// Fix arm i, a set S and n. While S is active, the rivals of i are uniform on S, and i wins against
// them with probability B_S(i), independently of the past. So the first n such duels have wins as
// in n independent ones, and their mean is within sqrt(log(K T/delta)/n) of B_S(i) except with
// probability 2 (delta/(K T))^2 (Hoeffding). There are at most K 2^(K-1) T such (i, S, n), for any
// sequence of active sets:
//   failures of means <= 2^K delta^2/(K T), at most delta/2 for 2^(K+1) delta <= K T            (1)
//   failures of noise <= K H P(|sum of h Laplace| > y), at most delta/2                         (2)
// The printed union is over arms and times alone, which fixes no set. (1) is checked at K = 16, T =
// 100; (2) for each h at the smallest log(T) and the largest number of entries, delta = 1/T.
Finding coverage_with(const ClaimRequest& request, const RunControl& control, bool listing) {
  constexpr std::int64_t kMostArms = 16;
  constexpr double kLeastHorizon = 100.0;
  ClaimFinding finding;
  finding.confidence = listing ? 1.0 : request.confidence;
  finding.domain = fmt::format(
      "K = 2 to 16, T = 100 to 1e9, delta = 1/T and every eps; noise radius 16 {} log(T)^2.5/(n eps)",
      listing ? "log(log(K/delta))" : "log(K/delta)");
  double worst = -HUGE_VAL;
  for (int h = 7; h <= 30; ++h) {
    const double low = std::max(kLeastHorizon, std::ldexp(1.0, h - 1) - 14.0);
    for (std::int64_t arms = 2; arms <= kMostArms; ++arms) {
      double cases = portable_log(static_cast<double>(arms) * low);
      if (listing) cases = portable_log(cases);
      const double delta = std::ldexp(1.0, -h);  // at most 1/T
      worst = std::max(worst, log_noise_failures(cases, low, arms, h) - portable_log(delta / 2.0));
      ++finding.evaluations;
    }
  }
  const double means =
      portable_log(std::ldexp(1.0, kMostArms + 1) /
                   (static_cast<double>(kMostArms) * kLeastHorizon * kLeastHorizon));
  finding.evidence = {
      "proof step: by a union over arms, fixed sets of rivals and numbers of duels (Hoeffding), "
      "some mean fails with probability at most " +
          rounded_up(portable_exp(means), 3) + " delta/2",
      "proof step: by exact tails of the counters' noise, some entry of some counter fails with "
      "probability at most 1e" +
          fmt::format("{:.1f}", worst / 2.302585092994046) + " delta/2",
      "the printed union is over arms and times, but which set is active depends on the outcomes; "
      "over the sets it holds as long as 2^(K+1) <= K T^2"};
  if (worst > 0.0 || means > 0.0) return undecided(finding, "a union bound exceeds delta");
  if (listing) {
    finding.evidence.push_back(
        "log(log(K/delta)) is positive for K >= 2 and delta <= 1/2; it grows more slowly than a "
        "union over times needs, but log(T)^2.5 is more than enough");
    return holds(finding, "it holds with the listing's radius too, by exact tails of the noise");
  }
  finding.table.columns = {"radius", "eps", "T", "delta", "arms left", "some interval misses in"};
  struct Row {
    Radius radius;
    double epsilon;
  };
  const std::int64_t trials = scaled(200, request);
  const auto preferences = ASSAY_TRY(preferences_of_scores(std::vector<double>{1.0, 0.5, -1.0}));
  std::string above;
  for (const auto& [radius, epsilon] :
       {Row{Radius::kPaper, 1.0}, Row{Radius::kExact, 1.0}, Row{Radius::kExact, 100.0}}) {
    DpEbsEliminationConfig config;
    config.arms = 3;
    config.horizon = 2'000;
    config.epsilon = epsilon;
    config.delta = 0.5;
    config.radius = radius;
    config.calibration = Calibration::kPaper;
    const auto policy = ASSAY_TRY(DpEbsElimination::create(config));
    auto one = policy;
    PreferenceDuels answers = ASSAY_TRY(PreferenceDuels::create(preferences));
    ReplayStream choices({request.seed, hash_purpose("claims/ebs-coverage/one"), 0, 0});
    ReplayStream luck({request.seed, hash_purpose("claims/ebs-coverage/one"), 0, 1});
    play(one, answers, config.horizon, choices, luck, [](std::int64_t, const Duel&, bool) {});
    const auto missed = missed_runs(
        policy, preferences, trials, request,
        fmt::format("claims/ebs-coverage/{}/{}", detail::value_text(radius), epsilon), control);
    if (missed < 0) return undecided(finding, "stopped");
    finding.evaluations += trials;
    const double alpha = (1.0 - request.confidence) / 3.0;
    if (clopper_pearson_lower(missed, trials, alpha).value.value > config.delta) {
      above = detail::value_text(radius);
    }
    finding.table.rows.push_back({std::string(detail::value_text(radius)), number_text(epsilon),
                                  "2,000", "0.5", std::to_string(one.active().size()),
                                  share_text(missed, trials, alpha)});
  }
  if (!above.empty()) return contradiction(finding, "the radius " + above);
  return holds(finding,
               "the proof takes a union over fixed sets of rivals, and exact tails of the noise");
}

}  // namespace

Finding coverage(const ClaimRequest& request, const RunControl& control) {
  return coverage_with(request, control, false);
}
Finding coverage_of_listing(const ClaimRequest& request, const RunControl& control) {
  return coverage_with(request, control, true);
}

}  // namespace assay::dueling_checks

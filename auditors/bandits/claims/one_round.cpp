// Claims on the distribution of one action of Thompson sampling (b = 0, c = 1), given the past.
//
// The search covers histories of two to four arms: the number of pulls of each arm, the number of
// its rewards that are 1, and one reward of arm 1 that changes between two values in [0, 1].
// Changing the first arm loses nothing, since nothing depends on the names of the arms.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "assay/auditors/bandits/claims/action_distribution.hpp"
#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::thompson_sampling_checks {
namespace {

constexpr int kMostArms = 4;
constexpr double kMostPlays = 10'000.0;

// ---- histories as points of a space -------------------------------------------------------------

// The parameters are the number of arms and the reward before and after the change, then for each
// arm its pulls + 1 and the share of its rewards that are 1.
std::vector<Parameter> history_space() {
  std::vector<Parameter> space{whole("arms", 2, kMostArms), real("base reward"),
                               real("neighbour reward")};
  for (int i = 1; i <= kMostArms; ++i) {
    const std::string arm = std::to_string(i);
    space.push_back(whole_log_scale("n_" + arm + " + 1", 1, kMostPlays + 1));
    space.push_back(real("ones of arm " + arm));
  }
  return space;
}

struct HistoryPair {
  int arms = 2;
  std::vector<ArmPlays> history;  // the first entry is the one that changes
  double neighbour_reward = 1.0;
};

void add_plays(std::vector<ArmPlays>& history, int arm, double ones_share, std::int64_t plays) {
  const auto ones =
      static_cast<std::int64_t>(std::llround(ones_share * static_cast<double>(plays)));
  if (ones > 0) history.push_back({arm, 1.0, ones});
  if (plays > ones) history.push_back({arm, 0.0, plays - ones});
}

// Empty if arm 1 was never pulled.
std::optional<HistoryPair> history_at(const Point& point) {
  HistoryPair pair;
  pair.arms = static_cast<int>(point[0]);
  pair.neighbour_reward = point[2];
  for (int arm = 0; arm < pair.arms; ++arm) {
    const auto at = static_cast<std::size_t>(3 + 2 * arm);
    auto plays = static_cast<std::int64_t>(point[at]) - 1;
    if (arm == 0) {
      if (plays == 0) return std::nullopt;
      pair.history.push_back({0, point[1], 1});
      --plays;
    }
    add_plays(pair.history, arm, point[at + 1], plays);
  }
  return pair;
}

ActionDistributions distributions_at(const HistoryPair& pair) {
  return distributions_of(pair_after(pair.arms, 1.0, pair.history, 0, pair.neighbour_reward));
}

// Theorem 7's level for one round.
double theorem_7_epsilon(int arms, double delta) {
  return std::sqrt(portable_log((arms - 1) / (2.0 * delta))) / (2.0 * std::sqrt(2.0));
}

EventNumbers theorem_7_numbers(const HistoryPair& pair, double delta) {
  return best_event(distributions_at(pair), theorem_7_epsilon(pair.arms, delta), delta);
}

double arm_probability(const HistoryPair& pair, bool printed) {
  auto round = pair_after(pair.arms, 1.0, pair.history, 0, pair.history[0].reward);
  if (printed) {
    for (double& scale : round.scales) scale *= scale;
  }
  return portable_exp(distributions_of(round).log_p[0]);
}

// A margin over the histories that pulled arm 1.
SearchedClaim over_histories(std::vector<Parameter> space, double tolerance,
                             double (*margin)(const HistoryPair& pair, const Point& point)) {
  return {std::move(space),
          [margin](const Point& point) {
            const auto pair = history_at(point);
            return pair ? margin(*pair, point) : std::nan("");
          },
          tolerance};
}

std::string histories(const SearchedFinding& finding) {
  return finding.points() +
         " histories of 2 to 4 arms with up to 10,000 pulls each, one reward of any pulled arm "
         "changed";
}

}  // namespace

SearchedClaim step_gdp_search() {
  return over_histories(history_space(), 1e-10, [](const HistoryPair& pair, const Point&) {
    return mu_of(distributions_at(pair)) - std::sqrt(0.5);
  });
}

SearchedClaim step_dp_search() {
  auto space = history_space();
  space.push_back(log_scale("delta", 1e-9, 0.49));
  return over_histories(std::move(space), 1e-12, [](const HistoryPair& pair, const Point& point) {
    const double delta = point.back();
    return level_margin(distributions_at(pair), theorem_7_epsilon(pair.arms, delta), delta);
  });
}

SearchedClaim printed_variance_search() {
  return over_histories(history_space(), 1e-6, [](const HistoryPair& pair, const Point&) {
    return std::abs(arm_probability(pair, true) - arm_probability(pair, false));
  });
}

SearchedClaim sensitivity_search() {
  return over_histories(history_space(), 1e-9, [](const HistoryPair& pair, const Point&) {
    const auto round = pair_after(pair.arms, 1.0, pair.history, 0, pair.neighbour_reward);
    const double plays = 1.0 / (round.scales[0] * round.scales[0]);  // n_1 + 1
    return std::abs(round.changed_mean - round.means[0]) * plays - 1.0;
  });
}

// Lemma 3. The samples of a round differ in theta_j alone, by at most 1/(n_j + 1), and theta_j has
// the deviation 1/sqrt(n_j + 1). So mu(n_j) = 1/sqrt(n_j + 1), which decreases and is at most
// sqrt(1/2) for n_j >= 1. The action is a function of the samples. The first part is certified over
// all n_j. The distributions of the action after the searched histories are computed without that
// argument, and must agree.
Finding step_gdp(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "ts-step-gdp", .claim = step_gdp_search(), .points = 8'000},
                          request, control);
  const std::vector<Parameter> plays{log_scale("n_j", 1.0, 1e15)};
  const auto box = certify_box(
      plays, [](const Cell& cell) { return 0.5 * (cell[0].low + 1.0) - 1.0; }, 1000, control);
  finding.evaluations += box.cells;
  finding.domain =
      "every past in which the arm has n_j >= 1 pulls, any number of arms; n_j to 1e15 by cells";
  finding.evidence = {
      "proof step: the samples of a round are (1/(n_j + 1))/sqrt(1/(n_j + 1)) = 1/sqrt(n_j + "
      "1)-GDP, a level that decreases in n_j, and the action is a function of the samples",
      "independent search over the action's own distribution: " + histories(finding) +
          "; largest mu = " + rounded_down(finding.outcome.margin + std::sqrt(0.5), 6) +
          ", not above " + rounded_up(std::sqrt(0.5), 6)};
  return proved(finding, box,
                "mu of one round is at most 1/sqrt(n_j + 1) <= sqrt(1/2) for n_j >= 1");
}

// Theorem 7. The margin is the true delta at the claimed eps, less delta.
Finding step_dp(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "ts-step-dp", .claim = step_dp_search(), .points = 8'000}, request, control);
  finding.domain = histories(finding) + ", delta from 1e-9 to 0.49";
  return refuted_or_not(finding, "margin of true delta over delta", [](const Point& point) {
    const auto pair = *history_at(point);
    return RoundCounterexample{pair.arms, pair.history, 0, pair.neighbour_reward,
                               theorem_7_numbers(pair, point.back())};
  });
}

// Appendix C, (27) draws theta_i with variance (1/(n_i + 1))^2, but Algorithm 1 with 1/(n_i + 1).
Finding printed_variance(const ClaimRequest& request, const RunControl& control) {
  // The distributions differ nearly everywhere, so the search prefers few pulls to a large
  // difference.
  auto finding =
      searched({.id = "ts-eq27", .claim = printed_variance_search(), .points = 2'000, .keep = 0.1},
               request, control);
  finding.domain = histories(finding);
  return refuted_or_not(finding, "difference of probabilities", [](const Point& point) {
    const auto pair = *history_at(point);
    return DistributionMismatch{pair.arms, pair.history, 0, arm_probability(pair, false),
                                arm_probability(pair, true)};
  });
}

// Between rounds the means are sum/(n + 1). Replacing one reward of arm j moves mean_j by |r -
// r'|/(n_j + 1) and no other mean. Every transcript and every pair of 0/1 streams of up to 6 rounds
// is enumerated in integers; longer streams with real rewards are searched.
Finding sensitivity(const ClaimRequest& request, const RunControl& control) {
  std::int64_t examined = 0;
  bool agrees = true;
  constexpr int kRounds = 6;
  for (unsigned actions = 0; actions < 1u << kRounds; ++actions) {
    for (unsigned rewards = 0; rewards < 1u << kRounds; ++rewards) {
      for (int changed = 0; changed < kRounds; ++changed) {
        ++examined;
        const unsigned other = rewards ^ (1u << changed);
        for (const unsigned arm_rounds : {actions, ~actions & ((1u << kRounds) - 1)}) {
          const int before = std::popcount(rewards & arm_rounds);
          const int after = std::popcount(other & arm_rounds);
          const bool touched = (arm_rounds >> changed & 1u) != 0;
          agrees = agrees && std::abs(before - after) == (touched ? 1 : 0);  // times 1/(n + 1)
        }
      }
    }
  }
  auto finding = searched({.id = "ts-sensitivity", .claim = sensitivity_search(), .points = 8'000},
                          request, control);
  finding.evaluations += examined;
  finding.domain = "every past and rewards in [0, 1]; enumeration: " + grouped(examined) +
                   " pairs of 0/1 streams with their transcripts, all of them for two arms and 6 "
                   "rounds; " +
                   histories(finding);
  finding.evidence = {"largest movement of a mean found: " +
                      rounded(finding.outcome.margin + 1.0, 6) + "/(n_j + 1)"};
  if (!agrees) return contradiction(finding, "an enumerated pair of streams");
  return proved(finding,
                "one reward moves the mean of the arm that drew it by |r - r'|/(n_j + 1), and no "
                "other mean");
}

}  // namespace assay::thompson_sampling_checks

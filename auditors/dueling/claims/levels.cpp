// Levels of releases: node sums of the counters, noisy wins of the pairs. The proofs are in
// policies/dueling/dp_ebs_elimination.hpp (docs/proofs/dp_ebs_elimination.md), tree_counter.hpp and
// gopt_dpdb.hpp. The checks here count in runs, node by node, the sums that one bit moves.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"

namespace assay::dueling_checks {
namespace {

constexpr double kLevelRounding = 1e-9;

ReplayStream level_stream(const Point& point, std::size_t seed, std::uint64_t lane) {
  return ReplayStream(
      {static_cast<std::uint64_t>(point[seed]), hash_purpose("claims/duel-levels"), 0, lane});
}

// The entries of a run: that of each round, and the entry that removed the duels of a pair, 0 for
// none.
struct FedRun {
  struct Round {
    Duel duel;
    std::int64_t time;  // of the first arm's counter; 0 with one arm left
  };
  std::vector<Round> rounds;
  std::vector<std::int64_t> removal;  // [j K + i]
  std::vector<std::int64_t> ends;     // entries of each counter
};

FedRun play_fed(DpEbsElimination policy, const PreferenceDuels& duels, ReplayStream choices,
                ReplayStream luck) {
  const auto arms = static_cast<std::size_t>(policy.config().arms);
  FedRun run;
  run.removal.assign(arms * arms, 0);
  for (std::int64_t t = 0; t < policy.config().horizon; ++t) {
    const Duel duel = policy.choose(choices);
    const std::vector<int> before(policy.active().begin(), policy.active().end());
    std::vector<DpEbsElimination::Fed> fed;
    policy.observe(duels.feedback(t, duel, luck), choices,
                   [&](const DpEbsElimination::Fed& entry) { fed.push_back(entry); });
    run.rounds.push_back({duel, fed.empty() ? 0 : fed.front().time});
    std::size_t next = 1;  // in `fed`, by arm that left, then by survivor, both ascending
    for (const int gone : before) {
      const auto active = policy.active();
      if (std::count(active.begin(), active.end(), gone) > 0) continue;
      for (std::size_t k = 0; k < active.size() && next < fed.size(); ++k) {
        const auto arm = static_cast<std::size_t>(fed[next].arm);
        run.removal[arm * arms + static_cast<std::size_t>(gone)] = fed[next++].time;
      }
    }
  }
  for (std::size_t arm = 0; arm < arms; ++arm) {
    run.ends.push_back(policy.counter(static_cast<int>(arm)).time());
  }
  return run;
}

// The nodes of a counter of `end` entries that hold exactly one of the entries at `first` and
// `second`.
std::int64_t nodes_moved(std::int64_t first, std::int64_t second, std::int64_t end) {
  std::int64_t moved = 0;
  for (std::int64_t m = 1; m <= end; ++m) {
    const std::int64_t from = m & (m - 1);
    const auto holds_entry = [&](std::int64_t time) { return from < time && time <= m; };
    moved += holds_entry(first) != (second > 0 && holds_entry(second)) ? 1 : 0;
  }
  return moved;
}

// Every arm always beats all later ones, so that few rounds suffice for eliminations.
PreferenceDuels certain_duels(std::int64_t arms) {
  return PreferenceDuels::create(
             arithmetic_preferences(arms, 0.5 / static_cast<double>(arms - 1)).value())
      .value();
}

double elimination_loss(const DpEbsElimination& policy, const FedRun& run) {
  const auto arms = static_cast<std::size_t>(policy.config().arms);
  std::int64_t most = 0;
  for (const auto& round : run.rounds) {
    if (round.time == 0) continue;
    const auto a = static_cast<std::size_t>(round.duel.first);
    const auto b = static_cast<std::size_t>(round.duel.second);
    most = std::max(most, nodes_moved(round.time, run.removal[a * arms + b], run.ends[a]));
  }
  return static_cast<double>(most) / policy.noise_scale();
}

}  // namespace

SearchedClaim elimination_privacy_search() {
  return {{whole("K", 2, 4), whole("T", 20, 250), log_scale("eps", 0.1, 500.0),
           whole("calibration", 0, 1), whole("seed", 1, 1e9)},
          [](const Point& point) {
            DpEbsEliminationConfig config;
            config.arms = static_cast<std::int64_t>(point[0]);
            config.horizon = static_cast<std::int64_t>(point[1]);
            config.epsilon = point[2];
            config.delta = 0.5;
            config.calibration = point[3] == 0.0 ? Calibration::kPaper : Calibration::kCorrected;
            const auto policy = DpEbsElimination::create(config);
            if (!policy) return std::nan("");
            const auto run = play_fed(*policy, certain_duels(config.arms),
                                      level_stream(point, 4, 0), level_stream(point, 4, 1));
            return elimination_loss(*policy, run) / config.epsilon - 1.0;
          },
          kLevelRounding};
}

SearchedClaim tree_privacy_search() {
  return {{whole_log_scale("T", 1, 300), real("entry", 0.0, 1.0), real("move", 0.0, 1.0),
           log_scale("eps", 0.01, 50.0), real("shift", -100.0, 100.0), whole("seed", 1, 1e9)},
          [](const Point& point) {
            TreeCounterConfig config;
            config.horizon = static_cast<std::int64_t>(point[0]);
            config.epsilon = point[3];
            config.noise = CounterNoise::kIdealizedLaplace;
            const auto mechanism = TreeCounterMechanism::create(config).value();
            ReplayStream random = level_stream(point, 5, 0);
            std::vector<double> stream(static_cast<std::size_t>(config.horizon));
            for (double& x : stream) x = random.uniform();
            auto other = stream;
            const auto last = static_cast<double>(config.horizon - 1);
            double& moved = other[static_cast<std::size_t>(point[1] * last)];
            moved = moved + point[2] * ((moved < 0.5 ? 1.0 : 0.0) - moved);
            auto output = mechanism.release(stream, random);
            for (std::size_t t = 0; t < output.size(); ++t) {
              // Shifts every node's value, because far out all losses add up.
              output[t] += point[4] * mechanism.noise().scale() *
                           std::popcount(static_cast<std::uint64_t>(t + 1));
            }
            return std::fabs(mechanism.log_density(output, stream) -
                             mechanism.log_density(output, other)) /
                       config.epsilon -
                   1.0;
          },
          kLevelRounding};
}

SearchedClaim design_privacy_search(CountNoise noise) {
  return {{whole("K", 2, 5), whole("d", 1, 3), whole("T", 40, 400), log_scale("eps", 0.05, 50.0),
           real("round", 0.0, 1.0), whole("seed", 1, 1e6)},
          [noise](const Point& point) {
            GOptDpdbConfig config;
            config.arms = static_cast<std::int64_t>(point[0]);
            config.dimension = static_cast<std::int64_t>(point[1]);
            config.horizon = static_cast<std::int64_t>(point[2]);
            config.epsilon = point[3];
            config.noise = noise;
            config.feature_seed = static_cast<std::int64_t>(point[5]);
            config.phase_scale = 1.0;
            const double first = static_cast<double>(gopt_phase_length(config, 1));
            config.phase_scale = std::max(1e-12, 0.25 * point[2] / first);
            const auto policy = GOptDpdb::create(config);
            if (!policy) return std::nan("");
            // The same draws with one bit flipped. The phase of that bit releases the same noise.
            const auto release = [&](bool flips) {
              auto player = *policy;
              ReplayStream choices = level_stream(point, 5, 0);
              ReplayStream luck = level_stream(point, 5, 1);
              const auto flipped =
                  static_cast<std::int64_t>(point[4] * static_cast<double>(config.horizon - 1));
              while (player.round() < config.horizon) {
                const std::int64_t phase = player.phase();
                const bool flip = flips && player.round() == flipped;
                player.choose(choices);
                player.observe((luck.uniform() < 0.5) != flip, choices);
                if (player.round() > flipped && player.phase() > phase) {
                  return player.last_release();
                }
              }
              return DuelRelease{};
            };
            const auto one = release(false);
            const auto other = release(true);
            double moved = 0.0;
            for (std::size_t c = 0; c < one.noisy_wins.size(); ++c) {
              moved += std::fabs(one.noisy_wins[c] - other.noisy_wins[c]);
            }
            return moved / policy->noise_scale() / config.epsilon - 1.0;
          },
          kLevelRounding};
}

Finding elimination_privacy(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "duel-dp", .claim = elimination_privacy_search(), .points = 300},
                          request, control);
  finding.domain = "every K, T and eps, noise in real numbers; search: " + finding.points() +
                   " runs with 2 to 4 arms and up to 250 rounds, with every round's bit replaced "
                   "and the moved nodes counted one by one";
  finding.evidence = {
      "proof step: a bit moves one entry of one counter and, if its duels are removed, a later "
      "entry of the same counter the other way; nodes that hold both do not move",
      "independent search: the largest loss of a run's release is " +
          rounded(1.0 + finding.outcome.margin, 4) + " eps"};
  finding.table.columns = {"K", "T", "nodes", "moved", "spent of eps", "enough"};
  for (const std::int64_t arms : {2, 10}) {
    for (const std::int64_t horizon : {1'000, 100'000, 10'000'000}) {
      DpEbsEliminationConfig config;
      config.arms = arms;
      config.horizon = horizon;
      config.calibration = Calibration::kPaper;
      const auto paper = ASSAY_TRY(DpEbsElimination::create(config));
      config.calibration = Calibration::kCorrected;
      const auto corrected = ASSAY_TRY(DpEbsElimination::create(config));
      finding.table.rows.push_back(
          {std::to_string(arms), grouped(horizon), rounded(paper.noise_scale() / 4.0, 3),
           rounded(corrected.noise_scale(), 3), rounded_up(paper.spent_epsilon(), 3),
           rounded(corrected.noise_scale() / paper.noise_scale(), 3)});
    }
  }
  finding.evidence.push_back(
      "table: nodes of a counter and the most that one bit moves; the share of eps that the "
      "paper's noise spends, and the share of that noise that is enough");
  finding.evidence.push_back(
      "the printed proof lets a user move two counters, twice each; but a win goes to one counter "
      "only, and the two moves share nodes, so less than half of eps is spent");
  finding.evidence.push_back(
      "a loss has to feed a 0: as listed the counter's clock tells wins from losses (duel-dp-printed)");
  return proved(
      finding,
      "in the repaired algorithm a bit moves fewer nodes than the noise covers, at most half "
      "of them");
}

Finding tree_privacy(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "tree-dp", .claim = tree_privacy_search(), .points = 2'000},
                          request, control);
  finding.domain = "every T and eps, noise in real numbers; search: " + finding.points() +
                   " pairs of streams of up to 300 entries and outputs";
  finding.evidence = {
      "proof step: an entry is in at most h = floor(log2 T) + 1 nodes, each with Laplace(h/eps) "
      "noise; the estimates are sums of nodes",
      "independent search: the largest loss is " + rounded(1.0 + finding.outcome.margin, 6) +
          " eps; the first entry attains it"};
  return proved(finding, "an entry is in at most h nodes, each released at level eps/h");
}

namespace {

SearchedFinding design_level(const ClaimRequest& request, const RunControl& control,
                             CountNoise noise, std::string_view id) {
  auto finding =
      searched({.id = id, .claim = design_privacy_search(noise), .points = 300}, request, control);
  finding.domain = fmt::format(
      "every set of items{} and eps, noise in real numbers; search: {} pairs of runs on up to 5 "
      "items in up to 3 dimensions, with one bit flipped",
      noise == CountNoise::kProof ? ", T >= 3" : "", finding.points());
  finding.evidence = {
      "proof step: a bit is in the count of one pair in one phase, or in none, and moves it by 1",
      "independent search: the largest loss of a phase's release is " +
          rounded(1.0 + finding.outcome.margin, 6) + " eps"};
  return finding;
}

}  // namespace

Finding design_privacy(const ClaimRequest& request, const RunControl& control) {
  auto finding = design_level(request, control, CountNoise::kListing, "gopt-dp");
  finding.evidence.push_back("attained: every bit that is counted spends all of eps");
  return proved(finding, "one count moves by 1, and its noise is Laplace(1/eps)");
}

Finding design_privacy_of_proof(const ClaimRequest& request, const RunControl& control) {
  auto finding = design_level(request, control, CountNoise::kProof, "gopt-dp-proof");
  finding.evidence.push_back(
      "no composition over phases is needed: eps/log(T) is spent, which at T = 1e6 is a fourteenth "
      "of eps");
  finding.evidence.push_back("for T = 2 the noise would be less than Laplace(1/eps): log 2 < 1");
  return proved(finding, "one count moves by 1, and its noise is wider than Laplace(1/eps)");
}

}  // namespace assay::dueling_checks

// Claims about private dueling bandits: the settings of certificates on the policies themselves.
#include <boost/math/distributions/binomial.hpp>

#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

// ---- the settings of certificates, played -------------------------------------------------------

// Arm 1 wins `first` of its plays, arm 2 the `second` of its own; whether an arm has left after
// `plays` of each.
bool leaves_after(std::int64_t plays, std::int64_t first, std::int64_t second) {
  EbsEliminationConfig config{.horizon = 42, .delta = 0.5};
  auto policy = EbsElimination::create(config).value();
  ReplayStream random({.seed = 1});
  std::array<std::int64_t, 2> left = {first, second};
  for (std::int64_t t = 0; t < 2 * plays; ++t) {
    if (policy.active().size() == 1) return true;
    auto& wins = left[static_cast<std::size_t>(policy.choose(random).first)];
    policy.observe(wins > 0);
    wins = std::max<std::int64_t>(0, wins - 1);
  }
  return policy.active().size() == 1;
}

TEST(DuelingCounterexamples, ThePhaseEndsOnlyWhereAnArmWinsAlways) {
  EXPECT_FALSE(leaves_after(20, 20, 0));
  EXPECT_TRUE(leaves_after(21, 21, 0));
  EXPECT_TRUE(leaves_after(21, 0, 21));
  EXPECT_FALSE(leaves_after(21, 20, 0));
  EXPECT_FALSE(leaves_after(21, 21, 1));
}

// Without noise, eps to infinity, Lemma 6 leaves 8 log(K T/delta)/Delta^2 pulls.
TEST(DuelingCounterexamples, AnArmIsPulledMoreOftenThanLemmaSixSaysWhileAllIntervalsHold) {
  EbsEliminationConfig config{.horizon = 16'384};
  auto policy = EbsElimination::create(config).value();
  const double cases = std::log(2.0 * 16'384.0 * 16'384.0);
  const std::array scores = {0.625, 0.375};  // of P(1,2) = 3/4
  const double bound = 8.0 * cases / 0.0625;
  ReplayStream random({.seed = 1});
  while (static_cast<double>(policy.rounds().plays(1)) <= bound) {
    ASSERT_EQ(policy.active().size(), 2u) << policy.round();
    const int arm = policy.choose(random).first;
    const auto i = static_cast<std::size_t>(arm);
    const auto n = static_cast<double>(policy.rounds().plays(arm) + 1);
    const double off = (arm == 0 ? -0.9 : 0.9) * std::sqrt(cases / n);
    policy.observe(static_cast<double>(policy.rounds().wins(arm)) + 1.0 <= n * (scores[i] + off));
    EXPECT_LE(policy.rounds().low(arm), scores[i]);
    EXPECT_GE(policy.rounds().high(arm), scores[i]);
  }
  EXPECT_LE(2.0 * bound, 16'384.0);
}

TEST(DuelingCounterexamples, NoArmLeavesWithThePrintedRadius) {
  DpEbsEliminationConfig config{
      .horizon = 1 << 18, .radius = Radius::kPaper, .calibration = Calibration::kPaper};
  auto policy = DpEbsElimination::create(config).value();
  EXPECT_LT(dueling_checks::duel_regret_at({18.0, 1.0, 2.0}).failure, 1e-15);
  ReplayStream choices({.seed = 2});
  ReplayStream luck({.seed = 3});
  std::int64_t regret = 0;  // 2 for each time that arm 2 is in a duel
  for (std::int64_t t = 0; t < config.horizon; ++t) {
    const Duel duel = policy.choose(choices);
    regret += 2 * (duel.first + duel.second);
    policy.observe(luck.uniform() < logistic(2.0 * (duel.second - duel.first)), choices);
  }
  EXPECT_EQ(policy.active().size(), 2u);
  EXPECT_NEAR(static_cast<double>(regret), 2.0 * config.horizon,
              5.0 * std::sqrt(1.0 * config.horizon));
}

// All duels of the phase count, t_0 among them: without noise the wins are binomial.
TEST(DuelingCounterexamples, AnItemOffTheOriginIsMisjudgedAsOftenAsStated) {
  const auto found =
      testing::confidence_certificate().counterexample.as<ConfidenceCounterexample>();
  const boost::math::binomial wins(found.duels, 0.5);
  const double farthest = found.duels * logistic(0.5 * found.gap);  // with w = 1/2
  const double error = 2.0 * cdf(complement(wins, std::floor(farthest)));
  EXPECT_GT(error, found.error);
  EXPECT_LT(error, found.error + 0.05);
}

// The policy reads no outcome of the initial draws, and is wrong more often.
TEST(DuelingCounterexamples, AnItemOffTheOriginIsMisjudgedByThePolicy) {
  const auto found =
      testing::confidence_certificate().counterexample.as<ConfidenceCounterexample>();
  GOptDpdbConfig config{.horizon = found.horizon,
                        .initial_draws = static_cast<std::int64_t>(found.initial)};
  const auto policy = GOptDpdb::create(config, {2, 1, {1.0, 1.0 - found.gap}}).value();
  EXPECT_EQ(static_cast<double>(policy.plan()->pulls.at(0)) + found.initial, found.duels);
  int wrong = 0;
  constexpr int kRuns = 16;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    auto player = policy;
    ReplayStream choices({.seed = 4, .replicate = run, .lane = 0});
    ReplayStream luck({.seed = 4, .replicate = run, .lane = 1});
    while (player.phase() == 1) {
      player.choose(choices);
      player.observe((luck.next() >> 63) != 0, choices);
    }
    wrong += std::fabs(player.last_release().scores.w.at(0)) > 0.5 ? 1 : 0;
  }
  EXPECT_GE(wrong, 8);  // of 16 at 0.822: below that with probability 6e-4
}

// ---- statements as printed, played by a second implementation of the listing -------------------------

// The tree counter: each entry is in one node of every level, with Laplace noise of one scale.
class ListedCounter {
 public:
  explicit ListedCounter(double scale) : scale_(scale) {}
  void feed(double item, ReplayStream& random) {
    sum_ += item;
    ++entries_;
    std::size_t level = 0;
    while ((entries_ >> level & 1) == 0) noise_[level++] = 0.0;
    noise_[level] = scale_ * std::log(random.uniform() / random.uniform());
  }
  double count() const { return std::accumulate(noise_.begin(), noise_.end(), sum_); }

 private:
  double scale_;
  double sum_ = 0.0;
  std::uint64_t entries_ = 0;
  std::array<double, 40> noise_{};  // by level; 0 if no node of it is in the prefix
};

struct ListedRun {
  std::vector<int> firsts;  // the first arms
  bool missed = false;      // an interval of an active arm misses its score
  bool left = false;        // an arm has left
};

enum class Feeds { kWins, kAll };
enum class Removal { kMinusOne, kWins };

// Algorithm 1 with the listing's radius, up to `most` rounds or the second round after an arm has left.
// wins(t, a, b) is the outcome of a duel.
template <class Wins>
ListedRun play_listed(int arms, double horizon, double epsilon, double delta, Feeds feeds,
                      Removal removal, const std::vector<std::vector<double>>& preference,
                      std::int64_t most, ReplayStream& random, Wins wins) {
  const auto size = static_cast<std::size_t>(arms);
  const double scale = 4.0 * (std::floor(std::log2(horizon)) + 1.0) / epsilon;
  const double cases = std::log(arms * horizon / delta);
  const double growth =
      16.0 * std::log(std::log(arms / delta)) * std::pow(std::log(horizon), 2.5) / epsilon;
  std::vector<ListedCounter> counters(size, ListedCounter(scale));
  std::vector<std::vector<double>> duels(size, std::vector<double>(size)), won = duels;
  std::vector<std::size_t> active(size);
  std::iota(active.begin(), active.end(), std::size_t{0});
  const auto times = [&](std::size_t i) {
    double n = 0.0;
    for (const auto j : active) n += duels[i][j];
    return n;
  };
  ListedRun run;
  std::int64_t end = most;
  for (std::int64_t t = 0; t < end; ++t) {
    auto a = active.front();
    for (const auto i : active) a = times(i) < times(a) ? i : a;
    const auto b =
        active[static_cast<std::size_t>(random.uniform() * static_cast<double>(active.size()))];
    run.firsts.push_back(static_cast<int>(a));
    const bool outcome = wins(t, a, b);
    if (outcome || feeds == Feeds::kAll) counters[a].feed(outcome ? 1.0 : 0.0, random);
    duels[a][b] += 1.0;
    won[a][b] += outcome ? 1.0 : 0.0;
    if (active.size() == 1) continue;
    const auto radius = [&](std::size_t i) {
      return std::sqrt(cases / times(i)) + growth / times(i);
    };
    const auto mean = [&](std::size_t i) { return counters[i].count() / times(i); };
    std::vector<std::size_t> next;
    for (const auto i : active) {
      if (times(i) == 0.0) {
        next.push_back(i);
        continue;
      }
      double score = 0.0;
      for (const auto j : active) score += preference[i][j] / static_cast<double>(active.size());
      run.missed = run.missed || std::fabs(mean(i) - score) > radius(i);
      const bool leaves = std::any_of(active.begin(), active.end(), [&](std::size_t j) {
        return times(j) > 0.0 && mean(i) + radius(i) < mean(j) - radius(j);
      });
      if (!leaves) next.push_back(i);
    }
    for (const auto gone : active) {
      if (std::count(next.begin(), next.end(), gone) > 0) continue;
      run.left = true;
      end = std::min(end, t + 3);
      for (const auto j : next) {
        counters[j].feed(removal == Removal::kMinusOne ? -1.0 : -won[j][gone], random);
      }
    }
    active = next;
  }
  return run;
}

const std::vector<std::vector<double>> kEven{{0.5, 0.5}, {0.5, 0.5}};

TEST(PrintedStatements, AListingThatFeedsWinsAloneShowsOneBit) {
  const auto found =
      testing::empty_counter_certificate().counterexample.as<EmptyCounterCounterexample>();
  constexpr int kRuns = 40'000;
  for (const auto feeds : {Feeds::kWins, Feeds::kAll}) {
    std::array<int, 2> events{};
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      for (const int bit : {0, 1}) {
        ReplayStream random(
            {.seed = 11, .replicate = run, .lane = static_cast<std::uint64_t>(bit)});
        const auto listed = play_listed(
            2, 4.0, 1.0, 0.5, feeds, Removal::kMinusOne, kEven, 4, random,
            [&](std::int64_t t, std::size_t, std::size_t) { return t == 0 && bit == 1; });
        events[static_cast<std::size_t>(bit)] += listed.firsts[2] == 0 && listed.firsts[3] == 0;
      }
    }
    if (feeds == Feeds::kWins) {
      EXPECT_EQ(events[0], 0);
      EXPECT_GE(events[1], kRuns * found.p - 5.0 * std::sqrt(kRuns * found.p));
    } else {  // with zeros for losses the event has a similar probability on both inputs
      EXPECT_GT(events[0], 0.5 * kRuns * found.p);
    }
  }
}

TEST(PrintedStatements, OneMinusOneForAllRemovedWinsMakesIntervalsMiss) {
  const auto found = dueling_checks::removal_at({20.0, 10.0, 0.7, 45.0});
  EXPECT_LT(found.failure, 0.05);
  EXPECT_GT(found.low, 0.5);
  const std::vector<std::vector<double>> preference{
      {0.5, 0.5, 0.7}, {0.5, 0.5, 0.7}, {0.3, 0.3, 0.5}};
  for (const auto removal : {Removal::kMinusOne, Removal::kWins}) {
    for (std::uint64_t run = 0; run < 3; ++run) {
      ReplayStream random({.seed = 12, .replicate = run});
      const auto listed =
          play_listed(3, 1 << 20, 10.0, 1.0 / (1 << 20), Feeds::kAll, removal, preference, 1 << 20,
                      random, [&](std::int64_t, std::size_t a, std::size_t b) {
                        return random.uniform() < preference[a][b];
                      });
      EXPECT_TRUE(listed.left);
      EXPECT_GE(static_cast<double>(listed.firsts.size()), 3.0 * found.least - 3.0);
      EXPECT_EQ(listed.missed, removal == Removal::kMinusOne) << run;
    }
  }
}

TEST(PrintedStatements, AnIntervalMissesAsOftenAsStated) {
  const auto found = testing::coverage_certificate().counterexample.as<CoverageCounterexample>();
  EXPECT_GT(found.missed, found.delta);
  const std::vector<std::vector<double>> preference{{0.5, 0.75}, {0.25, 0.5}};
  constexpr int kRuns = 20'000;
  int missed = 0;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ReplayStream random({.seed = 13, .replicate = run});
    missed += play_listed(2, 3.0, 1.0, 0.5, Feeds::kAll, Removal::kWins, preference, 2, random,
                          [&](std::int64_t, std::size_t a, std::size_t b) {
                            return random.uniform() < preference[a][b];
                          })
                  .missed;
  }
  EXPECT_NEAR(missed / static_cast<double>(kRuns), found.missed, 0.018);  // 5 deviations
}

// The policy of Lemma 11's counterexample, over all outcomes of its duels.
TEST(PrintedStatements, APolicyThatReadsOneOfItsDuelsHasTheStatedRegretAndLevel) {
  constexpr int kDuels = 4;
  constexpr double kRounds = 40.0;
  const auto found = dueling_checks::sampled_duel_at({kRounds, 0.5, kDuels});
  const double share = kRounds / (2.0 * kRounds - kDuels);
  const auto commits_to_second = [&](unsigned bits) {  // bit: arm 2 wins
    return std::popcount(bits) / static_cast<double>(kDuels);
  };
  double farthest = 0.0;
  double largest = 0.0;
  for (unsigned bits = 0; bits < 1U << kDuels; ++bits) {
    for (int t = 0; t < kDuels; ++t) {
      farthest = std::max(
          farthest, share * std::fabs(commits_to_second(bits) - commits_to_second(bits ^ 1U << t)));
    }
  }
  EXPECT_NEAR(farthest, found.delta, 1e-15);
  for (int i = 0; i <= 200; ++i) {
    const double p = i / 200.0;  // P(arm 2 beats arm 1)
    double second = 0.0;         // places of arm 2
    for (unsigned bits = 0; bits < 1U << kDuels; ++bits) {
      const double weight =
          std::pow(p, std::popcount(bits)) * std::pow(1.0 - p, kDuels - std::popcount(bits));
      second += share * weight * (kDuels + 2.0 * (kRounds - kDuels) * commits_to_second(bits));
    }
    const double regret = p > 0.5 ? (p - 0.5) * (2.0 * kRounds - second) : (0.5 - p) * second;
    largest = std::max(largest, regret);
    if (i == 0) {
      EXPECT_NEAR(second, found.pulls, 1e-12);
    }
  }
  EXPECT_NEAR(largest, kRounds / 2.0, 1e-12);
  EXPECT_NEAR(found.regret, kRounds / 2.0, 1e-12);
}

TEST(DuelingClaims, PropertyTwoIsRefutedByFourArms) {
  for (const auto& claim : dueling_claims()) {
    if (claim.id != "ebs-property-2") continue;
    const auto finding = claim.check({}, {}).value();
    EXPECT_EQ(finding.certificate->counterexample.as<BordaCounterexample>().scores.size(), 4u);
  }
}

}  // namespace
}  // namespace assay

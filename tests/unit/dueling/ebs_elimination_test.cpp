// Elimination by effective Borda scores against the listing, written out without its economies:
// every round recounts the whole history, every counter adds up its stream anew.
#include <bit>

#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/laplace_sum.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/preference_duels.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Entries and noises of a counter; its estimate from the dyadic intervals, every time anew.
struct PlainCounter {
  std::vector<double> entries;
  std::vector<double> noises;

  double last_node_sum() const {
    const std::size_t length = entries.size() & (~entries.size() + 1);
    return std::accumulate(entries.end() - static_cast<std::ptrdiff_t>(length), entries.end(), 0.0);
  }
  double estimate() const {
    double sum = 0.0;
    for (std::size_t end = entries.size(); end > 0;) {
      const std::size_t length = end & (~end + 1);
      for (std::size_t s = end - length; s < end; ++s) sum += entries[s];
      sum += noises[end - 1];
      end -= length;
    }
    return sum;
  }
};

// The listing, round by round from its whole history.
struct PlainElimination {
  DpEbsEliminationConfig config;
  double scale;
  std::set<int> active;
  struct Round {
    int a, b;
    bool won;
  };
  std::vector<Round> history{};
  std::map<int, PlainCounter> counters{};
  std::int64_t feeds = 0;
  // Maps the drawn noise of the node that ends here; its arm and the sum of its entries.
  std::function<double(int, double, double)> noise_of = [](int, double, double drawn) {
    return drawn;
  };

  // Plays of j against arms that are still active, and its wins among them.
  std::int64_t plays(int j) const {
    return std::count_if(history.begin(), history.end(),
                         [&](const Round& r) { return r.a == j && active.contains(r.b); });
  }
  Duel choose(ReplayStream& random) const {
    if (active.size() == 1) return {*active.begin(), *active.begin()};
    const int a = *std::min_element(active.begin(), active.end(),
                                    [&](int i, int j) { return plays(i) < plays(j); });
    return {a, *std::next(active.begin(),
                          static_cast<std::ptrdiff_t>(uniform_below(random, active.size())))};
  }
  void feed(int arm, double entry, ReplayStream& random) {
    PlainCounter& counter = counters[arm];
    counter.entries.push_back(entry);
    const double drawn = Laplace::create(0.0, scale).value().sample(random);
    counter.noises.push_back(noise_of(arm, counter.last_node_sum(), drawn));
    ++feeds;
  }
  double delta() const {
    return config.delta > 0.0 ? config.delta
                              : std::min(0.5, 1.0 / static_cast<double>(config.horizon));
  }
  double radius(std::size_t time) const {
    const auto k = static_cast<double>(config.arms);
    if (config.radius == Radius::kPaper) {
      return 16.0 * std::log(k / delta()) *
             std::pow(std::log(static_cast<double>(config.horizon)), 2.5) / config.epsilon;
    }
    const double readings = k * static_cast<double>(config.horizon + config.arms - 2);
    return scale * laplace_sum_quantile(std::popcount(time), std::log(delta() / readings));
  }
  void observe(const Duel& duel, bool won, ReplayStream& random) {
    if (active.size() == 1) return;
    history.push_back({duel.first, duel.second, won});
    feed(duel.first, won ? 1.0 : 0.0, random);
    std::map<int, std::pair<double, double>> bounds;
    for (const int i : active) {
      const auto n = static_cast<double>(plays(i));
      if (n == 0.0) {
        bounds[i] = {-HUGE_VAL, HUGE_VAL};
        continue;
      }
      const auto& counter = counters[i];
      const double cases = static_cast<double>(config.arms * config.horizon) / delta();
      const double wide = std::sqrt(std::log(cases) / n) + radius(counter.entries.size()) / n;
      bounds[i] = {counter.estimate() / n - wide, counter.estimate() / n + wide};
    }
    std::vector<int> gone;
    for (const int i : active) {
      if (std::any_of(active.begin(), active.end(),
                      [&](int j) { return bounds[i].second < bounds[j].first; })) {
        gone.push_back(i);
      }
    }
    for (const int i : gone) active.erase(i);
    if (active.size() == 1) return;
    for (const int i : gone) {
      for (const int j : active) {
        const auto wins = std::count_if(history.begin(), history.end(), [&](const Round& r) {
          return r.a == j && r.b == i && r.won;
        });
        feed(j, -static_cast<double>(wins), random);
      }
    }
  }
};

// Plays both with the same streams; how many arms left before the end.
std::size_t expect_same_plays(const DpEbsEliminationConfig& config, const PreferenceDuels& duels,
                              std::uint64_t seed) {
  auto policy = DpEbsElimination::create(config).value();
  PlainElimination plain{config, policy.noise_scale(), {}};
  for (int arm = 0; arm < config.arms; ++arm) plain.active.insert(arm);
  auto random = seeded_stream(seed);
  auto plain_random = seeded_stream(seed);
  auto luck = seeded_stream(seed, 1);
  std::int64_t feeds = 0;
  for (std::int64_t t = 0; t < config.horizon; ++t) {
    const Duel duel = policy.choose(random);
    EXPECT_EQ(duel, plain.choose(plain_random)) << t;
    const bool won = duels.feedback(t, duel, luck);
    policy.observe(won, random, [&](const DpEbsElimination::Fed&) { ++feeds; });
    plain.observe(duel, won, plain_random);
    EXPECT_EQ(feeds, plain.feeds);
    for (const int arm : policy.active()) {
      EXPECT_EQ(policy.rounds().plays(arm), plain.plays(arm));
      EXPECT_NEAR(policy.counter(arm).estimate(), plain.counters[arm].estimate(), 1e-8);
    }
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(random.next(), plain_random.next());
  EXPECT_TRUE(std::equal(policy.active().begin(), policy.active().end(), plain.active.begin(),
                         plain.active.end()));
  return static_cast<std::size_t>(config.arms) - plain.active.size();
}

TEST(DpEbsEliminations, PlayTheListing) {
  // Large epsilon, so that short games eliminate arms, some of them before the last.
  std::size_t left = 0;
  for (const auto calibration : {Calibration::kPaper, Calibration::kCorrected}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      left += expect_same_plays({.arms = 4,
                                 .horizon = 600,
                                 .epsilon = 400.0,
                                 .delta = 0.5,
                                 .radius = Radius::kExact,
                                 .calibration = calibration},
                                duels_of({8.0, 4.0, 0.0, -4.0}), seed);
    }
  }
  EXPECT_GE(left, 9U);
  EXPECT_GE(
      expect_same_plays(
          {.arms = 5, .horizon = 1200, .epsilon = 500.0, .delta = 0.5, .radius = Radius::kPaper},
          duels_of({9.0, 6.0, 0.0, -6.0, -9.0}), 4),
      1U);
  expect_same_plays({.arms = 2, .horizon = 300, .epsilon = 50.0, .delta = 0.5},
                    duels_of({4.0, -4.0}), 5);
}

// The proof of privacy, carried out: for every flipped bit there are noises that give the neighbour
// the same nodes and the same duels, and they differ in no more than the nodes that the proof
// counts.
TEST(DpEbsEliminations, ReleaseTheSameNodesForANeighbourByFewNoisesMovedByOne) {
  for (const std::int64_t arms : {2, 4}) {
    const DpEbsEliminationConfig config{.arms = arms,
                                        .horizon = 420,
                                        .epsilon = 400.0,
                                        .delta = 0.5,
                                        .calibration = Calibration::kPaper};
    const auto policy = DpEbsElimination::create(config).value();
    const auto duels = arms == 2 ? duels_of({3.0, -3.0}) : duels_of({8.0, 4.0, 0.0, -4.0});
    std::vector<Duel> actions;
    std::map<int, std::vector<double>> nodes;
    std::map<int, std::vector<double>> noises;
    // Plays with the bit of round `flipped` turned over, if any.
    const auto play_plain = [&](std::int64_t flipped, auto noise_of) {
      PlainElimination plain{config, policy.noise_scale(), {}};
      for (int arm = 0; arm < arms; ++arm) plain.active.insert(arm);
      plain.noise_of = noise_of;
      auto random = seeded_stream(1);
      auto luck = seeded_stream(1, 1);
      for (std::int64_t t = 0; t < config.horizon; ++t) {
        const Duel duel = plain.choose(random);
        const bool won = duels.feedback(t, duel, luck);
        if (flipped < 0) actions.push_back(duel);
        EXPECT_EQ(duel, actions[static_cast<std::size_t>(t)]) << t;
        plain.observe(duel, t == flipped ? !won : won, random);
      }
      return plain.active.size();
    };
    const auto left = play_plain(-1, [&](int arm, double sum, double drawn) {
      nodes[arm].push_back(sum + drawn);
      noises[arm].push_back(drawn);
      return drawn;
    });
    EXPECT_LT(left, 4U);  // with four arms, duels were removed
    const double most = policy.spent_epsilon() * policy.noise_scale();  // nodes
    double moved_most = 0.0;
    for (std::int64_t flipped = 0; flipped < config.horizon; flipped += 7) {
      std::map<int, std::size_t> times;
      double moved = 0.0;
      play_plain(flipped, [&](int arm, double sum, double) {
        const std::size_t time = times[arm]++;
        const double noise = nodes[arm][time] - sum;
        moved += std::fabs(noise - noises[arm][time]);
        return noise;
      });
      EXPECT_LE(moved, most + 1e-6);
      moved_most = std::max(moved_most, moved);
    }
    EXPECT_GE(moved_most, arms == 2 ? 5.0 : 8.0);
  }
}

TEST(DpEbsEliminations, FeedTheCounterOnWinsAndLossesAlike) {
  auto policy = DpEbsElimination::create({.arms = 3, .horizon = 300, .epsilon = 0.1}).value();
  auto random = seeded_stream(1);
  for (std::int64_t t = 0; t < 300; ++t) {
    const Duel duel = policy.choose(random);
    std::vector<DpEbsElimination::Fed> fed;
    policy.observe(t % 3 == 0, random, [&](const auto& entry) { fed.push_back(entry); });
    ASSERT_EQ(fed.size(), 1U);
    EXPECT_EQ(fed[0].arm, duel.first);
    EXPECT_EQ(fed[0].entry, t % 3 == 0 ? 1 : 0);
    EXPECT_EQ(fed[0].time, policy.counter(duel.first).time());
    EXPECT_EQ(duel.first, t % 3);  // in turn
  }
}

TEST(DpEbsEliminations, RemoveTheDuelsOfAnArmThatLeftWithTheirWinsInOneEntry) {
  auto policy =
      DpEbsElimination::create({.arms = 3, .horizon = 2000, .epsilon = 500.0, .delta = 0.5})
          .value();
  auto random = seeded_stream(7);
  std::map<std::pair<int, int>, std::int64_t> wins;
  std::vector<DpEbsElimination::Fed> removals;
  for (std::int64_t t = 0; t < 2000 && policy.active().size() == 3; ++t) {
    const Duel duel = policy.choose(random);
    const bool won = duel.first < 2 && (duel.second == 2 || t % 2 == 0);  // arm 2 always loses
    if (won) ++wins[{duel.first, duel.second}];
    std::size_t n = 0;
    policy.observe(won, random, [&](const auto& entry) {
      if (n++ > 0) removals.push_back(entry);
    });
  }
  ASSERT_EQ(policy.active().size(), 2U);
  ASSERT_EQ(removals.size(), 2U);
  for (const auto& fed : removals) {
    EXPECT_EQ(fed.entry, -wins.at({fed.arm, 2}));
    EXPECT_LT(fed.entry, -1);
  }
}

TEST(DpEbsEliminations, PlayTheLastArmAgainstItselfWithoutNoise) {
  const auto policy =
      DpEbsElimination::create({.arms = 2, .horizon = 4000, .epsilon = 500.0}).value();
  const auto actions =
      play(policy, duels_of({9.0, -9.0}), 4000, seeded_stream(1), seeded_stream(1, 1));
  EXPECT_EQ(actions.back(), (Duel{0, 0}));
  expect_determined_by_streams(policy, duels_of({9.0, -9.0}), 4000);
}

TEST(DpEbsEliminations, MoveAsManyNodesAsTheProofSays) {
  // By enumeration of the nodes that hold exactly one of two entries.
  for (std::int64_t entries = 1; entries <= 130; ++entries) {
    const auto holders = [&](std::int64_t s) {
      std::set<std::int64_t> nodes;
      for (; s <= entries; s += s & -s) nodes.insert(s);
      return nodes;
    };
    std::size_t most = 0;
    for (std::int64_t s = 1; s <= entries; ++s) {
      const auto one = holders(s);
      most = std::max(most, one.size());
      for (std::int64_t later = s + 1; later <= entries; ++later) {
        const auto other = holders(later);
        std::vector<std::int64_t> apart;
        std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                      std::back_inserter(apart));
        most = std::max(most, apart.size());
      }
    }
    EXPECT_EQ(detail::tree_nodes_moved_twice(entries), static_cast<std::int64_t>(most)) << entries;
  }
}

TEST(DpEbsEliminations, SpendWhatTheirNodesSpend) {
  for (const std::int64_t arms : {2, 4}) {
    DpEbsEliminationConfig config{.arms = arms, .horizon = 200, .epsilon = 1.0};
    const auto corrected = DpEbsElimination::create(config).value();
    EXPECT_NEAR(corrected.spent_epsilon(), 1.0, 1e-12);
    config.calibration = Calibration::kPaper;
    const auto paper = DpEbsElimination::create(config).value();
    // H = 200 + K - 2 has 8 levels and, for K = 4, 202 = 128 + 64 + 10: max(8, 13, 15) nodes.
    EXPECT_NEAR(paper.noise_scale(), 32.0, 1e-12);
    EXPECT_NEAR(paper.spent_epsilon(), arms == 2 ? 8.0 / 32.0 : 15.0 / 32.0, 1e-12);
    EXPECT_NEAR(corrected.noise_scale(), arms == 2 ? 8.0 : 15.0, 1e-12);
    EXPECT_NE(paper.guarantee().source, corrected.guarantee().source);
  }
}

TEST(DpEbsEliminations, PromiseTheirLevelForTheActionsAndOneRoundsPreferences) {
  const auto guarantee = DpEbsElimination::create({.epsilon = 0.5}).value().guarantee();
  EXPECT_EQ(std::get<PureDp>(guarantee.level).epsilon.value, 0.5);
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOnePreferences);
  EXPECT_EQ(guarantee.view, View::kActions);
}

TEST(DpEbsEliminations, RefuseSettingsByNameAndRange) {
  const auto refusal = [](const DpEbsEliminationConfig& config) {
    return DpEbsElimination::create(config).error().message;
  };
  EXPECT_EQ(refusal({.arms = 1}), "arms must be 2 to 1024, not 1");
  EXPECT_EQ(refusal({.horizon = 0}), "horizon must be 1 to 1e+09, not 0");
  EXPECT_EQ(refusal({.epsilon = 0.0}), "epsilon must be 1e-06 to 500, not 0");
  EXPECT_EQ(refusal({.delta = 0.75}), "delta must be 0 to 0.5, not 0.75");
}

TEST(LaplaceSums, HaveTheTailsOfTheirConvolutions) {
  // By trapezoids: f_m = f_1 * f_(m-1) on a grid.
  constexpr double kStep = 0.005;
  constexpr std::ptrdiff_t kHalf = 8000;
  std::vector<double> density(2 * kHalf + 1);
  const auto laplace = [](std::ptrdiff_t i) {
    return 0.5 * std::exp(-kStep * std::fabs(static_cast<double>(i)));
  };
  for (std::ptrdiff_t i = -kHalf; i <= kHalf; ++i)
    density[static_cast<std::size_t>(i + kHalf)] = laplace(i);
  for (int m = 1; m <= 6; ++m) {
    if (m > 1) {
      // e^-|x| convolved by its two recursions: O(n).
      std::vector<double> forward(density.size());
      std::vector<double> backward(density.size());
      const double decay = std::exp(-kStep);
      for (std::size_t i = 1; i < density.size(); ++i) {
        forward[i] =
            decay * (forward[i - 1] + 0.5 * kStep * density[i - 1]) + 0.5 * kStep * density[i];
        const std::size_t back = density.size() - 1 - i;
        backward[back] = decay * (backward[back + 1] + 0.5 * kStep * density[back + 1]) +
                         0.5 * kStep * density[back];
      }
      for (std::size_t i = 0; i < density.size(); ++i) {
        density[i] = 0.5 * (forward[i] + backward[i]);
      }
    }
    for (const std::ptrdiff_t x : {0, 200, 1000, 2000}) {
      const double at = kStep * static_cast<double>(x);
      double tail = 0.0;
      for (std::ptrdiff_t i = x; i < kHalf; ++i) {
        tail += 0.5 * kStep *
                (density[static_cast<std::size_t>(i + kHalf)] +
                 density[static_cast<std::size_t>(i + 1 + kHalf)]);
      }
      EXPECT_NEAR(std::exp(log_laplace_sum_tail(m, at)) / (2.0 * tail), 1.0, 1e-4)
          << m << " at " << at;
    }
  }
}

TEST(LaplaceSums, HaveQuantilesThatTheirTailsReach) {
  EXPECT_EQ(laplace_sum_quantile(3, 0.0), 0.0);
  EXPECT_NEAR(laplace_sum_quantile(1, std::log(1e-6)), std::log(1e6), 1e-13);
  for (const int m : {1, 2, 17, 31, 64}) {
    for (const double log_beta : {-0.5, -20.0, -300.0}) {
      const double x = laplace_sum_quantile(m, log_beta);
      EXPECT_LE(log_laplace_sum_tail(m, x), log_beta);
      EXPECT_NEAR(log_laplace_sum_tail(m, x), log_beta, 1e-12 * (1.0 - log_beta)) << m;
    }
  }
}

TEST(DpEbsEliminations, HaveAnExactRadiusFarBelowThePapers) {
  DpEbsEliminationConfig config{.arms = 10, .horizon = 1'000'000};
  const auto exact = DpEbsElimination::create(config).value();
  config.radius = Radius::kPaper;
  const auto paper = DpEbsElimination::create(config).value();
  const double log_t = std::log(1e6);
  EXPECT_NEAR(paper.radius(1), 16.0 * std::log(1e7) * std::pow(log_t, 2.5), 1e-6);
  for (int m = 1; m <= 20; ++m) {
    EXPECT_LT(10.0 * exact.radius(m), paper.radius(m));
    EXPECT_GT(exact.radius(m), m == 1 ? 0.0 : exact.radius(m - 1));
  }
}

}  // namespace
}  // namespace assay

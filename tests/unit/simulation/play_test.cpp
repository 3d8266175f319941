// The one play loop and the one series with other contexts, actions and feedbacks than an arm's
// reward: a duel of two arms, and rows of a matrix that is drawn before the policy acts.
#include "assay/policies/simulation/play.hpp"

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/simulation/series.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct NoConfig {
  static void fields(auto&&) {}
};

// What every policy of this file promises and is made of.
template <class P, class C, class A, class F>
struct ToyPolicy {
  using Config = NoConfig;
  using Context = C;
  using Action = A;
  using Feedback = F;
  static Result<P> create(const NoConfig&) { return P{}; }
  static Guarantee guarantee() { return {}; }
  const NoConfig& config() const { return config_; }

  NoConfig config_;
};

ChunkResult played_rounds(const SimulatedSeries& series, const std::vector<std::int64_t>& rounds) {
  ChunkPlan plan{.rounds = rounds, .end = 5};
  return series.play(plan).value();
}

// ---- dueling ------------------------------------------------------------------------------------

struct ToyDuel {
  int first = 0;
  int second = 0;
  friend bool operator==(const ToyDuel&, const ToyDuel&) = default;
};

void count_pulls(ToyDuel duel, std::int64_t rounds, std::span<std::int64_t> pulls) {
  pulls[static_cast<std::size_t>(duel.first)] += rounds;
  pulls[static_cast<std::size_t>(duel.second)] += rounds;
}

// The winner stays, the next arm in order challenges it.
struct WinnerStays : ToyPolicy<WinnerStays, NoContext, ToyDuel, bool> {
  ToyDuel choose(ReplayStream&) { return last_ = {(last_.first + 1) % 3, champion_}; }
  void observe(bool first_won) { champion_ = first_won ? last_.first : champion_; }

  ToyDuel last_;
  int champion_ = 0;
};

// The arm of the larger utility wins.
struct SurePreferences {
  std::vector<double> utilities;

  double of(int arm) const { return utilities[static_cast<std::size_t>(arm)]; }
  bool feedback(std::int64_t, ToyDuel duel, ReplayStream&) const {
    return of(duel.first) > of(duel.second);
  }
  std::span<const double> means() const { return utilities; }
  double earned(ToyDuel duel, bool) const { return 0.5 * (of(duel.first) + of(duel.second)); }
  double gap(ToyDuel duel) const { return 1.0 - earned(duel, true); }
};

TEST(Play, OfADuelHandsTheWinnerToThePolicyAndThePairToTheTranscript) {
  const auto duels =
      play(WinnerStays{}, SurePreferences{{0.5, 0.0, 1.0}}, 4, ReplayStream({}), ReplayStream({}));
  EXPECT_THAT(duels, ElementsAre(ToyDuel{1, 0}, ToyDuel{2, 0}, ToyDuel{0, 2}, ToyDuel{1, 2}));
}

TEST(Series, OfADuelCountsBothArmsAndTheMeanOfTheirGaps) {
  const auto series = make_series("duels", WinnerStays{}, SurePreferences{{0.5, 0.0, 1.0}});
  const auto result = played_rounds(series, {1, 4});
  EXPECT_THAT(result.pseudo.mean, ElementsAre(0.75, 0.75 + 0.25 + 0.25 + 0.5));
  EXPECT_THAT(result.realised.mean, ElementsAre(0.75, 1.75));
  EXPECT_THAT(result.pulls, ElementsAre(15, 10, 15));  // of 5 repetitions
}

// ---- contexts -----------------------------------------------------------------------------------

using Rows = std::span<const double>;  // one feature each

struct LargestRow : ToyPolicy<LargestRow, Rows, int, double> {
  static int choose(Rows rows, ReplayStream&) {
    return static_cast<int>(std::max_element(rows.begin(), rows.end()) - rows.begin());
  }
  static void observe(double, ReplayStream& random) { random.next(); }
};

struct FirstRow : LargestRow {
  static Result<FirstRow> create(const NoConfig&) { return FirstRow{}; }
  static int choose(Rows, ReplayStream&) { return 0; }
};

// A row pays its feature; rewards are counted from that of the best row.
class DrawnRows {
 public:
  Rows context(std::int64_t, ReplayStream& random) {
    for (double& feature : features_) feature = random.uniform();
    return features_;
  }
  double feedback(std::int64_t, int action, ReplayStream&) const {
    return features_[static_cast<std::size_t>(action)];
  }
  Rows means() const { return means_; }
  double gap(int action) const {
    return *std::max_element(features_.begin(), features_.end()) - feature(action);
  }
  double earned(int action, double) const { return -gap(action); }
  static double best() { return 0.0; }

 private:
  double feature(int action) const { return features_[static_cast<std::size_t>(action)]; }

  std::vector<double> features_ = std::vector<double>(4);
  std::vector<double> means_ = std::vector<double>(4, 0.5);
};

TEST(Play, ShowsThePolicyTheContextOfTheRoundThatPaysIt) {
  LargestRow policy;
  DrawnRows rows;
  ReplayStream random({.seed = 1});
  ReplayStream luck({.seed = 2});
  ReplayStream same_luck({.seed = 2});
  play(policy, rows, 50, random, luck, [&](std::int64_t, int action, double reward) {
    std::vector<double> drawn(4);
    for (double& feature : drawn) feature = same_luck.uniform();
    EXPECT_EQ(reward, drawn[static_cast<std::size_t>(action)]);
    EXPECT_EQ(reward, *std::max_element(drawn.begin(), drawn.end()));
  });
}

TEST(Series, OfContextsSumsTheGapOfEachRound) {
  EXPECT_THAT(played_rounds(make_series("best", LargestRow{}, DrawnRows{}), {1, 100}).pseudo.mean,
              Each(0.0));
  // The first of four uniform features misses 4/5 - 1/2 a round.
  const auto first = played_rounds(make_series("first", FirstRow{}, DrawnRows{}), {1000});
  EXPECT_NEAR(first.pseudo.mean[0], 300.0, 15.0);
  EXPECT_NEAR(first.realised.mean[0], first.pseudo.mean[0], 1e-9);
}

static_assert(EnvironmentOf<DrawnRows, LargestRow>);
static_assert(!EnvironmentOf<SurePreferences, LargestRow>);  // no context, another action
static_assert(!EnvironmentOf<BernoulliArms, WinnerStays>);

}  // namespace
}  // namespace assay

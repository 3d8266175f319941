// Which candidates a round of halving keeps, and which event the last one takes.
#include "assay/auditors/methods/black_box/event_search.hpp"

#include <cmath>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Ten candidates whose outputs are 0 or 1, in fixed shares on both inputs.
class SharesOfOnes final : public PlaySource {
 public:
  static constexpr std::size_t kNever = 8, kMoves = 9;

  std::size_t candidates() const override { return 10; }
  OutputView view(std::size_t) const override {
    return {InputShape{.kind = InputKind::kMechanism}, 0};
  }
  Outlook outlook(std::size_t, double doubt) const override {
    return {0.0, doubt,
            [](double p, double q, double) { return std::sqrt((1 / p + 1 / q) / 100); }};
  }
  double claim(std::size_t) const override { return 1.0; }
  double moved(std::size_t candidate) const override { return candidate == kMoves ? 1.0 : 0.0; }

  Status play(const SearchRound& round, std::span<const std::size_t> candidates,
              RoundLearner& learner, const RunControl& control) override {
    played.emplace_back(candidates.begin(), candidates.end());
    for (const std::size_t c : candidates) {
      const double p = c == kNever ? 0.15 : 0.5;
      const double q = c == kMoves ? 0.5 : c == kNever ? 0.0 : 0.02 * static_cast<double>(c + 2);
      const SideRuns runs{shares(p, round.runs), shares(q, round.runs)};
      learner.learn(c, cut(runs, 0, round.runs / 2));
      count_rest(c, runs, round.runs / 2, learner, control);
    }
    return {};
  }

  std::vector<std::vector<std::size_t>> played;

 private:
  static OutputBatch shares(double of_ones, std::int64_t count) {
    OutputBatch out{count, 1, {}};
    double due = 0.5;
    for (std::int64_t i = 0; i < count; ++i) {
      due += of_ones;
      out.values.push_back(due >= 1.0 ? 1.0 : 0.0);
      due -= out.values.back();
    }
    return out;
  }
};

// One candidate. At least 1 is frequent, with a ratio of e^0.92; 2 is rare, and by few counts its ratio is e^1.2.
class FrequentAndRare final : public PlaySource {
 public:
  static constexpr double kFrequent = 0.5, kRare = 0.004;

  explicit FrequentAndRare(double claim) : claim_(claim) {}
  std::size_t candidates() const override { return 1; }
  OutputView view(std::size_t) const override {
    return {InputShape{.kind = InputKind::kMechanism}, 0};
  }
  Outlook outlook(std::size_t, double doubt) const override {
    return {0.0, doubt,
            [](double p, double q, double) { return std::sqrt((1 / p + 1 / q) / 1e5); }};
  }
  double claim(std::size_t) const override { return claim_; }
  double frequency_to_see(std::size_t) const override { return 0.01; }
  Status play(const SearchRound& round, std::span<const std::size_t>, RoundLearner& learner,
              const RunControl& control) override {
    const SideRuns runs{values(kFrequent, kRare, round.runs), values(0.2, 0.0012, round.runs)};
    learner.learn(0, runs);
    count_rest(0, runs, 0, learner, control);
    return {};
  }

 private:
  static OutputBatch values(double at_least_1, double at_least_2, std::int64_t count) {
    OutputBatch out{count, 1, {}};
    for (std::int64_t i = 0; i < count; ++i) {
      const auto below = [&](double share) {
        return static_cast<double>(i) < share * static_cast<double>(count);
      };
      out.values.push_back(below(at_least_2) ? 2.0 : below(at_least_1) ? 1.0 : 0.0);
    }
    return out;
  }

  double claim_;
};

TEST(EventSearch, KeepsPredictionsAnEventThatOneInputNeverHasAndWhatMovesOutputsMost) {
  SharesOfOnes source;
  const SearchRound rounds[] = {{0, false, 80, 4, 0.5}, {1, true, 80, 1, 0.5}};
  const auto best = must(search_event(source, rounds, {}));
  ASSERT_EQ(source.played.size(), 2u);
  EXPECT_THAT(source.played[1],
              ::testing::UnorderedElementsAre(0u, 1u, SharesOfOnes::kNever, SharesOfOnes::kMoves));
  EXPECT_EQ(best.candidate, 0u);
}

TEST(EventSearch, TheLastOneIsChosenByPredictionAlone) {
  SharesOfOnes source;
  const SearchRound rounds[] = {{0, false, 80, 1, 0.5}, {1, true, 80, 1, 0.5}};
  EXPECT_EQ(must(search_event(source, rounds, {})).candidate, 0u);
  EXPECT_THAT(source.played[1], ::testing::ElementsAre(0u));
}

// An audit of a rare event sees large leaks alone.
TEST(EventSearch, ARareEventIsTakenOnlyIfItWouldRefuteTheClaim) {
  const SearchRound last[] = {{0, true, 10'000, 1, 1.0}};
  FrequentAndRare refutable(1.0), true_claim(1.2);
  const auto rare = must(search_event(refutable, last, {})).found;
  EXPECT_NEAR(rare.selected.p, FrequentAndRare::kRare, 1e-3);
  EXPECT_GT(rare.selected.predicted, 1.0);
  const auto frequent = must(search_event(true_claim, last, {})).found;
  EXPECT_NEAR(frequent.selected.p, FrequentAndRare::kFrequent, 1e-3);
  EXPECT_GT(frequent.classes.counts.size(), 1u);
}

}  // namespace
}  // namespace assay

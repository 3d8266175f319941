// Which candidates a round of halving keeps.
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

}  // namespace
}  // namespace assay

// Preference matrices: closed forms, the winner by definition, and what readers say.
#include "assay/policies/dueling/preference_matrix.hpp"

#include <filesystem>
#include <fstream>

#include "assay/policies/dueling/duels.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class PreferenceFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  Result<PreferenceMatrix> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_preferences(path_);
  }
  // Message and line of the error.
  std::string refusal(const std::string& text) {
    const auto result = read(text);
    return result ? "accepted"
                  : std::to_string(result.error().line) + ": " + result.error().message;
  }
  const std::string path_ =
      (std::filesystem::temp_directory_path() /
       (std::string("preferences_") +
        ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv"))
          .string();
};

TEST(PreferenceMatrices, OfScoresAreTheLogisticOfTheirDifferences) {
  const std::vector<double> scores{1.0, 0.25, -0.5};
  const auto p = preferences_of_scores(scores).value();
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      const double gap = scores[static_cast<std::size_t>(i)] - scores[static_cast<std::size_t>(j)];
      EXPECT_NEAR(p.of(i, j), 0.5 * (1.0 + std::tanh(0.5 * gap)), 1e-15);
      EXPECT_EQ(p.of(i, j) + p.of(j, i), 1.0);
    }
  }
  EXPECT_TRUE(check_preferences(p));
  EXPECT_EQ(condorcet_winner(p), 0);
  EXPECT_NEAR(logistic(-50.0), std::exp(-50.0), 1e-16);
}

TEST(PreferenceMatrices, OfScoresRefuseWhatIsNoScore) {
  EXPECT_EQ(preferences_of_scores(std::vector<double>{1.0}).error().message,
            "arms must be 2 to 1024, not 1");
  EXPECT_EQ(preferences_of_scores(std::vector<double>{1.0, 2e100}).error().message,
            "the score of arm 2 must be -1e100 to 1e100, not 2e+100");
  EXPECT_FALSE(preferences_of_scores(std::vector<double>{NAN, 0.0}));
}

TEST(PreferenceMatrices, LinearScoresAreInnerProducts) {
  const ArmFeatures features{2, 2, {1.0, 0.0, 0.6, 0.8}};
  const std::vector<double> weights{0.5, 0.25};
  EXPECT_EQ(linear_scores(features, weights).value(),
            (std::vector<double>{0.5, 0.5 * 0.6 + 0.25 * 0.8}));
  EXPECT_EQ(linear_scores(features, std::vector<double>{1.0}).error().message,
            "weights must hold 2 numbers, not 1");
}

TEST(PreferenceMatrices, ArithmeticOnesStepByTheDistanceOfTheArms) {
  const auto p = arithmetic_preferences(8, 0.05).value();
  EXPECT_EQ(p.of(0, 7), 0.5 + 0.05 * 7.0);
  EXPECT_EQ(p.of(7, 0), 1.0 - p.of(0, 7));
  EXPECT_EQ(p.of(3, 3), 0.5);
  EXPECT_EQ(condorcet_winner(p), 0);
  EXPECT_TRUE(check_preferences(arithmetic_preferences(2, 0.5).value()));
  EXPECT_EQ(arithmetic_preferences(11, 0.06).error().message,
            "step must be above 0 and at most 1/2 over arms - 1, 0.05 for arms = 11, not 0.06");
  EXPECT_EQ(arithmetic_preferences(11, 0.0).error().path, "/step");
}

TEST(PreferenceMatrices, WithoutAWinnerSayWhomEachArmDoesNotBeat) {
  // A cycle, as in a game of rock, paper and scissors.
  const PreferenceMatrix cycle{3, {0.5, 0.75, 0.25, 0.25, 0.5, 0.75, 0.75, 0.25, 0.5}};
  EXPECT_EQ(condorcet_winner(cycle), std::nullopt);
  EXPECT_EQ(require_condorcet_winner(cycle).error().message,
            "preferences must have an arm that beats every other (a Condorcet winner); 1 does not "
            "beat 3 (0.25), 2 does not beat 1 (0.25), 3 does not beat 2 (0.25)");
  const PreferenceMatrix tie{2, {0.5, 0.5, 0.5, 0.5}};
  EXPECT_FALSE(require_condorcet_winner(tie));
  EXPECT_EQ(require_condorcet_winner(arithmetic_preferences(3, 0.1).value()).value(), 0);
}

TEST_F(PreferenceFile, IsReadToTheLastBit) {
  const auto p = read("# three arms\n0.5,0.6,0.7\n0.4,0.5,0.9\n0.3,0.1,0.5\n").value();
  EXPECT_EQ(p.arms, 3);
  EXPECT_EQ(p.of(0, 1), 0.6);
  EXPECT_EQ(p.of(1, 0), 1.0 - 0.6);
  EXPECT_EQ(p.of(1, 2), 0.9);
  EXPECT_EQ(condorcet_winner(p), 0);
}

TEST_F(PreferenceFile, IsRefusedByRowAndColumn) {
  EXPECT_EQ(refusal("0.5,x\n0.4,0.5\n"),
            "1: the preference in row 1, column 2 must be a number, not 'x'; 0 to 1 is allowed");
  EXPECT_EQ(refusal("0.5,1.5\n0.4,0.5\n"),
            "1: the preference in row 1, column 2 must be 0 to 1, not 1.5");
  EXPECT_EQ(refusal("0.5,0.6\n0.3,0.5\n"),
            "0: the preference in row 2, column 1 must be 0.4, 1 minus that in row 1, column 2, "
            "not 0.3");
  EXPECT_EQ(refusal("0.5,0.6\n0.4,0\n"),
            "0: the preference in row 2, column 2 must be 0.5, an arm against itself, not 0");
  EXPECT_EQ(refusal("0.5,0.6\n0.4\n"), "2: has 1 preferences; a file of 2 lines needs 2 in each");
  EXPECT_EQ(refusal("0.5\n"), "0: holds 1 lines, one an arm; 2 to 1024 arms are allowed");
  EXPECT_EQ(refusal("0.5,\"0.5\n0.5,0.5\n"), "1: has a quote that is not closed");
}

TEST(Duels, AnswerAsOftenAsThePreferencesSay) {
  const auto duels = PreferenceDuels::create(PreferenceMatrix{2, {0.5, 0.75, 0.25, 0.5}}).value();
  ReplayStream random({.seed = 1});
  int wins = 0;
  constexpr int kRounds = 20000;
  for (int t = 0; t < kRounds; ++t) wins += duels.feedback(t, {0, 1}, random) ? 1 : 0;
  EXPECT_NEAR(wins, 0.75 * kRounds, 6.0 * std::sqrt(0.1875 * kRounds));  // alpha 2e-9
  const auto sure = PreferenceDuels::create(PreferenceMatrix{2, {0.5, 1.0, 0.0, 0.5}}).value();
  for (int t = 0; t < 100; ++t) {
    EXPECT_TRUE(sure.feedback(t, {0, 1}, random));
    EXPECT_FALSE(sure.feedback(t, {1, 0}, random));
  }
}

TEST(Duels, ReadARecordedTournament) {
  const auto outcomes =
      RecordedOutcomes::create(2, InputTable{2, 4, {0, 1, 0, 0, 0, 0, 1, 0}}).value();
  ReplayStream random({.seed = 1});
  EXPECT_TRUE(outcomes.feedback(0, {0, 1}, random));
  EXPECT_FALSE(outcomes.feedback(0, {1, 0}, random));
  EXPECT_TRUE(outcomes.feedback(1, {1, 0}, random));
  EXPECT_FALSE(outcomes.feedback(1, {1, 1}, random));
  EXPECT_FALSE(RecordedOutcomes::create(2, InputTable{1, 4, {0, 1, 1, 0}}));
}

}  // namespace
}  // namespace assay

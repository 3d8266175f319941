// Preference matrices: closed forms, and what is refused.
#include "assay/policies/dueling/preference_matrix.hpp"

#include "assay/policies/dueling/duels.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

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
  EXPECT_NEAR(logistic(-50.0), std::exp(-50.0), 1e-16);
}

TEST(PreferenceMatrices, OfScoresRefuseWhatIsNoScore) {
  EXPECT_EQ(preferences_of_scores(std::vector<double>{1.0}).error().message,
            "arms must be 2 to 1024, not 1");
  EXPECT_EQ(preferences_of_scores(std::vector<double>{1.0, 2e100}).error().message,
            "the score of arm 1 must be -1e100 to 1e100, not 2e+100");
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
  EXPECT_TRUE(check_preferences(arithmetic_preferences(2, 0.5).value()));
  EXPECT_EQ(arithmetic_preferences(11, 0.06).error().message,
            "step must be above 0 and at most 1/2 over arms - 1, 0.05 for arms = 11, not 0.06");
  EXPECT_EQ(arithmetic_preferences(11, 0.0).error().path, "/step");
}

TEST(PreferenceMatrices, AreRefusedByRowAndColumn) {
  const auto refusal = [](std::vector<double> values) {
    return check_preferences({2, std::move(values)}).error().message;
  };
  EXPECT_EQ(refusal({0.5, 1.5, 0.4, 0.5}),
            "the preference in row 1, column 2 must be 0 to 1, not 1.5");
  EXPECT_EQ(
      refusal({0.5, 0.6, 0.3, 0.5}),
      "the preference in row 2, column 1 must be 0.4, 1 minus that in row 1, column 2, not 0.3");
  EXPECT_EQ(refusal({0.5, 0.6, 0.4, 0.0}),
            "the preference in row 2, column 2 must be 0.5, an arm against itself, not 0");
  EXPECT_EQ(refusal({0.5, 0.6, 0.4}), "preferences must hold 4 numbers, not 3");
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

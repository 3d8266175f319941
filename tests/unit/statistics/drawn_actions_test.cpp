#include "assay/auditors/statistics/drawn_actions.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// The runs until the alarm, at most 4,000: two arms, reported to be equally likely, of which arm 1 is drawn with
// probability `arm_one(round, last action)`.
template <class ArmOne>
std::int64_t runs_until_alarm(ArmOne arm_one, std::int64_t rounds = 4) {
  DrawnActionsTest test(1e-3);
  const std::vector<double> uniform(static_cast<std::size_t>(2 * rounds), 0.5);
  for (std::uint64_t run = 0; run < 4000 && !test.evidence().alarm(); ++run) {
    ReplayStream random({run, hash_purpose("tests/drawn-actions")});
    std::vector<int> actions;
    for (std::int64_t t = 0; t < rounds; ++t) {
      const int last = actions.empty() ? 0 : actions.back();
      actions.push_back(random.uniform() < arm_one(t, last) ? 1 : 0);
    }
    test.run(run % 2 == 0 ? Side::kBase : Side::kNeighbour, uniform, actions);
  }
  return test.runs();
}

TEST(DrawnActions, AlarmWhereverAShareDiffersFromItsReport) {
  EXPECT_LT(runs_until_alarm([](auto, int) { return 0.6; }), 400);
  EXPECT_LT(runs_until_alarm([](auto round, int) { return round == 2 ? 0.8 : 0.5; }), 400);
  EXPECT_LT(runs_until_alarm([](auto, int last) { return last == 1 ? 0.65 : 0.35; }), 400);
}

TEST(DrawnActions, StayQuietIfTheyFollowTheReport) {
  EXPECT_EQ(runs_until_alarm([](auto, int) { return 0.5; }), 4000);
}

// By hand: one run of one round. Every way has the factor w(a) / sum of pi w = 1 in its first round, then
// (1 + 1) / (0.5 + 1) against (0 + 1) / (0.5 + 1) for the same actions.
TEST(DrawnActions, BetByTheSharesSoFar) {
  DrawnActionsTest test(1e-3);
  const std::vector<double> uniform = {0.5, 0.5};
  test.run(Side::kBase, uniform, std::vector<int>{1});
  EXPECT_DOUBLE_EQ(test.evidence().e_value(), 1.0);
  test.run(Side::kBase, uniform, std::vector<int>{1});
  // Five ways by action: 2 / ((2 + 1) / 2) = 4/3. The way by size has one class, whose factor is always 1.
  EXPECT_NEAR(test.evidence().e_value(), (5.0 * 4.0 / 3.0 + 1.0) / 6.0, 1e-12);
}

TEST(DrawnActions, AnImpossibleActionIsAnAlarmAtOnce) {
  DrawnActionsTest test(1e-9);
  test.run(Side::kBase, std::vector<double>{1.0, 0.0}, std::vector<int>{1});
  EXPECT_TRUE(test.evidence().alarm());
  test.run(Side::kBase, std::vector<double>{1.0, 0.0}, std::vector<int>{0});
  EXPECT_TRUE(test.evidence().alarm());
}

}  // namespace
}  // namespace assay

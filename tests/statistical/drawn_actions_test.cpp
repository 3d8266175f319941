// The test of drawn actions at alpha = 0.05, if the actions follow the reported probabilities: its false alarms
// (binomial_limit.hpp).
#include "assay/auditors/statistics/drawn_actions.hpp"

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

// An epsilon-greedy bandit of three arms that follows the arm of the last reward, whose probabilities depend on its history.
void play(ReplayStream& random, DrawnActionsTest& test, Side side) {
  constexpr int kRounds = 8;
  std::vector<double> probabilities;
  std::vector<int> actions;
  std::size_t favourite = side == Side::kBase ? 0 : 1;
  for (int t = 0; t < kRounds; ++t) {
    double pi[3] = {0.1, 0.1, 0.1};
    pi[favourite] = 0.8;
    probabilities.insert(probabilities.end(), pi, pi + 3);
    const double u = random.uniform();
    actions.push_back(u < pi[0] ? 0 : u < pi[0] + pi[1] ? 1 : 2);
    if (random.uniform() < 0.3) favourite = static_cast<std::size_t>(actions.back());
  }
  test.run(side, probabilities, actions);
}

TEST(DrawnActionsNull, RaisesAnAlarmAtItsAlpha) {
  constexpr double kAlpha = 0.05;
  constexpr int kAudits = 2000, kRuns = 60;
  int alarms = 0;
  for (int audit = 0; audit < kAudits; ++audit) {
    DrawnActionsTest test(kAlpha);
    ReplayStream random(
        {static_cast<std::uint64_t>(audit), hash_purpose("tests/drawn-actions/null")});
    for (int run = 0; run < kRuns; ++run) {
      play(random, test, run % 2 == 0 ? Side::kBase : Side::kNeighbour);
    }
    alarms += test.evidence().alarm() ? 1 : 0;
  }
  EXPECT_LE(alarms, binomial_limit(kAudits, kAlpha, 1)) << alarms;
}

}  // namespace
}  // namespace assay

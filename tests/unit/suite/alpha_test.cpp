// One alpha over all runs of a history, simulated: runs that err as often as they may, adversaries who want
// a certain outcome, and the rule that would not hold (docs/proofs/suite_alpha.md).
#include "assay/auditors/suite/reuse.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

constexpr double kSuiteAlpha = 0.1;
constexpr int kHistories = 2000;
constexpr std::int64_t kRuns = 64;
constexpr double kClaimedLoss = 1.0;

// A run on a target of that loss, at that error: its lower bound is false with probability alpha/2, its
// upper bound with probability alpha/2, no less.
EntryResult audited_entry(double loss, double alpha, std::uint64_t seed) {
  ReplayStream words({seed, hash_purpose("alpha-test"), 0, 0});
  const double u = words.uniform();
  EntryFigure figure{"eps",
                     FigureKind::kLoss,
                     loss - 0.2 * words.uniform(),
                     loss + 0.2 * words.uniform(),
                     kClaimedLoss,
                     {}};
  if (u <= alpha / 2) {
    figure.upper = figure.lower = loss + 0.1;
  } else if (u >= 1.0 - alpha / 2) {
    figure.lower = figure.upper = std::min(loss, kClaimedLoss) - 0.1;
  }
  return EntryResult{.status = figure.lower > kClaimedLoss    ? EntryStatus::kViolated
                               : figure.upper <= kClaimedLoss ? EntryStatus::kHeld
                                                              : EntryStatus::kInconclusive,
                     .figures = {figure},
                     .content = "c"};
}

bool is_false(const EntryResult& result, double loss) {
  const auto& figure = result.figures.at(0);
  return figure.lower > loss || figure.upper < loss;
}

// Histories in which somebody says something false. The adversary chooses each seed by what came before.
template <class AlphaOf, class Goal>
int histories_with_an_error(double loss, bool same_content, const AlphaOf& alpha_of,
                            const Goal& reached) {
  int wrong = 0;
  for (int history = 0; history < kHistories; ++history) {
    EntryResult known;
    bool erred = false;
    for (std::int64_t run = 1; run <= kRuns; ++run) {
      const auto chosen = static_cast<std::uint64_t>(
          history * 1000 + (run > 1 ? std::lround(100.0 * known.figures.at(0).lower) : 0));
      const auto now = audited_entry(loss, alpha_of(run), seed_of_run(chosen, run));
      known = same_content && run > 1 ? merge_evidence(known, now) : now;
      erred = erred || is_false(now, loss);
      if (reached(known)) break;
    }
    wrong += erred ? 1 : 0;
  }
  return wrong;
}

double shared(std::int64_t run) { return alpha_of_run(kSuiteAlpha, run); }
bool is_red(const EntryResult& result) { return result.status == EntryStatus::kViolated; }
bool is_green(const EntryResult& result) { return result.status == EntryStatus::kHeld; }

// alpha = 1e-3 over the four counts of the file.
int limit() { return binomial_limit(kHistories, kSuiteAlpha, 4); }

TEST(AlphaOverRuns, HoldsAgainstWhoRunsAgainUntilATrueClaimIsRefuted) {
  const int wrong = histories_with_an_error(kClaimedLoss, true, shared, is_red);
  EXPECT_LE(wrong, limit());
  EXPECT_GE(wrong, kHistories / 50) << "the test has to be able to fail";
}

TEST(AlphaOverRuns, HoldsAgainstWhoChangesTheTargetAfterEachRun) {
  const int wrong =
      histories_with_an_error(kClaimedLoss, false, shared, [](const auto&) { return false; });
  EXPECT_LE(wrong, limit());
  EXPECT_GE(wrong, kHistories / 50) << "the test has to be able to fail";
}

TEST(AlphaOverRuns, HoldsAgainstWhoRunsAgainUntilAFaultIsGreen) {
  EXPECT_LE(histories_with_an_error(1.3, true, shared, is_green), limit());
}

TEST(AlphaOverRuns, WouldNotHoldWithAFreshAlphaForEachRun) {
  EXPECT_GT(histories_with_an_error(
                kClaimedLoss, true, [](std::int64_t) { return kSuiteAlpha; }, is_red),
            3 * limit());
}

// At the fault's first conviction the history is red, and no later run turns it green.
TEST(AlphaOverRuns, NeverTurnsAConvictionGreen) {
  for (int history = 0; history < 200; ++history) {
    EntryResult known = audited_entry(1.3, 0.0, seed_of_run(7, history + 1));
    ASSERT_TRUE(is_red(known) || known.status == EntryStatus::kInconclusive);
    bool was_red = is_red(known);
    for (std::int64_t run = 2; run <= kRuns; ++run) {
      known = merge_evidence(
          known, audited_entry(1.3, 0.5, seed_of_run(static_cast<std::uint64_t>(history), run)));
      EXPECT_TRUE(!was_red || is_red(known));
      was_red = was_red || is_red(known);
    }
    EXPECT_TRUE(was_red);
  }
}

}  // namespace
}  // namespace assay

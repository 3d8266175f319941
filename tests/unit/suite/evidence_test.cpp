// Evidence that adds up over the runs of one content: histories of private targets, adversaries who choose and
// kill, the rule that would not hold, and what a leak gains by it (docs/proofs/suite_alpha.md, (4)).
#include "assay/auditors/statistics/side_e_process.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

constexpr double kAlpha = 0.1;
constexpr int kEvidenceHistories = 2000;

SideClaim claimed() { return SideClaim::approximate(Epsilon{1.0}, Delta{0.0}); }

// The target's probability of the event on the rarer side, as it likes, and its leak there.
struct DriftingEvent {
  double epsilon = 1.0;
  bool drifts = false;
  double q(int play, bool last_hit) const {
    const double usual = 1.0 / (1.0 + std::exp(epsilon));
    return drifts ? usual * (last_hit ? 0.3 : 1.0) * (play % 100 < 50 ? 1.0 : 0.5) : usual;
  }
};

// The certified plays of one run.
EventCounts played(const DriftingEvent& target, int runs, ReplayStream& words) {
  EventCounts counts;
  bool hit = false;
  for (int play = 0; play < runs; ++play) {
    const double q = target.q(play, hit);
    const bool on_p = words.uniform() < 0.5;
    hit = words.uniform() < (on_p ? std::exp(target.epsilon) * q : q);
    (on_p ? counts.n : counts.m) += 1;
    if (hit) (on_p ? counts.x : counts.y) += 1;
  }
  return counts;
}

struct RunRule {
  bool kills = false;     // runs that lose
  bool survives = false;  // evidence of a killed run, which is the rule that would not hold
  int history = 16;       // runs of the suite
  int runs = 400;         // of the target, in each
};

// The run of the history that convicts, or 0. The adversary chooses what is taken for likely by what he has seen.
int convicting_run(const DriftingEvent& target, const RunRule& rule, std::uint64_t history) {
  ContentEvidence evidence;
  bool is_there = false;
  for (int run = 1; run <= rule.history; ++run) {
    if (!is_there) evidence = {run, alpha_of_run(kAlpha, run), 0, {}};
    is_there = true;
    const ContentEvidence before = evidence;
    ReplayStream words({history, hash_purpose("evidence-test"), static_cast<std::uint64_t>(run), 0,
                        Phase::kCertify});
    const double guess_q = evidence.bets.all.log_e_value() > 0.0 ? 0.26 : 0.1;
    EntryResult result{.status = EntryStatus::kHeld,
                       .e_process = ClaimEProcess{bet_on(claimed(), 3.0 * guess_q, guess_q,
                                                         played(target, rule.runs, words)),
                                                  std::nullopt}};
    EXPECT_TRUE(add_up(evidence, result));
    const bool loses = evidence.bets.all.log_e_value() < before.bets.all.log_e_value();
    if (rule.kills && loses) {
      is_there = rule.survives;
      evidence = before;
      continue;
    }
    if (evidence.bets.refutes(evidence.alpha, 0.05)) return run;
  }
  return 0;
}

int convictions(const DriftingEvent& target, const RunRule& rule) {
  int count = 0;
  for (std::uint64_t history = 0; history < kEvidenceHistories; ++history) {
    count += convicting_run(target, rule, history) != 0 ? 1 : 0;
  }
  return count;
}

// alpha = 1e-3 over the three counts of private targets.
int most_wrong() { return binomial_limit(kEvidenceHistories, kAlpha, 3); }

TEST(EvidenceOverRuns, ConvictsPrivateTargetsAtMostAsOftenAsAlphaSays) {
  const int wrong = convictions({1.0, false}, {});
  EXPECT_LE(wrong, most_wrong());
  EXPECT_GE(wrong, kEvidenceHistories / 200) << "the test has to be able to fail";
}

TEST(EvidenceOverRuns, AlsoWhereTheyDrift) {
  const int wrong = convictions({1.0, true}, {});
  EXPECT_LE(wrong, most_wrong());
  EXPECT_GE(wrong, kEvidenceHistories / 200) << "the test has to be able to fail";
}

TEST(EvidenceOverRuns, AlsoWhereSomebodyKillsTheRunsThatGoBadly) {
  EXPECT_LE(convictions({1.0, false}, {true, false, 64, 200}), most_wrong());
}

TEST(EvidenceOverRuns, WouldNotWereItToSurviveAKill) {
  EXPECT_GT(convictions({1.0, false}, {true, true, 64, 200}), 2 * most_wrong());
}

// A few of the histories in the first run, nearly all within sixteen.
TEST(EvidenceOverRuns, ConvictsALeakThatEachRunMisses) {
  int first = 0, all = 0;
  for (std::uint64_t history = 0; history < 200; ++history) {
    const int run = convicting_run({1.3, false}, {false, false, 16, 400}, history);
    first += run == 1 ? 1 : 0;
    all += run != 0 ? 1 : 0;
  }
  EXPECT_LE(first, 60);
  EXPECT_GE(all, 190);
}

EntryResult held_audit() {
  return EntryResult{.status = EntryStatus::kHeld,
                     .verdict = "NotRefuted",
                     .claim = "eps=1",
                     .figures = {{"eps", FigureKind::kLoss, 0.9, HUGE_VAL, 1.0, {}},
                                 {"mu", FigureKind::kLoss, 0.7, HUGE_VAL, 1.232, {}}}};
}

ClaimEProcess bets(double log_wealth) {
  ClaimEProcess out;
  out.all.logs.fill(log_wealth);
  return out;
}

TEST(EvidenceOverRuns, SaysByWhatItConvicts) {
  ContentEvidence evidence{3, 1e-4, 1, bets(5.0)};
  EntryResult result = held_audit();
  result.e_process = bets(4.0);
  ASSERT_TRUE(add_up(evidence, result));
  EXPECT_EQ(evidence.runs, 2);
  EXPECT_EQ(result.status, EntryStatus::kHeld);
  EXPECT_EQ(result.details,
            std::vector<std::string>{
                "2 runs of this content since run 3, each with bets on one event, have the "
                "e-value 8100 together; an e-value of 10000 refutes the claim"});
  result = held_audit();
  result.e_process = bets(1.0);
  ASSERT_TRUE(add_up(evidence, result));
  EXPECT_EQ(result.status, EntryStatus::kViolated);
  EXPECT_EQ(result.verdict, "Violated");
  EXPECT_EQ(result.headline, "Violated: 3 runs of this content together refute eps=1");
  EXPECT_EQ(result.figures[0].lower, 1.0);
  EXPECT_EQ(result.figures[1].lower, 0.7) << "a refuted eps says nothing of mu";
}

TEST(EvidenceOverRuns, IsLostWhereTheRunLeavesNoneOrProvesNothing) {
  ContentEvidence evidence{1, 1e-4, 1, bets(9.0)};
  EntryResult result = held_audit();
  EXPECT_TRUE(add_up(evidence, result)) << "it bet on nothing";
  EXPECT_EQ(evidence.runs, 1);
  result.error = Error{ErrorCode::kTarget, "the target ended", "", 0};
  EXPECT_FALSE(add_up(evidence, result));
  result = held_audit();
  result.e_process = bets(-HUGE_VAL);
  EXPECT_FALSE(add_up(evidence, result));
  // What fails in the end convicts nobody, but its plays count.
  evidence = {1, 1e-4, 1, bets(9.0)};
  result = held_audit();
  result.status = EntryStatus::kCouldNotRun;
  result.error = Error{ErrorCode::kTarget, "the target ended", "", 0};
  result.e_process = bets(9.0);
  EXPECT_TRUE(add_up(evidence, result));
  EXPECT_EQ(result.status, EntryStatus::kCouldNotRun);
  EXPECT_EQ(evidence.runs, 2);
}

}  // namespace
}  // namespace assay

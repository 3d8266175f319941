// Budgets of plays and of time: what they are divided into, that they are kept, and what the report says.
#include "assay/auditors/methods/black_box/run_budget.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/methods/black_box/first_look.hpp"
#include "assay/auditors/methods/one_run/probed_audit.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Counts plays, instances and their starts, of all its clones.
class CountingTarget final : public Target {
 public:
  struct Counts {
    std::atomic<std::int64_t> runs{0}, running{0}, most{0}, starts{0};
  };
  CountingTarget(const FunctionTarget& target, std::shared_ptr<Counts> counts,
                 std::chrono::microseconds pause = {})
      : target_(target), counts_(std::move(counts)), pause_(pause) {
    start();
  }
  ~CountingTarget() override { rest(); }
  const InputShape& shape() const override { return target_.shape(); }
  std::string name() const override { return "counting"; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    start();
    counts_->runs += static_cast<std::int64_t>(seeds.size());
    std::this_thread::sleep_for(pause_ * static_cast<std::int64_t>(seeds.size()));
    return target_.play(input, seeds);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<CountingTarget>(target_, counts_, pause_));
  }
  void rest() override {
    if (running_) --counts_->running;
    running_ = false;
  }

 private:
  void start() {
    if (running_) return;
    ++counts_->starts;
    counts_->most = std::max<std::int64_t>(counts_->most, ++counts_->running);
    running_ = true;
  }
  FunctionTarget target_;
  std::shared_ptr<Counts> counts_;
  std::chrono::microseconds pause_;
  bool running_ = false;
};

BlackBoxPlan plan_of_runs(const InputShape& shape, std::int64_t runs) {
  BlackBoxPlan plan{{.claim_text = "eps=1", .claim = PureDp{Epsilon{1.0}}}, 0, runs};
  plan.pairs = structural_pairs(shape, 24);
  plan.pairs_text = "structural pairs";
  return plan;
}

BlackBoxOutcome audit_in_budget(std::unique_ptr<Target> target, const BlackBoxPlan& plan,
                                const RunControl& control = {}, bool probes = false) {
  const auto canaries = Canaries::structural(target->shape(), 0).value();
  auto players = Players::create(std::move(target), control.threads).value();
  const PlayedSubject subject{&players, true, plan.claim};
  return must(audit_probed(std::span(&subject, 1), plan,
                           probes ? std::optional(canaries) : std::nullopt, control));
}

TEST(DivideRuns, StaysWithinTheBudgetAndSaysWhatIsTooLittle) {
  for (const std::int64_t all : {1'000, 2'345, 40'000, 1'000'000}) {
    for (const std::size_t candidates : {1u, 4u, 48u}) {
      const auto budget = divide_runs(all, std::nullopt, candidates).value();
      EXPECT_LE(budget.search + budget.learning + 2 * budget.samples + kCheckRuns, all);
      EXPECT_GE(budget.samples, kFewestCertified);
      EXPECT_EQ(budget.search > 0, candidates > 1);
      EXPECT_LE(budget.least_learning, budget.learning);
    }
  }
  const auto fixed = divide_runs(10'000, 2'000, 10).value();
  EXPECT_EQ(fixed.samples, 2'000);
  EXPECT_EQ(fixed.search + fixed.learning, 10'000 - 4'000 - kCheckRuns);
  EXPECT_EQ(divide_runs(4'000, 2'000, 10).error().message,
            "--runs leaves 4000 runs, fewer than the 5400 that 2000 certified runs on each input "
            "take: raise it or lower --samples");
}

TEST(RunBudget, IsKeptAndEveryPlayIsCounted) {
  for (const bool probes : {false, true}) {
    for (const double epsilon : {1.0, 3.0}) {
      for (const std::int64_t all : {1'000, 6'000}) {
        const auto counts = std::make_shared<CountingTarget::Counts>();
        const auto outcome =
            audit_in_budget(std::make_unique<CountingTarget>(teller(20, epsilon), counts),
                            plan_of_runs(bandit_shape(2, 20), all), {}, probes);
        EXPECT_EQ(outcome.evidence.runs->all(), counts->runs);
        EXPECT_EQ(outcome.evidence.runs->budget, all);
        EXPECT_LE(counts->runs, all) << epsilon;
      }
    }
  }
}

TEST(RunBudget, TheSameReportForAnyNumberOfThreads) {
  auto plan = plan_of_runs(bandit_shape(2, 20), 6'000);
  plan.refine = [](const InputPair& best, std::size_t) {
    const std::int64_t row = best.changed_row() == 7 ? 8 : 7;
    const double base_value = best.base_input().row(row)[0];
    return std::vector{InputPair::of(best.base_input(), {row, {1.0 - base_value}})};
  };
  const auto text = [&](int threads) {
    RunControl control{.threads = threads};
    const auto outcome =
        audit_in_budget(std::make_unique<FunctionTarget>(teller(20, 1.2)), plan, control, true);
    auto report = make_report(plan, Gathered{outcome});
    return to_json(report);
  };
  EXPECT_EQ(text(1), text(3));
  EXPECT_THAT(text(1), HasSubstr("around the best"));
}

TEST(RunBudget, AnObviousLeakEndsTheSearchAndIsCertifiedWithAsManyRunsAsItNeeds) {
  const auto outcome = audit_in_budget(std::make_unique<FunctionTarget>(teller(20, 5.0)),
                                       plan_of_runs(bandit_shape(2, 20), 40'000));
  EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated);
  EXPECT_THAT(outcome.pair.found_by, HasSubstr("ended by a pair that leaks obviously"));
  EXPECT_LT(outcome.evidence.runs->all(), 12'000);
  EXPECT_GT(outcome.evidence.quantities.front().lower.value, 2.0);
}

TEST(RunBudget, AProbeConvictsBeforeAnyPairIsSearched) {
  const auto outcome = audit_in_budget(std::make_unique<FunctionTarget>(teller(40, 3.0)),
                                       plan_of_runs(bandit_shape(2, 40), 40'000), {}, true);
  EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated);
  EXPECT_EQ(outcome.evidence.method, "one-run");
  EXPECT_EQ(outcome.evidence.runs->search, 0);
  EXPECT_LT(outcome.evidence.runs->all(), 1'500);
  double spent = 0.0;
  for (const auto& entry : outcome.evidence.ledger) spent += entry.alpha;
  EXPECT_LE(spent, 0.001);
}

TEST(RunBudget, AProbeThatRefutesNothingLeavesTheRestOfAlpha) {
  const auto outcome = audit_in_budget(std::make_unique<FunctionTarget>(teller(20, 1.0)),
                                       plan_of_runs(bandit_shape(2, 20), 40'000), {}, true);
  EXPECT_EQ(outcome.decision->verdict, Verdict::kNotRefuted);
  EXPECT_EQ(outcome.evidence.ledger.at(0).purpose, kLookPurpose);
  EXPECT_EQ(outcome.evidence.ledger.at(1).purpose, "one-run pre-screen, which refuted nothing");
  double spent = 0.0;
  for (const auto& entry : outcome.evidence.ledger) spent += entry.alpha;
  EXPECT_LE(spent, 0.001 * (1.0 + 1e-12));
}

// Whatever the clock says, there is a verdict and no error.
TEST(TimeBudget, EndsInAVerdict) {
  for (const double seconds : {0.0, 0.05, 0.6}) {
    RunControl control;
    control.give_seconds(seconds);
    auto plan = plan_of_runs(bandit_shape(2, 20), 1'000'000);
    plan.seconds_a_run = 2e-4;
    const auto counts = std::make_shared<CountingTarget::Counts>();
    const auto outcome = audit_in_budget(
        std::make_unique<CountingTarget>(teller(20, 1.0), counts, std::chrono::microseconds(200)),
        plan, control, true);
    EXPECT_FALSE(outcome.target_error);
    EXPECT_NE(outcome.decision->verdict, Verdict::kViolated);
    EXPECT_THAT(outcome.evidence.runs->left_undone, HasSubstr("time"));
  }
}

TEST(Players, AtMostAsManyInstancesAsThreadsRunAndNoneThatNeverRuns) {
  const auto counts = std::make_shared<CountingTarget::Counts>();
  std::vector<Players> players;
  std::vector<PlayedSubject> subjects;
  players.reserve(4);
  for (int i = 0; i < 4; ++i) {
    players.push_back(
        Players::create(std::make_unique<CountingTarget>(teller(10, 1.0), counts), 3).value());
    players.back().rest();
    subjects.push_back({&players.back(), true, PureDp{Epsilon{1.0}}});
  }
  EXPECT_EQ(counts->most, 1);
  auto plan = plan_of_runs(bandit_shape(2, 10), 6'000);
  ASSERT_TRUE(audit_black_box(subjects, plan, {.threads = 3}));
  EXPECT_LE(counts->most, 3);  // also while the checks run
}

TEST(Players, FreshInstancesReplaceThoseThatRan) {
  const auto counts = std::make_shared<CountingTarget::Counts>();
  auto players =
      Players::create(std::make_unique<CountingTarget>(teller(10, 1.0), counts), 2).value();
  const auto play_one = [&](Target& target, std::size_t) {
    return target.play(InputTable::zeros(10, 1), play_seeds({}, 0, 1));
  };
  EXPECT_FALSE(players.run(4, "runs", {}, play_one).error);
  const auto ran = players.run_fresh(6, {}, play_one);
  EXPECT_FALSE(ran.error);
  EXPECT_EQ(ran.values.size(), 6u);
  EXPECT_EQ(counts->starts, 2 + 6);
  EXPECT_EQ(counts->running, 2);
  EXPECT_LE(counts->most, 2);
  EXPECT_FALSE(players.run(4, "runs", {}, play_one).error);
  EXPECT_EQ(counts->starts, 2 + 6);
}

// By standard errors, against the power of the exact test; and the one inverts the other.
TEST(LevelSeen, IsAboutThatOfTheExactTest) {
  constexpr double kAlpha = 1e-3;
  int compared = 0;
  for (const double claim : {0.25, 1.0, 3.0}) {
    const Asked asked = asked_of(PureDp{Epsilon{claim}}, Delta{1e-6});
    for (const double frequency : {0.02, 0.1, 0.5}) {
      for (const std::int64_t runs : {2'000, 6'000}) {
        const double level = level_seen(asked, frequency, kAlpha, false, runs);
        const double exact = smallest_visible_epsilon(Epsilon{claim}, Delta{0.0}, frequency, runs,
                                                      runs, kAlpha, kVisiblePower)
                                 .value;
        const double hits_on_q =
            2.0 * frequency / (1.0 + std::exp(exact)) * static_cast<double>(runs);
        if (!(hits_on_q > 20.0)) continue;  // standard errors promise nothing below
        ++compared;
        EXPECT_NEAR((level - claim) / (exact - claim), 1.0, 0.3)
            << claim << " " << frequency << " " << runs << " " << level << " " << exact;
        const std::int64_t needed = samples_to_see(asked, level, frequency, kAlpha, false);
        EXPECT_NEAR(static_cast<double>(needed) / static_cast<double>(runs), 1.0, 0.01);
        EXPECT_GE(level_seen(asked, frequency, kAlpha, true, runs), level);
        const double rarest = frequency_to_see(asked, level, kAlpha, false, runs);
        EXPECT_NEAR(rarest / frequency, 1.0, 0.01);
        EXPECT_LT(frequency_to_see(asked, level, kAlpha, false, 2 * runs), rarest);
      }
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(LevelSeen, OfAnEventThatTellsNothingIsThatOfAUsualOne) {
  SelectedEvent event;
  event.p = event.q = 1.0;
  EXPECT_TRUE(is_trivial(event, 1'000'000));
  EXPECT_EQ(frequency_of(event, 1'000'000), kUsualFrequency);
  event.p = 0.9;
  event.q = 0.7;
  EXPECT_FALSE(is_trivial(event, 1'000));
  EXPECT_DOUBLE_EQ(frequency_of(event, 1'000), 0.2);
}

}  // namespace
}  // namespace assay

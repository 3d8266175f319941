// The one-run method on targets inside the test: its coins, its guesses, its report.
#include "assay/auditors/methods/one_run/one_run_audit.hpp"

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/methods/one_run/guesser.hpp"
#include "assay/tests/support/canary_targets.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

InputShape shape_of_kind(InputKind kind) {
  InputShape shape = bandit_shape(3, 12);
  shape.kind = kind;
  return shape;
}

Result<BlackBoxOutcome> try_audit(FunctionTarget target, const OneRunPlan& plan, int threads = 1,
                                  std::int64_t canaries = 0) {
  auto tossed = Canaries::structural(target.shape(), canaries);
  if (!tossed) return tl::make_unexpected(tossed.error());
  auto players =
      Players::create(std::make_unique<FunctionTarget>(std::move(target)), threads).value();
  return audit_one_run(players, true, *tossed, plan, {.threads = threads});
}

BlackBoxOutcome audit_in_runs(FunctionTarget target, const OneRunPlan& plan, int threads = 1) {
  return std::move(try_audit(std::move(target), plan, threads).value());
}

OneRunPlan one_run_plan(PrivacyLevel claim, std::int64_t runs = 1, std::int64_t training = 40) {
  OneRunPlan plan{{.claim_text = "test", .claim = claim, .confidence = 0.95}, runs, training};
  return plan;
}

double lower_of(const Gathered& report, QuantityKind kind) {
  for (const auto& q : report.evidence.quantities) {
    if (q.kind == kind) return q.lower.value;
  }
  ADD_FAILURE() << "no such quantity";
  return 0.0;
}

TEST(Canaries, FlipEntriesBetweenTheTwoInputs) {
  const InputTable zero{5, 1, {0.0, 0.5, 0.25, 1.0, 0.0}};
  const InputTable one{5, 1, {1.0, 0.5, 0.75, 0.0, 0.0}};
  const auto canaries = Canaries::between(bandit_shape(2, 5), zero, one, 0).value();
  ASSERT_EQ(canaries.size(), 3u);
  EXPECT_EQ(canaries.entry(1), 2);
  EXPECT_EQ(canaries.input({0, 0, 0}), zero);
  EXPECT_EQ(canaries.input({1, 1, 1}), one);
  EXPECT_EQ(canaries.input({0, 1, 0}).values, (std::vector<double>{0.0, 0.5, 0.75, 1.0, 0.0}));
  EXPECT_EQ(Canaries::between(bandit_shape(2, 5), zero, one, 2).value().size(), 2u);
}

TEST(Canaries, AreWholeRowsOfStreamsAndSingleValuesOfMechanisms) {
  for (const auto kind :
       {InputKind::kBandit, InputKind::kBestArm, InputKind::kDueling, InputKind::kExperts}) {
    const auto canaries = Canaries::structural(shape_of_kind(kind), 0).value();
    EXPECT_EQ(canaries.size(), 12u);
    Coins coins(12, 0);
    coins[5] = 1;
    const auto input = canaries.input(coins);
    EXPECT_TRUE(check_input(shape_of_kind(kind), input));
    for (std::int64_t row = 0; row < input.rows; ++row) {
      const auto first = input.values.begin() + row * input.columns;
      const auto& like = row == 5 ? canaries.one() : canaries.zero();
      EXPECT_TRUE(
          std::equal(first, first + input.columns, like.values.begin() + row * input.columns));
    }
  }
  EXPECT_EQ(Canaries::structural(vector_shape(7, 1), 0).value().size(), 7u);
}

TEST(Canaries, RefuseWhatCannotBeFlippedOneByOne) {
  EXPECT_THAT(Canaries::structural(shape_of_kind(InputKind::kContextual), 0),
              IsRefused("kind must be bandit, best-arm, dueling, experts or mechanism"));
  EXPECT_THAT(Canaries::structural(bandit_shape(2, 5), 6),
              IsRefused("canaries must be 1 to 5, the entries that can be flipped, not 6"));
  const InputTable same{2, 1, {0.0, 1.0}};
  EXPECT_THAT(Canaries::between(bandit_shape(2, 2), same, same, 0),
              IsRefused("the two inputs are equal"));
  EXPECT_THAT(Canaries::between(bandit_shape(2, 2), same, {2, 1, {0.0, 2.0}}, 0),
              IsRefused("must be in [0, 1], not 2"));
}

TEST(Canaries, CoinsAreFairAndPhasesHaveTheirOwn) {
  const auto pilot = toss(100'000, {7, 1, 0, 0, Phase::kPilot});
  const auto certify = toss(100'000, {7, 1, 0, 0, Phase::kCertify});
  std::int64_t heads = 0, equal = 0;
  for (std::size_t i = 0; i < pilot.size(); ++i) {
    heads += pilot[i];
    equal += pilot[i] == certify[i] ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(heads), 50'000.0, 5.0 * 158.2);  // five standard deviations
  EXPECT_NEAR(static_cast<double>(equal), 50'000.0, 5.0 * 158.2);
}

TEST(RightGuesses, MakesTheMostConfidentOnesAndCountsMissingRunsAsWrong) {
  CanaryScores scores{3, {0.1, -2.0, 0.5, 3.0, -0.2, 0.4}};
  const std::vector<Coins> coins{{0, 0, 1}, {1, 1, 0}};
  EXPECT_EQ(right_guesses(scores, coins, 2), 2);  // 3.0 for 1, -2.0 for 0
  EXPECT_EQ(right_guesses(scores, coins, 3), 3);
  EXPECT_EQ(right_guesses(scores, coins, 6), 3);
  EXPECT_EQ(right_guesses_by_run(scores, coins, 1), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(right_guesses_by_run(scores, coins, 3), (std::vector<std::int64_t>{2, 1}));
  scores.log_odds.resize(3);  // the second run is missing
  EXPECT_EQ(right_guesses(scores, coins, 6), 2);
}

TEST(OneRunAudit, ComesNearTheTruthWhereEntriesAreReadOneByOne) {
  const auto report = audit_in_runs(released_bits(2000, 1.0), one_run_plan(PureDp{Epsilon{0.7}}));
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  const double lower = lower_of(report, QuantityKind::kEpsilonAtDelta);
  EXPECT_GT(lower, 0.85);
  EXPECT_LE(lower, 1.0);
  EXPECT_EQ(report.relation, Relation::kOneAnswer);
  EXPECT_EQ(report.view, View::kOutput);
  ASSERT_TRUE(report.canaries);
  EXPECT_EQ(report.canaries->canaries, 2000);
  EXPECT_EQ(report.canaries->guesses, 2000);
  EXPECT_LT(report.canaries->p_value, 1e-6);
  EXPECT_EQ(report.evidence.samples, 1);
}

TEST(OneRunAudit, AbstainsWhereOutputsSayLittle) {
  const auto report =
      audit_in_runs(noisy_values(2000, 1.0), one_run_plan(GaussianDp{Mu{0.4}}, 1, 100));
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  EXPECT_LT(report.canaries->guesses, 400);
  EXPECT_GT(lower_of(report, QuantityKind::kMu), 0.5);
  EXPECT_LE(lower_of(report, QuantityKind::kMu), 1.0);
}

TEST(OneRunAudit, SeveralRunsCountAsOneWithAllTheirCanaries) {
  const auto report = audit_in_runs(released_bits(80, 1.0), one_run_plan(PureDp{Epsilon{0.7}}, 25));
  EXPECT_EQ(report.canaries->canaries, 2000);
  EXPECT_EQ(report.evidence.samples, 25);
  EXPECT_GT(lower_of(report, QuantityKind::kEpsilonAtDelta), 0.85);
}

TEST(OneRunAudit, ManyRunsAreBetOnOneByOneWhereThatPromisesMore) {
  const auto plan = one_run_plan(GaussianDp{Mu{0.5}}, 300, 200);
  const auto report = audit_in_runs(noisy_values(200, 1.0), plan);
  EXPECT_EQ(report.decision->verdict, Verdict::kViolated);
  EXPECT_GT(lower_of(report, QuantityKind::kMu), 0.9);
  EXPECT_LE(lower_of(report, QuantityKind::kMu), 1.0);
  EXPECT_THAT(report.evidence.quantities.front().lower.how, HasSubstr("by betting run by run"));
  EXPECT_LE(report.canaries->p_value, 0.04);
}

TEST(OneRunAudit, FindsALeakInEveryKindOfSequence) {
  // Each tells, in the next round, which of its first two arms the coin favoured.
  for (const auto kind :
       {InputKind::kBandit, InputKind::kBestArm, InputKind::kDueling, InputKind::kExperts}) {
    InputShape shape = bandit_shape(3, 60);
    shape.kind = kind;
    const std::int64_t per_round = kind == InputKind::kDueling ? 2 : 1;
    const FunctionTarget leaky(
        shape, [&shape, per_round](const InputTable& input, ReplayStream& random,
                                   std::vector<double>& out) {
          out.assign(static_cast<std::size_t>(shape.width()), 0.0);
          for (std::int64_t t = 0; t + 1 < shape.horizon; ++t) {
            const double value = input.values[static_cast<std::size_t>(t * input.columns)];
            // A duel's first entry is arm 1 against itself: the second says who won.
            const double told = input.columns == 9
                                    ? input.values[static_cast<std::size_t>(t * input.columns + 1)]
                                    : value;
            const bool bit = (told >= 0.5) == (random.uniform() < 0.9);
            out[static_cast<std::size_t>((t + 1) * per_round)] = bit ? 1.0 : 0.0;
          }
        });
    auto plan = one_run_plan(PureDp{Epsilon{0.5}}, 4, 100);
    plan.confidence = 0.99;
    const auto report = audit_in_runs(leaky, plan);
    EXPECT_EQ(report.decision->verdict, Verdict::kViolated) << static_cast<int>(kind);
    EXPECT_LE(lower_of(report, QuantityKind::kEpsilonAtDelta), std::log(9.0));
  }
}

TEST(OneRunAudit, MechanismsWithOtherNumbersOfOutputsAreReadAsTheyAre) {
  const FunctionTarget sum(vector_shape(3, 1), [](const InputTable& input, ReplayStream& random,
                                                  std::vector<double>& out) {
    out.push_back(input.values[0] + 2.0 * input.values[1] + 4.0 * input.values[2] +
                  0.1 * random.uniform());
  });
  EXPECT_EQ(audit_in_runs(sum, one_run_plan(PureDp{Epsilon{1.0}}, 20, 200)).decision->verdict,
            Verdict::kViolated);
}

TEST(OneRunAudit, TheReportIsTheSameForAnyNumberOfThreads) {
  const auto plan = one_run_plan(PureDp{Epsilon{1.0}}, 30);
  EXPECT_EQ(to_json(make_report(plan, audit_in_runs(released_bits(30, 1.0), plan, 1))),
            to_json(make_report(plan, audit_in_runs(released_bits(30, 1.0), plan, 3))));
}

TEST(OneRunAudit, ReportsSayWhatWasTossedGuessedAndAssumed) {
  const auto plan = one_run_plan(PureDp{Epsilon{1.0}});
  const auto report = make_report(plan, audit_in_runs(released_bits(100, 1.0), plan));
  EXPECT_EQ(report.verdict, Verdict::kWeak);
  ASSERT_TRUE(report.evidence.smallest_visible);
  EXPECT_GT(report.evidence.smallest_visible->level, 1.0);
  EXPECT_LT(report.evidence.smallest_visible->level, 3.0);
  const auto text = to_text(report, {});
  EXPECT_THAT(text, HasSubstr("guesses about 100 canaries"));
  EXPECT_THAT(text, HasSubstr("entries of the input that fair coins set"));
  EXPECT_THAT(text, HasSubstr("replacing such an entry"));
  EXPECT_THAT(text, Not(HasSubstr("Worst pair")));
  EXPECT_THAT(to_html(report), HasSubstr("entries of the input that fair coins set"));
  EXPECT_THAT(to_html(report), Not(HasSubstr("The worst pair, round by round")));
  EXPECT_THAT(to_json(report), HasSubstr("\"canaries\""));
  double spent = 0.0;
  for (const auto& entry : report.evidence.ledger) spent += entry.alpha;
  EXPECT_NEAR(spent, 0.05, 1e-12);
}

TEST(OneRunAudit, RunsThatTheTargetDidNotFinishAreWrongGuesses) {
  auto target = released_bits(100, 4.0);
  target.runs_left = 2 + 17 * 16 + 40 + 10;  // a look, checks, training and 10 runs
  const auto outcome = try_audit(std::move(target), one_run_plan(PureDp{Epsilon{0.1}}, 12)).value();
  ASSERT_TRUE(outcome.target_error);
  EXPECT_EQ(outcome.evidence.samples, 10);
  EXPECT_EQ(outcome.canaries->canaries, 1200);
  EXPECT_LE(outcome.canaries->correct, 1000);
  // Still far more right ones than the claim allows of all that was planned.
  EXPECT_EQ(outcome.decision->verdict, Verdict::kViolated);
}

// Whichever time it asks whether to stop is the first at which the answer is yes.
TEST(OneRunAudit, IsInterruptedAtAnyMoment) {
  std::int64_t asked = 0;
  const auto stopped_after = [&](std::int64_t after) {
    auto players =
        Players::create(std::make_unique<FunctionTarget>(released_bits(200, 1.0)), 1).value();
    const auto canaries = Canaries::structural(players.shape(), 0).value();
    asked = 0;
    RunControl control;
    control.also_stop = [&asked, after] { return ++asked > after; };
    return audit_one_run(players, true, canaries, one_run_plan(PureDp{Epsilon{1.0}}, 60, 60),
                         control)
        .value();
  };
  const auto whole = stopped_after(1'000'000);
  EXPECT_FALSE(whole.target_error);
  EXPECT_EQ(whole.evidence.samples, 60);
  std::set<std::string> reasons;
  constexpr std::int64_t kMoments = 60;
  for (std::int64_t k = 0, all = asked; k < kMoments; ++k) {
    const auto outcome = stopped_after(all * k / kMoments);
    SCOPED_TRACE(k);
    ASSERT_TRUE(outcome.target_error);
    EXPECT_EQ(outcome.target_error->code, ErrorCode::kInterrupted);
    EXPECT_EQ(outcome.evidence.method, "one-run");
    EXPECT_TRUE(outcome.canaries);
    EXPECT_TRUE(outcome.evidence.runs);
    EXPECT_LE(outcome.evidence.samples, 60);
    ASSERT_TRUE(outcome.decision);
    if (outcome.evidence.samples == 60) continue;
    EXPECT_EQ(outcome.decision->verdict, Verdict::kInconclusive);
    reasons.insert(outcome.decision->reason.substr(0, 15));
  }
  // Before the certified runs, and among them and their guesses.
  EXPECT_EQ(reasons, (std::set<std::string>{"the run was int", "the run stopped"}));
}

// Learning alone takes long here: it would ask the control hundreds of times.
TEST(OneRunAudit, LearningAndGuessingAskTheControl) {
  const auto target = released_bits(300, 1.0);
  const auto canaries = Canaries::structural(target.shape(), 0).value();
  CoinRuns runs;
  auto playing = target.clone().value();
  for (std::uint64_t i = 0; i < 40; ++i) {
    runs.coins.push_back(toss(canaries.size(), {1, 2, i, 0, Phase::kPilot}));
    append(playing->play(canaries.input(runs.coins.back()), std::span(&i, 1)).value(),
           runs.outputs);
  }
  std::int64_t asked = 0;
  RunControl control;
  control.also_stop = [&] { return ++asked < 0; };
  const auto guesser = CanaryGuesser::learn(target.shape(), canaries, runs, StopPoll(control));
  EXPECT_GT(asked, 500);
  asked = 0;
  EXPECT_EQ(guesser.scores(runs.outputs, StopPoll(control)).log_odds.size(), 40U * 300U);
  EXPECT_GT(asked, 500);
  control.also_stop = [&] { return ++asked > 100; };
  asked = 0;
  const auto some = guesser.scores(runs.outputs, StopPoll(control)).log_odds.size();
  EXPECT_LT(some, 40U * 300U);
  EXPECT_EQ(some % 300U, 0U);
  EXPECT_EQ(asked, 101);
}

// A seed fixed in an adapter makes every guess right.
TEST(OneRunAudit, RunsThatAreAllAlikeProveNothingUnlessTheyAreMeantToBe) {
  InputShape shape{.kind = InputKind::kMechanism};
  shape.inputs = shape.outputs = 40;
  const FunctionTarget fixed(shape,
                             [](const InputTable& input, ReplayStream&, std::vector<double>& out) {
                               for (const double bit : input.values) out.push_back(bit + 0.25);
                             });
  const auto canaries = Canaries::structural(shape, 0).value();
  auto players = Players::create(std::make_unique<FunctionTarget>(fixed), 1).value();
  OneRunPlan plan{{.claim = PureDp{Epsilon{1.0}}}, 1, 40};
  for (const bool deterministic : {false, true}) {
    const PlayedSubject subject{&players, true, plan.claim, deterministic};
    const auto report = audit_one_run(subject, canaries, plan, {}).value();
    EXPECT_EQ(report.decision->verdict,
              deterministic ? Verdict::kViolated : Verdict::kInconclusive);
    EXPECT_EQ(report.evidence.quantities.front().lower.value > 0.0, deterministic);
    if (!deterministic) {
      EXPECT_THAT(report.decision->reason, ::testing::HasSubstr("adds no noise"));
    }
  }
}

// Bits in the clear in the seedings that leak, fair coins in the other.
class LeaksInOneSeeding final : public Target {
 public:
  LeaksInOneSeeding(bool by_seeds, bool by_keys)
      : shape_(vector_shape(12, 12)), leaks_{by_seeds, by_keys} {}
  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return "bits"; }
  TakesKeys takes_keys() const override { return TakesKeys::kTaken; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    return released(input, seeds, leaks_[0]);
  }
  Result<OutputBatch> play_keyed(const InputTable& input, std::span<const std::uint64_t>,
                                 std::span<const RunKey> keys) override {
    std::vector<std::uint64_t> seeds;
    for (const RunKey& key : keys) seeds.push_back(key[1]);
    return released(input, seeds, leaks_[1]);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<LeaksInOneSeeding>(leaks_[0], leaks_[1]));
  }

 private:
  OutputBatch released(const InputTable& input, std::span<const std::uint64_t> seeds,
                       bool leaks) const {
    OutputBatch batch{static_cast<std::int64_t>(seeds.size()), shape_.width(), {}};
    for (const std::uint64_t seed : seeds) {
      ReplayStream random({seed, hash_purpose("tests/bits")});
      for (const double bit : input.values) {
        const double coin = random.uniform() < 0.5 ? 1.0 : 0.0;
        batch.values.push_back((leaks ? bit : coin) + 0.01 * random.uniform());
      }
    }
    return batch;
  }

  InputShape shape_;
  bool leaks_[2];
};

TEST(OneRunAudit, RunsAreDividedBetweenTwoSeedings) {
  const struct {
    bool by_seeds, by_keys;
    std::int64_t runs;
    Verdict verdict;
    bool passed, checked;
  } cases[] = {{true, true, 60, Verdict::kViolated, true, true},
               {true, false, 60, Verdict::kInconclusive, false, true},
               {false, false, 60, Verdict::kNotRefuted, true, true},
               {true, false, 4, Verdict::kViolated, true, false}};
  for (const auto& one : cases) {
    const auto canaries = Canaries::structural(vector_shape(12, 12), 0).value();
    auto players =
        Players::create(std::make_unique<LeaksInOneSeeding>(one.by_seeds, one.by_keys), 1).value();
    const auto report =
        audit_one_run(players, true, canaries, one_run_plan(PureDp{Epsilon{0.2}}, one.runs), {})
            .value();
    EXPECT_EQ(report.decision->verdict, one.verdict) << report.decision->reason;
    const auto& rows = report.evidence.checks;
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const auto& check) { return check.name == "two seedings"; });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->passed, one.passed);
    EXPECT_EQ(row->checked, one.checked) << row->meaning;
    if (one.verdict != Verdict::kInconclusive) continue;
    EXPECT_THAT(report.decision->reason, HasSubstr("the two seedings disagree"));
    EXPECT_LT(lower_of(report, QuantityKind::kEpsilonAtDelta), 0.2);
  }
}

TEST(OneRunAudit, DependentRunsProveNothing) {
  // Noise that is drawn once and kept.
  const FunctionTarget stale(vector_shape(50, 50),
                             [](const InputTable& input, ReplayStream&, std::vector<double>& out) {
                               static ReplayStream random({1, 2});
                               static int runs = 0;
                               static double shift = 0.0;
                               if (runs++ % 16 == 0) shift = 100.0 * random.uniform();
                               for (const double x : input.values) out.push_back(x + shift);
                             });
  const auto report = audit_in_runs(stale, one_run_plan(PureDp{Epsilon{1.0}}));
  EXPECT_EQ(report.decision->verdict, Verdict::kInconclusive);
  EXPECT_THAT(report.decision->reason, HasSubstr("not independent"));
  EXPECT_EQ(lower_of(report, QuantityKind::kEpsilonAtDelta), 0.0);
}

TEST(OneRunAudit, NamesTheFieldThatIsOutOfRange) {
  auto plan = one_run_plan(PureDp{Epsilon{1.0}});
  plan.training = 5;
  EXPECT_THAT(try_audit(released_bits(5, 1.0), plan),
              IsRefused("training must be 20 to 1000000, not 5"));
  plan = one_run_plan(PureDp{Epsilon{1.0}}, 0);
  EXPECT_THAT(try_audit(released_bits(5, 1.0), plan),
              IsRefused("samples must be 1 to 1000000, not 0"));
  plan = one_run_plan(PureDp{Epsilon{1.0}});
  plan.confidence = 1.0;
  EXPECT_THAT(try_audit(released_bits(5, 1.0), plan),
              IsRefused("confidence must be at least 0.5 and below 1"));
}

}  // namespace
}  // namespace assay

// Targets that fail: on some data, at random, often, after so many runs; and those that refuse an input.
#include <optional>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/boundary_pairs.hpp"
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/output_index.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/auditors/methods/one_run/probed_audit.hpp"
#include "assay/policies/external/failing_runs.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Gaussian-like noise of scale 20, which hides a move by 1; fails with a probability that its input decides.
FunctionTarget failing(std::function<double(const InputTable&)> probability) {
  return {numbers_shape(2),
          [probability](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            if (random.uniform() < probability(input)) return;
            out.push_back(input.values[0] + 20.0 * std::log(random.uniform() / random.uniform()));
          }};
}

BlackBoxPlan failing_plan(double epsilon = 1.0) {
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{epsilon}}}, 1500};
  plan.pairs = {pair_of({1, 2, {0.0, 0.0}}, {1, 2, {1.0, 0.0}}).value()};
  plan.pairs_text = "given";
  return plan;
}

BlackBoxOutcome audit_failing(const Target& target, const BlackBoxPlan& plan, int threads = 1,
                              bool promises_seeds = true) {
  auto players = Players::create(target.clone().value(), threads).value();
  const PlayedSubject subject{&players, promises_seeds, plan.claim};
  return audit_probed(std::span(&subject, 1), plan, std::nullopt, {}).value();
}

TEST(FailingTarget, OneThatFailsOnOneInputIsConvictedByThat) {
  const auto target =
      failing([](const InputTable& input) { return input.values[0] < 0.5 ? 1.0 : 0.0; });
  const auto found = audit_failing(target, failing_plan());
  EXPECT_EQ(found.decision->verdict, Verdict::kViolated);
  EXPECT_GE(found.evidence.quantities.front().lower.value, 5.0);
  EXPECT_EQ(found.evidence.event->event, "the run fails");
  const auto& failures = found.evidence.failures.value();
  EXPECT_EQ(failures.base_failed, failures.base_runs);
  EXPECT_EQ(failures.neighbour_failed, 0);
  EXPECT_EQ(failures.said, "the function fails");
}

TEST(FailingTarget, OneThatFailsMoreOftenOnOneInputIsConvicted) {
  const auto target =
      failing([](const InputTable& input) { return input.values[0] < 0.5 ? 0.3 : 0.03; });
  const auto found = audit_failing(target, failing_plan());
  EXPECT_EQ(found.decision->verdict, Verdict::kViolated);
  EXPECT_THAT(found.evidence.event->event, HasSubstr("fail"));
}

// What a program tells is not hidden behind its failures.
TEST(FailingTarget, ALeakOfItsOutputsIsFoundAllTheSame) {
  const FunctionTarget target(numbers_shape(2), [](const InputTable& input, ReplayStream& random,
                                                   std::vector<double>& out) {
    if (random.uniform() < 0.004) return;
    out.push_back(input.values[0] + 0.2 * std::log(random.uniform() / random.uniform()));
  });
  const auto found = audit_failing(target, failing_plan());
  EXPECT_EQ(found.decision->verdict, Verdict::kViolated);
  EXPECT_THAT(found.evidence.event->event, AllOf(HasSubstr("the score is"), HasSubstr("fail")));
}

TEST(FailingTarget, OneThatSeldomFailsWhateverItsInputIsNotConvicted) {
  const auto found =
      audit_failing(failing([](const InputTable&) { return 0.002; }), failing_plan());
  EXPECT_EQ(found.decision->verdict, Verdict::kNotRefuted);
}

TEST(FailingTarget, OneThatOftenFailsOnBothInputsIsNeverHeld) {
  const auto found = audit_failing(failing([](const InputTable&) { return 0.05; }), failing_plan());
  EXPECT_EQ(found.decision->verdict, Verdict::kInconclusive);
  EXPECT_THAT(found.decision->reason,
              AllOf(HasSubstr("the target fails in "), HasSubstr("it said: the function fails")));
}

// Nothing was seen of it, and that is what its report says.
TEST(FailingTarget, OneThatNeverWorksIsUndecidedWithItsError) {
  auto players =
      Players::create(failing([](const InputTable&) { return 1.0; }).clone().value(), 1).value();
  for (const bool deterministic : {false, true}) {
    const PlayedSubject subject{&players, true, failing_plan().claim, deterministic};
    const auto found =
        audit_probed(std::span(&subject, 1), failing_plan(), std::nullopt, {}).value();
    ASSERT_TRUE(found.target_error);
    EXPECT_EQ(found.target_error->code, ErrorCode::kTarget);
    EXPECT_EQ(found.decision->verdict, Verdict::kInconclusive);
    EXPECT_EQ(found.decision->reason,
              "the target failed before anything could be certified; nothing was estimated yet");
    EXPECT_GT(found.evidence.runs->checks, 0);
    EXPECT_TRUE(found.evidence.quantities.empty());
    EXPECT_TRUE(found.pair.inputs.is_known());
  }
}

// By the number of its runs, on either input.
TEST(FailingTarget, OneThatFailsAfterSoManyRunsIsNotConvicted) {
  for (const double period : {97.0, 600.0}) {
    auto runs = std::make_shared<double>(0.0);
    const auto target = failing([runs, period](const InputTable&) {
      *runs += 1.0;
      return std::fmod(*runs, period) == 0.0 ? 1.0 : 0.0;
    });
    EXPECT_NE(audit_failing(target, failing_plan(), 1, false).decision->verdict, Verdict::kViolated)
        << period;
  }
}

TEST(FailingTarget, TheReportIsTheSameForAnyNumberOfThreads) {
  const auto target =
      failing([](const InputTable& input) { return input.values[0] < 0.5 ? 0.4 : 0.02; });
  const auto one = audit_failing(target, failing_plan(), 1),
             three = audit_failing(target, failing_plan(), 3);
  EXPECT_EQ(one.decision->reason, three.decision->reason);
  EXPECT_EQ(one.evidence.quantities.front().lower.value,
            three.evidence.quantities.front().lower.value);
  EXPECT_EQ(one.evidence.event->event, three.evidence.event->event);
  EXPECT_EQ(one.evidence.failures->base_failed, three.evidence.failures->base_failed);
}

// Actions, numbers and a stop: nothing reads those of a run that has none.
TEST(FailingTarget, PoliciesMayFail) {
  for (const bool stops : {false, true}) {
    InputShape shape = bandit_shape(2, 12);
    shape.stops = stops;
    shape.numbers = stops ? 1 : 0;
    const OutputLayout layout(shape);
    const FunctionTarget target(
        shape, [layout](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          if (input.values[0] > 0.5 && random.uniform() < 0.5) return;
          out.assign(static_cast<std::size_t>(layout.width()), 0.0);
          for (std::int64_t t = 0; t < layout.rounds; ++t) {
            out[static_cast<std::size_t>(t * layout.stride())] = random.uniform() < 0.5 ? 1.0 : 0.0;
          }
          if (layout.stops) out.back() = static_cast<double>(layout.rounds);
        });
    auto players = Players::create(target.clone().value(), 1).value();
    auto plan = failing_plan();
    plan.pairs = structural_pairs(shape, 6);
    const PlayedSubject subject{&players, true, plan.claim};
    const auto canaries = Canaries::structural(shape, 0).value();
    const auto found = audit_probed(std::span(&subject, 1), plan, canaries, {}).value();
    EXPECT_EQ(found.decision->verdict, Verdict::kViolated) << stops;
    EXPECT_EQ(found.evidence.event->event, "the run fails");
    // Its coins are no better guessed for it.
    const OneRunPlan one_run{{.claim = plan.claim}, 60};
    EXPECT_EQ(audit_one_run(subject, canaries, one_run, {}).value().decision->verdict,
              Verdict::kInconclusive);
  }
}

// Refuses inputs whose first value is above a limit.
class Choosy final : public Target {
 public:
  Choosy(double limit, double late_limit) : limit_(limit), late_limit_(late_limit) {}
  const InputShape& shape() const override { return inner_.shape(); }
  std::string name() const override { return "choosy"; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    const bool is_certified = seeds.size() == 1 && ++single_ > 100;
    if (input.values[0] > (is_certified ? late_limit_ : limit_)) {
      return fail(ErrorCode::kRefusedInput, "refuses the input: too large");
    }
    return inner_.play(input, seeds);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<Choosy>(limit_, late_limit_));
  }

 private:
  FunctionTarget inner_ = failing([](const InputTable&) { return 0.0; });
  double limit_, late_limit_;
  int single_ = 0;
};

TEST(FailingTarget, AnInputThatIsRefusedIsNoEvidence) {
  auto plan = failing_plan();
  plan.pairs.push_back(pair_of({1, 2, {0.0, 0.0}}, {1, 2, {0.0, 1.0}}).value());
  plan.boundaries = true;
  const auto found = audit_failing(Choosy(0.5, 0.5), plan);
  EXPECT_EQ(found.decision->verdict, Verdict::kNotRefuted);
  EXPECT_EQ(found.pair.inputs.neighbour_input().values[0], 0.0);
  EXPECT_THAT(found.evidence.runs->left_undone, HasSubstr("have inputs that the target refuses"));
  EXPECT_FALSE(found.evidence.failures);
}

TEST(FailingTarget, NothingIsCertifiedOfAPairThatIsRefused) {
  auto players = Players::create(std::make_unique<Choosy>(1.0, 0.5), 1).value();
  const PlayedSubject subject{&players, true, failing_plan().claim};
  const auto error =
      error_of(audit_probed(std::span(&subject, 1), failing_plan(), std::nullopt, {}));
  EXPECT_EQ(error.code, ErrorCode::kRefusedInput);
  EXPECT_THAT(error.message, HasSubstr("too large"));
}

// The search stays inside the domain, so that a failure is never the auditor's fault.
TEST(FailingTarget, EveryInputThatIsPlayedIsOfTheShape) {
  std::vector<InputShape> shapes;
  for (const char* domain : {"0:10", "-3:5", "2:2.5", "integers", ""}) {
    for (const char* neighbours : {"", "all", "l2:1", "add-remove"}) {
      InputShape shape = numbers_shape(2, 2);
      shape.inputs = 4;
      shape.domain.reset();
      if (*domain != '\0') shape.domain = parse_domain(domain).value();
      if (*neighbours != '\0') shape.neighbours = parse_neighbours(neighbours).value();
      if (validate(shape)) shapes.push_back(shape);
    }
  }
  for (const char* domain : {"0:0.5", "0.2:0.7", "-5:5", "-0.3:0.4", "2:7", ""}) {
    for (const auto kind : {InputKind::kBandit, InputKind::kBestArm, InputKind::kExperts,
                            InputKind::kDueling, InputKind::kContextual}) {
      InputShape shape{.kind = kind, .arms = 3, .horizon = 9, .dimension = 2};
      if (*domain != '\0') shape.domain = parse_domain(domain).value();
      if (validate(shape)) shapes.push_back(shape);
    }
  }
  EXPECT_GT(shapes.size(), 20U);
  for (const InputShape& shape : shapes) {
    std::string trouble;
    const auto look_at = [&](const InputTable& input) {
      if (const auto status = check_input(shape, input); !status) trouble = status.error().message;
    };
    const FunctionTarget target(
        shape, [&](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
          look_at(input);
          double sum = 0.0;
          for (const double x : input.values) sum += x;
          const bool high = std::sin(sum) + 0.1 * random.uniform() > 0.0;
          out.assign(static_cast<std::size_t>(shape.width()), high ? 1.0 : 0.0);
        });
    auto players = Players::create(target.clone().value(), 1).value();
    ASSERT_TRUE(boundary_pairs(players, 1, 6, 20'000, 0.2, {}));
    for (const InputPair& pair : structural_pairs(shape, 24)) {
      look_at(pair.base_input());
      look_at(pair.neighbour_input());
      for (const InputPair& near : refined_pairs(shape, pair, 8)) {
        look_at(near.base_input());
        look_at(near.neighbour_input());
      }
    }
    if (const auto canaries = Canaries::structural(shape, 0)) {
      look_at(canaries->zero());
      look_at(canaries->one());
    }
    EXPECT_EQ(trouble, "");
  }
}

TEST(FailingRuns, AMessageThatEndsIsAskedForOneByOne) {
  FailingRuns runs;
  std::vector<std::size_t> asked;
  const auto ask = [&](std::span<const std::uint64_t> seeds) -> FailingRuns::Answer {
    asked.push_back(seeds.size());
    OutputBatch batch{0, 1, {}};
    for (const std::uint64_t seed : seeds) {
      if (seed == 2) return {fail(ErrorCode::kTarget, "message: it ended"), "ended", true};
      batch.values.push_back(static_cast<double>(seed));
      ++batch.count;
    }
    return {batch};
  };
  const std::vector<std::uint64_t> seeds = {1, 2, 3};
  for (int time = 0; time < 2; ++time) {
    const auto batch = runs.play(1, seeds, ask).value();
    EXPECT_EQ(batch.count, 3);
    EXPECT_EQ(batch.values[0], 1.0);
    EXPECT_TRUE(is_failed(batch.play(1)));
    EXPECT_EQ(batch.values[2], 3.0);
    EXPECT_EQ(batch.failure, "ended");
    EXPECT_EQ(batch.failed(), 1);
  }
  EXPECT_EQ(asked, (std::vector<std::size_t>{3, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(runs.first()->message, "message: it ended");
}

TEST(FailingRuns, AProgramIsNotStartedForever) {
  FailingRuns runs, copy = runs;
  const auto ends = [](std::span<const std::uint64_t>) -> FailingRuns::Answer {
    return {fail(ErrorCode::kTarget, "message: it ended"), "ended", true};
  };
  const std::uint64_t seed = 1;
  for (std::int64_t i = 0; i < kMostRestarts; ++i) {
    ASSERT_TRUE((i % 2 == 0 ? runs : copy).play(1, std::span(&seed, 1), ends)) << i;
  }
  const auto error = error_of(copy.play(1, std::span(&seed, 1), ends));
  EXPECT_THAT(error.message, AllOf(HasSubstr("10000 runs"), HasSubstr("it ended")));
}

// A failure is one symbol, whatever else an output may be.
TEST(FailingRuns, AFailureIsNoOtherOutput) {
  OutputBatch batch{0, 2, {}};
  batch.add_failed("why");
  batch.values.insert(batch.values.end(), {std::nan(""), std::nan("")});
  ++batch.count;
  EXPECT_TRUE(is_failed(batch.play(0)));
  EXPECT_FALSE(is_failed(batch.play(1)));
  EXPECT_NE(digest_of(batch.play(0)), digest_of(batch.play(1)));
  EXPECT_EQ(without_failed(batch).count, 1);
  BlackBoxPlan plan;
  plan.output_grid = 0.5;
  keep_view(numbers_shape(2, 2), 0, plan, batch);
  EXPECT_TRUE(is_failed(batch.play(0)));
}

}  // namespace
}  // namespace assay

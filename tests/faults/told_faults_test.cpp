// Planted faults in what an output has beside its actions, each beside its correct twin: actions and
// recommendation never depend on the input, so that nothing else can convict.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/testing.hpp"
#include "assay/tests/support/told_target.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRounds = 8;

BlackBoxOutcome audited(const FunctionTarget& target, std::int64_t samples = 1000) {
  auto players = Players::create(std::make_unique<FunctionTarget>(target), 1).value();
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{1.0}}, .confidence = 0.99}, samples};
  plan.say_visible = false;
  plan.pairs = structural_pairs(target.shape(), 8);
  return audit_black_box(players, true, plan, {}).value();
}
Verdict told_verdict(const FunctionTarget& target) { return audited(target).decision->verdict; }

double laplace(double scale, ReplayStream& random) {
  return Laplace::create(0.0, scale).value().sample(random);
}

// `truth`, or its opposite, by randomised response: exactly epsilon-DP.
bool told(bool truth, double epsilon, ReplayStream& random) {
  return truth == (random.uniform() < 1.0 / (1.0 + std::exp(-epsilon)));
}

std::vector<double> in_turn(std::int64_t rounds) {
  std::vector<double> actions;
  for (std::int64_t t = 0; t < rounds; ++t) actions.push_back(static_cast<double>(t % 2));
  return actions;
}

// The play ends after half of its rounds, or goes on, as randomised response on the first row says: one
// bit of one row is all that the output depends on, so that epsilon is exact.
FunctionTarget stops_by(double epsilon) {
  const InputShape shape{.kind = InputKind::kBestArm, .arms = 2, .horizon = kRounds, .stops = true};
  return telling(shape, [epsilon](const InputTable& input, ReplayStream& random) {
    auto actions = in_turn(told(input.values[0] >= 0.5, epsilon, random) ? kRounds / 2 : kRounds);
    actions.push_back(0.0);
    return actions;
  });
}

TEST(ToldFaults, OnlyWhenItStops) {
  EXPECT_EQ(told_verdict(stops_by(2.0)), Verdict::kViolated);
  EXPECT_EQ(told_verdict(stops_by(1.0)), Verdict::kNotRefuted);
  EXPECT_EQ(audited(stops_by(2.0)).view, View::kOutput);
}

// The sum of n rewards in [0, 1] and Laplace noise of scale 1/epsilon: exactly epsilon-DP.
FunctionTarget estimates_by(double epsilon) {
  const InputShape shape{.arms = 2, .horizon = kRounds, .estimates = 2};
  return telling(shape, [epsilon](const InputTable& input, ReplayStream& random) {
    auto out = in_turn(kRounds);
    double sum = 0.0;
    for (const double reward : input.values) sum += reward;
    out.push_back(laplace(1.0, random));
    out.push_back(sum + laplace(1.0 / epsilon, random));
    return out;
  });
}

TEST(ToldFaults, OnlyTheLastEstimate) {
  EXPECT_EQ(told_verdict(estimates_by(3.0)), Verdict::kViolated);
  EXPECT_EQ(told_verdict(estimates_by(1.0)), Verdict::kNotRefuted);
}

// Each round tells its own reward with Laplace noise of scale 1/epsilon: exactly epsilon-DP, since a
// row is in one number alone.
FunctionTarget tells_rewards_by(double epsilon) {
  const InputShape shape{.arms = 2, .horizon = kRounds, .numbers = 1};
  return telling(shape, [epsilon](const InputTable& input, ReplayStream& random) {
    std::vector<double> out;
    for (std::int64_t t = 0; t < input.rows; ++t) {
      out.push_back(static_cast<double>(t % 2));
      out.push_back(input.values[static_cast<std::size_t>(t)] + laplace(1.0 / epsilon, random));
    }
    return out;
  });
}

TEST(ToldFaults, OnlyTheNumbersOfRounds) {
  EXPECT_EQ(told_verdict(tells_rewards_by(3.0)), Verdict::kViolated);
  EXPECT_EQ(told_verdict(tells_rewards_by(1.0)), Verdict::kNotRefuted);
}

// As many numbers as the noisy answer says: floor(x + noise) is post-processing of a Laplace mechanism of
// scale 1/epsilon on one value that moves by 1, so that at most epsilon leaks.
FunctionTarget tells_as_many(double epsilon) {
  const InputShape shape{.kind = InputKind::kMechanism, .outputs = 12, .stops = true};
  return telling(shape, [epsilon](const InputTable& input, ReplayStream& random) {
    const double noisy = std::floor(6.0 + input.values[0] + laplace(1.0 / epsilon, random));
    return std::vector<double>(static_cast<std::size_t>(std::fmin(std::fmax(noisy, 0.0), 12.0)),
                               0.5);
  });
}

TEST(ToldFaults, OnlyHowManyNumbersAMechanismTells) {
  EXPECT_EQ(told_verdict(tells_as_many(6.0)), Verdict::kViolated);
  EXPECT_EQ(told_verdict(tells_as_many(1.0)), Verdict::kNotRefuted);
}

// Of a contextual policy what the changed round tells is its user's own, and the next round's is not.
TEST(ToldFaults, NumbersOfTheChangedRoundAreItsUsersOwn) {
  const InputShape shape{.kind = InputKind::kContextual,
                         .arms = 2,
                         .horizon = kRounds,
                         .dimension = 2,
                         .stops = true,
                         .numbers = 1};
  const auto target = [&](std::int64_t late) {
    return telling(shape, [late](const InputTable& input, ReplayStream&) {
      std::vector<double> out;
      for (std::int64_t t = 0; t < input.rows; ++t) {
        double sum = 0.0;
        for (const double x : input.row(std::max<std::int64_t>(0, t - late))) sum += x;
        out.push_back(0.0);
        out.push_back(sum);
      }
      return out;
    });
  };
  auto players = Players::create(std::make_unique<FunctionTarget>(target(0)), 1).value();
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{1.0}}}, 400};
  plan.say_visible = false;
  plan.pairs = structural_pairs(shape, 4);
  const auto own = audit_black_box(players, true, plan, {}).value();
  EXPECT_NE(own.decision->verdict, Verdict::kViolated);
  EXPECT_EQ(own.view, View::kOtherActions);
  auto late = Players::create(std::make_unique<FunctionTarget>(target(1)), 1).value();
  const PlayedSubject subject{&late, true, plan.claim, true};  // deterministic, and declared to be
  EXPECT_EQ(audit_black_box(std::span(&subject, 1), plan, {}).value().decision->verdict,
            Verdict::kViolated);
}

// Every row's bit decides by randomised response whether its round tells 0 or 1; the stop comes at the
// end, or one round before.
TEST(ToldFaults, NumbersOfRoundsInOneRun) {
  const auto verdict_of = [](double epsilon) {
    const InputShape shape{.arms = 2, .horizon = 300, .stops = true, .numbers = 1};
    const auto target = telling(shape, [epsilon](const InputTable& input, ReplayStream& random) {
      std::vector<double> out;
      const auto rounds = input.rows - (random.uniform() < 0.5 ? 1 : 0);
      for (std::int64_t t = 0; t < rounds; ++t) {
        const bool one = input.values[static_cast<std::size_t>(t)] >= 0.5;
        out.push_back(static_cast<double>(t % 2));
        out.push_back(told(one, epsilon, random) ? 1.0 : 0.0);
      }
      return out;
    });
    const auto canaries = Canaries::structural(shape, 0).value();
    auto players = Players::create(std::make_unique<FunctionTarget>(target), 1).value();
    const OneRunPlan plan{{.claim = PureDp{Epsilon{1.0}}, .confidence = 0.95}, 1, 100};
    return audit_one_run(players, true, canaries, plan, {}).value().decision->verdict;
  };
  EXPECT_EQ(verdict_of(3.0), Verdict::kViolated);
  EXPECT_EQ(verdict_of(1.0), Verdict::kNotRefuted);
}

}  // namespace
}  // namespace assay

// Targets without noise, those that only look so, and those that have it: what a first look says of them.
#include "assay/auditors/methods/black_box/first_look.hpp"

#include <chrono>
#include <optional>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/one_run/probed_audit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr double kLookAlpha = 1e-5;

// A mechanism of four values in [0, 1].
FunctionTarget mechanism(std::function<double(double sum, ReplayStream& random)> answer) {
  return {numbers_shape(4),
          [answer](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            double sum = 0.0;
            for (const double x : input.values) sum += x;
            out.push_back(answer(sum, random));
          }};
}

// Tells the first value by randomised response: exactly eps-DP.
FunctionTarget response(double epsilon) {
  return {numbers_shape(4),
          [epsilon](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const bool is_true = random.uniform() < 1.0 / (1.0 + std::exp(-epsilon));
            out.push_back(is_true ? input.values[0] : 1.0 - input.values[0]);
          }};
}

BlackBoxPlan first_look_plan(double epsilon, std::uint64_t seed = 1) {
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{epsilon}}, .seed = seed}, 0, 4'000};
  plan.pairs = structural_pairs(numbers_shape(4), 24);
  plan.pairs_text = "structural pairs";
  plan.boundaries = true;
  return plan;
}

FirstLook look(const FunctionTarget& target, const BlackBoxPlan& plan, std::int64_t most = 2000) {
  auto players = Players::create(std::make_unique<FunctionTarget>(target), 1).value();
  const PlayedSubject subject{&players, true, plan.claim};
  const auto found = look_first(subject, plan, kLookAlpha, most, {});
  EXPECT_FALSE(found.error);
  return found;
}

TEST(FirstLook, FindsWithinFiftyRunsThatThereIsNoNoise) {
  const auto found =
      look(mechanism([](double sum, ReplayStream&) { return sum; }), first_look_plan(1.0));
  ASSERT_TRUE(found.pair);
  EXPECT_LE(found.runs, 50);
  EXPECT_LE(found.p_value, kLookAlpha);
  EXPECT_NEAR(std::log(found.p_value),
              static_cast<double>(found.repeated) * std::log(1.0 / (1.0 + std::exp(-1.0))), 1e-6);
  // A larger claim allows runs that seldom vary, and asks for more of them.
  const auto large =
      look(mechanism([](double sum, ReplayStream&) { return sum; }), first_look_plan(4.0));
  ASSERT_TRUE(large.pair);
  EXPECT_GT(large.runs, 500);
  EXPECT_FALSE(
      look(mechanism([](double sum, ReplayStream&) { return sum; }), first_look_plan(4.0), 200)
          .pair);
}

TEST(FirstLook, TakesTwoRunsOfATargetThatVaries) {
  const auto found =
      look(mechanism([](double sum, ReplayStream& random) { return sum + random.uniform(); }),
           first_look_plan(1.0));
  EXPECT_FALSE(found.pair);
  EXPECT_EQ(found.runs, 2);
}

TEST(FirstLook, AConstantIsNoLeak) {
  const auto found =
      look(mechanism([](double, ReplayStream&) { return 7.0; }), first_look_plan(1.0));
  EXPECT_FALSE(found.pair);
  EXPECT_EQ(found.runs, 13);
}

// Alike on both inputs of the first pair, and elsewhere not.
TEST(FirstLook, WhatVariesOnAnotherInputIsNotCutOff) {
  const auto pairs = first_look_plan(1.0).pairs;
  const double first[2] = {
      pairs[0].base_input().values[0] + pairs[0].base_input().values[1],
      pairs[0].neighbour_input().values[0] + pairs[0].neighbour_input().values[1]};
  const FunctionTarget target(
      numbers_shape(4),
      [first](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        const double two = input.values[0] + input.values[1];
        const bool is_first = two == first[0] || two == first[1];
        out.push_back(is_first ? two : two + random.uniform());
      });
  const auto found = look(target, first_look_plan(1.0));
  EXPECT_FALSE(found.pair);
  EXPECT_GT(found.runs, 4);
}

// An argmax of four values with noise of scale 0.01: it varies where they are tied, and seldom elsewhere.
TEST(FirstLook, LittleNoiseIsNotTakenForNone) {
  const FunctionTarget target(numbers_shape(4), [](const InputTable& input, ReplayStream& random,
                                                   std::vector<double>& out) {
    std::vector<double> noisy;
    for (const double x : input.values) noisy.push_back(x + 0.01 * random.uniform());
    out.push_back(
        static_cast<double>(std::max_element(noisy.begin(), noisy.end()) - noisy.begin()));
  });
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_FALSE(look(target, first_look_plan(1.0, seed)).pair) << seed;
  }
}

// Runs of exact randomised response vary with probability 1/(1 + e^eps): at eps = 5 fifty in a row seldom do.
TEST(FirstLook, ACorrectTargetThatSeldomVariesIsNotAccused) {
  int never_in_fifty = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    for (const double epsilon : {1.0, 3.0, 5.0}) {
      const auto found = look(response(epsilon), first_look_plan(epsilon, seed), 4000);
      EXPECT_FALSE(found.pair) << epsilon << " at seed " << seed;
      never_in_fifty += found.runs > 50 ? 1 : 0;
    }
  }
  EXPECT_GT(never_in_fifty, 100);
}

TEST(FirstLook, ASeedFromTheClockIsTakenForNoise) {
  const auto found = look(
      mechanism([](double sum, ReplayStream&) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count() % 1000;
        return sum + static_cast<double>(seconds);
      }),
      first_look_plan(1.0));
  EXPECT_FALSE(found.pair);
}

BlackBoxOutcome audit_at_once(const std::vector<const FunctionTarget*>& targets,
                              bool deterministic) {
  std::vector<Players> players;
  for (const auto* target : targets) {
    players.push_back(Players::create(std::make_unique<FunctionTarget>(*target), 1).value());
  }
  const auto plan = first_look_plan(1.0);
  std::vector<PlayedSubject> subjects;
  for (auto& one : players) subjects.push_back({&one, true, plan.claim, deterministic});
  return audit_probed(subjects, plan, std::nullopt, {}).value();
}

TEST(FirstLook, EndsTheAuditUnlessNoNoiseIsMeant) {
  const auto sum = mechanism([](double total, ReplayStream&) { return total; });
  const auto found = audit_at_once({&sum}, false);
  EXPECT_EQ(found.decision->verdict, Verdict::kInconclusive);
  EXPECT_THAT(
      found.decision->reason,
      AllOf(
          HasSubstr(
              "adds no noise on this input: it promises that seeds decide its outputs, and given 37"),
          HasSubstr("--deterministic")));
  EXPECT_TRUE(found.evidence.no_noise);
  EXPECT_LE(found.evidence.runs->all(), 50);
  EXPECT_EQ(found.evidence.quantities.front().lower.value, 0.0);
  double spent = 0.0;
  for (const auto& share : found.evidence.ledger) spent += share.alpha;
  EXPECT_LE(spent, 0.001);
  EXPECT_EQ(audit_at_once({&sum}, true).decision->verdict, Verdict::kViolated);
  // Of several settings the certified runs say the same.
  const auto settings = audit_at_once({&sum, &sum}, false);
  EXPECT_TRUE(settings.evidence.no_noise);
  EXPECT_EQ(settings.decision->verdict, Verdict::kInconclusive);
  const auto noisy = response(1.0);
  const auto correct = audit_at_once({&noisy}, false);
  EXPECT_FALSE(correct.evidence.no_noise);
  EXPECT_EQ(correct.decision->verdict, Verdict::kNotRefuted);
}

}  // namespace
}  // namespace assay

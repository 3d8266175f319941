// Lazy evaluation of the samples must never change an action: each round is compared with the
// winner of all samples drawn in full from the documented places of the stream.
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/property_testing.hpp"
#include "assay/tests/support/recorded_rewards.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/thompson_words.hpp"

namespace assay {
namespace {

ModifiedThompsonSamplingConfig any_config() {
  ModifiedThompsonSamplingConfig config{
      .arms = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(2, 21),
                              rc::gen::element<std::int64_t>(31, 32, 33, 100, 1024)),
      .pre_pulls = *rc::gen::inRange<std::int64_t>(0, 3)};
  config.horizon = config.arms * config.pre_pulls + *rc::gen::inRange<std::int64_t>(1, 400);
  config.variance = *rc::gen::element(1.0, 1.5, 40.0, 1e12);
  return config;
}

RewardStream flat_or_random_rewards(std::int64_t rounds) {
  ReplayStream random = arbitrary_stream();
  RewardStream rewards = constant_rewards(rounds, *rc::gen::element(0.0, 0.5, 1.0));
  if (*rc::gen::arbitrary<bool>()) {
    for (auto& reward : rewards) reward = random.uniform();
  }
  return rewards;
}

RC_GTEST_PROP(ThompsonSampling, LazyAndFullEvaluationChooseTheSameArm, ()) {
  const auto config = any_config();
  const auto rewards = flat_or_random_rewards(config.horizon);
  auto policy = ModifiedThompsonSampling::create(config).value();
  ReplayStream random = arbitrary_stream();
  for (const double reward : rewards) {
    const int expected = choose_in_full(policy, random);
    RC_ASSERT(policy.choose(random) == expected);
    policy.observe(reward);
  }
}

RC_GTEST_PROP(ThompsonSampling, TheSimulationLoopPlaysTheTranscriptOfChooseAndObserve, ()) {
  const auto config = any_config();
  const auto environment = RecordedRewards::create(flat_or_random_rewards(config.horizon)).value();
  const auto fresh = ModifiedThompsonSampling::create(config).value();
  const ReplayStream random = arbitrary_stream();
  const ReplayStream unused({});
  const auto transcript = play(fresh, environment, config.horizon, random, unused);

  auto policy = fresh;
  auto stream = random;
  for (const int action : transcript) {
    RC_ASSERT(policy.choose(stream) == action);
    policy.observe(environment.stream()[static_cast<std::size_t>(policy.round())]);
  }
  RC_ASSERT(policy.round() == config.horizon);
}

RC_GTEST_PROP(ThompsonSampling, PrePullBoundsAreCheckedForEveryConfiguration, ()) {
  ModifiedThompsonSamplingConfig config{.arms = *rc::gen::inRange<std::int64_t>(2, 1025),
                                        .horizon = *rc::gen::inRange<std::int64_t>(1, 2000),
                                        .pre_pulls = *rc::gen::inRange<std::int64_t>(0, 1000)};
  RC_ASSERT(config.check().has_value() == (config.pre_pulls * config.arms <= config.horizon));
}

}  // namespace

// Near ties: with all means equal and few rounds, brackets overlap most often. A long run in which
// many rounds fall to the last bits.
TEST(ThompsonSampling, LongRunsAgreeWithFullEvaluation) {
  for (const std::int64_t arms : {2, 3, 10, 16, 17}) {
    ModifiedThompsonSamplingConfig config{.arms = arms, .horizon = repetitions(100'000)};
    auto policy = ModifiedThompsonSampling::create(config).value();
    ReplayStream random({.seed = 77});
    for (std::int64_t t = 0; t < config.horizon; ++t) {
      const int expected = choose_in_full(policy, random);
      ASSERT_EQ(policy.choose(random), expected) << "arms " << arms << ", round " << t;
      policy.observe(0.5);
    }
  }
}

}  // namespace assay

// What every policy owes, over the one list of policies.
#include "assay/policies/registry/policies.hpp"

#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

template <class List>
struct TypesOf;
template <class... P>
struct TypesOf<TypeList<P...>> {
  using Types = ::testing::Types<P...>;
};

// What the policy is played in, with as many actions as it has by default; by what it sees and
// learns.
template <class P>
auto environment() {
  using Feedback = typename P::Feedback;
  if constexpr (std::is_same_v<typename P::Context, ContextSet>) {
    return GaussianContexts::create({.arms = 2, .dimension = 6}, {{1, 4}, {1.0, -0.5}}).value();
  } else if constexpr (std::is_same_v<Feedback, double>) {
    return BernoulliArms::create({0.75, 0.25}).value();
  } else if constexpr (std::is_same_v<Feedback, bool>) {
    return PreferenceDuels::create(arithmetic_preferences(2, 0.25).value()).value();
  } else {
    return StochasticLosses(TwoPointLosses::create({{0.0, 1.0, 0.5}, {0.25, 0.5, 0.5}}).value());
  }
}

bool is_action(int action) { return action == 0 || action == 1; }
bool is_action(const Duel& duel) { return is_action(duel.first) && is_action(duel.second); }

template <class P>
class EveryPolicy : public ::testing::Test {
 protected:
  static constexpr std::int64_t kRounds = 97;

  static P fresh() {
    typename P::Config config;
    if constexpr (requires { config.horizon; }) config.horizon = kRounds;
    return P::create(config).value();
  }
  static std::vector<typename P::Action> played(std::uint64_t seed) {
    return play(fresh(), environment<P>(), kRounds, ReplayStream({seed}),
                ReplayStream({.seed = seed, .lane = 1}));
  }
};

TYPED_TEST_SUITE(EveryPolicy, TypesOf<Policies>::Types);

TYPED_TEST(EveryPolicy, PlaysItsActionsAndTheSameOnesForTheSameStreams) {
  const auto actions = this->played(1);
  ASSERT_EQ(actions.size(), static_cast<std::size_t>(this->kRounds));
  for (const auto action : actions) EXPECT_TRUE(is_action(action));
  EXPECT_EQ(actions, this->played(1));
}

TYPED_TEST(EveryPolicy, IsAValueWhoseCopyPlaysOnAsItDoes) {
  auto policy = this->fresh();
  auto arms = environment<TypeParam>();
  ReplayStream random({.seed = 2});
  ReplayStream luck({.seed = 2, .lane = 1});
  const auto nothing = [](std::int64_t, const auto&, const auto&) {};
  play(policy, arms, 40, random, luck, nothing);
  const auto rest = [](auto player, auto environment, ReplayStream choices, ReplayStream drawn) {
    std::vector<typename TypeParam::Action> actions;
    play_from(40, player, environment, 57, choices, drawn,
              [&](std::int64_t, const auto& action, const auto&) { actions.push_back(action); });
    return actions;
  };
  EXPECT_EQ(rest(policy, arms, random, luck), rest(TypeParam(policy), arms, random, luck));
}

TYPED_TEST(EveryPolicy, SaysWhatItPromisesAndRefusesNoActions) {
  const auto guarantee = this->fresh().guarantee();
  EXPECT_FALSE(guarantee.source.empty());
  constexpr bool kSeesContexts = !std::is_same_v<typename TypeParam::Context, NoContext>;
  EXPECT_EQ(guarantee.view, kSeesContexts ? View::kOtherActions : View::kActions);
  typename TypeParam::Config config;
  const auto name = describe_fields<typename TypeParam::Config>().front().name;
  ASSERT_TRUE(set_field(config, name, "1"));
  const auto refused = error_of(TypeParam::create(config));
  EXPECT_EQ(refused.path, "/" + name);
}

}  // namespace
}  // namespace assay

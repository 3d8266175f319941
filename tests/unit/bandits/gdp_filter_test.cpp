
#include <boost/multiprecision/cpp_dec_float.hpp>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/gdp_filter.hpp"
#include "assay/policies/inputs/reward_stream.hpp"
#include "assay/tests/support/recorded_rewards.hpp"
#include "assay/tests/support/sampling_policies.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Decimal50 = boost::multiprecision::cpp_dec_float_50;

GdpFilter filter_of(const ModifiedThompsonSamplingConfig& config, double budget) {
  return GdpFilter::create(config, Mu{budget}).value();
}

TEST(GdpFilter, ChargesTheWorstArmByHand) {
  const auto config = sampling_config(2, 100, 0, 2.0);
  auto policy = sampling_policy(config);
  auto filter = filter_of(config, 1.0);
  const auto round = [&](int action) {
    EXPECT_TRUE(filter.admit(policy));
    policy.advance(action);
    policy.observe(1.0);
    return filter.spent();
  };
  EXPECT_EQ(round(0), 0.0);                         // nothing has been observed
  EXPECT_NEAR(round(0), 1.0 / 4, 1e-14);            // n_0 = 1
  EXPECT_NEAR(round(1), 1.0 / 4 + 1.0 / 6, 1e-14);  // n_0 = 2
  EXPECT_NEAR(round(1), 1.0 / 4 + 2.0 / 6, 1e-14);  // arm 1 has spent 1/4
  EXPECT_NEAR(round(1), 1.0 / 4 + 3.0 / 6, 1e-14);  // arm 1: 1/4 + 1/6
  EXPECT_NEAR(round(1), 1.0 / 4 + 4.0 / 6, 1e-14);
  EXPECT_FALSE(filter.admit(policy));  // would be 1/4 + 5/6 > 1
  EXPECT_TRUE(filter.stopped());
  EXPECT_FALSE(filter.admit(policy));
  EXPECT_NEAR(filter.spent(), 1.0 / 4 + 4.0 / 6, 1e-14);
}

TEST(GdpFilter, PrePullsAreFree) {
  const auto config = sampling_config(3, 100, 4);
  auto policy = sampling_policy(config);
  auto filter = filter_of(config, 0.5);
  for (int t = 0; t < 12; ++t) {
    ASSERT_TRUE(filter.admit(policy));
    policy.advance(t / 4);
    policy.observe(0.5);
  }
  EXPECT_EQ(filter.spent(), 0.0);
  EXPECT_TRUE(filter.admit(policy));  // 1/5 of 1/4
  policy.advance(0);
  policy.observe(0.5);
  EXPECT_FALSE(filter.admit(policy));  // 2/5
}

TEST(GdpFilter, ABudgetOfZeroAdmitsOnlyWhatReadsNothing) {
  const auto config = sampling_config(2, 10);
  auto policy = sampling_policy(config);
  auto filter = filter_of(config, 0.0);
  EXPECT_TRUE(filter.admit(policy));
  policy.advance(0);
  policy.observe(1.0);
  EXPECT_FALSE(filter.admit(policy));
}

TEST(GdpFilter, NeverLetsTheExactSumPassTheBudgetAndStopsOnlyWhenItWould) {
  std::uint64_t seed = 0;
  for (const double budget : {0.1, 0.7, 1.0, 2.0, 3.3}) {
    for (const auto& config : {sampling_config(2, 400), sampling_config(5, 400, 0, 3.7),
                               sampling_config(3, 400, 2, 1.1)}) {
      auto policy = sampling_policy(config);
      auto filter = filter_of(config, budget);
      ReplayStream random({.seed = ++seed});
      const auto arms = static_cast<std::size_t>(config.arms);
      std::vector<Decimal50> sums(arms, 0);
      const Decimal50 limit = Decimal50(budget) * Decimal50(budget);
      while (policy.round() < config.horizon) {
        auto after = sums;
        for (std::size_t j = 0; j < arms && !policy.is_forced(); ++j) {
          if (policy.counts()[j] == 0) continue;
          after[j] += 1 / (Decimal50(config.variance) * (policy.counts()[j] + 1));
        }
        const Decimal50 largest = *std::max_element(after.begin(), after.end());
        if (!filter.admit(policy)) {
          EXPECT_GT(largest, limit * (1 - Decimal50(1e-12)));
          break;
        }
        ASSERT_LE(largest, limit);
        sums = after;
        policy.choose(random);
        policy.observe(policy.round() % 2 == 0 ? 1.0 : 0.0);
      }
    }
  }
}

// Every transcript of the filtered policy, stopping included, with its probability on both sides.
struct Leaf {
  double log_p;
  double log_q;
  bool stopped;
};

void enumerate_leaves(const ModifiedThompsonSampling& p, const ModifiedThompsonSampling& q,
                      const GdpFilter& filter, const RewardStream& left, const RewardStream& right,
                      double log_p, double log_q, std::vector<Leaf>& leaves) {
  const auto round = static_cast<std::size_t>(p.round());
  auto next_filter = filter;
  if (round == left.size() || !next_filter.admit(p)) {
    leaves.push_back({log_p, log_q, round < left.size()});
    return;
  }
  for (int action = 0; action < p.config().arms; ++action) {
    auto next_p = p;
    auto next_q = q;
    next_p.advance(action);
    next_p.observe(left[round]);
    next_q.advance(action);
    next_q.observe(right[round]);
    enumerate_leaves(next_p, next_q, next_filter, left, right, log_p + p.log_probability(action),
                     log_q + q.log_probability(action), leaves);
  }
}

double delta_of_leaves(const std::vector<Leaf>& leaves, double eps) {
  double delta = 0.0;
  for (const auto& leaf : leaves) {
    delta += std::max(0.0, portable_exp(leaf.log_p) - portable_exp(eps + leaf.log_q));
  }
  return delta;
}

TEST(GdpFilter, TheEnumeratedProfileOfTheFilteredPolicyStaysBelowTheBudgets) {
  const std::int64_t rounds = 7;
  int stopped = 0;
  int finished = 0;
  for (const double budget : {0.75, 1.0, 1.3}) {
    const auto config = sampling_config(2, rounds);
    for (std::int64_t changed : {1, 2, 4}) {
      for (const auto& base : {constant_rewards(rounds, 0.0), alternating_rewards(rounds, 0.0, 1.0),
                               step_rewards(rounds, 3, 1.0, 0.0)}) {
        auto other = base;
        auto& value = other[static_cast<std::size_t>(changed - 1)];
        value = 1.0 - value;
        std::vector<Leaf> leaves;
        const auto fresh = sampling_policy(config);
        enumerate_leaves(fresh, fresh, filter_of(config, budget), base, other, 0.0, 0.0, leaves);
        double total = 0.0;
        for (const auto& leaf : leaves) {
          total += portable_exp(leaf.log_p);
          ++(leaf.stopped ? stopped : finished);
        }
        ASSERT_NEAR(total, 1.0, 1e-12);
        for (double eps = 0.0; eps < 4.0; eps += 0.125) {
          EXPECT_LE(delta_of_leaves(leaves, eps), gdp_delta(Mu{budget}, Epsilon{eps}).value + 1e-13)
              << "budget " << budget << ", eps " << eps;
        }
      }
    }
  }
  EXPECT_GT(stopped, 0) << "the filter has to bite for this test to say something";
  EXPECT_GT(finished, 0) << "and not everywhere";
}

TEST(GdpFilter, PromisesItsBudget) {
  const auto guarantee = filter_of(sampling_config(2, 10), 1.5).guarantee();
  EXPECT_EQ(std::get<GaussianDp>(guarantee.level).mu.value, 1.5);
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOneReward);
}

TEST(GdpFilter, RefusesABadBudgetOrConfiguration) {
  for (const double budget : {-1.0, std::nan(""), HUGE_VAL}) {
    const auto error = error_of(GdpFilter::create(sampling_config(2, 10), Mu{budget}));
    EXPECT_THAT(error.message, ::testing::StartsWith("budget must be a finite mu"));
    EXPECT_EQ(error.path, "/budget");
  }
  EXPECT_EQ(GdpFilter::create(sampling_config(1, 10), Mu{1.0}).error().path, "/arms");
}

}  // namespace
}  // namespace assay

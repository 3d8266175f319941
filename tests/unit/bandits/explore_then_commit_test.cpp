#include "assay/policies/bandits/explore_then_commit.hpp"

#include "assay/mechanisms/noisy_max/noisy_max_law.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// The arms of the first `rounds` rounds, in which arm j always pays rewards[j].
std::vector<int> played(const ExploreThenCommitConfig& config, const std::vector<double>& rewards,
                        int rounds, std::uint64_t seed) {
  auto policy = ExploreThenCommit::create(config).value();
  ReplayStream random({.seed = seed});
  std::vector<int> arms;
  for (int t = 0; t < rounds; ++t) {
    arms.push_back(policy.choose(random));
    policy.observe(rewards[static_cast<std::size_t>(arms.back())]);
  }
  return arms;
}

TEST(ExploreThenCommit, PlaysInTurnAndThenOneArm) {
  const auto arms = played({3, 4, 1e6}, {0.25, 1.0, 0.5}, 40, 1);
  for (int t = 0; t < 12; ++t) EXPECT_EQ(arms[static_cast<std::size_t>(t)], t % 3);
  for (std::size_t t = 12; t < arms.size(); ++t) EXPECT_EQ(arms[t], 1);
}

// The arm it keeps follows the law of report noisy max, which is computed in another way; and that law
// moves by at most e^eps when one reward changes.
TEST(ExploreThenCommit, KeepsAnArmByTheLawOfItsNoisyTotals) {
  const ExploreThenCommitConfig config{3, 4, 0.5};
  const std::vector<double> totals{1.0, 4.0, 2.0}, neighbour{1.0, 3.0, 2.0};
  const auto noise = Laplace::create(0.0, 2.0).value();
  const auto law = noisy_max_log_probabilities(noise, totals);
  const auto other = noisy_max_log_probabilities(noise, neighbour);
  std::vector<double> counts(3, 0.0);
  const int runs = repetitions(20'000);
  for (int run = 0; run < runs; ++run) {
    counts[static_cast<std::size_t>(
        played(config, {0.25, 1.0, 0.5}, 13, static_cast<std::uint64_t>(run)).back())] += 1.0;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double p = std::exp(law[j]);
    EXPECT_NEAR(counts[j], runs * p, 5.0 * std::sqrt(runs * p * (1.0 - p))) << j;
    EXPECT_LE(std::abs(law[j] - other[j]), config.epsilon);
  }
}

}  // namespace
}  // namespace assay

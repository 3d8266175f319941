// Plays of the fault zoo follow the laws that its exact levels are computed from. The two are separate
// code: what one draws, the other enumerates. Chi-squared tests at alpha = 1e-6 each, so that all of
// them together err once in 10,000 changes of seed.
#include "assay/policies/faulty/exploration_count.hpp"
#include "assay/policies/faulty/sequence_table.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"

namespace assay::faulty {
namespace {

double p_of_transcripts(const TranscriptDistribution& distribution,
                        std::map<std::uint64_t, int> counts, int runs) {
  std::vector<double> probabilities, seen;
  for (const auto& [cell, probability] : distribution) {
    probabilities.push_back(probability);
    seen.push_back(counts[cell]);
  }
  if (std::accumulate(seen.begin(), seen.end(), 0.0) != runs) return 0.0;  // others came, too
  return fit_of_counts(probabilities, seen, runs).p_value;
}

TEST(SequenceSamplers, FollowTheirDistributions) {
  const int runs = 40'000;
  for (const auto& row : sequence_table()) {
    for (const bool counterpart : {false, true}) {
      const auto& policy = counterpart ? row.counterpart : row.faulty;
      for (const auto* input : {&row.base_input, &row.neighbour_input}) {
        ReplayStream random({7, hash_purpose("samplers/" + row.name), counterpart ? 1u : 0u,
                             input == &row.base_input ? 0u : 1u});
        std::vector<double> actions(static_cast<std::size_t>(row.shape.width()));
        std::map<std::uint64_t, int> counts;
        for (int i = 0; i < runs; ++i) {
          policy.play(input->values, random, actions);
          ++counts[row.cell(actions)];
        }
        EXPECT_GT(p_of_transcripts(policy.distribution(input->values), counts, runs), kTestAlpha)
            << row.name << (counterpart ? " twin" : " faulty");
      }
    }
  }
}

// A cell's law says nothing of where the explorations lie: each round must be as likely.
TEST(SequenceSamplers, ExplorationsAreAUniformSubset) {
  const int runs = 40'000;
  const ExplorationCount policy(true);
  const std::vector<double> rewards{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<double> actions(ExplorationCount::kHorizon);
  // Where there are two of them: the pair of rounds, one of 105.
  std::map<std::pair<int, int>, int> pairs;
  int seen = 0;
  ReplayStream random({8, hash_purpose("samplers/subset")});
  for (int i = 0; i < runs; ++i) {
    policy.play(rewards, random, actions);
    if (ExplorationCount::cell(actions) / 2 != 2) continue;
    int first = -1;
    for (int t = 4; t < 19; ++t) {
      if (actions[static_cast<std::size_t>(t)] != 1.0) continue;
      if (first >= 0) ++pairs[{first, t}];
      first = t;
    }
    ++seen;
  }
  const double expected = seen / 105.0;
  double statistic = 0.0;
  for (int a = 4; a < 19; ++a) {
    for (int b = a + 1; b < 19; ++b) {
      const double difference = pairs[{a, b}] - expected;
      statistic += difference * difference / expected;
    }
  }
  EXPECT_GT(chi_squared_p(statistic, 104), kTestAlpha);
}

}  // namespace
}  // namespace assay::faulty

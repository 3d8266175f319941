// Plays of the fault zoo follow the laws that its exact levels are computed from. The two are separate
// code: what one draws, the other enumerates. Chi-squared tests at alpha = 1e-6 each, so that all of
// them together err once in 10,000 changes of seed.
#include <boost/math/distributions/chi_squared.hpp>

#include "assay/policies/faulty/exploration_count.hpp"
#include "assay/policies/faulty/sequence_table.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::faulty {
namespace {

double chi_squared_p(double statistic, int degrees) {
  if (degrees == 0) return 1.0;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

// p-value of the counts of cells; those expected fewer than 10 times are taken together. 0 where a
// cell occurs that the law excludes.
double fit_of_transcripts(const TranscriptLaw& law, const std::map<std::uint64_t, int>& counts,
                          int plays) {
  double statistic = 0.0;
  double rest_expected = 0.0;
  int rest = 0;
  int cells = 0;
  int seen = 0;
  const auto add = [&](double expected, int count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (const auto& [cell, probability] : law) {
    const auto found = counts.find(cell);
    const int count = found == counts.end() ? 0 : found->second;
    seen += count;
    if (probability == 0.0 && count > 0) return 0.0;
    if (probability * plays >= 10.0) {
      add(probability * plays, count);
    } else {
      rest_expected += probability * plays;
      rest += count;
    }
  }
  if (seen != plays) return 0.0;
  if (rest_expected >= 10.0) add(rest_expected, rest);
  return chi_squared_p(statistic, cells - 1);
}

TEST(SequenceSamplers, FollowTheirLaws) {
  const int plays = 40'000;
  for (const auto& row : sequence_table()) {
    for (const bool twin : {false, true}) {
      const auto& policy = twin ? row.twin : row.faulty;
      for (const auto* input : {&row.old_input, &row.new_input}) {
        ReplayStream random({7, hash_purpose("samplers/" + row.name), twin ? 1u : 0u,
                             input == &row.old_input ? 0u : 1u});
        std::vector<double> actions(static_cast<std::size_t>(row.shape.width()));
        std::map<std::uint64_t, int> counts;
        for (int i = 0; i < plays; ++i) {
          policy.play(input->values, random, actions);
          ++counts[row.cell(actions)];
        }
        EXPECT_GT(fit_of_transcripts(policy.law(input->values), counts, plays), kTestAlpha)
            << row.name << (twin ? " twin" : " faulty");
      }
    }
  }
}

// A cell's law says nothing of where the explorations lie: each round must be as likely.
TEST(SequenceSamplers, ExplorationsAreAUniformSubset) {
  const int plays = 40'000;
  const ExplorationCount policy(true);
  const std::vector<double> rewards{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<double> actions(ExplorationCount::kHorizon);
  // Where there are two of them: the pair of rounds, one of 105.
  std::map<std::pair<int, int>, int> pairs;
  int seen = 0;
  ReplayStream random({8, hash_purpose("samplers/subset")});
  for (int i = 0; i < plays; ++i) {
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

// Coverage of mean_lower_bound at its level; limits as in binomial_limit.hpp.
#include <gtest/gtest.h>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/betting_cases.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr int kRuns = repetitions(2000);

struct Cell {
  BettingCase variable;
  int observations;
};

const std::vector<Cell>& cells() {
  static const std::vector<Cell> all{{bernoulli_case(0.02), 80},
                                     {bernoulli_case(0.4), 80},
                                     {uniform_case(), 60},
                                     {near_one_case(), 80},
                                     {gaussian_loss_case(1.0, 0.5), 80},
                                     {gaussian_loss_case(1.0, 2.0), 80}};
  return all;
}

TEST(MeanLowerBoundCoverage, MissesTheMeanNoMoreOftenThanAlpha) {
  for (const double alpha : {0.05, 0.005}) {
    const int limit = binomial_limit(kRuns, alpha, 2 * static_cast<int>(cells().size()));
    for (const auto& [variable, n] : cells()) {
      const BettingPlan plan{alpha, n, variable.mean, variable.variance};
      int misses = 0;
      for (int run = 0; run < kRuns; ++run) {
        const auto values = draws(variable, n, static_cast<std::uint64_t>(run));
        misses += mean_lower_bound(values, plan).value.value > variable.mean;
      }
      EXPECT_LE(misses, limit) << variable.name << " at " << alpha;
      RecordProperty(variable.name + " at " + std::to_string(alpha), misses);
    }
  }
}

TEST(MeanLowerBoundCoverage, SurvivesPlansThatAreWrongTenfold) {
  constexpr double kAlpha = 0.05;
  constexpr int kPlans = 5;
  const BettingCase variable = gaussian_loss_case(1.0, 1.0);
  constexpr int kObservations = 60;
  const double m = variable.mean, v = variable.variance;
  const BettingPlan plans[kPlans] = {{kAlpha, kObservations * 10, m, v},
                                     {kAlpha, kObservations / 10, m, v},
                                     {kAlpha, kObservations, m * 10, v * 10},
                                     {kAlpha, kObservations, m / 10, v / 10},
                                     {kAlpha, kObservations, 0.0, 0.0}};
  for (int p = 0; p < kPlans; ++p) {
    int misses = 0;
    for (int run = 0; run < kRuns; ++run) {
      const auto values = draws(variable, kObservations, static_cast<std::uint64_t>(run), 2);
      const auto& plan = plans[p];
      misses += mean_lower_bound(values, plan).value.value > m;
    }
    EXPECT_LE(misses, binomial_limit(kRuns, kAlpha, kPlans)) << "plan " << p;
    RecordProperty("plan " + std::to_string(p), misses);
  }
}

}  // namespace
}  // namespace assay

// Coverage of a confidence bound of a mean at its level; limits as in binomial_limit.hpp.
#pragma once

#include <iterator>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/betting_cases.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline const int kCoverageRuns = dear_repetitions(2000);

// `misses(values, plan, mean)`: whether the mean lies beyond the bound.
template <class Misses>
void expect_coverage(int observations, const Misses& misses) {
  struct Cell {
    BettingCase variable;
    int observations;
  };
  const Cell cells[] = {{bernoulli_case(0.02), observations},
                        {bernoulli_case(0.4), observations},
                        {uniform_case(), 60},
                        {near_one_case(), observations},
                        {gaussian_loss_case(1.0, 0.5), observations},
                        {gaussian_loss_case(1.0, 2.0), observations}};
  for (const double alpha : {0.05, 0.005}) {
    const int limit = binomial_limit(kCoverageRuns, alpha, 2 * static_cast<int>(std::size(cells)));
    for (const auto& cell : cells) {
      const BettingCase& variable = cell.variable;
      const BettingPlan plan{alpha, cell.observations, variable.mean, variable.variance};
      const int missed = count_runs(kCoverageRuns, [&](std::uint64_t run) {
        return misses(draws(variable, cell.observations, run), plan, variable.mean);
      });
      EXPECT_LE(missed, limit) << variable.name << " at " << alpha;
      ::testing::Test::RecordProperty(variable.name + " at " + std::to_string(alpha), missed);
    }
  }
}

template <class Misses>
void expect_coverage_by_wrong_plans(const Misses& misses) {
  const double alpha = 0.05;
  const int observations = 60;
  const BettingCase variable = gaussian_loss_case(1.0, 1.0);
  const double m = variable.mean, v = variable.variance;
  const BettingPlan plans[] = {{alpha, observations * 10, m, v},
                               {alpha, observations / 10, m, v},
                               {alpha, observations, m * 10, v * 10},
                               {alpha, observations, m / 10, v / 10},
                               {alpha, observations, 0.0, 0.0}};
  const int count = static_cast<int>(std::size(plans));
  for (int p = 0; p < count; ++p) {
    const int missed = count_runs(kCoverageRuns, [&](std::uint64_t run) {
      return misses(draws(variable, observations, run, 2), plans[p], m);
    });
    EXPECT_LE(missed, binomial_limit(kCoverageRuns, alpha, count)) << "plan " << p;
    ::testing::Test::RecordProperty("plan " + std::to_string(p), missed);
  }
}

}  // namespace assay

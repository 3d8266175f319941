// Bounds of a mean and tests of it, by betting.
#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/betting_cases.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/mean_coverage.hpp"

namespace assay {
namespace {

// Coverage of mean_lower_bound.

bool misses_by_lower_bound(const std::vector<double>& values, const BettingPlan& plan,
                           double mean) {
  return mean_lower_bound(values, plan).value.value > mean;
}

TEST(MeanLowerBoundCoverage, MissesTheMeanNoMoreOftenThanAlpha) {
  expect_coverage(80, misses_by_lower_bound);
}

TEST(MeanLowerBoundCoverage, SurvivesPlansThatAreWrongTenfold) {
  expect_coverage_by_wrong_plans(misses_by_lower_bound);
}

// Coverage of mean_upper_bound.

bool misses_by_upper_bound(const std::vector<double>& values, const BettingPlan& plan,
                           double mean) {
  return mean_upper_bound(values, 1.0, plan).value.value < mean;
}

TEST(MeanUpperBoundCoverage, MissesTheMeanNoMoreOftenThanAlpha) {
  expect_coverage(100, misses_by_upper_bound);
}

TEST(MeanUpperBoundCoverage, SurvivesPlansThatAreWrongTenfold) {
  expect_coverage_by_wrong_plans(misses_by_upper_bound);
}

// Validity of the sequential tests when the worst moment to stop is chosen afterwards, at alpha =
// 0.05 and 0.005, with the tested value at the true mean. Limits as in binomial_limit.hpp.

constexpr int kTestRuns = 2000;
constexpr int kTestObservations = 200;
constexpr double kHorizonFactors[] = {0.1, 1.0, 10.0};
constexpr double kAlphas[] = {0.05, 0.005};

std::vector<BettingCase> variables() {
  return {bernoulli_case(0.005),
          bernoulli_case(0.1),
          bernoulli_case(0.5),
          uniform_case(),
          near_one_case(),
          gaussian_loss_case(1.0, 0.5),
          gaussian_loss_case(1.0, 2.0)};
}

// `certifies(variable, plan, values)`: whether the wealth reached 1/alpha at any time.
template <class Certifies>
void expect_valid_at_any_time(const Certifies& certifies) {
  const auto all = variables();
  const int cells = static_cast<int>(all.size() * std::size(kHorizonFactors) * std::size(kAlphas));
  for (const auto& variable : all) {
    for (const double factor : kHorizonFactors) {
      for (const double alpha : kAlphas) {
        const BettingPlan plan{alpha, static_cast<std::int64_t>(kTestObservations * factor),
                               variable.mean, variable.variance};
        const int alarms = count_runs(kTestRuns, [&](std::uint64_t run) {
          return certifies(variable, plan, draws(variable, kTestObservations, run, 3));
        });
        EXPECT_LE(alarms, binomial_limit(kTestRuns, alpha, cells))
            << variable.name << ", horizon " << plan.horizon << ", alpha " << alpha;
      }
    }
  }
}

TEST(MeanTestAnytime, ExceedsNeverReachesItsThresholdMoreOftenThanAlpha) {
  expect_valid_at_any_time(
      [](const BettingCase& variable, const BettingPlan& plan, const std::vector<double>& values) {
        MeanExceedsTest test(variable.mean, plan);
        test.observe(values);
        return test.certified();
      });
}

TEST(MeanTestAnytime, BelowNeverReachesItsThresholdMoreOftenThanAlpha) {
  expect_valid_at_any_time(
      [](const BettingCase& variable, const BettingPlan& plan, const std::vector<double>& values) {
        MeanBelowTest test(variable.mean, 1.0, plan);
        test.observe(values);
        return test.certified();
      });
}

// The limit of the test above can be reached: a test
// that bets against a mean 10% too small is caught.
TEST(MeanTestAnytime, TheLimitWouldCatchATestOfTheWrongMean) {
  const BettingCase variable = bernoulli_case(0.5);
  const BettingPlan plan{0.05, kTestObservations, 0.5, 0.25};
  const int alarms = count_runs(kTestRuns, [&](std::uint64_t run) {
    MeanExceedsTest test(0.45, plan);
    test.observe(draws(variable, kTestObservations, run, 3));
    return test.certified();
  });
  EXPECT_GT(alarms, binomial_limit(kTestRuns, 0.05, 42));
}

}  // namespace
}  // namespace assay

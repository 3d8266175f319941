// Soundness of the event methods under selection, alpha = 0.05: identical scores and the exact
// boundary of the Laplace mechanism, event and orientation selected, 2,000 repetitions at 1,000
// runs a side. events_soundness_slow_test.cpp has 10,000 of them, and 10,000 runs.
#include <gtest/gtest.h>

#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/score_soundness.hpp"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;
constexpr int kRuns = repetitions(2000);

TEST(EventsSoundness, NoMethodErrsMoreOftenThanItsLevelAndTheExactTestIsNotIdle) {
  const std::vector<std::size_t> sizes = {1000};
  const int cells = 8 * static_cast<int>(sizes.size());
  for (const std::size_t runs : sizes) {
    for (const double shift : {0.0, 1.0}) {
      const auto errors = score_errors(shift, runs, kRuns, kAlpha, true);
      const int limit = binomial_limit(kRuns, kAlpha, cells);
      EXPECT_LE(errors.exact, limit) << runs << " " << shift;
      EXPECT_LE(errors.bound, errors.exact);
      EXPECT_LE(errors.sequential, limit) << runs << " " << shift;
      EXPECT_LE(errors.online, limit) << runs << " " << shift;
      EXPECT_GE(errors.exact, kRuns / 100) << runs << " " << shift;
      RecordProperty("errors at shift " + std::to_string(shift) + ", runs " + std::to_string(runs),
                     std::to_string(errors.exact) + " exact, " + std::to_string(errors.bound) +
                         " bound, " + std::to_string(errors.sequential) + " sequential, " +
                         std::to_string(errors.online) + " online");
    }
  }
}

}  // namespace
}  // namespace assay

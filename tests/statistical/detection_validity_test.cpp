// Bounds of the detector lie above the truth no more often than their level allows, where the event
// it finds attains the truth: at the boundary. 200 small runs of each row, alpha = 0.1; the rows that
// take longer are in detection_validity_slow_test.cpp.
#include "assay/auditors/detect/detection.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

TEST(DetectionValidity, BoundsExceedTheTruthNoMoreOftenThanTheirLevel) {
  const std::vector<std::string> names{"laplace", "truncated-geometric", "noisy-max-1",
                                       "noisy-max-2"};
  const auto table = faulty::detection_table();
  const auto rows = select_rows(table, names).value();
  const int runs = dear_repetitions(200);
  const int limit = binomial_limit(runs, 0.1, static_cast<int>(names.size()));
  for (const auto* row : rows) {
    const int above = count_runs(runs, [&](std::uint64_t run) {
      return detect_row(*row, {run + 100, 0.9, 0.001}, {.threads = 2}).above_truth();
    });
    RecordProperty(row->name, above);
    EXPECT_LE(above, limit) << row->name;
  }
}

}  // namespace
}  // namespace assay

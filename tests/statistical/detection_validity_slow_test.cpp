// Every row of finite truth: 200 runs each lie above the truth no more often than their level,
// alpha = 0.1, allows. Most rows stay far below it, as their events do not attain the truth.
#include "assay/auditors/detect/detection.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

TEST(DetectionValiditySlow, NoRowExceedsItsTruthMoreOftenThanItsLevel) {
  const auto table = faulty::detection_table();
  const int runs = 200;
  const int limit = binomial_limit(runs, 0.1, static_cast<int>(table.size()));
  int rows = 0;
  for (const auto& row : table) {
    if (std::isinf(row.true_epsilon)) continue;
    const int above = count_runs(runs, [&](std::uint64_t run) {
      return detect_row(row, {run + 1000, 0.9, 0.001}, {.threads = 2}).above_truth();
    });
    RecordProperty(row.name, above);
    EXPECT_LE(above, limit) << row.name;
    ++rows;
  }
  EXPECT_EQ(rows, 18);
}

}  // namespace
}  // namespace assay

// Interrupts that come while a job is still being prepared: the first one ends it with its report.
#include <unistd.h>

#include <csignal>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr double kEarly = 0.05;  // seconds of processor time

// Prepared for three times as long and more: an input of 4,000,000 numbers and its hard pair.
const Words kLongPreparation{ASSAY_CLI,
                             "audit",
                             "dp-bai-gauss",
                             "-p",
                             "arms=2000",
                             "-p",
                             "dimension=16",
                             "-p",
                             "budget=2000",
                             "-p",
                             "epsilon=40",
                             "-p",
                             "calibration=paper",
                             "--threads",
                             "1"};

// Of processor time, until it can read its options; more with sanitizers.
double startup_seconds(const TemporaryFolder& folder) {
  Child child({ASSAY_CLI, "--version"}, folder.file("out"), folder.file("err"));
  while (child.running()) usleep(500);
  return child.processor_seconds();
}

TEST(EarlySignals, AreCaughtBeforeAnythingIsPreparedAndEndAnAuditWithItsReport) {
  const TemporaryFolder folder;
  const std::string output = folder.file("out");
  const double early_seconds = startup_seconds(folder) + kEarly;
  for (const int signal : {SIGINT, SIGTERM}) {
    bool early = false;  // whoever looks may be late
    for (int attempt = 0; attempt < 20 && !early; ++attempt) {
      Child child(kLongPreparation, output, folder.file("err"));
      while (child.running() && !child.catches(signal)) usleep(500);
      early = child.processor_seconds() < early_seconds;
      child.signal(signal);
      child.signal(signal);  // as `timeout` does: to the process and to its group
      ASSERT_EQ(child.wait(), 3);
      EXPECT_THAT(read_file(output), ::testing::StartsWith("Inconclusive"));
    }
    EXPECT_TRUE(early) << signal;
  }
}

}  // namespace
}  // namespace assay

// Interrupts that come while a job is still being prepared: the first one ends it with its report.
#include <unistd.h>

#include <csignal>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// Prepared for 0.15 s of processor time and more: an input of 4,000,000 numbers and its hard pair.
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

TEST(EarlySignals, AreCaughtBeforeAnythingIsPreparedAndEndAnAuditWithItsReport) {
  const TemporaryFolder folder;
  const std::string output = folder.file("out");
  for (const int signal : {SIGINT, SIGTERM}) {
    bool early = false;  // whoever looks may be late
    for (int attempt = 0; attempt < 20 && !early; ++attempt) {
      Child child(kLongPreparation, output, folder.file("err"));
      while (child.running() && !child.catches(signal)) usleep(500);
      early = child.processor_seconds() < 0.05;
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

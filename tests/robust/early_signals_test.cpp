// Interrupts that come while a job is still being prepared: the first one ends it with its report and an exit
// status of the documented ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

// Prepared for some 0.2 s: an input of 4,000,000 numbers, and its hard pair.
const std::vector<std::string> kLongPreparation{
    ASSAY_CLI,      "audit", "dp-bai-gauss",      "-p",        "arms=2000",  "-p",
    "dimension=16", "-p",    "budget=2000",       "-p",        "epsilon=40", "-p",
    "delta=1e-5",   "-p",    "calibration=paper", "--threads", "1",          "--format",
    "json"};

TEST(EarlySignals, EndAnAuditThatIsStillBeingPreparedWithItsReport) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const int after : {40, 80, 120}) {
      SCOPED_TRACE(std::to_string(signal) + " after " + std::to_string(after) + " ms");
      const auto run = run_command(kLongPreparation, milliseconds(after), signal);
      EXPECT_EQ(run.status, 3) << run.err;
      const auto report = nlohmann::json::parse(run.out, nullptr, false);
      ASSERT_TRUE(report.is_object()) << run.out.substr(0, 200);
      EXPECT_EQ(report["verdict"], "Inconclusive");
    }
  }
}

}  // namespace
}  // namespace assay

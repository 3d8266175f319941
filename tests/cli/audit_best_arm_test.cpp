// `assay audit dp-bai` and `dp-od`, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(AuditBestArm, DpBaiIsVerifiedForAllPairs) {
  const auto run = run_assay({"audit", "dp-bai", "-p", "arms=8", "-p", "dimension=2", "-p",
                              "budget=200", "-p", "epsilon=1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out,
              StartsWith("Verified for all pairs: eps = 1 for every pair, by Fixed-Budget"));
  EXPECT_THAT(run.out, HasSubstr("eps at delta = 0                               0.99999"));
  EXPECT_THAT(run.out, HasSubstr("replace one reward of one arm; the view is actions"));
}

TEST(AuditBestArm, DpOdReadWithTheL2NormIsViolatedWithAPairAndAWitness) {
  const auto run = run_assay({"audit", "dp-od", "-p", "norm=l2", "--claim", "eps=1"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least 1.1403;"));
  EXPECT_THAT(run.out, HasSubstr("\nWorst pair found\n"));
  EXPECT_THAT(run.out, HasSubstr("  change      value 1 of 400 of the input: 0 -> 1\n"));
  EXPECT_THAT(run.out, HasSubstr("\nWitness "));
  EXPECT_THAT(run.out, HasSubstr("log P/Q     -1.14033"));
}

TEST(AuditBestArm, TheReleaseMethodsReportComesBackFromItsCommand) {
  const std::vector<std::string> words = {
      "audit",      "dp-bai",   "-p",      "arms=20",   "-p",   "dimension=4", "-p",
      "budget=400", "--method", "release", "--samples", "2000", "--format",    "json"};
  const auto run = run_assay(words);
  ASSERT_EQ(run.status, 0) << run.err;
  auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report.at("scope"), "all-pairs");
  auto threaded = words;
  threaded.insert(threaded.end(), {"--threads", "1"});
  auto other = nlohmann::json::parse(run_assay(threaded).out);
  report.erase("meta");
  other.erase("meta");
  EXPECT_EQ(report, other);
}

TEST(AuditBestArm, ARunThatTimeEndsReportsWhatItHas) {
  const auto run =
      run_assay({"audit", "dp-bai", "-p", "arms=200", "-p", "dimension=8", "-p", "budget=10000",
                 "--method", "release", "--time", "0.5", "--claim", "eps=0.001,delta=1e-9"});
  EXPECT_EQ(run.status, 2) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("Method      release"));
}

}  // namespace
}  // namespace assay

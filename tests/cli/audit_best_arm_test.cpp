// `assay audit dp-bai` and `dp-od`, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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
  EXPECT_THAT(run.out, HasSubstr("\n  change      pull "));
  EXPECT_THAT(run.out, HasSubstr("\nWitness "));
  EXPECT_THAT(run.out, HasSubstr("log P/Q     -1.14033"));
}

TEST(AuditBestArm, TheReleaseMethodsReportComesBackFromItsCommand) {
  const std::vector<std::string> words = {
      "audit",    "dp-bai",     "-p",       "arms=20", "-p",        "dimension=4",
      "-p",       "budget=400", "--method", "release", "--samples", kSanitized ? "400" : "2000",
      "--format", "json"};
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

TEST(AuditBestArm, APolicyWithoutNoiseIsViolatedInEveryFormat) {
  for (const char* format : {"text", "json", "html"}) {
    for (const char* id : {"od-linbai", "sequential-halving"}) {
      const auto run = run_assay({"audit", id, "--claim", "eps=5", "--format", format});
      EXPECT_EQ(run.status, 1) << id << " " << format << run.err;
      EXPECT_EQ(run.err, "");
      EXPECT_THAT(run.out, Not(HasSubstr("\"Minf")));
      if (format == std::string("text")) {
        EXPECT_THAT(run.out, HasSubstr("the largest loss is infinite on the pair below"));
      }
    }
  }
}

TEST(AuditBestArm, FeaturesOfArmsComeFromAFile) {
  TemporaryFolder folder;
  const std::string file = folder.write("arms.csv", "1,0\n0,1\n0.6,0.8\n");
  const auto run = run_assay({"audit", "dp-bai", "--features", file, "-p", "budget=60"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("arms=3, dimension=2, budget=60"));
  const auto same = run_assay({"audit", "dp-bai", "-p", "feature_file=" + file, "-p", "budget=60"});
  EXPECT_EQ(same.out, run.out);
  const auto twice = run_assay({"audit", "dp-bai", "--features", folder.file("none.csv")});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("none.csv"));
}

TEST(AuditBestArm, ATimeBudgetIsKeptAndItsPlaysComeBack) {
  const std::vector<std::string> words = {"audit",    "dp-bai",      "-p", "arms=200",
                                          "-p",       "dimension=8", "-p", "budget=10000",
                                          "--method", "release"};
  auto timed = words;
  timed.insert(timed.end(), {"--time", "1"});
  const auto started = std::chrono::steady_clock::now();
  const auto run = run_assay(timed);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  EXPECT_EQ(run.status, 0) << run.err;  // by the proof of all pairs
  EXPECT_THAT(run.out, HasSubstr("Method      release, "));
  EXPECT_THAT(run.out, HasSubstr("--samples"));
}

}  // namespace
}  // namespace assay

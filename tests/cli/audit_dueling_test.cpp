// `assay audit dp-ebs` and its family, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(AuditDueling, DpEbsIsVerifiedForAllPairsAndSaysHowMuchIsSpent) {
  const auto run = run_assay({"audit", "dp-ebs", "-p", "arms=4", "-p", "horizon=200", "-p",
                              "epsilon=1", "--samples", "2000"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("Verified for all pairs: "));
  EXPECT_THAT(run.out, HasSubstr("Why         eps = 0.866667 for every pair, by DP-Dueling"));
  EXPECT_THAT(run.out, HasSubstr("of eps = 1, 0.866667 is spent: at most 13 nodes"));
  EXPECT_THAT(run.out, HasSubstr("replace the preferences of one round; the view is actions"));
  EXPECT_THAT(run.out, HasSubstr("\n  change      round 1 of 200: all answers reversed\n"));
  EXPECT_THAT(run.out, HasSubstr("Method      release, 2,000 transcripts a side"));
}

TEST(AuditDueling, GOptimalPrintsTheCertificateOfItsDesign) {
  const TemporaryFolder folder;
  const std::string file = folder.write("arms.csv", "1,0\n0,1\n0.6,0.8\n");
  const auto run =
      run_assay({"audit", "gopt-dpdb", "--features", file, "-p", "epsilon=1", "--samples", "200"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("Verified for all pairs: "));
  EXPECT_THAT(run.out, HasSubstr("arms=3, dimension=2, horizon=1000"));
  EXPECT_THAT(run.out,
              HasSubstr("design of phase 1: 3 of 3 pairs of items, certificate max |z|^2/r"));
  const auto json = run_assay(
      {"audit", "gopt-dpdb", "-p", "feature_file=" + file, "--samples", "200", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("case").at("notes").size(), 2U);
  EXPECT_EQ(run_assay({"audit", "gopt-dpdb", "--features", folder.file("none.csv")}).status, 2);
}

TEST(AuditDueling, TheReportComesBackFromItsCommand) {
  const std::vector<std::string> words = {"audit",     "ebs-local",
                                          "-p",        "horizon=400",
                                          "-p",        "epsilon=3",
                                          "-p",        "delta=0.5",
                                          "--claim",   "eps=0.2",
                                          "--search",  "14",
                                          "--samples", kSanitized ? "200" : "1000",
                                          "--format",  "json"};
  const auto run = run_assay(words);
  auto threaded = words;
  threaded.insert(threaded.end(), {"--threads", "1"});
  auto report = nlohmann::json::parse(run.out);
  auto other = nlohmann::json::parse(run_assay(threaded).out);
  report.erase("meta");
  other.erase("meta");
  EXPECT_EQ(report, other);
  EXPECT_THAT(report.at("reproduce").get<std::string>(), HasSubstr("--search 14"));
  EXPECT_EQ(report.at("worst_pair").at("base_input").size(), 1600U);
  EXPECT_EQ(report.at("worst_pair").at("neighbour_input").size(), 1600U);
}

TEST(AuditDueling, WithoutNoiseItIsViolatedInEveryFormat) {
  for (const std::string format : {"text", "json", "html"}) {
    const auto run = run_assay({"audit", "ebs-non-private", "-p", "horizon=400", "--claim", "eps=2",
                                "--samples", "2000", "--format", format});
    EXPECT_EQ(run.status, 1) << format << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, HasSubstr("Violated"));
  }
}

TEST(AuditDueling, SequencesOfOnesOwnAreHeldToTheirShape) {
  const TemporaryFolder folder;
  const auto audit = [&](const std::string& text) {
    return run_assay({"audit", "dp-ebs", "-p", "horizon=3", "--samples", "64", "--input",
                      folder.write("rounds.csv", text)});
  };
  const auto good = audit("0,1,0,0\n0,0,1,0\n0,1,0,0\n");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("found by    the one pair beside --input"));
  EXPECT_THAT(good.out, HasSubstr("arm 1 beats arm 2 -> arm 2 beats arm 1"));
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"0,1,0,0\n0,0,1,0\n", "has 2 rows of 4 outcomes, but horizon is 3"},
           {"0,1,0,0\n0,0.5,1,0\n0,1,0,0\n", ":2: the outcome of pair 2 must be 0 or 1, not 0.5"},
           {"0,1,0,0\n0,1,x,0\n0,1,0,0\n", "0 or 1 is allowed"},
           {"0,1,1,0\n0,0,1,0\n0,1,0,0\n", "row 1, pair (0, 1) must have one winner, not two"}}) {
    const auto run = audit(text);
    EXPECT_EQ(run.status, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST(AuditDueling, ATimeBudgetIsKept) {
  const auto started = std::chrono::steady_clock::now();
  const auto run = run_assay({"audit", "dp-ebs", "-p", "horizon=200000", "--time", "1"});
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("--samples"));
}

}  // namespace
}  // namespace assay

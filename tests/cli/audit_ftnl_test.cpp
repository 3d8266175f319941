// `assay audit ftnl` and its twin in Python behind the process protocol, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<std::string> kPrinted = {
    "ftnl", "-p",        "actions=2", "-p",   "noise=exponential", "-p", "calibration=paper",
    "-p",   "epsilon=1", "--claim",   "eps=1"};

TEST(AuditFtnl, RefutesThePrintedScaleWithItsExactLevel) {
  const auto run = run_audit(kPrinted);
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least 1.4898;"));
  EXPECT_THAT(run.out, HasSubstr("1.4898801256"));
  EXPECT_THAT(run.out, HasSubstr("replace one loss vector; the view is actions"));
}

TEST(AuditFtnl, ApproachesTwiceTheLevelAsExpertsGrow) {
  const std::pair<const char*, double> truths[] = {
      {"actions=3", 1.70887138459}, {"actions=10", 1.98976187476}, {"actions=1000", 2.0}};
  for (const auto& [actions, truth] : truths) {
    auto words = kPrinted;
    words[2] = actions;
    const auto run = run_audit(with(words, {"--format", "json"}));
    EXPECT_EQ(run.status, 1) << run.err;
    const auto first = nlohmann::json::parse(run.out).at("quantities").at(0);
    EXPECT_NEAR(first.at("lower").at("value").get<double>(), truth, 1e-10) << actions;
  }
}

TEST(AuditFtnl, VerifiesTheOtherScales) {
  for (const char* noise : {"noise=laplace", "noise=gumbel", "noise=exponential"}) {
    const auto run = run_audit(
        {"ftnl", "-p", noise, "-p", "actions=100", "-p", "horizon=1000", "--claim", "eps=epsilon"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith("Verified for all pairs")) << noise;
  }
}

TEST(AuditFtnl, TheReportFollowsItsSchemaAndComesBackFromItsCommand) {
  const TemporaryFolder folder;
  const auto first = run_audit(with(
      kPrinted, {"--format", "json", "-w", folder.file("r.json"), "-w", folder.file("r.html")}));
  const auto valid = run_command(
      {ASSAY_PYTHON, std::string(ASSAY_SOURCE_DIR) + "/tests/support/validate_json.py",
       std::string(ASSAY_SOURCE_DIR) + "/schemas/audit-report.schema.json", folder.file("r.json")});
  EXPECT_EQ(valid.status, 0) << valid.err;
  auto report = nlohmann::json::parse(first.out);
  std::istringstream command(report.at("reproduce").get<std::string>());
  std::vector<std::string> words;
  for (std::string word; command >> word;) words.push_back(word);
  words.erase(words.begin());
  auto again =
      nlohmann::json::parse(run_assay(with(words, {"--format", "json", "--threads", "1"})).out);
  report.erase("meta");
  again.erase("meta");
  EXPECT_EQ(report, again);
}

TEST(AuditFtnl, AFileOfLossesFixesAllButOneRound) {
  const TemporaryFolder folder;
  const auto file = folder.write("losses.csv", "# three rounds\n0,1\n0.5,0.5\n1,0\n");
  const auto run = run_audit(with(kPrinted, {"--input", file}));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("the losses of round 1 change from (0, 1) to (1, 0)"));
}

// A file of 4096 rounds: sums of 2048 resampled losses in the last epoch that is read.
TEST(AuditFtnl, ALongFileOfResampledLossesIsDecidedWithACertifiedError) {
  std::string lines;
  for (int t = 1; t <= 4096; ++t) {
    lines += std::to_string(0.001 * (t % 997)) + "," + std::to_string(0.0005 * (t % 1999)) + "\n";
  }
  const TemporaryFolder folder;
  const auto file = folder.write("losses.csv", lines);
  const std::vector<std::string> words{"ftnl",         "-p",       "resample=true", "-p",
                                       "horizon=4096", "-p",       "epsilon=1",     "--input",
                                       file,           "--format", "json"};
  const auto holds = run_audit(with(words, {"-p", "noise=exponential", "--claim", "eps=1"}));
  EXPECT_EQ(holds.status, 0) << holds.err;
  EXPECT_THAT(holds.out, HasSubstr("is kept in a window"));
  const auto printed = run_audit(
      with(words, {"-p", "noise=exponential", "-p", "calibration=paper", "--claim", "eps=1"}));
  EXPECT_EQ(printed.status, 1) << printed.err;
}

TEST(AuditFtnl, ErrorsInAFileNameTheLine) {
  const TemporaryFolder folder;
  const auto file = folder.write("losses.csv", "0,1\n0.5,1.5\n1,0\n");
  const auto run = run_audit(with(kPrinted, {"--input", file}));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("losses.csv:2"));
  EXPECT_THAT(run.err, HasSubstr("the loss of expert 2 must be 0 to 1, not 1.5"));
  const auto shorter = folder.write("short.csv", "0,1\n");
  EXPECT_THAT(run_audit(with(kPrinted, {"--input", shorter})).err,
              HasSubstr("has 1 round of 2 losses, but horizon is 3"));
  const auto good = folder.write("good.csv", "0,1\n0.5,0.5\n1,0\n");
  EXPECT_THAT(run_audit(with(kPrinted, {"--input", good, "--column", "a"})).err,
              HasSubstr("--column is for a case that reads a stream of rewards"));
}

TEST(AuditFtnl, IsListedAndExplained) {
  EXPECT_THAT(run_assay({"list", "cases"}).out, HasSubstr("ftnl"));
  const auto run = run_assay({"explain", "ftnl"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("Neighbours  replace one loss vector"));
  EXPECT_THAT(run.out, HasSubstr("laplace | exponential | gumbel"));
}

// The exact level bounds what the black box finds in the twin, which plays the same policy.
TEST(AuditFtnl, TheBlackBoxAgreesOnTheTwinInPython) {
  const std::string twin = std::string(ASSAY_PYTHON) + " " + ASSAY_SOURCE_DIR +
                           "/examples/targets/ftnl.py --noise exponential";
  const auto play = [&](const std::string& exec) {
    return run_audit({"--exec", exec, "--kind", "experts", "--arms", "2", "--horizon", "3",
                      "--claim", "eps=1", "--samples", "4000", "--format", "json"});
  };
  const auto printed = play(twin + " --paper");
  EXPECT_EQ(printed.status, 1) << printed.err;
  const auto report = nlohmann::json::parse(printed.out);
  // Expert 1 against the other: both sequences are told, and the two losses that change.
  const auto& pair = report.at("worst_pair");
  EXPECT_EQ(pair.at("neighbour_input").size(), pair.at("base_input").size());
  EXPECT_NE(pair.at("neighbour_input"), pair.at("base_input"));
  for (const auto expert : {0, 1}) {
    EXPECT_NE(pair.at("neighbour_input").at(expert), pair.at("base_input").at(expert));
  }
  const auto& quantities = report.at("quantities");
  double lower = 0.0;
  for (const auto& quantity : quantities) {
    if (quantity.at("kind") == "epsilon-at-delta") {
      lower = std::max(lower, quantity.at("lower").at("value").get<double>());
    }
  }
  EXPECT_GT(lower, 1.2);
  EXPECT_LE(lower, 1.4898801257);
  EXPECT_EQ(play(twin).status, 0);  // at scale 2/eps the level is 0.8318
}

}  // namespace
}  // namespace assay

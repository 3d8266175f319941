// The `frontier` subcommand as a user meets it: report, checkpoint, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> frontier(std::vector<std::string> words) {
  const std::vector<std::string> small{"frontier", "--epochs", "2", "--actions", "100", "--noise",
                                       "gumbel",   "--c2",     "8", "--c2",      "16"};
  words.insert(words.begin(), small.begin(), small.end());
  return words;
}

TEST(FrontierCommand, PrintsARowForEachC2AndNeverClaimsAProof) {
  const auto run = run_assay(frontier({"--budget", "1"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\n  gumbel  8   "));
  EXPECT_THAT(run.out, HasSubstr("\n  gumbel  16  "));
  EXPECT_THAT(run.out, HasSubstr("nothing here is a proof"));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay frontier --seed 1 --budget 1 --epochs 2"));
  EXPECT_EQ(run.err, "");
}

TEST(FrontierCommand, IsThatOfSimulate) {
  auto words = frontier({"--budget", "1"});
  const auto alone = run_assay(words);
  words.insert(words.begin(), "simulate");
  const auto below = run_assay(words);
  EXPECT_EQ(below.status, 0) << below.err;
  EXPECT_EQ(below.out, alone.out);
  EXPECT_THAT(run_assay({"simulate", "--help"}).out, HasSubstr("frontier"));
}

TEST(FrontierCommand, JsonCarriesTheInstancesInFull) {
  const auto run = run_assay(frontier({"--budget", "1", "--format", "json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json.at("rows").size(), 2u);
  const auto& row = json.at("rows").at(0);
  EXPECT_EQ(row.at("c2"), 8.0);
  EXPECT_NEAR(row.at("log_c1").get<double>(), row.at("log_c1_double").get<double>(), 1e-9);
  EXPECT_GT(row.at("instance").at("gap").get<double>(),
            row.at("instance").at("epsilon").get<double>());
}

TEST(FrontierCommand, ALargerBudgetGoesOnFromASmallerOne) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.ck");
  ASSERT_EQ(run_assay(frontier({"--budget", "1", "--checkpoint", file})).status, 0);
  const auto resumed = run_assay(frontier({"--budget", "3", "--checkpoint", file}));
  const auto straight = run_assay(frontier({"--budget", "3", "--threads", "1"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, straight.out);
}

TEST(FrontierCommand, AForeignCheckpointIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.ck");
  ASSERT_EQ(run_assay(frontier({"--budget", "1", "--checkpoint", file})).status, 0);
  const std::string before = read_file(file);
  const auto run = run_assay(frontier({"--budget", "1", "--seed", "2", "--checkpoint", file}));
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("is the checkpoint of another run or program"));
  EXPECT_EQ(read_file(file), before);
}

TEST(FrontierCommand, BadWordsAreNamed) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--budget", "0"}, "--budget must be a whole number 1 to 1000000, not 0"},
           {{"--budget", "x"}, "--budget"},
           {{"--epochs", "9"}, "--epochs must be a whole number 1 to 8, not 9"},
           {{"--actions", "0"}, "--actions must be 1 to 1e12, not 0"},
           {{"--noise", "uniform"},
            "--noise must be laplace | exponential | gumbel, not 'uniform'"},
           {{"--c2", "0"}, "--c2 must be 0.1 to 1e6, not 0"},
           {{"--format", "html"}, "--format must be text or json, not 'html'"}}) {
    auto all = words;
    all.insert(all.begin(), "frontier");
    const auto run = run_assay(all);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_EQ(run.out, "") << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace assay

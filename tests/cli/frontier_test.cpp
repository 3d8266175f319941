// The `frontier` subcommand as a user meets it: report, checkpoint, messages.
#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

Words frontier(const Words& words) {
  return with("frontier --epochs 2 --actions 100 --noise gumbel --c2 8 --c2 16", words);
}

TEST(FrontierCommand, PrintsARowForEachC2AndNeverClaimsAProof) {
  const auto run = run_expecting(0, frontier("--budget 1"));
  EXPECT_THAT(run.out, HasSubstr("\n  gumbel   8   "));
  EXPECT_THAT(run.out, HasSubstr("\n  gumbel  16  "));
  EXPECT_THAT(run.out, HasSubstr("It does not prove that any"));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay frontier --seed 1 --budget 1 --epochs 2"));
  EXPECT_EQ(run.err, "");
}

TEST(FrontierCommand, IsThatOfSimulate) {
  const auto words = frontier("--budget 1");
  EXPECT_EQ(run_expecting(0, with("simulate", words)).out, run_assay(words).out);
  EXPECT_THAT(run_assay("simulate --help").out, HasSubstr("frontier"));
}

TEST(FrontierCommand, JsonCarriesTheInstancesInFull) {
  const auto run = run_expecting(0, frontier("--budget 1 --format json"));
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
  run_expecting(0, frontier({"--budget", "1", "--checkpoint", file}));
  const auto resumed = run_expecting(0, frontier({"--budget", "3", "--checkpoint", file}));
  const auto straight = run_assay(frontier("--budget 3 --threads 1"));
  EXPECT_EQ(resumed.out, straight.out);
}

TEST(FrontierCommand, AForeignCheckpointIsRefusedAndLeftAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.ck");
  run_expecting(0, frontier({"--budget", "1", "--checkpoint", file}));
  const std::string before = read_file(file);
  expect_refused(frontier({"--budget", "1", "--seed", "2", "--checkpoint", file}),
                 "is the checkpoint of another run or program");
  EXPECT_EQ(read_file(file), before);
}

TEST(FrontierCommand, BadWordsAreNamed) {
  expect_each_refused(
      "frontier",
      {{"--budget 0", "--budget must be a whole number 1 to 1000000, not 0"},
       {"--budget x", "--budget"},
       {"--epochs 9", "--epochs must be a whole number 1 to 8, not 9"},
       {"--actions 0", "--actions must be 1 to 1e12, not 0"},
       {"--noise uniform", "--noise must be laplace | exponential | gumbel, not 'uniform'"},
       {"--c2 0", "--c2 must be 0.1 to 1e6, not 0"},
       {"--format html", "--format must be text or json, not 'html'"}});
}

}  // namespace
}  // namespace assay

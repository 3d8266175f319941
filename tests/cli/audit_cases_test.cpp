// `assay audit CASE`, as a user meets it, by family.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assay/mechanisms/registry/mechanisms.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// `assay audit MECHANISM` as a user meets it.

std::string pair_file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("assay_" + name + ".txt");
  std::ofstream(path) << text;
  return path.string();
}

TEST(AuditMechanism, ItsOwnLevelIsVerifiedAndALowerOneViolated) {
  const auto own = run_expecting(0, "audit laplace -p epsilon=1");
  EXPECT_THAT(own.out, HasSubstr("Verified for every pair"));
  EXPECT_THAT(own.out, HasSubstr("the closed form of the discrete Laplace pair"));
  const auto lower =
      run_expecting(1, "audit report-noisy-max -p noise=gumbel -p answers=3 --claim eps=0.9");
  EXPECT_THAT(lower.out, HasSubstr("Violated"));
}

TEST(AuditMechanism, AFileThatIsNoNeighbouringPairIsRefusedByEntry) {
  expect_refused({"audit", "idealized-noisy-histogram", "--input", pair_file("far", "0 0\n0 2\n")},
                 "entry 1 moves from 0 to 2");
  expect_refused({"audit", "laplace", "--input", pair_file("one", "0 0\n")}, "not 1 rows");
  expect_refused({"audit", "laplace", "--input", pair_file("word", "0\nx\n")}, ":2:");
  run_expecting(2, "audit laplace --input /no/such");
  run_expecting(2, "audit thompson-sampling --method events");
}

TEST(AuditMechanism, EveryMechanismIsListedAsACaseAndExplainedOnce) {
  const auto list = run_assay("list cases");
  for (const auto& mechanism : mechanism_descriptions()) {
    EXPECT_THAT(list.out, HasSubstr(std::string(mechanism.name.id)));
  }
  const auto explained = run_expecting(0, "explain laplace");
  for (const char* part : {"Likelihood  density", "Methods     exact, likelihood, events",
                           "Guarantee", "Reference", "two lines", "assay audit laplace"}) {
    EXPECT_THAT(explained.out, HasSubstr(part));
  }
  EXPECT_THAT(explained.out, Not(HasSubstr("Published claims")));
}

// `assay audit dp-bai` and `dp-od`, as a user meets them.

TEST(AuditBestArm, DpBaiIsVerifiedForAllPairs) {
  const auto run =
      run_expecting(0, "audit dp-bai -p arms=8 -p dimension=2 -p budget=200 -p epsilon=1");
  EXPECT_THAT(run.out,
              StartsWith("Verified for every pair: eps at delta = 0 is at most 1; the claim allows"
                         " 1\n\nWhy         eps = 1 for every pair, by Fixed-Budget"));
  EXPECT_THAT(run.out, HasSubstr("eps at delta = 0                               0.99999"));
  EXPECT_THAT(run.out, HasSubstr("replace one reward of one arm; the adversary sees the actions"));
}

TEST(AuditBestArm, DpOdReadWithTheL2NormIsViolatedWithAPairAndAWitness) {
  const auto run = run_expecting(1, "audit dp-od -p norm=l2 --claim eps=1");
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least 1.1403;"));
  EXPECT_THAT(run.out, HasSubstr("\nFound by    the worst of "));
  EXPECT_THAT(run.out, HasSubstr("\nPair        pull "));
  EXPECT_THAT(run.out, HasSubstr("\nWitness "));
  EXPECT_THAT(run.out, HasSubstr("log P/Q     -1.14033"));
}

TEST(AuditBestArm, FeaturesOfArmsComeFromAFile) {
  TemporaryFolder folder;
  const std::string file = folder.write("arms.csv", "1,0\n0,1\n0.6,0.8\n");
  const auto run = run_expecting(0, {"audit", "dp-bai", "--features", file, "-p", "budget=60"});
  EXPECT_THAT(run.out, HasSubstr("arms=3, dimension=2, budget=60"));
  const auto same = run_assay({"audit", "dp-bai", "-p", "feature_file=" + file, "-p", "budget=60"});
  EXPECT_EQ(same.out, run.out);
  expect_refused({"audit", "dp-bai", "--features", folder.file("none.csv")}, "none.csv");
}

// `assay audit dp-ebs` and its family, as a user meets them.

TEST(AuditDueling, DpEbsIsVerifiedForAllPairsAndSaysHowMuchIsSpent) {
  const auto run =
      run_expecting(0, "audit dp-ebs -p arms=4 -p horizon=200 -p epsilon=1 --samples 2000 --full");
  EXPECT_THAT(run.out, StartsWith("Verified for every pair: "));
  EXPECT_THAT(run.out, Not(HasSubstr("at most by  sampling")));  // the theorem is no weaker
  EXPECT_THAT(run.out, HasSubstr("Why         eps = 0.866667 for every pair, by DP-Dueling"));
  EXPECT_THAT(run.out, HasSubstr("of eps = 1, 0.866667 is spent: at most 13 nodes"));
  EXPECT_THAT(run.out,
              HasSubstr("replace the preferences of one round; the adversary sees the actions"));
  EXPECT_THAT(run.out, HasSubstr("\nPair        round 1 of 200: all answers reversed\n"));
  EXPECT_THAT(run.out, HasSubstr("Method      release, 2,000 transcripts on each input"));
}

TEST(AuditDueling, GOptimalPrintsTheCertificateOfItsDesign) {
  const TemporaryFolder folder;
  const std::string file = folder.write("arms.csv", "1,0\n0,1\n0.6,0.8\n");
  const auto run = run_expecting(
      0, {"audit", "gopt-dpdb", "--features", file, "-p", "epsilon=1", "--samples", "200"});
  EXPECT_THAT(run.out, StartsWith("Verified for every pair: "));
  EXPECT_THAT(run.out, HasSubstr("arms=3, dimension=2, horizon=1000"));
  EXPECT_THAT(run.out,
              HasSubstr("design of phase 1: 3 of 3 pairs of items, certificate max |z|^2/r"));
  const auto json = run_assay(
      {"audit", "gopt-dpdb", "-p", "feature_file=" + file, "--samples", "200", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("case").at("notes").size(), 2U);
  run_expecting(2, {"audit", "gopt-dpdb", "--features", folder.file("none.csv")});
}

TEST(AuditDueling, SequencesOfOnesOwnAreHeldToTheirShape) {
  const TemporaryFolder folder;
  const auto words = [&](const std::string& text) {
    return with("audit dp-ebs -p horizon=3 --samples 64 --input",
                {folder.write("rounds.csv", text)});
  };
  const auto good = run_expecting(0, words("0,1,0,0\n0,0,1,0\n0,1,0,0\n"));
  EXPECT_THAT(good.out, HasSubstr("Found by    the one pair beside --input"));
  EXPECT_THAT(good.out, HasSubstr("arm 0 beats arm 1 -> arm 1 beats arm 0"));
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"0,1,0,0\n0,0,1,0\n", "has 2 rows of 4 outcomes, but horizon is 3"},
           {"0,1,0,0\n0,0.5,1,0\n0,1,0,0\n", ":2: the outcome of pair 1 must be 0 or 1, not 0.5"},
           {"0,1,0,0\n0,1,x,0\n0,1,0,0\n", "0 or 1 is allowed"},
           {"0,1,1,0\n0,0,1,0\n0,1,0,0\n", "row 1, pair (0, 1) must have one winner, not two"}}) {
    expect_refused(words(text), message);
  }
}

// `assay audit ftnl` and its twin in Python behind the process protocol, as a user meets them.

const Words kPrinted =
    "ftnl -p actions=2 -p noise=exponential -p calibration=paper -p epsilon=1 --claim eps=1";

class AuditFtnl : public InAFolder {};

TEST_F(AuditFtnl, RefutesThePrintedScaleWithItsExactLevel) {
  const auto run = audit_expecting(1, kPrinted);
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least 1.4898;"));
  EXPECT_THAT(run.out, HasSubstr("1.4898801256"));
  EXPECT_THAT(run.out, HasSubstr("replace one loss vector; the adversary sees the actions"));
}

TEST_F(AuditFtnl, ApproachesTwiceTheLevelAsExpertsGrow) {
  const std::pair<const char*, double> truths[] = {
      {"actions=3", 1.70887138459}, {"actions=10", 1.98976187476}, {"actions=1000", 2.0}};
  for (const auto& [actions, truth] : truths) {
    auto words = kPrinted;
    words[2] = actions;
    const auto run = audit_expecting(1, with(words, "--format json"));
    const auto first = nlohmann::json::parse(run.out).at("quantities").at(0);
    EXPECT_NEAR(first.at("lower").at("value").get<double>(), truth, 1e-10) << actions;
  }
}

TEST_F(AuditFtnl, VerifiesTheOtherScales) {
  for (const char* noise : {"noise=laplace", "noise=gumbel", "noise=exponential"}) {
    const auto run = audit_expecting(0, {"ftnl", "-p", noise, "-p", "actions=100", "-p",
                                         "horizon=1000", "--claim", "eps=epsilon"});
    EXPECT_THAT(run.out, StartsWith("Verified for every pair")) << noise;
  }
}

TEST_F(AuditFtnl, TheReportFollowsItsSchema) {
  expect_valid("audit-report.schema.json", run_audit(with(kPrinted, "--format json")).out);
}

TEST_F(AuditFtnl, AFileOfLossesFixesAllButOneRound) {
  const auto file = folder.write("losses.csv", "# three rounds\n0,1\n0.5,0.5\n1,0\n");
  const auto run = audit_expecting(1, with(kPrinted, {"--input", file}));
  EXPECT_THAT(run.out, HasSubstr("the losses of round 1 change from (0, 1) to (1, 0)"));
}

// A file of 4096 rounds: sums of 2048 resampled losses in the last epoch that is read.
TEST_F(AuditFtnl, ALongFileOfResampledLossesIsDecidedWithACertifiedError) {
  std::string lines;
  for (int t = 1; t <= 4096; ++t) {
    lines += std::to_string(0.001 * (t % 997)) + "," + std::to_string(0.0005 * (t % 1999)) + "\n";
  }
  const auto file = folder.write("losses.csv", lines);
  const Words words{"ftnl",    "-p", "resample=true", "-p",  "horizon=4096", "-p", "epsilon=1",
                    "--input", file, "--format",      "json"};
  const auto holds = audit_expecting(0, with(words, "-p noise=exponential --claim eps=1"));
  EXPECT_THAT(holds.out, HasSubstr("losses within a window"));
  audit_expecting(1, with(words, "-p noise=exponential -p calibration=paper --claim eps=1"));
}

TEST_F(AuditFtnl, ErrorsInAFileNameTheLine) {
  const auto file = folder.write("losses.csv", "0,1\n0.5,1.5\n1,0\n");
  const auto run = audit_expecting(2, with(kPrinted, {"--input", file}));
  EXPECT_THAT(run.err, HasSubstr("losses.csv:2"));
  EXPECT_THAT(run.err, HasSubstr("the loss of expert 1 must be 0 to 1, not 1.5"));
  const auto shorter = folder.write("short.csv", "0,1\n");
  EXPECT_THAT(run_audit(with(kPrinted, {"--input", shorter})).err,
              HasSubstr("has 1 round of 2 losses, but horizon is 3"));
  const auto good = folder.write("good.csv", "0,1\n0.5,0.5\n1,0\n");
  EXPECT_THAT(run_audit(with(kPrinted, {"--input", good, "--column", "a"})).err,
              HasSubstr("--column is for a case that reads a stream of rewards"));
}

TEST_F(AuditFtnl, IsListedAndExplained) {
  EXPECT_THAT(run_assay("list cases").out, HasSubstr("ftnl"));
  const auto run = run_expecting(0, "explain ftnl");
  EXPECT_THAT(run.out, HasSubstr("Neighbours  replace one loss vector"));
  EXPECT_THAT(run.out, HasSubstr("laplace | exponential | gumbel"));
}

// The exact level bounds what the black box finds in the twin, which plays the same policy.
TEST_F(AuditFtnl, TheBlackBoxAgreesOnTheCounterpartInPython) {
  const std::string counterpart =
      python(ASSAY_SOURCE_DIR) + "/examples/targets/ftnl.py --noise exponential";
  const auto play = [&](const std::string& exec) {
    return run_audit({"--exec", exec, "--kind", "experts", "--arms", "2", "--horizon", "3",
                      "--claim", "eps=1", "--samples", "4000", "--format", "json"});
  };
  const auto printed = play(counterpart + " --paper");
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
  EXPECT_EQ(play(counterpart).status, 0);  // at scale 2/eps the level is 0.8318
}

// `assay audit fliphat` and its family, as a user meets them.

TEST(AuditSparse, ThePapersNoiseIsToldWhatItGives) {
  const auto run = run_expecting(
      0,
      "audit fliphat -p dimension=6 -p sparsity=2 -p horizon=64 -p epsilon=1 -p calibration=paper "
      "--samples 2000");
  EXPECT_THAT(run.out, StartsWith("Verified for this pair: eps at delta = 0.01 is at most "));
  EXPECT_THAT(run.out,
              HasSubstr("replace the contexts and rewards of one round; the adversary sees\n"
                        "            all actions but that of the changed round\n"));
  EXPECT_THAT(run.out, HasSubstr("\nPair        round 2 of 64: arm 0: 1.11774 -> -1.11774, "));
  EXPECT_THAT(run.out, HasSubstr("at eps = 1 the paper's noise has a proved level of 1.70409"));
  EXPECT_THAT(run.out, HasSubstr("Found by    the worst of 9 pairs known to be hard\n"));
  EXPECT_THAT(run.out, HasSubstr("Method      release, 2,000 transcripts on each input"));
}

TEST(AuditSparse, ALogOfOnesOwnIsTheBaseOfTheSearch) {
  const TemporaryFolder folder;
  const auto words = [&](const std::string& text, const std::string& dimension = "1") {
    return with("audit fliphat -p horizon=7 -p sparsity=1 --samples 64 -p dimension=" + dimension,
                {"--input", folder.write("rounds.csv", text)});
  };
  std::string log = "# rewards of both arms, then their contexts\n";
  for (int t = 0; t < 7; ++t) log += "0.5,-12.25,0.1," + std::to_string(t) + "\n";
  const auto good = run_expecting(0, words(log));
  EXPECT_THAT(good.out, HasSubstr("beside --input"));
  EXPECT_THAT(good.out, HasSubstr("round 2 of 7: arm 0: 0.5 -> "));
  for (const auto& [text, dimension, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"0.5,1,0.1,0\n", "1", "has 1 rows, but horizon is 7; give one line for each round"},
           {log, "2", ":2: has 4 numbers; 6 are needed: 2 rewards, then 2 contexts of 2 entries"},
           {"0.5,x,0.1,0\n", "1", "a number from -1e100 to 1e100 is needed"},
           {"0.5,1e101,0.1,0\n", "1", "column 2 is 1e101"},
           {"", "1", "holds no rounds"},
           {log, "0", "dimension must be"}}) {
    expect_refused(words(text, dimension), message);
  }
}

TEST(AuditSparse, ExplainSaysWhatIsHidden) {
  run_expecting(2, "audit lasso-bandit --method release");
  const auto run = run_expecting(0, "explain fliphat");
  EXPECT_THAT(run.out, HasSubstr("Adversary   sees all actions but that of the changed round"));
  EXPECT_THAT(run.out, HasSubstr("eps=epsilon, delta=delta  (Theorem 5.1)"));
  EXPECT_THAT(run_assay("list").out, HasSubstr("\nlasso-bandit "));
}

}  // namespace
}  // namespace assay

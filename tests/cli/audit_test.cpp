// The `audit` subcommand as a user meets it: verdicts,
// exit codes, formats, determinism, interruption.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kSmallAudit = {"audit", "thompson-sampling", "-p", "arms=2",
                                              "-p",    "horizon=6"};

// The report without what may differ from run to run.
nlohmann::json stable_part(const std::string& text) {
  auto json = nlohmann::json::parse(text);
  json.erase("meta");
  return json;
}

TEST(AuditCommand, ThePapersClaimIsVerifiedForAllPairsByTheAugmentedRelease) {
  const auto run = run_assay(with(kSmallAudit, {"--claim", "mu=sqrt(T/2)"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Verified"));
  EXPECT_THAT(run.out, HasSubstr("all pairs"));
}

TEST(AuditCommand, AClaimBelowTheTruthIsViolatedWithExitCodeOne) {
  const auto run = run_assay(with(kSmallAudit, {"--claim", "eps=0.1,delta=1e-6"}));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Violated"));
  EXPECT_THAT(run.out, HasSubstr("assay audit thompson-sampling"));
}

TEST(AuditCommand, AClaimAboveTheExactTruthOfTheWorstPairIsVerifiedForThatPairOnly) {
  // mu of the augmented release is 0.5 sqrt(5) = 1.58, but an exact pair loses far less.
  const auto run =
      run_assay(with(kSmallAudit, {"--claim", "eps=1.2,delta=0.07", "--format", "json"}));
  EXPECT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict").get<std::string>(), "Verified") << run.out;
}

TEST(AuditCommand, WithoutAClaimThePolicysOwnGuaranteeIsAudited) {
  const auto run = run_assay(with(kSmallAudit, {"-p", "calibration=paper"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("mu=1.7320508"));
}

TEST(AuditCommand, TheReproduceCommandMakesTheSameReport) {
  const auto first =
      run_assay({"audit", "thompson-sampling", "-p", "arms=3", "-p", "horizon=20", "--claim",
                 "eps=0.3,delta=1e-3", "--samples", "2048", "--format", "json"});
  ASSERT_EQ(first.status, 1) << first.err;
  const auto json = nlohmann::json::parse(first.out);
  std::istringstream command(json.at("reproduce").get<std::string>());
  std::vector<std::string> words;
  for (std::string word; command >> word;) words.push_back(word);
  words.erase(words.begin());  // "assay"
  const auto second = run_assay(with(words, {"--format", "json", "--threads", "1"}));
  EXPECT_EQ(stable_part(first.out), stable_part(second.out));
}

TEST(AuditCommand, TheReportDoesNotDependOnTheNumberOfThreads) {
  const std::vector<std::string> words = {"audit",     "thompson-sampling",
                                          "-p",        "arms=3",
                                          "-p",        "horizon=30",
                                          "--claim",   "mu=1",
                                          "--samples", kSanitized ? "300" : "1500",
                                          "--format",  "json"};
  const auto one = run_assay(with(words, {"--threads", "1"}));
  const auto three = run_assay(with(words, {"--threads", "3"}));
  EXPECT_EQ(stable_part(one.out).dump(), stable_part(three.out).dump());
}

TEST(AuditCommand, TheSeedDoesNotDependOnTheClaim) {
  const auto one = run_assay(with(kSmallAudit, {"--claim", "eps=1", "--format", "json"}));
  const auto two = run_assay(with(kSmallAudit, {"--claim", "mu=1", "--format", "json"}));
  EXPECT_EQ(nlohmann::json::parse(one.out).at("seed"), nlohmann::json::parse(two.out).at("seed"));
}

TEST(AuditCommand, WritesEveryFormatBesideTheTextOnTheTerminal) {
  const TemporaryFolder folder;
  const auto run =
      run_assay(with(kSmallAudit, {"--claim", "mu=1", "-w", folder.file("r.json"), "-w",
                                   folder.file("r.html"), "-w", folder.file("r.txt")}));
  EXPECT_NE(run.status, 2) << run.err;
  EXPECT_EQ(run.out, read_file(folder.file("r.txt")));
  EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file("r.json"))));
  EXPECT_THAT(read_file(folder.file("r.html")), HasSubstr("<svg"));
}

TEST(AuditCommand, AuditingARecordedStreamSearchesPositionAndValueOnly) {
  const TemporaryFolder folder;
  const auto file = folder.write("rewards.csv", "0.5\n0.25\n1\n0\n0.75\n0.5\n");
  const auto run =
      run_assay(with(kSmallAudit, {"--input", file, "--claim", "mu=1", "--format", "json"}));
  ASSERT_NE(run.status, 2) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const auto stream = json.at("worst_pair").at("base_input").get<std::vector<double>>();
  EXPECT_EQ(stream, (std::vector<double>{0.5, 0.25, 1, 0, 0.75, 0.5}));
}

TEST(AuditCommand, AnInterruptedRunStillReportsAndSaysInconclusive) {
  const auto run =
      run_command({ASSAY_CLI, "audit", "thompson-sampling", "-p", "arms=5", "-p", "horizon=200",
                   "--claim", "eps=30,delta=1e-9", "--samples", "50000000", "--format", "json"},
                  std::chrono::milliseconds(6000));
  EXPECT_EQ(run.status, 3) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict").get<std::string>(), "Inconclusive");
}

TEST(AuditCommand, JsonOfEveryMethodFollowsTheCommittedSchema) {
  const TemporaryFolder folder;
  const std::string schema = ASSAY_SOURCE_DIR "/schemas/audit-report.schema.json";
  const std::string validator = ASSAY_SOURCE_DIR "/tests/support/validate_json.py";
  const std::vector<std::vector<std::string>> runs = {
      with(kSmallAudit, {"--claim", "eps=1"}),
      with(kSmallAudit,
           {"--claim", "eps=0.4,delta=0.01", "--method", "likelihood", "--samples", "1024"}),
      with(kSmallAudit, {"--claim", "mu=0.2", "--method", "likelihood", "--samples", "1024"})};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string file = folder.file("report" + std::to_string(i) + ".json");
    const auto run = run_assay(with(runs[i], {"-w", file}));
    ASSERT_LE(run.status, 1) << run.err;
    const auto check = run_command({ASSAY_PYTHON, validator, schema, file});
    EXPECT_EQ(check.status, 0) << check.err;
  }
}

TEST(AuditCommand, ATimeBudgetBecomesSamplesThatTheReproduceCommandNames) {
  const auto run = run_assay({"audit", "thompson-sampling", "-p", "arms=2", "-p", "horizon=40",
                              "--claim", "eps=9,delta=0.5", "--time", "0.5", "--format", "json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const auto planned = json.at("samples_planned").get<std::int64_t>();
  EXPECT_GT(planned, 0);
  EXPECT_THAT(json.at("reproduce").get<std::string>(),
              HasSubstr("--samples " + std::to_string(planned)));
}

TEST(AuditCommand, StopsAsSoonAsTheClaimIsRefutedWhenAsked) {
  const auto run = run_assay({"audit", "thompson-sampling", "-p", "arms=2", "-p", "horizon=40",
                              "--claim", "eps=0.1,delta=1e-6", "--samples", "40960",
                              "--stop-when-decided", "--format", "json"});
  ASSERT_EQ(run.status, 1) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LT(json.at("samples").get<std::int64_t>(), 40960);
}

TEST(AuditCommand, ARunThatIsCutShortIsReproducedByStopAfter) {
  const std::vector<std::string> words = {"audit",        "thompson-sampling",
                                          "-p",           "arms=2",
                                          "-p",           "horizon=40",
                                          "--claim",      "eps=30,delta=1e-9",
                                          "--samples",    "4096",
                                          "--format",     "json",
                                          "--stop-after", "1024"};
  const auto one = run_assay(words);
  const auto two = run_assay(words);
  EXPECT_EQ(one.status, 3) << one.err;
  EXPECT_EQ(stable_part(one.out), stable_part(two.out));
  EXPECT_THAT(stable_part(one.out).at("reproduce").get<std::string>(),
              HasSubstr("--stop-after 1024"));
}

TEST(AuditCommand, StandardOutputCarriesOnlyTheReport) {
  const auto run = run_assay(with(kSmallAudit, {"--claim", "mu=1", "--format", "json"}));
  EXPECT_TRUE(nlohmann::json::accept(run.out));
  EXPECT_EQ(run.err, "");
}

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefusedWithAMessageThatNamesIt) {
  const auto run = run_assay(GetParam().words);
  EXPECT_EQ(run.status, 2) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
  EXPECT_EQ(run.out, "");
}

std::vector<std::string> small_audit(const std::vector<std::string>& more) {
  return with(kSmallAudit, more);
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadInputTest,
    ::testing::Values(
        BadInput{"UnknownCase", {"audit", "thomson-sampling"}, "did you mean 'thompson-sampling'"},
        BadInput{"NoCase", {"audit"}, "audit needs a case (`assay list cases`), or a target"},
        BadInput{"UnknownParameter", small_audit({"-p", "armz=2"}), "did you mean 'arms'"},
        BadInput{"ParameterTwice", small_audit({"-p", "arms=3"}), "'arms' is given twice"},
        BadInput{"NotKeyValue", small_audit({"-p", "variance"}), "-p takes key=value"},
        BadInput{"HorizonZero",
                 {"audit", "thompson-sampling", "-p", "horizon=0"},
                 "horizon must be 1 to"},
        BadInput{"FractionalArms",
                 {"audit", "thompson-sampling", "-p", "arms=2.5"},
                 "arms must be a whole number"},
        BadInput{"NanParameter", small_audit({"-p", "variance=nan"}),
                 "variance must be a finite number"},
        BadInput{"VarianceBelowOne", small_audit({"-p", "variance=0.5"}), "variance must be 1 to"},
        BadInput{"TooManyPrePulls", small_audit({"-p", "pre_pulls=4"}), "pre_pulls"},
        BadInput{"ContradictoryClaim", small_audit({"--claim", "mu=1,eps=1"}), "mu"},
        BadInput{"DeltaWithoutEpsilon", small_audit({"--claim", "delta=1e-6"}), "eps"},
        BadInput{"DeltaAboveOne", small_audit({"--claim", "eps=1,delta=2"}), "delta"},
        BadInput{"NegativeEpsilon", small_audit({"--claim", "eps=-1"}), "eps"},
        BadInput{"UnknownNameInClaim", small_audit({"--claim", "mu=sqrt(Q)"}), "'Q'"},
        BadInput{"BadConfidence", small_audit({"--confidence", "1"}), "confidence must be"},
        BadInput{"BadMethod", small_audit({"--method", "guess"}), "--method must be"},
        BadInput{"BadFormat", small_audit({"--format", "pdf"}),
                 "format must be text, json or html"},
        BadInput{"SamplesAndTime", small_audit({"--samples", "10", "--time", "1"}), "contradict"},
        BadInput{"ZeroThreads", small_audit({"--threads", "0"}),
                 "--threads must be 1 to 4096, not 0"},
        BadInput{"UnknownFlag", small_audit({"--colour"}), "--colour"},
        BadInput{"WriteEnding", small_audit({"-w", "report.pdf"}), ".txt, .json or .html"},
        BadInput{"WriteNowhere", small_audit({"-w", "/no/such/folder/report.html"}),
                 "cannot write the report here"},
        BadInput{"ColumnWithoutInput", small_audit({"--column", "x"}),
                 "--column is for a case that reads a stream of rewards from --input"},
        BadInput{"MissingInput", small_audit({"--input", "/no/such/rewards.csv"}),
                 "/no/such/rewards.csv"},
        BadInput{"TooLargeForExact",
                 {"audit", "thompson-sampling", "-p", "arms=5", "-p", "horizon=100", "--method",
                  "exact"},
                 "2^24"}),
    [](const auto& tested) { return tested.param.name; });

struct BadRewards {
  std::string name;
  std::string text;
  std::string column;
  std::string message;
};

class BadRewardsTest : public ::testing::TestWithParam<BadRewards> {};

TEST_P(BadRewardsTest, AreRefusedWithFileAndLine) {
  const TemporaryFolder folder;
  const auto file = folder.write("rewards.csv", GetParam().text);
  auto words = small_audit({"--input", file});
  if (!GetParam().column.empty()) words = with(words, {"--column", GetParam().column});
  const auto run = run_assay(words);
  EXPECT_EQ(run.status, 2) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("rewards.csv"));
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadRewardsTest,
    ::testing::Values(BadRewards{"Nan", "0\n1\nnan\n0\n0\n0\n", "", ":3:"},
                      BadRewards{"Infinity", "0\ninf\n0\n0\n0\n0\n", "", ":2:"},
                      BadRewards{"AboveOne", "0\n0\n0\n1.5\n0\n0\n", "", ":4:"},
                      BadRewards{"Negative", "-0.1\n0\n0\n0\n0\n0\n", "", ":1:"},
                      BadRewards{"Empty", "", "", "no rewards"},
                      BadRewards{"Words", "0\nhigh\n0\n0\n0\n0\n", "", "high"},
                      BadRewards{"TooShort", "0\n1\n0\n", "", "horizon is 6"},
                      BadRewards{"MissingColumn", "a,b\n0,1\n", "c", "'c'"}),
    [](const auto& tested) { return tested.param.name; });

TEST(OtherCommands, VersionSaysVersionAndBuild) {
  const auto run = run_assay({"--version"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("assay 0."));
}

TEST(OtherCommands, NoSubcommandIsAUsageError) { EXPECT_EQ(run_assay({}).status, 2); }

TEST(OtherCommands, HelpGoesToStandardOutput) {
  const auto run = run_assay({"audit", "--help"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("--claim"));
}

TEST(OtherCommands, ListNamesTheCasesAndRefusesUnknownKinds) {
  EXPECT_THAT(run_assay({"list"}).out, HasSubstr("thompson-sampling"));
  const auto run = run_assay({"list", "casses"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'cases'"));
}

TEST(OtherCommands, ExplainShowsParametersAndClaims) {
  const auto run = run_assay({"explain", "thompson-sampling"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("pre_pulls"));
  EXPECT_THAT(run.out, HasSubstr("mu=sqrt(T/2)"));
}

}  // namespace
}  // namespace assay

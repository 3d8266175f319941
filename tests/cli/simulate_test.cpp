// The `simulate` subcommand as a user meets it: messages, exit codes, formats, checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kSmallSimulation = {"simulate", "ts-fig2",   "--repetitions",
                                                   "6",        "--horizon", "400"};

std::string without_meta(const std::string& json) {
  auto parsed = nlohmann::json::parse(json);
  parsed.erase("meta");
  return parsed.dump();
}

std::string without_footer(const std::string& page) {
  return page.substr(0, page.find("<footer>"));
}

TEST(SimulateCommand, WritesEveryFormatOfEveryExperiment) {
  const TemporaryFolder folder;
  const auto run =
      run_assay(with(kSmallSimulation, {"ts-fig1", "--output", folder.file("out"), "-w",
                                        folder.file("all.csv"), "-w", folder.file("all.txt")}));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const std::string id : {"ts-fig1", "ts-fig2"}) {
    EXPECT_THAT(read_file(folder.file("out/" + id + ".html")), HasSubstr("<svg"));
    EXPECT_THAT(read_file(folder.file("out/" + id + ".csv")), HasSubstr("\n" + id + ","));
    EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file("out/" + id + ".json"))));
    EXPECT_THAT(run.out, HasSubstr("Written     " + folder.file("out/" + id + ".csv")));
  }
  const std::string csv = read_file(folder.file("all.csv"));
  EXPECT_THAT(csv, HasSubstr("\nts-fig1,"));
  EXPECT_THAT(csv, HasSubstr("\nts-fig2,"));
  EXPECT_EQ(run.out.substr(0, run.out.find("Written")), read_file(folder.file("all.txt")));
  EXPECT_EQ(run.err, "");
}

TEST(SimulateCommand, StandardOutputIsTheReportInTheFormatAskedFor) {
  EXPECT_THAT(run_assay(with(kSmallSimulation, {"--format", "csv"})).out,
              HasSubstr("\nexperiment,panel,"));
  EXPECT_THAT(run_assay(with(kSmallSimulation, {"--format", "html"})).out,
              HasSubstr("<!DOCTYPE html>"));
  EXPECT_TRUE(nlohmann::json::accept(run_assay(with(kSmallSimulation, {"--format", "json"})).out));
}

TEST(SimulateCommand, TheResultDoesNotDependOnTheNumberOfThreads) {
  const auto one = run_assay(with(kSmallSimulation, {"--format", "json", "--threads", "1"}));
  const auto three = run_assay(with(kSmallSimulation, {"--format", "json", "--threads", "3"}));
  EXPECT_EQ(without_meta(one.out), without_meta(three.out));
}

TEST(SimulateCommand, TheReproduceCommandMakesTheSameReport) {
  const auto first =
      run_assay(with(kSmallSimulation, {"--regret", "realised", "--format", "json"}));
  std::istringstream command(nlohmann::json::parse(first.out).at("reproduce").get<std::string>());
  std::vector<std::string> words;
  for (std::string word; command >> word;) words.push_back(word);
  words.erase(words.begin());  // "assay"
  EXPECT_EQ(without_meta(run_assay(with(words, {"--format", "json"})).out),
            without_meta(first.out));
}

TEST(SimulateCommand, ParametersWithoutAFlagAreGivenAndReproducedByName) {
  const std::vector<std::string> words = {"simulate", "ftnl-deterministic", "--repetitions",
                                          "4",        "--horizon",          "127",
                                          "-p",       "actions=7",          "-p",
                                          "gap=0.25"};
  const auto first = run_assay(with(words, {"--format", "json"}));
  ASSERT_EQ(first.status, 0) << first.err;
  const auto parsed = nlohmann::json::parse(first.out);
  EXPECT_EQ(parsed.at("reproduce"),
            "assay simulate ftnl-deterministic --repetitions 4 --horizon 127 -p actions=7 -p "
            "epsilon=1 -p gap=0.25 --seed 1");
}

TEST(SimulateCommand, CheckTellsWhatHoldsWhatFailsAndWhatIsUndecided) {
  EXPECT_EQ(run_assay({"simulate", "ts-fig1", "--check"}).status, 0);
  const auto failing = run_assay({"simulate", "ts-fig7", "--check"});
  EXPECT_EQ(failing.status, 1);
  EXPECT_THAT(failing.out, HasSubstr("does not hold: GDP's advantage"));
  EXPECT_EQ(run_assay({"simulate", "ts-fig7"}).status, 0);
  EXPECT_EQ(run_assay(with(kSmallSimulation, {"--check"})).status, 3);
}

TEST(SimulateCommand, TheFigureOfBestArmPoliciesNamesTheOutcomeThatDoesNotHold) {
  const auto run =
      run_assay({"simulate", "bai-fig1", "--horizon", "100", "--repetitions", "20000", "--check"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("holds: DP-BAI outperforms Baseline"));
  EXPECT_THAT(run.out, HasSubstr("does not hold: DP-BAI outperforms DP-OD\n"));
  EXPECT_THAT(run.out, HasSubstr("not above at 1; least lead: DP-BAI 0.4"));
  EXPECT_EQ(run_assay({"simulate", "bai-fig2", "--horizon", "100", "--repetitions", "5", "--check"})
                .status,
            3);
}

TEST(SimulateCommand, FewRunsDecideNothingOfSparseBanditsAndGoOnFromTheirCheckpoint) {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"simulate", "fliphat-fig2", "--horizon",
                                          "200",      "--check",      "--repetitions",
                                          "3",        "--checkpoint", folder.file("state")};
  const auto first = run_assay(words);
  EXPECT_EQ(first.status, 3) << first.err;
  EXPECT_THAT(first.out, HasSubstr("undecided: regret is sublinear in T under either noise"));
  EXPECT_EQ(run_assay(words).out, first.out);
  const auto theorem = run_assay({"simulate", "fliphat-fig1", "-p", "iterations=theorem"});
  EXPECT_EQ(theorem.status, 2);
  EXPECT_THAT(theorem.err, HasSubstr("iterations must be text or code, not theorem"));
}

TEST(SimulateCommand, JsonFollowsTheCommittedSchema) {
  const TemporaryFolder folder;
  const auto file = folder.file("report.json");
  ASSERT_EQ(run_assay({"simulate", "ts-fig*", "--horizon", "400", "--repetitions", "2", "-w", file})
                .status,
            0);
  const auto check = run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/validate_json.py",
                                  ASSAY_SOURCE_DIR "/schemas/simulation-report.schema.json", file});
  EXPECT_EQ(check.status, 0) << check.err;
}

// ---- checkpoints --------------------------------------------------------------------------------

// Long enough to be killed in the middle, short enough to be run again.
const std::vector<std::string> kLonger = {"simulate", "ts-fig2",   "--repetitions",
                                          "60",       "--horizon", kSanitized ? "5000" : "50000"};

TEST(SimulateCommand, KilledAtAnyMomentAndResumedItGivesTheSameBytes) {
  const TemporaryFolder folder;
  const auto write_to = [&](const std::string& name) {
    std::vector<std::string> words;
    for (const std::string ending : {".csv", ".json", ".html"}) {
      words.push_back("-w");
      words.push_back(folder.file(name + ending));
    }
    return words;
  };
  ASSERT_EQ(run_assay(with(kLonger, write_to("whole"))).status, 0);
  auto resumed = with(with(kLonger, write_to("resumed")), {"--checkpoint", folder.file("run.ck")});
  auto command = with(resumed, {"--threads", "1"});
  command.insert(command.begin(), ASSAY_CLI);
  for (const int after : {300, 2300}) {
    const auto killed = run_command(command, std::chrono::milliseconds(after), SIGKILL);
    EXPECT_TRUE(killed.status == 128 + SIGKILL || killed.status == 0) << killed.err;
  }
  const auto last = run_assay(resumed);
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_EQ(read_file(folder.file("resumed.csv")), read_file(folder.file("whole.csv")));
  EXPECT_EQ(without_meta(read_file(folder.file("resumed.json"))),
            without_meta(read_file(folder.file("whole.json"))));
  EXPECT_EQ(without_footer(read_file(folder.file("resumed.html"))),
            without_footer(read_file(folder.file("whole.html"))));
}

TEST(SimulateCommand, AnInterruptedRunSaysHowToResumeAndExitsWithThree) {
  const TemporaryFolder folder;
  auto words = with({ASSAY_CLI, "simulate", "ts-fig2", "--repetitions", "100000"},
                    {"--checkpoint", folder.file("run.ck")});
  const auto run = run_command(words, std::chrono::milliseconds(3000));
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("interrupted with"));
  EXPECT_THAT(run.err, HasSubstr("resume with: assay simulate ts-fig2 --repetitions 100000 "
                                 "--checkpoint " +
                                 folder.file("run.ck")));
  EXPECT_THAT(read_file(folder.file("run.ck")), HasSubstr("assay simulation checkpoint, format 1"));
  const auto bare = run_command({ASSAY_CLI, "simulate", "ts-fig2", "--repetitions", "100000"},
                                std::chrono::milliseconds(3000));
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.err, HasSubstr("with --checkpoint FILE a run can be resumed"));
}

// The checkpoint of kSmall, done.
class SimulateCheckpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_assay(with(kSmallSimulation, {"--checkpoint", file})).status, 0);
  }

  const TemporaryFolder folder;
  const std::string file = folder.file("run.ck");
};

TEST_F(SimulateCheckpoint, OfAnotherRunIsRefusedAndKept) {
  const std::string before = read_file(file);
  const auto other = run_assay(with(kSmallSimulation, {"--seed", "2", "--checkpoint", file}));
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr(file));
  EXPECT_THAT(other.err, HasSubstr("seed 1"));
  EXPECT_EQ(read_file(file), before);
  // What is only drawn differently is the same run.
  EXPECT_EQ(
      run_assay(with(kSmallSimulation, {"--regret", "realised", "--checkpoint", file})).status, 0);
}

TEST_F(SimulateCheckpoint, ThatIsDamagedIsRefusedAndKept) {
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder.write("run.ck", bytes);
  const auto run = run_assay(with(kSmallSimulation, {"--checkpoint", file}));
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("run.ck: is damaged or truncated"));
  EXPECT_EQ(read_file(file), bytes);
}

// ---- bad words ----------------------------------------------------------------------------------

class BadSimulateInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadSimulateInputTest, IsRefusedWithAMessageThatNamesIt) {
  auto words = GetParam().words;
  words.insert(words.begin(), "simulate");
  const auto run = run_assay(words);
  EXPECT_EQ(run.status, 2) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr(GetParam().message));
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadSimulateInputTest,
    ::testing::Values(
        BadInput{"NoExperiment", {}, "no experiment is selected"},
        BadInput{"UnknownExperiment", {"ts-fgi2"}, "did you mean 'ts-fig2'"},
        BadInput{"EmptySelection", {"best-arm-*"}, "'best-arm-*' selects no experiment"},
        BadInput{"ZeroRepetitions",
                 {"ts-fig2", "--repetitions", "0"},
                 "--repetitions must be 2 to 1e+06, not 0"},
        BadInput{"WordyRepetitions",
                 {"ts-fig2", "--repetitions", "many"},
                 "--repetitions must be a whole number, not 'many'"},
        BadInput{"ShortHorizon",
                 {"ts-fig2", "--horizon", "10"},
                 "--horizon must be 100 to 1e+08, not 10"},
        BadInput{"NegativeSeed", {"ts-fig2", "--seed", "-1"}, "--seed must be 0 to 9e+15, not -1"},
        BadInput{"UnknownRegret",
                 {"ts-fig2", "--regret", "total"},
                 "--regret must be pseudo | realised, not 'total'"},
        BadInput{"ParameterOfNone",
                 {"ts-fig1", "--repetitions", "5"},
                 "--repetitions is not a parameter of any selected experiment"},
        BadInput{"FewActions",
                 {"ftnl-deterministic", "-p", "actions=2"},
                 "-p actions must be 3 to 1000, not 2"},
        BadInput{"GapOfTheExample",
                 {"ftnl-resampling", "-p", "gap=0.2"},
                 "-p gap is not a parameter of any selected experiment"},
        BadInput{"FlagAsParameterToo",
                 {"ftnl-gap", "--horizon", "200", "-p", "horizon=300"},
                 "-p horizon and --horizon are the same parameter"},
        BadInput{"NoEquals", {"ftnl-gap", "-p", "actions"}, "-p takes key=value, not 'actions'"},
        BadInput{
            "ZeroThreads", {"ts-fig1", "--threads", "0"}, "--threads must be 1 to 4096, not 0"},
        BadInput{"ManyThreads",
                 {"ts-fig1", "--threads", "4097"},
                 "--threads must be 1 to 4096, not 4097"},
        BadInput{
            "BadFormat", {"ts-fig1", "--format", "pdf"}, "format must be text, csv, json or html"},
        BadInput{"WriteEnding", {"ts-fig1", "-w", "figure.svg"}, ".txt, .csv, .json or .html"},
        BadInput{"WriteNowhere",
                 {"ts-fig1", "-w", "/no/such/folder/figure.html"},
                 "/no/such/folder/figure.html: cannot write"},
        BadInput{"OutputNowhere", {"ts-fig1", "--output", "/dev/null/x"}, "/dev/null/x"},
        BadInput{"CheckpointNowhere",
                 {"ts-fig2", "--checkpoint", "/no/such/folder/run.ck"},
                 "/no/such/folder/run.ck: the checkpoint cannot be written"},
        BadInput{"UnknownFlag", {"ts-fig1", "--colour"}, "--colour"}),
    [](const auto& tested) { return tested.param.name; });

TEST(OtherCommands, ListAndExplainKnowTheExperiments) {
  const auto list = run_assay({"list", "experiments"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("ts-fig8"));
  const auto explained = run_assay({"explain", "ts-fig2"});
  EXPECT_EQ(explained.status, 0);
  EXPECT_THAT(explained.out, HasSubstr("repetitions"));
  EXPECT_THAT(explained.out, HasSubstr("Figure 2"));
  const auto unknown = run_assay({"explain", "ts-fig22"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'ts-fig2'"));
}

}  // namespace
}  // namespace assay

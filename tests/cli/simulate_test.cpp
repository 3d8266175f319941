// The `simulate` subcommand as a user meets it: messages, exit codes, formats, checkpoints.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const Words kSmallSimulation = "simulate ts-fig2 --repetitions 6 --horizon 400";

std::string without_footer(const std::string& page) {
  return page.substr(0, page.find("<footer>"));
}

class SimulateCommand : public InAFolder {};

TEST_F(SimulateCommand, WritesEveryFormatOfEveryExperiment) {
  const auto run = run_expecting(
      0, with(kSmallSimulation, {"ts-fig1", "--output", folder.file("out"), "-w",
                                 folder.file("all.csv"), "-w", folder.file("all.txt")}));
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

TEST_F(SimulateCommand, StandardOutputIsTheReportInTheFormatAskedFor) {
  EXPECT_THAT(run_assay(with(kSmallSimulation, "--format csv")).out,
              HasSubstr("\nexperiment,panel,"));
  EXPECT_THAT(run_assay(with(kSmallSimulation, "--format html")).out, HasSubstr("<!DOCTYPE html>"));
  EXPECT_TRUE(nlohmann::json::accept(run_assay(with(kSmallSimulation, "--format json")).out));
}

TEST_F(SimulateCommand, TheResultDoesNotDependOnTheNumberOfThreads) {
  const auto one = run_assay(with(kSmallSimulation, "--format json --threads 1"));
  const auto three = run_assay(with(kSmallSimulation, "--format json --threads 3"));
  EXPECT_EQ(without_meta(one.out), without_meta(three.out));
}

TEST_F(SimulateCommand, TheReproduceCommandMakesTheSameReport) {
  const auto first = run_assay(with(kSmallSimulation, "--regret realised --format json"));
  std::istringstream command(nlohmann::json::parse(first.out).at("reproduce").get<std::string>());
  Words words;
  for (std::string word; command >> word;) words.push_back(word);
  words.erase(words.begin());  // "assay"
  EXPECT_EQ(without_meta(run_assay(with(words, "--format json")).out), without_meta(first.out));
}

TEST_F(SimulateCommand, ParametersWithoutAFlagAreGivenAndReproducedByName) {
  const Words words =
      "simulate ftnl-deterministic --repetitions 4 --horizon 127 -p actions=7 -p gap=0.25";
  const auto first = run_expecting(0, with(words, "--format json"));
  const auto parsed = nlohmann::json::parse(first.out);
  EXPECT_EQ(parsed.at("reproduce"),
            "assay simulate ftnl-deterministic --repetitions 4 --horizon 127 -p actions=7 -p "
            "epsilon=1 -p gap=0.25 --seed 1");
}

TEST_F(SimulateCommand, CheckTellsWhatHoldsWhatFailsAndWhatIsUndecided) {
  run_expecting(0, "simulate ts-fig1 --check");
  const auto failing = run_expecting(1, "simulate ts-fig7 --check");
  EXPECT_THAT(failing.out, HasSubstr("does not hold: GDP's advantage"));
  run_expecting(0, "simulate ts-fig7");
  run_expecting(3, with(kSmallSimulation, "--check"));
}

TEST_F(SimulateCommand, TheFigureOfBestArmPoliciesNamesTheOutcomeThatDoesNotHold) {
  const auto run = run_expecting(1, "simulate bai-fig1 --horizon 100 --repetitions 20000 --check");
  EXPECT_THAT(run.out, HasSubstr("holds: DP-BAI outperforms Baseline"));
  EXPECT_THAT(run.out, HasSubstr("does not hold: DP-BAI outperforms DP-OD\n"));
  EXPECT_THAT(run.out, HasSubstr("not above at 1; least lead: DP-BAI 0.4"));
  run_expecting(3, "simulate bai-fig2 --horizon 100 --repetitions 5 --check");
}

TEST_F(SimulateCommand, FewRunsDecideNothingOfSparseBanditsAndGoOnFromTheirCheckpoint) {
  const Words words = {"simulate", "fliphat-fig2", "--horizon",
                       "200",      "--check",      "--repetitions",
                       "3",        "--checkpoint", folder.file("state")};
  const auto first = run_expecting(3, words);
  EXPECT_THAT(first.out, HasSubstr("undecided: regret is sublinear in T under either noise"));
  EXPECT_EQ(run_assay(words).out, first.out);
  expect_refused("simulate fliphat-fig1 -p iterations=theorem",
                 "iterations must be text or code, not theorem");
}

TEST_F(SimulateCommand, JsonFollowsTheCommittedSchema) {
  const auto file = folder.file("report.json");
  run_expecting(0, {"simulate", "ts-fig*", "--horizon", "400", "--repetitions", "2", "-w", file});
  expect_valid("simulation-report.schema.json", read_file(file));
}

// ---- checkpoints --------------------------------------------------------------------------------

// Long enough to be killed in the middle, short enough to be run again.
const Words kLonger = {"simulate", "ts-fig2",   "--repetitions",
                       "60",       "--horizon", kSanitized ? "5000" : "50000"};

TEST_F(SimulateCommand, KilledAtAnyMomentAndResumedItGivesTheSameBytes) {
  const auto write_to = [&](const std::string& name) {
    Words words;
    for (const std::string ending : {".csv", ".json", ".html"}) {
      words.push_back("-w");
      words.push_back(folder.file(name + ending));
    }
    return words;
  };
  run_expecting(0, with(kLonger, write_to("whole")));
  auto resumed = with(with(kLonger, write_to("resumed")), {"--checkpoint", folder.file("run.ck")});
  auto command = with(resumed, "--threads 1");
  command.insert(command.begin(), ASSAY_CLI);
  for (const int after : {300, 2300}) {
    const auto killed = run_command(command, std::chrono::milliseconds(after), SIGKILL);
    EXPECT_TRUE(killed.status == 128 + SIGKILL || killed.status == 0) << killed.err;
  }
  run_expecting(0, resumed);
  EXPECT_EQ(read_file(folder.file("resumed.csv")), read_file(folder.file("whole.csv")));
  EXPECT_EQ(without_meta(read_file(folder.file("resumed.json"))),
            without_meta(read_file(folder.file("whole.json"))));
  EXPECT_EQ(without_footer(read_file(folder.file("resumed.html"))),
            without_footer(read_file(folder.file("whole.html"))));
}

TEST_F(SimulateCommand, AnInterruptedRunSaysHowToResumeAndExitsWithThree) {
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
  void SetUp() override { run_expecting(0, with(kSmallSimulation, {"--checkpoint", file})); }

  const TemporaryFolder folder;
  const std::string file = folder.file("run.ck");
};

TEST_F(SimulateCheckpoint, OfAnotherRunIsRefusedAndKept) {
  const std::string before = read_file(file);
  const auto other =
      run_expecting(2, with(kSmallSimulation, {"--seed", "2", "--checkpoint", file}));
  EXPECT_THAT(other.err, HasSubstr(file));
  EXPECT_THAT(other.err, HasSubstr("seed 1"));
  EXPECT_EQ(read_file(file), before);
  // What is only drawn differently is the same run.
  run_expecting(0, with(kSmallSimulation, {"--regret", "realised", "--checkpoint", file}));
}

TEST_F(SimulateCheckpoint, ThatIsDamagedIsRefusedAndKept) {
  std::string bytes = read_file(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder.write("run.ck", bytes);
  expect_refused(with(kSmallSimulation, {"--checkpoint", file}), "run.ck: is damaged or truncated");
  EXPECT_EQ(read_file(file), bytes);
}

// ---- bad words ----------------------------------------------------------------------------------

TEST_F(SimulateCommand, BadWordsAreRefusedByName) {
  expect_each_refused(
      "simulate",
      {{{}, "no experiment is selected"},
       {"ts-fgi2", "did you mean 'ts-fig2'"},
       {"best-arm-*", "'best-arm-*' selects no experiment"},
       {"ts-fig2 --repetitions 0", "--repetitions must be 2 to 1e+06, not 0"},
       {"ts-fig2 --repetitions many", "--repetitions must be a whole number, not 'many'"},
       {"ts-fig2 --horizon 10", "--horizon must be 100 to 1e+09, not 10"},
       {"ts-fig2 --seed -1", "--seed must be 0 to 9e+15, not -1"},
       {"ts-fig2 --regret total", "--regret must be pseudo | realised, not 'total'"},
       {"ts-fig1 --repetitions 5", "--repetitions is not a parameter of any selected experiment"},
       {"ftnl-deterministic -p actions=2", "-p actions must be 3 to 1000, not 2"},
       {"ftnl-resampling -p gap=0.2", "-p gap is not a parameter of any selected experiment"},
       {"ftnl-gap --horizon 200 -p horizon=300", "-p horizon and --horizon are the same parameter"},
       {"ftnl-gap -p actions", "-p takes key=value, not 'actions'"},
       {{"ts-fig1", "--threads", "0"}, "--threads must be 1 to 4096, not 0"},
       {"ts-fig1 --threads 4097", "--threads must be 1 to 4096, not 4097"},
       {{"ts-fig1", "--format", "pdf"}, "format must be text, csv, json or html"},
       {"ts-fig1 -w figure.svg", ".txt, .csv, .json or .html"},
       {"ts-fig1 -w /no/such/folder/figure.html", "/no/such/folder/figure.html: cannot write"},
       {"ts-fig1 --output /dev/null/x", "/dev/null/x"},
       {"ts-fig2 --checkpoint /no/such/folder/run.ck",
        "/no/such/folder/run.ck: the checkpoint cannot be written"},
       {"ts-fig1 --colour", "--colour"}});
}

TEST(OtherCommands, ListAndExplainKnowTheExperiments) {
  const auto list = run_expecting(0, "list experiments");
  EXPECT_THAT(list.out, HasSubstr("ts-fig8"));
  const auto explained = run_expecting(0, "explain ts-fig2");
  EXPECT_THAT(explained.out, HasSubstr("repetitions"));
  EXPECT_THAT(explained.out, HasSubstr("Figure 2"));
  expect_refused("explain ts-fig22", "did you mean 'ts-fig2'");
}

}  // namespace
}  // namespace assay

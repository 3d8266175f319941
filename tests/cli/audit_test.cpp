// The `audit` subcommand as a user meets it: verdicts,
// exit codes, formats, determinism, interruption.
#include <chrono>
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const Words kPrintedFtnl =
    "ftnl -p actions=2 -p noise=exponential -p calibration=paper -p epsilon=1 --claim eps=1";
const Words kSmallAudit = "audit thompson-sampling -p arms=2 -p horizon=6";

class AuditCommand : public InAFolder {};

TEST_F(AuditCommand, ThePapersClaimIsVerifiedForAllPairsByTheAugmentedRelease) {
  const auto run = run_expecting(0, with(kSmallAudit, "--claim mu=sqrt(T/2)"));
  EXPECT_THAT(run.out, HasSubstr("Verified"));
  EXPECT_THAT(run.out, HasSubstr("every pair"));
}

TEST_F(AuditCommand, AClaimBelowTheTruthIsViolatedWithExitCodeOne) {
  const auto run = run_expecting(1, with(kSmallAudit, "--claim eps=0.1,delta=1e-6"));
  EXPECT_THAT(run.out, HasSubstr("Violated"));
  EXPECT_THAT(run.out, HasSubstr("assay audit thompson-sampling"));
}

TEST_F(AuditCommand, AClaimAboveTheExactTruthOfTheWorstPairIsVerifiedForThatPairOnly) {
  // mu of the augmented release is 0.5 sqrt(5) = 1.58, but an exact pair loses far less.
  const auto run = run_expecting(0, with(kSmallAudit, "--claim eps=1.2,delta=0.07 --format json"));
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict").get<std::string>(), "Verified") << run.out;
}

TEST_F(AuditCommand, WithoutAClaimThePolicysOwnGuaranteeIsAudited) {
  const auto run = run_expecting(0, with(kSmallAudit, "-p calibration=paper"));
  EXPECT_THAT(run.out, HasSubstr("mu=1.7320508"));
}

TEST_F(AuditCommand, TheSeedDoesNotDependOnTheClaim) {
  const auto one = run_assay(with(kSmallAudit, "--claim eps=1 --format json"));
  const auto two = run_assay(with(kSmallAudit, "--claim mu=1 --format json"));
  EXPECT_EQ(nlohmann::json::parse(one.out).at("seed"), nlohmann::json::parse(two.out).at("seed"));
}

TEST_F(AuditCommand, WritesEveryFormatBesideTheTextOnTheTerminal) {
  const auto run =
      run_assay(with(kSmallAudit, {"--claim", "mu=1", "-w", folder.file("r.json"), "-w",
                                   folder.file("r.html"), "-w", folder.file("r.txt")}));
  EXPECT_NE(run.status, 2) << run.err;
  EXPECT_EQ(run.out, read_file(folder.file("r.txt")));
  EXPECT_TRUE(nlohmann::json::accept(read_file(folder.file("r.json"))));
  EXPECT_THAT(read_file(folder.file("r.html")), HasSubstr("<svg"));
}

TEST_F(AuditCommand, AuditingARecordedStreamSearchesPositionAndValueOnly) {
  const auto file = folder.write("rewards.csv", "0.5\n0.25\n1\n0\n0.75\n0.5\n");
  const auto run =
      run_assay(with(kSmallAudit, {"--input", file, "--claim", "mu=1", "--format", "json"}));
  ASSERT_NE(run.status, 2) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const auto stream = json.at("worst_pair").at("base_input").get<std::vector<double>>();
  EXPECT_EQ(stream, (std::vector<double>{0.5, 0.25, 1, 0, 0.75, 0.5}));
}

TEST_F(AuditCommand, AnInterruptedRunStillReportsAndSaysInconclusive) {
  const auto run =
      run_command({ASSAY_CLI, "audit", "thompson-sampling", "-p", "arms=5", "-p", "horizon=200",
                   "--claim", "eps=30,delta=1e-9", "--samples", "50000000", "--format", "json"},
                  std::chrono::milliseconds(6000));
  EXPECT_EQ(run.status, 3) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("verdict").get<std::string>(), "Inconclusive");
}

TEST_F(AuditCommand, JsonOfEveryMethodFollowsTheCommittedSchema) {
  for (const char* words :
       {"--claim eps=1", "--claim eps=0.4,delta=0.01 --method likelihood --samples 1024",
        "--claim mu=0.2 --method likelihood --samples 1024"}) {
    const auto run = run_assay(with(with(kSmallAudit, words), "--format json"));
    EXPECT_LE(run.status, 1) << run.err;
    expect_valid("audit-report.schema.json", run.out);
  }
}

struct Repeated {
  Words words;
  std::size_t stream = 0;  // numbers of either input of the worst pair; 0: not compared
};

// On any number of threads, too.
TEST_F(AuditCommand, TheReproduceCommandMakesTheSameReport) {
  const auto file = folder.write("pair.txt", "# neighbours\n0, 0.3\n1 0.3\n");
  const auto laplace = with("laplace -p answers=2 --claim eps=0.5 --input", {file});
  const std::string few = kSanitized ? "200" : "1000", some = kSanitized ? "300" : "1500";
  for (const auto& [words, stream] : std::vector<Repeated>{
           {"thompson-sampling -p arms=3 -p horizon=20 --claim eps=0.3,delta=1e-3 --samples 2048"},
           {"thompson-sampling -p arms=3 -p horizon=30 --claim mu=1 --samples " + some},
           {kPrintedFtnl},
           {with(laplace, "--method exact"), 2},
           {with(laplace, "--method likelihood --samples 1000"), 2},
           {with(laplace, "--method events --samples 1000"), 2},
           {"dp-bai -p arms=20 -p dimension=4 -p budget=400 --method release --samples " + some},
           {"ebs-local -p horizon=400 -p epsilon=3 -p delta=0.5 --claim eps=0.2 --search 14 "
            "--samples " +
                few,
            1600},
           {"fliphat -p horizon=32 -p dimension=3 -p epsilon=8 --claim eps=1,delta=0 --search 12 "
            "--samples " +
                few,
            32 * 8}}) {
    SCOPED_TRACE(words[0]);
    const auto report = without_meta(run_audit(with(words, "--format json --threads 3")).out);
    auto again = Words(report.at("reproduce").get<std::string>());
    again.erase(again.begin());  // "assay"
    EXPECT_EQ(without_meta(run_assay(with(again, "--format json --threads 1")).out), report);
    if (stream == 0) continue;
    EXPECT_EQ(report.at("worst_pair").at("base_input").size(), stream);
    EXPECT_EQ(report.at("worst_pair").at("neighbour_input").size(), stream);
  }
}

TEST_F(AuditCommand, APolicyWithoutNoiseIsViolatedInEveryFormat) {
  for (const auto& [words, text] : std::vector<std::pair<Words, std::string>>{
           {"od-linbai --claim eps=5", "the largest loss is infinite on the worst pair found"},
           {"sequential-halving --claim eps=5",
            "the largest loss is infinite on the worst pair found"},
           {"ebs-non-private -p horizon=400 --claim eps=2 --samples 2000", ""},
           {"iht-bandit -p horizon=32 --claim eps=2 --samples 500", "round 2 of 32: arm 0: "}}) {
    for (const std::string format : {"text", "json", "html"}) {
      const auto run = audit_expecting(1, with(words, {"--format", format}));
      EXPECT_EQ(run.err, "");
      EXPECT_THAT(run.out, AllOf(HasSubstr("Violated"), Not(HasSubstr("\"Minf"))));
      EXPECT_THAT(run.out, HasSubstr(format == "text" ? text : ""));
    }
  }
}

TEST_F(AuditCommand, ATimeBudgetOfAReleaseIsKept) {
  for (const char* words :
       {"dp-bai -p arms=200 -p dimension=8 -p budget=10000 --method release --time 1",
        "dp-ebs -p horizon=200000 --time 1"}) {
    const auto started = std::chrono::steady_clock::now();
    const auto run = audit_expecting(0, words);  // by the proof of all pairs
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
    EXPECT_THAT(run.out, AllOf(HasSubstr("Method      release, "), HasSubstr("--samples")));
  }
}

TEST_F(AuditCommand, ATimeBudgetBecomesSamplesThatTheReproduceCommandNames) {
  const auto run = run_expecting(
      0,
      "audit thompson-sampling -p arms=2 -p horizon=40 --claim eps=9,delta=0.5 --time 0.5 "
      "--format json");
  const auto json = nlohmann::json::parse(run.out);
  const auto planned = json.at("samples_planned").get<std::int64_t>();
  EXPECT_GT(planned, 0);
  EXPECT_THAT(json.at("reproduce").get<std::string>(),
              HasSubstr("--samples " + std::to_string(planned)));
}

TEST_F(AuditCommand, StopsAsSoonAsTheClaimIsRefutedWhenAsked) {
  const auto run = run_expecting(
      1,
      "audit thompson-sampling -p arms=2 -p horizon=40 --claim eps=0.1,delta=1e-6 --samples 40960 "
      "--stop-when-decided --format json");
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LT(json.at("samples").get<std::int64_t>(), 40960);
}

TEST_F(AuditCommand, ARunThatIsCutShortIsReproducedByStopAfter) {
  const Words words =
      "audit thompson-sampling -p arms=2 -p horizon=40 --claim eps=30,delta=1e-9 --samples 4096 "
      "--format json --stop-after 1024";
  const auto one = run_assay(words);
  const auto two = run_assay(words);
  EXPECT_EQ(one.status, 3) << one.err;
  EXPECT_EQ(without_meta(one.out), without_meta(two.out));
  EXPECT_THAT(without_meta(one.out).at("reproduce").get<std::string>(),
              HasSubstr("--stop-after 1024"));
}

TEST_F(AuditCommand, StandardOutputCarriesOnlyTheReport) {
  const auto run = run_assay(with(kSmallAudit, "--claim mu=1 --format json"));
  EXPECT_TRUE(nlohmann::json::accept(run.out));
  EXPECT_EQ(run.err, "");
}

TEST_F(AuditCommand, BadWordsAreRefusedByName) {
  expect_each_refused(
      kSmallAudit,
      {{"-p armz=2", "did you mean 'arms'"},
       {"-p arms=3", "'arms' is given twice"},
       {"-p variance", "-p takes key=value"},
       {"-p variance=nan", "variance must be a finite number"},
       {"-p variance=0.5", "variance must be 1 to"},
       {"-p pre_pulls=4", "pre_pulls"},
       {"--claim mu=1,eps=1", "mu"},
       {"--claim delta=1e-6", "eps"},
       {"--claim eps=1,delta=2", "delta"},
       {"--claim eps=-1", "eps"},
       {"--claim mu=sqrt(Q)", "'Q'"},
       {"--confidence 1", "confidence must be"},
       {"--method guess", "--method must be"},
       {"--format pdf", "format must be text, json or html"},
       {"--samples 10 --time 1", "contradict"},
       {"--threads 0", "--threads must be 1 to 4096, not 0"},
       {"--colour", "--colour"},
       {"-w report.pdf", ".txt, .json or .html"},
       {"-w /no/such/folder/report.html", "cannot write the report here"},
       {"--column x", "--column is for a case that reads a stream of rewards from --input"},
       {"--input /no/such/rewards.csv", "/no/such/rewards.csv"}});
  expect_each_refused(
      "", {{"audit thomson-sampling", "did you mean 'thompson-sampling'"},
           {"audit", "audit needs a case (`assay list cases` names them) or a target"},
           {"audit thompson-sampling -p horizon=0", "horizon must be 1 to"},
           {"audit thompson-sampling -p arms=2.5", "arms must be a whole number"},
           {"audit thompson-sampling -p arms=5 -p horizon=100 --method exact", "2^24"}});
}

struct BadRewards {
  std::string text;
  Words more;
  std::string message;
};

TEST_F(AuditCommand, AProgramInThePlaceOfACaseIsAnsweredWithTheCommandThatWasMeant) {
  const std::string file = folder.write("program", "");
  struct Given {
    Words words;
    std::string hint, claim;
  };
  for (const auto& [words, hint, claim] : std::vector<Given>{
           {{"python3 p.py", "--arms", "3", "--claim", "eps=2"},
            "--exec names a program:\n  assay audit --exec 'python3 p.py' --arms 3 ",
            " --claim eps=2\n"},
           {{"p.py"}, "assay audit --exec 'python3 p.py' ", " --claim eps=1\n"},
           {{file}, "assay audit --exec " + file + " ", " --claim eps=1\n"},
           {{"./libp.so", "--horizon", "9"},
            "--plugin names a shared library:\n  assay audit --plugin ./libp.so --horizon 9 ",
            " --claim eps=1\n"}}) {
    const auto run = run_expecting(2, with("audit", words));
    EXPECT_THAT(run.err, AllOf(HasSubstr("' is no case"), HasSubstr(hint), HasSubstr(claim)));
  }
  EXPECT_THAT(run_expecting(2, "audit laplce").err, HasSubstr("did you mean 'laplace'?"));
}

TEST_F(AuditCommand, ErrorsAboutParametersAreInTheWordsOfTheCommandLine) {
  expect_each_refused(
      "audit",
      {{"laplace -p sensitivity=-1",
        "assay: -p sensitivity=-1: sensitivity must be 1e-09 to 1e+09, not -1"},
       {"laplace -p sensitivity=x", "-p sensitivity=x: sensitivity must be a number, not 'x'"},
       {"laplace -p sensitivty=1", "-p sensitivty=1: unknown parameter 'sensitivty'"}});
}

TEST_F(AuditCommand, BadRewardsAreRefusedWithFileAndLine) {
  const BadRewards rows[] = {{"0\n1\nnan\n0\n0\n0\n", {}, ":3:"},
                             {"0\ninf\n0\n0\n0\n0\n", {}, ":2:"},
                             {"0\n0\n0\n1.5\n0\n0\n", {}, ":4:"},
                             {"-0.1\n0\n0\n0\n0\n0\n", {}, ":1:"},
                             {"", {}, "no rewards"},
                             {"0\nhigh\n0\n0\n0\n0\n", {}, "high"},
                             {"0\n1\n0\n", {}, "horizon is 6"},
                             {"a,b\n0,1\n", "--column c", "'c'"}};
  for (const auto& [text, more, message] : rows) {
    const auto file = folder.write("rewards.csv", text);
    const auto run = run_expecting(2, with(with(kSmallAudit, {"--input", file}), more));
    EXPECT_THAT(run.err, AllOf(HasSubstr("rewards.csv"), HasSubstr(message)));
  }
}

TEST(OtherCommands, VersionSaysVersionAndBuild) {
  const auto run = run_expecting(0, "--version");
  EXPECT_THAT(run.out, HasSubstr("assay 0."));
}

TEST(OtherCommands, AnOptionGivenAsACommandIsNamed) {
  EXPECT_THAT(run_expecting(2, "version").err,
              HasSubstr("there is no command 'assay version'; `assay --version` is an option"));
}

TEST(OtherCommands, NoSubcommandIsAUsageError) { run_expecting(2, {}); }

TEST(OtherCommands, HelpGoesToStandardOutput) {
  const auto run = run_expecting(0, "audit --help");
  EXPECT_THAT(run.out, HasSubstr("--claim"));
}

TEST(OtherCommands, ListNamesTheCasesAndRefusesUnknownKinds) {
  EXPECT_THAT(run_assay("list").out, HasSubstr("thompson-sampling"));
  expect_refused("list casses", "did you mean 'cases'");
}

TEST(OtherCommands, ExplainKnowsTheWordsOfBetsAndOfComparisons) {
  for (const auto& [word, text] : std::vector<std::pair<std::string, std::string>>{
           {"bets", "the wealth of a bettor"},
           {"ucb1", "the usual bandit policy without privacy"},
           {"spread", "how far apart values lie"}}) {
    EXPECT_THAT(run_expecting(0, "explain " + word).out, HasSubstr(text));
  }
}

TEST(OtherCommands, ExplainShowsParametersAndClaims) {
  const auto run = run_expecting(0, "explain thompson-sampling");
  EXPECT_THAT(run.out, HasSubstr("pre_pulls"));
  EXPECT_THAT(run.out, HasSubstr("mu=sqrt(T/2)"));
}

}  // namespace
}  // namespace assay

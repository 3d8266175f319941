// What the command answers to those who do not know it yet: help, words, and words mistyped.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

struct Mistyped {
  Words words;
  std::string message;
};

TEST(Words, MistypedSayWhatWasMeantAndWhereToReadOn) {
  for (
      const auto& bad : std::vector<Mistyped>{
          {{}, "assay needs a command, one of: audit, try, verify, "},
          {{}, "\n  `assay --help` says more"},
          {{}, "`assay audit laplace --claim eps=1` audits a mechanism"},
          {"audti laplace", "there is no command 'assay audti'; did you mean 'audit'?"},
          {"nonsense", "there is no command 'assay nonsense'; known: audit, "},
          {"--verison", "unknown option '--verison'; did you mean '--version'?"},
          {"audit laplace --calim eps=1",
           "unknown option '--calim'; did you mean '--claim'?\n  `assay audit --help` says more"},
          {"audit --exec a --hoirzon=7", "unknown option '--hoirzon'; did you mean '--horizon'?"},
          {"suite", "assay suite needs a command, one of: run, "},
          {"suite rnu", "there is no command 'assay suite rnu'; did you mean 'run'?"},
          {"help audti", "there is no command 'assay audti'; did you mean 'audit'?"},
          {"explain mu eps",
           "'eps' is one argument too many for assay explain; quotes keep words together"},
          {"try laplace", "and --exec COMMAND names a program"},
          {"explain xyzzyx",
           "nothing is called 'xyzzyx'; `assay explain` lists the words, `assay list` the names\n"},
          {"explain legder", "nothing is called 'legder'; did you mean 'ledger'?"}}) {
    const auto run = run_expecting(2, bad.words);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, StartsWith("assay: "));
    EXPECT_THAT(run.err, HasSubstr(bad.message));
  }
}

TEST(Words, HelpIsWhatTheHelpOptionSays) {
  const auto overview = run_expecting(0, "help");
  EXPECT_EQ(overview.out, run_assay("--help").out);
  EXPECT_EQ(overview.out, run_assay("help help").out);
  EXPECT_EQ(run_assay("help audit").out, run_assay("audit --help").out);
  EXPECT_EQ(run_assay("help suite run").out, run_assay("suite run --help").out);
}

TEST(Words, AreExplainedByEitherName) {
  const auto words = run_expecting(0, "explain");
  for (const char* word : {"mu", "eps", "delta", "e-value", "witness", "view", "ledger", "claim",
                           "verdict", "pair", "relation", "confidence", "strength"}) {
    EXPECT_THAT(words.out, HasSubstr("\n  " + std::string(word) + " "));
    const auto one = run_expecting(0, {"explain", word});
    EXPECT_THAT(one.out, StartsWith(std::string(word) + ": "));
  }
  EXPECT_THAT(run_assay("explain epsilon").out,
              HasSubstr("P(E) <= e^eps Q(E) + delta for every event E"));
}

TEST(Words, AreExplainedAsReportsWriteThem) {
  for (const auto& [written, id] :
       std::vector<std::pair<std::string, std::string>>{{"Violated", "verdict"},
                                                        {"NotRefuted", "verdict"},
                                                        {"not refuted", "verdict"},
                                                        {"MU", "mu"},
                                                        {"Alpha ledger", "ledger"},
                                                        {"Weak", "strength"},
                                                        {"neighbour", "relation"},
                                                        {"Report Noisy Max", "report-noisy-max"}}) {
    const auto run = run_expecting(0, {"explain", written});
    EXPECT_THAT(run.out, StartsWith(id + ": "));
  }
}

const Words kLaplace = "audit laplace -p epsilon=2";

Words laplace(const Words& more) { return with(kLaplace, more); }

TEST(Quiet, PrintsTheHeadlineAloneAndWritesFilesWhole) {
  const TemporaryFolder folder;
  const auto run =
      run_expecting(1, laplace({"--claim", "eps=1", "--quiet", "-w", folder.file("report.txt")}));
  EXPECT_EQ(run.out, "Violated: eps at delta = 0 is at least 1.9999; the claim allows 1\n");
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(read_file(folder.file("report.txt")), HasSubstr("\nReproduce   assay audit laplace"));
  expect_refused(laplace("--quiet --format json"),
                 "--quiet and --format json contradict each other");
}

TEST(Quiet, OfClaimsAndSuitesPrintsTheirSummary) {
  const auto claims = run_assay("verify ts-step-gdp --quiet");
  EXPECT_EQ(claims.out, "1 claim: 1 Holds.\n");
  const TemporaryFolder folder;
  const auto suite =
      folder.write("suite.toml",
                   "schema = \"assay.suite/1\"\nname = \"s\"\n\n[[audit]]\nid = \"a\"\ncase = "
                   "\"laplace\"\nclaim = \"eps=1\"\nparameters = {epsilon = 1}\n");
  const auto run = run_expecting(0, {"suite", "run", suite, "--history", "none", "--quiet"});
  EXPECT_EQ(run.out, "Nothing fails. Of 1 entry 1 held.\n");
}

// A program that ends at once leaves nothing to report but that.
TEST(Failures, AreWrittenAsJsonAndAsAPage) {
  const TemporaryFolder folder;
  const std::string json = folder.file("report.json"), page = folder.file("report.html");
  const auto run =
      run_expecting(4, {"audit", "--exec", "/bin/false", "--kind", "mechanism", "--claim", "eps=1",
                        "--format", "json", "-w", json, "-w", page});
  EXPECT_THAT(run.err, StartsWith("assay: "));
  EXPECT_EQ(run.out, read_file(json));
  const auto document = nlohmann::json::parse(run.out);
  EXPECT_EQ(document.at("schema"), "assay.error/1");
  EXPECT_EQ(document.at("error").at("code"), "target");
  expect_valid("error.schema.json", read_file(json));
  expect_page(read_file(page));
}

// What is wrong with the request writes nothing: an older report stays.
TEST(Failures, OfUsageLeaveAnOlderReport) {
  const TemporaryFolder folder;
  const auto older = folder.write("report.json", "older");
  run_expecting(2, laplace({"--claim", "eps=nonsense", "-w", older}));
  EXPECT_EQ(read_file(older), "older");
}

}  // namespace
}  // namespace assay

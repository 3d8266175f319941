// The `verify` subcommand as a user meets it: selection, exit codes, messages, certificates, and the
// page of findings that it writes.
#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// The claims that docs/findings.md speaks of, with those that could join them cheaply.
const Words kFindings =
    "rnm-* ts-step-* ts-advanced ts-eq27 mts-pulls mts-lemma* ftnl-dp-exponential softmax-* "
    "ftnl-det-* ftnl-conjecture bai-* dp-od-* tree-* ebs-* duel-* gopt-confidence niht-* peel-dp "
    "peel-contraction* fliphat-jdp* clip-inactive sparse-lower";

Words verify(const Words& words) { return with("verify", words); }

class VerifyCommand : public InAFolder {};

TEST_F(VerifyCommand, AKnownErrorFoundAgainIsExpected) {
  const auto run = run_expecting(0, verify("ts-step-dp --effort 0.1"));
  EXPECT_THAT(run.out, StartsWith("ts-step-dp  Refuted, as known"));
  EXPECT_THAT(run.out, HasSubstr("1 claim: 1 Refuted."));
  EXPECT_EQ(run.err, "");
}

TEST_F(VerifyCommand, StrictFailsOnIt) {
  run_expecting(1, verify("ts-step-dp --effort 0.1 --strict"));
  run_expecting(0, verify("ts-step-gdp --effort 0.1 --strict"));
}

TEST_F(VerifyCommand, EveryClaimGetsTheVerdictItsRegistryExpects) {
  // Sanitizers need three minutes for all.
  const auto run = run_expecting(
      0, kSanitized ? verify("rnm-* bai-* peel-* --effort 0.02") : verify("--effort 0.1"));
  EXPECT_THAT(run.out, Not(HasSubstr("The registry expects another verdict")));
}

TEST_F(VerifyCommand, WritesCertificatesThatCheckOut) {
  run_expecting(0, verify({"rnm-*", "ts-step-*", "ts-eq27", "--effort", "0.1", "--certificates",
                           folder.file("new/folder")}));
  EXPECT_FALSE(std::filesystem::exists(folder.file("new/folder/ts-step-gdp.json")));
  run_expecting(
      0, {"check-certificate", folder.file("new/folder/ts-step-dp.json"),
          folder.file("new/folder/rnm-hetero-gauss.json"), folder.file("new/folder/ts-eq27.json")});
}

TEST_F(VerifyCommand, JsonNamesVerdictAndExpectation) {
  const auto run = run_expecting(0, verify("ts-step-dp --effort 0.1 --format json"));
  const auto claim = nlohmann::json::parse(run.out).at("claims").at(0);
  EXPECT_EQ(claim.at("verdict"), "Refuted");
  EXPECT_EQ(claim.at("expected"), "Refuted");
  EXPECT_EQ(claim.at("certificate").at("claim"), "ts-step-dp");
}

TEST_F(VerifyCommand, TheThreadsDoNotChangeTheReport) {
  const auto one = run_assay(verify("gdp-* ts-step-* --effort 0.1 --format markdown --threads 1"));
  const auto two = run_assay(verify("gdp-* ts-step-* --effort 0.1 --format markdown --threads 2"));
  EXPECT_EQ(one.out, two.out);
}

TEST_F(VerifyCommand, MarkdownReportsTheClaimsThatRan) {
  const auto page = folder.file("holds.md");
  run_expecting(0, verify({"bai-dp", "-w", page}));
  const std::string text = read_file(page);
  EXPECT_THAT(text, AllOf(HasSubstr("bai-dp: Holds"), HasSubstr("Proposition 4.1"),
                          HasSubstr("Zhirui Chen, P. N. Karthik"), HasSubstr("1 Holds")));
  EXPECT_THAT(text, Not(HasSubstr("did not survive a check")));
  EXPECT_THAT(text, Not(HasSubstr("certificates/")));
  EXPECT_THAT(run_expecting(0, verify("ts-step-dp --effort 0.1 --format markdown")).out,
              AllOf(HasSubstr("Refuted"), Not(HasSubstr("certificates/"))));
}

TEST_F(VerifyCommand, NamesThePaperTheBuildAndTheCommandThatReproducesIt) {
  const auto run = run_expecting(0, verify("ts-step-dp --effort 0.1 --seed 3"));
  EXPECT_THAT(run.out, HasSubstr("Theorem 7, in our wording; Tingting Ou"));
  EXPECT_THAT(run.out, HasSubstr("\nAssay       0."));
  EXPECT_THAT(run.out, HasSubstr("Reproduce   assay verify ts-step-dp --effort 0.1 --seed 3"));
  const auto json = nlohmann::json::parse(run_expecting(0, verify("bai-dp --format json")).out);
  const auto source = json.at("claims").at(0).at("source");
  EXPECT_EQ(source.at("arxiv"), "2401.09073v1");
  EXPECT_EQ(source.at("year"), 2024);
  EXPECT_THAT(json.at("reproduce").get<std::string>(), HasSubstr("assay verify bai-dp"));
}

TEST_F(VerifyCommand, QuietNamesTheClaimsThatDoNotHold) {
  const auto run = run_expecting(0, verify("ts-step-* --effort 0.1 --quiet"));
  EXPECT_THAT(run.out, HasSubstr("\nRefuted: ts-step-dp"));
  EXPECT_THAT(run.out, Not(HasSubstr("Because")));
}

TEST_F(VerifyCommand, DocsFindingsIsWhatItWrites) {
  std::string words;
  for (const auto& claim : kFindings) words += " '" + claim + "'";
  const auto run =
      run_command({"/bin/sh", "-c",
                   "cd '" + folder.path().string() + "' && mkdir docs && " ASSAY_CLI " verify" +
                       words + " --quiet --findings docs/findings.md"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_file(folder.file("docs/findings.md")),
            read_file(ASSAY_SOURCE_DIR "/docs/findings.md"))
      << "make it again: assay verify --findings docs/findings.md";
  int certificates = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.path() / "docs/certificates")) {
    const auto name = entry.path().filename().string();
    EXPECT_EQ(read_file(entry.path()), read_file(ASSAY_SOURCE_DIR "/docs/certificates/" + name))
        << name;
    ++certificates;
  }
  EXPECT_EQ(certificates, 35);
}

// The plots on that page, and their numbers. What the classical constant is stated to be enough for
// fails; that the dueling constants do nothing at practical horizons holds, and that FLIPHAT's noise is
// too small for its level.
TEST_F(VerifyCommand, TheFiguresInDocsAreWhatTheirExperimentsDraw) {
  for (const auto& [id, status] : {std::pair{"bai-gauss-map", 1}, std::pair{"duel-phases", 0},
                                   std::pair{"fliphat-peeling", 0}}) {
    const TemporaryFolder folder;
    const auto run = run_assay({"simulate", id, "--output", folder.path().string(), "--check"});
    EXPECT_EQ(run.status, status) << run.err;
    const std::string drawn = std::string(ASSAY_SOURCE_DIR "/docs/figures/") + id;
    EXPECT_EQ(read_file(folder.path() / (std::string(id) + ".csv")), read_file(drawn + ".csv"));
    auto svg = read_file(drawn + ".svg");
    ASSERT_FALSE(svg.empty());
    svg.pop_back();  // the last line break
    EXPECT_NE(read_file(folder.path() / (std::string(id) + ".html")).find(svg), std::string::npos)
        << id << ".svg is the plot of its page, from <svg to </svg>";
  }
}

TEST_F(VerifyCommand, BadInputIsNamedAndLeavesNothingBehind) {
  const std::string file = folder.write("file", "x");
  expect_each_refused(
      "verify", {{"ts-nothing-of-this", "unknown claim 'ts-nothing-of-this'; known: ts-step-gdp"},
                 {"nothing", "unknown claim 'nothing'; `assay list claims` lists them"},
                 {"ts-gpd", "unknown claim 'ts-gpd'; did you mean 'ts-gdp'?"},
                 {"ts-* qq*", "no claim matches 'qq*'; `assay list claims` lists them"},
                 {"--effort 0", "effort must be 0.01 to 1000, not 0"},
                 {"--effort much", "--effort"},
                 {"--confidence 1", "confidence must be at least 0.5 and below 1, not 1"},
                 {"--seed -1", "--seed must be at least 0, not -1"},
                 {"--threads 0", "--threads must be 1 to 4096, not 0"},
                 {"--format pdf", "--format must be text, json or markdown, not 'pdf'"},
                 {{"--certificates", file}, "cannot make this folder"}});
  EXPECT_EQ(read_file(file), "x");
}

TEST_F(VerifyCommand, AnInterruptedRunSaysWhatItDidNotCheck) {
  const auto run = run_command({ASSAY_CLI, "verify", "--effort", "1000", "--threads", "1"},
                               std::chrono::milliseconds(700));
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.out, HasSubstr("claims were not checked"));
}

TEST(ListCommand, NamesEveryClaim) {
  const auto run = run_expecting(0, "list claims");
  EXPECT_THAT(run.out, HasSubstr("rnm-hetero-gauss            Refuted      Thompson Sampling: "
                                 "Theorem 6 (analytic)\n"));
}

TEST(ExplainCommand, KnowsGroupsVerdictsAndTheClaimsOfACase) {
  EXPECT_THAT(run_expecting(0, "list groups").out, HasSubstr("additive"));
  EXPECT_THAT(run_expecting(0, "explain additive").out,
              AllOf(HasSubstr("discrete-gaussian"), HasSubstr("histogram: in one"),
                    HasSubstr("assay bench additive")));
  EXPECT_THAT(run_expecting(0, "explain dp-od").out, HasSubstr("dp-od-literal"));
  EXPECT_THAT(run_expecting(0, "explain exponential").out,
              HasSubstr("Neighbours  every answer moves by at most `sensitivity`\n"));
  for (const char* verdict : {"Refuted", "Holds"}) {
    EXPECT_THAT(run_expecting(0, {"explain", verdict}).out, StartsWith("verdict: "));
  }
  EXPECT_THAT(run_expecting(0, "explain neighbors").out, StartsWith("relation: "));
}

TEST(ExplainCommand, TellsAClaimInFull) {
  const auto run = run_expecting(0, "explain ts-advanced");
  EXPECT_THAT(run.out, HasSubstr("Corollary 1"));
  EXPECT_THAT(run.out, HasSubstr("Rests on    ts-step-dp"));
  EXPECT_THAT(run.out, HasSubstr("assay verify ts-advanced"));
  expect_refused("explain ts-advnced", "did you mean 'ts-advanced'?");
}

}  // namespace
}  // namespace assay

// The `verify` subcommand as a user meets it: selection, exit codes, messages, certificates, and the
// page of findings that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The claims that docs/findings.md speaks of, with those that could join them cheaply.
const std::vector<std::string> kFindings{"rnm-*",
                                         "ts-step-*",
                                         "ts-advanced",
                                         "ts-eq27",
                                         "mts-pulls",
                                         "mts-lemma*",
                                         "ftnl-dp-exponential",
                                         "softmax-*",
                                         "ftnl-det-*",
                                         "ftnl-conjecture",
                                         "bai-*",
                                         "dp-od-*",
                                         "ebs-*",
                                         "duel-*",
                                         "gopt-confidence",
                                         "niht-*",
                                         "peel-dp",
                                         "fliphat-jdp*",
                                         "clip-inactive",
                                         "sparse-lower"};

std::vector<std::string> verify(std::vector<std::string> words) {
  words.insert(words.begin(), "verify");
  return words;
}

TEST(VerifyCommand, AKnownErrorFoundAgainIsExpected) {
  const auto run = run_assay(verify({"ts-step-dp", "--effort", "0.1"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("ts-step-dp  Refuted, as known"));
  EXPECT_THAT(run.out, HasSubstr("1 claim: 1 Refuted."));
  EXPECT_EQ(run.err, "");
}

TEST(VerifyCommand, StrictFailsOnIt) {
  EXPECT_EQ(run_assay(verify({"ts-step-dp", "--effort", "0.1", "--strict"})).status, 1);
  EXPECT_EQ(run_assay(verify({"ts-step-gdp", "--effort", "0.1", "--strict"})).status, 0);
}

TEST(VerifyCommand, EveryClaimGetsTheVerdictItsRegistryExpects) {
  // Sanitizers need three minutes for all.
  const auto run = run_assay(kSanitized ? verify({"rnm-*", "bai-*", "peel-*", "--effort", "0.02"})
                                        : verify({"--effort", "0.1"}));
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("Not as the registry expects")));
}

TEST(VerifyCommand, WritesCertificatesThatCheckOut) {
  const TemporaryFolder folder;
  const auto run = run_assay(verify({"rnm-*", "ts-step-*", "ts-eq27", "--effort", "0.1",
                                     "--certificates", folder.file("new/folder")}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("new/folder/ts-step-gdp.json")));
  const auto check = run_assay({"check-certificate", folder.file("new/folder/ts-step-dp.json"),
                                folder.file("new/folder/rnm-hetero-gauss.json"),
                                folder.file("new/folder/ts-eq27.json")});
  EXPECT_EQ(check.status, 0) << check.err;
}

TEST(VerifyCommand, JsonNamesVerdictAndExpectation) {
  const auto run = run_assay(verify({"ts-step-dp", "--effort", "0.1", "--format", "json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const auto claim = nlohmann::json::parse(run.out).at("claims").at(0);
  EXPECT_EQ(claim.at("verdict"), "Refuted");
  EXPECT_EQ(claim.at("expected"), "Refuted");
  EXPECT_EQ(claim.at("certificate").at("claim"), "ts-step-dp");
}

TEST(VerifyCommand, TheThreadsDoNotChangeTheReport) {
  const auto one = run_assay(
      verify({"gdp-*", "ts-step-*", "--effort", "0.1", "--format", "markdown", "--threads", "1"}));
  const auto two = run_assay(
      verify({"gdp-*", "ts-step-*", "--effort", "0.1", "--format", "markdown", "--threads", "2"}));
  EXPECT_EQ(one.out, two.out);
}

TEST(VerifyCommand, DocsFindingsIsWhatItPrints) {
  if (kSanitized) GTEST_SKIP() << "the unit tests of claims run their checks";
  auto words = kFindings;
  words.insert(words.end(), {"--format", "markdown"});
  const TemporaryFolder folder;
  words.insert(words.end(), {"--certificates", folder.path().string()});
  const auto run = run_assay(verify(words));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, read_file(ASSAY_SOURCE_DIR "/docs/findings.md"))
      << "make it again: assay verify --format markdown --certificates docs/certificates"
         " > docs/findings.md";
  int certificates = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto name = entry.path().filename().string();
    EXPECT_EQ(read_file(entry.path()), read_file(ASSAY_SOURCE_DIR "/docs/certificates/" + name))
        << name;
    ++certificates;
  }
  EXPECT_EQ(certificates, 26);
}

// The plots on that page, and their numbers. What the classical constant is stated to be enough for
// fails; that the dueling constants do nothing at practical horizons holds, and that FLIPHAT's noise is
// too small for its level.
TEST(VerifyCommand, TheFiguresInDocsAreWhatTheirExperimentsDraw) {
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

TEST(VerifyCommand, BadInputIsNamedAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "x");
  for (const auto& bad : std::vector<BadWords>{
           {{"ts-gpd"}, "unknown claim 'ts-gpd'; did you mean 'ts-gdp'?"},
           {{"ts-*", "qq*"}, "no claim matches 'qq*'; `assay list claims` names them"},
           {{"--effort", "0"}, "effort must be 0.01 to 1000, not 0"},
           {{"--effort", "much"}, "--effort"},
           {{"--confidence", "1"}, "confidence must be at least 0.5 and below 1, not 1"},
           {{"--seed", "-1"}, "--seed must be at least 0, not -1"},
           {{"--threads", "0"}, "--threads must be 1 to 4096, not 0"},
           {{"--format", "pdf"}, "--format must be text, json or markdown, not 'pdf'"},
           {{"--certificates", file}, "cannot make this folder"}}) {
    const auto run = run_assay(verify(bad.words));
    EXPECT_EQ(run.status, 2) << bad.message;
    EXPECT_THAT(run.err, HasSubstr(bad.message));
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(read_file(file), "x");
}

TEST(VerifyCommand, AnInterruptedRunSaysWhatItDidNotCheck) {
  const auto run = run_command({ASSAY_CLI, "verify", "--effort", "1000", "--threads", "1"},
                               std::chrono::milliseconds(700));
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.out, HasSubstr("claims were not checked"));
}

TEST(ListCommand, NamesEveryClaim) {
  const auto run = run_assay({"list", "claims"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("rnm-hetero-gauss         Theorem 6, analytic\n"));
}

TEST(ExplainCommand, TellsAClaimInFull) {
  const auto run = run_assay({"explain", "ts-advanced"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("Corollary 1"));
  EXPECT_THAT(run.out, HasSubstr("Rests on    ts-step-dp"));
  EXPECT_THAT(run.out, HasSubstr("assay verify ts-advanced"));
  const auto wrong = run_assay({"explain", "ts-advnced"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'ts-advanced'?"));
}

}  // namespace
}  // namespace assay

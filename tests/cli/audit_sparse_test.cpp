// `assay audit fliphat` and its family, as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(AuditSparse, ThePapersNoiseIsToldWhatItGives) {
  const auto run =
      run_assay({"audit", "fliphat", "-p", "dimension=6", "-p", "sparsity=2", "-p", "horizon=64",
                 "-p", "epsilon=1", "-p", "calibration=paper", "--samples", "2000"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("Verified for this pair: eps at delta = 0.01 is at most "));
  EXPECT_THAT(run.out, HasSubstr("replace the contexts and rewards of one round; the view is all\n"
                                 "            actions but that of the changed round\n"));
  EXPECT_THAT(run.out, HasSubstr("of eps = 1, 1.70409 is proved for the paper's noise"));
  EXPECT_THAT(run.out, HasSubstr("\n  change      round 2 of 64: arm 1: 1.11774 -> -1.11774, "));
  EXPECT_THAT(run.out, HasSubstr("found by    the worst of 9 pairs known to be hard\n"));
  EXPECT_THAT(run.out, HasSubstr("Method      release, 2,000 transcripts a side"));
}

TEST(AuditSparse, TheReportComesBackFromItsCommand) {
  const std::vector<std::string> words = {"audit",     "fliphat",
                                          "-p",        "horizon=32",
                                          "-p",        "dimension=3",
                                          "-p",        "epsilon=8",
                                          "--claim",   "eps=1,delta=0",
                                          "--search",  "12",
                                          "--samples", kSanitized ? "100" : "500",
                                          "--format",  "json"};
  const auto run = run_assay(words);
  auto threaded = words;
  threaded.insert(threaded.end(), {"--threads", "1"});
  auto report = nlohmann::json::parse(run.out);
  auto other = nlohmann::json::parse(run_assay(threaded).out);
  report.erase("meta");
  other.erase("meta");
  EXPECT_EQ(report, other);
  EXPECT_THAT(report.at("reproduce").get<std::string>(), HasSubstr("--search 12"));
  EXPECT_EQ(report.at("worst_pair").at("base_input").size(), 32U * 8U);
  EXPECT_EQ(report.at("worst_pair").at("neighbour_input").size(), 32U * 8U);
  EXPECT_EQ(report.at("case").at("id"), "fliphat");
}

TEST(AuditSparse, ComparatorsWithoutNoiseAreViolatedInEveryFormat) {
  for (const std::string format : {"text", "json", "html"}) {
    const auto run = run_assay({"audit", "iht-bandit", "-p", "horizon=32", "--claim", "eps=2",
                                "--samples", "500", "--format", format});
    EXPECT_EQ(run.status, 1) << format << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, HasSubstr("Violated"));
    if (format == "html") {
      EXPECT_THAT(run.out, HasSubstr("round 2 of 32: arm 1: "));
    }
  }
  const auto none = run_assay({"audit", "lasso-bandit", "--method", "release"});
  EXPECT_EQ(none.status, 2);
}

TEST(AuditSparse, ALogOfOnesOwnIsTheBaseOfTheSearch) {
  const TemporaryFolder folder;
  const auto audit = [&](const std::string& text, const std::string& dimension = "1") {
    return run_assay({"audit", "fliphat", "-p", "horizon=7", "-p", "dimension=" + dimension, "-p",
                      "sparsity=1", "--samples", "64", "--input",
                      folder.write("rounds.csv", text)});
  };
  std::string log = "# rewards of both arms, then their contexts\n";
  for (int t = 0; t < 7; ++t) log += "0.5,-12.25,0.1," + std::to_string(t) + "\n";
  const auto good = audit(log);
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("beside --input"));
  EXPECT_THAT(good.out, HasSubstr("round 2 of 7: arm 1: 0.5 -> "));
  for (const auto& [text, dimension, message] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"0.5,1,0.1,0\n", "1", "has 1 rows, but horizon is 7; give a line a round"},
           {log, "2", ":2: has 4 numbers; 6 are needed: 2 rewards, then 2 contexts of 2 entries"},
           {"0.5,x,0.1,0\n", "1", "a number from -1e100 to 1e100 is needed"},
           {"0.5,1e101,0.1,0\n", "1", "column 2 is 1e101"},
           {"", "1", "holds no rounds"},
           {log, "0", "dimension must be"}}) {
    const auto run = audit(text, dimension);
    EXPECT_EQ(run.status, 2) << text;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST(AuditSparse, ExplainSaysWhatIsHidden) {
  const auto run = run_assay({"explain", "fliphat"});
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.out, HasSubstr("Adversary   sees all actions but that of the changed round"));
  EXPECT_THAT(run.out, HasSubstr("eps=epsilon, delta=delta  (Theorem 5.1)"));
  EXPECT_THAT(run_assay({"list"}).out, HasSubstr("\nlasso-bandit "));
}

}  // namespace
}  // namespace assay

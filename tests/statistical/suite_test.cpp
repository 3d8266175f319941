// Runs of a suite in which nothing is wrong: how many fail, of many seeds. Everything that a run certifies
// holds at once with probability 1 - alpha, so at most a share alpha of them may.
#include <algorithm>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_run.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

constexpr double kRunAlpha = 0.2;         // of a run
constexpr double kSuiteTestAlpha = 1e-4;  // of this test

// Each claim is the truth to the last digit, and audited by plays alone.
std::string suite_text(const std::string& claim) {
  std::string text = "schema = \"assay.suite/1\"\n";
  for (const std::string name : {"laplace", "randomized-response"}) {
    text += "[[audit]]\nid = \"" + name + "\"\ncase = \"" + name +
            "\"\nmethod = \"events\"\nsamples = 300\nclaim = \"" + claim + "\"\n";
  }
  return text;
}

int failing_runs(const std::string& claim, int runs) {
  const TemporaryFolder folder;
  const auto suite = read_suite(folder.write("assay.toml", suite_text(claim))).value();
  return count_runs(runs, [&](std::uint64_t run) {
    SuiteRequest request{.seed = run, .alpha = kRunAlpha};
    const auto findings = findings_of(run_suite(suite, request, Session{}).value());
    // Too weak for the claim they all are, by so few runs.
    return std::any_of(findings.begin(), findings.end(),
                       [](const SuiteFinding& one) { return one.fails && one.rule() != "weak"; });
  });
}

TEST(SuiteRunsWithoutAFault, FailAtMostAsOftenAsTheirAlphaSays) {
  const int runs = 40;
  const auto failing = failing_runs("eps=1", runs);
  RecordProperty("failing", std::to_string(failing));
  std::printf("%d of %d runs failed, at alpha = %g\n", failing, runs, kRunAlpha);
  // P(Bin(runs, alpha) >= failing) above the level of the test.
  if (failing > 0) {
    EXPECT_GT(-portable_expm1(binomial_log_cdf(failing - 1, runs, kRunAlpha)), kSuiteTestAlpha);
  }
}

TEST(SuiteRunsWithAFault, Fail) { EXPECT_EQ(failing_runs("eps=0.1", 3), 3); }

}  // namespace
}  // namespace assay

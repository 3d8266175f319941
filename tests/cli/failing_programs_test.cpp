// `assay audit` of programs that fail on some of their data.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

class FailingPrograms : public ::testing::Test {
 protected:
  CommandResult audit(int status, const std::string& code, const Words& more) const {
    const std::string script = folder_.write(
        "target.py", "import math, os, random, sys\nfrom assay_target import *\n" + code);
    return audit_expecting(
        status, with({"--exec", python(script), "--kind", "mechanism", "--claim", "eps=1"}, more));
  }
  TemporaryFolder folder_;
};

// An exponential mechanism whose weights underflow where values repeat, and which then raises.
constexpr const char* kUnderflows = R"(
def play(x, shape, seed):
    x = sorted(round(v) for v in x)
    edges = [0] + x + [100]
    n = len(x)
    w = [(edges[i + 1] - edges[i]) * math.exp(-400 * abs(i - n / 2)) for i in range(n + 1)]
    if sum(w) == 0: raise RuntimeError("cannot find a candidate to return")
    i = random.choices(range(n + 1), w)[0]
    return edges[i] + random.random() * (edges[i + 1] - edges[i])
serve(play, kind="mechanism", seeded=True)
)";

TEST_F(FailingPrograms, AnExceptionThatDependsOnDataIsALeak) {
  Words words = "--inputs 4 --domain 0:100 --runs 12000 --format json --threads 1";
  const auto run = audit(1, kUnderflows, words);
  const auto report = without_meta(run.out);
  EXPECT_EQ(report.at("verdict"), "Violated");
  EXPECT_GE(report.at("quantities").at(0).at("lower").at("value").get<double>(), 5.0);
  EXPECT_THAT(report.at("failures").at("said").get<std::string>(),
              HasSubstr("RuntimeError: cannot find a candidate to return (target.py:"));
  EXPECT_GT(report.at("failures").at("base").at("failed").get<int>() +
                report.at("failures").at("neighbour").at("failed").get<int>(),
            100);
  expect_valid("audit-report.schema.json", run.out);
  words.back() = "3";
  EXPECT_EQ(without_meta(audit(1, kUnderflows, words).out), report);
}

TEST_F(FailingPrograms, WhicheverWayTheyFail) {
  const auto base_input = folder_.write("old.csv", "0\n"),
             neighbour_input = folder_.write("new.csv", "1\n");
  for (const char* way : {"sys.exit(3)", "os._exit(3)", "os.kill(os.getpid(), 11)", "1 / 0"}) {
    const auto run = audit(1,
                           "def play(v, shape, seed):\n"
                           "    if v[0] > 0.5 and random.random() < 0.5: " +
                               std::string(way) +
                               "\n    return random.random()\n"
                               "serve(play, seeded=True)\n",
                           {"--inputs", "1", "--input", base_input, "--neighbour", neighbour_input,
                            "--runs", "1000", "--threads", "2"});
    EXPECT_THAT(run.out,
                AllOf(StartsWith("Violated: "), HasSubstr("the run fails"), HasSubstr("0 of ")))
        << way;
  }
}

TEST_F(FailingPrograms, WhatFailsWhateverItsDataIsNotConvicted) {
  const std::string noise = "    return v[0] + random.gauss(0, 20)\nserve(play, seeded=True)\n";
  const Words words = "--inputs 1 --domain 0:1 --see 9 --runs 4000";
  const auto rarely =
      audit(3, "def play(v, shape, seed):\n    if random.random() < 0.002: 1 / 0\n" + noise, words);
  EXPECT_THAT(rarely.out, StartsWith("Weak: "));
  const auto often =
      audit(3, "def play(v, shape, seed):\n    if random.random() < 0.1: 1 / 0\n" + noise, words);
  EXPECT_THAT(often.out, HasSubstr("ZeroDivisionError"));
  const auto always = audit(4, "def play(v, shape, seed): 1 / 0\nserve(play)\n", words);
  EXPECT_THAT(always.out, StartsWith("Inconclusive: the target failed before anything could be"));
  EXPECT_THAT(always.err,
              AllOf(HasSubstr("message 1: the target's answer reports an error: run 1 (seed "),
                    HasSubstr("ZeroDivisionError: division by zero (target.py:3, in play)")));
  // An output that would be none is the adapter's fault.
  const auto broken = audit(
      4, "def play(v, shape, seed): return [0.5] * (1 + (random.random() < 0.1))\nserve(play)\n",
      words);
  EXPECT_THAT(broken.err, HasSubstr("the run returned 2 of 1 numbers"));
}

TEST_F(FailingPrograms, AnInputThatIsRefusedIsNoEvidence) {
  const auto run = audit(0,
                         "def play(v, shape, seed):\n"
                         "    if v[0] != v[1]: raise InvalidInput('the first two are equal')\n"
                         "    return sum(v) + random.gauss(0, 20)\n"
                         "serve(play, seeded=True)\n",
                         "--inputs 3 --domain 0:1 --see 9 --runs 6000");
  EXPECT_THAT(run.out, HasSubstr("left undone: "));
}

}  // namespace
}  // namespace assay

// Rewards outside [0, 1]: `--domain LOW:HIGH` of a bandit, in audits, suites, replays and recorded runs.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// The arm of a round depends on the last reward, in [-5, 5], by a coin of pure DP at 1. With a leak it is at 4 where
// the reward is at an end.
constexpr const char* kCoin = R"(
import math
import sys
from assay_target import serve
LEAK = "--leak" in sys.argv

def play(rewards, shape, seed, rng):
    arms, last = [], 0.0
    for reward in rewards:
        level = 4.0 if LEAK and abs(last) == 5.0 else 1.0
        arms.append(int(rng.random() < 0.5 + last / 10.0 * math.tanh(level / 2.0)))
        if not -5.0 <= reward <= 5.0 or shape.get("domain") not in ("-5:5", None):
            raise ValueError(f"{reward} in {shape}")
        last = reward
    return arms

serve(play, kind="bandit", seeded=True)
)";

class DomainOfRewards : public InAFolder {
 protected:
  std::string program(const std::string& option = "") const { return python(script_) + option; }
  CommandResult audit(int status, const std::string& option, const Words& words) const {
    return run_expecting(status, with({"audit", "--exec", program(option), "--horizon", "10",
                                       "--claim", "eps=1", "--threads", "1"},
                                      words));
  }
  const std::string script_ = folder.write("coin.py", kCoin);
};

TEST_F(DomainOfRewards, ALeakAtItsEndsIsConvictedAndItsPrivateCounterpartIsNot) {
  const auto leaks =
      audit(1, " --leak", {"--domain", "-5:5", "--runs", "12000", "-w", folder.file("r.json")});
  EXPECT_THAT(leaks.out, AllOf(StartsWith("Violated: eps at delta = 0 is at least "),
                               HasSubstr("one reward replaced by any other within -5:5"),
                               HasSubstr("--domain -5:5")));
  const auto text = read_file(folder.file("r.json"));
  expect_valid("audit-report.schema.json", text);
  const auto report = nlohmann::json::parse(text);
  EXPECT_EQ(report.at("case").at("parameters").at("domain"), "-5:5");
  EXPECT_THAT(report.dump(), HasSubstr("one reward replaced by any other within -5:5"));
  // Inside the range of other bandits there is no leak to see.
  EXPECT_THAT(audit(0, " --leak", "--runs 12000").out, StartsWith("NotRefuted: "));
  EXPECT_THAT(audit(0, "", "--domain -5:5 --runs 12000").out,
              AllOf(StartsWith("NotRefuted: "), HasSubstr("within -5:5")));
}

TEST_F(DomainOfRewards, TheEventsMethodFindsAPairOfItsEnds) {
  const auto run = audit(1, " --leak", "--domain -5:5 --method events --runs 12000 --format json");
  const auto report = nlohmann::json::parse(run.out);
  const auto& pair = report.at("worst_pair");
  EXPECT_EQ(std::abs(pair.at("base_value").get<double>()), 5.0);
  EXPECT_EQ(std::abs(pair.at("neighbour_value").get<double>()), 5.0);
}

TEST_F(DomainOfRewards, InputsOutsideAreRefusedByName) {
  const auto file = folder.write("in", "0\n-5\n7\n");
  const auto run = run_expecting(2, {"audit", "--exec", program(), "--horizon", "3", "--claim",
                                     "eps=1", "--domain", "-5:5", "--input", file});
  EXPECT_THAT(run.err, HasSubstr("in: row 3 must be in [-5, 5], not 7"));
  // A case has its own range.
  EXPECT_THAT(run_expecting(2, "audit thompson-sampling --domain -5:5").err,
              HasSubstr("--domain is for external targets"));
}

TEST_F(DomainOfRewards, RecordedRunsStateIt) {
  const auto record = [&](const std::string& name, const std::string& domain) {
    std::string text = R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2, )"
                       R"("horizon": 2, "domain": ")" +
                       domain + "\"}}\n";
    for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "[0, 1]\n" : "[1, 0]\n";
    return folder.write(name, text);
  };
  const auto one = record("one", "-5:5"), two = record("two", "-5:5");
  EXPECT_THAT(run_expecting(3, {"audit", "--transcripts", one, two, "--claim", "eps=1"}).out,
              HasSubstr("horizon=2, domain=-5:5"));
  EXPECT_THAT(
      run_expecting(2, {"audit", "--transcripts", one, record("other", "0:1"), "--claim", "eps=1"})
          .err,
      HasSubstr("other has a different shape"));
}

TEST_F(DomainOfRewards, IsAKeyOfSuitesWhoseWitnessCanBeReplayed) {
  const auto suite = folder.write(
      "assay.toml", "schema = \"assay.suite/1\"\n[[audit]]\nid = \"coin\"\nexec = \"" +
                        std::string(ASSAY_PYTHON) +
                        " coin.py --leak\"\nkind = \"bandit\"\nhorizon = 10\ndomain = \"-5:5\"\n"
                        "claim = \"eps=1\"\nruns = 12000\nmethod = \"events\"\n");
  run_expecting(1, {"suite", "run", suite, "--format", "json", "-w", folder.file("suite.json")});
  const auto report = nlohmann::json::parse(read_file(folder.file("suite.json")));
  const auto& entry = report.at("entries").at(0);
  const std::string command = entry.at("witness").at("command");
  EXPECT_THAT(command, HasSubstr("--domain -5:5"));
}

TEST_F(DomainOfRewards, ReplaysTakeIt) {
  const Words words = {"replay", "--exec", program(" --leak"), "--horizon", "3",   "--old",
                       "0;5;0",  "--new",  "0;-5;0",           "--domain",  "-5:5"};
  EXPECT_THAT(run_expecting(0, words).out, HasSubstr("\nInput D'    0;-5;0\n"));
  Words without = words;
  without.resize(without.size() - 2);
  EXPECT_THAT(run_expecting(2, without).err, HasSubstr("row 2 must be in [0, 1], not 5"));
  EXPECT_THAT(run_expecting(2, with(without, "--domain 5")).err,
              HasSubstr("--domain must be integers or LOW:HIGH"));
}

}  // namespace
}  // namespace assay

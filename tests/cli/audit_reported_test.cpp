// `assay audit` of targets that report the probabilities of their actions: both bounds, and what ends an audit.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

double bound_of(const nlohmann::json& report, const std::string& field, const std::string& kind,
                double at, const std::string& end) {
  for (const nlohmann::json& quantity : report.at(field)) {
    if (quantity.at("kind") != kind || (kind != "mu" && quantity.at("at") != at)) continue;
    const nlohmann::json& value = quantity.at(end).at("value");
    return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
  }
  ADD_FAILURE() << "no " << kind << " at " << at << " in " << field;
  return std::nan("");
}

class AuditOfReported : public InAFolder {
 protected:
  // Inputs that differ in the first reward.
  Words pair(std::int64_t horizon) const {
    std::string rewards = "0\n";
    for (std::int64_t t = 1; t < horizon; ++t) rewards += t % 2 == 0 ? "0\n" : "1\n";
    const auto base = folder.write("base.csv", rewards);
    rewards.front() = '1';
    return {"--input", base, "--neighbour", folder.write("neighbour.csv", rewards)};
  }
  // A program with a class Policy, whose probabilities are this expression of `self`.
  std::string reporting(const std::string& probabilities, const std::string& more = "") const {
    return python(folder.write("reporting.py", R"(
import math, random
from assay_target import serve_policy
class Policy:
    def __init__(self, rng):
        self.rng, self.last, self.round = rng, 0.0, 1
    def choose(self):
        return int(self.rng.random() < (0.8 if self.last > 0.5 else 0.2))
    def update(self, arm, reward):
        self.last = reward
        self.round += 1
    def probabilities(self):
        one = 0.8 if self.last > 0.5 else 0.2
        return )" + probabilities + R"(
serve_policy(lambda shape, rng: Policy(rng), probabilities="probabilities", )" +
                                                   more + R"(seeded=True)
)"));
  }
  Words words_of(const std::string& program, std::int64_t horizon = 4) const {
    return with(
        with({"--exec", program}, "--arms 2 --claim eps=2 --runs 1000 --threads 1 --horizon"),
        with({std::to_string(horizon)}, pair(horizon)));
  }
};

const std::string kThompson = python(ASSAY_SOURCE_DIR "/examples/adapters/thompson_two_arms.py");

TEST_F(AuditOfReported, GivesTheUpperBoundsOfTheCaseOfTheSamePolicy) {
  const Words inputs = pair(6);
  const auto own = nlohmann::json::parse(
      audit_expecting(
          0,
          with(
              "thompson-sampling -p arms=2 -p horizon=6 --method exact --claim mu=2 --format json --input",
              {inputs[1]}))
          .out);
  ASSERT_EQ(own.at("worst_pair").at("change"), "reward of round 1 of 6: 0 -> 1");
  const auto run =
      audit_expecting(0, with(with({"--exec", kThompson},
                                   "--arms 2 --horizon 6 --method exact --claim mu=2 --runs "
                                   "1000 --format json"),
                              inputs));
  const auto report = nlohmann::json::parse(run.out);
  expect_valid("audit-report.schema.json", run.out);
  EXPECT_EQ(report.at("verdict"), "VerifiedIfReported");
  EXPECT_EQ(report.at("scope"), "this-pair");
  EXPECT_THAT(report.at("headline").get<std::string>(),
              HasSubstr("if the reported probabilities are right"));
  for (const auto& [kind, at] :
       {std::pair<std::string, double>{"mu", 0.0}, {"epsilon-at-delta", 1e-6}}) {
    const double truth = bound_of(own, "quantities", kind, at, "upper");
    EXPECT_NEAR(bound_of(report, "quantities", kind, at, "upper"), truth, 1e-9 * truth) << kind;
    EXPECT_NEAR(bound_of(report, "if_reported", kind, at, "lower"), truth, 1e-9 * truth) << kind;
    EXPECT_LT(bound_of(report, "quantities", kind, at, "lower"), truth) << kind;
  }
  for (const nlohmann::json& quantity : report.at("quantities")) {
    EXPECT_EQ(quantity.at("upper").at("evidence"), "if-reported");
  }
  // The report's own command gives it again, on any number of threads.
  const auto again = run_audit(with(with({"--exec", kThompson},
                                         "--arms 2 --horizon 6 --method exact --claim mu=2 --runs "
                                         "1000 --format json --threads 2"),
                                    inputs));
  EXPECT_EQ(without_meta(again.out), without_meta(run.out));
}

TEST_F(AuditOfReported, BySamplingSaysSoInTextAndOnThePage) {
  const auto page = folder.file("report.html");
  const auto run = audit_expecting(
      0, with(with({"--exec", kThompson},
                   "--arms 2 --horizon 5 --method likelihood --claim eps=3,delta=0.05 "
                   "--samples 600 -w " +
                       page),
              pair(5)));
  EXPECT_THAT(run.out,
              StartsWith("VerifiedIfReported for this pair: eps at delta = 0.05 is at most "));
  EXPECT_THAT(run.out, HasSubstr("if the reported probabilities are right: sampling: "));
  EXPECT_THAT(run.out, HasSubstr("The verdict rests on the probabilities that the target reports"));
  EXPECT_THAT(run.out, HasSubstr("ok          drawn actions: e-value "));
  EXPECT_THAT(read_file(page), AllOf(HasSubstr("Verified if the reported probabilities are right"),
                                     HasSubstr("If the reported probabilities are right")));
}

// Randomised response over the last reward: one changed reward is worth exactly eps = 1.
TEST_F(AuditOfReported, OfAPlugInGivesItsExactEpsilon) {
  const auto library = folder.file("stay.so");
  ASSERT_EQ(run_command({"/usr/bin/c++", "-std=c++20", "-shared", "-fPIC", "-O1",
                         "-I" ASSAY_BINARY_DIR "/include", "-o", library,
                         ASSAY_SOURCE_DIR "/examples/adapters/stay_or_switch.cpp"})
                .status,
            0);
  const auto run = audit_expecting(
      0,
      with(with({"--plugin", library},
                "--arms 2 --horizon 4 --method exact --claim eps=1.001 --runs 1000 --format json"),
           pair(4)));
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report.at("verdict"), "VerifiedIfReported");
  EXPECT_NEAR(bound_of(report, "quantities", "epsilon-at-delta", 0.0, "upper"), 1.0, 1e-9);
}

TEST_F(AuditOfReported, NamesTheRoundAndTheRangeOfWhatIsNoProbability) {
  for (const auto& [reported, message] : std::vector<std::pair<std::string, std::string>>{
           {"[1 - one, one + 1e-8]",
            "in round 1 probabilities that sum to 1 within 1e-09, not to 1.00000001"},
           {"[0.5, 0.5] if self.round < 3 else [1.5, -0.5]",
            "in round 3 a probability in [0, 1] of action 0, not 1.5"},
           {"[float('nan'), 1]", "in round 1 a probability in [0, 1] of action 0, not nan"},
           {"[1.0]", "forced actions: probabilities() returned 1 of 2 probabilities of round 1"},
           {"[0.5, 1 / (self.round - 2)]", "forced actions, round 2: ZeroDivisionError"}}) {
    const auto run = audit_expecting(4, with(words_of(reporting(reported)), "--method exact"));
    EXPECT_THAT(run.err, HasSubstr(message)) << reported;
    EXPECT_THAT(run.out, Not(HasSubstr("VerifiedIfReported"))) << reported;
  }
}

TEST_F(AuditOfReported, EndsIfTheProbabilitiesDependOnTheSeed) {
  const auto by_seed = audit_expecting(
      4, with(words_of(reporting("(lambda p: [1 - p, p])(0.5 + 0.1 * self.rng.random())")),
              "--method exact"));
  EXPECT_THAT(by_seed.err, AllOf(HasSubstr("action 0 of round 1 on the base input has "),
                                 HasSubstr("asked again with another seed")));
  EXPECT_THAT(by_seed.out, HasSubstr("at most     unknown (black box)"));
}

TEST_F(AuditOfReported, HasNoUpperBoundIfTheDrawsDoNotFollow) {
  const auto run = audit_expecting(3, with(words_of(reporting("[0.5, 0.5]")), "--method exact"));
  EXPECT_THAT(run.out, StartsWith("Inconclusive: no upper bound: the draws do not follow"));
  EXPECT_THAT(run.out, HasSubstr("ALARM"));
  EXPECT_THAT(run.out, Not(HasSubstr("exact enumeration")));
}

TEST_F(AuditOfReported, OfOtherMethodsAsksForNone) {
  audit_expecting(3, with(words_of(reporting("1 / 0")), "--method events"));
}

TEST_F(AuditOfReported, NeedsATargetThatReports) {
  const auto plain = python(ASSAY_SOURCE_DIR "/examples/targets/epsilon_greedy.py");
  const auto run = audit_expecting(2, with(words_of(plain), "--method likelihood"));
  EXPECT_THAT(
      run.err,
      HasSubstr(
          "--method likelihood needs the probabilities of a target's actions, and epsilon-greedy reports none"));
  const auto many = audit_expecting(2, with(words_of(kThompson, 17), "--method exact"));
  EXPECT_THAT(many.err, HasSubstr("at most 65,536 transcripts"));
}

// Experts and duels, with the numbers of a closed form: a changed row is worth exactly log 4.
TEST_F(AuditOfReported, CoversExpertsAndDuels) {
  const auto program = python(folder.write("kinds.py", R"(
import sys
from assay_target import serve_policy
class Follow:  # says by its next action whether expert 0 lost, or arm 0 won its duel with arm 1
    def __init__(self, rng, actions):
        self.rng, self.actions, self.good = rng, actions, 0
    def choose(self):
        action = self.good if self.rng.random() < 0.6 else int(self.rng.random() * self.actions)
        return divmod(action, 2) if self.actions == 4 else action
    def update(self, *seen):
        self.good = int(seen[0][0] > 0.5) if self.actions == 2 else int(seen[:2] == (0, 1) and seen[2])
    def probabilities(self):
        out = [0.4 / self.actions] * self.actions
        out[self.good] += 0.6
        return out
serve_policy(lambda shape, rng: Follow(rng, 4 if shape.kind == "dueling" else 2), kind=("experts", "dueling"),
             probabilities="probabilities", seeded=True)
)"));
  const auto report_of = [&](const std::string& kind, const std::string& base,
                             const std::string& other) {
    const auto run = audit_expecting(
        0, with(with({"--exec", program, "--kind", kind, "--input", folder.write("d.csv", base),
                      "--neighbour", folder.write("e.csv", other)},
                     "--arms 2 --horizon 3 --method exact --claim eps=3 --runs 1000 --format json"),
                ""));
    return nlohmann::json::parse(run.out);
  };
  const auto experts = report_of("experts", "0,1\n0,0\n1,0\n", "1,1\n0,0\n1,0\n");
  EXPECT_NEAR(bound_of(experts, "quantities", "epsilon-at-delta", 0.0, "upper"), std::log(4.0),
              1e-9);
  // 0.7 against 0.1 if the first duel was (0, 1); else nothing is learnt.
  const auto duels =
      report_of("dueling", "0,1,0,0\n0,1,0,0\n0,1,0,0\n", "0,0,1,0\n0,1,0,0\n0,1,0,0\n");
  EXPECT_NEAR(bound_of(duels, "quantities", "epsilon-at-delta", 0.0, "upper"), std::log(7.0), 1e-9);
}

}  // namespace
}  // namespace assay

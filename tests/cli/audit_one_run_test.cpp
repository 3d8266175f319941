// `assay audit --method one-run`, as a user meets it.
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// Randomised response on every value of the input, at eps = 2.
class OneRunCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    script_ = folder_.write("bits.py", R"(
import json, math, random, sys
for line in sys.stdin:
    m = json.loads(line)
    if m["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "bits", "seeded": True}), flush=True)
        continue
    outs = []
    for seed in m["seeds"]:
        rng = random.Random(seed)
        outs.append([x if rng.random() < 1 / (1 + math.exp(-2)) else 1 - x for x in m["input"]])
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": outs}), flush=True)
)");
  }
  Words words(const std::string& claim) const {
    return {"--exec",   python(script_), "--kind",     "mechanism", "--inputs",
            "200",      "--outputs",     "200",        "--claim",   claim,
            "--method", "one-run",       "--training", "40",        "--confidence",
            "0.95"};
  }
  TemporaryFolder folder_;
  std::string script_;
};

TEST_F(OneRunCommand, ConvictsFromOneTranscriptAndSaysHow) {
  const auto run = audit_expecting(1, words("eps=1"));
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least "));
  EXPECT_THAT(run.out, HasSubstr("guesses about 200"));
  EXPECT_THAT(run.out, HasSubstr("200 in 1 run: each entry at one extreme or the other"));
  EXPECT_THAT(run.out, HasSubstr("one-run, 1 of 1 run after 40 for training"));
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("Guesses name no pair of inputs."), HasSubstr("--method events."),
                    Not(HasSubstr("replay command")), Not(HasSubstr("\nPair "))));
  EXPECT_THAT(run.out, HasSubstr("one answer moves by at most 1; the adversary sees the output"));
}

TEST_F(OneRunCommand, DoesNotConvictATrueClaim) {
  const auto run = audit_expecting(0, words("eps=2"));
  EXPECT_THAT(run.out, StartsWith("NotRefuted: "));
  EXPECT_THAT(run.out, HasSubstr("guesses as good as"));
}

TEST_F(OneRunCommand, TheReproduceCommandGivesTheSameReportAndTheSchemaHolds) {
  const auto few = with(words("eps=1"), "--canaries 150 --samples 2 --format json");
  const auto run = audit_expecting(1, with(few, "--threads 2"));
  const auto first = without_meta(run.out);
  EXPECT_EQ(first.at("canaries").at("canaries"), 300);
  EXPECT_EQ(first.at("samples"), 2);
  EXPECT_THAT(first.at("reproduce").get<std::string>(),
              HasSubstr("--method one-run --canaries 150 --training 40 --samples 2 --seed "));
  expect_valid("audit-report.schema.json", run.out);
  const auto seed = first.at("seed").get<std::string>();
  EXPECT_EQ(without_meta(run_audit(with(few, {"--threads", "1", "--seed", seed})).out), first);
}

TEST_F(OneRunCommand, TheTwoValuesOfACanaryMayComeFromFiles) {
  std::string zeros, ones;
  for (int i = 0; i < 200; ++i) {
    zeros += "0\n";
    ones += i < 120 ? "1\n" : "0\n";
  }
  const auto run =
      audit_expecting(1, with(words("eps=1"), {"--input", folder_.write("zero.csv", zeros),
                                               "--neighbour", folder_.write("one.csv", ones)}));
  EXPECT_THAT(run.out, HasSubstr("120 in 1 run: each entry as in "));
}

TEST(OneRunWords, BadOnesAreNamed) {
  expect_each_refused(
      "audit --exec a --claim eps=1",
      {{"--canaries 3", "--canaries is for --method one-run"},
       {"--training 30", "--training is for --method one-run"},
       {"--method one-run --canaries 101",
        "canaries must be 1 to 100, the entries that can be flipped, not 101"},
       {"--method one-run --canaries 0", "--canaries must be at least 1, not 0"},
       {"--method one-run --training 3", "--training must be at least 20, not 3"},
       {"--method one-run --samples 0", "--samples must be at least 1, not 0"},
       {"--method one-run --stop-when-decided",
        "--stop-when-decided is for policies audited by likelihood, and for audits by events"},
       {"--method one-run --kind contextual",
        "kind must be bandit, best-arm, dueling, experts or mechanism, not contextual"},
       {"--method one-run --input none",
        "--method one-run: give both --input and --neighbour, or neither"},
       {"--method two-run", "--method of an external target is events or one-run"}});
  expect_refused("audit --transcripts a b --claim eps=1 --method one-run",
                 "give --exec or --plugin, not --transcripts");
}

TEST(OneRunWords, AreListedAndExplained) {
  EXPECT_THAT(run_assay("list methods").out, HasSubstr("\none-run "));
  const auto explained = run_expecting(0, "explain one-run");
  EXPECT_THAT(explained.out, HasSubstr("Fair coins set many entries of one input"));
}

}  // namespace
}  // namespace assay

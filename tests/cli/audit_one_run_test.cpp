// `assay audit --method one-run`, as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  std::vector<std::string> words(const std::string& claim) const {
    return {"--exec",       std::string(ASSAY_PYTHON) + " " + script_,
            "--kind",       "mechanism",
            "--inputs",     "200",
            "--outputs",    "200",
            "--claim",      claim,
            "--method",     "one-run",
            "--training",   "40",
            "--confidence", "0.95"};
  }
  TemporaryFolder folder_;
  std::string script_;
};

TEST_F(OneRunCommand, ConvictsFromOneTranscriptAndSaysHow) {
  const auto run = run_audit(words("eps=1"));
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least "));
  EXPECT_THAT(run.out, HasSubstr("guesses about 200"));
  EXPECT_THAT(run.out, HasSubstr("200 in 1 run: each entry at one extreme or the other"));
  EXPECT_THAT(run.out, HasSubstr("one-run, 1 of 1 run after 40 for training"));
  EXPECT_THAT(run.out, HasSubstr("one answer moves by at most 1; the view is output"));
}

TEST_F(OneRunCommand, DoesNotConvictATrueClaim) {
  const auto run = run_audit(words("eps=2"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("NotRefuted: "));
  EXPECT_THAT(run.out, HasSubstr("would have seen guesses as good as"));
}

TEST_F(OneRunCommand, TheReproduceCommandGivesTheSameReportAndTheSchemaHolds) {
  auto all = words("eps=1");
  all.insert(all.end(), {"--canaries", "150", "--samples", "2", "--threads", "2", "--write",
                         folder_.file("report.json")});
  ASSERT_EQ(run_audit(all).status, 1);
  auto first = nlohmann::json::parse(read_file(folder_.file("report.json")));
  EXPECT_EQ(first.at("canaries").at("canaries"), 300);
  EXPECT_EQ(first.at("samples"), 2);
  EXPECT_THAT(first.at("reproduce").get<std::string>(),
              HasSubstr("--method one-run --canaries 150 --training 40 --samples 2 --seed "));
  const auto valid = run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/validate_json.py",
                                  ASSAY_SOURCE_DIR "/schemas/audit-report.schema.json",
                                  folder_.file("report.json")});
  EXPECT_EQ(valid.status, 0) << valid.err;
  auto again_words = words("eps=1");
  again_words.insert(again_words.end(),
                     {"--canaries", "150", "--samples", "2", "--threads", "1", "--seed",
                      first.at("seed").get<std::string>(), "--format", "json"});
  auto again = nlohmann::json::parse(run_audit(again_words).out);
  first.erase("meta");
  again.erase("meta");
  EXPECT_EQ(first, again);
}

TEST_F(OneRunCommand, TheTwoValuesOfACanaryMayComeFromFiles) {
  std::string zeros, ones;
  for (int i = 0; i < 200; ++i) {
    zeros += "0\n";
    ones += i < 120 ? "1\n" : "0\n";
  }
  auto all = words("eps=1");
  all.insert(all.end(), {"--input", folder_.write("zero.csv", zeros), "--neighbour",
                         folder_.write("one.csv", ones)});
  const auto run = run_audit(all);
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("120 in 1 run: each entry as in "));
}

TEST(OneRunWords, BadOnesAreNamed) {
  struct BadWords {
    std::vector<std::string> words;
    std::string message;
  };
  for (const auto& bad : std::vector<BadWords>{
           {{"--canaries", "3"}, "--canaries is for --method one-run"},
           {{"--training", "30"}, "--training is for --method one-run"},
           {{"--method", "one-run", "--canaries", "101"},
            "canaries must be 1 to 100, the entries that can be flipped, not 101"},
           {{"--method", "one-run", "--canaries", "0"}, "--canaries must be at least 1, not 0"},
           {{"--method", "one-run", "--training", "3"}, "--training must be at least 20, not 3"},
           {{"--method", "one-run", "--samples", "0"}, "--samples must be at least 1, not 0"},
           {{"--method", "one-run", "--stop-when-decided"},
            "--stop-when-decided is for policies audited by likelihood, and for events"},
           {{"--method", "one-run", "--kind", "contextual"},
            "kind must be bandit, best-arm, dueling, experts or mechanism, not contextual"},
           {{"--method", "one-run", "--input", "none"},
            "--method one-run: give both --input and --neighbour, or neither"},
           {{"--method", "two-run"}, "--method of an external target is events or one-run"}}) {
    auto words = bad.words;
    words.insert(words.end(), {"--exec", "a", "--claim", "eps=1"});
    const auto run = run_audit(words);
    EXPECT_EQ(run.status, 2) << bad.message;
    EXPECT_THAT(run.err, HasSubstr(bad.message));
    EXPECT_EQ(run.out, "");
  }
  const auto recorded =
      run_audit({"--transcripts", "a", "b", "--claim", "eps=1", "--method", "one-run"});
  EXPECT_EQ(recorded.status, 2);
  EXPECT_THAT(recorded.err, HasSubstr("give --exec or --plugin, not --transcripts"));
}

TEST(OneRunWords, AreListedAndExplained) {
  EXPECT_THAT(run_assay({"list", "methods"}).out, HasSubstr("\none-run "));
  const auto explained = run_assay({"explain", "one-run"});
  EXPECT_EQ(explained.status, 0);
  EXPECT_THAT(explained.out, HasSubstr("Fair coins set many entries of one input"));
}

}  // namespace
}  // namespace assay

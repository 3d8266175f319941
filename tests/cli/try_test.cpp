// `assay try` as a user meets it: what it shows of adapters as they are written, and mistakes told apart.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const std::string kAdapters = ASSAY_SOURCE_DIR "/examples/adapters/";

CommandResult try_it(int status, const std::string& exec, const Words& words = {}) {
  return run_expecting(status, with({"try", "--exec", exec, "--threads", "1"}, words));
}

// An adapter of one mechanism, as the module makes them.
class TryCommand : public ::testing::Test {
 protected:
  std::string adapter(const std::string& text) const {
    return python(
        folder_.write("adapter.py", "from assay_target import serve\nimport random\n" + text));
  }
  CommandResult try_mechanism(int status, const std::string& text) const {
    return try_it(status, adapter(text), "--kind mechanism");
  }
  TemporaryFolder folder_;
};

TEST_F(TryCommand, ShowsTenRunsOfFiveLinesAroundAClass) {
  const auto run = try_it(0, python(kAdapters + "select_update.py"), "--arms 3 --horizon 20");
  EXPECT_EQ(run.err, "");
  EXPECT_THAT(run.out, StartsWith("Ten runs; ready for an audit\n"));
  EXPECT_THAT(run.out,
              HasSubstr("Name        armory.Explorer; it promises that seeds determine its runs"));
  EXPECT_THAT(run.out,
              HasSubstr(R"(Greeting    {"assay_protocol":1,"shape":{"arms":3,"horizon":20)"));
  EXPECT_THAT(run.out, HasSubstr("\nInput D     "));
  EXPECT_THAT(run.out, HasSubstr(" 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, "));
  EXPECT_THAT(run.out, HasSubstr("(arm 0: "));
  // What the library prints is on standard error, all of it.
  EXPECT_THAT(
      run.out,
      HasSubstr("Standard error\n  armory 2.1: thank you for choosing armory\n  arm 1 paid"));
  EXPECT_THAT(
      run.out,
      HasSubstr(
          "An audit    up to 23,368 runs to search, learn and check, and 16,630 to certify:"));
}

TEST_F(TryCommand, TheExampleThatFitsFirstRuns) {
  const auto run = try_it(0, python(kAdapters + "fit_predict.py"), "--horizon 12");
  EXPECT_THAT(run.out, HasSubstr(" 0, 1, 0, 1, 0, 1, 0, 1"));
}

TEST_F(TryCommand, TablesAreShownByRoundsAndOutputsByTheirKind) {
  const auto duels = try_it(0, example("dueling.py"), "--kind dueling --arms 3 --horizon 4");
  EXPECT_THAT(
      duels.out,
      HasSubstr("Input D     round 1: 0, 1 x 2, 0 x 2, 1, 0 x 3; rounds 2 to 4: 0, 1, 0 x 3,"));
  EXPECT_THAT(duels.out, HasSubstr(" 0-"));
  const auto best = try_it(0, example("best_arm.py"), "--kind best-arm --arms 4 --horizon 12");
  EXPECT_THAT(best.out, HasSubstr("; recommends"));
}

TEST_F(TryCommand, JsonFollowsItsSchemaAndOnlyMetaDiffers) {
  const auto text = [&](const std::string& file) {
    const auto run = try_it(0, example("naive_gaussian.py"),
                            {"--kind", "mechanism", "-w", folder_.file(file), "--format", "json"});
    expect_valid("try-report.schema.json", read_file(folder_.file(file)));
    auto report = nlohmann::json::parse(run.out);
    EXPECT_EQ(report.at("runs").size(), 10U);
    EXPECT_GT(report.at("meta").at("run_seconds"), 0.0);
    report.erase("meta");
    return report.dump();
  };
  EXPECT_EQ(text("one.json"), text("two.json"));
}

TEST_F(TryCommand, MistakesAreToldApart) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"serve(lambda v, shape, seed: v[0] + random.Random(42).gauss(0, 1))",
       "the target adds no noise on these inputs: with "},
      {"state = random.Random(0)\nserve(lambda v, shape, seed: v[0] + state.gauss(0, 1))",
       "a fresh process gave the same outputs in the same order although"},
      {"import os\nstart = os.urandom(8)\n"
       "serve(lambda v, shape, seed: v[0] + random.Random(start).gauss(0, 1))",
       "all runs of one process were alike, but a fresh process gave other"},
      {"first = []\n"
       "def play(v, shape, seed):\n"
       "    first.append(seed)\n"
       "    return v[0] + random.Random(first[0]).gauss(0, 1)\n"
       "serve(play, seeded=True)",
       "all runs of one process were alike, but a fresh process gave other"},
      {"import secrets\nserve(lambda v, s, seed: v[0] + secrets.randbelow(1000000), seeded=True)",
       "its greeting says \"seeded\": true, but the same seeds gave other"}};
  for (const auto& [code, message] : mistakes) {
    const auto run = try_mechanism(3, code);
    EXPECT_THAT(run.out, AllOf(StartsWith("Ten runs; there is a mistake to correct"),
                               HasSubstr("\nMistake     "), HasSubstr(message)))
        << code;
  }
  const std::pair<const char*, const char*> hints[] = {
      {"serve(lambda v, shape, seed: 7)", "every run gave the same output, on both inputs"},
      {"serve(lambda v, shape, seed: random.gauss(0, 1), seeded=True)",
       "the output never depended on the input in these runs"},
      {"serve(lambda v, shape, seed: v[0] + random.gauss(0, 1))",
       "the same seeds gave the same outputs: it may say \"seeded\": true"}};
  for (const auto& [code, message] : hints) {
    const auto run = try_mechanism(0, code);
    EXPECT_THAT(run.out,
                AllOf(HasSubstr("\nNoticed     "), HasSubstr(message), Not(HasSubstr("Mistake"))));
  }
  const auto meant = try_mechanism(0, "serve(lambda v, shape, seed: v[0], deterministic=True)");
  EXPECT_THAT(meant.out, AllOf(HasSubstr("declared deterministic"), Not(HasSubstr("Mistake"))));
}

TEST_F(TryCommand, AFailureComesWithWhatWasSeenAndAllOfStandardError) {
  const auto run = try_mechanism(4,
                                 "calls = []\n"
                                 "def play(values, shape, seed):\n"
                                 "    calls.append(seed)\n"
                                 "    print('call', len(calls))\n"
                                 "    if len(calls) == 3: raise ValueError('no luck')\n"
                                 "    return values[0]\n"
                                 "serve(play)\n");
  EXPECT_THAT(run.out, StartsWith("Failed after 2 runs\n"));
  EXPECT_THAT(run.out, HasSubstr("Standard error\n  call 1\n  call 2\n  call 3\n  Traceback"));
  EXPECT_THAT(run.err,
              StartsWith("assay: message 3: the target's answer reports an error: run 1 (seed "));
  EXPECT_THAT(
      run.err,
      HasSubstr("ValueError: no luck (adapter.py:7, in play); its last lines on standard error:"));
  EXPECT_THAT(run.err, HasSubstr("\n    ValueError: no luck\n"));
}

TEST_F(TryCommand, ABannerWithoutTheModuleNamesTheWayOut) {
  const auto run = try_it(4, "sh -c 'echo Welcome; cat'");
  EXPECT_THAT(run.err, HasSubstr("is not JSON: Welcome\n  standard output is only for answers"));
  EXPECT_THAT(try_it(4, "cd /tmp").err,
              HasSubstr("there is no shell: for a shell command use sh -c"));
}

// The module's folder ends the path: what is the user's own comes first.
TEST_F(TryCommand, AModuleOfTheUserComesFirst) {
  folder_.write("assay_target.py", "import sys\nsys.exit('my own')\n");
  const auto run = try_mechanism(4, "");
  EXPECT_THAT(run.err, HasSubstr("its last line on standard error: my own"));
}

TEST_F(TryCommand, BadWordsAreUsageErrors) {
  expect_each_refused(
      "try",
      {{"", "a dry run takes one target: give --exec COMMAND or --plugin FILE"},
       {"--exec a --plugin b", "a dry run takes one target"},
       {"--exec a --claim eps=1", "--claim"},
       {"--exec a --arms 1", "--arms must be 2 to 1024, not 1"},
       {"--exec a --format html", "format must be"},
       {"--exec a --kind mechanism --arms 3",
        "--arms is for external targets that choose actions, and has no effect on a dry run of an "
        "external mechanism"}});
}

}  // namespace
}  // namespace assay

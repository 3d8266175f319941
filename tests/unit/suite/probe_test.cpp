#include "assay/auditors/suite/probe.hpp"

#include <filesystem>

#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/suite/entry_jobs.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

std::string example(const std::string& words) {
  return std::string(ASSAY_PYTHON) + " " + ASSAY_SOURCE_DIR "/examples/targets/" + words;
}

class Probe : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text, bool runs = false) const {
    const auto path = folder_.write(name, text);
    if (runs) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string error(const std::string& word, const ProbeLimits& limits = {}) const {
    return error_of(probe(word, limits)).message;
  }
  TemporaryFolder folder_;
};

// The only entry of the starter, as a suite's reader takes it.
SuiteEntry starter_entry(const ProbeResult& probed) {
  const TemporaryFolder folder;
  const auto suite = read_suite(folder.write("assay.toml", starter_suite(probed)));
  EXPECT_TRUE(suite) << suite.error().to_string() << "\n" << starter_suite(probed);
  if (!suite) return {};
  EXPECT_EQ(suite->entries.size(), 1U);
  const SuiteEntry& entry = suite->entries.front();
  EXPECT_EQ(entry.tier, Tier::kSmoke);
  EXPECT_THAT(entry.tags, ElementsAre("smoke"));
  return entry;
}
bool states_a_claim(const SuiteEntry& entry) { return !word_of(entry, "claim").empty(); }

TEST_F(Probe, ReadsCasesByTheirNames) {
  const auto probed = must(probe("thompson-sampling"));
  EXPECT_EQ(probed.kind, ProbedKind::kCase);
  const auto entry = starter_entry(probed);
  EXPECT_EQ(word_of(entry, "case"), "thompson-sampling");
  EXPECT_EQ(entry.id, "thompson-sampling");
  EXPECT_FALSE(states_a_claim(entry));
  EXPECT_THAT(starter_suite(probed), HasSubstr("checked against its own guarantee: mu = "));
}

TEST_F(Probe, OfEveryCaseTheStarterReadsAndStatesNoClaim) {
  for (const auto& one : audit_cases()) {
    const auto probed = must(probe(std::string(one->id())));
    EXPECT_FALSE(states_a_claim(starter_entry(probed)));
    // A case that promises nothing has none to fall back on.
    const bool promises = one->prepare({}).has_value();
    EXPECT_EQ(starter_suite(probed).find("STATE what") == std::string::npos, promises) << one->id();
  }
}

TEST_F(Probe, GreetsTheExamplesAndNamesTheirKind) {
  const std::pair<const char*, InputKind> examples[] = {
      {"epsilon_greedy.py --leak", InputKind::kBandit},
      {"naive_gaussian.py", InputKind::kMechanism},
      {"stopping.py", InputKind::kBestArm}};
  for (const auto& [words, kind] : examples) {
    SCOPED_TRACE(words);
    const auto probed = must(probe(example(words)));
    EXPECT_EQ(probed.kind, ProbedKind::kProgram);
    ASSERT_EQ(probed.shapes.size(), 1U);
    EXPECT_EQ(probed.shapes[0].kind, kind);
    EXPECT_EQ(probed.shapes[0].stops, kind == InputKind::kBestArm);  // it refuses all others
    EXPECT_TRUE(probed.seeded);
    const auto entry = starter_entry(probed);
    EXPECT_EQ(word_of(entry, "exec"), example(words));
    EXPECT_EQ(word_of(entry, "kind"), detail::value_text(kind));
    EXPECT_EQ(word_of(entry, "horizon").empty(), kind == InputKind::kMechanism);
    EXPECT_FALSE(states_a_claim(entry));
    // What is left to state is said, and nothing else.
    EXPECT_THAT(prepare_entry(entry, {}), IsRefused("an external target needs --claim"));
    EXPECT_THAT(starter_suite(probed), HasSubstr("STATE what the policy guarantees"));
  }
}

TEST_F(Probe, TheStarterHasTheMeasuredBudgetOrSaysWhyItHasNone) {
  const auto probed = must(probe(example("naive_gaussian.py")));
  StarterTerms terms;
  terms.failure = "the target ended";
  EXPECT_THAT(
      starter_suite(probed, terms),
      AllOf(HasSubstr("# The dry run failed"), HasSubstr("\n# the target ended\nsamples = 1000")));
  terms.mistakes = {"all runs share an object"};
  EXPECT_THAT(starter_suite(probed, terms),
              HasSubstr("# MISTAKE, to correct before this entry means anything (`assay try` shows "
                        "more):\n#   all runs share an object\n[[audit]]\n"));
  terms = {"eps=0.5", StarterBudget{"eps=0.5", 70'000, 90.0, 2, 0.75, {}, 0.0}, ""};
  const std::string measured = starter_suite(probed, terms);
  EXPECT_THAT(measured,
              AllOf(HasSubstr("\nclaim = \"eps=0.5\"\n"), HasSubstr("\nsee = 0.75 "),
                    HasSubstr("\nruns = 70000   # at most about 90 s here, with 2 threads\n"),
                    HasSubstr("\ntier = \"full\"")));
  terms.budget->seconds = 3.0;
  EXPECT_THAT(starter_suite(probed, terms), HasSubstr("\ntier = \"smoke\""));
  terms.budget->too_small = 0.75;
  terms.budget->too_long = 86400.0 * 3.0;
  EXPECT_THAT(
      starter_suite(probed, terms),
      HasSubstr(
          "# To see a leak of 0.75, as it should for the claim eps=0.5, takes about 3 days. "));
  terms.budget->too_long = std::numeric_limits<double>::infinity();
  EXPECT_THAT(starter_suite(probed, terms), HasSubstr("takes more runs than an audit may have. "));
}

TEST_F(Probe, LoadsAPlugInByItsSymbol) {
  const std::string library = folder_.file("leaky.so");
  const std::string build = "cc -shared -fPIC -I" + std::string(ASSAY_BINARY_DIR) + "/include " +
                            ASSAY_SOURCE_DIR "/examples/targets/leaky_counter.c -lm -o " + library;
  ASSERT_EQ(run_command({"/bin/sh", "-c", build}).status, 0);
  EXPECT_EQ(defines_symbol(library, "assay_policy_v1_get"), true);
  EXPECT_EQ(defines_symbol(library, "assay_policy_v1"), false);
  EXPECT_EQ(defines_symbol(library, "malloc"), false);  // used, not defined
  const auto probed = must(probe(library));
  EXPECT_EQ(probed.kind, ProbedKind::kPlugin);
  EXPECT_EQ(probed.name, "leaky counter");
  ASSERT_EQ(probed.shapes.size(), 1U);
  EXPECT_EQ(probed.shapes[0].kind, InputKind::kBandit);
  EXPECT_EQ(word_of(starter_entry(probed), "plugin"), library);
  // Cut anywhere it is no such library, and nothing breaks.
  const std::string bytes = read_file(library);
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 16) {
    EXPECT_NE(defines_symbol(write("cut.so", bytes.substr(0, size)), "assay_policy_v1_get"), true);
  }
}

TEST_F(Probe, ReadsTheShapeOfRecordedRuns) {
  const std::string file = write("old.ndjson",
                                 "{\"assay_transcripts\": 1, \"shape\": {\"kind\": \"bandit\", "
                                 "\"arms\": 3, \"horizon\": 2}}\n[0, 2]\n[1, 1]\n");
  const auto probed = must(probe(file));
  EXPECT_EQ(probed.kind, ProbedKind::kRecorded);
  EXPECT_EQ(probed.shapes[0].arms, 3);
  EXPECT_THAT(word_of(starter_entry(probed), "transcripts"), StartsWith(file));
  write("old.ndjson", "{\"assay_transcripts\": 1, \"shape\": {\"kind\": \"bandit\"}}\n[0]\n");
  EXPECT_THAT(error(file), HasSubstr("lacks arms"));
}

TEST_F(Probe, SaysWhatWasTriedAndWhatItAnswered) {
  EXPECT_THAT(error("thompson-samplin"), HasSubstr("did you mean 'thompson-sampling'?"));
  EXPECT_THAT(error("thompson-samplin"), HasSubstr("as a program (docs/protocol.md) it was"));
  EXPECT_THAT(error(""), HasSubstr("name a case, a file or a command"));
  EXPECT_THAT(error(folder_.path().string()), HasSubstr("and a folder"));
  EXPECT_THAT(error(write("junk.bin", std::string("\x7f"
                                                  "ELF\0\1\2junk",
                                                  11))),
              HasSubstr("no file that may be executed"));
  EXPECT_THAT(error(write("policy.py", "print('hello')\n")),
              HasSubstr("a script needs its interpreter, as in \"python3 policy.py\""));
  EXPECT_THAT(error("/bin/cat"),
              HasSubstr("it was offered a bandit with 2 arms: greeting: the target's answer must"));
  EXPECT_THAT(error("/bin/cat"), HasSubstr("a binary that does not define assay_policy_v1_get"));
  EXPECT_THAT(error("/bin/false"), HasSubstr("ended with status 1 before it answered"));
  EXPECT_THAT(error("/bin/echo hello"), HasSubstr("is not JSON: hello"));
}

TEST_F(Probe, AProgramThatHangsIsStartedOnce) {
  const std::string log = folder_.file("starts");
  const std::string script =
      write("hangs.sh", "#!/bin/sh\necho started >> '" + log + "'\nexec sleep 60\n", true);
  ProbeLimits limits{.answer = std::chrono::milliseconds(200)};
  EXPECT_THAT(error(script, limits), HasSubstr("did not answer within 0.200 s"));
  EXPECT_EQ(read_file(log), "started\n");
  std::atomic<bool> cancel = true;
  limits.answer = std::chrono::minutes(10);
  limits.cancel = &cancel;
  const auto refused = error_of(probe(script, limits));
  EXPECT_EQ(refused.code, ErrorCode::kInterrupted);
}

TEST_F(Probe, AProgramThatRunsEverythingIsSaidTo) {
  const std::string script = write("any.py", "#!" + std::string(ASSAY_PYTHON) + R"(
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        shape = message["shape"]
        print(json.dumps({"type": "ready", "name": "any ${HOME} \"\u001b[31m"}), flush=True)
    else:
        width = shape["horizon"] if "horizon" in shape else shape["outputs"]
        outputs = [[0] * width for _ in message["seeds"]]
        print(json.dumps({"type": "plays", "id": message["id"], "outputs": outputs}), flush=True)
)",
                                   true);
  const auto probed = must(probe(script));
  // One output a round is that of three kinds; best-arm and dueling have more.
  ASSERT_EQ(probed.shapes.size(), 4U);
  EXPECT_FALSE(probed.seeded);
  const std::string text = starter_suite(probed);
  EXPECT_THAT(text, HasSubstr("It also accepts experts with 2 arms, contextual with 2 arms, "
                              "mechanism with 1 inputs and 1 outputs"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(starter_entry(probed).id, "any");
}

TEST_F(Probe, AProgramThatStopsIsOfferedAShapeThatMay) {
  const auto probed = must(probe(std::string(ASSAY_PYTHON) + " -c \"" + R"(
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'hello':
        good = message['shape']['kind'] == 'best-arm'
        answer = {'type': 'ready', 'name': 'stops'} if good else {'type': 'error', 'message': 'no'}
    else:
        answer = {'type': 'plays', 'id': message['id'], 'outputs': [[0, 1, 1] for _ in message['seeds']]}
    print(json.dumps(answer), flush=True)
)" + "\""));
  ASSERT_EQ(probed.shapes.size(), 1U);
  EXPECT_EQ(probed.shapes[0].kind, InputKind::kBestArm);
  EXPECT_TRUE(probed.shapes[0].stops);
  EXPECT_EQ(word_of(starter_entry(probed), "stops"), "true");
}

TEST(StarterSuite, QuotesWhatTomlAndSuitesRead) {
  ProbeResult probed{ProbedKind::kProgram, "./a \"b\\c\" ${HOME}\t", "x", {InputShape{}}};
  EXPECT_EQ(word_of(starter_entry(probed), "exec"), "./a \"b\\c\" ${HOME}\t");
}

}  // namespace
}  // namespace assay

// `assay audit` of targets that live outside, as a user meets it.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const std::string kPolicy = python(ASSAY_SOURCE_DIR) + "/examples/targets/epsilon_greedy.py";

Words small_bandit_audit(const std::string& exec) {
  return with({"--exec", exec}, "--arms 3 --horizon 30 --claim eps=1 --see 3 --samples 1000");
}

class AuditOfAProgram : public InAFolder {};

TEST_F(AuditOfAProgram, ConvictsTheExampleWithTheLeak) {
  const auto run = audit_expecting(1, small_bandit_audit(kPolicy + " --leak"));
  EXPECT_THAT(run.out, StartsWith("Violated: eps at delta = 0 is at least "));
  EXPECT_THAT(run.out, HasSubstr("Case        exec: epsilon-greedy"));
}

TEST_F(AuditOfAProgram, DoesNotConvictItWithout) {
  const auto run = audit_expecting(0, small_bandit_audit(kPolicy));
  EXPECT_THAT(run.out, StartsWith("NotRefuted: "));
  EXPECT_THAT(run.out, HasSubstr("would probably have been seen"));
}

TEST_F(AuditOfAProgram, SaysWhichShareOfPlantedLeaksASearchFinds) {
  const auto limits = [](const Words& words) {
    const auto run = run_audit(with(words, "--format json"));
    return nlohmann::json::parse(run.out).at("limits").dump();
  };
  const auto words = small_bandit_audit(kPolicy);
  EXPECT_THAT(limits(words), HasSubstr("planted leaks of at least twice the claim in bandits, "));
  std::string rewards = "1\n";
  for (int t = 1; t < 30; ++t) rewards += "0\n";
  const auto base = folder.write("base.csv", rewards);
  rewards.front() = '0';
  const auto pair =
      with(words, {"--input", base, "--neighbour", folder.write("other.csv", rewards)});
  EXPECT_THAT(limits(pair), Not(HasSubstr("planted")));
}

TEST_F(AuditOfAProgram, TheReproduceCommandGivesTheSameReport) {
  const auto words = with(small_bandit_audit(kPolicy + " --leak"), "--format json --threads");
  const auto first = without_meta(run_audit(with(words, "2")).out);
  const auto seed = first.at("seed").get<std::string>();
  EXPECT_EQ(without_meta(run_audit(with(words, {"1", "--seed", seed})).out), first);
}

TEST_F(AuditOfAProgram, TheReportValidatesAgainstTheSchema) {
  const auto run = audit_expecting(0, with(small_bandit_audit(kPolicy), "--format json"));
  expect_valid("audit-report.schema.json", run.out);
}

// Every kind of message that was said, one of each and each way.
TEST_F(AuditOfAProgram, MessagesFollowTheSchemaOfTheProtocol) {
  const std::string log = folder.file("said.ndjson");
  const std::string record = std::string(ASSAY_PYTHON) + " " +
                             ASSAY_SOURCE_DIR "/tests/support/record_protocol.py " + log + " ";
  const auto first_of_each_type = [&] {
    std::map<std::string, std::string> seen;
    std::ifstream said(log);
    for (std::string line; std::getline(said, line);) {
      if (line.empty()) continue;
      const auto message = nlohmann::json::parse(line);
      seen.emplace(
          message.at("type").get<std::string>() + (message.contains("keys") ? ", keys" : ""), line);
    }
    return seen;
  };
  const std::string mechanism = example("naive_gaussian.py");
  audit_expecting(3, {"--exec", record + mechanism, "--kind", "mechanism", "--claim", "eps=1",
                      "--samples", "100", "--threads", "1"});
  const auto of_mechanism = first_of_each_type();
  EXPECT_EQ(of_mechanism.size(), 5U);
  EXPECT_EQ(of_mechanism.count("ready, keys") + of_mechanism.count("play, keys"), 2U);
  for (const auto& [type, line] : of_mechanism) expect_valid("protocol.schema.json", line);
  // A bandit that is asked for a mechanism refuses.
  audit_expecting(
      4, {"--exec", record + kPolicy, "--kind", "mechanism", "--claim", "eps=1", "--threads", "1"});
  const auto refusal = first_of_each_type();
  ASSERT_EQ(refusal.count("error"), 1U);
  expect_valid("protocol.schema.json", refusal.at("error"));
}

// Unary encoding as libraries of local DP write it: the bits by numpy, the true bit by `random`; exactly 1-DP.
std::string two_generators(const std::string& seeding, const std::string& more = "") {
  return "import sys\nsys.path.insert(0, '" ASSAY_SOURCE_DIR
         "/tests/support/fake_numpy')\nimport math, random, numpy, assay_target\n"
         R"(
def alike(seed):
    random.seed(seed)
def alike_numpy(seed):
    numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32])
def number(key):
    return 2 ** 40 + int(key[:8], 16)
)" + seeding +
         R"(
def play(x, shape, seed):
    bits = [float(u < 1 / (math.e + 1)) for u in numpy.random.random(2)]
    bits[int(x[0])] = float(random.random() < 0.5)
    return bits
assay_target.serve(play, kind="mechanism", name="unary encoding", seeded=True)" +
         more + ")\n";
}

struct SeedingCase {
  const char* seeding;
  const char* more;
  int status;
  const char* headline;
  const char* row;  // of the check
};

// What is seeded in one way only may be one stream there: that convicts nobody.
TEST_F(AuditOfAProgram, TwoGeneratorsThatAreOneStreamInOneSeedingConvictNobody) {
  const std::string by_seeds =
      "assay_target._seed_random, assay_target._seed_numpy = alike, alike_numpy\n";
  const std::string by_keys =
      "assay_target._fill_random = lambda key: alike(number(key))\n"
      "assay_target._fill_numpy = lambda key: alike_numpy(number(key))\n";
  const std::string both = by_seeds + by_keys;
  const SeedingCase cases[] = {
      {"", "", 0, "NotRefuted: ", "ok          two seedings\n"},
      {by_seeds.c_str(), "", 3,
       "Inconclusive: the two seedings disagree: ", "ALARM       two seedings\n"},
      {by_keys.c_str(), "", 3, "Inconclusive: ", "ALARM       two seedings\n"},
      {both.c_str(), "", 1, "Violated: ", "ok          two seedings\n"},
      {by_seeds.c_str(), ", keys=False", 1, "Violated: ", "not checked two seedings\n"}};
  for (const SeedingCase& one : cases) {
    const std::string script = folder.write("target.py", two_generators(one.seeding, one.more));
    const auto run =
        run_audit({"--exec", python(script), "--kind", "mechanism", "--outputs", "2", "--domain",
                   "0:1", "--claim", "eps=1", "--see", "9", "--samples", "600", "--seed", "3"});
    EXPECT_EQ(run.status, one.status) << one.seeding << run.out << run.err;
    EXPECT_THAT(run.out, StartsWith(one.headline));
    EXPECT_THAT(run.out, HasSubstr(one.row)) << one.seeding;
  }
}

// Version 1 of the protocol, word for word: no key is sent, and the report says so.
TEST_F(AuditOfAProgram, OneThatKnowsNoKeysIsSentNone) {
  const std::string script = folder.write("plain.py", R"(
import json, random, sys
sys.stdin.readline()
print(json.dumps({"type": "ready", "name": "plain", "seeded": True}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    if sorted(m) != ["id", "input", "seeds", "type"]:
        print(json.dumps({"type": "error", "message": "sent " + str(sorted(m))}), flush=True)
    outputs = [[m["input"][0] + random.Random(seed).gauss(0, 2)] for seed in m["seeds"]]
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": outputs}), flush=True)
)");
  const auto run = run_audit({"--exec", python(script), "--kind", "mechanism", "--claim", "eps=9",
                              "--samples", "300", "--format", "json"});
  const auto report = nlohmann::json::parse(run.out);
  bool found = false;
  for (const auto& check : report.at("checks")) {
    if (check.at("name") != "two seedings") continue;
    found = true;
    EXPECT_TRUE(check.at("passed").is_null());
    EXPECT_THAT(check.at("meaning").get<std::string>(),
                StartsWith("the target does not take keys"));
  }
  EXPECT_TRUE(found);
}

TEST_F(AuditOfAProgram, AFailingTargetIsExitStatusFour) {
  expect_refused(with("audit", small_bandit_audit("/bin/false")),
                 "greeting: the target ended with status 1 before it answered", 4);
  expect_refused(with("audit", small_bandit_audit("/no/such/program")),
                 "cannot start '/no/such/program'", 4);
  expect_refused(with(with("audit", small_bandit_audit("/bin/sleep 60")), "--answer-time 0.2"),
                 "greeting: the target did not answer within 0.2", 4);
}

TEST_F(AuditOfAProgram, WhatWasCertifiedBeforeAFailureIsReported) {
  const std::string script = folder.write("dies.py", R"(
import json, random, sys
shape = json.loads(sys.stdin.readline())["shape"]
print(json.dumps({"type": "ready", "name": "dies", "seeded": True}), flush=True)
plays = 0
for line in sys.stdin:
    m = json.loads(line)
    plays += len(m["seeds"])
    if plays > 24000:
        print("no answer", flush=True)
    tell = int(m["input"][0])
    out = [[0] + [tell if random.Random(s).random() < 0.95 else 1 - tell] * 9 for s in m["seeds"]]
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": out}), flush=True)
)");
  const std::string base_input = folder.write("old.csv", "0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n");
  const std::string neighbour_input = folder.write("new.csv", "1\n0\n0\n0\n0\n0\n0\n0\n0\n0\n");
  const auto run = audit_expecting(
      4, {"--exec", python(script), "--horizon", "10", "--input", base_input, "--neighbour",
          neighbour_input, "--claim", "eps=1", "--samples", "10000", "--threads", "1"});
  EXPECT_THAT(run.err, HasSubstr("the target's answer is not JSON: no answer"));
  EXPECT_THAT(run.out, StartsWith("Violated: "));
  EXPECT_THAT(run.out, HasSubstr("bets on one event"));
}

// What an output depends on besides: `plays` so far, the input `x`.
std::string mechanism_script(const std::string& output, const std::string& greeting = "") {
  return R"(
import json, math, random, sys
sys.stdin.readline()
print(json.dumps({"type": "ready", "name": "test")" +
         greeting + R"(}), flush=True)
plays = 0
for line in sys.stdin:
    m = json.loads(line)
    x = m["input"][0]
    out = []
    for s in m["seeds"]:
        out.append([)" +
         output + R"(])
        plays += 1
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": out}), flush=True)
)";
}

struct MechanismFiles {
  TemporaryFolder folder;
  Words words(const std::string& script, const std::string& samples) {
    return with(
        with({"--exec", python(folder.write("target.py", script))},
             "--kind mechanism --inputs 1 --outputs 1 --claim eps=1 --threads 1 --samples " +
                 samples),
        {"--input", folder.write("a.csv", "0\n"), "--neighbour", folder.write("b.csv", "1\n")});
  }
};

// docs/decisions/black-box.md, "Processes last for the audit".
TEST_F(AuditOfAProgram, StartsOnceForEachThreadAndTenTimesForItsChecks) {
  const std::string starts = folder.file("starts");
  const std::string script =
      folder.write("target.py", "import random\nopen('" + starts + "', 'a').write('x')\n" + R"(
from assay_target import serve
serve(lambda input, shape, seed: [random.randrange(shape.arms) for _ in input], seeded=True)
)");
  for (const int threads : {1, 3}) {
    std::ofstream(starts, std::ios::trunc);
    audit_expecting(3, with({"--exec", python(script), "--threads", std::to_string(threads)},
                            "--arms 2 --horizon 20 --claim eps=1 --runs 4000"));
    std::ifstream read(starts);
    const std::string seen((std::istreambuf_iterator<char>(read)), {});
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(threads) + 8 + 2);
  }
}

TEST_F(AuditOfAProgram, OneThatDriftsAndNeverReadsItsInputIsNotConvicted) {
  MechanismFiles files;
  for (const char* output : {"0.5 + math.sin(plays / 300.0)", "plays // 7 % 2"}) {
    // Fresh processes say the same at the same place: no randomness to speak of.
    const auto run = run_audit(files.words(mechanism_script(output), "1024"));
    EXPECT_EQ(run.status, 3) << output << run.err;
    EXPECT_THAT(run.out, StartsWith("Inconclusive")) << output;
  }
  const auto blocks = run_audit(files.words(mechanism_script("plays // 1024 % 2"), "1024"));
  EXPECT_THAT(blocks.out, StartsWith("NotRefuted: "));
  EXPECT_THAT(blocks.out, HasSubstr("ALARM       stationary runs"));
  EXPECT_THAT(blocks.out, HasSubstr("ALARM       repeated runs"));
}

TEST_F(AuditOfAProgram, RunsThatAreAllAlikeProveNothingUnlessTheyAreMeantToBe) {
  MechanismFiles files;
  // Randomised response whose seed is fixed in the adapter.
  const std::string fixed = "1 - x if random.Random(42).random() < 0.3 else x";
  const auto run = audit_expecting(3, files.words(mechanism_script(fixed), "200"));
  EXPECT_THAT(run.out, StartsWith("Inconclusive"));
  EXPECT_THAT(run.out, HasSubstr("the target adds no noise on this input"));
  EXPECT_THAT(run.out, ::testing::Not(HasSubstr("by sampling")));
  const auto meant =
      audit_expecting(1, with(files.words(mechanism_script(fixed), "200"), "--deterministic"));
  EXPECT_THAT(meant.out, HasSubstr("declared deterministic"));
  EXPECT_THAT(meant.out, HasSubstr("--deterministic"));
  audit_expecting(1, files.words(mechanism_script("x", ", \"deterministic\": True"), "200"));
  EXPECT_THAT(run_audit(files.words(mechanism_script("x", ", \"deterministic\": 1"), "200")).err,
              HasSubstr("must have \"deterministic\" true or false"));
  // A mechanism that is constant on one input, and not on the other, leaks.
  audit_expecting(1, files.words(mechanism_script("x * (random.random() < 0.7)"), "500"));
  // And one that is constant whatever its input does not.
  EXPECT_THAT(run_audit(files.words(mechanism_script("7"), "200")).out, StartsWith("Weak: "));
  EXPECT_THAT(run_audit(files.words(mechanism_script("7"), "6000")).out,
              StartsWith("NotRefuted: "));
}

TEST_F(AuditOfAProgram, OneWithoutNoiseIsSaidToBeSoWithinFiftyRuns) {
  const std::string script = folder.write(
      "target.py",
      "import random\nfrom assay_target import serve\n"
      "serve(lambda v, s, seed: [sum(v) + random.gauss(0, 0.0), len(v)], seeded=True)\n");
  const auto words = with({"--exec", python(script)},
                          "--kind mechanism --inputs 4 --outputs 2 --domain 0:1 --claim eps=1");
  const auto run = audit_expecting(3, with(words, "--format json"));
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report.at("verdict"), "Inconclusive");
  EXPECT_THAT(report.at("reason").get<std::string>(),
              StartsWith("the target adds no noise on this input: it promises that seeds decide"));
  EXPECT_LE(report.at("runs").at("all").get<int>(), 50);
  audit_expecting(1, with(words, "--deterministic --runs 2000"));
  const std::string suite = folder.write(
      "assay.toml",
      "schema = \"assay.suite/1\"\nname = \"s\"\n[[audit]]\nid = \"sum\"\nexec = \"" ASSAY_PYTHON
      " target.py\"\nkind = \"mechanism\"\ninputs = 4\noutputs = 2\ndomain = \"0:1\"\n"
      "claim = \"eps=1\"\n");
  const auto failed = run_expecting(1, {"suite", "run", suite, "--history", "none"});
  EXPECT_THAT(failed.out, HasSubstr("no randomness at all: the target adds no noise"));
}

// A domain makes a replaced value of one that moves by at most 1: Laplace noise of scale 1 is convicted then.
TEST_F(AuditOfAProgram, TheLineBelowTheHeadlineSaysWhichInputsAreNeighbours) {
  const std::string script = folder.write(
      "target.py",
      "import random\nfrom assay_target import serve\n"
      "serve(lambda v, s, seed: round(v[0] + random.expovariate(1) - random.expovariate(1)), "
      "seeded=True)\n");
  const Words target = {"--exec", python(script), "--kind", "mechanism"};
  const auto audited = with(target, "--claim eps=1 --runs 4000");
  const auto replaced = audit_expecting(1, with(audited, "--domain 0:10"));
  EXPECT_THAT(
      replaced.out,
      HasSubstr("the claim allows 1\nNeighbours: one value replaced by any other within 0:10\n"));
  const auto moved = audit_expecting(
      0, with(audited, {"--see", "9", "--domain", "0:10", "--neighbours", "l2:1", "--write",
                        folder.file("page.html"), "--write", folder.file("report.json")}));
  const std::string words = "all values move, together by at most 1 in Euclidean norm";
  EXPECT_THAT(moved.out, HasSubstr("\nNeighbours: " + words + "\n"));
  EXPECT_THAT(read_file(folder.file("page.html")), HasSubstr(words));
  EXPECT_EQ(
      nlohmann::json::parse(read_file(folder.file("report.json"))).at("claim").at("neighbours"),
      words);
  EXPECT_THAT(run_audit(audited).out, HasSubstr("\nNeighbours: one value moves by at most 1\n"));
  const auto tried = run_assay(with("try", with(target, "--domain 0:10")));
  EXPECT_THAT(tried.out, HasSubstr("Neighbours  one value replaced by any other within 0:10"));
  EXPECT_THAT(tried.out, HasSubstr("--neighbours l2:1 (values"));
  EXPECT_THAT(run_assay(with("try", with(target, "--domain 0:10 --neighbours l2:1"))).out,
              Not(HasSubstr("--neighbours all")));
}

// The changed reward is told with probability e^rate/(1 + e^rate).
const char* const kTeller = R"(
import json, math, random, sys
truth = 1 / (1 + math.exp(-float(sys.argv[1])))
sys.stdin.readline()
print(json.dumps({"type": "ready", "name": "teller", "seeded": True}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    tell = int(m["input"][0])
    out = [[0, tell if random.Random(s).random() < truth else 1 - tell] for s in m["seeds"]]
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": out}), flush=True)
)";

TEST_F(AuditOfAProgram, SearchesItsFreeParameters) {
  const std::string exec = python(folder.write("teller.py", kTeller)) + " {rate}";
  const auto with = [&](const std::string& claim) {
    return run_audit({"--exec", exec, "--horizon", "2", "--vary", "rate=0.5:2", "--settings", "3",
                      "--claim", claim, "--samples", "2000", "--format", "json"});
  };
  const auto bad = with("eps=1");
  EXPECT_EQ(bad.status, 1) << bad.err;
  const auto report = nlohmann::json::parse(bad.out);
  EXPECT_EQ(report.at("case").at("parameters").at("rate"), 2);
  EXPECT_THAT(report.at("worst_pair").at("found_by").get<std::string>(),
              HasSubstr("24 pairs of inputs and settings by successive halving"));
  EXPECT_THAT(report.at("reproduce").get<std::string>(),
              HasSubstr("--vary rate=0.5:2 --settings 3"));
  const auto good = with("eps=rate");
  EXPECT_EQ(good.status, 0) << good.err << good.out;
}

TEST_F(AuditOfAProgram, LastBitsOfANaiveGaussianAreFoundAndAGridHidesThem) {
  const Words audit = "--kind mechanism --claim eps=1,delta=1e-5 --samples 2000 --exec";
  const auto naive = audit_expecting(1, with(audit, {example("naive_gaussian.py")}));
  EXPECT_THAT(naive.out, HasSubstr("lowest bits"));
  // The noise has the scale of the claim, and only its low bits are wrong.
  EXPECT_THAT(naive.out,
              HasSubstr("\nIf rounded  to multiples of 1e-6: NotRefuted: on this pair, "));
  audit_expecting(0, with(audit, {example("naive_gaussian.py --grid")}));
  const auto rounded =
      audit_expecting(0, with(audit, {example("naive_gaussian.py"), "--round-outputs", "1e-6"}));
  EXPECT_THAT(rounded.out, HasSubstr("Outputs were rounded to multiples of 1e-6"));
}

struct LeakingExample {
  const char* words;  // of the program
  Words audit;
  const char* shape;  // in the report
  Words honest;       // more words for the twin
};

TEST_F(AuditOfAProgram, EveryExampleWithALeakIsConvictedAndItsCounterpartIsNot) {
  const LeakingExample examples[] = {
      // Skips the noise of one pull. Four arms and eight pulls: each arm has one in the first phase.
      {"best_arm.py",
       "--kind best-arm --arms 4 --horizon 8 --samples 500",
       "kind=best-arm, arms=4, horizon=8",
       {}},
      // Actions tell nothing: two arms are pulled in turn until their private means lie apart. With --leak
      // that means of one pull each have noise of scale 0.1, so that rewards (1, 0) end the play with
      // probability 0.988 and (0, 0) with 0.024: P[L1 - L2 > x] = (2 + x) e^-x/4.
      {"stopping.py", "--kind best-arm --horizon 14 --stops --samples 500",
       "kind=best-arm, arms=2, horizon=14, stops=true", "--estimates 2"},
      // A counter that is fed wins alone has no noise before its arm's first win.
      {"dueling.py --width 0.2",
       "--kind dueling --arms 3 --horizon 6 --samples 300",
       "kind=dueling, arms=3, horizon=6",
       {}},
      // The value of one record, without noise, has the sign that the next contexts ask for.
      {"sparse.py",
       "--kind contextual --arms 2 --dimension 2 --horizon 7 --samples 300",
       "kind=contextual, arms=2, horizon=7, dimension=2",
       {}}};
  for (const auto& one : examples) {
    SCOPED_TRACE(one.words);
    const auto audit = with(one.audit, "--claim eps=1 --see 99 --exec");
    const auto leak = audit_expecting(1, with(audit, {example(one.words) + " --leak"}));
    EXPECT_THAT(leak.out, StartsWith("Violated: eps at delta = 0 is at least "));
    EXPECT_THAT(leak.out, HasSubstr(one.shape));
    // Of so few runs, rare events may tell nothing.
    const auto honest = run_audit(with(with(audit, {example(one.words)}), one.honest));
    EXPECT_THAT(honest.out, ::testing::AnyOf(StartsWith("NotRefuted: "), StartsWith("Weak: ")));
  }
}

TEST_F(AuditOfAProgram, ThatTellsNoNumbersAndRunsNotWithoutAStopIsExitStatusFour) {
  const auto best_arm = with({"--exec", example("stopping.py")}, "--kind best-arm --claim eps=1");
  audit_expecting(4, with(best_arm, "--horizon 14 --stops --numbers 1"));
  expect_refused(with("audit", best_arm), "this policy finds best arms and stops", 4);
}

TEST(AuditOfAPlugin, ConvictsTheExample) {
  const TemporaryFolder folder;
  const std::string library = folder.file("counter.so");
  ASSERT_EQ(
      run_command({"/usr/bin/cc", "-shared", "-fPIC", "-O2", "-I" ASSAY_BINARY_DIR "/include", "-o",
                   library, ASSAY_SOURCE_DIR "/examples/targets/leaky_counter.c", "-lm"})
          .status,
      0);
  const auto run = audit_expecting(1, {"--plugin", library, "--horizon", "20", "--claim", "eps=1"});
  EXPECT_THAT(run.out, HasSubstr("Case        plugin: leaky counter"));
  audit_expecting(4, {"--plugin", library, "--arms", "3", "--claim", "eps=1"});
}

TEST(AuditOfRecordedRuns, CountsWhatIsThere) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2, "horizon": 2}})";
  std::string base_text = header + "\n";
  std::string neighbour_text = header + "\n";
  for (int i = 0; i < 900; ++i) {
    base_text += i % 10 == 0 ? "[0, 1]\n" : "[0, 0]\n";
    neighbour_text += i % 10 == 0 ? "[0, 0]\n" : "[0, 1]\n";
  }
  const auto old_file = folder.write("old.ndjson", base_text);
  const auto new_file = folder.write("new.ndjson", neighbour_text);
  const auto run = audit_expecting(1, {"--transcripts", old_file, new_file, "--claim", "eps=1"});
  EXPECT_THAT(run.out, HasSubstr("Case        transcripts: "));
  // The inputs are not known: no pair is shown.
  EXPECT_THAT(run.out, Not(HasSubstr("value 0 of 0")));
  EXPECT_THAT(run.out, Not(HasSubstr("orst pair")));
}

// The shape of recorded outputs is in their files, for options that depend on it and for claims.
TEST(AuditOfRecordedRuns, OfAMechanismMayBeRounded) {
  const TemporaryFolder folder;
  std::string text =
      R"({"assay_transcripts": 1, "shape": {"kind": "mechanism", "inputs": 1, "outputs": 1}})";
  for (int i = 0; i < 300; ++i) text += "\n[" + std::to_string(0.001 * (i % 7)) + "]";
  const auto file = folder.write("plays.ndjson", text + "\n");
  const auto report = folder.file("report.json");
  const auto run =
      audit_expecting(0, {"--transcripts", file, file, "--claim", "mu=1", "--see", "99", "--delta0",
                          "0.001", "--round-outputs", "0.5", "-w", report});
  EXPECT_THAT(run.out, HasSubstr("Outputs were rounded to multiples of 0.5"));
  EXPECT_THAT(run.out, HasSubstr("--delta0 0.001"));
  expect_valid("audit-report.schema.json", read_file(report));
}

TEST_F(AuditOfAProgram, SearchesBesideAnInputThatIsGivenAlone) {
  std::string rewards;
  for (int t = 0; t < 30; ++t) rewards += t % 3 == 0 ? "1\n" : "0\n";
  auto words = small_bandit_audit(kPolicy + " --leak");
  const std::string input = folder.write("mine.csv", rewards);
  words.insert(words.end(), {"--input", input, "--format", "json"});
  const auto run = audit_expecting(1, words);
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_THAT(report.at("worst_pair").at("found_by").get<std::string>(),
              StartsWith("a search of the neighbours of " + input + ", "));
  std::vector<double> mine;
  for (int t = 0; t < 30; ++t) mine.push_back(t % 3 == 0 ? 1.0 : 0.0);
  EXPECT_EQ(report.at("worst_pair").at("base_input"), nlohmann::json(mine));
}

// Adds Laplace noise of scale 1/4 to the number of its records: 4-DP for one record more or fewer.
const std::string kCounter = R"(
import json, random, sys
shape = json.loads(sys.stdin.readline())["shape"]
if shape.get("domain") != "0:1" or shape.get("neighbours") != "add-remove":
    print(json.dumps({"type": "error", "message": "was told " + json.dumps(shape)}), flush=True)
print(json.dumps({"type": "ready", "name": "counter", "seeded": True}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    out = []
    for s in m["seeds"]:
        r = random.Random(s)
        out.append([len(m["input"]) + 0.25 * (r.expovariate(1.0) - r.expovariate(1.0))])
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": out}), flush=True)
)";

TEST_F(AuditOfAProgram, TellsTheTargetItsDomainAndNeighboursAndTheReportThem) {
  const std::string report = folder.file("report.json");
  audit_expecting(1, {"--exec", python(folder.write("c.py", kCounter)), "--kind", "mechanism",
                      "--inputs", "3", "--claim", "eps=1", "--samples", "1000", "--domain", "0:1",
                      "--neighbours", "add-remove", "--write", report});
  const auto json = nlohmann::json::parse(std::ifstream(report));
  EXPECT_EQ(json.at("claim").at("relation"), "add-or-remove-one-record");
  const auto& pair = json.at("worst_pair");
  EXPECT_EQ(pair.at("base_input").size(), 3u);
  EXPECT_EQ(pair.at("neighbour_input").size(), 2u);
  EXPECT_THAT(json.at("reproduce").get<std::string>(),
              HasSubstr("--domain 0:1 --neighbours add-remove"));
  expect_valid("audit-report.schema.json", read_file(report));
}

TEST(AuditOfATarget, BadWordsAreNamed) {
  const TemporaryFolder folder;
  const std::string input = folder.write("in.csv", "0\n1\n2\n");
  const std::string zeros = folder.write("zeros.csv", "0,0\n");
  const std::string far = folder.write("far.csv", "0,2\n");
  expect_each_refused(
      "audit",
      {{{}, "audit needs a case (`assay list cases` names them) or a target"},
       {"--exec a", "an external target needs --claim"},
       {"--exec a --plugin b --claim eps=1", "give one of --exec, --plugin"},
       {"thompson-sampling --exec a --claim eps=1", "CASE is for cases"},
       {"--exec a -p arms=3 --claim eps=1", "-p is for cases"},
       {"--exec a --vary x=0:1 --claim eps=1", "--vary x needs {x} in the command of --exec"},
       {{"--exec", "a {x}", "--vary", "x=1:0", "--claim", "eps=1"},
        "--vary x needs a range LOW:HIGH with LOW below HIGH, not '1:0'"},
       {{"--exec", "a {x}", "--vary", "x=1,b", "--claim", "eps=1"},
        "--vary x needs numbers, LOW:HIGH or A,B,C, not '1,b'"},
       {{"--exec", "a {x}", "--vary", "x=1,2,3", "--settings", "2", "--claim", "eps=1"},
        "--vary makes at least 3 combinations; --settings allows 2"},
       {{"--exec", "a {x}", "--vary", "x=1:2", "--settings", "17", "--claim", "eps=1"},
        "--settings must be at most 16, not 17"},
       {"--exec a --settings 3 --claim eps=1", "--settings is for --vary"},
       {"--plugin a.so --vary x=0:1 --claim eps=1", "--vary is for --exec by the events method"},
       {"--exec a --round-outputs 1 --claim eps=1", "--round-outputs is for external mechanisms"},
       {"--exec a --kind mechanism --estimates 1 --claim eps=1",
        "--estimates is for external targets that choose actions"},
       {"--exec a --numbers 1025 --claim eps=1", "--numbers must be 0 to 1024, not 1025"},
       {"--exec a --see 1 --claim eps=1", "--see must be above the claim, 1, not 1"},
       {{"--exec", "a 'b", "--claim", "eps=1"}, "--exec: the command has an open ' quote"},
       {"--exec a --claim eps=1 --kind bandti", "--kind must be bandit | best-arm"},
       {"--exec a --claim eps=1 --arms 1", "--arms must be 2 to 1024, not 1"},
       {"--exec a --claim eps=1 --method paths", "--method of an external target is events"},
       {"--exec a --claim eps=1 --samples 5", "--samples must be at least 100, not 5"},
       {{"--exec", "a", "--claim", "eps=1", "--neighbour", input},
        "give both --input and --neighbour"},
       {"--exec a --claim eps=1 --domain 1",
        "--domain must be integers or LOW:HIGH, as in 0:1, not '1'"},
       {"--exec a --claim eps=1 --kind dueling --domain 0:1",
        "--domain has no effect on kind dueling: its outcomes are 0 or 1"},
       {"--exec a --claim eps=1 --neighbours add-remove",
        "--neighbours of kind bandit must be one, not add-remove"},
       {"--exec a --claim eps=1 --kind mechanism --neighbours l1:2",
        "--neighbours must be one, all, l2:S or add-remove, not 'l1:2'"},
       {"--exec a --claim eps=1 --kind mechanism --method one-run --neighbours all",
        "--neighbours must be one, not all"},
       {{"--exec", "a", "--claim", "eps=1", "--kind", "mechanism", "--inputs", "2", "--neighbours",
         "all", "--input", zeros, "--neighbour", far},
        "--neighbour: the two inputs are not neighbours by all: value 2 moves from 0 to 2"},
       {{"--exec", "a", "--claim", "eps=1", "--kind", "mechanism", "--inputs", "2", "--domain",
         "-1:1", "--input", zeros, "--neighbour", far},
        "row 1, column 2 must be in [-1, 1], not 2"},
       {{"--exec", "a", "--claim", "eps=1", "--horizon", "3", "--input", input, "--neighbour",
         input},
        "row 3 must be in [0, 1], not 2"},
       {"--transcripts none none --claim eps=1", "none: cannot be read"}});
}

// A constant policy is private, and so is one whose noise was forgotten: the report says which it may be.
TEST_F(AuditOfAProgram, ThatGivesOneOutputWithEverySeedSaysSo) {
  const auto program = [&](const std::string& name, const std::string& more) {
    return python(folder.write(name,
                               "from assay_target import serve\n"
                               "serve(lambda rewards, shape, seed, rng: [1] * len(rewards),"
                               " kind='bandit'" +
                                   more + ")\n"));
  };
  const Words words = "--arms 2 --horizon 5 --claim eps=1";
  const Words constant = with({"--exec", program("constant.py", "")}, words);
  const std::string remark = "every certified run gave the same output, on both inputs";
  const auto report =
      nlohmann::json::parse(audit_expecting(0, with(constant, "--format json")).out);
  EXPECT_THAT(report.at("reason").get<std::string>(), StartsWith(remark));
  EXPECT_THAT(audit_expecting(0, constant).out,
              AllOf(HasSubstr("Why         every certified run gave the same output, on both"),
                    HasSubstr("Next        If the program should be random, draw its noise")));
  EXPECT_THAT(audit_expecting(0, with(constant, "--format html")).out, HasSubstr(remark));
  const auto guessed = run_audit(with(constant, "--method one-run --samples 40 --format json"));
  EXPECT_THAT(nlohmann::json::parse(guessed.out).at("reason").get<std::string>(),
              HasSubstr(remark));
  // Unless it is meant.
  const Words meant = {"--exec", program("meant.py", ", deterministic=True"), "--full"};
  EXPECT_THAT(audit_expecting(0, with(meant, words)).out, Not(HasSubstr("every certified run")));
}

}  // namespace
}  // namespace assay

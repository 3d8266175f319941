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

// A report without its line breaks: between words one space.
std::string unwrapped(const CommandResult& run) {
  std::string out;
  for (const auto& word : Words(run.out)) out += (out.empty() ? "" : " ") + word;
  return out;
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
      {"serve(lambda v, shape, seed: v[0] + random.gauss(0, 1))",
       "the same seeds gave the same outputs: it may say \"seeded\": true"}};
  for (const auto& [code, message] : hints) {
    const auto run = try_mechanism(0, code);
    EXPECT_THAT(run.out,
                AllOf(HasSubstr("\nNoticed     "), HasSubstr(message), Not(HasSubstr("Mistake"))));
  }
  EXPECT_THAT(
      unwrapped(try_mechanism(0, "serve(lambda v, shape, seed: 7)")),
      AllOf(
          HasSubstr(
              "Warning every run gave the same output, on D, D' and inputs with all values 0, all"),
          Not(HasSubstr("Mistake"))));
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

// An adapter that speaks the protocol itself, as those in other languages do. `play` gets the input, the shape and the
// seed; `random` is seeded by nobody.
std::string by_hand(const std::string& text) {
  return "import json\nimport random\nimport sys\n" + text +
         R"(
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        shape = message["shape"]
        answer = {"type": "ready", "name": "by hand"}
    else:
        outputs = [play(message["input"], shape, seed) for seed in message["seeds"]]
        answer = {"type": "plays", "id": message["id"], "outputs": outputs}
    print(json.dumps(answer), flush=True)
)";
}

// A policy for two arms that explores at random.
constexpr const char* kGreedy = R"(
class Greedy:
    def __init__(self, arms=2):
        self.counts, self.sums = [0] * arms, [0.0] * arms
    def choose(self):
        if random.random() < 0.3:
            return random.randrange(len(self.counts))
        means = [s / n if n else 1.0 for s, n in zip(self.sums, self.counts)]
        return means.index(max(means))
    def update(self, arm, reward):
        self.counts[arm] += 1
        self.sums[arm] += reward + random.gauss(0, 1)
)";

class TryBandit : public TryCommand {
 protected:
  CommandResult try_bandit(int status, const std::string& code, const Words& words = {}) const {
    return try_it(status, python(folder_.write("policy.py", code)),
                  with("--arms 2 --horizon 12", words));
  }
  static std::string with_module(const std::string& text) {
    return "from assay_target import serve, serve_policy\nimport random\n" + std::string(kGreedy) +
           text;
  }
};

// Advice on the data would lead away from it.
TEST_F(TryBandit, AMistakeInTheCodeIsCalledOne) {
  const auto run =
      try_bandit(4, with_module("def play(rewards, shape, seed):\n    return rewards.nonsense()\n"
                                "serve(play)\n"));
  EXPECT_THAT(run.err, HasSubstr("a mistake in the program's own code"));
  EXPECT_THAT(run.err, Not(HasSubstr("before its first update")));
  EXPECT_THAT(run.err, Not(HasSubstr("--domain")));
}

TEST_F(TryBandit, AnUndefinedNameIsNamedWithItsPlace) {
  const std::string in_run =
      "from assay_target import serve\n"
      "def play(rewards, shape, seed):\n"
      "    return [random.randrange(2) for r in rewards]\n"
      "serve(play)\n";
  EXPECT_THAT(
      try_bandit(4, in_run).err,
      AllOf(HasSubstr("\n  The program uses the name 'random' at policy.py:3, which it does "
                      "not define: import it, or correct it"),
            Not(HasSubstr("a mistake in the program's own code"))));
  EXPECT_THAT(
      try_bandit(4, "import sys\n\npolicy = Polcy()\n").err,
      HasSubstr("\n  The program uses the name 'Polcy' at line 3, which it does not define"));
}

TEST_F(TryBandit, AGeneratorThatIsSeededOnceIsAMistake) {
  const auto code = [](const std::string& chance) {
    return by_hand(
        "rng = random.Random(7)\n"
        "def play(rewards, shape, seed):\n"
        "    return [int(rng.random() < " +
        chance + ") for reward in rewards]\n");
  };
  // Also if few outputs are possible, of which one is rare.
  const auto rare = by_hand(
      "rng = random.Random(7)\n"
      "def play(rewards, shape, seed):\n"
      "    return [int(rng.random() < 0.15)] * len(rewards)\n");
  for (const auto& text : {code("0.5"), rare}) {
    EXPECT_THAT(unwrapped(try_bandit(3, text)),
                AllOf(StartsWith("Ten runs; there is a mistake to correct"),
                      HasSubstr(" Mistake a fresh process gave the same outputs in the same"),
                      HasSubstr("A seed is fixed when the program starts"),
                      HasSubstr("random.Random(seed)")));
  }
  // A generator that takes the first seed gives independent runs, and other ones in each process.
  const auto first =
      try_bandit(0, by_hand("rng = None\n"
                            "def play(rewards, shape, seed):\n"
                            "    global rng\n"
                            "    rng = rng or random.Random(seed)\n"
                            "    return [rng.randrange(2) for reward in rewards]\n"));
  EXPECT_THAT(unwrapped(first), AllOf(StartsWith("Ten runs; ready for an audit Program"),
                                      HasSubstr(" Noticed one generator serves all runs"),
                                      Not(HasSubstr("it may say"))));
}

TEST_F(TryBandit, AnObjectThatAllRunsShareIsAMistake) {
  // Also one with an unseeded generator of its own, whose runs are no evidence by themselves.
  const std::string own = "policy = Greedy()\nrandom = random.Random()\n";
  for (const std::string shared : {"policy = Greedy()\n", own.c_str()}) {
    EXPECT_THAT(
        try_bandit(4, with_module(shared + "serve_policy(lambda shape: policy)\n")).err,
        AllOf(HasSubstr("make() returned an object that it returned before"),
              HasSubstr("make a new one in each run, as in serve_policy(lambda shape: Policy")));
  }
  const std::string played =
      "policy = Greedy()\n"
      "def play(rewards, shape, seed):\n"
      "    out = []\n"
      "    for reward in rewards:\n"
      "        out.append(policy.choose())\n"
      "        policy.update(out[-1], reward)\n"
      "    return out\n";
  for (const std::string end : {"serve(play)\n", "serve(play, seeded=True)\n"}) {
    EXPECT_THAT(unwrapped(try_bandit(3, with_module(played + end))),
                AllOf(HasSubstr(" Mistake "), HasSubstr("a run depends on the inputs of"),
                      HasSubstr("All runs share an object"),
                      HasSubstr("serve_policy(lambda shape: Policy")));
  }
  EXPECT_THAT(unwrapped(try_bandit(
                  3, by_hand(std::string(kGreedy) + "policy = Greedy()\n"
                                                    "def play(rewards, shape, seed):\n"
                                                    "    random.seed(seed)\n"
                                                    "    out = []\n"
                                                    "    for reward in rewards:\n"
                                                    "        out.append(policy.choose())\n"
                                                    "        policy.update(out[-1], reward)\n"
                                                    "    return out\n"))),
              HasSubstr(" Mistake a run depends on the inputs of the runs before it"));
  EXPECT_THAT(unwrapped(try_bandit(
                  0, with_module("serve_policy(lambda shape: Greedy(shape.arms), seeded=True)\n"))),
              AllOf(StartsWith("Ten runs; ready for an audit Program"), Not(HasSubstr("Warning"))));
  // Normal numbers come in pairs: the second of a run may be the first of the next.
  EXPECT_THAT(
      unwrapped(try_bandit(0, by_hand("spare = []\n"
                                      "def play(rewards, shape, seed):\n"
                                      "    rng = random.Random(seed)\n"
                                      "    out = [spare.pop() if spare else rng.randrange(2)]\n"
                                      "    out += [rng.randrange(2) for reward in rewards[1:]]\n"
                                      "    if not spare: spare.append(rng.randrange(2))\n"
                                      "    return out\n"))),
      AllOf(StartsWith("Ten runs; ready for an audit, with a warning Program"),
            HasSubstr(" Warning a run depends on the runs before it"),
            HasSubstr("If all runs share an object")));
}

TEST_F(TryBandit, AnInputThatIsNotReadIsAWarning) {
  EXPECT_THAT(
      unwrapped(try_bandit(0, by_hand("def play(rewards, shape, seed):\n"
                                      "    rng = random.Random(seed)\n"
                                      "    return [rng.randrange(2) for reward in rewards]\n"))),
      AllOf(StartsWith("Ten runs; ready for an audit, with a warning Program"),
            HasSubstr(" Warning the output never depended on the input"),
            HasSubstr("all rewards 0, all rewards 1"), HasSubstr("it does not read it")));
  EXPECT_THAT(
      unwrapped(
          try_bandit(0, by_hand("def play(rewards, shape, seed): return [0] * len(rewards)\n"))),
      AllOf(HasSubstr(" Warning every run gave the same output, on D, D' and inputs with all"),
            HasSubstr("If the program should be random, it draws no noise, or from a seed "
                      "that is fixed: draw from the seed that comes with each run. In "
                      "Python: rng = random.Random(seed)")));
  // The two inputs of the first pair may give the same outputs.
  EXPECT_THAT(unwrapped(try_bandit(
                  0, by_hand("def play(rewards, shape, seed):\n"
                             "    rng = random.Random(seed)\n"
                             "    low = sum(rewards) < 2\n"
                             "    return [0 if low else rng.randrange(2) for r in rewards]\n"))),
              AllOf(StartsWith("Ten runs; ready for an audit Program"), Not(HasSubstr("Warning"))));
}

TEST_F(TryBandit, ArmsThatCountFromOneAreNamed) {
  constexpr const char* kAdvice =
      "\n  Arms count from 0, so that the last is 1. If the program counts them from 1, return arm - 1, and give "
      "its update arm + 1";
  EXPECT_THAT(
      try_bandit(4, by_hand("def play(rewards, shape, seed):\n"
                            "    rng = random.Random(seed)\n"
                            "    return [rng.randint(1, shape['arms']) for r in rewards]\n"))
          .err,
      AllOf(HasSubstr("must be an action from 0 to 1, not 2"), HasSubstr(kAdvice)));
  EXPECT_THAT(try_bandit(4, with_module("class Shifted(Greedy):\n"
                                        "    def choose(self): return 1 + super().choose()\n"
                                        "    def update(self, arm, reward): pass\n"
                                        "serve_policy(lambda shape: Shifted(shape.arms))\n"))
                  .err,
              AllOf(HasSubstr("there is no arm 2: arms are"), HasSubstr(kAdvice)));
  const std::string never_first = by_hand(
      "def play(rewards, shape, seed):\n"
      "    rng = random.Random(seed)\n"
      "    last, out = 0, []\n"
      "    for reward in rewards:\n"
      "        out.append(1 if rng.random() < 0.3 + 0.4 * last else 2)\n"
      "        last = reward\n"
      "    return out\n");
  EXPECT_THAT(
      unwrapped(try_it(0, python(folder_.write("first.py", never_first)), "--arms 3 --horizon 12")),
      AllOf(HasSubstr(" Warning arm 0 was never chosen in "), HasSubstr("return arm - 1")));
}

TEST_F(TryBandit, RewardsOutsideTheProgramsRangeAreNamed) {
  const auto checked = [](const std::string& condition) {
    return with_module(
        "class Checked(Greedy):\n"
        "    def update(self, arm, reward):\n"
        "        assert " +
        condition +
        ", 'not a rating'\n"
        "        super().update(arm, reward)\n"
        "serve_policy(lambda shape: Checked(shape.arms), seeded=True)\n");
  };
  const auto ratings = checked("1 <= reward <= 5");
  EXPECT_THAT(try_bandit(4, ratings).err,
              AllOf(HasSubstr("AssertionError: not a rating (policy.py:"),
                    HasSubstr("\n  Runs failed on inputs with all rewards 0, rewards spread over"),
                    HasSubstr(" and not with all rewards 1."),
                    HasSubstr("\n  The rewards lie within 0:1. If the program takes another range, "
                              "say --domain LOW:HIGH")));
  EXPECT_THAT(unwrapped(try_bandit(0, ratings, "--domain 1:5")),
              StartsWith("Ten runs; ready for an audit Program"));
  // The first pair of an audit has rewards 0 and 1 only.
  const auto clicks = checked("reward in (0, 1)");
  EXPECT_THAT(unwrapped(try_bandit(3, clicks)),
              AllOf(HasSubstr(" Mistake 10 of 10 runs on inputs with rewards spread over 0:1"),
                    HasSubstr("say --domain integers")));
  EXPECT_THAT(unwrapped(try_bandit(0, clicks, "--domain integers")),
              StartsWith("Ten runs; ready for an audit Program"));
  EXPECT_THAT(
      unwrapped(try_bandit(0, with_module("import assay_target\n"
                                          "class Choosy(Greedy):\n"
                                          "    def update(self, arm, reward):\n"
                                          "        if reward not in (0, 1):\n"
                                          "            raise assay_target.InvalidInput('a click')\n"
                                          "        super().update(arm, reward)\n"
                                          "serve_policy(lambda shape: Choosy(shape.arms))\n"))),
      HasSubstr(" Noticed the program refuses inputs with rewards spread over 0:1"));
  const auto limits = with_module(
      "class Limits(Greedy):\n"
      "    def update(self, arm, reward): super().update(arm, min(max(reward, 0), 1))\n"
      "serve_policy(lambda shape: Limits(shape.arms), seeded=True)\n");
  EXPECT_THAT(unwrapped(try_bandit(0, limits, "--domain -5:5")),
              HasSubstr(" Warning rewards below 0 and above 1 acted like 0 and 1."));
  EXPECT_THAT(unwrapped(try_bandit(0, limits)), Not(HasSubstr("Warning")));
  EXPECT_THAT(unwrapped(try_bandit(
                  0, with_module("serve_policy(lambda shape: Greedy(shape.arms), seeded=True)\n"),
                  "--domain -5:5")),
              AllOf(StartsWith("Ten runs; ready for an audit Program"),
                    HasSubstr("by any other within -5:5")));
}

TEST_F(TryBandit, WhatIsPrintedBesideTheAnswersIsNamed) {
  const auto printing = [&](const std::string& line) {
    return try_bandit(4, by_hand("def play(rewards, shape, seed):\n    " + line +
                                 "\n    return [0] * len(rewards)\n"))
        .err;
  };
  constexpr const char* kAdvice =
      "\n  standard output is only for answers: print everything else to standard error, in Python by "
      "print(..., file=sys.stderr)";
  EXPECT_THAT(printing("print('rewards', rewards)"),
              AllOf(HasSubstr("is not JSON: rewards ["), HasSubstr(kAdvice)));
  EXPECT_THAT(printing("print(shape)"), AllOf(HasSubstr("is not JSON: {'"), HasSubstr(kAdvice)));
  EXPECT_THAT(printing("print(len(rewards))"),
              AllOf(HasSubstr("must be an object with a \"type\": 12"), HasSubstr(kAdvice)));
  EXPECT_THAT(printing("print(json.dumps(shape))"),
              AllOf(HasSubstr("must be an object with a \"type\": {"), HasSubstr(kAdvice)));
  // The module sends it to standard error.
  EXPECT_THAT(
      unwrapped(try_bandit(0, with_module("def play(rewards, shape, seed):\n"
                                          "    print('rewards', rewards)\n"
                                          "    return [random.randrange(2) for r in rewards]\n"
                                          "serve(play)\n"))),
      HasSubstr("Standard error rewards ["));
}

TEST_F(TryBandit, ASlowStartIsNamedWithItsShareOfAnAudit) {
  const auto run =
      try_bandit(0,
                 "import time\ntime.sleep(1.1)\n" +
                     with_module("serve_policy(lambda shape: Greedy(shape.arms), seeded=True)\n"),
                 {"-w", folder_.file("slow.json")});
  EXPECT_THAT(unwrapped(run),
              AllOf(StartsWith("Ten runs; ready for an audit Program"),
                    HasSubstr(" Slow start an audit starts the target 10 times. At 1"),
                    HasSubstr("% of its time. Import only what the policy")));
  const auto text = read_file(folder_.file("slow.json"));
  expect_valid("try-report.schema.json", text);
  EXPECT_THAT(nlohmann::json::parse(text).at("meta").at("slow_start").get<std::string>(),
              HasSubstr("10 times"));
}

TEST_F(TryBandit, APolicyThatCannotActBeforeItsFirstUpdateIsNamed) {
  const std::string choose =
      "        means = {a: s / n for a, (s, n) in enumerate(zip(self.sums, self.counts)) if n}\n"
      "        return max(means, key=means.get)\n";
  EXPECT_THAT(
      try_bandit(4, with_module("class Late(Greedy):\n    def choose(self):\n" + choose +
                                "serve_policy(lambda shape: Late(shape.arms))\n"))
          .err,
      AllOf(
          HasSubstr("ValueError: max() "), HasSubstr(", in choose)"),
          HasSubstr("\n  Runs failed on all inputs that were tried: with all rewards 0"),
          HasSubstr(
              "\n  It failed in its first round. A policy must act before its first update: choose "
              "each arm once first.")));
  EXPECT_THAT(
      try_bandit(4, by_hand("def play(rewards, shape, seed):\n"
                            "    means = {}\n"
                            "    return [max(means, key=means.get) for r in rewards]\n"))
          .err,
      AllOf(HasSubstr("Runs failed on all inputs that were tried"),
            HasSubstr(
                "\n  If the policy cannot act before its first update, let it choose each arm once "
                "first.")));
}

// The command line of an audit works for a dry run, and comes back.
TEST_F(TryCommand, EndsWithTheCommandOfTheAudit) {
  const std::string noisy = adapter(
      "serve(lambda values, shape, seed, rng: [v + rng.random() for v in values], seeded=True,\n"
      "      kind='mechanism')\n");
  const Words target = "--kind mechanism --domain 0:1";
  const auto command = [&](const Words& words) {
    const auto run = try_it(0, noisy, with(with(target, words), "--format json"));
    return nlohmann::json::parse(run.out).at("next").get<std::string>();
  };
  const std::string begin = "assay audit --exec '" + noisy + "' --kind mechanism --domain 0:1";
  EXPECT_EQ(command({}), begin + " --claim eps=1");
  const std::string options =
      " --claim mu=2 --see 3 --delta0 1e-05 --confidence 0.99 --stop-when-decided --failures memory";
  EXPECT_EQ(command(Words(options)), begin + options);
  EXPECT_EQ(command("--time 5 --claim eps=1"), begin + " --time 5 --claim eps=1");
  EXPECT_EQ(command("--method one-run --training 30 --samples 2"),
            begin + " --method one-run --training 30 --samples 2 --claim eps=1");
  const auto varied = try_it(0, noisy + " {x}", with(target, "--vary x=2,3"));
  EXPECT_THAT(unwrapped(varied), AllOf(HasSubstr("adapter.py 2 Name"), HasSubstr("--vary x=2,3"),
                                       HasSubstr("Without --claim, the claim is eps=1")));
}

TEST_F(TryCommand, BadWordsAreUsageErrors) {
  expect_each_refused(
      "try",
      {{"", "a dry run takes one target: give --exec COMMAND or --plugin FILE"},
       {"--exec a --plugin b", "a dry run takes one target"},
       {"--exec a --claim eps=x", "claim"},
       {"--exec a --search 5", "unknown option '--search'"},
       {"--exec a --samples 5", "--samples must be at least 100, not 5"},
       {"--exec a --arms 1", "--arms must be 2 to 1024, not 1"},
       {"--exec a --format html", "format must be"},
       {"--exec a --kind mechanism --arms 3",
        "--arms is for external targets that choose actions, and has no effect on a dry run of an "
        "external mechanism"}});
}

}  // namespace
}  // namespace assay

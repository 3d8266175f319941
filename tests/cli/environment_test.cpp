// The environment of a target is part of what is audited: a stated set, what is named, and nothing else.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// Randomised response whose eps a variable sets, 0.5 where it is not set.
constexpr const char* kResponseByEnvironment = R"(import json, math, os, random, sys
eps = float(os.environ.get("T_EPS", "0.5"))
keep = math.exp(eps) / (1 + math.exp(eps))
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": f"eps {eps}, own {os.environ.get('ASSAY_SEED')}", "seeded": True}
    else:
        bit = message["input"][0] >= 0.5
        outputs = [[float(bit == (random.Random(f"r{s}").random() < keep))] for s in message["seeds"]]
        answer = {"type": "plays", "id": message["id"], "outputs": outputs}
    print(json.dumps(answer), flush=True)
)";

class Environments : public ::testing::Test {
 protected:
  Environments() { script_ = folder_.write("response.py", kResponseByEnvironment); }
  ~Environments() override {
    for (const char* name : {"T_EPS", "T_SECRET", "ASSAY_SEED"}) unsetenv(name);
  }
  std::string exec() const { return ASSAY_PYTHON " -S " + script_; }
  CommandResult on_target(const std::string& command, const Words& more) const {
    auto words =
        with({command, "--exec", exec()}, "--kind mechanism --inputs 1 --outputs 1 --format json");
    if (command != "replay") words = with(words, "--domain 0:1 --runs 1500");
    if (command == "audit") words = with(words, "--claim eps=1 --see 9");
    if (command == "replay") words = with(words, "--old 1 --new 0");
    return run_assay(with(words, more));
  }
  void suite(const std::string& more) const {
    folder_.write("assay.toml",
                  "schema = \"assay.suite/1\"\nseed = 5\n[[audit]]\nid = \"rr\"\nexec = \"" +
                      exec() +
                      "\"\nkind = \"mechanism\"\ninputs = 1\noutputs = 1\n"
                      "domain = \"0:1\"\nclaim = \"eps=1\"\nsee = 9\nplays = 1500\n" +
                      more);
  }
  nlohmann::json run_suite_here(int status) const {
    const auto result = run_assay({"suite", "run", folder_.file("assay.toml"), "--format", "json"});
    EXPECT_EQ(result.status, status) << result.out << result.err;
    auto json = nlohmann::json::parse(result.out, nullptr, false);
    return json.is_discarded() ? nlohmann::json() : json.at("entries").at(0);
  }

  TemporaryFolder folder_;
  std::string script_;
};

TEST_F(Environments, OfATargetAreWhatIsNamed) {
  setenv("T_EPS", "2.5", 1);
  EXPECT_EQ(on_target("audit", {}).status, 0);
  const auto named = on_target("audit", "--env T_EPS");
  EXPECT_EQ(named.status, 1) << named.err;
  EXPECT_THAT(nlohmann::json::parse(named.out).at("reproduce").get<std::string>(),
              HasSubstr("--env T_EPS"));
  EXPECT_EQ(on_target("audit", "--env all").status, 1);
  EXPECT_THAT(on_target("try", {}).out, HasSubstr("eps 0.5"));
  EXPECT_THAT(on_target("try", "--env T_EPS").out, HasSubstr("eps 2.5"));
  // Both plays draw the same number: a small eps lets one part from the other for more of them.
  const auto parted = [&](const Words& more) {
    int rounds = 0;
    for (int seed = 1; seed <= 20; ++seed) {
      const auto result = on_target("replay", with(more, {"--seed", std::to_string(seed)}));
      EXPECT_EQ(result.status, 0) << result.err;
      rounds += nlohmann::json::parse(result.out).at("base_output").at(0) == 1.0 ? 1 : 0;
    }
    return rounds;
  };
  EXPECT_LT(parted({}), 20);
  setenv("T_EPS", "40", 1);
  EXPECT_EQ(parted("--env T_EPS"), 20);
}

TEST_F(Environments, OfAssaysOwnStayBehind) {
  setenv("ASSAY_SEED", "7", 1);
  EXPECT_THAT(on_target("try", "--env all").out, HasSubstr("own None"));
  EXPECT_THAT(on_target("audit", "--env ASSAY_SEED").err,
              HasSubstr("--env 'ASSAY_SEED' is a variable of Assay's own"));
}

TEST_F(Environments, AreAskedForByNamesThatAreSet) {
  for (const char* command : {"audit", "try", "replay"}) {
    const auto unset = on_target(command, "--env T_NONE");
    EXPECT_EQ(unset.status, 2);
    EXPECT_THAT(unset.err, HasSubstr("--env 'T_NONE' is not set"));
  }
  EXPECT_THAT(run_assay("audit laplace --env PATH").err,
              HasSubstr("--env is for external targets that Assay runs"));
  suite("environment = [\"T_NONE\"]\n");
  const auto entry = run_suite_here(2);
  EXPECT_THAT(entry.at("headline").get<std::string>(),
              HasSubstr("environment 'T_NONE' is not set"));
  suite("environment = [\"all\"]\n");
  expect_refused({"suite", "run", folder_.file("assay.toml")},
                 "environment names variables one by one");
}

TEST_F(Environments, AreNamedWhereATargetEndsAtOnce) {
  folder_.write("response.py", "import os\nos.environ['T_SECRET']\n");
  setenv("T_SECRET", "do not print this", 1);
  const auto result = on_target("audit", {});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err, AllOf(HasSubstr("KeyError"), HasSubstr("--env NAME"),
                                Not(HasSubstr("do not print this"))));
}

// A plug-in runs in a process that was forked, not started: it sees no more.
TEST_F(Environments, OfAPlugInAreTheSame) {
  const std::string source = folder_.write("plugin.c", R"(
#include <stdio.h>
#include <stdlib.h>
#include "assay/policies/external/assay_policy_v1.h"
static void* create(const assay_shape_v1* shape, char* error, size_t error_size) {
  (void)shape;
  snprintf(error, error_size, "secret %s, own %s", getenv("T_SECRET") ? "seen" : "not seen",
           getenv("ASSAY_SEED") ? "seen" : "not seen");
  return NULL;
}
static int play(void* instance, const double* input, const uint64_t* seeds, int64_t count,
                double* outputs, char* error, size_t error_size) {
  (void)instance; (void)input; (void)seeds; (void)count; (void)outputs; (void)error; (void)error_size;
  return 1;
}
static void destroy(void* instance) { (void)instance; }
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "curious", 1, create, play, destroy};
  return &policy;
}
)");
  const std::string library = folder_.file("plugin.so");
  const auto compiled = run_command(
      {"/usr/bin/cc", "-shared", "-fPIC", "-I" ASSAY_BINARY_DIR "/include", "-o", library, source});
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  setenv("T_SECRET", "x", 1);
  setenv("ASSAY_SEED", "7", 1);
  const auto said = [&](Words more) {
    more.insert(more.begin(), {"audit", "--plugin", library, "--claim", "eps=1"});
    const auto result = run_expecting(4, more);
    return result.err;
  };
  EXPECT_THAT(said({}), HasSubstr("secret not seen, own not seen"));
  EXPECT_THAT(said("--env T_SECRET"), HasSubstr("secret seen, own not seen"));
  EXPECT_THAT(said("--env all"), HasSubstr("secret seen, own not seen"));
}

// A value that changed is content that changed; one that nobody named decides nothing.
TEST_F(Environments, AreContentOfAnEntry) {
  suite("depends = []\nenvironment = [\"T_EPS\"]\n");
  setenv("T_EPS", "0.5", 1);
  const auto weak = run_suite_here(0);
  setenv("T_EPS", "3", 1);
  const auto strong = run_suite_here(1);
  EXPECT_TRUE(strong.at("reused_from").is_null());
  EXPECT_NE(strong.at("content"), weak.at("content"));
  EXPECT_THAT(strong.dump(), HasSubstr("--env T_EPS"));
  setenv("T_EPS", "0.5", 1);
  EXPECT_EQ(run_suite_here(0).at("content"), weak.at("content"));
  setenv("T_EPS", "3", 1);
  EXPECT_THAT(run_suite_here(1).at("headline").get<std::string>(), HasSubstr("since run 2"));

  // Of what is passed on unasked a change is another content, and no end of a violation.
  setenv("OMP_NUM_THREADS", "1", 1);
  const auto elsewhere = run_suite_here(1);
  unsetenv("OMP_NUM_THREADS");
  EXPECT_NE(elsewhere.at("content"), strong.at("content"));
  EXPECT_THAT(elsewhere.at("headline").get<std::string>(), HasSubstr("since run 2"));
}

TEST_F(Environments, ThatNobodyNamedAreWithheldFromAnEntry) {
  suite("depends = []\n");
  const auto without = run_suite_here(0);
  setenv("T_EPS", "3", 1);
  EXPECT_EQ(run_suite_here(0).at("content"), without.at("content"));
}

}  // namespace
}  // namespace assay

// Interruptions of an audit whose target hangs, and plug-ins that end it, as a user meets them: the exit
// status, the report, and who is left running.
#include <chrono>
#include <csignal>

#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/survivors.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

// Greets, plays as often as asked, starts a grandchild in a session of its own, and hangs.
constexpr const char* kHangs = R"(
import json, subprocess, sys, time
greets, plays = sys.argv[1] == "greets", int(sys.argv[2])
line = sys.stdin.readline()
subprocess.Popen(["sleep", "100"], start_new_session=True)
open(sys.argv[3], "w").close()
if not greets: time.sleep(100)
print(json.dumps({"type": "ready", "name": "hangs", "seeded": True}), flush=True)
for i in range(plays):
    m = json.loads(sys.stdin.readline())
    out = [[0, 0]] * len(m["seeds"])
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": out}), flush=True)
time.sleep(100)
)";

class HangingTarget : public ::testing::Test {
 protected:
  Words words(const std::string& how, const std::string& horizon = "2") const {
    const std::string script = folder_.write("hangs.py", kHangs);
    return {
        ASSAY_CLI,   "audit", "--exec",  python(script) + " " + how + " " + folder_.file("started"),
        "--horizon", horizon, "--claim", "eps=1",
        "--threads", "1"};
  }

  // Starts the command, sends the signals in a row once the target runs, and waits for the end.
  struct Ended {
    int status = -1;
    double seconds = 0.0;  // from the first signal on
  };
  Ended interrupt(const Words& words, const std::vector<int>& signals) const {
    Child child(words, folder_.file("out"), folder_.file("err"));
    for (int i = 0; i < 1000 && !std::filesystem::exists(folder_.file("started")); ++i) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    std::this_thread::sleep_for(milliseconds(500));
    const auto from = std::chrono::steady_clock::now();
    for (const int signal : signals) child.signal(signal);
    const int status = child.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    return {status, took.count()};
  }

  TemporaryFolder folder_;
};

// The limit for an answer is 60 s; 15 s is for a machine that is busy.
TEST_F(HangingTarget, IsInterruptedWhereverItHangs) {
  const std::string mark = mark_children();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const auto& [how, horizon] : {std::pair("hangs 0", "2"), std::pair("greets 0", "2"),
                                       std::pair("greets 0", "1000000")}) {
      std::filesystem::remove(folder_.file("started"));
      const auto ended = interrupt(words(how, horizon), {signal});
      EXPECT_EQ(ended.status, 3) << how << ", signal " << signal;
      EXPECT_LT(ended.seconds, 15.0) << how << ", signal " << signal;
      EXPECT_EQ(read_file(folder_.file("err")), "assay: interrupted\n");
      EXPECT_THAT(survivors(mark), IsEmpty());
    }
  }
}

TEST_F(HangingTarget, ASecondSignalEndsAtOnceAndLeavesNothing) {
  const std::string mark = mark_children();
  for (const int second : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(folder_.file("started"));
    // Two different ones: two alike that wait are one.
    const int first = second == SIGTERM ? SIGINT : SIGTERM;
    const auto ended = interrupt(words("hangs 0"), {first, second});
    // 3: the first was answered before this process came to send the second.
    EXPECT_TRUE(ended.status > 128 || ended.status == 3) << ended.status;
    EXPECT_LT(ended.seconds, 15.0);
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

TEST_F(HangingTarget, DiesWithAssay) {
  const std::string mark = mark_children();
  for (const char* how : {"hangs 0", "greets 0"}) {
    std::filesystem::remove(folder_.file("started"));
    EXPECT_EQ(interrupt(words(how), {SIGKILL}).status, 128 + SIGKILL);
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

class HostilePlugin : public ::testing::Test {
 protected:
  // Plays truthfully until `plays` messages were played, then does what the body says.
  CommandResult audit(int messages, const std::string& body) const {
    const std::string source = folder_.write("plugin.cpp", R"(
#include <stdio.h>
#include <stdlib.h>

#include "assay/policies/external/assay_policy_v1.h"
static int here, messages;
static void* create(const assay_shape_v1*, char*, size_t) { return &here; }
static int play(void*, const double* in, const uint64_t* seeds, int64_t count, double* out, char*,
                size_t) {
  if (++messages > )" + std::to_string(messages) + ") { " + body +
                                                               R"( }
  for (int64_t i = 0; i < count; ++i) {
    out[2 * i] = 0;
    out[2 * i + 1] = seeds[i] % 16 == 0 ? 1 - in[0] : in[0];
  }
  return 0;
}
static void destroy(void*) {}
extern "C" const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "hostile", 1, create, play, destroy};
  return &policy;
}
)");
    const std::string library = folder_.file("plugin.so");
    EXPECT_EQ(run_command({"/usr/bin/c++", "-shared", "-fPIC", "-I" ASSAY_BINARY_DIR "/include",
                           "-o", library, source})
                  .status,
              0);
    const auto base_input = folder_.write("old.csv", "0\n0\n");
    const auto neighbour_input = folder_.write("new.csv", "1\n0\n");
    return run_assay({"audit", "--plugin", library, "--horizon", "2", "--input", base_input,
                      "--neighbour", neighbour_input, "--claim", "eps=1", "--samples", "10000",
                      "--threads", "1", "--answer-time", "2"});
  }
  TemporaryFolder folder_;
};

TEST_F(HostilePlugin, EndsWithStatusFourAndWords) {
  const std::string mark = mark_children();
  const std::array<std::pair<const char*, const char*>, 5> bodies{{
      {"exit(0);", "the plug-in ended with status 0 before it answered"},
      {"throw 42;", "the plug-in threw something that is not a std::exception"},
      {"abort();", "the plug-in was ended by signal 6"},
      {"for (volatile int i = 0;; i = i + 1) {}", "the plug-in did not answer within 2"},
      {"fputs(\"oh\\n\", stderr); exit(1);", "its last line on standard error: oh"},
  }};
  for (const auto& [body, message] : bodies) {
    const auto run = audit(0, body);
    EXPECT_EQ(run.status, 4) << body;
    EXPECT_THAT(run.out, StartsWith("Inconclusive: the target failed before anything")) << body;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

TEST_F(HostilePlugin, WhatWasCertifiedBeforeIsReported) {
  const auto run = audit(2000, "for (volatile int i = 0;; i = i + 1) {}");
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, HasSubstr("the plug-in did not answer within 2"));
  EXPECT_THAT(run.out, StartsWith("Violated: "));
}

TEST_F(HostilePlugin, WhatItPrintsStaysOffTheReport) {
  const auto quiet = audit(0, "");
  const auto loud =
      audit(0, "printf(\"forged\\n\"); fflush(stdout); fputs(\"forged\\n\", stderr);");
  EXPECT_EQ(quiet.status, 1) << quiet.err;
  EXPECT_EQ(loud.status, 1) << loud.err;
  EXPECT_THAT(loud.out, ::testing::Not(HasSubstr("forged")));
  EXPECT_EQ(loud.err, quiet.err);
}

TEST(AuditOfATarget, TablesTooLargeAreRefusedBeforeTheyAreBuilt) {
  Words words = "audit --exec /bin/true --arms 1000 --horizon 1000 --claim eps=1 --kind";
  auto dueling = words, contextual = words;
  dueling.push_back("dueling");
  contextual.insert(contextual.end(), {"contextual", "--dimension", "1000"});
  for (const auto& large : {dueling, contextual}) {
    const auto run = run_expecting(2, large);
    EXPECT_THAT(run.err, HasSubstr("arms 1000 and horizon 1000"));
    EXPECT_THAT(run.err, HasSubstr("must be at most 4000000"));
  }
}

TEST(AuditOfATarget, AFileThatIsNoTournamentIsNamedByRowAndPair) {
  const TemporaryFolder folder;
  const auto ones = folder.write("ones.csv", "0,1,0,0\n0,1,1,0\n");
  const auto good = folder.write("good.csv", "0,1,0,0\n0,1,0,0\n");
  expect_refused({"audit", "--exec", "/bin/true", "--kind", "dueling", "--arms", "2", "--horizon",
                  "2", "--claim", "eps=1", "--input", good, "--neighbour", ones},
                 "ones.csv: row 2, pair (0, 1) must have one winner, not two");
}

}  // namespace
}  // namespace assay

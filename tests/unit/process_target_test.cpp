// Targets in processes of their own, well-behaved and hostile: every misbehaviour is an error in words,
// in bounded time, and nothing survives it.
#include "assay/policies/external/process_target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPreamble = R"(
import json, os, sys, time
def lines():
    for line in sys.stdin:
        yield json.loads(line)
def say(answer):
    print(json.dumps(answer), flush=True)
def ready():
    say({"type": "ready", "name": "test"})
def plays(m, action=0, width=4):
    say({"type": "plays", "id": m["id"], "outputs": [[action] * width for _ in m["seeds"]]})
it = lines()
hello = next(it)
)";

TargetShape small_bandit() {
  TargetShape shape;
  shape.arms = 3;
  shape.horizon = 4;
  return shape;
}

InputTable zeros(const TargetShape& shape) {
  return {shape.rows(), shape.columns(),
          std::vector<double>(static_cast<std::size_t>(shape.rows() * shape.columns()), 0.0)};
}

ProcessTargetConfig child(const std::string& body, const TargetShape& shape = small_bandit()) {
  ProcessTargetConfig config;
  config.command = {ASSAY_PYTHON, "-c", std::string(kPreamble) + body};
  config.shape = shape;
  config.limits.answer = milliseconds(10'000);
  return config;
}

std::vector<std::uint64_t> seeds(std::size_t count) {
  std::vector<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), std::uint64_t{1} << 60);
  return out;
}

// The error of the first play, or of the start.
std::string first_error(const ProcessTargetConfig& config) {
  auto target = ProcessTarget::start(config);
  if (!target) {
    EXPECT_EQ(target.error().code, ErrorCode::kTarget);
    return target.error().message;
  }
  const auto batch = (*target)->play(zeros(config.shape), seeds(2));
  EXPECT_FALSE(batch);
  if (batch) return "";
  EXPECT_EQ(batch.error().code, ErrorCode::kTarget);
  return batch.error().message;
}

TEST(ProcessTarget, PlaysInBatchesWithTheSeedsAndTheInput) {
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    say({"type": "plays", "id": m["id"],
         "outputs": [[s % 3, int(m["input"][1]), len(m["seeds"]) % 3, 0] for s in m["seeds"]]})
)"))
                    .value();
  EXPECT_EQ(target->name(), "test");
  EXPECT_FALSE(target->seeded());
  auto input = zeros(small_bandit());
  input.values[1] = 1.0;
  const std::vector<std::uint64_t> two{std::uint64_t{4} << 11, std::uint64_t{5} << 11};
  const auto batch = target->play(input, two).value();
  EXPECT_EQ(batch.count, 2);
  EXPECT_THAT(batch.values, ElementsAre(1, 1, 2, 0, 2, 1, 2, 0));
  EXPECT_EQ(target->play(input, seeds(300)).value().count, 300);
}

// Plain digits have a reader of their own: it and the JSON library agree on what an answer is.
// The text of an input is kept for the next message that has it.
TEST(ProcessTarget, EachMessageCarriesItsOwnInput) {
  TargetShape shape;
  shape.kind = TargetKind::kMechanism;
  shape.inputs = 2;
  shape.outputs = 2;
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    say({"type": "plays", "id": m["id"], "outputs": [m["input"] for _ in m["seeds"]]})
)",
                                           shape))
                    .value();
  const std::vector<std::vector<double>> inputs = {{0.1, -2.0}, {1.0, 1e300}, {0.1, 2.0}};
  for (const std::size_t which : {0U, 1U, 0U, 0U, 1U, 2U, 0U, 2U, 1U, 0U}) {
    const InputTable input{1, 2, inputs[which]};
    EXPECT_EQ(target->play(input, seeds(2)).value().play(1)[1], inputs[which][1]);
  }
}

TEST(ProcessTarget, AnswersMeanTheSameHoweverTheyAreWritten) {
  const char* const written[] = {
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,2]]})",
      R"({ "outputs" : [ [0, 2, 1, 0] , [1, 1, 0, 2] ] , "id" : %d, "type": "plays" } )",
      R"({"id": %d, "outputs": [[0.0, 2e0, 1, 0], [1, 1, 0.0, 20e-1]], "type": "plays"})",
      R"({"type":"pl\u0061ys","id":%d,"outputs":[[0,2,1,0],[1,1,0,2]]})"};
  const char* const refused[] = {
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,02]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,3]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,1.5]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,-1]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0]]})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,2]],"more":1})",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,2]]} 1)",
      R"({"type":"plays","id":%d,"outputs":[[0,2,1,0],[1,1,0,2],]})",
      R"({"type":"plays","id":1%d,"outputs":[[0,2,1,0],[1,1,0,2]]})"};
  const auto answering = [](const char* text) {
    return child("ready()\nfor m in it: print(r'''" + std::string(text) +
                 "''' % m['id'], flush=True)\n");
  };
  for (const char* text : written) {
    auto target = ProcessTarget::start(answering(text)).value();
    const auto batch = target->play(zeros(small_bandit()), seeds(2));
    ASSERT_TRUE(batch) << text << ": " << batch.error().message;
    EXPECT_THAT(batch->values, ElementsAre(0, 2, 1, 0, 1, 1, 0, 2)) << text;
  }
  for (const char* text : refused) EXPECT_NE(first_error(answering(text)), "") << text;
}

TEST(ProcessTarget, ALargeBatchDoesNotBlockEitherSide) {
  auto shape = small_bandit();
  shape.horizon = 500;
  auto target =
      ProcessTarget::start(child("ready()\nfor m in it: plays(m, 1, 500)\n", shape)).value();
  EXPECT_EQ(target->play(zeros(shape), seeds(3000)).value().values.size(), 1'500'000u);
}

TEST(ProcessTarget, AMechanismMayAnswerWithAnyDouble) {
  TargetShape shape;
  shape.kind = TargetKind::kMechanism;
  shape.inputs = 2;
  shape.outputs = 3;
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    say({"type": "plays", "id": m["id"],
         "outputs": [[m["input"][0] + m["input"][1], "-inf", "nan"] for _ in m["seeds"]]})
)",
                                           shape))
                    .value();
  const auto batch = target->play({1, 2, {0.25, -7.5}}, seeds(1)).value();
  EXPECT_EQ(batch.values[0], -7.25);
  EXPECT_EQ(batch.values[1], -HUGE_VAL);
  EXPECT_TRUE(std::isnan(batch.values[2]));
}

TEST(ProcessTarget, ACloneIsAnotherProcess) {
  auto target = ProcessTarget::start(child(R"(
say({"type": "ready", "name": str(os.getpid()), "seeded": True})
for m in it: plays(m)
)"))
                    .value();
  const auto twin = target->clone().value();
  EXPECT_NE(target->name(), twin->name());
  EXPECT_TRUE(target->seeded());
}

TEST(ProcessTarget, TheInputIsCheckedBeforeItIsSent) {
  auto target = ProcessTarget::start(child("ready()\nfor m in it: plays(m)\n")).value();
  auto input = zeros(small_bandit());
  input.values[2] = 1.5;
  EXPECT_EQ(target->play(input, seeds(1)).error().message, "row 3 must be in [0, 1], not 1.5");
  EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(1)));
}

TEST(ProcessTarget, TheExamplePolicyPlays) {
  TargetShape shape;
  shape.arms = 5;
  shape.horizon = 50;
  ProcessTargetConfig config;
  config.command = {ASSAY_PYTHON,
                    std::string(ASSAY_SOURCE_DIR) + "/examples/targets/epsilon_greedy.py"};
  config.shape = shape;
  auto target = ProcessTarget::start(config).value();
  EXPECT_TRUE(target->seeded());
  const auto once = target->play(zeros(shape), seeds(20)).value();
  const auto again = target->play(zeros(shape), seeds(20)).value();
  EXPECT_EQ(once, again);
}

struct Misbehaviour {
  const char* name;
  const char* body;
  const char* message;
};

class HostileTarget : public ::testing::TestWithParam<Misbehaviour> {};

TEST_P(HostileTarget, IsAnErrorInWords) {
  auto config = child(GetParam().body);
  config.limits.answer = milliseconds(1500);
  config.limits.line_bytes = 100'000;
  config.limits.stderr_bytes = 200'000;
  EXPECT_THAT(first_error(config), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostileTarget,
    ::testing::Values(
        Misbehaviour{"CrashAtOnce", "sys.exit(3)",
                     "greeting: the target ended with status 3 before it answered"},
        Misbehaviour{"CrashWithAWord", "raise ValueError('no such arm')",
                     "its last line on standard error: ValueError: no such arm"},
        Misbehaviour{"CrashInAPlay", "ready()\nnext(it)\nos.kill(os.getpid(), 11)",
                     "message 1: the target was ended by signal 11"},
        Misbehaviour{"HangAtTheGreeting", "time.sleep(60)",
                     "greeting: the target did not answer within 1.5"},
        Misbehaviour{"HangInAPlay", "ready()\ntime.sleep(60)",
                     "message 1: the target did not answer within 1.5"},
        Misbehaviour{"Garbage", "print('hello world', flush=True)\ntime.sleep(60)",
                     "greeting: the target's answer is not JSON: hello world"},
        Misbehaviour{"PartialLine",
                     "ready()\nsys.stdout.write('{\"type\": ')\nsys.stdout.flush()\nnext(it)",
                     "message 1: the target ended with status 0 in the middle of a line"},
        Misbehaviour{"EndlessLine", "ready()\nwhile True: sys.stdout.write('x' * 10000)",
                     "sent a line of more than 100000 bytes"},
        Misbehaviour{"NoName", "say({'type': 'ready'})\ntime.sleep(60)", "must carry its \"name\""},
        Misbehaviour{"UnknownField",
                     "say({'type': 'ready', 'name': 'x', 'colour': 1})\ntime.sleep(60)",
                     "has the unknown field \"colour\""},
        Misbehaviour{"WrongType",
                     "ready()\nm = next(it)\nsay({'type': 'ready', 'name': 'x'})\ntime.sleep(60)",
                     "message 1: the target's answer must have the type \"plays\", not \"ready\""},
        Misbehaviour{"WrongId", "ready()\nm = next(it)\nm['id'] = 7\nplays(m)\ntime.sleep(60)",
                     "must carry the id 1 of the request"},
        Misbehaviour{"TooFewPlays",
                     "ready()\nm = next(it)\nm['seeds'].pop()\nplays(m)\ntime.sleep(60)",
                     "has 1 outputs, not 2"},
        Misbehaviour{"TooManyActions", "ready()\nplays(next(it), 0, 5)\ntime.sleep(60)",
                     "output 1 has 5 actions, not 4"},
        Misbehaviour{"UnknownAction", "ready()\nplays(next(it), 3)\ntime.sleep(60)",
                     "output 1 entry 1 must be an action from 0 to 2, not 3"},
        Misbehaviour{"FractionalAction", "ready()\nplays(next(it), 0.5)\ntime.sleep(60)",
                     "must be an action from 0 to 2, not 0.5"},
        Misbehaviour{"TextAction", "ready()\nplays(next(it), 'nan')\ntime.sleep(60)",
                     "output 1 entry 1 must be a number"},
        Misbehaviour{"FloodOfStderr", "ready()\nwhile True: sys.stderr.write('x' * 10000)",
                     "wrote more than 200000 bytes to standard error"},
        Misbehaviour{"ClosedOutput", "ready()\nnext(it)\nos.close(1)\ntime.sleep(60)",
                     "message 1: the target closed its standard output before it answered"},
        Misbehaviour{
            "OwnError",
            "ready()\nnext(it)\nsay({'type': 'error', 'message': 'out of luck'})\ntime.sleep(60)",
            "message 1: the target's answer reports an error: out of luck"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(HostileTargets, AFloodOfStderrBelowTheLimitIsHarmless) {
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    sys.stderr.write('x' * 300000)
    plays(m)
)"))
                    .value();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(2)));
}

TEST(HostileTargets, AfterAnErrorTheTargetStaysDead) {
  auto target = ProcessTarget::start(child("ready()\nnext(it)\nsys.exit(0)\n")).value();
  EXPECT_FALSE(target->play(zeros(small_bandit()), seeds(1)));
  EXPECT_THAT(target->play(zeros(small_bandit()), seeds(1)).error().message,
              HasSubstr("has ended"));
}

// A grandchild that ignores the end of its parent is in the group, and dies with it.
TEST(HostileTargets, TheWholeProcessGroupIsKilled) {
  const TemporaryFolder folder;
  const std::string file = folder.file("pid");
  {
    auto config = child("import subprocess\np = subprocess.Popen(['sleep', '60'])\nopen('" + file +
                        "', 'w').write(str(p.pid))\nready()\ntime.sleep(60)\n");
    config.limits.answer = milliseconds(1000);
    auto target = ProcessTarget::start(config).value();
    EXPECT_FALSE(target->play(zeros(small_bandit()), seeds(1)));
  }
  const int grandchild = std::stoi(read_file(file));
  bool alive = true;
  for (int i = 0; i < 100 && alive; ++i) {
    // Reparented: whoever reaps it, it must be gone or a zombie.
    const std::string status = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    alive = !status.empty() && status.find(") Z") == std::string::npos;
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_FALSE(alive);
}

TEST(HostileTargets, AProgramThatIsNotThereIsNamed) {
  ProcessTargetConfig config;
  config.command = {"/no/such/program"};
  EXPECT_EQ(first_error(config), "cannot start '/no/such/program': No such file or directory");
}

TEST(SplitCommand, QuotesKeepWordsTogether) {
  EXPECT_THAT(split_command("python3 policy.py").value(), ElementsAre("python3", "policy.py"));
  EXPECT_THAT(split_command("  a 'b c' \"d 'e\" f\\ g '' ").value(),
              ElementsAre("a", "b c", "d 'e", "f g", ""));
  EXPECT_THAT(split_command("echo $HOME `ls` ; rm").value(),
              ElementsAre("echo", "$HOME", "`ls`", ";", "rm"));
  EXPECT_EQ(split_command("a 'b").error().message, "the command has an open ' quote");
  EXPECT_EQ(split_command("   ").error().message, "the command names no program");
}

TEST(TargetShapes, WidthsAndTablesFollowTheKind) {
  TargetShape shape;
  shape.arms = 3;
  shape.horizon = 10;
  shape.dimension = 2;
  const auto sizes = [&](TargetKind kind) {
    shape.kind = kind;
    return std::vector<std::int64_t>{shape.rows(), shape.columns(), shape.width()};
  };
  EXPECT_THAT(sizes(TargetKind::kBandit), ElementsAre(10, 1, 10));
  EXPECT_THAT(sizes(TargetKind::kBestArm), ElementsAre(10, 3, 11));
  EXPECT_THAT(sizes(TargetKind::kDueling), ElementsAre(10, 9, 20));
  EXPECT_THAT(sizes(TargetKind::kExperts), ElementsAre(10, 3, 10));
  EXPECT_THAT(sizes(TargetKind::kContextual), ElementsAre(10, 9, 10));
  EXPECT_THAT(sizes(TargetKind::kMechanism), ElementsAre(1, 1, 1));
}

}  // namespace
}  // namespace assay

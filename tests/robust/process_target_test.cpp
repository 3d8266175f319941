// Targets in processes of their own, well-behaved and hostile: every misbehaviour is an error in words,
// in bounded time, and nothing survives it.
#include "assay/policies/external/process_target.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/no_namespaces.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/survivors.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

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
def to_parent(signal):  # to the child of the test, whose number it was given, and to nobody else
    parent = os.getppid()
    with open(f"/proc/{parent}/stat") as file:
        above = int(file.read().rpartition(') ')[2].split()[1])
    if parent > 1 and above == int(sys.argv[1]):
        os.kill(parent, signal)
)";

InputShape small_bandit() { return InputShape{.arms = 3, .horizon = 4}; }

InputTable zeros(const InputShape& shape) {
  return {shape.rows(), shape.columns(),
          std::vector<double>(static_cast<std::size_t>(shape.rows() * shape.columns()), 0.0)};
}

ProcessTargetConfig child(const std::string& body, const InputShape& shape = small_bandit()) {
  ProcessTargetConfig config{
      .command = {ASSAY_PYTHON, "-c", std::string(kPreamble) + body, std::to_string(getpid())},
      .shape = shape};
  config.limits.answer = milliseconds(10'000);
  return config;
}

std::vector<std::uint64_t> seeds(std::size_t count) {
  std::vector<std::uint64_t> out(count);
  std::iota(out.begin(), out.end(), std::uint64_t{1} << 60);
  return out;
}

// The error of the first play, what its first run that failed did, or the error of the start.
std::string first_error(const ProcessTargetConfig& config) {
  auto target = ProcessTarget::start(config);
  if (!target) {
    EXPECT_EQ(target.error().code, ErrorCode::kTarget);
    return target.error().message;
  }
  const auto batch = play_or_fail(**target, zeros(config.shape), seeds(2));
  EXPECT_FALSE(batch);
  if (batch) return "";
  EXPECT_EQ(batch.error().code, ErrorCode::kTarget);
  return batch.error().message;
}

TEST(ProcessTarget, RunsInBatchesWithTheSeedsAndTheInput) {
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
  InputShape shape{.kind = InputKind::kMechanism, .inputs = 2, .outputs = 2};
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

TEST(ProcessTarget, ARowOfDuelsIsARowAlsoWhereThereIsOne) {
  const InputShape shape{.kind = InputKind::kDueling, .arms = 2, .horizon = 1};
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    plays(m, int(m["input"] == [[0, 1, 0, 0]]), 2)
)",
                                           shape))
                    .value();
  const InputTable input{1, 4, {0.0, 1.0, 0.0, 0.0}};
  EXPECT_THAT(target->play(input, seeds(1)).value().play(0), ElementsAre(1.0, 1.0));
}

// A play may end early, tell numbers and estimates: lengths and places are read from the shape.
TEST(ProcessTarget, OutputsMayStopAndTellNumbers) {
  const InputShape shape = telling_shape(InputKind::kBestArm, 2, 2);
  const auto answering = [&](const std::string& outputs) {
    return child(
        "assert hello['shape'] == {'kind': 'best-arm', 'arms': 2, 'horizon': 2, 'stops': "
        "True, 'numbers': 1, 'estimates': 1}\nready()\nfor m in it: say({'type': 'plays', "
        "'id': m['id'], 'outputs': " +
            outputs + "})\n",
        shape);
  };
  auto target = ProcessTarget::start(answering("[[0, 0.25, 1, 'inf'], [1, 7]]")).value();
  const auto batch = target->play(zeros(shape), seeds(2)).value();
  EXPECT_EQ(batch.width, 7);
  EXPECT_THAT(told_of(shape, batch.play(0)), ElementsAre(0, 0.25, 1, HUGE_VAL));
  EXPECT_THAT(told_of(shape, batch.play(1)), ElementsAre(1, 7));
  const std::string rounds = "entries, not 2 for each completed round, at most 2, and 2 at the end";
  for (const auto& [outputs, message] : std::vector<std::pair<std::string, std::string>>{
           {"[[], [0, 0]]", "output 1 has 0 " + rounds},
           {"[[0, 0], [0]]", "output 2 has 1 " + rounds},
           {"[[0, 0], [0, 1, 0]]", "output 2 has 3 " + rounds},
           {"[[0] * 6, [0] * 7]", "output 2 has more than 6 entries"},
           {"[[0] * 1000000] * 2", "output 1 has more than 6 entries"},
           {"[[0, 0], ['nan', 0, 0, 0]]",
            "output 2 must have as action of round 1 an action from 0 to 1, not nan"},
           {"[[0, 0], [0, 0, 0, 0, -1, 0]]",
            "output 2 must have as recommendation an action from 0 to 1, not -1"},
           {"[[0, 0], [0, None]]", "output 2 entry 2 must be a number"},
           {"[[0, 0], [0, 'Inf']]", "output 2 entry 2 must be a number"},
           {"[[0, 0], [0, [0]]]", "output 2 entry 2 must be a number"},
           {"[[0, 0]]", "has 1 outputs, not 2"}}) {
    EXPECT_THAT(first_error(answering(outputs)), HasSubstr(message)) << outputs;
  }
}

TEST(ProcessTarget, AMechanismMayTellFewerNumbers) {
  const InputShape shape{.kind = InputKind::kMechanism, .inputs = 1, .outputs = 3, .stops = true};
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    say({"type": "plays", "id": m["id"], "outputs": [[], [0.5, "nan"]]})
)",
                                           shape))
                    .value();
  const auto batch = target->play(zeros(shape), seeds(2)).value();
  EXPECT_THAT(told_of(shape, batch.play(0)), IsEmpty());
  EXPECT_EQ(told_of(shape, batch.play(1)).size(), 2U);
  EXPECT_EQ(batch.play(1)[3], 2.0);
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
    const auto batch = must(target->play(zeros(small_bandit()), seeds(2)));
    EXPECT_THAT(batch.values, ElementsAre(0, 2, 1, 0, 1, 1, 0, 2)) << text;
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
  InputShape shape{.kind = InputKind::kMechanism, .inputs = 2, .outputs = 3};
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
  const auto counterpart = target->clone().value();
  EXPECT_NE(target->name(), counterpart->name());
  EXPECT_TRUE(target->seeded());
}

TEST(ProcessTarget, TheInputIsCheckedBeforeItIsSent) {
  auto target = ProcessTarget::start(child("ready()\nfor m in it: plays(m)\n")).value();
  auto input = zeros(small_bandit());
  input.values[2] = 1.5;
  EXPECT_EQ(target->play(input, seeds(1)).error().message, "row 3 must be in [0, 1], not 1.5");
  EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(1)));
}

TEST(ProcessTarget, TheExamplePolicyRuns) {
  InputShape shape{.arms = 5, .horizon = 50};
  ProcessTargetConfig config{.command = {ASSAY_PYTHON, std::string(ASSAY_SOURCE_DIR) +
                                                           "/examples/targets/epsilon_greedy.py"},
                             .shape = shape};
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

void expect_error_in_words(const Misbehaviour& misbehaviour) {
  auto config = child(misbehaviour.body);
  config.limits.answer = milliseconds(1500);
  config.limits.line_bytes = 100'000;
  config.limits.stderr_bytes = 200'000;
  const std::string mark = mark_children();
  const auto started = std::chrono::steady_clock::now();
  EXPECT_THAT(first_error(config), HasSubstr(misbehaviour.message));
  // Whatever it is, it is noticed by the answer limit; a busy machine gets time to spare.
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  EXPECT_THAT(survivors(mark), IsEmpty());
}

// Only a child without a PID namespace of its own can signal the process that watches it.
TEST_P(HostileTarget, IsAnErrorInWords) {
  const auto check = [] { expect_error_in_words(GetParam()); };
  const bool needs_its_watcher = std::string(GetParam().name).ends_with("WhoWatchesIt");
  needs_its_watcher ? without_namespaces(check) : check();
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostileTarget,
    ::testing::ValuesIn(std::vector<Misbehaviour>{
        {"CrashAtOnce", "sys.exit(3)",
         "greeting: the target ended with status 3 before it answered"},
        {"CrashWithAWord", "raise ValueError('no such arm')", "\n    ValueError: no such arm"},
        {"CrashInAPlay", "ready()\nnext(it)\nos.kill(os.getpid(), 11)",
         "message 1: the target was ended by signal 11"},
        {"CrashWithATrace", "def f(n): return 1 / n if n == 0 else f(n - 1)\nf(30)",
         "its last lines on standard error:\n    Traceback (most recent call last):"},
        {"LongLastWords", "for i in range(100): print('line', i, file=sys.stderr)\nsys.exit(1)",
         "its last lines on standard error:\n    line 80\n    line 81"},
        {"WordsBeforeABadAnswer",
         "print('oh dear', file=sys.stderr, flush=True)\nsay([])\ntime.sleep(60)",
         "its last line on standard error: oh dear"},
        {"SaysNeitherWhetherItTakesKeys",
         "say({'type': 'ready', 'name': 'x', 'keys': 'yes'})\ntime.sleep(60)",
         "greeting: the target's answer must have \"keys\" true or false"},
        {"HangAtTheGreeting", "time.sleep(60)", "greeting: the target did not answer within 1.5"},
        {"DoesNotFlush",
         "sys.stdout = open(1, 'w', 8192)\nready()\nnext(it)\n"
         "print('{}')\ntime.sleep(60)",
         "flush standard output after each answer, print(..., flush=True) in Python, or "
         "allow more time (--answer-time)"},
        {"NoEndOfLine",
         "ready()\nnext(it)\nsys.stdout.write('{}')\nsys.stdout.flush()\n"
         "time.sleep(60)",
         "its answer has no end of line yet"},
        {"Banner", "print('Welcome to armory', flush=True)\nready()",
         "greeting: the target's answer is not JSON: Welcome to armory\n  standard "
         "output is only for answers: print everything else to standard error"},
        {"NotANumber", "ready()\nplays(next(it), float('nan'))\ntime.sleep(60)",
         "JSON has no NaN: write the strings \"nan\", \"inf\" and \"-inf\""},
        {"Infinite", "ready()\nplays(next(it), -float('inf'))\ntime.sleep(60)",
         "JSON has no Infinity"},
        {"HangInAPlay", "ready()\ntime.sleep(60)",
         "message 1: the target did not answer within 1.5"},
        {"Garbage", "print('hello world', flush=True)\ntime.sleep(60)",
         "greeting: the target's answer is not JSON: hello world"},
        {"PartialLine", "ready()\nsys.stdout.write('{\"type\": ')\nsys.stdout.flush()\nnext(it)",
         "message 1: the target ended with status 0 in the middle of a line"},
        {"EndlessLine", "ready()\nwhile True: sys.stdout.write('x' * 10000)",
         "sent a line of more than 100000 bytes"},
        {"NoName", "say({'type': 'ready'})\ntime.sleep(60)", "must carry its \"name\""},
        {"UnknownField", "say({'type': 'ready', 'name': 'x', 'colour': 1})\ntime.sleep(60)",
         "has the unknown field \"colour\""},
        {"WrongType", "ready()\nm = next(it)\nsay({'type': 'ready', 'name': 'x'})\ntime.sleep(60)",
         "message 1: the target's answer must have the type \"plays\", not \"ready\""},
        {"WrongId", "ready()\nm = next(it)\nm['id'] = 7\nplays(m)\ntime.sleep(60)",
         "must carry the id 1 of the request"},
        {"TooFewPlays", "ready()\nm = next(it)\nm['seeds'].pop()\nplays(m)\ntime.sleep(60)",
         "has 1 outputs, not 2"},
        {"TooManyActions", "ready()\nplays(next(it), 0, 5)\ntime.sleep(60)",
         "output 1 has more than 4 actions"},
        {"TooManyPlays", "ready()\nm = next(it)\nm['seeds'].append(1)\nplays(m)\ntime.sleep(60)",
         "has more than 2 outputs"},
        {"TooFewActions", "ready()\nplays(next(it), 0, 3)\ntime.sleep(60)",
         "output 1 has 3 actions, not 4"},
        {"AFieldTwice",
         "ready()\nnext(it)\nprint('{\"type\":\"plays\",\"id\":1,\"id\":1,"
         "\"outputs\":[[0,0,0,0],[0,0,0,0]]}', flush=True)\ntime.sleep(60)",
         "has \"id\" twice"},
        {"ErrorBeforeItsType",
         "ready()\nnext(it)\nprint('{\"message\":\"no\",\"trace\":[1],\"type\":"
         "\"error\"}', flush=True)\ntime.sleep(60)",
         "must have a plain value as \"trace\""},
        {"OutputsThatAreObjects",
         "ready()\nnext(it)\nprint('{\"type\":\"plays\",\"id\":1,\"outputs\":[' + "
         "','.join(['{}'] * 20000) + ']}', flush=True)\ntime.sleep(60)",
         "output 1 must be an array"},
        {"NestedArrays", "ready()\nnext(it)\nprint('[' * 90000, flush=True)\ntime.sleep(60)",
         "must be an object with a \"type\""},
        {"NestedOutputs",
         "ready()\nnext(it)\nprint('{\"type\":\"plays\",\"id\":1,\"outputs\":' + "
         "'[' * 90000, flush=True)\ntime.sleep(60)",
         "output 1 entry 1 must be a number"},
        {"ManyUnknownFields",
         "ready()\nnext(it)\nprint('{' + ','.join('\"%d\":0' % i for i in range(9000)) "
         "+ '}', flush=True)\ntime.sleep(60)",
         "has many unknown fields"},
        {"AGrandchildHoldsThePipe",
         "import subprocess\nready()\nnext(it)\nsubprocess.Popen(['sleep', '60'])",
         "message 1: the target ended with status 0 before it answered"},
        {"AGrandchildHoldsThePipeAtTheGreeting",
         "import subprocess\nsubprocess.Popen(['sleep', '60'])\nsys.exit(5)",
         "greeting: the target ended with status 5 before it answered"},
        {"AGrandchildInASessionOfItsOwn",
         "import subprocess\nfor i in range(5): subprocess.Popen(['sleep', '60'], "
         "start_new_session=True)\nready()\nnext(it)\nsys.exit(4)",
         "message 1: the target ended with status 4 before it answered"},
        {"DaemonsWithASignalHandler",
         "import signal\nready()\nif os.fork() == 0:\n    os.setsid()\n"
         "    signal.signal(15, signal.SIG_IGN)\n    for i in range(3): os.fork()\n"
         "    time.sleep(60)\n    os._exit(0)\nnext(it)\nsay({'type': 'error'})",
         "reports an error: (no message)"},
        {"StopsWhoWatchesIt", "import signal\nready()\nto_parent(signal.SIGSTOP)\ntime.sleep(60)",
         "message 1: the target did not answer within 1.5"},
        {"KillsWhoWatchesIt",
         "import signal\nready()\nnext(it)\nto_parent(signal.SIGKILL)\n"
         "time.sleep(60)",
         "message 1: the target lost the process that watches it before it answered"},
        {"NeverReads", "ready()\nos.close(0)\ntime.sleep(60)",
         "message 1: the target did not answer within 1.5"},
        {"UnknownAction", "ready()\nplays(next(it), 3)\ntime.sleep(60)",
         "output 1 entry 1 must be an action from 0 to 2, not 3"},
        {"FractionalAction", "ready()\nplays(next(it), 0.5)\ntime.sleep(60)",
         "must be an action from 0 to 2, not 0.5"},
        {"TextAction", "ready()\nplays(next(it), 'nan')\ntime.sleep(60)",
         "output 1 entry 1 must be a number"},
        {"FloodOfStderr", "ready()\nwhile True: sys.stderr.write('x' * 10000)",
         "wrote more than 200000 bytes to standard error"},
        {"ClosedOutput", "ready()\nnext(it)\nos.close(1)\ntime.sleep(60)",
         "message 1: the target closed its standard output before it answered"},
        {"OwnError",
         "ready()\nnext(it)\nsay({'type': 'error', 'message': 'out of luck'})\ntime.sleep(60)",
         "message 1: the target's answer reports an error: out of luck"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Seeds 1, 5 and 2 in one message, of which 5 makes the run fail: in these ways.
Result<OutputBatch> play_three(ProcessTarget& target) {
  const std::vector<std::uint64_t> three{std::uint64_t{1} << 11, std::uint64_t{5} << 11,
                                         std::uint64_t{2} << 11};
  return target.play(zeros(small_bandit()), three);
}

ProcessTargetConfig failing_child(const std::string& how) {
  auto config = child(R"(
asked = 0
ready()
for m in it:
    asked += 1
    if 5 in m["seeds"]:
        )" + how + R"(
    plays(m, min(asked, 3) - 1)
)");
  config.limits.answer = milliseconds(1500);
  return config;
}

TEST(ProcessTarget, ARunThatFailsIsAnOutputAndTheNextHasAFreshProcess) {
  const std::pair<const char*, const char*> ways[] = {
      {"sys.exit(3)", "ended with status 3 before it answered"},
      {"raise ValueError('no such arm')",
       "its last line on standard error: ValueError: no such arm"},
      {"os.kill(os.getpid(), 11)", "was ended by signal 11"},
      {"say({'type': 'error', 'message': 'no luck'})", "reports an error: no luck"},
      {"sys.stdout.write('{'); sys.stdout.flush(); os._exit(1)", "in the middle of a line"}};
  for (const auto& [how, message] : ways) {
    const std::string mark = mark_children();
    {
      auto target = ProcessTarget::start(failing_child(how)).value();
      const auto batch = must(play_three(*target));
      ASSERT_EQ(batch.count, 3) << how;
      // Each of the others is asked for by itself: the first message of a process, and again of the next.
      EXPECT_THAT(batch.play(0), ElementsAre(0, 0, 0, 0)) << how;
      EXPECT_TRUE(is_failed(batch.play(1))) << how;
      EXPECT_THAT(batch.play(2), ElementsAre(0, 0, 0, 0)) << how;
      EXPECT_THAT(batch.failure, HasSubstr(message));
      EXPECT_THAT(target->first_failure()->message, HasSubstr("message 1: the target"));
      EXPECT_TRUE(play_three(*target)) << how;
    }
    EXPECT_THAT(survivors(mark), IsEmpty()) << how;
  }
}

TEST(ProcessTarget, OneOutputOfSeveralMayBeAFailure) {
  auto target = ProcessTarget::start(child(R"(
ready()
for m in it:
    say({"type": "plays", "id": m["id"],
         "outputs": [{"failed": "no luck"} if s == 5 else [1, 1, 1, 1] for s in m["seeds"]]})
)"))
                    .value();
  const auto batch = play_three(*target).value();
  EXPECT_EQ(batch.failed(), 1);
  EXPECT_TRUE(is_failed(batch.play(1)));
  EXPECT_EQ(batch.failure, "no luck");
  for (const char* entry : {"{}", "{'failed': 1}", "{'failed': 'a', 'more': 'b'}", "{'why': 'a'}",
                            "{'failed': ['a']}"}) {
    EXPECT_THAT(
        first_error(child("ready()\nm = next(it)\nsay({'type': 'plays', 'id': 1, 'outputs': [" +
                          std::string(entry) + "] * 2})\ntime.sleep(60)")),
        HasSubstr("output 1 must "))
        << entry;
  }
}

TEST(ProcessTarget, TimeOutsAndMemoryKillsFailARunOnlyWhereThatIsSaid) {
  const std::pair<const char*, const char*> ways[] = {
      {"time.sleep(60)", "did not answer within 1.5"},
      {"os.kill(os.getpid(), 9)", "was ended by signal 9"},
      {"say({'type': 'out_of_memory', 'message': 'no room'})", "no room"}};
  for (const auto& [how, message] : ways) {
    auto config = failing_child(how);
    const auto error = error_of(play_three(*ProcessTarget::start(config).value()));
    EXPECT_EQ(error.code, ErrorCode::kTarget);
    EXPECT_THAT(error.message, HasSubstr(message));
    config.limits.late_fails = config.limits.memory_fails = true;
    const auto batch = must(play_three(*ProcessTarget::start(config).value()));
    EXPECT_EQ(batch.failed(), 1) << how;
    EXPECT_THAT(batch.failure, HasSubstr(message));
  }
}

TEST(ProcessTarget, AnInputMayBeRefusedAndAnotherPlayed) {
  auto target = ProcessTarget::start(
                    failing_child("say({'type': 'invalid_input', 'message': 'no'}); continue"))
                    .value();
  const auto error = error_of(play_three(*target));
  EXPECT_EQ(error.code, ErrorCode::kRefusedInput);
  EXPECT_EQ(error.message, "message 1: the target refuses the input: no");
  EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(2)));
}

TEST(ProcessTarget, TellsTheProgramThatItIsPlayed) {
  auto target = must(ProcessTarget::start(child(R"(
say({"type": "ready", "name": os.environ["ASSAY_PROTOCOL"] + os.environ.get("PATH", "")[:1]})
)")));
  EXPECT_EQ(target->name(), "1/");
}

TEST(ProcessTarget, AllOfStandardErrorIsHeard) {
  std::string heard;
  auto config = child(
      "print('first', file=sys.stderr)\nready()\nfor m in it: plays(m)\n"
      "print('last', file=sys.stderr)\n");
  config.limits.hear_stderr = [&heard](std::string_view text) { heard += text; };
  { EXPECT_TRUE(ProcessTarget::start(config).value()->play(zeros(config.shape), seeds(2))); }
  EXPECT_EQ(heard, "first\nlast\n");
}

// What to write instead, where the system's reason is not enough.
TEST(ProcessTarget, AProgramThatDoesNotStartSaysWhatToDo) {
  const TemporaryFolder folder;
  const std::string plain = folder.write("plain.py", "print(1)\n");
  const std::string lost = folder.write("lost.py", "#!/no/such/interpreter\n");
  std::filesystem::permissions(lost, std::filesystem::perms::owner_all);
  const std::pair<std::string, std::string> given[] = {
      {"cd",
       "cannot start 'cd': No such file or directory; it is in no folder of PATH, and there "
       "is no shell: for a shell command use sh -c '...'"},
      {plain, "it is not executable: run chmod +x, or name its interpreter, as in 'python3 "},
      {lost, "the file exists: does its first line name a missing interpreter?"},
      {"./none", "; the current folder is /"},
      {folder.path().string(), "it is a folder"}};
  for (const auto& [word, message] : given) {
    ProcessTargetConfig config = child("");
    config.command = {word};
    EXPECT_THAT(first_error(config), HasSubstr(message)) << word;
  }
}

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
  auto target =
      ProcessTarget::start(child("ready()\nnext(it)\nprint('no', flush=True)\nnext(it)\n")).value();
  EXPECT_FALSE(target->play(zeros(small_bandit()), seeds(1)));
  EXPECT_THAT(target->play(zeros(small_bandit()), seeds(1)), IsRefused("has ended"));
}

// A grandchild that ignores the end of its parent is in the group, and dies with it.
void expect_group_killed() {
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

TEST(HostileTargets, TheWholeProcessGroupIsKilledWithoutANamespace) {
  without_namespaces(expect_group_killed);
}

// Descendants that left the group and the session are found through the supervisor, whatever ends.
void expect_no_survivors_of_a_good_end() {
  const std::string mark = mark_children();
  {
    auto target = ProcessTarget::start(child(R"(
import subprocess
for i in range(4): subprocess.Popen(['sleep', '60'], start_new_session=i % 2 == 0)
ready()
for m in it: plays(m)
)"))
                      .value();
    EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(2)));
    EXPECT_GE(marked_processes(mark).size(), 5u);  // the table below can see them
  }
  EXPECT_THAT(survivors(mark), IsEmpty());
}

TEST(HostileTargets, NothingSurvivesAGoodEndEither) {
  expect_no_survivors_of_a_good_end();
  without_namespaces(expect_no_survivors_of_a_good_end);
}

// The answer of a child that ended right after it is still an answer.
TEST(HostileTargets, WhatWasSaidBeforeTheEndCounts) {
  auto target = ProcessTarget::start(child(R"(
import subprocess
subprocess.Popen(['sleep', '60'])
ready()
plays(next(it))
)"))
                    .value();
  EXPECT_TRUE(target->play(zeros(small_bandit()), seeds(2)));
  EXPECT_THAT(play_or_fail(*target, zeros(small_bandit()), seeds(2)),
              IsRefused("ended with status 0 before it answered"));
}

// An answer as long as a line may be, of the shapes that made a document of gigabytes: address space
// is what runs out, so a limit on it shows. Not where sanitizers need it all.
#ifndef ASSAY_TEST_SANITIZED
TEST(HostileTargets, ALongAnswerTakesNoMoreMemoryThanItsBytes) {
  for (const char* answer : {"'[' * (60 << 20)", "'[' + '{},' * (20 << 20)",
                             "'{\"type\":\"plays\",\"id\":1,\"outputs\":[' + '[],' * (20 << 20)",
                             "'{\"type\":\"plays\",\"id\":1,\"outputs\":[[' + '0,' * (30 << 20)"}) {
    auto config =
        child("ready()\nnext(it)\nprint(" + std::string(answer) + ", flush=True)\ntime.sleep(60)");
    auto target = ProcessTarget::start(config).value();
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    rlimit tight = before;
    tight.rlim_cur = rlim_t{1} << 30;
    setrlimit(RLIMIT_AS, &tight);
    const auto batch = target->play(zeros(config.shape), seeds(2));
    setrlimit(RLIMIT_AS, &before);
    ASSERT_FALSE(batch);
    EXPECT_EQ(batch.error().code, ErrorCode::kTarget) << batch.error().message;
  }
}
#endif

// The flag is looked at in every wait: the greeting, the answer, the input that nobody reads.
TEST(HostileTargets, AWaitEndsWhenItIsCancelled) {
  const std::string mark = mark_children();
  InputShape wide = small_bandit();
  wide.horizon = 1'000'000;
  for (const auto& [body, shape] : {std::pair("time.sleep(60)", small_bandit()),
                                    std::pair("ready()\ntime.sleep(60)", small_bandit()),
                                    std::pair("ready()\ntime.sleep(60)", wide)}) {
    std::atomic<bool> cancel{false};
    auto config = child(body, shape);
    config.limits.answer = milliseconds(60'000);
    config.limits.cancel = &cancel;
    const auto started = std::chrono::steady_clock::now();
    std::thread later([&] {
      std::this_thread::sleep_for(milliseconds(1000));
      cancel = true;
    });
    auto target = ProcessTarget::start(config);
    Error error = target ? (*target)->play(zeros(shape), seeds(2)).error() : target.error();
    later.join();
    if (target) target->reset();
    EXPECT_EQ(error.code, ErrorCode::kInterrupted);
    EXPECT_EQ(error.message, "interrupted");
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(15));
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

// However this process ends, nobody waits for the children any more.
TEST(HostileTargets, TheyDieWithTheProcessThatStartedThem) {
  const std::string mark = mark_children();
  const TemporaryFolder folder;
  const std::string started = folder.file("started");
  Child owner([&] {
    auto config = child(
        "import subprocess\nsubprocess.Popen(['sleep', '60'], "
        "start_new_session=True)\nready()\nopen('" +
        started + "', 'w').close()\ntime.sleep(60)\n");
    auto target = ProcessTarget::start(config);
    if (target) static_cast<void>((*target)->play(zeros(small_bandit()), seeds(1)));
    return 0;
  });
  for (int i = 0; i < 400 && !std::filesystem::exists(started); ++i) {
    std::this_thread::sleep_for(milliseconds(25));
  }
  EXPECT_TRUE(std::filesystem::exists(started));
  EXPECT_TRUE(owner.signal(SIGKILL));
  EXPECT_EQ(owner.wait(), 128 + SIGKILL);
  EXPECT_THAT(survivors(mark), IsEmpty());
}

TEST(HostileTargets, AProgramThatIsNotThereIsNamed) {
  ProcessTargetConfig config{.command = {"/no/such/program"}};
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
  InputShape shape{.arms = 3, .horizon = 10, .dimension = 2};
  const auto sizes = [&](InputKind kind) {
    shape.kind = kind;
    return std::vector<std::int64_t>{shape.rows(), shape.columns(), shape.width()};
  };
  EXPECT_THAT(sizes(InputKind::kBandit), ElementsAre(10, 1, 10));
  EXPECT_THAT(sizes(InputKind::kBestArm), ElementsAre(10, 3, 11));
  EXPECT_THAT(sizes(InputKind::kDueling), ElementsAre(10, 9, 20));
  EXPECT_THAT(sizes(InputKind::kExperts), ElementsAre(10, 3, 10));
  EXPECT_THAT(sizes(InputKind::kContextual), ElementsAre(10, 9, 10));
  EXPECT_THAT(sizes(InputKind::kMechanism), ElementsAre(1, 1, 1));
}

TEST(TargetShapes, ATableTooLargeIsRefusedWithItsSizes) {
  InputShape shape{.kind = InputKind::kDueling, .arms = 1000, .horizon = 1000};
  const auto refused = error_of(validate(shape));
  EXPECT_EQ(
      refused.message,
      "arms 1000 and horizon 1000 make an input of 1000 rows of 1000000 numbers; all together "
      "must be at most 4000000");
  shape.horizon = 4;
  EXPECT_TRUE(validate(shape));
  shape.horizon = 5;
  EXPECT_FALSE(validate(shape));
  shape.kind = InputKind::kBandit;
  shape.horizon = 1'000'000;
  EXPECT_TRUE(validate(shape));
  shape.kind = InputKind::kContextual;
  shape.dimension = 4096;
  EXPECT_THAT(validate(shape), IsRefused("and dimension 4096 make an input of"));
  EXPECT_FALSE(ProcessTarget::start(child("ready()", shape)));
}

TEST(TargetShapes, ARowOfDuelsIsATournament) {
  InputShape shape{.kind = InputKind::kDueling, .arms = 3, .horizon = 2};
  const std::vector<double> order{0, 1, 1, 0, 0, 1, 0, 0, 0};
  const auto checked = [&](std::vector<double> second) {
    InputTable input{2, 9, order};
    input.values.insert(input.values.end(), second.begin(), second.end());
    const auto status = check_input(shape, input);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(checked(order), "");
  EXPECT_EQ(checked({0, 0, 1, 1, 0, 0, 0, 1, 0}), "");  // a circle
  EXPECT_EQ(checked({1, 1, 1, 1, 1, 1, 1, 1, 1}),
            "row 2, pair (0, 0) must be 0, not 1: an arm does not beat itself");
  EXPECT_EQ(checked({0, 1, 1, 1, 0, 1, 0, 0, 0}),
            "row 2, pair (0, 1) must have one winner, not two");
  EXPECT_EQ(checked({0, 1, 1, 0, 0, 0, 0, 0, 0}),
            "row 2, pair (1, 2) must have one winner, not none");
  EXPECT_EQ(checked({0, 0.5, 1, 0.5, 0, 1, 0, 0, 0}), "row 2, column 2 must be 0 or 1, not 0.5");
}

}  // namespace
}  // namespace assay

// The example plug-in, compiled as its comment says, libraries that are none, and hostile ones: each is an
// error in words, in bounded time, and nothing survives it.
#include "assay/policies/external/plugin_target.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "assay/tests/support/no_namespaces.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/survivors.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;

class PluginTargetTest : public ::testing::Test {
 protected:
  std::string compile(const std::string& source, const char* compiler = "/usr/bin/cc") const {
    const std::string library = folder_.file("plugin.so");
    const auto run =
        run_command({compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror",
                     "-I" ASSAY_BINARY_DIR "/include", "-o", library, source, "-lm"});
    EXPECT_EQ(run.status, 0) << run.err;
    return library;
  }
  // As strictly as a project may compile what includes assay_target.h.
  CommandResult build(const std::string& standard, const std::string& text,
                      const std::string& library) const {
    const bool is_cpp = standard.find("++") != std::string::npos;
    const std::string source = folder_.write(is_cpp ? "policy.cpp" : "policy.c", text);
    return run_command({is_cpp ? "/usr/bin/c++" : "/usr/bin/cc", "-std=" + standard, "-shared",
                        "-fPIC", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror",
                        "-I" ASSAY_BINARY_DIR "/include", "-o", library, source});
  }
  std::string compile_cpp20(const std::string& text) const {
    const std::string library = folder_.file("policy.so");
    const auto run = build("c++20", text, library);
    EXPECT_EQ(run.status, 0) << run.err;
    return library;
  }
  std::string compile_text(const std::string& text) const {
    return compile(folder_.write("plugin.c", text));
  }
  // C++ around a body of create and one of play, which are C functions of the interface.
  std::string compile_bodies(const std::string& create, const std::string& play) const {
    return compile(folder_.write("plugin.cpp", R"(
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "assay/policies/external/assay_policy_v1.h"
namespace {
int here, plays;
pid_t above(pid_t process) {
  char file[32];
  snprintf(file, sizeof file, "/proc/%d/stat", process);
  pid_t parent = 0;
  if (FILE* status = fopen(file, "r")) {
    if (fscanf(status, "%*d (%*[^)]) %*c %d", &parent) != 1) parent = 0;
    fclose(status);
  }
  return parent;
}
// To the supervisor, a grandchild of the test, whose number it was given, and to nobody else.
[[maybe_unused]] void to_parent(int signal) {
  const pid_t parent = getppid();
  if (parent > 1 && above(above(parent)) == )" + std::to_string(getpid()) +
                                                   R"() kill(parent, signal);
}
void zeros(double* out, int64_t count) { for (int64_t i = 0; i < count * 10; ++i) out[i] = 0.0; }
void* create(const assay_shape_v1*, char*, size_t) {)" +
                                                   create + R"( return &here; }
int play(void*, const double*, const uint64_t* seeds, int64_t count, double* out, char*, size_t) {
  (void)seeds; ++plays; zeros(out, count);)" + play +
                                                   R"( return 0; }
void destroy(void*) {}
}
extern "C" const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "hostile", 0, create, play, destroy};
  return &policy;
}
)"),
                   "/usr/bin/c++");
  }
  TemporaryFolder folder_;
};

InputShape two_arms() { return InputShape{.horizon = 10}; }

const std::string kExample = std::string(ASSAY_SOURCE_DIR) + "/examples/targets/leaky_counter.c";

TEST_F(PluginTargetTest, TheExampleRunsAndDrawsEverythingFromItsSeeds) {
  auto target = PluginTarget::load(compile(kExample), two_arms()).value();
  EXPECT_EQ(target->name(), "leaky counter");
  EXPECT_TRUE(target->seeded());
  const InputTable input{10, 1, std::vector<double>(10, 1.0)};
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const auto once = target->play(input, seeds).value();
  EXPECT_EQ(once.count, 3);
  EXPECT_EQ(once.width, 10);
  const auto counterpart = target->clone().value();
  target.reset();  // the library stays for its twin
  EXPECT_EQ(counterpart->play(input, seeds).value(), once);
}

TEST_F(PluginTargetTest, ARefusalIsPassedOn) {
  auto shape = two_arms();
  shape.arms = 3;
  EXPECT_THAT(PluginTarget::load(compile(kExample), shape),
              IsRefused("refuses the shape: this policy is a bandit with 2 arms"));
}

TEST_F(PluginTargetTest, WhatIsNoPluginIsNamed) {
  EXPECT_EQ(PluginTarget::load("./none.so", two_arms()).error().message,
            "cannot load the plug-in: there is no file ./none.so");
  // libm.so.6 is in the system's folders.
  EXPECT_EQ(PluginTarget::load("libm.so.6", two_arms()).error().message,
            "cannot load the plug-in: there is no file ./libm.so.6; the system's folders are not "
            "searched");
  EXPECT_THAT(PluginTarget::load(folder_.write("text.so", "no library\n"), two_arms()),
              IsRefused("cannot load the plug-in: "));
  EXPECT_THAT(PluginTarget::load(compile_text("int x;\n"), two_arms()),
              IsRefused("exports no assay_policy_v1_get"));
}

// Its outputs end with how many rounds were played; what it leaves behind them is not seen.
TEST_F(PluginTargetTest, MayStopAndTellNumbers) {
  const auto library = compile_text(R"(
#include "assay/policies/external/assay_policy_v1.h"
static assay_shape_v1 shape;
static void* create(const assay_shape_v1* s, char* e, size_t n) { (void)e; (void)n; shape = *s; return &shape; }
static int play(void* self, const double* in, const uint64_t* seeds, int64_t count, double* out,
                char* error, size_t size) {
  (void)self; (void)error; (void)size; (void)seeds;
  for (int64_t i = 0; i < count; ++i, out += shape.width) {
    for (int64_t t = 0; t < shape.horizon; ++t) {
      out[t * (1 + shape.numbers)] = 1.0;
      for (int64_t j = 1; j <= shape.numbers; ++j) out[t * (1 + shape.numbers) + j] = 0.5;
    }
    for (int64_t j = 0; j < shape.estimates; ++j) out[shape.horizon * (1 + shape.numbers) + j] = 9.0;
    if (shape.stops && in[0] != 1.0) out[shape.width - 1] = 10.0 * in[1];
  }
  return 0;
}
static void destroy(void* self) { (void)self; }
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "stops", 1, create, play, destroy};
  return &policy;
}
)");
  const InputShape shape{.arms = 2, .horizon = 3, .stops = true, .numbers = 1, .estimates = 1};
  auto target = PluginTarget::load(library, shape).value();
  const std::uint64_t seed = 1;
  const auto played = [&](double unsaid, double tenths) {
    return target->play(InputTable::column({unsaid, tenths, 0.0}), std::span(&seed, 1));
  };
  const auto batch = played(0.0, 0.2).value();
  EXPECT_THAT(told_of(shape, batch.play(0)), ElementsAre(1, 0.5, 1, 0.5, 9));
  EXPECT_EQ(batch.play(0)[4], kNoAction);
  EXPECT_THAT(told_of(shape, played(0.0, 0.0).value().play(0)), ElementsAre(9));
  const std::string rounds =
      "output 1 must have as rounds completed a whole number from 0 to 3, not ";
  EXPECT_THAT(played(1.0, 0.2).error().message, HasSubstr(rounds + "nan"));  // left out
  EXPECT_THAT(played(0.0, 0.4).error().message, HasSubstr(rounds + "4"));
  EXPECT_THAT(played(0.0, 0.15).error().message, HasSubstr(rounds + "1.5"));
  // One that does not know of them leaves entries out.
  const InputShape unknown{.arms = 2, .horizon = 10, .numbers = 1};
  EXPECT_THAT(PluginTarget::load(compile(kExample), unknown)
                  .value()
                  ->play(InputTable::column(std::vector<double>(10, 0.0)), std::span(&seed, 1))
                  .error()
                  .message,
              HasSubstr("output 1 must have as action of round"));
}

TEST_F(PluginTargetTest, AnotherAbiIsRefused) {
  const auto library = compile_text(R"(
#include "assay/policies/external/assay_policy_v1.h"
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {99u, "future", 0, 0, 0, 0};
  return &policy;
}
)");
  EXPECT_THAT(PluginTarget::load(library, two_arms()),
              IsRefused("has ABI 99, but this Assay reads ABI 1"));
}

TEST_F(PluginTargetTest, ItsAnswersAreChecked) {
  const auto library = compile_text(R"(
#include <string.h>
#include "assay/policies/external/assay_policy_v1.h"
static int here;
static void* create(const assay_shape_v1* s, char* e, size_t n) { (void)s; (void)e; (void)n; return &here; }
static int play(void* self, const double* in, const uint64_t* seeds, int64_t count, double* out,
                char* error, size_t size) {
  (void)self; (void)seeds;
  if (in[0] == 1.0) { strncpy(error, "no luck", size); return 1; }
  for (int64_t i = 0; i < count * 10; ++i) out[i] = 2.0;
  return 0;
}
static void destroy(void* self) { (void)self; }
const assay_policy_v1* assay_policy_v1_get(void) {
  static const assay_policy_v1 policy = {ASSAY_POLICY_ABI, "bad", 0, create, play, destroy};
  return &policy;
}
)");
  auto target = PluginTarget::load(library, two_arms()).value();
  const std::vector<std::uint64_t> seeds{1, 2};
  InputTable input{10, 1, std::vector<double>(10, 0.0)};
  EXPECT_THAT(target->play(input, seeds),
              IsRefused("output 1 entry 1 must be an action from 0 to 1, not 2"));
  input.values[0] = 1.0;
  EXPECT_THAT(play_or_fail(*target, input, seeds),
              IsRefused("the plug-in reports an error: no luck"));
}

TEST_F(PluginTargetTest, ANameWithoutAFolderIsAFileHere) {
  const auto library = compile(kExample);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const auto target = PluginTarget::load("plugin.so", two_arms());
  std::filesystem::current_path(before);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ((*target)->name(), "leaky counter");
}

struct HostileBodies {
  const char* name;
  const char* create;  // body
  const char* play;    // body
  const char* message;
};

class HostilePlugins : public PluginTargetTest,
                       public ::testing::WithParamInterface<HostileBodies> {
 protected:
  void expect_error_in_words() const;
};

// Only a child without a PID namespace of its own can signal the process that watches it.
TEST_P(HostilePlugins, IsAnErrorInWords) {
  const auto check = [this] { expect_error_in_words(); };
  const bool needs_its_watcher = std::string(GetParam().name).ends_with("WhoWatchesIt");
  needs_its_watcher ? without_namespaces(check) : check();
}

void HostilePlugins::expect_error_in_words() const {
  const auto library = compile_bodies(GetParam().create, GetParam().play);
  const std::string mark = mark_children();
  ChildLimits limits{
      .answer = milliseconds(1500), .stderr_bytes = 200'000, .data_bytes = std::size_t{256} << 20};
  const auto started = std::chrono::steady_clock::now();
  {
    auto target = PluginTarget::load(library, two_arms(), limits);
    Error error = target ? Error{} : target.error();
    const std::vector<std::uint64_t> seeds{1, 2};
    const InputTable input{10, 1, std::vector<double>(10, 0.0)};
    if (target) error = error_of(play_or_fail(**target, input, seeds));
    EXPECT_EQ(error.code, ErrorCode::kTarget);
    EXPECT_THAT(error.message, HasSubstr(GetParam().message));
    EXPECT_THAT(error.message, Not(HasSubstr("flush")));  // a plug-in prints no answers
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  EXPECT_THAT(survivors(mark), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, HostilePlugins,
    ::testing::ValuesIn(std::vector<HostileBodies>{
        {"ExitsWithSuccess", "", "exit(0);",
         "message 1: the plug-in ended with status 0 before it answered"},
        {"ExitsAtOnce", "_exit(7);", "",
         "greeting: the plug-in ended with status 7 before it answered"},
        {"ExitsOnAThread", "", "std::thread([] { exit(3); }).join();",
         "message 1: the plug-in ended with status 3 before it answered"},
        {"ExitsWithAWord", "", "fputs(\"no more arms\\n\", stderr); exit(1);",
         "ended with status 1 before it answered; its last line on standard error: no "
         "more arms"},
        {"Crashes", "", "raise(SIGSEGV);", "message 1: the plug-in was ended by signal 11"},
        {"CrashesAtOnce", "raise(SIGSEGV);", "", "greeting: the plug-in was ended by signal 11"},
        {"Aborts", "", "abort();", "message 1: the plug-in was ended by signal 6"},
        {"Throws", "", "throw std::runtime_error(\"boom\");",
         "message 1: the plug-in threw an exception: boom"},
        {"ThrowsAtOnce", "throw std::runtime_error(\"boom\");", "",
         "greeting: the plug-in threw an exception: boom"},
        {"ThrowsWithoutAWord", "", "throw std::runtime_error(\"\");",
         "message 1: the plug-in threw an exception: (no reason given)"},
        {"ForgesAnEmptyAnswer", "",
         "for (int i = 3; i < 1024; ++i) (void)!write(i, \"\\0\\0\\0\\0\\0\\0\\0\\0\", 8);",
         "message 1: the plug-in wrote into Assay's answers"},
        {"ForgesARefusalWithoutAReason", "",
         "for (int i = 3; i < 1024; ++i) (void)!write(i, \"\\1\\0\\0\\0\\0\\0\\0\\0\\2\", 9);",
         "message 1: the plug-in wrote into Assay's answers"},
        {"ThrowsANumber", "", "throw 42;",
         "message 1: the plug-in threw something that is not a std::exception"},
        {"ThrowsOnAThread", "", "std::thread([] { throw 42; }).join();",
         "message 1: the plug-in was ended by signal 6"},
        {"Loops", "", "for (volatile int i = 0;; i = i + 1) {}",
         "message 1: the plug-in did not answer within 1.5"},
        {"LoopsAtOnce", "for (volatile int i = 0;; i = i + 1) {}", "",
         "greeting: the plug-in did not answer within 1.5"},
        {"LoopsBehindSignals", "",
         "for (int i = 1; i < 64; ++i) signal(i, SIG_IGN);"
         "for (;;) pause();",
         "message 1: the plug-in did not answer within 1.5"},
        {"FloodsStandardError", "", "for (;;) fputs(\"xxxxxxxxxxxxxxxx\", stderr);",
         "message 1: the plug-in wrote more than 200000 bytes to standard error"},
        {"ClosesEverything", "", "for (int i = 0; i < 1024; ++i) close(i);",
         "message 1: the plug-in closed its standard output before it answered"},
        {"WritesIntoTheAnswers", "",
         "for (int i = 3; i < 1024; ++i) "
         "(void)!write(i, \"\\3\\0\\0\\0\\0\\0\\0\\0\\1xx\", 11);",
         "message 1: the plug-in wrote into Assay's answers"},
        {"StopsWhoWatchesIt", "", "to_parent(SIGSTOP); for (;;) pause();",
         "message 1: the plug-in did not answer within 1.5"},
        {"KillsWhoWatchesIt", "", "to_parent(SIGKILL); for (;;) pause();",
         "message 1: the plug-in lost the process that watches it"},
        {"LeavesOrphans", "",
         "for (int i = 0; i < 5; ++i) if (fork() == 0) { setsid(); "
         "signal(SIGTERM, SIG_IGN); sleep(60); _exit(0); } exit(4);",
         "message 1: the plug-in ended with status 4 before it answered"}}),
    [](const auto& test) { return std::string(test.param.name); });

#ifndef ASSAY_TEST_SANITIZED
TEST_F(PluginTargetTest, ItsMemoryIsLimited) {
  const auto library = compile_bodies(
      "", "std::vector<std::vector<char>> all; for (;;) all.emplace_back(1 << 24, 'x');");
  ChildLimits limits{.data_bytes = std::size_t{256} << 20};
  auto target = PluginTarget::load(library, two_arms(), limits).value();
  const InputTable input{10, 1, std::vector<double>(10, 0.0)};
  const auto refused = error_of(target->play(input, std::array<std::uint64_t, 1>{1}));
  EXPECT_EQ(refused.message, "message 1: the plug-in threw an exception: std::bad_alloc");
}
#endif

TEST_F(PluginTargetTest, ARunThatFailsIsAnOutputAndTheNextHasAFreshProcess) {
  const std::pair<const char*, const char*> ways[] = {
      {"throw std::runtime_error(\"boom\");", "the plug-in threw an exception: boom"},
      {"return 1;", "the plug-in reports an error: (no reason given)"},
      {"exit(3);", "ended with status 3"},
      {"raise(SIGSEGV);", "was ended by signal 11"}};
  const InputTable input{10, 1, std::vector<double>(10, 0.0)};
  const std::vector<std::uint64_t> three{1, 5, 2};
  for (const auto& [how, message] : ways) {
    const auto library = compile_bodies(
        "", "for (int64_t i = 0; i < count; ++i) if (seeds[i] == 5) {" + std::string(how) + "}");
    const std::string mark = mark_children();
    {
      auto target = PluginTarget::load(library, two_arms()).value();
      for (int time = 0; time < 2; ++time) {
        const auto batch = must(target->play(input, three));
        EXPECT_EQ(batch.failed(), 1) << how;
        EXPECT_TRUE(is_failed(batch.play(1))) << how;
        EXPECT_EQ(batch.play(2)[0], 0.0) << how;
        EXPECT_THAT(batch.failure, HasSubstr(message));
      }
    }
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

TEST_F(PluginTargetTest, AnInputMayBeRefusedAndWantOfMemoryIsNoFailure) {
  const InputTable input{10, 1, std::vector<double>(10, 0.0)};
  const std::vector<std::uint64_t> one{5}, other{6};
  auto choosy =
      PluginTarget::load(compile_bodies("", "if (seeds[0] == 5) return ASSAY_INVALID_INPUT;"),
                         two_arms())
          .value();
  EXPECT_EQ(choosy->play(input, one).error().code, ErrorCode::kRefusedInput);
  EXPECT_TRUE(choosy->play(input, other));
  const auto hungry = compile_bodies("", "if (seeds[0] == 5) throw std::bad_alloc();");
  EXPECT_EQ(PluginTarget::load(hungry, two_arms()).value()->play(input, one).error().code,
            ErrorCode::kTarget);
  ChildLimits limits{.memory_fails = true};
  auto target = PluginTarget::load(hungry, two_arms(), limits).value();
  EXPECT_EQ(target->play(input, one).value().failed(), 1);
  EXPECT_EQ(target->play(input, other).value().failed(), 0);
}

struct OddPlugin {
  const char* name;
  const char* play;
};

class OddPlugins : public PluginTargetTest, public ::testing::WithParamInterface<OddPlugin> {};

// What is no fault of the plays is no fault at all, and leaves nothing.
TEST_P(OddPlugins, ArePlayed) {
  const auto library = compile_bodies("", GetParam().play);
  const std::string mark = mark_children();
  ChildLimits limits{.answer = milliseconds(20'000)};
  {
    auto target = PluginTarget::load(library, two_arms(), limits).value();
    const std::vector<std::uint64_t> seeds{1, 2};
    const InputTable input{10, 1, std::vector<double>(10, 0.0)};
    for (int i = 0; i < 3; ++i) {
      const auto batch = must(target->play(input, seeds));
      EXPECT_EQ(batch.values, std::vector<double>(20, 0.0));
    }
  }
  EXPECT_THAT(survivors(mark), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, OddPlugins,
    ::testing::ValuesIn(std::vector<OddPlugin>{
        {"Prints", "printf(\"{\\\"verdict\\\": 0}\\n\"); fflush(stdout);"},
        {"ClosesItsStreams", "close(0); close(1); close(2);"},
        {"ForksACopyThatComesBack", "fork();"},
        {"ForksAndWaits", "if (pid_t p = fork()) waitpid(p, nullptr, 0); else _exit(0);"},
        {"LeavesThreads", "std::thread([] { for (;;) pause(); }).detach();"},
        {"LeavesDaemons", "if (fork() == 0) { setsid(); sleep(60); _exit(0); }"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(PluginTargetTest, AWaitEndsWhenItIsCancelled) {
  const auto library = compile_bodies("", "for (volatile int i = 0;; i = i + 1) {}");
  const std::string mark = mark_children();
  std::atomic<bool> cancel{false};
  ChildLimits limits{.cancel = &cancel};
  auto target = PluginTarget::load(library, two_arms(), limits).value();
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(300));
    cancel = true;
  });
  const InputTable input{10, 1, std::vector<double>(10, 0.0)};
  const auto batch = target->play(input, std::array<std::uint64_t, 1>{1});
  later.join();
  target.reset();
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().code, ErrorCode::kInterrupted);
  EXPECT_THAT(survivors(mark), IsEmpty());
}

// Instances are made from a process of one thread, whatever runs here by then.
TEST_F(PluginTargetTest, ItIsClonedWhileThreadsRun) {
  const auto target = PluginTarget::load(compile(kExample), two_arms()).value();
  const InputTable input{10, 1, std::vector<double>(10, 1.0)};
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const auto expected = target->play(input, seeds).value();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto counterpart = target->clone();
      if (counterpart && (*counterpart)->play(input, seeds).value() == expected) ++right;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

TEST_F(PluginTargetTest, OneHeaderMakesAPlugInOfAFunctionInC) {
  InputShape shape{.kind = InputKind::kMechanism, .inputs = 3, .outputs = 3};
  const auto library =
      compile(std::string(ASSAY_SOURCE_DIR) + "/examples/adapters/told_at_random.c");
  auto target = PluginTarget::load(library, shape).value();
  EXPECT_EQ(target->name(), "randomised response");
  EXPECT_TRUE(target->seeded());
  std::vector<std::uint64_t> seeds(4000);
  for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = i;
  const auto batch = target->play({1, 3, {1.0, 0.0, 1.0}}, seeds).value();
  double told = 0.0;
  for (const double bit : batch.values) told += bit;
  // 3/4 + 1/4 + 3/4 a play; five standard errors of 4000 plays of variance 9/16.
  EXPECT_NEAR(told / 4000.0, 1.75, 5.0 * 0.75 / std::sqrt(4000.0));
  const auto refused = error_of(PluginTarget::load(library, two_arms()));
  EXPECT_THAT(refused.message,
              HasSubstr("refuses the shape: it is of --kind mechanism, not bandit"));
}

TEST_F(PluginTargetTest, OneHeaderMakesAPlugInOfAClass) {
  const auto library = compile_cpp20(
      read_file(std::string(ASSAY_SOURCE_DIR) + "/examples/adapters/stay_or_switch.cpp"));
  auto target = PluginTarget::load(library, two_arms()).value();
  EXPECT_EQ(target->name(), "stay or switch");
  const InputTable input = InputTable::column(std::vector<double>(10, 1.0));
  const std::uint64_t seeds[] = {1, 2, 1};
  const auto batch = target->play(input, seeds).value();
  EXPECT_TRUE(std::ranges::equal(batch.play(0), batch.play(2)));
  EXPECT_EQ(batch.play(0)[0], 0.0);
}

// The next arm is drawn when the last reward is known: its probabilities are an average over that draw.
TEST_F(PluginTargetTest, AClassMayReportItsProbabilities) {
  const auto library = compile_cpp20(
      read_file(std::string(ASSAY_SOURCE_DIR) + "/examples/adapters/stay_or_switch.cpp"));
  auto target = PluginTarget::load(library, two_arms()).value();
  ASSERT_TRUE(target->reports_probabilities());
  const InputTable input = InputTable::column(std::vector<double>(10, 1.0));
  const double truth = 1.0 / (1.0 + std::exp(-1.0));
  const int forced[] = {0, 1};
  EXPECT_THAT(target->probabilities(input, 1, forced, 1).value(),
              ElementsAre(truth, 1.0 - truth, 1.0 - truth, truth));
  EXPECT_EQ(target->probabilities(input, 2, forced, 0).value(),
            target->probabilities(input, 3, forced, 0).value());
  EXPECT_TRUE(target->play(input, {{1}}));
}

TEST_F(PluginTargetTest, AFaultOfReportedProbabilitiesIsAnError) {
  const auto said = [&](const std::string& body) {
    const auto library = compile_text(R"(
#include "assay/policies/external/assay_target.h"
static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  (void)shape; (void)input; (void)seed; output[0] = 0.0;
}
ASSAY_TARGET("it", "bandit", 1, play)
int assay_policy_v1_probabilities(void* self, const double* input, uint64_t seed, const int64_t* actions,
                                  int64_t count, int64_t from, double* out, char* error, size_t size) {
  (void)self; (void)input; (void)seed; (void)actions; (void)count; (void)from; (void)out; (void)error; (void)size;
  )" + body + "}");
    auto target = PluginTarget::load(library, two_arms()).value();
    const InputTable input = InputTable::column(std::vector<double>(10, 1.0));
    return error_of(target->probabilities(input, 1, {}, 0)).message;
  };
  EXPECT_THAT(said("return 0;"),
              HasSubstr("in round 1 a probability in [0, 1] of action 0, not nan"));
  EXPECT_THAT(said("out[0] = out[1] = 0.4; return 0;"),
              HasSubstr("in round 1 probabilities that sum to 1"));
  EXPECT_THAT(said(R"(snprintf(error, size, "it is tired"); return 7;)"), HasSubstr("it is tired"));
  EXPECT_THAT(said("abort();"), HasSubstr("message 1: the plug-in "));
}

TEST_F(PluginTargetTest, TheHeaderSuitsOldStandardsAndStrictWarnings) {
  const std::string text = R"(
#include "assay/policies/external/assay_target.h"
static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  (void)shape; (void)input; (void)seed;
  output[0] = 1.0; /* and no more */
}
ASSAY_TARGET("first round", "bandit", 1, play)
)";
  for (const char* standard : {"gnu89", "c99", "c++11", "c++17", "c++20"}) {
    const std::string library = folder_.file(std::string(standard) + ".so");
    const auto run = build(standard, text, library);
    ASSERT_EQ(run.status, 0) << standard << run.err;
    // What was not written is no action 0.
    const auto error = error_of(PluginTarget::load(library, two_arms())
                                    .value()
                                    ->play(InputTable::column(std::vector<double>(10, 0.0)),
                                           std::array<std::uint64_t, 1>{1}));
    EXPECT_THAT(error.message,
                HasSubstr("output 1 entry 2 must be an action from 0 to 1, not nan"));
  }
}

TEST_F(PluginTargetTest, AClassIsNoMechanism) {
  const auto policy = [&](const std::string& standard, const std::string& kind) {
    return build(standard,
                 "#include \"assay/policies/external/assay_target.h\"\n"
                 "struct Own { explicit Own(uint64_t) {} int choose() { return 0; }"
                 " void update(int, double) {} };\n"
                 "ASSAY_POLICY(\"own\", \"" +
                     kind +
                     "\", 1, [](const assay_shape_v1& shape, uint64_t seed) {"
                     " (void)shape; return Own(seed); })\n",
                 folder_.file("own.so"));
  };
  EXPECT_EQ(policy("c++20", "bandit").status, 0);
  EXPECT_THAT(policy("c++20", "mechanism").err, HasSubstr("for a mechanism, use ASSAY_TARGET"));
  EXPECT_THAT(policy("c++17", "bandit").err, HasSubstr("ASSAY_POLICY is for C++20"));
}

// Every kind calls the methods of its own, with what the action earned.
TEST_F(PluginTargetTest, AClassRunsEveryKindByOneHeader) {
  struct Kind {
    InputShape shape;
    const char* members;
    InputTable input;
    std::vector<double> output;
  };
  // All remember what they learnt last, and play it.
  const Kind kinds[] = {
      {{.kind = InputKind::kBestArm, .arms = 3, .horizon = 2},
       "int choose() { return last; } void update(int arm, double r) { last = arm + int(2 * r); } "
       "int recommend() { return last; }",
       {2, 3, {0.5, 0, 0, 0, 0.5, 0}},
       {0, 1, 2}},
      {{.kind = InputKind::kExperts, .arms = 2, .horizon = 2},
       "int choose() { return last; } void update(const double* losses) { last = int(losses[1]); }",
       {2, 2, {0, 1, 0, 0}},
       {0, 1}},
      {{.kind = InputKind::kDueling, .arms = 2, .horizon = 2},
       "std::pair<int, int> choose() { return {last, 1}; } "
       "void update(int, int, bool won) { last = won; }",
       {2, 4, {0, 1, 0, 0, 0, 1, 0, 0}},
       {0, 1, 1, 1}},
      {{.kind = InputKind::kContextual, .arms = 2, .horizon = 2, .dimension = 1},
       "int choose(const double* contexts) { return int(contexts[1]) * last; } "
       "void update(int, double r) { last = int(2 * r); }",
       {2, 4, {0.5, 0, 0, 1, 0, 0, 0, 1}},
       {0, 1}},
      {{.kind = InputKind::kBandit, .arms = 2, .horizon = 2},
       "int choose() { return 7; } void update(int, double) {}",
       {2, 1, {0, 0}},
       {}},
      {{.kind = InputKind::kBestArm, .arms = 2, .horizon = 2},
       "std::size_t choose() { return std::size_t(-1); } void update(int, double) {} "
       "int recommend() { return 0; }",
       {2, 2, {0, 0, 0, 0}},
       {}}};
  for (const auto& [shape, members, input, output] : kinds) {
    const std::string kind =
        std::string(enum_names(shape.kind)[static_cast<std::size_t>(shape.kind)].second);
    const auto library = compile_cpp20(
        "#include <utility>\n#include \"assay/policies/external/assay_target.h\"\n"
        "struct Own { int last = 0; " +
        std::string(members) +
        " };\n"
        "ASSAY_POLICY(\"own\", \"" +
        kind +
        "\", 1,"
        " [](const assay_shape_v1&, std::uint64_t) { return Own(); })\n");
    auto target = PluginTarget::load(library, shape).value();
    const std::uint64_t seeds[] = {1};
    const auto batch = target->play(input, seeds);
    if (output.empty()) {
      ASSERT_FALSE(batch);
      EXPECT_THAT(batch, IsRefused("output 1 entry 1 must be an action from 0 to 1, not "));
    } else {
      ASSERT_TRUE(batch) << kind << ": " << batch.error().message;
      EXPECT_EQ(batch->values, output) << kind;
    }
  }
}

}  // namespace
}  // namespace assay

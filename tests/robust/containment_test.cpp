// What holds a target back: its namespace and what it cannot do from there, its memory, the files it writes, and that
// ordinary programs do not notice.
#include "assay/policies/external/containment.hpp"

#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "assay/policies/external/process_target.hpp"
#include "assay/tests/support/no_namespaces.hpp"
#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/survivors.hpp"

namespace assay {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr uid_t kStranger = 61'234;

// A user without privileges, as after its login.
bool become_stranger() {
  return setgroups(0, nullptr) == 0 && setresgid(kStranger, kStranger, kStranger) == 0 &&
         setresuid(kStranger, kStranger, kStranger) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

// A bandit of one round; its action is 0. `body` runs before it greets; `name` is an expression.
constexpr std::string_view kPlays = R"(
print(json.dumps({"type": "ready", "name": str(name)}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    before_a_run()
    print(json.dumps({"type": "plays", "id": m["id"], "outputs": [[0] for _ in m["seeds"]]}), flush=True)
)";
std::string python_target(const std::string& body) {
  return "import ctypes, json, os, signal, sys, time\nsys.stdin.readline()\nname = 'target'\n"
         "def before_a_run(): pass\n" +
         body + std::string(kPlays);
}
constexpr InputShape kOneRound{.horizon = 1};
const InputTable kInput{1, 1, {0.0}};

ProcessTargetConfig config_of(const std::string& body, const ChildLimits& limits = {}) {
  return {{ASSAY_PYTHON, "-c", python_target(body)}, kOneRound, limits};
}
std::string name_of(const std::string& body) {
  const auto target = ProcessTarget::start(config_of(body));
  return target ? (*target)->name() : target.error().message;
}
Result<OutputBatch> run_once(Target& target) {
  return play_or_fail(target, kInput, std::array<std::uint64_t, 1>{1});
}

void expect_contained() {
  const ChildLimits limits;
  must(ProcessTarget::start(config_of("", limits)));
  if (limits.uncontained->load()) GTEST_SKIP() << "the system grants no namespaces";
  EXPECT_THAT(containment_text(limits), StartsWith("own PID namespace, no new privileges, "));
}

// As root, and as a user without privileges (in a fork), children have a namespace of their own.
class EachUser : public ::testing::TestWithParam<bool> {
 protected:
  void check(const std::function<void()>& checks) const {
    if (!GetParam()) return checks();
    if (geteuid() != 0) GTEST_SKIP() << "this user cannot become another";
    in_a_fork(become_stranger, checks);
  }
};
INSTANTIATE_TEST_SUITE_P(OfTheSystem, EachUser, ::testing::Bool(), [](const auto& test) {
  return test.param ? "WithoutPrivileges" : "AsIsRun";
});

TEST_P(EachUser, HasNamespaces) { check(expect_contained); }

TEST_P(EachUser, SeesItsOwnProcessesAlone) {
  check([] {
    EXPECT_EQ(name_of("name = [n for n in os.listdir('/proc') if n.isdigit()] == "
                      "['1', str(os.getpid())] and os.readlink('/proc/self') == str(os.getpid()) "
                      "and os.getppid() == 1"),
              "True");
  });
}

// A program that takes its randomness from its process id has other ids in other children, also its children's.
TEST_P(EachUser, HasAnotherProcessIdInEachChild) {
  check([] {
    std::set<std::string> ids;
    for (int i = 0; i < 4; ++i) {
      ids.insert(name_of("name = os.getpid()"));
      ids.insert(name_of("pid = os.fork()\nif pid == 0: os._exit(0)\nname = pid"));
    }
    EXPECT_EQ(ids.size(), 8U) << ::testing::PrintToString(ids);
  });
}

TEST_P(EachUser, WritesFilesAsItself) {
  check([] {
    const TemporaryFolder folder;
    const std::string file = folder.file("written");
    EXPECT_EQ(name_of("open('" + file + "', 'w').close()\nname = os.stat('" + file +
                      "').st_uid == os.getuid()"),
              "True");
    struct stat about {};
    ASSERT_EQ(stat(file.c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, geteuid());
  });
}

TEST_P(EachUser, GainsNoPrivileges) {
  check([] {
    EXPECT_EQ(name_of("name = [l.split()[1] for l in open('/proc/self/status') if "
                      "l.startswith('NoNewPrivs')][0]"),
              "1");
  });
}

TEST_P(EachUser, MayHaveProcessesAndThreads) {
  check([] {
    EXPECT_EQ(name_of("import multiprocessing, threading\n"
                      "with multiprocessing.get_context('fork').Pool(2) as pool: "
                      "sums = pool.map(sum, [[1, 2], [3]])\n"
                      "t = threading.Thread(target=lambda: sums.append(7)); t.start(); t.join()\n"
                      "name = sums"),
              "[3, 3, 7]");
  });
}

// It has a parent-death signal no more, a session of its own, and kills all that it may. It does so only in another
// PID namespace than the test's, whose name it is given.
std::string attack(const std::string& started) {
  const auto here = std::filesystem::read_symlink("/proc/self/ns/pid").string();
  return R"(
def free(): ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
def kill_all():
    if os.readlink("/proc/self/ns/pid") != ")" +
         here + R"(":
        for who in [1, -1]:
            for number in [signal.SIGKILL, signal.SIGSTOP]:
                try: os.kill(who, number)
                except OSError: pass
def before_a_run():
    free()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for i in range(3):
        if os.fork() == 0:
            os.setsid()
            free()
            if os.fork() > 0: os._exit(0)
            time.sleep(0.3)
            kill_all()
            time.sleep(60)
    open(")" +
         started + R"(", "w").close()
    time.sleep(60)
)";
}

TEST_P(EachUser, EndsWithItsAuditWhateverItDoes) {
  check([] {
    const TemporaryFolder folder;
    const std::string mark = mark_children();
    ChildLimits limits;
    limits.answer = milliseconds(1500);
    {
      const auto target = must(ProcessTarget::start(config_of(attack(folder.file("x")), limits)));
      EXPECT_FALSE(run_once(*target));
      EXPECT_TRUE(std::filesystem::exists(folder.file("x")));
    }
    EXPECT_THAT(survivors(mark), IsEmpty());
  });
}

TEST_P(EachUser, EndsWithAKilledAssayWhateverItDoes) {
  check([] {
    const TemporaryFolder folder;
    const std::string mark = mark_children(), started = folder.file("started");
    Child assay([&] {
      const auto target = must(ProcessTarget::start(config_of(attack(started))));
      return run_once(*target) ? 0 : 1;
    });
    for (int i = 0; i < 400 && !std::filesystem::exists(started); ++i) {
      std::this_thread::sleep_for(milliseconds(25));
    }
    EXPECT_TRUE(std::filesystem::exists(started));
    std::this_thread::sleep_for(milliseconds(600));  // the attack goes on
    assay.signal(SIGKILL);
    assay.wait();
    EXPECT_THAT(survivors(mark), IsEmpty());
  });
}

// Without a namespace a child can stop the process that watches it, as often as that is continued.
TEST(Uncontained, AChildThatKeepsItsWatcherStoppedDoesNotHoldUpAssay) {
  without_namespaces([] {
    const std::string mark = mark_children();
    ChildLimits limits;
    limits.answer = milliseconds(500);
    const std::string test = std::to_string(getpid());
    auto target = must(ProcessTarget::start(config_of(R"(
watcher = os.getppid()
above = int(open(f"/proc/{watcher}/stat").read().rpartition(") ")[2].split()[1])
def before_a_run():
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    for i in range(3):
        if os.fork() == 0:
            os.setsid()
            ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    while watcher > 1 and above == )" + test + R"(: os.kill(watcher, signal.SIGSTOP)
)",
                                                      limits)));
    EXPECT_TRUE(limits.uncontained->load());
    EXPECT_THAT(containment_text(limits), StartsWith("no PID namespace, no new privileges, "));
    const auto asked = Clock::now();
    EXPECT_THAT(run_once(*target), IsRefused("did not answer within 0.5"));
    target.reset();
    EXPECT_LT(Clock::now() - asked,
              std::chrono::seconds(8));  // 15 s until the supervisor is given up
    EXPECT_THAT(survivors(mark), IsEmpty());
  });
}

constexpr std::size_t kSmall = std::size_t{200} << 20;

void expect_limited_memory() {
  ChildLimits limits;
  limits.memory_bytes = kSmall;
  const std::pair<const char*, const char*> ways[] = {
      {"alone", "def before_a_run(): name = b'x' * (400 << 20); time.sleep(60)"},
      {"in children", R"(
def before_a_run():
    for i in range(4):
        if os.fork() == 0:
            if i % 2: os.setsid()
            name = b'x' * (100 << 20)
            time.sleep(60)
    time.sleep(60)
)"}};
  for (const auto& [how, body] : ways) {
    const std::string mark = mark_children();
    limits.memory_fails = false;
    const auto target = must(ProcessTarget::start(config_of(body, limits)));
    EXPECT_THAT(run_once(*target),
                IsRefused("message 1: the target took more than 200 MiB of memory (--memory) "
                          "before it answered"))
        << how;
    EXPECT_THAT(survivors(mark), IsEmpty());
    limits.memory_fails = true;
    const auto batch = must(must(ProcessTarget::start(config_of(body, limits)))
                                ->play(kInput, std::array<std::uint64_t, 1>{1}));
    EXPECT_EQ(batch.failed(), 1) << how;
    EXPECT_THAT(batch.failure, HasSubstr("took more than 200 MiB of memory"));
  }
}
TEST_P(EachUser, HasItsMemoryLimitedWithAllItStarts) { check(expect_limited_memory); }
TEST(Memory, IsLimitedWithoutANamespaceToo) { without_namespaces(expect_limited_memory); }

// Each of the five processes holds 100 MiB, but they are the same.
void expect_shared_memory_counted_once() {
  ChildLimits limits;
  limits.memory_bytes = kSmall;
  const auto target = must(ProcessTarget::start(config_of(R"(
shared = b'x' * (100 << 20)
def before_a_run():
    for i in range(4):
        if os.fork() == 0: time.sleep(60)
    time.sleep(0.6)
)",
                                                          limits)));
  EXPECT_TRUE(run_once(*target));
}
TEST_P(EachUser, MayShareMemoryAmongProcesses) { check(expect_shared_memory_counted_once); }

TEST(Memory, IsASizeWithAUnit) {
  EXPECT_EQ(parse_memory("8G").value(), std::size_t{8} << 30);
  EXPECT_EQ(parse_memory("1.5M").value(), std::size_t{3} << 19);
  EXPECT_EQ(memory_text(std::size_t{8} << 30), "8 GiB");
  EXPECT_EQ(memory_text(std::size_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(memory_text(std::size_t{200} << 20), "200 MiB");
  for (const char* text : {"", "G", "8", "8g", "8GB", "-1G", "1e3G", "nanG", "1023K", "1025T"}) {
    EXPECT_THAT(parse_memory(text), IsRefused("must be a size from 1M to 1024T")) << text;
  }
  EXPECT_GT(default_memory_limit(), std::size_t{1} << 20);
}

// Its leak checker attaches to the program's threads by their numbers in /proc.
TEST(Contained, AProgramWithASanitizerEndsWell) {
  const TemporaryFolder folder;
  const std::string source = folder.write("target.cpp", R"(
#include <iostream>
#include <string>
#include <thread>
int main() {
  std::string line;
  std::getline(std::cin, line);
  std::cout << "{\"type\": \"ready\", \"name\": \"sanitized\"}" << std::endl;
  int zero = 1;
  std::thread([&] { zero = 0; }).join();
  for (int id = 1; std::getline(std::cin, line); ++id) {
    std::cout << "{\"type\": \"plays\", \"id\": " << id << ", \"outputs\": [[" << zero << "]]}" << std::endl;
  }
}
)");
  const std::string program = folder.file("target");
  ASSERT_EQ(run_command({"/usr/bin/c++", "-fsanitize=address", "-o", program, source}).status, 0);
  std::string heard;
  ChildLimits limits;
  limits.hear_stderr = [&](std::string_view text) { heard += text; };
  auto target = must(ProcessTarget::start({{program}, kOneRound, limits}));
  EXPECT_TRUE(run_once(*target));
  target.reset();
  EXPECT_EQ(heard, "");
}

// What a target of a suite could do to the files by which later runs judge.
TEST(Contained, ATargetOfASuiteMayOnlyReadItsHistoryItsBaselineAndItsFile) {
  const TemporaryFolder folder;
  const std::string program = folder.write("target.py", python_target(R"(
outcome = []
def attempt(what):
    try:
        what()
        outcome.append("done")
    except OSError as error: outcome.append(error.strerror)
attempt(lambda: open(".assay/history.sqlite", "r+b").write(b"x"))
attempt(lambda: open(".assay/history.sqlite-journal", "w"))
attempt(lambda: os.rename(".assay", "elsewhere"))
attempt(lambda: os.remove("baseline.toml"))
attempt(lambda: open("assay.toml", "a").write("#"))
open("outcome", "w").write(", ".join(outcome))
)"));
  const std::string suite =
      "schema = \"assay.suite/1\"\nbaseline = \"baseline.toml\"\nseed = 1\n"
      "[[audit]]\nid = \"one\"\nexec = \"" +
      python(program) + "\"\nhorizon = 1\nruns = 1000\nclaim = \"eps=1\"\n";
  folder.write("assay.toml", suite);
  const auto in_folder = [&](const std::string& command) {
    return run_command(
        {"/bin/sh", "-c", "cd " + folder.path().string() + " && " ASSAY_CLI " " + command});
  };
  in_folder("suite update --history none");
  ASSERT_TRUE(std::filesystem::exists(folder.file("baseline.toml")));
  const auto run = in_folder("suite run");
  const std::string outcome = read_file(folder.file("outcome"));
  EXPECT_EQ(outcome,
            "Read-only file system, Read-only file system, Device or resource busy, "
            "Device or resource busy, Read-only file system")
      << run.out << run.err;
  EXPECT_EQ(read_file(folder.file("assay.toml")), suite);
}

class Sandbox : public InAFolder {
 protected:
  void SetUp() override {
    if (run_command({"/usr/bin/env", "bwrap", "--ro-bind", "/", "/", "true"}).status != 0) {
      GTEST_SKIP() << "bubblewrap is not installed, or refused by the system";
    }
  }
};

TEST_F(Sandbox, HasNoNetworkAndOnlyItsScratchFolderCanBeWritten) {
  const std::string file = folder.file("written");
  ChildLimits limits;
  limits.sandbox = true;
  const auto target = must(ProcessTarget::start(config_of(R"(
import socket, tempfile
def attempt(what):
    try: return what() or "done"
    except OSError as error: return error.strerror
name = [attempt(lambda: open(")" + file + R"(", "w") and None),
        attempt(lambda: tempfile.TemporaryFile().write(b"x" * 1000) and None),
        attempt(lambda: socket.create_connection(("192.0.2.1", 9), 1) and None),
        os.listdir("/run")]
)",
                                                          limits)));
  EXPECT_EQ(target->name(), "['Read-only file system', 'done', 'Network is unreachable', []]");
  EXPECT_TRUE(run_once(*target));
  EXPECT_THAT(containment_text(limits), EndsWith("; sandbox (bwrap)"));
}

TEST_F(Sandbox, EndsLikeItsProgramAndWithIt) {
  const std::string mark = mark_children();
  ChildLimits limits;
  limits.sandbox = true;
  limits.memory_bytes = kSmall;
  for (const auto& [body, message] :
       {std::pair("sys.exit(3)", "ended with status 3"),
        std::pair("os.kill(os.getpid(), 11)", "was ended by signal 11"),
        std::pair("name = b'x' * (400 << 20); time.sleep(60)",
                  "took more than 200 MiB of memory (--memory)")}) {
    const auto target = must(
        ProcessTarget::start(config_of(std::string("def before_a_run():\n    ") + body, limits)));
    EXPECT_THAT(run_once(*target), IsRefused(message));
    EXPECT_THAT(survivors(mark), IsEmpty());
  }
}

TEST_F(Sandbox, ThatIsMissingOrRefusedIsAnErrorThatSaysSo) {
  const Words audit = {ASSAY_CLI, "try", "--exec", "/bin/true", "--horizon", "1", "--sandbox"};
  const auto with_path = [&](const std::string& path) {
    Words words = {"/usr/bin/env", "PATH=" + path};
    words.insert(words.end(), audit.begin(), audit.end());
    return run_command(words);
  };
  const auto missing = with_path(folder.path().string());
  EXPECT_EQ(missing.status, 4);
  EXPECT_THAT(missing.out + missing.err,
              HasSubstr("--sandbox needs it: install the package bubblewrap"));
  std::filesystem::permissions(
      folder.write("bwrap",
                   "#!/bin/sh\necho bwrap: No permissions to create new namespace >&2\nexit 1\n"),
      std::filesystem::perms::owner_all);
  const auto refused = with_path(folder.path().string() + ":/usr/bin:/bin");
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.out + refused.err,
              HasSubstr("the system refuses the sandbox: bwrap (package bubblewrap)"));
  const auto plugin = run_command({ASSAY_CLI, "try", "--plugin", "none.so", "--sandbox"});
  EXPECT_EQ(plugin.status, 2);
  EXPECT_THAT(plugin.err, HasSubstr("--sandbox is for --exec"));
}

}  // namespace
}  // namespace assay

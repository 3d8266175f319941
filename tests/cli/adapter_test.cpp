// The adapters that the command carries: printed they stand alone, and programs in Python find theirs
// wherever the command was copied to.
#include <filesystem>

#include "assay/tests/support/no_namespaces.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string kSources = std::string(ASSAY_SOURCE_DIR) + "/policies/external/";

TEST(AdapterCommand, PrintsTheModuleAsItIs) {
  const auto run = run_expecting(0, "adapter python");
  EXPECT_TRUE(run.out == read_file(kSources + "assay_target.py"));
}

// One file, in an empty folder, as strictly as a project may compile it.
TEST(AdapterCommand, PrintsAHeaderThatNeedsNoOther) {
  const TemporaryFolder folder;
  const auto header = run_expecting(0, "adapter c");
  EXPECT_EQ(run_assay("adapter cpp").out, header.out);
  EXPECT_THAT(header.out, Not(HasSubstr("assay/policies")));
  folder.write("assay_target.h", header.out);
  const std::string function = R"(
#include "assay_target.h"
static void play(const assay_shape_v1* shape, const double* input, uint64_t seed, double* output) {
  int64_t t = 0;
  for (t = 0; t < shape->horizon; ++t) output[t] = (double)((seed >> t & 1) ^ (input[t] > 2.0));
}
static void walk(const assay_shape_v1* shape, const double* input, uint64_t seed,
                 const int64_t* actions, int64_t count, int64_t from, double* probabilities) {
  (void)input, (void)seed, (void)actions;
  for (; from <= count && from < shape->horizon; ++from) {
    *probabilities++ = 0.5;
    *probabilities++ = 0.5;
  }
}
ASSAY_TARGET("coins", "bandit", 1, play)
ASSAY_PROBABILITIES(walk)
)";
  const std::string policy = R"(
#include "assay_target.h"
struct Coins {
  uint64_t seed;
  int choose() const { return static_cast<int>(seed & 1); }
  void update(int, double) { seed >>= 1; }
  void probabilities(double* of_arms) const { of_arms[0] = of_arms[1] = 0.5; }
};
ASSAY_POLICY_WITH_PROBABILITIES("coins", "bandit", 1, [](const assay_shape_v1&, uint64_t seed) { return Coins{seed}; })
)";
  for (const auto& [standard, text] : {std::pair("gnu89", &function),
                                       {"c17", &function},
                                       {"c++11", &function},
                                       {"c++20", &function},
                                       {"c++20", &policy}}) {
    const bool cpp = std::string(standard).find("++") != std::string::npos;
    const auto source = folder.write(cpp ? "coins.cpp" : "coins.c", *text);
    const auto built =
        run_command({cpp ? "/usr/bin/c++" : "/usr/bin/cc", "-std=" + std::string(standard),
                     "-shared", "-fPIC", "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror",
                     "-o", folder.file("coins.so"), source});
    ASSERT_EQ(built.status, 0) << standard << built.err;
    const auto run = run_assay({"try", "--plugin", folder.file("coins.so"), "--horizon", "8"});
    EXPECT_EQ(run.status, 0) << standard << run.err;
    EXPECT_THAT(run.out, HasSubstr("coins; it promises that seeds determine its runs"));
    const auto audit = run_audit({"--plugin", folder.file("coins.so"), "--horizon", "4", "--method",
                                  "exact", "--claim", "eps=0.5", "--runs", "1000"});
    EXPECT_THAT(audit.out, StartsWith("VerifiedIfReported")) << standard << audit.err;
  }
}

TEST(AdapterCommand, SaysWhichThereAre) {
  expect_refused("adapter rust", "LANGUAGE must be python | c | cpp, not 'rust'");
  run_expecting(2, "adapter");
}

// The command alone in a folder, with an empty environment.
class CopiedCommand : public ::testing::Test {
 protected:
  CopiedCommand() {
    fs::create_directories(folder_.path() / "bin");
    fs::copy_file(ASSAY_CLI, command_);
  }
  CommandResult run(const Words& words, const Words& environment = {}) const {
    Words all = "/usr/bin/env -i";
    all.insert(all.end(), environment.begin(), environment.end());
    all.push_back(command_);
    all.insert(all.end(), words.begin(), words.end());
    return run_command(all);
  }
  // Where its module is, as a target of the command finds it: its last words.
  std::string place(const Words& environment = {}) const {
    const auto program = folder_.write(
        "where.py", "import sys, assay_target\nsys.exit('at ' + assay_target.__file__ + ';')\n");
    const auto result = run({"try", "--exec", python(program)}, environment);
    EXPECT_EQ(result.status, 4);
    const auto from = result.err.find("at /");
    if (from == std::string::npos) return result.err;
    return result.err.substr(from + 3, result.err.find(';', from) - from - 3);
  }
  // A module in that folder of the test's.
  std::string module_in(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_.path() / name);
    return folder_.write(name + "/assay_target.py", text);
  }

  TemporaryFolder folder_;
  std::string command_ = folder_.file("bin/assay");
};

TEST_F(CopiedCommand, AuditsProgramsThatImportTheModule) {
  const auto program = folder_.write("leak.py",
                                     "from assay_target import serve\nimport random\n"
                                     "serve(lambda x, shape, seed: [x[0] + random.gauss(0, 1)])\n");
  const auto result = run({"audit", "--exec", python(program), "--kind", "mechanism", "--domain",
                           "0:20", "--claim", "eps=1", "--samples", "1000", "--threads", "2"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, StartsWith("Violated: "));
  // Nothing was left beside it.
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), MatchesRegex("bin|assay|leak.py"));
  }
}

// In the namespace of the program, and without one in a file of the command's.
constexpr const char* kInMemory = "/proc/(tty/ldisc|[0-9]+/fd/[0-9]+)/assay_target.py";
constexpr const char* kInFile = "/proc/[0-9]+/fd/[0-9]+/assay_target.py";

TEST_F(CopiedCommand, CarriesTheModuleInMemory) {
  for (const char* environment : {"", "PYTHONPATH=", "PYTHONPATH=/none TMPDIR=/none"}) {
    EXPECT_THAT(place(environment), MatchesRegex(kInMemory));
    without_namespaces([&] { EXPECT_THAT(place(environment), MatchesRegex(kInFile)); });
  }
}

TEST_F(CopiedCommand, TakesTheUsersModuleFirst) {
  const auto own = module_in("own", "");
  EXPECT_EQ(place({"PYTHONPATH=" + folder_.file("own")}), own);
}

TEST_F(CopiedCommand, TakesTheFolderOfItsInstallationUnlessThatIsOfAnotherVersion) {
  const std::string text = read_file(kSources + "assay_target.py");
  const auto installed = module_in("share/assay/python", text);
  EXPECT_EQ(place(), installed);
  for (const std::string& other : {text + "\n", text.substr(1), std::string()}) {
    module_in("share/assay/python", other);
    EXPECT_THAT(place(), MatchesRegex(kInMemory));
  }
}

// Who writes there changes what the next program is given: nobody can.
TEST_F(CopiedCommand, NobodyWritesIntoIt) {
  const auto program = folder_.write("writes.py", R"(
import assay_target, os, sys
place = assay_target.__file__
if not os.path.exists(place): place = os.path.dirname(place)  # an archive
for mode in ("r+b", "wb", "ab"):
    try:
        with open(place, mode, buffering=0) as file:
            file.write(b"x")
    except OSError:
        continue
    sys.exit("written;")
sys.exit("sealed;")
)");
  const auto check = [&] {
    EXPECT_THAT(run({"try", "--exec", python(program)}).err, HasSubstr("sealed;"));
  };
  check();
  without_namespaces(check);
}

}  // namespace
}  // namespace assay

// The command where the system starts fewer threads than it asks for.
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// What the report says, without how long it took and on how many threads.
std::string without_meta(const std::string& json) {
  const auto at = json.find("\"meta\"");
  EXPECT_NE(at, std::string::npos) << json;
  return json.substr(0, at) + json.substr(std::min(json.size(), json.find('}', at)));
}

Words audit(const std::string& threads, Words before = {}) {
  for (const char* word :
       {ASSAY_CLI, "audit", "above-threshold", "--format", "json", "--threads"}) {
    before.emplace_back(word);
  }
  before.push_back(threads);
  return before;
}

Words as_nobody(const std::string& processes) {
  const std::string limit = "--nproc=" + processes + ":" + processes;
  if (geteuid() != 0) return {"/usr/bin/prlimit", limit};
  // Root has no limit.
  return {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "/usr/bin/prlimit", limit};
}

TEST(Threads, ThatCannotBeStartedAreDoneWithout) {
  auto probe = as_nobody("3");
  for (const char* word : {ASSAY_CLI, "--version"}) probe.emplace_back(word);
  if (run_command(probe).status != 0) {
    GTEST_SKIP() << "no process with a limit on its threads can be made here";
  }
  const auto alone = run_command(audit("1"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  for (const char* processes : {"3", "1"}) {
    // The leak sanitizer starts a process of its own at the end.
    if (kSanitized && std::string_view(processes) == "1") continue;
    const auto run = run_command(audit("6", as_nobody(processes)));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(without_meta(run.out), without_meta(alone.out));
  }
}

TEST(Threads, ThatMemoryHasNoRoomForAreDoneWithout) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need more address space than the limit leaves";
  const auto alone = run_command(audit("1"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  for (const char* limit : {"--as=1073741824", "--as=4294967296"}) {
    const auto run = run_command(audit("4096", {"/usr/bin/prlimit", limit}));
    EXPECT_EQ(run.status, 0) << limit << ": " << run.err;
    EXPECT_EQ(without_meta(run.out), without_meta(alone.out));
  }
}

}  // namespace
}  // namespace assay

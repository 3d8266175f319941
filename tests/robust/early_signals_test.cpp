// Interrupts that come while a job is still being prepared: the first one ends it with its report.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

// Prepared for 0.15 s of processor time and more: an input of 4,000,000 numbers and its hard pair.
const std::vector<std::string> kLongPreparation{ASSAY_CLI,
                                                "audit",
                                                "dp-bai-gauss",
                                                "-p",
                                                "arms=2000",
                                                "-p",
                                                "dimension=16",
                                                "-p",
                                                "budget=2000",
                                                "-p",
                                                "epsilon=40",
                                                "-p",
                                                "calibration=paper",
                                                "--threads",
                                                "1"};

pid_t start(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0) execv(arguments[0], arguments.data());
    _exit(127);
  }
  return child;
}

std::ifstream about(pid_t process, const char* what) {
  return std::ifstream("/proc/" + std::to_string(process) + "/" + what);
}

bool catches(pid_t process, int signal) {
  auto status = about(process, "status");
  for (std::string word; status >> word;) {
    if (word != "SigCgt:") continue;
    std::uint64_t mask = 0;
    status >> std::hex >> mask;
    return (mask >> (signal - 1) & 1) != 0;
  }
  return false;
}

double processor_seconds(pid_t process) {
  double nanoseconds = 0.0;
  about(process, "schedstat") >> nanoseconds;
  return 1e-9 * nanoseconds;
}

TEST(EarlySignals, AreCaughtBeforeAnythingIsPreparedAndEndAnAuditWithItsReport) {
  const TemporaryFolder folder;
  const std::string output = (folder.path() / "out").string();
  for (const int signal : {SIGINT, SIGTERM}) {
    bool early = false;  // whoever looks may be late
    for (int attempt = 0; attempt < 20 && !early; ++attempt) {
      const pid_t child = start(kLongPreparation, output);
      ASSERT_GT(child, 0);
      while (!catches(child, signal) && waitpid(child, nullptr, WNOHANG) == 0) usleep(500);
      early = processor_seconds(child) < 0.05;
      kill(child, signal);
      kill(child, signal);  // as `timeout` does: to the process and to its group
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
      EXPECT_EQ(WEXITSTATUS(status), 3);
      EXPECT_THAT(read_file(output), ::testing::StartsWith("Inconclusive"));
    }
    EXPECT_TRUE(early) << signal;
  }
}

}  // namespace
}  // namespace assay

// Runs the `assay` binary (or any program) as a user would, without a shell, and keeps what it said.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "assay/tests/support/child.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct CommandResult {
  int status = -1;  // exit status; 128 + signal when a signal ended it; -1: it never started
  std::string out;
  std::string err;
};

// The words of a command: a list, or a text that is split at its spaces.
struct Words : std::vector<std::string> {
  using std::vector<std::string>::vector;
  Words() = default;
  Words(const std::vector<std::string>& words) : std::vector<std::string>(words) {}
  Words(std::initializer_list<std::string> words) : std::vector<std::string>(words) {}
  Words(const std::string& text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) push_back(word);
  }
  Words(const char* text) : Words(std::string(text)) {}
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

// A test with a folder of its own.
class InAFolder : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
};

// `interrupt_after`: sends `signal` once the program has run that long; zero for never.
inline CommandResult run_command(
    const Words& words, std::chrono::milliseconds interrupt_after = std::chrono::milliseconds(0),
    int signal = SIGINT) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  Child child(words, out, err);
  if (interrupt_after.count() > 0) {
    std::this_thread::sleep_for(interrupt_after);
    child.signal(signal);
  }
  return CommandResult{.status = child.wait(), .out = read_file(out), .err = read_file(err)};
}

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A program in Python, as --exec takes it, and one of examples/targets with its words.
inline std::string python(const std::string& script) { return ASSAY_PYTHON " " + script; }
inline std::string example(const std::string& words) {
  return python(ASSAY_SOURCE_DIR "/examples/targets/" + words);
}

// What `assay suite run` reports in, and the words that write each into a file of that name.
inline const std::vector<std::string> kReportKinds = {
    "text", "json", "sarif", "junit", "codequality", "html", "markdown", "github-summary"};
inline Words every_report(const TemporaryFolder& folder) {
  Words words;
  for (const auto& kind : kReportKinds) {
    words.insert(words.end(), {"--report", kind + "=" + folder.file(kind)});
  }
  return words;
}

#ifdef ASSAY_CLI
// Audits print their whole report here, because most tests read more of it than its short form has.
inline CommandResult run_assay(const Words& words) {
  auto command = with({ASSAY_CLI}, words);
  if (!words.empty() && words.front() == "audit") command.push_back("--full");
  return run_command(command);
}
inline CommandResult run_audit(const Words& words) { return run_assay(with("audit", words)); }

// Runs that have to end with that status.
inline CommandResult run_expecting(int status, const Words& words) {
  const auto run = run_assay(words);
  EXPECT_EQ(run.status, status) << ::testing::PrintToString(words) << run.out << run.err;
  return run;
}
inline CommandResult audit_expecting(int status, const Words& words) {
  return run_expecting(status, with("audit", words));
}

// What the command does not do: it says why, and nothing else.
inline void expect_refused(const Words& words, const std::string& message, int status = 2) {
  const auto run = run_expecting(status, words);
  EXPECT_THAT(run.err, HasSubstr(message)) << ::testing::PrintToString(words);
  EXPECT_EQ(run.out, "") << ::testing::PrintToString(words);
}

// Words after those of `command`, and the message.
using Refusals = std::vector<std::pair<Words, std::string>>;
inline void expect_each_refused(const Words& command, const Refusals& refusals) {
  for (const auto& [words, message] : refusals) expect_refused(with(command, words), message);
}
#endif

}  // namespace assay

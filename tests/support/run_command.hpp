// Runs the `assay` binary (or any program) as a user
// would, without a shell, and keeps what it said.
#pragma once

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "assay/tests/support/child.hpp"

namespace assay {

struct CommandResult {
  int status = -1;  // exit status; 128 + signal when a signal ended it; -1: it never started
  std::string out;
  std::string err;
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

// `interrupt_after`: sends `signal` once the program has run that long; zero for never.
inline CommandResult run_command(
    const std::vector<std::string>& words,
    std::chrono::milliseconds interrupt_after = std::chrono::milliseconds(0), int signal = SIGINT) {
  const TemporaryFolder folder;
  const std::string out = folder.file("out");
  const std::string err = folder.file("err");
  Child child(words, out, err);
  if (interrupt_after.count() > 0) {
    std::this_thread::sleep_for(interrupt_after);
    child.signal(signal);
  }
  CommandResult result;
  result.status = child.wait();
  result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

inline std::vector<std::string> with(std::vector<std::string> words,
                                     const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

#ifdef ASSAY_CLI
inline CommandResult run_assay(std::vector<std::string> words) {
  words.insert(words.begin(), ASSAY_CLI);
  return run_command(words);
}
inline CommandResult run_audit(std::vector<std::string> words) {
  words.insert(words.begin(), "audit");
  return run_assay(words);
}
#endif

// What a command refuses, and its words; with the name of a test.
struct BadWords {
  std::vector<std::string> words;
  std::string message;
};
struct BadInput {
  std::string name;
  std::vector<std::string> words;
  std::string message;
};

}  // namespace assay

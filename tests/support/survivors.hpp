// Who is left of a test's children: processes that carry its mark.
//
// A program started carries the mark in its environment, in a variable that is passed on to targets; what was
// only forked, in its name.
#pragma once

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "assay/tests/support/run_command.hpp"

// Sanitizers reserve memory without end and have words of their own for the want of it.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASSAY_TEST_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ASSAY_TEST_SANITIZED 1
#endif

namespace assay {

// Marks what this process starts from now on.
inline std::string mark_children() {
  const std::string mark = "mark" + std::to_string(getpid());
  setenv("LC_TEST_MARK", mark.c_str(), 1);
  prctl(PR_SET_NAME, mark.c_str());
  return mark;
}

// Their command lines, this process and zombies left out.
inline std::vector<std::string> marked_processes(const std::string& mark) {
  std::vector<std::string> found;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (name == std::to_string(getpid())) continue;
    const std::string stat = read_file(entry.path() / "stat");
    if (stat.empty() || stat.find(") Z") != std::string::npos) continue;
    const bool named = stat.find("(" + mark + ")") != std::string::npos;
    const bool told =
        read_file(entry.path() / "environ").find("LC_TEST_MARK=" + mark) != std::string::npos;
    if (named || told) found.push_back(name + " " + read_file(entry.path() / "cmdline"));
  }
  return found;
}

// After a moment for those that are being ended.
inline std::vector<std::string> survivors(const std::string& mark) {
  auto found = marked_processes(mark);
  for (int i = 0; i < 200 && !found.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    found = marked_processes(mark);
  }
  return found;
}

}  // namespace assay

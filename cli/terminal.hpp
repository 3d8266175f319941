// The terminal: colour and width of the report, progress on stderr, interruption.
//
// stdout carries one report and nothing else; everything here but `stdout_style` writes to stderr.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "assay/auditors/report/text_writer.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

// Colour and width for a report on stdout: colour on a terminal only, and never with NO_COLOR set.
TextStyle stdout_style();

// "assay: message" on stderr.
void print_error(const Error& error);
void print_note(std::string_view note);

// A progress line on stderr, redrawn in place; silent unless stderr is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(std::string_view stage, double fraction);
  void clear();  // before something else is printed; the next update draws it again

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_ = false;
  bool drawn_ = false;
  std::string stage_;
  Clock::time_point stage_started_{};
  Clock::time_point last_drawn_{};
};

// From now on SIGINT and SIGTERM raise the returned flag; a second one ends the process as usual.
const std::atomic<bool>& catch_interrupts();

}  // namespace assay::cli

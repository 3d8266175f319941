#include "assay/cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace assay::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler needs a lock-free flag");

extern "C" void on_interrupt(int signal_number) {
  if (!interrupted.exchange(true)) return;
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);  // delivered once this returns
}

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// Seconds as "12 s", "3 min" or "2.5 h".
std::string duration_text(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

}  // namespace

TextStyle stdout_style() {
  TextStyle style;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_color = std::getenv("NO_COLOR");
  style.color = terminal && (no_color == nullptr || *no_color == '\0');
  style.width = terminal ? std::clamp(terminal_width(STDOUT_FILENO), 60, 100) : 80;
  return style;
}

bool print_report(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) print_note("cannot write the report to standard output");
  return written;
}

void print_error(const Error& error) { fmt::print(stderr, "assay: {}\n", error.to_string()); }

void print_note(std::string_view note) { fmt::print(stderr, "assay: {}\n", note); }

ProgressLine::ProgressLine() : enabled_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void ProgressLine::update(std::string_view stage, double fraction) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (stage != stage_) {
    stage_ = stage;
    stage_started_ = now;
    stage_from_ = fraction;
  } else if (now - last_drawn_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_drawn_ = now;
  drawn_ = true;
  constexpr int kCells = 24;
  const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kCells);
  std::string line = fmt::format("{:<20} [{:<{}}] {:3.0f}%", stage_, std::string(filled, '='),
                                 kCells, 100.0 * fraction);
  const double spent = std::chrono::duration<double>(now - stage_started_).count();
  const double made = fraction - stage_from_;
  if (made > 0.02 * (1.0 - stage_from_) && spent > 1.0) {
    line += fmt::format("  {} left", duration_text(spent * (1.0 - fraction) / made));
  }
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // Unless whoever started the command wants it to outlive the terminal (nohup).
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return interrupted;
}

}  // namespace assay::cli

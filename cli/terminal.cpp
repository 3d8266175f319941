#include "assay/cli/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <limits>

#include "assay/auditors/audit/error_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/processes.hpp"
#include "assay/mechanisms/core/files.hpp"

namespace assay::cli {
namespace {

constexpr std::string_view kIndent = "  ";

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "the signal handler needs a lock-free flag");

// A sender that signals a process and its group, as `timeout` does, signals twice at once. That is one interrupt.
extern "C" void on_interrupt(int signal_number) {
  constexpr std::int64_t kAtOnce = 200'000'000;
  static std::atomic<std::int64_t> first{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t nanoseconds = 1'000'000'000 * now.tv_sec + now.tv_nsec;
  std::int64_t before = 0;
  if (first.compare_exchange_strong(before, nanoseconds)) interrupted = true;
  if (before == 0 || nanoseconds - before < kAtOnce) return;
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);  // delivered once this returns
}

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  return static_cast<int>(columns == nullptr ? 80 : parse_integer(columns).value_or(80));
}

// The open descriptor that ASSAY_PROGRESS names, which no process of a target inherits; -1 for none.
int progress_pipe() {
  const char* text = std::getenv("ASSAY_PROGRESS");
  const auto number = text == nullptr ? -1 : parse_integer(text).value_or(-1);
  if (number <= STDERR_FILENO || number > std::numeric_limits<int>::max()) return -1;
  const int descriptor = static_cast<int>(number);
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? descriptor : -1;
}

int text_width() { return std::clamp(terminal_width(STDOUT_FILENO), 60, 100); }

}  // namespace

TextStyle stdout_style() {
  TextStyle style;
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const char* no_color = std::getenv("NO_COLOR");
  style.color = terminal && (no_color == nullptr || *no_color == '\0');
  if (terminal) style.width = text_width();
  return style;
}

TextStyle help_style() {
  TextStyle style = stdout_style();
  style.width = text_width();
  return style;
}

bool print_report(std::string_view text) { return print_unchanged(without_log_commands(text)); }

bool print_unchanged(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) return true;
  // The reader that closed the pipe (`| head`) has read enough.
  if (errno != EPIPE) {
    print_note(fmt::format("cannot write the report to standard output: {}", std::strerror(errno)));
  }
  return false;
}

void print_error(const Error& error) { print_note(error.to_string()); }

void print_note(std::string_view note) {
  std::string text = "assay: ";
  for (std::size_t from = 0;;) {
    const std::size_t end = std::min(note.find('\n', from), note.size());
    text += plain_text(note.substr(from, end - from)) + "\n";
    from = end + 1;
    if (from >= note.size()) break;
    if (note.substr(from, kIndent.size()) != kIndent) text += kIndent;
  }
  write_all(STDERR_FILENO, without_log_commands(text));  // a failure cannot be reported anywhere
}

void keep_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    // This takes the lowest free number, and opens it the wrong way round: it still cannot be used.
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

ProgressLine::ProgressLine() : pipe_(progress_pipe()) {
  enabled_ = pipe_ >= 0 || isatty(STDERR_FILENO) != 0;
}

void ProgressLine::clear() {
  if (drawn_) write_all(STDERR_FILENO, "\r\033[K");
  drawn_ = false;
}

void ProgressLine::update(const Progress& made) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (made.stage != stage_) {
    stage_ = made.stage;
    stage_started_ = now;
    stage_from_ = made.fraction;
  } else if (now - last_drawn_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_drawn_ = now;
  if (pipe_ >= 0) {
    const auto line = fmt::format("{:.4f}\t{}\t{}\n", std::clamp(made.fraction, 0.0, 1.0),
                                  plain_text(made.stage), plain_text(made.found));
    if (!write_all(pipe_, line) && errno == EPIPE) {
      enabled_ = false;
      std::raise(SIGTERM);
    }
    return;
  }
  drawn_ = true;
  constexpr int kCells = 12;
  const double fraction = std::clamp(made.fraction, 0.0, 1.0);
  std::string line = fmt::format("{:<20} [{:<{}}] {:3.0f}%", plain_text(stage_),
                                 std::string(static_cast<std::size_t>(fraction * kCells), '='),
                                 kCells, 100.0 * fraction);
  const double spent = std::chrono::duration<double>(now - stage_started_).count();
  const double in_stage = fraction - stage_from_;
  if (in_stage > 0.02 * (1.0 - stage_from_) && spent > 1.0) {
    line += fmt::format("  {} left", duration_text(spent * (1.0 - fraction) / in_stage));
  }
  // A line that wraps cannot be redrawn in place.
  const auto most = static_cast<std::size_t>(std::max(20, terminal_width(STDERR_FILENO) - 1));
  const std::string found = made.found.empty() ? "" : "; " + plain_text(made.found);
  if (line.size() + found.size() <= most) line += found;
  line.resize(std::min(line.size(), most));
  write_all(STDERR_FILENO, "\r\033[K" + line);
}

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // If SIGHUP was ignored, the command shall outlive the terminal (nohup).
  if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return interrupted;
}

int guarded(const std::function<int()>& run) {
  keep_standard_descriptors();
  // From the start, so that an interrupt while a job is prepared ends it with its report.
  catch_interrupts();
  return run_with_others([&] {
    try {
      return run();
    } catch (const std::exception& error) {
      print_note(fmt::format("internal error: {}", error.what()));
    } catch (...) {
      print_note("internal error: an exception of unknown type");
    }
    end_others(kInternalError);
    return static_cast<int>(kInternalError);
  });
}

bool write_file(const OutputFile& file, const Render& render) {
  const auto status = file.write(render(file.format(), TextStyle{}));
  if (!status) print_error(status.error());
  return status.has_value();
}

bool deliver(const Outputs& outputs, const Render& render, const std::string& below,
             const std::string& headline) {
  bool written = true;
  for (const auto& file : outputs.files) written = write_file(file, render) && written;
  if (outputs.quiet) return print_report(plain_text(headline) + "\n") && written;
  TextStyle style = stdout_style();
  style.full = outputs.full;
  std::string text = render(outputs.format, style);
  if (outputs.format == Format::kText) text += below;
  return print_report(text) && written;
}

bool deliver_error(const Outputs& outputs, const Error& error) {
  const int status = exit_code(error.code);
  if (status != kInconclusive && status != kTargetFailed) return true;
  const Render render = [&](Format format, const TextStyle&) {
    if (format == Format::kJson) return to_json(error);
    if (format == Format::kHtml) return to_html(error);
    return "No report: " + plain_text(error.to_string()) + "\n";
  };
  bool written = true;
  for (const auto& file : outputs.files) {
    if (file.format() != Format::kCsv) written = write_file(file, render) && written;
  }
  const bool prints = outputs.format == Format::kJson || outputs.format == Format::kHtml;
  if (prints) written = print_report(render(outputs.format, {})) && written;
  return written;
}

std::string written_lines(const std::vector<OutputFile>& files) {
  std::string text;
  for (const auto& file : files) {
    text += "Written     " + plain_text(file.path().string()) + "\n";
  }
  return text;
}

}  // namespace assay::cli

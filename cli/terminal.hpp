// The terminal: it writes the report to stdout, and errors, notes and progress to stderr, and handles interrupts.
//
// stdout carries one report and nothing else, and every command writes it here. Errors may quote any text of a
// file or a program. Only plain text reaches the terminal (text/safe_text.hpp), and only the first line begins
// with "assay: ", so that no text can imitate another message. A stderr that cannot be written never changes
// what a command does.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/session/outputs.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/cli/processes.hpp"
#include "assay/cli/shards.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

// Colour and width for a report on stdout: colour only on a terminal, and never if NO_COLOR is set.
TextStyle stdout_style();
// The style of help. If stdout is not a terminal, COLUMNS gives the width.
TextStyle help_style();

// Writes the report to stdout at once. Returns false if it could not write all of it. A note on stderr then says why,
// unless the reader of a pipe has closed it. Nothing in the report is a command to the server whose log this is.
[[nodiscard]] bool print_report(std::string_view text);
// The same for scripts, and for commands to such a server.
[[nodiscard]] bool print_unchanged(std::string_view text);

// "assay: message" on stderr; further lines are indented.
void print_error(const Error& error);
void print_note(std::string_view note);

// Must be called first, so that no file that is opened later takes the number of a closed stdin, stdout or stderr.
// Writing to these still fails.
void keep_standard_descriptors();

// One line on stderr for a whole job, redrawn in place: the stage, the share done, the time left at the pace of this
// stage, and what was found so far. It is silent unless stderr is a terminal.
//
// A program that runs this command may read the same from a pipe, whose descriptor ASSAY_PROGRESS names: a line
// "FRACTION<tab>STAGE<tab>FOUND" for each update, and nothing on stderr. When nobody reads the pipe any more, that
// program has ended, and the job is interrupted as by SIGTERM.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const Progress& made);
  void clear();  // before something else is printed; the next update draws it again

 private:
  using Clock = std::chrono::steady_clock;
  int pipe_ = -1;  // of ASSAY_PROGRESS; -1 for none
  bool enabled_ = false;
  bool drawn_ = false;
  std::string stage_;
  double stage_from_ = 0.0;  // the fraction at which the stage started
  Clock::time_point stage_started_{};
  Clock::time_point last_drawn_{};
};

// From now on SIGINT, SIGTERM and SIGHUP set the returned flag. A second signal of these ends the process as
// usual. If SIGHUP was ignored, it stays ignored.
const std::atomic<bool>& catch_interrupts();

// The body of main(): prepares the process and calls `run`. An exception that reaches it is an internal error.
int guarded(const std::function<int()>& run);

// Runs a job here: its progress on the terminal, ended by the signals that end a program.
template <class Report>
Result<Report> run_here(const PreparedJob<Report>& job, const RunOptions& run,
                        ProgressLine& progress) {
  const auto items = ASSAY_TRY(ItemsHere::open(run));
  Session session;
  session.control.items = items.store();
  session.control.engine = other_processes();
  session.control.threads = found_by_first(session.control, [&] {
    return run.threads ? thread_count(run.threads)
                       : std::max(1, thread_count(run.threads) / processes_here());
  });
  session.control.cancel = &shared_interruption(catch_interrupts());
  session.control.progress = [&](const Progress& made) { progress.update(made); };
  session.control.note = [&](std::string_view sentence) {
    progress.clear();
    print_note(sentence);
  };
  auto report = job(session);
  progress.clear();
  if (items.is_shard()) {
    return tl::make_unexpected(items.finish(report ? nullptr : &report.error()));
  }
  return report;
}
template <class Report>
Result<Report> run_here(const PreparedJob<Report>& job, const RunOptions& run) {
  ProgressLine progress;
  return run_here(job, run, progress);
}

// The report in one of the formats that it has a writer of.
template <class Report, class... Meta>
std::string rendered(const Report& report, Format format, const TextStyle& style,
                     const Meta&... meta) {
  if constexpr (requires { to_csv(report); }) {
    if (format == Format::kCsv) return to_csv(report);
  }
  if constexpr (requires { to_html(report, meta...); }) {
    if (format == Format::kHtml) return to_html(report, meta...);
  }
  if (format == Format::kJson) return to_json(report, meta...);
  if constexpr (requires { to_text(report, meta..., style); }) {
    return to_text(report, meta..., style);
  } else {
    return to_text(report);
  }
}

// Writes the files of a report, then prints the report, with `below` after a text, or only its headline. False if
// something could not be written. A note on stderr then says what.
using Render = std::function<std::string(Format, const TextStyle&)>;
bool write_file(const OutputFile& file, const Render& render);
[[nodiscard]] bool deliver(const Outputs& outputs, const Render& render,
                           const std::string& below = {}, const std::string& headline = {});
// Writes the error of a run that was interrupted or whose target failed without a report, to the files and, as
// JSON or HTML, to stdout. A CSV has no place for it. The caller still has to print it. False as above.
[[nodiscard]] bool deliver_error(const Outputs& outputs, const Error& error);
template <class Report>
Result<Report> run_here(const PreparedJob<Report>& job, const RunOptions& run,
                        const Outputs& outputs) {
  auto report = run_here(job, run);
  if (!report && !deliver_error(outputs, report.error())) report.error().code = ErrorCode::kIo;
  return report;
}
std::string written_lines(const std::vector<OutputFile>& files);  // "Written     report.json"

// deliver() for a report that has a writer of each format, with the names of its files below.
template <class Report>
[[nodiscard]] bool deliver_report(const Outputs& outputs, const Report& report,
                                  const std::string& headline = {}) {
  const auto render = [&](Format format, const TextStyle& style) {
    return rendered(report, format, style);
  };
  return deliver(outputs, render, written_lines(outputs.files), headline);
}

}  // namespace assay::cli

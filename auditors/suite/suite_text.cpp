#include <fmt/format.h>

#include <string>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {
namespace {

class SuiteTextWriter : detail::TextPage {
 public:
  SuiteTextWriter(const SuiteReport& report, TextStyle style)
      : TextPage(style), report_(report), findings_(findings_of(report)) {}

  std::string write() {
    const bool fails = !findings_.empty() && findings_.front().fails;
    hanging("", suite_headline(report_), fails ? Paint::kRed : Paint::kGreen);
    gap();
    for (const auto& [key, text] : run_facts(report_)) entry(key, text);
    table();
    changes();
    for (const SuiteFinding& finding : findings_) failure(finding);
    if (!report_.notes.empty()) heading("Notes");
    for (const std::string& note : report_.notes) hanging("  - ", shortened(note, kMostOfNote));
    if (!report_.reproduce.empty()) {
      gap();
      reproduce(report_.reproduce);
    }
    return without_workflow_commands(finish());
  }

 private:
  using Paint = detail::Paint;
  static constexpr std::size_t kMostOfNote = 2000;
  static constexpr std::size_t kMostOfCell = 40;
  static constexpr std::size_t kMostOfFound = 200;  // in the table
  static constexpr std::size_t kLeastOfFound = 24;  // columns
  static constexpr std::size_t kMarginBelow = 6;

  // A step of GitHub reads "::" at the beginning of a line, and "##[" anywhere, as commands.
  static std::string without_workflow_commands(const std::string& text) {
    std::string out;
    bool begins = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (begins && text.compare(i, 2, "::") == 0) out += '|';
      out += text[i];
      if (text.compare(i, 3, "##[") == 0) out += ' ';
      begins = text[i] == '\n' || (begins && text[i] == ' ');
    }
    return out;
  }

  Paint paint_of(const EntryResult& entry) const {
    if (entry.status == EntryStatus::kHeld) return Paint::kGreen;
    return fails_run(entry, report_) ? Paint::kRed : Paint::kYellow;
  }

  void table() {
    if (report_.entries.empty()) return;
    const std::vector<std::string> names = {"entry", "kind", "status", "found"};
    std::vector<std::vector<std::string>> rows;
    for (const EntryResult& e : report_.entries) {
      rows.push_back({shortened(e.id, kMostOfCell), std::string(enum_name(e.kind)),
                      spaced(enum_name(e.status)) + (e.suppressed_by ? " (suppressed)" : "") +
                          (e.reused_from ? " (reused)" : ""),
                      ""});
    }
    const auto widths = detail::column_widths(names, rows);
    gap();
    line(detail::table_line(names, widths), Paint::kDim);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const EntryResult& e = report_.entries[i];
      out_ += detail::padded(rows[i][0], widths[0] + 2) +
              detail::padded(rows[i][1], widths[1] + 2) +
              painted(detail::padded(rows[i][2], widths[2] + 2), paint_of(e));
      found(shortened(found_text(e), kMostOfFound), widths[0] + widths[1] + widths[2] + 6);
    }
  }

  // The row's text, filled behind the cells that take `used` columns; below them where little room is left.
  void found(const std::string& text, std::size_t used) {
    const bool beside = used + kLeastOfFound <= width_;
    const std::size_t margin = beside ? used : kMarginBelow;
    const auto lines = detail::fill(detail::words_of(text), width_ - margin);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0 || !beside) out_ += "\n" + std::string(margin, ' ');
      out_ += lines[i];
    }
    gap();
  }

  void changes() {
    if (report_.changes.empty()) return;
    heading("Changes", "(against " + shortened(report_.baseline, kMostOfCell) + ")");
    for (const EntryChange& change : report_.changes) {
      hanging("  ",
              shortened(change.id, kMostOfCell) + ": " + spaced(enum_name(change.kind)) +
                  (change.statement.empty() ? "" : ": " + shortened(change.statement, kMostOfNote)),
              change.regresses ? Paint::kRed : Paint::kNone);
    }
  }

  void failure(const SuiteFinding& finding) {
    heading(finding_title(finding), finding.fails ? ""
                                                  : "(" + status_text(*finding.entry, report_) +
                                                        "; does not fail the run)");
    if (finding.change != nullptr)
      entry("Change", shortened(finding.change->statement, kMostOfNote));
    if (finding.entry != nullptr) {
      for (const auto& [key, text] : entry_facts(*finding.entry)) entry(key, text);
    }
    const std::string command = finding_command(finding, report_);
    if (!command.empty()) reproduce(command);
  }

  const SuiteReport& report_;
  std::vector<SuiteFinding> findings_;
};

}  // namespace

std::string to_text(const SuiteReport& report, TextStyle style) {
  return SuiteTextWriter(report, style).write();
}

}  // namespace assay

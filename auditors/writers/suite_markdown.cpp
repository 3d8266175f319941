#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/suite_findings.hpp"
#include "assay/auditors/writers/suite_report_writers.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOfComment = 65536;    // characters; bytes here, which are no fewer
constexpr std::size_t kMostOfSummary = 1 << 20;  // bytes
constexpr std::size_t kMostOfMarkdownCell = 300;
constexpr std::size_t kMostOfMarkdownText = 1000;
constexpr std::size_t kReservedForEnd =
    6000;  // what closes a page: what is left out, and the run's facts

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Text that stays text. What Markdown, HTML or a table reads as a mark is an entity, and so is what makes a
// link of an address. GitHub finds mentions and references in the text that is left, so a zero-width space
// parts their mark from the name. Numbers stay readable in the source.
std::string markdown_text(std::string_view text, std::size_t most) {
  constexpr std::string_view kMarks = "\\`*_[]<>#+|~@&$.-:";
  const std::string plain = shortened(text, most);
  std::string out;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    const char before = i > 0 ? plain[i - 1] : ' ';
    const char after = i + 1 < plain.size() ? plain[i + 1] : ' ';
    const bool in_number =
        (c == '.' && is_digit(before) && is_digit(after)) || (c == '-' && i > 0 && is_digit(after));
    if (kMarks.find(c) == std::string_view::npos || in_number || (c == ':' && after == ' ')) {
      out += c;
      continue;
    }
    out += fmt::format("&#{};", static_cast<int>(c));
    if ((c == '@' || c == '#') && after != ' ') out += "&#8203;";
  }
  return out;
}

std::string markdown_code(std::string_view text, std::size_t most) {
  return text.empty() ? "" : "<code>" + markdown_text(text, most) + "</code>";
}

// A block whose fence is longer than any run of backticks in it.
std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "sh\n" + text + "\n" + fence + "\n";
}

// Blocks are added as a whole or not at all, so that a limit never cuts one open.
class SuiteMarkdown {
 public:
  SuiteMarkdown(const SuiteReport& report, std::size_t limit)
      : report_(report), findings_(findings_of(report)), limit_(limit) {}

  std::string write(bool all_entries) {
    out_ = "## Assay: " + markdown_text(report_.name, 200) + "\n\n**" +
           markdown_text(suite_headline(report_), kMostOfMarkdownText) + "**\n";
    failures();
    changes();
    if (all_entries) entries();
    commands();
    notes();
    if (left_out_ > 0) {
      out_ += fmt::format(
          "\n{} {} left out here, for the limit of {} bytes; the JSON report has all.\n",
          grouped(left_out_), left_out_ == 1 ? "row or block is" : "rows and blocks are",
          grouped(static_cast<long long>(limit_)));
    }
    std::string facts;
    for (const auto& [key, text] : run_facts(report_)) {
      facts += (facts.empty() ? "" : " \xC2\xB7 ") + key + ": " + markdown_text(text, 80);
    }
    return out_ + "\n<sub>" + facts + "</sub>\n";
  }

 private:
  bool add(const std::string& block) {
    if (out_.size() + block.size() + kReservedForEnd > limit_) {
      ++left_out_;
      return false;
    }
    out_ += block;
    return true;
  }

  static std::string row(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + cell + " |";
    return out + "\n";
  }

  static std::string head(const std::vector<std::string>& names) {
    return row(names) + row(std::vector<std::string>(names.size(), "---"));
  }

  static std::string figures_cell(const EntryResult* entry) {
    if (entry == nullptr) return "";
    std::string cell;
    for (const EntryFigure& figure : entry->figures) {
      cell +=
          (cell.empty() ? "" : "<br>") + markdown_text(figure_line(figure), kMostOfMarkdownCell);
      if (cell.size() > kMostOfMarkdownText) break;
    }
    return cell;
  }

  void failures() {
    if (findings_.empty()) return;
    add("\n### Failures\n\n" + head({"entry", "what", "claim", "bounds", "found", "where"}));
    for (const SuiteFinding& finding : findings_) {
      const EntryResult* entry = finding.entry;
      const bool status = finding.change == nullptr;
      add(row({markdown_code(finding.id, kMostOfMarkdownCell),
               status ? markdown_text(status_text(*entry), kMostOfMarkdownCell)
                      : spaced(finding.rule()),
               entry == nullptr ? "" : markdown_text(entry->claim, kMostOfMarkdownCell),
               figures_cell(entry), markdown_text(finding_message(finding), kMostOfMarkdownText),
               markdown_code(fmt::format("{}:{}", finding.place.file, finding.place.line),
                             kMostOfMarkdownCell)}));
    }
  }

  void commands() {
    std::string last;
    for (const SuiteFinding& finding : findings_) {
      if (finding.id == last) continue;
      last = finding.id;
      std::string block = "\n<details><summary>Reproduce " +
                          markdown_code(finding.id, kMostOfMarkdownCell) + "</summary>\n\n";
      if (finding.entry != nullptr) {
        for (const auto& [key, text] : entry_facts(*finding.entry))
          block += "* " + key + ": " + markdown_text(text, kMostOfMarkdownText) + "\n";
      }
      const std::string command = finding_command(finding, report_);
      if (!command.empty()) block += "\n" + fenced(command);
      add(block + "\n</details>\n");
    }
  }

  void changes() {
    if (report_.changes.empty()) return;
    add("\n### Changes against " + markdown_code(report_.baseline, kMostOfMarkdownCell) + "\n\n" +
        head({"entry", "change", "fails", "what"}));
    for (const EntryChange& change : report_.changes) {
      add(row({markdown_code(change.id, kMostOfMarkdownCell), spaced(enum_name(change.kind)),
               change.regresses ? "yes" : "",
               markdown_text(change.statement, kMostOfMarkdownText)}));
    }
  }

  void entries() {
    if (report_.entries.empty()) return;
    add("\n### Entries\n\n" + head({"entry", "kind", "status", "claim", "bounds", "found"}));
    for (const EntryResult& entry : report_.entries) {
      add(row({markdown_code(entry.id, kMostOfMarkdownCell), std::string(enum_name(entry.kind)),
               markdown_text(status_text(entry), kMostOfMarkdownCell),
               markdown_text(entry.claim, kMostOfMarkdownCell), figures_cell(&entry),
               markdown_text(entry.headline, kMostOfMarkdownCell)}));
    }
  }

  void notes() {
    if (report_.notes.empty()) return;
    add("\n### Notes\n\n");
    for (const std::string& note : report_.notes)
      add("* " + markdown_text(note, kMostOfMarkdownText) + "\n");
  }

  const SuiteReport& report_;
  std::vector<SuiteFinding> findings_;
  std::size_t limit_;
  std::string out_;
  long long left_out_ = 0;
};

}  // namespace

std::string to_markdown(const SuiteReport& report) {
  return SuiteMarkdown(report, kMostOfComment).write(false);
}

std::string to_github_summary(const SuiteReport& report) {
  return SuiteMarkdown(report, kMostOfSummary).write(true);
}

}  // namespace assay

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOfComment = 65536;    // characters; bytes here, which are no fewer
constexpr std::size_t kMostOfSummary = 1 << 20;  // bytes
constexpr std::size_t kMostOfMarkdownCell = 300;
constexpr std::size_t kMostOfMarkdownText = 1000;
constexpr std::size_t kMostOfCommand = 4000;
constexpr std::size_t kReservedForEnd =
    6000;  // what closes a page: what is left out, and the run's facts

// Text that stays text. What Markdown, HTML or a table reads as a mark is an entity, and so is what makes a
// link of an address or a list of a number. GitHub finds mentions and references in the text that is left, so
// a zero-width space parts their mark from the name.
std::string markdown_text(std::string_view text, std::size_t most) {
  constexpr std::string_view kMarks = "\\`*_[]<>#+|~@&$";
  const std::string plain = shortened(text, most);
  std::string out;
  bool numbers = true;  // nothing but digits so far
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    const char before = i > 0 ? plain[i - 1] : ' ';
    const char after = i + 1 < plain.size() ? plain[i + 1] : ' ';
    const bool mark = kMarks.find(c) != std::string_view::npos || (c == ':' && after != ' ') ||
                      (c == '-' && before == ' ') ||
                      (c == '.' && (numbers || before == 'w' || before == 'W')) ||
                      (c == ')' && numbers);
    numbers = numbers && c >= '0' && c <= '9';
    out += mark ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
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

// Blocks are added whole or not at all, so that a limit never cuts one open.
class SuiteMarkdown {
 public:
  SuiteMarkdown(const SuiteReport& report, std::size_t limit)
      : report_(report), findings_(findings_of(report)), limit_(limit) {}

  std::string write(bool all_entries) {
    out_ = "## Assay: " + markdown_text(report_.name, 200) + "\n\n**" +
           markdown_text(suite_headline(report_), kMostOfMarkdownText) + "**\n";
    failures();
    commands();
    changes();
    notes();
    if (all_entries) entries();
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
  // A heading with a table's head or nothing, then what is made of each item, while they fit into that part
  // of the page: what comes later has a part of its own.
  template <class Items, class ToBlock>
  void add_each(const std::string& start, const Items& items, double part,
                const ToBlock& to_block) {
    const std::size_t room =
        static_cast<std::size_t>(part * static_cast<double>(limit_ - kReservedForEnd));
    std::string text = start;
    std::size_t done = 0;
    for (; done < items.size(); ++done) {
      const std::string block = to_block(items[done]);
      if (out_.size() + text.size() + block.size() > room) break;
      text += block;
    }
    left_out_ += static_cast<long long>(items.size() - done);
    if (done > 0) out_ += text;
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
    add_each(
        "\n### Failures\n\n" + head({"entry", "what", "claim", "bounds", "found", "where"}),
        findings_, 0.5, [this](const SuiteFinding& finding) {
          const EntryResult* entry = finding.entry;
          return row({markdown_code(finding.id, kMostOfMarkdownCell),
                      finding.change == nullptr
                          ? markdown_text(status_text(*entry, report_), kMostOfMarkdownCell)
                          : spaced(finding.rule()),
                      entry == nullptr ? "" : markdown_text(entry->claim, kMostOfMarkdownCell),
                      figures_cell(entry),
                      markdown_text(finding_message(finding), kMostOfMarkdownText),
                      markdown_code(fmt::format("{}:{}", finding.place.file, finding.place.line),
                                    kMostOfMarkdownCell)});
        });
  }

  void commands() {
    add_each("\n", findings_, 0.75, [this](const SuiteFinding& finding) {
      std::string block = "<details><summary>How to reproduce " +
                          markdown_text(finding_title(finding), kMostOfMarkdownCell) +
                          "</summary>\n\n";
      const std::string command = finding_command(finding, report_);
      if (command.size() > kMostOfCommand) {
        block += "The command is too long to be shown here; the JSON report has it.\n";
      } else if (!command.empty()) {
        block += fenced(command) + "\n";
      }
      if (finding.entry != nullptr) {
        for (const auto& [key, text] : entry_facts(*finding.entry))
          block += "* " + key + ": " + markdown_text(text, kMostOfMarkdownText) + "\n";
      }
      return block + "\n</details>\n";
    });
  }

  void changes() {
    add_each("\n### Changes against " + markdown_code(report_.baseline, kMostOfMarkdownCell) +
                 "\n\n" + head({"entry", "change", "fails", "what"}),
             report_.changes, 0.85, [](const EntryChange& change) {
               return row({markdown_code(change.id, kMostOfMarkdownCell),
                           spaced(enum_name(change.kind)), change.regresses ? "yes" : "",
                           markdown_text(change.statement, kMostOfMarkdownText)});
             });
  }

  void notes() {
    add_each("\n### Notes\n\n", report_.notes, 0.9, [](const std::string& note) {
      return "* " + markdown_text(note, kMostOfMarkdownText) + "\n";
    });
  }

  void entries() {
    add_each("\n### Entries\n\n" + head({"entry", "kind", "status", "claim", "bounds", "found"}),
             report_.entries, 1.0, [this](const EntryResult& entry) {
               return row({markdown_code(entry.id, kMostOfMarkdownCell),
                           std::string(enum_name(entry.kind)),
                           markdown_text(status_text(entry, report_), kMostOfMarkdownCell),
                           markdown_text(entry.claim, kMostOfMarkdownCell), figures_cell(&entry),
                           markdown_text(found_text(entry), kMostOfMarkdownCell)});
             });
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

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "assay/auditors/suite/internal/suite_blocks.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/svg_plot.hpp"

namespace assay {
namespace {

using detail::Paint;
using doc::Document;
using doc::kMarkdown;
using doc::kPage;
using doc::kTerminal;
using doc::only_in;

constexpr std::size_t kMostOfComment = 65536;    // characters; bytes here, which are no fewer
constexpr std::size_t kMostOfSummary = 1 << 20;  // bytes

// In a step, GitHub takes "::" at the beginning of a line, and "##[" anywhere, for commands.
std::string without_workflow_commands(const std::string& text) {
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

// A document of the report for one medium. The parts and their order differ between media.
class SuiteDocument {
 public:
  SuiteDocument(const SuiteReport& report, doc::Media medium)
      : report_(report), failures_(failures_of(report)), medium_(medium) {
    for (const SuiteFindings& of_entry : failures_) failing_.insert(of_entry.front().id);
  }

  Document text(bool is_full) {
    document_.add(doc::Paragraph{suite_headline(report_), fails() ? Paint::kRed : Paint::kGreen});
    summary();
    entries();
    for (const SuiteFindings& of_entry : failures_) {
      document_.append(detail::entry_block(of_entry, is_full));
    }
    changes();
    notes();
    document_.add(doc::Command{report_.reproduce});
    return std::move(document_);
  }

  Document page(const SuiteHistory& history) {
    const std::string name = shortened(report_.name, kMostOfId);
    document_.title = name + " \xE2\x80\x93 Assay suite";
    document_.footer = doc::run_footer(report_.meta);
    document_.heading(
        (fails() ? doc::chip("fails", Paint::kRed) : doc::chip("nothing fails", Paint::kGreen)) +
            " " + doc::exact(name),
        "", 1);
    document_.paragraph(suite_headline(report_));
    summary();
    if (!failures_.empty()) document_.heading("Failures");
    failures();
    entries();
    changes();
    trends(history);
    notes();
    if (!report_.reproduce.empty()) document_.reproduce(report_.reproduce);
    return std::move(document_);
  }

  Document markdown(bool all_entries) {
    document_.heading("Assay: " + shortened(report_.name, 200));
    document_.paragraph(doc::strong(shortened(suite_headline(report_), 1000)));
    failure_table();
    for (const SuiteFindings& of_entry : failures_) {
      Document part;
      part.add(doc::Command{finding_command(of_entry.front(), report_)});
      part.add(facts_of(of_entry, detail::BlockPart::kShort));
      document_.add(doc::Group{doc::GroupKind::kFolded,
                               {part},
                               "Details of " + shortened(entry_title(of_entry), kMostOfCell),
                               0.75});
    }
    changes();
    notes();
    if (all_entries) entries();
    doc::Text facts;
    for (const auto& [key, text] : run_facts(report_)) {
      facts += (facts.empty() ? "" : " \xC2\xB7 ") + key + ": " + shortened(text, 120);
    }
    document_.add(doc::Paragraph{facts, Paint::kDim});
    return std::move(document_);
  }

 private:
  static constexpr std::size_t kMostOfId = 80;       // bytes, on a page
  static constexpr std::size_t kMostOfName = 40;     // in the terminal, also for a claim
  static constexpr std::size_t kMostOfFound = 200;   // in the terminal's table
  static constexpr std::size_t kMostOfCell = 300;    // of Markdown
  static constexpr std::size_t kMostFailures = 200;  // on a page, in full
  static constexpr std::size_t kMostRows = 2000;     // of a page
  static constexpr std::size_t kMostBars = 4;        // figures of an entry that fails
  static constexpr std::size_t kMostPanels = 24;
  static constexpr std::size_t kMostPoints = 200;  // of a trend, the last ones

  bool fails() const { return !failures_.empty() && failures_.front().front().fails; }
  int level() const { return medium_ == kMarkdown ? 3 : 2; }  // of a section's heading

  std::string long_text(const std::string& text) const {
    return shortened(text, medium_ == kMarkdown ? 1000 : 2000);
  }
  // The name of an entry or a file.
  doc::Text name_text(const std::string& name) const {
    if (medium_ == kMarkdown) return doc::code(shortened(name, kMostOfCell));
    return doc::exact(shortened(name, medium_ == kPage ? kMostOfId : kMostOfName));
  }

  // The facts of a block, without those of one part.
  doc::Facts facts_of(const SuiteFindings& of_entry, detail::BlockPart without) const {
    doc::Facts facts;
    for (const auto& [part, key, text] : detail::block_facts(of_entry)) {
      if (part != without) facts.add(key, long_text(text));
    }
    return facts;
  }

  void summary() {
    doc::Facts facts;
    for (const auto& [key, text] : failing_facts(report_)) facts.add(key, long_text(text));
    for (const auto& [key, text] : run_facts(report_)) facts.add(key, long_text(text));
    document_.add(facts);
  }

  void left_out(std::size_t all, std::size_t shown, const std::string& what) {
    if (medium_ != kPage || shown >= all) return;
    document_.paragraph(fmt::format("{} of {} {} are shown; all are in the JSON report.",
                                    grouped(static_cast<long long>(shown)),
                                    grouped(static_cast<long long>(all)), what));
  }

  // On a page, with all but the short facts folded.
  void failures() {
    const std::size_t shown = std::min(failures_.size(), kMostFailures);
    for (std::size_t i = 0; i < shown; ++i) {
      document_.append(detail::entry_block(failures_[i], false));
      doc::Facts more;
      for (const auto& [part, key, text] : detail::block_facts(failures_[i])) {
        if (part == detail::BlockPart::kFull) more.add(key, text);
      }
      if (!more.facts.empty()) document_.folded("All details", more);
    }
    left_out(failures_.size(), shown, "failures");
  }

  // For Markdown.
  void failure_table() {
    document_.heading("Failures", "", level());
    doc::Table table{"", {{"entry"}, {"failure"}, {"found"}, {"defined at"}}};
    table.share = 0.5;
    for (const SuiteFindings& of_entry : failures_) {
      const SuiteFinding& first = of_entry.front();
      doc::Text found;
      for (const SuiteFindings& of_rule : by_rule(of_entry)) {
        found += (found.empty() ? doc::Text{} : doc::line_break()) +
                 doc::Text(long_text(rule_message(of_rule)));
      }
      const std::string excuse = excuse_text(first);
      table.add(
          {name_text(first.id),
           shortened(rules_text(of_entry) + (excuse.empty() ? "" : ", " + excuse), kMostOfCell),
           found, name_text(fmt::format("{}:{}", first.place.file, first.place.line))});
    }
    document_.add(table);
  }

  // Those of entries that fail are with the failures.
  void changes() {
    std::vector<const EntryChange*> changed;
    for (const EntryChange& change : report_.changes) {
      if (!change.regresses || failing_.count(change.id) == 0) changed.push_back(&change);
    }
    if (changed.empty()) return;
    const bool is_all = changed.size() == report_.changes.size();
    const doc::Text baseline = name_text(report_.baseline);
    if (medium_ == kTerminal) {
      document_.heading(is_all ? "Changes" : "Other changes",
                        "(against " + baseline.spans[0].text + ")");
    } else {
      document_.heading((is_all ? "Changes against " : "Other changes against ") + baseline, "",
                        level());
    }
    const std::size_t shown =
        medium_ == kPage ? std::min(changed.size(), kMostRows) : changed.size();
    doc::List lines{{}, "  "};
    doc::Table table{"", {{"entry", false}, {"change", false}, {"details", false}}};
    table.share = 0.85;
    for (std::size_t i = 0; i < shown; ++i) {
      const EntryChange& change = *changed[i];
      const std::string kind = spaced(enum_name(change.kind)), what = long_text(change.statement);
      if (medium_ == kTerminal) {
        lines.items.push_back(name_text(change.id).spans[0].text + ": " + kind +
                              (what.empty() ? "" : ": " + what));
      } else {
        table.add({name_text(change.id), kind, what});
      }
    }
    document_.add(lines);
    document_.add(table);
    left_out(changed.size(), shown, "changes");
  }

  // ---- entries ----------------------------------------------------------------------------------

  // On a page: for an entry that held, the first number that a claim limits; for a failure, a few.
  doc::Text bars(const EntryResult& entry) const {
    const std::size_t most = is_failure(entry, report_) ? kMostBars : 1;
    std::vector<const EntryFigure*> figures;
    for (const EntryFigure& figure : entry.figures) figures.push_back(&figure);
    std::stable_partition(figures.begin(), figures.end(), [](const EntryFigure* figure) {
      return figure->allowed.value_or(0.0) > 0.0;
    });
    doc::Text out;
    for (std::size_t i = 0; i < std::min(figures.size(), most); ++i) {
      if (i > 0) out += doc::line_break();
      if (figures[i]->allowed) {
        out += doc::interval_bar(figures[i]->lower, figures[i]->upper, figures[i]->allowed);
      }
      out += figure_line(*figures[i]);
    }
    if (figures.size() > most) {
      out += doc::line_break() + fmt::format("and {} more", figures.size() - most);
    }
    return out;
  }

  // In Markdown: all figures that fit into a cell.
  static doc::Text figure_lines(const EntryResult& entry) {
    doc::Text out;
    std::size_t size = 0;
    for (const EntryFigure& figure : entry.figures) {
      if (size > 3 * kMostOfCell) break;
      const std::string line = shortened(figure_line(figure), kMostOfCell);
      out += (size == 0 ? doc::Text{} : doc::line_break()) + line;
      size += line.size();
    }
    return out;
  }

  Paint paint_of(const EntryResult& entry) const {
    if (entry.status == EntryStatus::kHeld) return Paint::kGreen;
    const bool grave =
        medium_ == kPage ? entry.status != EntryStatus::kInconclusive : fails_run(entry, report_);
    return grave && entry.status != EntryStatus::kWeak ? Paint::kRed : Paint::kYellow;
  }

  doc::Text status_cell(const EntryResult& entry) const {
    const doc::Text status = doc::chip(spaced(enum_name(entry.status)), paint_of(entry));
    if (medium_ == kMarkdown) return shortened(status_text(entry, report_), kMostOfCell);
    if (medium_ == kTerminal) {
      return status + (entry.suppressed_by ? " (suppressed)" : "") +
             (entry.reused_from ? " (reused)" : "");
    }
    return status + (entry.suppressed_by ? doc::line_break() + "suppressed" : "") +
           (entry.reused_from ? doc::line_break() + fmt::format("of run {}", *entry.reused_from)
                              : "");
  }

  // The claim as it was written, without its value.
  static doc::Text claim_line(const EntryResult& entry) {
    if (entry.claim.empty()) return {};
    return doc::line_break() + "claim " +
           shortened(entry.claim.substr(0, entry.claim.find(", that is ")), kMostOfName);
  }

  void entries() {
    if (report_.entries.empty()) return;
    document_.heading("Entries", "", level(), kPage | kMarkdown);
    doc::Table table{
        "Each bar shows certified bounds, rounded outward; the mark is the allowed value. Those of an audit are for the worst pair found, also if it is verified for every pair.",
        {{"entry", false},
         {"kind", false},
         {"status", false},
         {"claim", false, 0, kMarkdown},
         {"bounds", false, 0, kPage | kMarkdown},
         {"found", false},
         {"seconds", true, 0, kPage}}};
    table.wraps = true;
    table.share = 1.0;
    const bool page = medium_ == kPage;
    // Rows that are not failures are left out first.
    std::size_t room = report_.entries.size(), failed = 0, shown = 0;
    for (const EntryResult& entry : report_.entries) failed += is_failure(entry, report_) ? 1 : 0;
    if (page) room = kMostRows - std::min(failed, kMostRows);
    for (const EntryResult& entry : report_.entries) {
      const bool failure = is_failure(entry, report_);
      if ((page && shown == kMostRows) || (!failure && room == 0)) continue;
      if (!failure) --room;
      ++shown;
      const bool has_block = failing_.count(entry.id) > 0;
      const std::string found =
          medium_ == kTerminal && has_block ? "see below" : found_beside_status(entry);
      table.add({page ? name_text(entry.id) + claim_line(entry) : name_text(entry.id),
                 std::string(enum_name(entry.kind)), status_cell(entry),
                 shortened(entry.claim, kMostOfCell), page ? bars(entry) : figure_lines(entry),
                 page ? found : shortened(found, medium_ == kMarkdown ? kMostOfCell : kMostOfFound),
                 rounded(entry.seconds, 2)});
    }
    document_.add(table);
    left_out(report_.entries.size(), shown, "entries");
  }

  // ---- history ----------------------------------------------------------------------------------

  struct Trend {
    const HistoryEntry* entry = nullptr;
    const HistoryFigure* figure = nullptr;
  };

  // Entries that fail or changed come first.
  std::vector<Trend> chosen_trends(const SuiteHistory& history) const {
    std::unordered_set<std::string> of_interest = failing_;
    for (const EntryChange& change : report_.changes) of_interest.insert(change.id);
    std::vector<Trend> trends;
    for (const HistoryEntry& entry : history.entries) {
      for (const HistoryFigure& figure : entry.figures) {
        if (figure.points.size() > 1) trends.push_back({&entry, &figure});
      }
    }
    std::stable_partition(trends.begin(), trends.end(), [&](const Trend& trend) {
      return of_interest.count(trend.entry->id) > 0;
    });
    return trends;
  }

  const EntryFigure* current(const Trend& trend) const {
    for (const EntryResult& entry : report_.entries) {
      if (entry.id != trend.entry->id) continue;
      for (const EntryFigure& figure : entry.figures) {
        if (figure.name == trend.figure->name) return &figure;
      }
    }
    return nullptr;
  }

  Panel panel_of(const Trend& trend, bool first) const {
    const auto& points = trend.figure->points;
    const std::size_t skipped = points.size() - std::min(points.size(), kMostPoints);
    std::vector<double> runs, lower, upper;
    for (std::size_t i = skipped; i < points.size(); ++i) {
      runs.push_back(static_cast<double>(points[i].run));
      lower.push_back(points[i].lower);
      upper.push_back(points[i].upper);
    }
    Panel panel;
    panel.title =
        shortened(trend.entry->id, 40) + ": " + doc::typeset(shortened(trend.figure->name, 40));
    panel.x.label = "run";
    panel.x.whole = true;
    panel.y.label = trend.figure->kind == FigureKind::kTime ? "seconds" : "";
    panel.plot_height = 120.0;
    // A band for each block of runs that has both ends.
    for (std::size_t begin = 0; begin < runs.size();) {
      std::size_t end = begin;
      while (end < runs.size() && std::isfinite(lower[end]) && std::isfinite(upper[end])) ++end;
      const auto part = [&](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                   all.begin() + static_cast<std::ptrdiff_t>(end));
      };
      if (end > begin + 1) {
        panel.series.push_back(
            Series::band("", part(runs), part(lower), part(upper),
                         {Colour::kSkyBlue, Dash::kSolid, Marker::kNone, 0.6, 0.35}));
      }
      begin = end + 1;
    }
    panel.series.push_back(Series::line(first ? "at most" : "", runs, upper,
                                        {Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.6}));
    panel.series.push_back(Series::line(first ? "at least" : "", runs, lower,
                                        {Colour::kVermillion, Dash::kDashed, Marker::kNone, 1.6}));
    const EntryFigure* now = current(trend);
    if (now != nullptr && now->allowed && std::isfinite(*now->allowed)) {
      panel.rules.push_back({Rule::Along::kHorizontal,
                             *now->allowed,
                             "allowed",
                             {Colour::kBlack, Dash::kDotted, Marker::kNone, 1.2}});
    }
    return panel;
  }

  void trends(const SuiteHistory& history) {
    const std::vector<Trend> all = chosen_trends(history);
    if (all.empty()) return;
    const std::size_t shown = std::min(all.size(), kMostPanels);
    Figure figure{"history", "Trend of each figure from run to run", ""};
    figure.columns = 2;
    figure.width = 1060.0;
    for (std::size_t i = 0; i < shown; ++i) {
      const Trend& trend = all[i];
      const auto& points = trend.figure->points;
      figure.description += fmt::format(
          "{}, {}: at most {} in run {}, {} in run {}. ", shortened(trend.entry->id, 40),
          shortened(trend.figure->name, 40), rounded_up(points.front().upper, 4),
          points.front().run, rounded_up(points.back().upper, 4), points.back().run);
      figure.panels.push_back(panel_of(trend, i == 0));
    }
    document_.heading("History");
    document_.add(doc::Drawn{
        figure,
        "Certified bounds of each run, with the truth between them. The dotted line is the value allowed now. "
        "Entries that fail or changed come first. Only the last runs of a long history are drawn.",
        true});
    left_out(all.size(), shown, "figures");
  }

  void notes() {
    if (report_.notes.empty()) return;
    document_.heading("Notes", "", level());
    doc::List list;
    list.share = 0.9;
    for (const std::string& note : report_.notes) list.items.push_back(long_text(note));
    document_.add(list);
  }

  const SuiteReport& report_;
  std::vector<SuiteFindings> failures_;      // by entry
  std::unordered_set<std::string> failing_;  // their entries
  doc::Media medium_;
  Document document_;
};

}  // namespace

std::string to_text(const SuiteReport& report, TextStyle style) {
  return without_workflow_commands(
      to_terminal(SuiteDocument(report, kTerminal).text(style.full), style));
}

std::string to_html(const SuiteReport& report, const SuiteHistory& history) {
  return to_page(SuiteDocument(report, kPage).page(history));
}

std::string to_markdown(const SuiteReport& report) {
  return to_markdown(SuiteDocument(report, kMarkdown).markdown(false), kMostOfComment);
}

std::string to_github_summary(const SuiteReport& report) {
  return to_markdown(SuiteDocument(report, kMarkdown).markdown(true), kMostOfSummary);
}

}  // namespace assay

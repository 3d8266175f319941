#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

constexpr EnumTable<EntryStatus, std::string_view, 5> kStatusClasses{
    {{EntryStatus::kHeld, "verdict verified"},
     {EntryStatus::kViolated, "verdict violated"},
     {EntryStatus::kInconclusive, "verdict inconclusive"},
     {EntryStatus::kCouldNotRun, "verdict violated"},
     {EntryStatus::kMisconfigured, "verdict violated"}}};

class SuiteHtml {
 public:
  SuiteHtml(const SuiteReport& report, const SuiteHistory& history)
      : report_(report), history_(history), findings_(findings_of(report)) {}

  std::string write() const {
    return detail::html_page(
        shortened(report_.name, kMostOfId) + " \xE2\x80\x93 Assay suite",
        header() + failures() + changes() + entries() + trends() + notes() + provenance());
  }

 private:
  static constexpr std::size_t kMostOfId = 80;
  static constexpr std::size_t kMostOfHtmlText = 2000;
  static constexpr std::size_t kMostFailures = 200;  // shown in full
  static constexpr std::size_t kMostRows = 2000;
  static constexpr std::size_t kMostBars = 4;  // figures of an entry that fails
  static constexpr std::size_t kMostOfClaim = 40;
  static constexpr std::size_t kMostPanels = 24;
  static constexpr std::size_t kMostPoints = 200;  // of a trend, the last ones

  static std::string left_out(std::size_t all, std::size_t shown, const std::string& what) {
    if (shown >= all) return "";
    return detail::paragraph(fmt::format("{} of {} {} are shown; all are in the JSON report.",
                                         grouped(static_cast<long long>(shown)),
                                         grouped(static_cast<long long>(all)), what));
  }

  static std::string facts_markup(const TextFacts& facts) {
    detail::DescriptionList list;
    for (const auto& [key, text] : facts) list.add_markup(key, markup_text(detail::typeset(text)));
    return list.text();
  }

  static std::string chip(const EntryResult& entry) {
    return detail::element("span", markup_text(spaced(enum_name(entry.status))),
                           entry_of(kStatusClasses, entry.status));
  }

  std::string header() const {
    const bool fails = !findings_.empty() && findings_.front().fails;
    return "<header>\n" +
           detail::element("span", fails ? "fails" : "nothing fails",
                           fails ? "verdict violated" : "verdict verified") +
           detail::element("h1", markup_text(shortened(report_.name, kMostOfId))) + "\n" +
           detail::paragraph(suite_headline(report_)) + facts_markup(run_facts(report_)) +
           "</header>\n";
  }

  std::string failures() const {
    if (findings_.empty()) return "";
    std::string out = detail::heading("h2", "Failures");
    const std::size_t shown = std::min(findings_.size(), kMostFailures);
    for (std::size_t i = 0; i < shown; ++i) {
      const SuiteFinding& finding = findings_[i];
      out += detail::heading(
          "h3", finding_title(finding) + (finding.fails ? "" : " (does not fail the run)"));
      if (finding.change != nullptr)
        out += detail::paragraph(detail::typeset(finding_message(finding)));
      if (finding.entry != nullptr) out += facts_markup(entry_facts(*finding.entry));
      const std::string command = finding_command(finding, report_);
      if (!command.empty()) out += detail::command_element(command);
    }
    return out + left_out(findings_.size(), shown, "failures");
  }

  std::string changes() const {
    if (report_.changes.empty()) return "";
    detail::Table table("Against " + shortened(report_.baseline, kMostOfId),
                        {{"entry", false}, {"change", false}, {"fails", false}, {"what", false}});
    const std::size_t shown = std::min(report_.changes.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
      const EntryChange& change = report_.changes[i];
      table.add({shortened(change.id, kMostOfId), spaced(enum_name(change.kind)),
                 change.regresses ? "yes" : "",
                 detail::typeset(shortened(change.statement, kMostOfHtmlText))});
    }
    return detail::heading("h2", "Changes") + table.text() +
           left_out(report_.changes.size(), shown, "changes");
  }

  // The interval from left to right, with a mark where what is allowed ends. Its numbers stand beside it.
  static std::string bar(const EntryFigure& figure) {
    constexpr double kWidth = 150.0;
    const double allowed = figure.allowed.value_or(0.0);
    double end = std::max(allowed, std::isfinite(figure.upper) ? figure.upper : 2.0 * figure.lower);
    end = std::isfinite(end) && end > 0.0 ? 1.1 * end : 1.0;
    const auto at = [&](double value) { return kWidth * std::clamp(value / end, 0.0, 1.0); };
    const bool above = figure.allowed && figure.lower > allowed;
    const bool below = figure.allowed && figure.upper <= allowed;
    const Colour colour = above ? Colour::kVermillion : below ? Colour::kGreen : Colour::kGrey;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" width=\"{0}\" height=\"14\" "
        "viewBox=\"0 0 {0} 14\"><rect x=\"0\" y=\"6.5\" width=\"{0}\" height=\"1\" fill=\"#ccc\"/>"
        "<rect x=\"{1:.1f}\" y=\"3\" width=\"{2:.1f}\" height=\"8\" fill=\"{3}\"/>",
        kWidth, at(figure.lower), std::max(2.0, at(figure.upper) - at(figure.lower)),
        colour_code(colour));
    if (figure.allowed) {
      out += fmt::format("<rect x=\"{:.1f}\" y=\"0\" width=\"1.6\" height=\"14\" fill=\"#222\"/>",
                         at(allowed) - 0.8);
    }
    return out + "</svg>";
  }

  // Of what held the first number that a claim limits, of a failure a few.
  std::string bars(const EntryResult& entry) const {
    const std::size_t most = is_failure(entry, report_) ? kMostBars : 1;
    std::vector<const EntryFigure*> figures;
    for (const EntryFigure& figure : entry.figures) figures.push_back(&figure);
    std::stable_partition(figures.begin(), figures.end(), [](const EntryFigure* figure) {
      return figure->allowed.value_or(0.0) > 0.0;
    });
    std::string out;
    for (std::size_t i = 0; i < std::min(figures.size(), most); ++i) {
      const EntryFigure& figure = *figures[i];
      out += (i == 0 ? "" : "<br/>") + (figure.allowed ? bar(figure) + "<br/>" : "") +
             markup_text(detail::typeset(figure_line(figure)));
    }
    if (figures.size() > most) out += fmt::format("<br/>and {} more", figures.size() - most);
    return out;
  }

  static std::string claim_line(const EntryResult& entry) {
    if (entry.claim.empty()) return "";
    // As it was written, without what it comes to.
    const std::string written = entry.claim.substr(0, entry.claim.find(", that is "));
    return "<br/>claim " + markup_text(detail::typeset(shortened(written, kMostOfClaim)));
  }

  std::string entries() const {
    if (report_.entries.empty()) return "";
    detail::Table table(
        "In each bar the certified bounds, rounded outward; the mark is what is allowed.",
        {{"entry", false},
         {"kind", false},
         {"status", false},
         {"bounds", false},
         {"found", false},
         {"seconds"}});
    // Those that are no failure make way first.
    std::size_t failed = 0, shown = 0;
    for (const EntryResult& entry : report_.entries) failed += is_failure(entry, report_) ? 1 : 0;
    std::size_t room_for_rest = kMostRows - std::min(failed, kMostRows);
    for (const EntryResult& entry : report_.entries) {
      if (shown == kMostRows || (!is_failure(entry, report_) && room_for_rest == 0)) continue;
      if (!is_failure(entry, report_)) --room_for_rest;
      ++shown;
      table.add_markup(
          {markup_text(shortened(entry.id, kMostOfId)) + claim_line(entry),
           std::string(enum_name(entry.kind)),
           chip(entry) + (entry.suppressed_by ? "<br/>suppressed" : "") +
               (entry.reused_from ? fmt::format("<br/>of run {}", *entry.reused_from) : ""),
           bars(entry), markup_text(detail::typeset(found_text(entry))),
           rounded(entry.seconds, 2)});
    }
    return detail::heading("h2", "Entries") + table.text() +
           left_out(report_.entries.size(), shown, "entries");
  }

  // ---- history ----------------------------------------------------------------------------------

  struct Trend {
    const HistoryEntry* entry = nullptr;
    const HistoryFigure* figure = nullptr;
  };

  // Those of entries that fail or changed first.
  std::vector<Trend> chosen_trends() const {
    std::unordered_set<std::string> of_interest;
    for (const SuiteFinding& finding : findings_) of_interest.insert(finding.id);
    for (const EntryChange& change : report_.changes) of_interest.insert(change.id);
    std::vector<Trend> trends;
    for (const HistoryEntry& entry : history_.entries) {
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
        shortened(trend.entry->id, 40) + ": " + detail::typeset(shortened(trend.figure->name, 40));
    panel.x.label = "run";
    panel.x.whole = true;
    panel.y.label = trend.figure->kind == FigureKind::kTime ? "seconds" : "";
    panel.plot_height = 120.0;
    // A band of each stretch that has both ends.
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

  std::string trends() const {
    const std::vector<Trend> all = chosen_trends();
    if (all.empty()) return "";
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
    return detail::heading("h2", "History") +
           detail::figure_element(
               figure,
               "Certified bounds of each run, the truth between them; dotted, what is allowed now. "
               "Entries that fail or changed come first; of a long history the last runs are drawn.",
               true) +
           left_out(all.size(), shown, "figures");
  }

  std::string notes() const {
    if (report_.notes.empty()) return "";
    std::string items;
    for (const std::string& note : report_.notes)
      items += detail::element("li", markup_text(shortened(note, kMostOfHtmlText))) + "\n";
    return detail::heading("h2", "Notes") + detail::element("ul", items) + "\n";
  }

  std::string provenance() const {
    const RunMeta& meta = report_.meta;
    std::string out;
    if (!report_.reproduce.empty())
      out += detail::heading("h2", "Reproduce") + detail::command_element(report_.reproduce);
    return out +
           detail::footer(fmt::format("Assay {} ({}). Started {}; {} s on {} {}.", meta.version,
                                      meta.build, meta.started, rounded(meta.seconds, 3),
                                      meta.threads, plural(meta.threads, "thread")));
  }

  const SuiteReport& report_;
  const SuiteHistory& history_;
  std::vector<SuiteFinding> findings_;
};

}  // namespace

std::string to_html(const SuiteReport& report, const SuiteHistory& history) {
  return SuiteHtml(report, history).write();
}

}  // namespace assay

#include "assay/auditors/suite/suite_history.hpp"

#include <fmt/format.h>

#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostHistoryLines = 30;
constexpr int kHistoryDigits = 4;

void add_figure(const HistoryFigure& figure, doc::Document& document) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0, end = 0; i < figure.points.size(); i = end) {
    const HistoryPoint& first = figure.points[i];
    for (end = i + 1; end < figure.points.size() && figure.points[end].lower == first.lower &&
                      figure.points[end].upper == first.upper;
         ++end) {
    }
    const std::int64_t last = figure.points[end - 1].run;
    rows.push_back(
        {last == first.run ? std::to_string(last) : fmt::format("{} to {}", first.run, last),
         first.started, shortened(first.revision, 12), rounded_down(first.lower, kHistoryDigits),
         rounded_up(first.upper, kHistoryDigits)});
  }
  document.add_close(
      doc::Paragraph{fmt::format("{} ({})", shortened(figure.name, 200), enum_name(figure.kind)),
                     detail::Paint::kNone, "  "});
  if (rows.size() > kMostHistoryLines) {
    const auto left_out = static_cast<std::ptrdiff_t>(rows.size() - kMostHistoryLines);
    rows.erase(rows.begin(), rows.begin() + left_out);
    document.add_close(
        doc::Paragraph{fmt::format("{} earlier {} left out", left_out, plural(left_out, "line")),
                       detail::Paint::kDim, "  "});
  }
  document.table("", {"run", "from", "revision", "at least", "at most"}, rows, 2);
  document.blocks.back().close = true;
}

}  // namespace

std::string to_text(const SuiteHistory& history, TextStyle style) {
  doc::Document document;
  if (history.entries.empty()) {
    document.paragraph("The history has no figure of such an entry.");
  }
  for (const auto& entry : history.entries) {
    document.heading(shortened(entry.id, 200));
    for (const auto& figure : entry.figures) add_figure(figure, document);
  }
  return to_terminal(document, style);
}

void fields(const HistoryPoint& point, Fields visit) {
  visit("run", point.run);
  visit("started", point.started);
  visit("revision", point.revision);
  visit("lower", point.lower);
  visit("upper", point.upper);
}

void fields(const HistoryFigure& figure, Fields visit) {
  visit("name", figure.name);
  visit("kind", figure.kind);
  visit("points", figure.points, "By run.");
}

void fields(const HistoryEntry& entry, Fields visit) {
  visit("id", entry.id);
  visit("figures", entry.figures);
}

void fields(const SuiteHistory& history, Fields visit) {
  report_head(visit, "assay.suite-history/1", "The result of `assay suite history`.");
  visit("entries", history.entries);
}

std::string to_json(const SuiteHistory& history) { return json_text_of(history); }
std::string suite_history_schema() { return schema_of<SuiteHistory>(); }

std::string to_csv(const SuiteHistory& history) {
  std::string out = "entry,figure,kind,run,started,revision,lower,upper\n";
  for (const auto& entry : history.entries) {
    for (const auto& figure : entry.figures) {
      for (const auto& point : figure.points) {
        out += fmt::format("{},{},{},{},{},{},{},{}\n", detail::csv_cell(entry.id),
                           detail::csv_cell(figure.name), enum_name(figure.kind), point.run,
                           detail::csv_cell(point.started), detail::csv_cell(point.revision),
                           number_text(point.lower), number_text(point.upper));
      }
    }
  }
  return out;
}

}  // namespace assay

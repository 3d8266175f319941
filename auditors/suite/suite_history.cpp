#include "assay/auditors/suite/suite_history.hpp"

#include <fmt/format.h>

#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostHistoryLines = 30;
constexpr int kHistoryDigits = 4;

class SuiteHistoryWriter : detail::TextPage {
 public:
  explicit SuiteHistoryWriter(TextStyle style) : TextPage(style) {}

  std::string write(const SuiteHistory& history) {
    if (history.entries.empty()) line("No figure of such an entry is in the history.");
    for (const auto& entry : history.entries) {
      if (!out_.empty()) gap();
      line(shortened(entry.id, 200), detail::Paint::kBold);
      for (const auto& figure : entry.figures) table(figure);
    }
    return finish();
  }

 private:
  void table(const HistoryFigure& figure) {
    const std::vector<std::string> names = {"run", "from", "revision", "at least", "at most"};
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
           plain_text(first.started), shortened(first.revision, 12),
           rounded_down(first.lower, kHistoryDigits), rounded_up(first.upper, kHistoryDigits)});
    }
    line(fmt::format("  {} ({})", shortened(figure.name, 200), enum_name(figure.kind)));
    if (rows.size() > kMostHistoryLines) {
      const auto left_out = static_cast<std::ptrdiff_t>(rows.size() - kMostHistoryLines);
      rows.erase(rows.begin(), rows.begin() + left_out);
      line(fmt::format("  {} earlier {} left out", left_out, plural(left_out, "line")),
           detail::Paint::kDim);
    }
    const auto widths = detail::column_widths(names, rows);
    line("  " + detail::table_line(names, widths), detail::Paint::kDim);
    for (const auto& row : rows) line("  " + detail::table_line(row, widths));
  }
};

}  // namespace

std::string to_text(const SuiteHistory& history, TextStyle style) {
  return SuiteHistoryWriter(style).write(history);
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

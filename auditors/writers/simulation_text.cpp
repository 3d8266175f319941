#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/auditors/writers/simulation_report.hpp"
#include "assay/auditors/writers/text_layout.hpp"

namespace assay {
namespace {

using detail::Paint;

constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kKeyWidth = 12;

Paint paint_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return Paint::kGreen;
    case Outcome::kFails:
      return Paint::kRed;
    case Outcome::kUndecided:
      return Paint::kYellow;
  }
  return Paint::kNone;
}

class SimulationTextWriter {
 public:
  explicit SimulationTextWriter(TextStyle style)
      : color_(style.color),
        width_(std::max(kLeastWidth, static_cast<std::size_t>(std::max(style.width, 0)))) {}

  std::string write(const SimulationReport& report) {
    for (const auto& experiment : report.experiments) {
      if (!out_.empty()) out_ += "\n";
      add(experiment);
    }
    out_ += "\n";
    add_command(report.reproduce);
    return detail::with_plain_spaces(std::move(out_));
  }

 private:
  std::string painted(const std::string& text, Paint paint) const {
    return color_ ? detail::painted(text, paint) : text;
  }

  void add(const ExperimentReport& experiment) {
    out_ += painted(plain_text(experiment.id), Paint::kBold) + ": " + plain_text(experiment.title) +
            "\n\n";
    entry("Reproduces", experiment.reproduces);
    std::string parameters;
    for (const auto& [key, value] : experiment.parameters) {
      parameters += (parameters.empty() ? "" : ", ") + key + "=" + value;
    }
    entry("Parameters", parameters);
    for (const auto& note : experiment.notes) entry("Note", note);
    add_values(experiment.values);
    add_checks(experiment);
  }

  // "Key         value", the value wrapped under itself.
  void entry(const std::string& key, const std::string& value) {
    bool first = true;
    for (const auto& part : detail::fill(detail::words_of(plain_text(value)), width_ - kKeyWidth)) {
      out_ += painted(detail::padded(first ? key : "", kKeyWidth), Paint::kBold) + part + "\n";
      first = false;
    }
  }

  // As narrow as its cells; a table that is still too wide keeps its lines whole.
  void add_values(ValueTable table) {
    if (table.rows.empty()) return;
    for (auto& column : table.columns) column.name = plain_text(column.name);
    for (auto& row : table.rows) {
      for (auto& cell : row) cell = plain_text(cell);
    }
    out_ += "\n" + painted(plain_text(table.caption), Paint::kBold) + "\n";
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::size_t width = column_count(table.columns[c].name);
      for (const auto& row : table.rows) width = std::max(width, column_count(row[c]));
      widths.push_back(width);
    }
    std::vector<std::string> names;
    for (const auto& column : table.columns) names.push_back(column.name);
    out_ += painted(table_line(table, names, widths), Paint::kDim) + "\n";
    for (const auto& row : table.rows) out_ += table_line(table, row, widths) + "\n";
  }

  static std::string table_line(const ValueTable& table, const std::vector<std::string>& cells,
                                const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool number = table.columns[c].number;
      line += "  ";
      line +=
          number ? detail::padded_left(cells[c], widths[c]) : detail::padded(cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  }

  void add_checks(const ExperimentReport& experiment) {
    if (experiment.checks.empty()) return;
    const std::string certainty = experiment.confidence < 1.0
                                      ? percent(experiment.confidence) + " confidence, jointly"
                                      : "computed";
    out_ += "\n" + painted("Stated outcomes", Paint::kBold) + "  " +
            painted("(" + certainty + ")", Paint::kDim) + "\n";
    for (const auto& check : experiment.checks) {
      out_ += "  " + painted(to_string(check.outcome), paint_of(check.outcome)) + ": " +
              plain_text(check.name) + "\n";
      hanging("stated    ", check.stated);
      hanging("read as   ", check.rule);
      hanging("observed  ", check.observed);
    }
  }

  void hanging(const std::string& lead, const std::string& text) {
    constexpr std::size_t kIndent = 4;
    bool first = true;
    for (const auto& part :
         detail::fill(detail::words_of(plain_text(text)), width_ - kIndent - lead.size())) {
      out_ += std::string(kIndent, ' ') +
              painted(first ? lead : std::string(lead.size(), ' '), Paint::kDim) + part + "\n";
      first = false;
    }
  }

  void add_command(const std::string& command) {
    const auto lines =
        detail::fill(detail::arguments_of(plain_text(command)), width_ - kKeyWidth - 4);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ += painted(detail::padded(i == 0 ? "Reproduce" : "", kKeyWidth), Paint::kBold) +
              (i == 0 ? "" : "  ") + lines[i] + (i + 1 < lines.size() ? " \\" : "") + "\n";
    }
  }

  std::string out_;
  bool color_;
  std::size_t width_;
};

}  // namespace

std::string to_text(const SimulationReport& report, TextStyle style) {
  return SimulationTextWriter(style).write(report);
}

}  // namespace assay

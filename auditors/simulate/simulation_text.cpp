#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

using detail::Paint;

constexpr EnumTable<Outcome, Paint, 3> kPaints{{{Outcome::kHolds, Paint::kGreen},
                                                {Outcome::kFails, Paint::kRed},
                                                {Outcome::kUndecided, Paint::kYellow}}};

class SimulationTextWriter : detail::TextPage {
 public:
  explicit SimulationTextWriter(TextStyle style) : TextPage(style) {}

  std::string write(const SimulationReport& report) {
    for (const auto& experiment : report.experiments) {
      if (!out_.empty()) out_ += "\n";
      add(experiment);
    }
    out_ += "\n";
    reproduce(report.reproduce);
    return finish();
  }

 private:
  void add(const ExperimentReport& experiment) {
    out_ += painted(plain_text(experiment.id), Paint::kBold) + ": " + plain_text(experiment.title) +
            "\n\n";
    entry("Reproduces", experiment.reproduces);
    entry("Parameters", parameters_text(experiment.parameters, "="));
    for (const auto& note : experiment.notes) entry("Note", note);
    add_values(experiment.values);
    add_checks(experiment);
  }

  // As narrow as its cells; a table that is still too wide keeps its lines whole.
  void add_values(ValueTable table) {
    if (table.rows.empty()) return;
    for (auto& column : table.columns) column.name = plain_text(column.name);
    for (auto& row : table.rows) {
      for (auto& cell : row) cell = plain_text(cell);
    }
    out_ += "\n" + painted(plain_text(table.caption), Paint::kBold) + "\n";
    std::vector<std::string> names;
    for (const auto& column : table.columns) names.push_back(column.name);
    const auto widths = detail::column_widths(names, table.rows);
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
    constexpr std::size_t kLeadWidth = 10;
    for (const auto& check : experiment.checks) {
      out_ += "  " + painted(to_string(check.outcome), entry_of(kPaints, check.outcome)) + ": " +
              plain_text(check.name) + "\n";
      entry("stated", check.stated, 4, Paint::kDim, kLeadWidth);
      entry("read as", check.rule, 4, Paint::kDim, kLeadWidth);
      entry("observed", check.observed, 4, Paint::kDim, kLeadWidth);
    }
  }
};

}  // namespace

std::string to_text(const SimulationReport& report, TextStyle style) {
  return SimulationTextWriter(style).write(report);
}

}  // namespace assay

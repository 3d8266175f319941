// The writers of simulation reports: well-formed, complete, escaped, the same every time.
#include "assay/auditors/simulate/simulation_report.hpp"

#include <nlohmann/json.hpp>

#include "assay/auditors/registry/experiments.hpp"
#include "assay/tests/support/document_checks.hpp"
#include "assay/tests/support/golden.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const SimulationReport& tiny_report() {
  static const SimulationReport report = [] {
    SimulationReport made;
    auto runner = SimulationRunner::create({}, {}).value();
    const auto* experiment = find_experiment("ts-fig3").value();
    made.experiments.push_back(
        experiment->run({{"repetitions", "3"}, {"horizon", "120"}}, runner).value());
    made.reproduce = made.experiments.front().reproduce;
    return made;
  }();
  return report;
}

void expect_good_simulation_page(const SimulationReport& report) { expect_page(to_html(report)); }

void expect_schema(const SimulationReport& report) {
  expect_valid("simulation-report.schema.json", to_json(report));
}

TEST(SimulationReport, TextAndCsvOfATinyRunAreTheGoldenFiles) {
  testing::expect_golden("simulation_tiny.txt", to_text(tiny_report()));
  testing::expect_golden("simulation_tiny.csv", to_csv(tiny_report()));
}

TEST(SimulationReport, PagesStandAloneAndAreWellFormed) {
  expect_good_simulation_page(tiny_report());
  SimulationReport two = tiny_report();
  auto runner = SimulationRunner::create({}, {}).value();
  two.experiments.push_back(find_experiment("ts-fig1").value()->run({}, runner).value());
  expect_good_simulation_page(two);
}

TEST(SimulationReport, JsonFollowsTheCommittedSchema) {
  SimulationReport report = tiny_report();
  expect_schema(report);
  report.experiments.front().curves.front().y.front() = HUGE_VAL;
  report.experiments.front().checks.front().outcome = Outcome::kFails;
  expect_schema(report);
}

TEST(SimulationReport, EscapesEveryString) {
  const std::string evil = "<script>alert(\"x\")</script>&'\x1b[31m,\n\xff";
  SimulationReport report = tiny_report();
  auto& experiment = report.experiments.front();
  experiment.id = experiment.title = experiment.reproduces = experiment.caption = evil;
  experiment.reproduce = report.reproduce = evil;
  experiment.parameters.push_back({evil, evil});
  experiment.notes = {evil};
  for (auto& check : experiment.checks) {
    check.name = check.stated = check.rule = check.observed = evil;
  }
  for (auto& curve : experiment.curves) curve.panel = curve.series = curve.y_name = evil;
  experiment.values.caption = evil;
  experiment.values.rows.front().front() = evil;
  report.meta.version = report.meta.build = report.meta.started = evil;
  expect_good_simulation_page(report);  // which finds no <script>
  expect_schema(report);
  EXPECT_THAT(to_text(report), Not(HasSubstr("\x1b")));
  for (const auto& line : lines_of(to_csv(report))) {
    EXPECT_TRUE(line.rfind("# ", 0) == 0 || line.rfind("experiment,", 0) == 0 ||
                line.rfind("\"<script>", 0) == 0)
        << line;
  }
}

TEST(SimulationReport, CsvHasOneHeaderAndAsManyCellsInEveryRow) {
  bool header = false;
  std::size_t rows = 0;
  for (const auto& line : lines_of(to_csv(tiny_report()))) {
    if (line.rfind("# ", 0) == 0) {
      EXPECT_FALSE(header) << "comments come first";
      continue;
    }
    // No cell of this report holds a comma but the quoted ones.
    std::size_t commas = 0;
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) ++commas;
    }
    EXPECT_EQ(commas, 9U) << line;
    if (header) ++rows;
    header = true;
  }
  std::size_t points = 0;
  for (const auto& curve : tiny_report().experiments.front().curves) points += curve.x.size();
  EXPECT_EQ(rows, points);
}

TEST(SimulationReport, EverythingButTheMetaIsIndependentOfTheMeta) {
  SimulationReport other = tiny_report();
  other.meta = {"9.9", "other build", "1999-01-01T00:00:00Z", 123.0, 64, 12345};
  EXPECT_EQ(to_text(other), to_text(tiny_report()));
  EXPECT_EQ(to_csv(other), to_csv(tiny_report()));
  auto one = nlohmann::json::parse(to_json(other));
  auto two = nlohmann::json::parse(to_json(tiny_report()));
  EXPECT_NE(one, two);
  one.erase("meta");
  two.erase("meta");
  EXPECT_EQ(one, two);
}

TEST(SimulationReport, TheWorstOutcomeIsTheOutcomeOfAll) {
  SimulationReport report;
  EXPECT_EQ(overall_outcome(report), Outcome::kHolds);
  report.experiments.resize(2);
  report.experiments[0].checks = {{"a", "", "", "", Outcome::kHolds},
                                  {"b", "", "", "", Outcome::kUndecided}};
  EXPECT_EQ(overall_outcome(report), Outcome::kUndecided);
  report.experiments[1].checks = {{"c", "", "", "", Outcome::kFails}};
  EXPECT_EQ(overall_outcome(report), Outcome::kFails);
}

}  // namespace
}  // namespace assay

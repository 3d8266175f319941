// The report of `assay simulate`, as values. The writers in this folder turn it into text, CSV, JSON and HTML.
//
// The request determines everything except `meta`, on every machine and with any number of threads.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/figures/experiment_report.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

inline constexpr const char* kSimulationReportSchema = "assay.simulation-report/1";

struct SimulationReport {
  std::vector<ExperimentReport> experiments;
  std::string reproduce;
  RunMeta meta;
};

// "Does not hold" if one check does not hold, otherwise "undecided" if one is undecided, otherwise "holds".
Outcome overall_outcome(const SimulationReport& report);

// A compact table of values, and the checks with their numbers. It does not depend on `meta`.
std::string to_text(const SimulationReport& report, TextStyle style = {});

// CSV by RFC 4180, except that lines end with LF. It has comment lines that start with '#', one header line, and a row
// for each point. It does not depend on `meta`.
std::string to_csv(const SimulationReport& report);

// JSON by schemas/simulation-report.schema.json. Doubles have the shortest form that reads back to the same bits.
std::string to_json(const SimulationReport& report);
std::string simulation_report_schema();

// One self-contained HTML page: no scripts, no external references, well-formed XML. Only the footer
// depends on `meta`.
std::string to_html(const SimulationReport& report);

}  // namespace assay

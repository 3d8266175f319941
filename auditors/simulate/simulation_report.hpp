// The report of `assay simulate`, as values. The writers beside this file turn it into text, CSV, JSON and HTML.
//
// The request determines everything but `meta`: it is the same in every run, on every machine, with any number of
// threads.
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

// Fails if a check fails, else undecided if one is, else holds.
Outcome overall_outcome(const SimulationReport& report);

// A compact table of values and the checks with their numbers. Independent of `meta`.
std::string to_text(const SimulationReport& report, TextStyle style = {});

// Tidy long format, RFC 4180 with LF: comment lines that start with '#', one header line, and a row for each
// point. Independent of `meta`.
std::string to_csv(const SimulationReport& report);

// schemas/simulation-report.schema.json. Doubles in the shortest form that reads back.
std::string to_json(const SimulationReport& report);
std::string simulation_report_schema();

// One self-contained page: no scripts, no external references, well-formed XML. Only the footer
// depends on `meta`.
std::string to_html(const SimulationReport& report);

}  // namespace assay

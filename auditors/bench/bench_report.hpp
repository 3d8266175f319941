// Writes the report of `assay bench` as text, CSV, JSON and HTML. auditors/bench/bench.hpp defines its values.
//
// The request determines everything except speed and memory. JSON has those two in `meta`. In CSV they are the rows
// measured by "processor-time" or by "allocator".
#pragma once

#include <string>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

inline constexpr const char* kBenchReportSchema = "assay.bench-report/2";

std::string to_text(const BenchReport& report, TextStyle style = {});
// CSV by RFC 4180, except that lines end with LF. It has comment lines that start with '#', one header line, and a row
// for each number.
std::string to_csv(const BenchReport& report);
// JSON by schemas/bench-report.schema.json, which bench_report_schema() returns.
std::string to_json(const BenchReport& report);
std::string bench_report_schema();
// One self-contained HTML page. Only the footer and the columns of speed and memory depend on `meta`.
std::string to_html(const BenchReport& report);

namespace detail {

std::string target_text(const BenchComparison& comparison);
std::string neighbours_text(const BenchComparison& comparison);
// A sentence about the confidence intervals of the errors; empty if no error was estimated from runs.
std::string intervals_text(const BenchReport& report);

}  // namespace detail
}  // namespace assay

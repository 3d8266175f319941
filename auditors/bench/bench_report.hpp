// The report of `assay bench` as text, CSV, JSON and HTML (auditors/bench/bench.hpp has its values).
//
// The request determines everything except speed and memory. In JSON those two are in `meta`; in CSV they are the
// rows measured by "processor-time" and "allocator".
#pragma once

#include <string>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

inline constexpr const char* kBenchReportSchema = "assay.bench-report/2";

std::string to_text(const BenchReport& report, TextStyle style = {});
// RFC 4180 with LF: comment lines that start with '#', one header line, and a row for each number.
std::string to_csv(const BenchReport& report);
// schemas/bench-report.schema.json.
std::string to_json(const BenchReport& report);
std::string bench_report_schema();
// One self-contained page. Only the columns of speed and memory and the footer depend on `meta`.
std::string to_html(const BenchReport& report);

namespace detail {

std::string target_text(const BenchComparison& comparison);
std::string neighbours_text(const BenchComparison& comparison);
// A sentence on the intervals of the errors; empty if no error was estimated from runs.
std::string intervals_text(const BenchReport& report);

}  // namespace detail
}  // namespace assay

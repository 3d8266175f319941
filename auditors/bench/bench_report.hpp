// What `assay bench` reports, as text, CSV, JSON and HTML (auditors/bench/bench.hpp has it as values).
//
// Everything but speed and memory is determined by the request; in JSON those two stand in `meta`, in CSV
// they are the rows measured by "processor-time" and "allocator".
#pragma once

#include <string>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

inline constexpr const char* kBenchReportSchema = "assay.bench-report/2";

std::string to_text(const BenchReport& report, TextStyle style = {});
// RFC 4180 with LF: comment lines that start with '#', one header line, a row a number.
std::string to_csv(const BenchReport& report);
// schemas/bench-report.schema.json.
std::string to_json(const BenchReport& report);
std::string bench_report_schema();
// One self-contained page. Only the columns of speed and memory and the footer depend on `meta`.
std::string to_html(const BenchReport& report);

namespace detail {

std::string target_text(const BenchComparison& comparison);
std::string neighbours_text(const BenchComparison& comparison);
// What the errors' intervals are, in a sentence; empty where none was played.
std::string intervals_text(const BenchReport& report);

}  // namespace detail
}  // namespace assay

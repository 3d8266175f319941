// Writes the report of the benchmark of faulty mechanisms as text, CSV, JSON and HTML.
//
// Two reports of the same request differ only in the seconds, which JSON has in `meta`.
#pragma once

#include <string>

#include "assay/auditors/detect/detection.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

// One table with a line for each mechanism, and a summary.
std::string to_text(const Detection& detection, const RunMeta& meta, TextStyle style = {});

// A header, then one line for each mechanism; infinities are "inf".
std::string to_csv(const Detection& detection);

// JSON by schemas/detection-report.schema.json. It ends with a newline.
std::string to_json(const Detection& detection, const RunMeta& meta);
std::string detection_report_schema();

// One self-contained HTML page: the bounds and the true level of every mechanism on one axis, and the table.
std::string to_html(const Detection& detection, const RunMeta& meta);

namespace detail {

// An eps in a table: four decimals, or "inf".
std::string level_text(double epsilon);

}  // namespace detail
}  // namespace assay

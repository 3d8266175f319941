// The benchmark of faulty mechanisms as text, CSV, JSON and HTML.
//
// Reports of one request differ between runs only in the seconds, which JSON keeps in `meta`.
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

// schemas/detection-report.schema.json. Ends with a newline.
std::string to_json(const Detection& detection, const RunMeta& meta);
std::string detection_report_schema();

// One self-contained page: every mechanism's bounds and truth on one axis, and the table.
std::string to_html(const Detection& detection, const RunMeta& meta);

namespace detail {

// An eps in a table: four decimals, or "inf".
std::string level_text(double epsilon);

}  // namespace detail
}  // namespace assay

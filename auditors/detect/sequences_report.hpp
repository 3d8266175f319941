// Writes the report of the fault zoo for sequences as text and JSON.
//
// Two reports of the same request differ only in the seconds, which JSON has in `meta`.
#pragma once

#include <string>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/detect/sequences.hpp"

namespace assay {

// One table with two lines for each fault, and a summary.
std::string to_text(const SequenceDetection& detection, const RunMeta& meta, TextStyle style = {});

// JSON by schemas/sequences-report.schema.json. It ends with a newline.
std::string to_json(const SequenceDetection& detection, const RunMeta& meta);
std::string sequences_report_schema();

}  // namespace assay

// The report of `assay frontier`, as values. The writers in this folder turn it into text and JSON.
#pragma once

#include <string>

#include "assay/auditors/experts/claims/frontier.hpp"

namespace assay {

// The request determines all of it.
struct FrontierReport {
  expert_checks::Frontier frontier;
  std::string reproduce;
};

// A line for each noise and c2. Ends with a newline.
std::string to_text(const FrontierReport& report);

// Only the rows for which an instance was found. Ends with a newline.
std::string to_json(const FrontierReport& report);
std::string frontier_report_schema();

}  // namespace assay

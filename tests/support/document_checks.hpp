// Reports that are checked by programs of this folder, and their lines.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/tests/support/run_command.hpp"

namespace assay {

// A document against schemas/<schema>.
inline CommandResult validated(const std::string& schema, const std::string& document) {
  const TemporaryFolder folder;
  return run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/validate_json.py",
                      ASSAY_SOURCE_DIR "/schemas/" + schema,
                      folder.write("report.json", document)});
}

// Whether a page stands alone and is well formed.
inline CommandResult checked_page(const std::string& html) {
  const TemporaryFolder folder;
  return run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/check_page.py",
                      folder.write("report.html", html)});
}

inline void expect_valid(const std::string& schema, const std::string& document) {
  const auto check = validated(schema, document);
  EXPECT_EQ(check.status, 0) << check.err;
}
inline void expect_page(const std::string& html) {
  const auto check = checked_page(html);
  EXPECT_EQ(check.status, 0) << check.err;
}

// A JSON report without what differs from run to run.
inline nlohmann::json without_meta(const std::string& report) {
  auto json = nlohmann::json::parse(report);
  json.erase("meta");
  return json;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace assay

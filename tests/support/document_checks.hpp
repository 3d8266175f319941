// Reports that are checked by programs of this folder, and their lines.
#pragma once

#include <sstream>
#include <string>
#include <vector>

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

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

namespace testing {

// Bytes that would break out of each of the formats.
inline const std::string& hostile_text() {
  static constexpr char kBytes[] =
      "\x1b[31m\x00\r\n::error file=x::boo ]]> <script>alert(1)</script> &amp; {0} "
      "[a](https://evil.example) www.evil.example | @everyone #1 `x` ``` \\ \"'%0A,: "
      "\xff\xc3 \xe2\x80\xae ##[error]x $x$ a@b.example";
  static const std::string text(kBytes, sizeof(kBytes) - 1);
  return text;
}

}  // namespace testing
}  // namespace assay

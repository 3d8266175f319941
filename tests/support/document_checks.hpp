// Reports that are checked by programs of this folder, and their lines.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {

// A document against schemas/<schema>, or against the schema at an absolute path.
inline CommandResult validated(const std::string& schema, const std::string& document) {
  const TemporaryFolder folder;
  return run_command({ASSAY_PYTHON, ASSAY_SOURCE_DIR "/tests/support/validate_json.py",
                      (std::filesystem::path(ASSAY_SOURCE_DIR "/schemas") / schema).string(),
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

// Valid UTF-8 without control characters but line breaks, and without what turns the text's direction.
inline void expect_shown_as_it_reads(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    ASSERT_GT(length, 0U) << "not UTF-8 at byte " << i;
    const auto c = static_cast<unsigned char>(text[i]);
    ASSERT_TRUE(c >= 0x20 || c == '\n') << "control character at byte " << i;
    i += length;
  }
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
}

}  // namespace testing
}  // namespace assay

#include "assay/auditors/text/csv_text.hpp"

#include "assay/auditors/text/safe_text.hpp"

namespace assay::detail {

std::string csv_cell(const std::string& text) {
  const std::string plain = plain_text(text);
  if (plain.find_first_of(",\"#") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_comment(const std::string& text) { return "# " + plain_text(text) + "\n"; }

}  // namespace assay::detail

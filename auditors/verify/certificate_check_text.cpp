#include <fmt/format.h>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

std::string to_text(const CertificateCheckReport& report) {
  std::string out;
  for (const auto& [file, claim, check] : report.checked) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}\n\nClaim  {}\n\n", plain_text(file), claim);
    for (const auto& step : check.steps) out += "  " + step + "\n";
    out += "\n" + check.conclusion + "\n";
  }
  return out;
}

}  // namespace assay

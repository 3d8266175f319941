#include <fmt/format.h>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

std::string to_text(const CertificateCheckReport& report) {
  std::string out;
  for (const auto& one : report.checked) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}\n\nClaim  {}\n       {}\n       {}, in our wording; {}\n\n",
                       plain_text(one.file), one.claim, one.statement, one.theorem, one.paper);
    for (const auto& step : one.check.steps) out += "  " + step + "\n";
    out += "\n" + one.check.conclusion + "\n";
  }
  return out;
}

}  // namespace assay

#include "assay/auditors/audit/error_report.hpp"

#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

struct ErrorRecord {
  Error error = {};
};
void fields(const ErrorRecord& record, Fields visit) {
  report_head(
      visit, kErrorSchema,
      "What a command that was asked for JSON writes where it ends without a report: it was interrupted "
      "before anything was certified (exit status 3), or what it ran failed (4).");
  visit("error", record.error);
}

}  // namespace

std::string to_json(const Error& error) { return json_text_of(ErrorRecord{error}); }
std::string error_schema() { return schema_of<ErrorRecord>(); }

std::string to_html(const Error& error) {
  return detail::html_page(
      "No report \xE2\x80\x93 Assay privacy audit",
      "<header>\n" + detail::element("span", "No report", "verdict inconclusive") +
          detail::element("h1", markup_text(error.to_string())) + "\n</header>\n" +
          detail::paragraph("The run ended before anything was certified."));
}

}  // namespace assay

#include "assay/auditors/audit/error_report.hpp"

#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {
namespace {

struct ErrorRecord {
  Error error = {};
};
void fields(const ErrorRecord& record, Fields visit) {
  report_head(
      visit, kErrorSchema,
      "A command with --format json writes this if it ends without a report: it was interrupted before "
      "anything was certified (exit status 3), or its target did not start (4).");
  visit("error", record.error);
}

}  // namespace

std::string to_json(const Error& error) { return json_text_of(ErrorRecord{error}); }
std::string error_schema() { return schema_of<ErrorRecord>(); }

std::string to_html(const Error& error) {
  doc::Document document;
  document.title = "No report \xE2\x80\x93 Assay privacy audit";
  document.heading(doc::chip("No report", detail::Paint::kYellow) + " " + error.to_string(), "", 1);
  document.paragraph("The run ended before anything was certified.");
  return to_page(document);
}

}  // namespace assay

#include "assay/auditors/audit/error_report.hpp"

#include "assay/auditors/text/document.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

constexpr EnumTable<ErrorCode, std::string_view, 10> kCodes{
    {{ErrorCode::kInvalidArgument, "invalid-argument"},
     {ErrorCode::kUnknownKey, "unknown-key"},
     {ErrorCode::kParse, "parse"},
     {ErrorCode::kIo, "io"},
     {ErrorCode::kLimit, "limit"},
     {ErrorCode::kNumerical, "numerical"},
     {ErrorCode::kInterrupted, "interrupted"},
     {ErrorCode::kTarget, "target"},
     {ErrorCode::kRefusedInput, "refused-input"},
     {ErrorCode::kInternal, "internal"}}};

}  // namespace

Json detail::error_json(const Error& error) {
  return {{"code", entry_of(kCodes, error.code)},
          {"message", error.message},
          {"path", error.path.empty() ? Json(nullptr) : Json(error.path)},
          {"line", error.line > 0 ? Json(error.line) : Json(nullptr)}};
}

std::string to_json(const Error& error) {
  return json_text({{"schema", kErrorSchema}, {"error", detail::error_json(error)}}) + "\n";
}

std::string to_html(const Error& error) {
  doc::Document document;
  document.title = "No report \xE2\x80\x93 Assay privacy audit";
  document.heading(doc::chip("No report", detail::Paint::kYellow) + " " + error.to_string(), "", 1);
  document.paragraph("The run ended before anything was certified.");
  return to_page(document);
}

}  // namespace assay

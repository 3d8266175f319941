// Parts that all reports share as JSON: the head, `meta`, an error.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 10> enum_names(ErrorCode) {
  return {{{ErrorCode::kInvalidArgument, "invalid-argument"},
           {ErrorCode::kUnknownKey, "unknown-key"},
           {ErrorCode::kParse, "parse"},
           {ErrorCode::kIo, "io"},
           {ErrorCode::kLimit, "limit"},
           {ErrorCode::kNumerical, "numerical"},
           {ErrorCode::kInterrupted, "interrupted"},
           {ErrorCode::kTarget, "target"},
           {ErrorCode::kRefusedInput, "refused-input"},
           {ErrorCode::kInternal, "internal"}}};
}
void fields(const Error& error, Fields visit);

// `schema`: "assay.audit-report/2".
void report_head(Fields visit, std::string_view schema, std::string_view description);
// Everything that may differ between two runs of the same request. `more` adds the report's own fields.
void report_meta(Fields visit, const RunMeta& meta, const std::function<void()>& more = {});
void report_reproduce(Fields visit, const std::string& command);
void report_confidence(Fields visit, double confidence);

}  // namespace assay

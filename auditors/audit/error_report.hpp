// The document that a command writes in place of a report if it ends with an error: JSON of schema "assay.error/1"
// (schemas/error.schema.json), or an HTML page. It is deterministic.
#pragma once

#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::string_view kErrorSchema = "assay.error/1";

std::string to_json(const Error& error);  // ends with a newline
std::string to_html(const Error& error);
std::string error_schema();

}  // namespace assay

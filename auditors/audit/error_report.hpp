// The document that replaces the report if a command ends without one: JSON of schema "assay.error/1"
// (schemas/error.schema.json), or a page. Deterministic.
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

// JSON text that people can read and diff. Private to sources: it includes nlohmann's header.
//
// A value that fits on its line stays there; a longer one is broken, objects one key a line, arrays
// of scalars filled. Doubles are written by number_text, in the shortest form that reads back to
// the same bits; they must be finite. Bytes that are not UTF-8 become U+FFFD.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace assay {

std::string json_text(const nlohmann::ordered_json& value);  // without a final newline

}  // namespace assay

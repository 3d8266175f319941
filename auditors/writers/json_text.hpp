// JSON text that people can read and diff.
//
// A value that fits on its line stays there; a longer one is broken, objects one key a line, arrays
// of scalars filled. Keys keep their order. Doubles are written by number_text, in the shortest
// form that reads back to the same bits.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `compact` must be valid JSON. The result has no final newline.
std::string json_text(std::string_view compact);

}  // namespace assay

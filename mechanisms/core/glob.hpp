// Names by pattern, as a shell matches file names: * matches any characters, ? matches any one.
//
// Everything else matches itself, and the pattern must match the whole text. Cost: O(pattern x text).
#pragma once

#include <string_view>

namespace assay {

bool glob_match(std::string_view pattern, std::string_view text);

// Whether a word is a pattern at all: it contains * or ?.
bool is_glob(std::string_view word);

}  // namespace assay

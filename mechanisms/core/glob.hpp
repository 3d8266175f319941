// Names by pattern, as a shell matches file names: * is any run of characters, ? is any one.
//
// Everything else stands for itself; the whole text has to match. Cost: O(pattern x text).
#pragma once

#include <string_view>

namespace assay {

bool glob_match(std::string_view pattern, std::string_view text);

// Whether a word is a pattern at all: it contains * or ?.
bool is_glob(std::string_view word);

}  // namespace assay

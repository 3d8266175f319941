// Strings that came from outside (file names, claims, column names), made safe to show.
//
// A file name may contain <script>, a terminal escape sequence or bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// Valid UTF-8 without control characters: bad bytes become U+FFFD, control characters a space.
std::string plain_text(std::string_view text);

// plain_text with & < > " ' escaped: safe in XML and HTML text and in quoted attributes.
std::string markup_text(std::string_view text);

// Code points of a valid UTF-8 text: the columns that it takes on a terminal, for most scripts.
std::size_t column_count(std::string_view text);

}  // namespace assay

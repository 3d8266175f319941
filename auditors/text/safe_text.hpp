// Strings that came from outside (file names, claims, column names), made safe to show.
//
// A file name may contain <script>, a terminal escape sequence, an order to write from right to left
// or bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

// Valid UTF-8 that is shown as it is read: bad bytes become U+FFFD, control characters (line breaks
// too) a space, and what is invisible, or turns the direction of the text, its name: <U+202E>.
std::string plain_text(std::string_view text);

// A JSON text of valid UTF-8 with such characters escaped in its strings, \u202e: the same values.
std::string escaped_json(std::string_view json);

// Bytes of the valid UTF-8 sequence that begins at i; 0 where none does.
std::size_t utf8_length(std::string_view text, std::size_t i);

// plain_text with & < > " ' escaped: safe in XML and HTML text and in quoted attributes.
std::string markup_text(std::string_view text);

// Code points of a valid UTF-8 text: the columns that it takes on a terminal, for most scripts.
std::size_t column_count(std::string_view text);

// "arms=2, horizon=100", as it came.
std::string parameters_text(const std::vector<KeyValue>& parameters, std::string_view equals);

}  // namespace assay

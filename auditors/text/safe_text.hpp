// Makes strings from outside (file names, claims, column names) safe to show.
//
// A file name may contain <script>, a terminal escape sequence, a character that changes the direction of text, or
// bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

// The text as valid UTF-8 without hidden characters. Bad bytes become U+FFFD, and control characters (including line
// breaks) become a space. A character that is invisible or changes the direction of text becomes its name: <U+202E>.
std::string plain_text(std::string_view text);

// The text of a job's log without the lines in which a CI server reads commands: a blank goes into "::" at the start of
// a line (GitHub), "##[error]", "##vso[" (Azure) and "##teamcity[".
std::string without_log_commands(std::string_view text);

// A JSON text of valid UTF-8 with such characters, and "##[", escaped in its strings (\u202e), which keeps its values.
std::string escaped_json(std::string_view json);

// Bytes of the valid UTF-8 sequence that begins at i; 0 if none does.
std::size_t utf8_length(std::string_view text, std::size_t i);

// plain_text with & < > " ' escaped: safe in XML and HTML text and in quoted attributes.
std::string markup_text(std::string_view text);

// Code points of a valid UTF-8 text. For most scripts this is the number of columns on a terminal.
std::size_t column_count(std::string_view text);

// "arms=2, horizon=100", not made safe.
std::string parameters_text(const std::vector<KeyValue>& parameters, std::string_view equals);

}  // namespace assay

// The meanings of the words in reports. `assay explain WORD` prints an entry; a page ends with those that it links.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct GlossaryWord {
  std::string_view id;       // "e-value", which a user types and a page uses as anchor
  std::string_view aliases;  // separated by spaces
  std::string_view line;     // in a list of words
  std::string_view text;
  std::string_view formula;  // may be empty
  std::string_view source;   // may be empty
};

std::span<const GlossaryWord> glossary();
// A name in the form in which names are compared: in lower case, without spaces, hyphens and underscores.
std::string bare_name(std::string_view name);
const GlossaryWord* find_word(std::string_view id);  // also by an alias; null if none
std::vector<std::string> glossary_names();           // all ids and aliases

}  // namespace assay

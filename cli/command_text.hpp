// The description of a command. Its help, its manual page and the completions of shells follow from it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/options.hpp"

namespace assay::cli {

struct Example {
  std::string what;  // "Compare a mechanism with a claim"
  std::string command;
};

struct CommandText {
  std::string name = {};  // "assay suite run"
  std::string summary = {};
  std::vector<Example> examples = {};
  std::vector<std::string> notes =
      {};  // paragraphs; one that begins with a space is a line of its own
  std::vector<std::pair<int, std::string>> exit = {};  // if empty, those of the command above
  bool is_hidden = false;
  // Filled by the App that it describes:
  std::vector<OptionText> options = {};
  std::vector<CommandText> commands = {};
  bool needs_command = false;

  std::string word() const { return name.substr(name.rfind(' ') + 1); }  // "run"
};

// "assay audit [OPTIONS] [CASE]", a line for each way.
std::vector<std::string> usage_lines(const CommandText& command);
// "-p, --parameter KEY=VALUE"; of a positional option "CASE".
std::string option_label(const OptionText& option);
// The options under each heading, without empty headings. Positional options come first, under "Arguments".
struct OptionSection {
  std::string heading;
  std::vector<OptionText> options;
};
std::vector<OptionSection> sections_of(const CommandText& command);

// No line is wider than the style's width, unless a single word is. `is_full` shows the whole text of an option, and
// not only its first sentence.
std::string help_text(const CommandText& command, bool is_full, const TextStyle& style);

// For man, section 1. It has the command alone, without those below it.
std::string man_page(const CommandText& command);
// assay.toml(5), from the JSON schema of suites.
std::string suite_man_page(const std::string& schema);

enum class Shell { kBash, kZsh, kFish };
constexpr std::array<std::pair<Shell, std::string_view>, 3> enum_names(Shell) {
  return {{{Shell::kBash, "bash"}, {Shell::kZsh, "zsh"}, {Shell::kFish, "fish"}}};
}
// The values that an argument of this type ("CASE") may have, other than files.
using NamesOfType = std::function<std::vector<std::string>(const std::string& type)>;
std::string completion_script(const CommandText& root, Shell shell, const NamesOfType& names);

}  // namespace assay::cli

// The help of a command, from its description.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/cli/command_text.hpp"

namespace assay::cli {
namespace {

using detail::Paint;

constexpr std::size_t kTextColumn = 26;

// The first sentence of a text.
std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

class HelpPage {
 public:
  HelpPage(const TextStyle& style, bool is_full) : style_(style), is_full_(is_full) {}

  std::string page(const CommandText& command) {
    lines("", 0, command.summary + ".");
    gap();
    std::string lead = "Usage: ";
    for (const auto& usage : usage_lines(command)) {
      lines(lead, lead.size(), usage);
      lead = std::string(lead.size(), ' ');
    }
    if (!command.examples.empty()) heading("Examples");
    for (const auto& example : command.examples) {
      lines("", 2, example.what + ":");
      this->command(example.command);
    }
    for (const auto& section : sections_of(command)) {
      heading(section.heading);
      for (const auto& option : section.options) {
        item(option_label(option), is_full_ ? described(option) : first_sentence(option.help));
      }
    }
    if (!command.commands.empty()) heading("Commands");
    for (const auto& below : command.commands) {
      if (!below.is_hidden) item(below.word(), below.summary);
    }
    if (is_full_) {
      notes(command);
    } else {
      gap();
      lines("", 0, "`" + command.name + " --help` says more about each option.");
    }
    return std::move(out_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(style_.width); }
  void gap() { out_ += "\n"; }
  void heading(const std::string& text) {
    gap();
    out_ += (style_.color ? detail::painted(text, Paint::kBold) : text) + ":\n";
  }

  // The text, filled from a column on, with the lead before its first line.
  void lines(const std::string& lead, std::size_t column, const std::string& text) {
    std::string before = fmt::format("{:<{}}", lead, column);
    for (const auto& line : detail::fill(detail::words_of(text), width() - column)) {
      out_ += before + line + "\n";
      before = std::string(column, ' ');
    }
  }

  void item(const std::string& label, const std::string& text) {
    const std::string lead = "  " + label;
    const bool fits = lead.size() + 2 <= kTextColumn;
    if (!fits || text.empty()) out_ += lead + "\n";
    if (!text.empty()) lines(fits ? lead : "", kTextColumn, text);
  }

  void command(const std::string& text) {
    constexpr std::size_t kIndent = 4;
    out_ += std::string(kIndent, ' ') +
            detail::broken_command(text, width() - kIndent - 4, kIndent + 2) + "\n";
  }

  void notes(const CommandText& command) {
    bool was_kept = false;
    for (const auto& note : command.notes) {
      const bool is_kept = note.starts_with(' ');
      if (!is_kept || !was_kept) gap();
      was_kept = is_kept;
      const auto column = is_kept ? note.find_first_not_of(' ') : 0;
      // A kept line is "  name   text": the text is filled under itself.
      const auto gap_at = is_kept ? note.find("  ", column) : std::string::npos;
      const auto text = gap_at == std::string::npos ? column : note.find_first_not_of(' ', gap_at);
      lines(note.substr(0, text), text, note.substr(text));
    }
    if (command.exit.empty()) return;
    heading("Exit status");
    for (const auto& [status, text] : command.exit) {
      lines("  " + std::to_string(status), 5, text);
    }
  }

  TextStyle style_;
  bool is_full_;
  std::string out_;
};

}  // namespace

std::vector<std::string> usage_lines(const CommandText& command) {
  std::vector<std::string> lines;
  std::string words;
  for (const auto& option : command.options) {
    if (!option.is_positional) continue;
    const std::string word = option.type + (option.is_repeatable ? "..." : "");
    words += " " + (option.is_required ? word : "[" + word + "]");
  }
  if (!command.needs_command) lines.push_back(command.name + " [OPTIONS]" + words);
  if (!command.commands.empty()) lines.push_back(command.name + " COMMAND ...");
  return lines;
}

std::string option_label(const OptionText& option) {
  if (option.is_positional) return option.type + (option.is_repeatable ? "..." : "");
  const std::string letter = option.letter != 0 ? std::string{'-', option.letter, ',', ' '} : "";
  return letter + "--" + option.name + (option.is_flag ? "" : " " + option.type);
}

std::vector<OptionSection> sections_of(const CommandText& command) {
  std::vector<OptionSection> sections;
  const auto add = [&](std::string_view heading, auto is_in) {
    OptionSection section{std::string(heading), {}};
    std::copy_if(command.options.begin(), command.options.end(),
                 std::back_inserter(section.options), is_in);
    if (!section.options.empty()) sections.push_back(std::move(section));
  };
  add("Arguments", [](const OptionText& option) { return option.is_positional; });
  for (const auto& [group, heading] : enum_names(OptionGroup{})) {
    add(heading, [group = group](const OptionText& option) {
      return !option.is_positional && option.group == group;
    });
  }
  return sections;
}

std::string help_text(const CommandText& command, bool is_full, const TextStyle& style) {
  return HelpPage(style, is_full).page(command);
}

}  // namespace assay::cli

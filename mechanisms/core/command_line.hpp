// Writes a command as a person would paste it into a shell.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace assay {

// One argument of a shell's command line, in quotes where it needs them.
std::string shell_quoted(std::string_view word);

class CommandLine {
 public:
  explicit CommandLine(std::string program) : text_(std::move(program)) {}

  CommandLine& add(std::string_view word) {
    text_ += " " + shell_quoted(word);
    return *this;
  }
  CommandLine& add(std::string_view flag, std::string_view value) { return add(flag).add(value); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace assay

// README.md and the pages of docs/ are true: their commands run, and print the output that stands below them.
// tools/refresh_docs writes these outputs.
#include <filesystem>
#include <optional>
#include <regex>

#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

struct Block {
  std::string language;
  std::string text;
};

std::vector<Block> fenced_blocks(const std::string& markdown) {
  std::vector<Block> blocks;
  std::istringstream lines(markdown);
  std::optional<Block> open;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      if (open) {
        blocks.push_back(*open);
        open.reset();
      } else {
        open = Block{line.substr(3), ""};
      }
    } else if (open) {
      open->text += line + "\n";
    }
  }
  return blocks;
}

// The `tools/run ...` commands of a shell block: continued lines joined, comments taken off.
Words run_commands(std::string text) {
  for (std::size_t at; (at = text.find("\\\n")) != std::string::npos;) text.erase(at, 2);
  Words commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find(" #"));
    if (line.rfind("tools/run ", 0) == 0) {
      const auto arguments = line.substr(std::string("tools/run ").size());
      commands.push_back(arguments.substr(0, arguments.find_last_not_of(' ') + 1));
    }
  }
  return commands;
}

// How long a claim took ("privacy, 0.07 s", at the end of a line) and the build are no part of the comparison.
std::string without_seconds(const std::string& text) {
  const auto timeless = std::regex_replace(text, std::regex(" +([a-z]+), [0-9.]+ s\n"), " $1\n");
  return std::regex_replace(timeless, std::regex("\nAssay       .*\n(            .*\n)*"), "\n");
}

// A block that ends in "..." shows the first lines.
bool shows(const std::string& block, const std::string& output) {
  const std::string text = without_seconds(block);
  const std::string printed = without_seconds(output);
  constexpr std::string_view kRest = "...\n";
  return text.ends_with(kRest) ? printed.starts_with(text.substr(0, text.size() - kRest.size()))
                               : printed == text;
}

TEST(Readme, AndItsPagesHaveCommandsThatPrintWhatIsShown) {
  const TemporaryFolder folder;
  const std::filesystem::path source = ASSAY_SOURCE_DIR;
  for (const char* name : {"examples", "docs"}) {
    std::filesystem::create_directory_symlink(source / name, folder.path() / name);
  }
  std::map<std::string, CommandResult> results;
  int compared = 0;
  for (const char* page : {"README.md", "docs/audit-a-program.md", "docs/check-a-paper.md",
                           "docs/choose-a-mechanism.md", "docs/ci.md", "docs/test-a-sampler.md"}) {
    SCOPED_TRACE(page);
    std::string last;
    for (const auto& block : fenced_blocks(read_file(source / page))) {
      if (block.language == "text" && !last.empty()) {
        EXPECT_TRUE(shows(block.text, results[last].out)) << last << "\n" << results[last].out;
        ++compared;
      }
      last.clear();
      if (block.language != "sh") continue;
      for (const auto& command : run_commands(block.text)) {
        last = command;
        if (results.count(command) > 0) continue;
        const std::string script =
            "cd '" + folder.path().string() + "' && " ASSAY_CLI " " + command;
        results[command] = run_command({"/bin/sh", "-c", script});
        EXPECT_LE(results[command].status, 1) << command << "\n" << results[command].err;
      }
    }
  }
  EXPECT_GE(results.size(), 20u);
  EXPECT_GE(compared, 9);
}

}  // namespace
}  // namespace assay

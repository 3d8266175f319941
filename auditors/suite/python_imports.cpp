#include "assay/auditors/suite/python_imports.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostImports = 1'000;
constexpr std::uintmax_t kMostBytesOfScript = 4'000'000;

bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Words, and the marks . , ( ) of a statement; all else separates them. A comment ends the line.
std::vector<std::string> tokens_of(std::string_view line) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (const char c : line) {
    const auto code = static_cast<unsigned char>(c);
    const bool is_word = code >= 0x80 || std::isalnum(code) != 0 || c == '_';
    if (c == '#') break;
    if (is_word && in_word) {
      tokens.back() += c;
    } else if (is_word || std::string_view(".,()*;").find(c) != std::string_view::npos) {
      tokens.emplace_back(1, c);
    }
    in_word = is_word;
  }
  return tokens;
}

// "pkg.module" as far as it goes from tokens[at] on, with leading dots; `at` ends after it.
std::string dotted_name(const std::vector<std::string>& tokens, std::size_t& at) {
  std::string name;
  const auto is_part = [&] {
    const std::string& token = tokens[at];
    if (token == ".") return true;
    const bool is_mark =
        token == "," || token == "(" || token == ")" || token == "*" || token == ";";
    return !is_mark && token != "import" && token != "as" && (name.empty() || name.back() == '.');
  };
  while (at < tokens.size() && is_part()) name += tokens[at++];
  return name;
}

class Imports {
 public:
  explicit Imports(const std::string& script) : root_(fs::path(script).parent_path()) {
    seen_.insert(fs::path(script).lexically_normal());
    read(script);
    seen_.erase(fs::path(script).lexically_normal());
  }
  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const fs::path& path : seen_) files.push_back(path.string());
    std::sort(files.begin(), files.end());
    return files;
  }

 private:
  void read(const fs::path& script) {
    std::error_code ignored;
    const auto size = fs::file_size(script, ignored);
    if (ignored || size > kMostBytesOfScript) return;
    std::ifstream in(script, std::ios::binary);
    std::string line;
    while (std::getline(in, line)) {
      auto tokens = tokens_of(line);
      if (tokens.empty() || (tokens[0] != "import" && tokens[0] != "from")) continue;
      const auto is_open = [&] {
        return std::count(tokens.begin(), tokens.end(), "(") >
               std::count(tokens.begin(), tokens.end(), ")");
      };
      while (is_open() && std::getline(in, line)) {
        const auto more = tokens_of(line);
        tokens.insert(tokens.end(), more.begin(), more.end());
      }
      statement(tokens, script.parent_path());
    }
  }

  void statement(const std::vector<std::string>& tokens, const fs::path& folder) {
    std::size_t at = 1;
    std::string from;
    if (tokens[0] == "from") {
      from = dotted_name(tokens, at);
      if (from.empty() || at >= tokens.size() || tokens[at] != "import") return;
      ++at;
      add(from, folder);
      if (from.back() != '.') from += '.';
    }
    for (bool is_alias = false; at < tokens.size() && tokens[at] != ";";) {
      const std::string name = dotted_name(tokens, at);
      if (name.empty()) {
        is_alias = tokens[at++] == "as";
      } else if (!is_alias) {
        add(from + name, folder);
      } else {
        is_alias = false;
      }
    }
  }

  // The files of a module and of the packages that hold it.
  void add(std::string_view name, const fs::path& importer) {
    fs::path folder = root_;
    const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
    if (dots > 0) folder = importer;
    for (std::size_t i = 1; i < dots; ++i) folder = folder.empty() ? ".." : folder.parent_path();
    name.remove_prefix(dots);
    if (dots > 0) take(folder / "__init__.py");
    while (!name.empty()) {
      const std::size_t end = std::min(name.find('.'), name.size());
      folder /= std::string(name.substr(0, end));
      name.remove_prefix(std::min(end + 1, name.size()));
      fs::path module = folder;
      module += ".py";
      if (!take(folder / "__init__.py")) take(module);
    }
  }

  bool take(const fs::path& path) {
    const fs::path file = path.lexically_normal();
    if (!is_plain_file(file)) return false;
    if (seen_.size() < kMostImports && seen_.insert(file).second) read(file);
    return true;
  }

  fs::path root_;
  std::set<fs::path> seen_;
};

}  // namespace

std::vector<std::string> python_imports(const std::string& script) {
  return Imports(script).files();
}

}  // namespace assay

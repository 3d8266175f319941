#include "assay/auditors/suite/entry_content.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "assay/auditors/suite/reuse.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/policies/external/child_process.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMatches = 10'000;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// As a shell finds a program; empty if nowhere.
std::string program_of(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
    if (is_file(candidate)) return candidate;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

// The program and the words of its command that are files.
Status add_command(const std::string& command, std::vector<std::string>& files) {
  const auto words = ASSAY_TRY(split_command(command));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string path = i == 0 ? program_of(words[i]) : words[i];
    if (is_file(path)) files.push_back(path);
  }
  return {};
}

// Below the folder that the pattern begins with.
Status add_matches(const std::string& pattern, std::vector<std::string>& files) {
  if (!is_glob(pattern)) {
    files.push_back(pattern);
    return {};
  }
  const std::string plain = pattern.substr(0, pattern.find_first_of("*?"));
  const auto slash = plain.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : plain.substr(0, slash + 1);
  std::error_code why;
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator
           at(folder, fs::directory_options::follow_directory_symlink, why),
       end;
       !why && at != end; at.increment(why)) {
    std::string name = at->path().string();
    if (slash == std::string::npos) name = name.substr(2);  // "./"
    if (!glob_match(pattern, name) || !is_file(name)) continue;
    found.push_back(std::move(name));
    if (found.size() > kMostMatches) {
      return fail(ErrorCode::kLimit, "depends: more than 10000 files match '" + pattern + "'");
    }
  }
  if (why) return fail(ErrorCode::kIo, "depends: '" + pattern + "': " + why.message(), folder);
  if (found.empty()) {
    return fail(ErrorCode::kInvalidArgument, "depends: no file matches '" + pattern + "'");
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
  return {};
}

bool has_option(const SuiteEntry& entry, std::string_view name) {
  return std::any_of(entry.options.begin(), entry.options.end(),
                     [&](const WrittenOption& option) { return option.name == name; });
}

// Nobody knows what a target reads unless its entry says so; what --vary writes into a command names other
// files.
bool is_open_ended(const SuiteEntry& entry) {
  const bool is_played = has_option(entry, "exec") || has_option(entry, "plugin");
  return entry.kind == EntryKind::kBench || has_option(entry, "vary") ||
         (is_played && !entry.depends);
}

}  // namespace

Result<std::vector<std::string>> files_of(const SuiteEntry& entry) {
  std::vector<std::string> files;
  for (const auto& option : entry.options) {
    for (const auto& word : option.words) {
      if (option.name == "exec") {
        ASSAY_TRY(add_command(word, files));
        continue;
      }
      // "feature_file=arms.csv", "chain.toml", "rewards.csv"; a word that is no file is only a word.
      const std::string value = option.name == "parameter" ? word.substr(word.find('=') + 1) : word;
      if (is_file(value)) files.push_back(value);
    }
  }
  if (entry.depends) {
    for (const auto& pattern : *entry.depends) ASSAY_TRY(add_matches(pattern, files));
  }
  return files;
}

Result<std::string> content_of(const SuiteEntry& entry) {
  const auto files = ASSAY_TRY(files_of(entry));
  if (is_open_ended(entry)) return std::string();
  // Of a megabyte or more, so once.
  static const auto program = digest_of_content({}, {"/proc/self/exe"}, "");
  const std::string version = ASSAY_TRY(program);
  std::vector<std::string> words = {detail::value_text(entry.kind)};
  for (const auto& option : entry.options) {
    words.push_back(option.name);
    words.insert(words.end(), option.words.begin(), option.words.end());
  }
  if (entry.power) words.push_back("power " + number_text(*entry.power));
  if (entry.below) words.push_back("below " + *entry.below);
  words.insert(words.end(), files.begin(), files.end());
  return digest_of_content(words, files, version);
}

}  // namespace assay

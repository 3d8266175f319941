#include "assay/auditors/suite/entry_content.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/child_process.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMatches = 10'000;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Finds a program as a shell does; empty if there is none.
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

// Whether a program that PATH finds counts among the files. It is part of the machine.
enum class Programs { kAll, kNamed };

// The program, and the arguments of its command that are files.
Status add_command(const std::string& command, Programs programs, std::vector<std::string>& files) {
  const auto words = ASSAY_TRY(split_command(command));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_found = i == 0 && words[i].find('/') == std::string::npos;
    if (is_found && programs == Programs::kNamed) continue;
    const std::string path = i == 0 ? program_of(words[i]) : words[i];
    if (is_file(path)) files.push_back(path);
  }
  return {};
}

// Files below the folder that the pattern begins with.
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

// Options that say how an audit looks and what it is checked against, and not what it audits.
constexpr std::array<std::string_view, 18> kOfTheLook = {
    "claim",    "delta0",   "method",        "samples",           "time",   "runs",
    "search",   "settings", "stop-after",    "stop-when-decided", "margin", "round-outputs",
    "canaries", "training", "deterministic", "answer-time",       "input",  "neighbour"};

// The limits of a regret.
constexpr std::array<std::string_view, 2> kLimitsOfRegret = {"at-most", "at-most-times"};

bool is_claim(const SuiteEntry& entry, const std::string& option) {
  return option == "claim" || option == "delta0" ||
         (entry.kind == EntryKind::kRegret && contains(kLimitsOfRegret, option));
}

bool is_of_the_look(const SuiteEntry& entry, const std::string& option) {
  if (entry.kind == EntryKind::kRegret) {
    return is_claim(entry, option) || option == "runs" || option == "answer-time";
  }
  return entry.kind == EntryKind::kAudit && contains(kOfTheLook, option);
}

constexpr std::array<std::string_view, 2> kCommands = {"exec", "baseline-exec"};

bool is_played(const SuiteEntry& entry) {
  return has_option(entry, "plugin") ||
         std::any_of(kCommands.begin(), kCommands.end(),
                     [&](std::string_view command) { return has_option(entry, command); });
}

// A target may read any file unless its entry declares them, and a value of --vary in a command names other files.
bool is_open_ended(const SuiteEntry& entry) {
  return entry.kind == EntryKind::kBench || has_option(entry, "vary") ||
         (is_played(entry) && !entry.depends);
}

Result<std::vector<std::string>> files_behind(const SuiteEntry& entry,
                                              const std::vector<WrittenOption>& options,
                                              Programs programs) {
  std::vector<std::string> files;
  for (const auto& option : options) {
    for (const auto& word : option.words) {
      if (contains(kCommands, option.name)) {
        ASSAY_TRY(add_command(word, programs, files));
        continue;
      }
      // "feature_file=arms.csv", "chain.toml", "rewards.csv". A text that is not a file counts as a text.
      const std::string value = option.name == "parameter" ? word.substr(word.find('=') + 1) : word;
      if (is_file(value)) files.push_back(value);
    }
  }
  if (entry.depends) {
    for (const auto& pattern : *entry.depends) ASSAY_TRY(add_matches(pattern, files));
  }
  return files;
}

// The variables that the entry names.
std::vector<std::string> variables_of(const SuiteEntry& entry) {
  for (const auto& option : entry.options) {
    if (option.name == kEnvironmentOption) return option.words;
  }
  return {};
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.push_back(std::to_string(more.size()));
  words.insert(words.end(), more.begin(), more.end());
}

// This program.
Result<std::string> digest_of_assay() {
  // It has a megabyte or more, so this is computed once.
  static const auto program = digest_of_content({}, {"/proc/self/exe"}, "");
  return program;
}

std::vector<std::string> words_of(const SuiteEntry& entry,
                                  const std::vector<WrittenOption>& options) {
  std::vector<std::string> words = {detail::value_text(entry.kind)};
  for (const auto& option : options) {
    words.push_back(option.name);
    words.insert(words.end(), option.words.begin(), option.words.end());
  }
  return words;
}

}  // namespace

Result<std::vector<std::string>> files_of(const SuiteEntry& entry) {
  return files_behind(entry, entry.options, Programs::kAll);
}

Result<std::string> content_of(const SuiteEntry& entry) {
  if (auto status = check_environment(variables_of(entry)); !status) {
    status.error().message =
        (entry.kind == EntryKind::kRegret ? "env " : "environment ") + status.error().message;
    return tl::make_unexpected(status.error());
  }
  const auto files = ASSAY_TRY(files_of(entry));
  if (is_open_ended(entry)) return std::string();
  const std::string version = ASSAY_TRY(digest_of_assay());
  auto words = words_of(entry, entry.options);
  if (entry.below) words.push_back("below " + *entry.below);
  if (is_played(entry)) append(words, child_environment(variables_of(entry)));
  append(words, files);
  return digest_of_content(words, files, version);
}

Result<EntryIdentity> identity_of(const SuiteEntry& entry) {
  EntryIdentity identity;
  std::vector<WrittenOption> options;
  for (const auto& option : entry.options) {
    if (!is_of_the_look(entry, option.name)) options.push_back(option);
    if (!is_claim(entry, option.name)) continue;
    identity.claim += option.name;
    for (const auto& word : option.words) identity.claim += " " + word;
    identity.claim += "\n";
  }
  if (entry.below) identity.claim = *entry.below;
  auto words = words_of(entry, options);
  identity.target = ASSAY_TRY(digest_of_content(words, {}, "target"));
  if (is_open_ended(entry)) return identity;
  const auto files = ASSAY_TRY(files_behind(entry, options, Programs::kNamed));
  const std::string version = is_played(entry) ? "" : ASSAY_TRY(digest_of_assay());
  append(words, named_environment(variables_of(entry)));
  append(words, files);
  identity.audited = ASSAY_TRY(digest_of_content(words, files, version));
  for (const std::string& file : files) {
    if (is_played(entry) && !contains(identity.files, file)) identity.files.push_back(file);
  }
  return identity;
}

}  // namespace assay

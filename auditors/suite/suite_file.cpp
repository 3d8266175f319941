#include "assay/auditors/suite/suite_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/auditors/session/internal/toml_record.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/suite/entry_options.hpp"
#include "assay/auditors/suite/paper_entries.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/external/child_environment.hpp"

namespace assay {

void fields(const Suppression& suppression, Fields visit) {
  visit("id", suppression.id, kNotEmpty, "Name of the suppression");
  visit("scope", suppression.scope, kNotEmpty, "Entries by name or pattern");
  visit("status", suppression.status, kNotEmpty,
        "Status of the failures: violated, weak, inconclusive or could-not-run");
  visit("reason", suppression.reason, kNotEmpty, "The reason, for those who review the file");
  visit("owner", suppression.owner, kNotEmpty, "Person who is responsible for it");
  visit("expires", suppression.expires, kNotEmpty, "Last day on which it counts: \"2027-01-31\"");
}

void fields(const Clear& clear, Fields visit) {
  visit("entry", clear.entry, kNotEmpty, "Name of the entry with the violations");
  visit("reason", clear.reason, kNotEmpty,
        "The repair, or the reason why they are not violations, for those who review the file");
  visit("date", clear.date, kNotEmpty,
        "Clear violations found until this day, which is not in the future: \"2026-11-25\"");
}

namespace {

constexpr std::size_t kMostEntries = 10'000;
constexpr std::size_t kMostIncludes = 100;
constexpr std::array<std::string_view, 15> kFileKeys = {
    "schema", "name",   "confidence", "seed",  "baseline", "history",  "include", "audit",
    "verify", "detect", "account",    "bench", "regret",   "suppress", "clear"};

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

// Expands ${NAME}, ${NAME:-text} and $$ (a dollar).
Result<std::string> expanded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size() || (text[i + 1] != '{' && text[i + 1] != '$')) {
      out += text[i];
      continue;
    }
    if (text[i + 1] == '$') {
      out += '$';
      ++i;
      continue;
    }
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos) return fail(ErrorCode::kParse, "has '${' without '}'");
    const std::string_view inside = std::string_view(text).substr(i + 2, end - i - 2);
    const std::size_t other = inside.find(":-");
    const std::string name(inside.substr(0, other));
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value == nullptr && other == std::string_view::npos) {
      return fail(ErrorCode::kInvalidArgument, "names the environment variable " + name +
                                                   ", which is not set; ${" + name +
                                                   ":-text} has a default for that case");
    }
    out += value != nullptr ? value : std::string(inside.substr(other + 2));
    i = end;
  }
  return out;
}

class SuiteFileReader {
 public:
  explicit SuiteFileReader(SuiteFile& suite) : suite_(suite) {}

  Status read(const std::string& path) {
    const auto canonical = ASSAY_TRY(canonical_path(path));
    if (contains(open_, canonical)) {
      return fail(ErrorCode::kInvalidArgument, "includes itself", path);
    }
    if (++files_ > kMostIncludes) {
      return fail(ErrorCode::kLimit, "a suite has at most 100 files", path);
    }
    open_.push_back(canonical);
    const auto table = ASSAY_TRY(detail::read_toml(path, "the suite"));
    const auto outer = std::exchange(path_, path);
    ASSAY_TRY(read_file(table));
    path_ = outer;
    open_.pop_back();
    return {};
  }

 private:
  tl::unexpected<Error> error(const toml::node& node, const std::string& message,
                              ErrorCode code = ErrorCode::kInvalidArgument) const {
    return fail(code, message, path_, detail::line_of(node));
  }
  SourcePlace place_of(const toml::node& node) const {
    const auto& at = node.source().begin;
    return {path_, std::max<std::int64_t>(1, at.line), std::max<std::int64_t>(1, at.column)};
  }

  Result<std::string> text_of(const toml::node& node, const std::string& key) const {
    const auto* text = node.as_string();
    if (text == nullptr) return error(node, key + " must be text in quotes", ErrorCode::kParse);
    const auto value = expanded(text->get());
    if (!value) return error(node, key + " " + value.error().message, value.error().code);
    return *value;
  }
  Result<double> number_of(const toml::node& node, const std::string& key, double low,
                           double high) const {
    const auto value = node.value<double>();
    if (node.is_boolean() || !value || !(*value >= low && *value <= high)) {
      const std::string range = ", " + number_text(low) + " to " + number_text(high);
      // The user wrote a level or a number in quotes, and means the bare number.
      if (const auto text = node.value<std::string>()) {
        const auto meant = parse_number(std::string_view(*text).substr(text->rfind('=') + 1));
        const double shown = meant && *meant >= low && *meant <= high ? *meant : std::max(low, 1.0);
        return error(node, key + " must be a bare number" + range +
                               ", without quotes or a name: " + key + " = " + number_text(shown));
      }
      return error(node, key + " must be a number" + range);
    }
    return *value;
  }
  Result<std::vector<std::string>> texts_of(const toml::node& node, const std::string& key) const {
    const auto* array = node.as_array();
    if (array == nullptr) return error(node, key + " must be a list of texts", ErrorCode::kParse);
    std::vector<std::string> out;
    for (const auto& item : *array) out.push_back(ASSAY_TRY(text_of(item, key)));
    return out;
  }

  Status read_file(const toml::table& root) {
    for (const auto& [key, node] : root) {
      if (contains(kFileKeys, key.str())) continue;
      const std::vector<std::string> known(kFileKeys.begin(), kFileKeys.end());
      return error(node,
                   "unknown key '" + std::string(key.str()) + "'" + nearest_hint(key.str(), known) +
                       "; a suite has " + joined(kFileKeys),
                   ErrorCode::kUnknownKey);
    }
    const auto* schema = root.get("schema");
    if (schema == nullptr || schema->value<std::string>() != "assay.suite/1") {
      return fail(ErrorCode::kParse, "schema = \"assay.suite/1\" is missing", path_,
                  schema == nullptr ? 1 : detail::line_of(*schema));
    }
    ASSAY_TRY(read_head(root));
    if (const auto* node = root.get("include")) {
      const auto folder = std::filesystem::path(path_).parent_path();
      for (const auto& name : ASSAY_TRY(texts_of(*node, "include"))) {
        ASSAY_TRY(read((folder / name).string()));
      }
    }
    // Entries of all kinds come in the order of their lines.
    std::vector<std::pair<const toml::table*, EntryKind>> found;
    for (const auto& [kind, name] : enum_names(EntryKind{})) {
      for (const auto* table : ASSAY_TRY(tables_of(root, std::string(name)))) {
        found.emplace_back(table, kind);
      }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first->source().begin.line < b.first->source().begin.line;
    });
    for (const auto& [table, kind] : found) ASSAY_TRY(read_entry(*table, kind));
    for (const auto* table : ASSAY_TRY(tables_of(root, "suppress"))) {
      ASSAY_TRY(read_suppression(*table));
    }
    for (const auto* table : ASSAY_TRY(tables_of(root, "clear"))) ASSAY_TRY(read_clear(*table));
    return {};
  }

  Status read_head(const toml::table& root) {
    const bool is_outer = open_.size() == 1;
    for (const char* key : {"name", "confidence", "seed", "baseline", "history"}) {
      const auto* node = root.get(key);
      if (node != nullptr && !is_outer) {
        return error(*node,
                     std::string(key) + " belongs in the suite, not in a file that it includes");
      }
      if (node != nullptr && node->is_string() && ASSAY_TRY(text_of(*node, key)).empty()) {
        return error(*node,
                     std::string(key) + " is given an empty value; \"none\" stands for none");
      }
    }
    if (const auto* node = root.get("name")) suite_.name = ASSAY_TRY(text_of(*node, "name"));
    if (const auto* node = root.get("baseline")) {
      suite_.baseline = ASSAY_TRY(text_of(*node, "baseline"));
    }
    if (const auto* node = root.get("history")) {
      suite_.history = ASSAY_TRY(text_of(*node, "history"));
    }
    if (const auto* node = root.get("confidence")) {
      suite_.confidence = ASSAY_TRY(number_of(*node, "confidence", 0.5, 1.0));
      if (!check_confidence(suite_.confidence)) {
        return error(*node, "confidence must be at least 0.5 and below 1");
      }
    }
    if (const auto* node = root.get("seed")) {
      const auto seed = node->value_exact<std::int64_t>();
      if (!seed || *seed < 0) return error(*node, "seed must be a whole number, at least 0");
      suite_.seed = static_cast<std::uint64_t>(*seed);
    }
    return {};
  }

  Result<std::vector<const toml::table*>> tables_of(const toml::table& root,
                                                    const std::string& key) const {
    std::vector<const toml::table*> out;
    const auto* node = root.get(key);
    if (node == nullptr) return out;
    const auto* array = node->as_array();
    const std::string message = key + " must be tables, [[" + key + "]]";
    if (array == nullptr) return error(*node, message, ErrorCode::kParse);
    for (const auto& item : *array) {
      if (!item.is_table()) return error(item, message, ErrorCode::kParse);
      out.push_back(item.as_table());
    }
    return out;
  }

  Result<std::string> id_of(const toml::table& table, const std::string& kind,
                            std::vector<std::string>& ids) const {
    const auto* node = table.get("id");
    if (node == nullptr) {
      return fail(ErrorCode::kInvalidArgument, "[[" + kind + "]] needs an id", path_,
                  detail::line_of(table));
    }
    const auto id = ASSAY_TRY(text_of(*node, "id"));
    if (!is_id(id)) {
      return error(*node, "id must be 1 to 100 letters, digits, '-', '_', '.' and '/'");
    }
    if (contains(ids, id)) {
      return error(*node, "the id '" + id + "' is taken");
    }
    ids.push_back(id);
    return id;
  }

  template <class E>
  Result<E> choice_of(const toml::table& table, const char* key, E fallback) const {
    const auto* node = table.get(key);
    if (node == nullptr) return fallback;
    const auto word = ASSAY_TRY(text_of(*node, key));
    auto value = read_choice<E>(key, word);
    if (!value) return error(*node, value.error().message, value.error().code);
    return *value;
  }

  Status read_entry(const toml::table& table, EntryKind kind) {
    if (suite_.entries.size() == kMostEntries) {
      return error(table, "a suite has at most 10000 entries", ErrorCode::kLimit);
    }
    SuiteEntry entry;
    entry.kind = kind;
    entry.place = place_of(table);
    if (const auto papers = check_papers(kind); !papers)
      return error(table, papers.error().message);
    entry.id = ASSAY_TRY(id_of(table, detail::value_text(kind), ids_));
    entry.severity = ASSAY_TRY(choice_of(table, "severity", Severity::kDeny));
    entry.tier = ASSAY_TRY(choice_of(table, "tier", Tier::kFull));
    const auto options = entry_options(kind);
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "id" || name == "severity" || name == "tier") continue;
      if (name == "tags") {
        entry.tags = ASSAY_TRY(texts_of(node, name));
        std::sort(entry.tags.begin(), entry.tags.end());
      } else if (name == "value") {
        entry.value = ASSAY_TRY(number_of(node, name, 0.001, 1000.0));
      } else if (name == "depends" && (kind == EntryKind::kAudit || kind == EntryKind::kRegret)) {
        entry.depends = ASSAY_TRY(texts_of(node, name));
      } else if (name == "below" && kind == EntryKind::kAccount) {
        entry.below = ASSAY_TRY(text_of(node, name));
        const auto level = parse_claim(*entry.below, {});
        if (!level) return error(node, "below: " + level.error().message);
      } else {
        ASSAY_TRY(read_option(entry, options, name, node));
      }
    }
    if (kind == EntryKind::kAccount && !entry.below) {
      return error(
          table,
          "an account needs below = \"eps=...,delta=...\", the level that it must stay within");
    }
    suite_.entries.push_back(std::move(entry));
    return {};
  }

  Status read_option(SuiteEntry& entry, const std::vector<EntryOption>& options,
                     const std::string& name, const toml::node& node) const {
    const auto option = std::find_if(options.begin(), options.end(), [&](const EntryOption& one) {
      return one.key == name || one.text.formerly == name;
    });
    if (option == options.end()) return unknown(entry.kind, options, name, node);
    for (const auto& earlier : entry.options) {
      if (earlier.name == option->text.name) {
        return error(node, name + " and " + earlier.shown + " are one key: give one of them");
      }
    }
    WrittenOption written = {option->text.name, name, {}, false, {}};
    if (option->is_table()) {
      const auto* table = node.as_table();
      if (table == nullptr) return error(node, name + " must be a table, {name = value}");
      for (const auto& [key, value] : *table) {
        const auto words = ASSAY_TRY(words_of(value, name));
        written.words.push_back(std::string(key.str()) + "=" + joined_plainly(words));
      }
    } else {
      if (!node.is_array() || option->text.is_repeatable || option->text.words > 1) {
        written.words = ASSAY_TRY(words_of(node, name));
      } else {
        return error(node, name + " takes one value, not a list");
      }
      if (option->text.words > 1 && static_cast<int>(written.words.size()) != option->text.words) {
        return error(node, name + " takes " + std::to_string(option->text.words) + " values");
      }
      if (written.words.empty()) return error(node, name + " is an empty list");
      if (written.has_empty_word()) return error(node, name + " is given an empty value");
    }
    // Otherwise variables that nobody named would decide, and they differ on the next machine.
    if (written.name == kEnvironmentOption && contains(written.words, kAllVariables)) {
      return error(node, name + " names variables one by one; only assay audit takes all of them");
    }
    if (auto status = option->check(written); !status) {
      return error(node, status.error().message, status.error().code);
    }
    // The same as leaving it out.
    if (option->text.is_flag && written.words.front() == "false") return {};
    entry.lines[name] = detail::line_of(node);
    entry.options.push_back(std::move(written));
    return {};
  }

  static std::string joined_plainly(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : ",") + word;
    return out;
  }

  tl::unexpected<Error> unknown(EntryKind kind, const std::vector<EntryOption>& options,
                                const std::string& name, const toml::node& node) const {
    std::vector<std::string> known;
    for (const auto& key : entry_keys()) {
      if (key.is_of(kind)) known.emplace_back(key.name);
    }
    for (const auto& option : options) known.push_back(option.key);
    const std::string text = detail::value_text(kind);
    if (name == "confidence" || name == "threads" || name == "format" || name == "quiet" ||
        name == "write" || name == "seed") {
      return error(node, name + " belongs to the whole run, not to one entry",
                   ErrorCode::kUnknownKey);
    }
    return error(
        node,
        "[[" + text + "]] has no key '" + name + "'" + nearest_hint(name, known) +
            (kind == EntryKind::kRegret ? "; assay.toml(5) names its keys"
                                        : "; `assay " + text + " --help` names its options"),
        ErrorCode::kUnknownKey);
  }

  Result<std::vector<std::string>> words_of(const toml::node& node, const std::string& name) const {
    if (const auto* array = node.as_array()) {
      std::vector<std::string> out;
      for (const auto& item : *array) {
        if (item.is_array() || item.is_table()) {
          return error(item, name + " must be a list of texts or numbers", ErrorCode::kParse);
        }
        for (auto& word : ASSAY_TRY(words_of(item, name))) out.push_back(std::move(word));
      }
      return out;
    }
    if (node.is_string()) return std::vector{ASSAY_TRY(text_of(node, name))};
    if (const auto* whole = node.as_integer()) return std::vector{std::to_string(whole->get())};
    if (const auto* truth = node.as_boolean()) {
      return std::vector<std::string>{truth->get() ? "true" : "false"};
    }
    if (const auto* number = node.as_floating_point()) {
      if (std::isfinite(number->get())) return std::vector{number_text(number->get())};
      return error(node, name + " must be a finite number", ErrorCode::kParse);
    }
    return error(node, name + " must be text, a number or true or false", ErrorCode::kParse);
  }

  // Taken as it is written, since a variable of the environment is not part of the committed file.
  Status read_clear(const toml::table& table) {
    suite_.clears.push_back(ASSAY_TRY(detail::read_record<Clear>(table, path_)));
    suite_.clears.back().place = place_of(table);
    return {};
  }

  Status read_suppression(const toml::table& table) {
    auto read = ASSAY_TRY(detail::read_record<Suppression>(table, path_, expanded));
    ASSAY_TRY(id_of(table, "suppress", suppressed_ids_));
    read.place = place_of(table);
    suite_.suppressions.push_back(std::move(read));
    return {};
  }

  SuiteFile& suite_;
  std::string path_;
  std::vector<std::string> open_;  // files that are being read, the outermost first
  std::size_t files_ = 0;
  std::vector<std::string> ids_, suppressed_ids_;
};

}  // namespace

Result<SuiteFile> read_suite(const std::string& path) {
  SuiteFile suite;
  suite.path = path;
  // What comes through a pipe or a device, as /dev/stdin, is beside nothing.
  std::error_code none;
  const auto kind = std::filesystem::status(path, none).type();
  const bool is_stream =
      kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::character;
  const std::string place = ASSAY_TRY(absolute_path(is_stream ? "suite" : path));
  suite.folder = std::filesystem::path(place).parent_path().string();
  suite.name = std::filesystem::path(path).filename().string();
  ASSAY_TRY(SuiteFileReader(suite).read(path));
  if (suite.entries.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "a suite needs an entry: " +
                    either(enum_names(EntryKind{}),
                           [](const auto& one) { return "[[" + std::string(one.second) + "]]"; }),
                path);
  }
  return suite;
}

}  // namespace assay

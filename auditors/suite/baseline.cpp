#include "assay/auditors/suite/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostBaselineBytes = std::size_t{64} << 20;
constexpr std::string_view kBaselineFamily = "assay.suite-baseline/";

double number_of(const std::string& text) {
  if (text == "inf") return HUGE_VAL;
  if (text == "-inf") return -HUGE_VAL;
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

EntryFigure rounded_figure(EntryFigure figure) {
  figure.lower = number_of(rounded_down(figure.lower, kBaselineDigits));
  figure.upper = number_of(rounded_up(figure.upper, kBaselineDigits));
  if (figure.allowed) figure.allowed = number_of(rounded(*figure.allowed, kBaselineDigits + 2));
  figure.alpha = number_of(rounded(figure.alpha, 2));
  for (double& time : figure.repetitions) time = number_of(rounded(time, kBaselineDigits));
  return figure;
}

void sort_figures(std::vector<EntryFigure>& figures) {
  std::sort(figures.begin(), figures.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

// A basic string: bytes that are not UTF-8 become U+FFFD, control characters are escaped.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (text[i] == '"' || text[i] == '\\') {
      out += std::string("\\") + text[i];
    } else if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(text[i]));
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  return out + "\"";
}

std::string figure_line(const std::string& id, const EntryFigure& figure) {
  std::string line =
      fmt::format("  {{id = {}, figure = {}, kind = \"{}\", lower = {}, upper = {}",
                  toml_string(id), toml_string(figure.name), detail::value_text(figure.kind),
                  number_text(figure.lower), number_text(figure.upper));
  if (figure.allowed) line += ", allowed = " + number_text(*figure.allowed);
  if (figure.alpha > 0.0) line += ", alpha = " + number_text(figure.alpha);
  if (!figure.repetitions.empty()) {
    line += fmt::format(", repetitions = [{}]", joined(figure.repetitions, number_text));
  }
  return line + "},\n";
}

std::string entry_line(const BaselineEntry& entry) {
  std::string line = fmt::format("  {{id = {}, kind = \"{}\"", toml_string(entry.id),
                                 detail::value_text(entry.kind));
  if (entry.severity != Severity::kDeny) {
    line += fmt::format(", severity = \"{}\"", detail::value_text(entry.severity));
  }
  line += fmt::format(", status = \"{}\"", detail::value_text(entry.status));
  if (!entry.claim.empty()) line += ", claim = " + toml_string(entry.claim);
  return line + "},\n";
}

class BaselineReader {
 public:
  explicit BaselineReader(const std::string& path) : path_(path) {}

  Result<Baseline> read(const toml::table& root) {
    std::string schema;
    ASSAY_TRY(read_one(root, "schema", schema));
    if (schema != kBaselineSchema) {
      const bool other_version = schema.starts_with(kBaselineFamily);
      return error(
          *root.get("schema"),
          fmt::format("schema must be \"{}\", not '{}'{}", kBaselineSchema, plain_text(schema),
                      other_version ? ": it is of another version of Assay" : ""));
    }
    ASSAY_TRY(check_keys(root, {"schema", "suite", "entries"}));
    ASSAY_TRY(read_one(root, "suite", baseline_.suite));
    const toml::node* entries = root.get("entries");
    if (entries == nullptr) return error(root, "entries is missing");
    if (!entries->is_array()) return error(*entries, "entries must be a list of tables");
    for (const auto& node : *entries->as_array()) {
      const auto* table = node.as_table();
      if (table == nullptr) return error(node, "entries must be a list of tables");
      if (table->contains("figure")) {
        ASSAY_TRY(read_figure(*table));
      } else {
        ASSAY_TRY(read_entry_line(*table));
      }
    }
    ASSAY_TRY(finish(*entries));
    return std::move(baseline_);
  }

 private:
  tl::unexpected<Error> error(const toml::node& node, const std::string& message) const {
    return fail(ErrorCode::kParse, message, path_, static_cast<long>(node.source().begin.line));
  }

  Status check_keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return error(
            node, fmt::format("unknown key '{}'{}", plain_text(name), nearest_hint(name, known)));
      }
    }
    return {};
  }

  template <class T>
  Status read_value(const std::string& name, const toml::node& node, T& out) const {
    if constexpr (std::is_same_v<T, double>) {
      const auto value = node.is_number() ? node.value<double>() : std::nullopt;
      if (!value || std::isnan(*value)) return error(node, name + " must be a number");
      out = *value;
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      if (!node.is_array()) return error(node, name + " must be a list of numbers");
      for (const auto& item : *node.as_array()) {
        ASSAY_TRY(read_value(name, item, out.emplace_back()));
      }
    } else {
      if (!node.is_string()) return error(node, name + " must be text");
      const std::string& text = node.as_string()->get();
      if constexpr (std::is_same_v<T, std::string>) {
        out = text;
      } else {
        const auto value = detail::read_value<T>(text);
        if (!value) return error(node, name + " " + plain_text(value.error().message));
        out = *value;
      }
    }
    return {};
  }
  template <class T>
  Status read_one(const toml::table& table, const std::string& name, T& out,
                  bool is_required = true) const {
    const toml::node* node = table.get(name);
    if (node != nullptr) return read_value(name, *node, out);
    return is_required ? Status(error(table, name + " is missing")) : Status();
  }

  Status read_entry_line(const toml::table& table) {
    ASSAY_TRY(check_keys(table, {"id", "kind", "severity", "status", "claim"}));
    BaselineEntry entry;
    ASSAY_TRY(read_one(table, "id", entry.id));
    ASSAY_TRY(read_one(table, "kind", entry.kind));
    ASSAY_TRY(read_one(table, "severity", entry.severity, false));
    ASSAY_TRY(read_one(table, "status", entry.status));
    ASSAY_TRY(read_one(table, "claim", entry.claim, false));
    const auto [at, is_new] = entry_at_.emplace(entry.id, baseline_.entries.size());
    if (!is_new) return error(table, fmt::format("entry '{}' appears twice", plain_text(entry.id)));
    baseline_.entries.push_back(std::move(entry));
    return {};
  }

  Status read_figure(const toml::table& table) {
    ASSAY_TRY(check_keys(
        table, {"id", "figure", "kind", "lower", "upper", "allowed", "alpha", "repetitions"}));
    std::string id;
    EntryFigure figure;
    ASSAY_TRY(read_one(table, "id", id));
    ASSAY_TRY(read_one(table, "figure", figure.name));
    ASSAY_TRY(read_one(table, "kind", figure.kind));
    ASSAY_TRY(read_one(table, "lower", figure.lower));
    ASSAY_TRY(read_one(table, "upper", figure.upper));
    ASSAY_TRY(read_one(table, "alpha", figure.alpha, false));
    ASSAY_TRY(read_one(table, "repetitions", figure.repetitions, false));
    if (table.contains("allowed")) {
      ASSAY_TRY(read_one(table, "allowed", figure.allowed.emplace()));
    }
    if (!(figure.lower <= figure.upper)) {
      return error(table, "lower must not be more than upper");
    }
    const auto at = entry_at_.find(id);
    if (at == entry_at_.end()) {
      return error(table, fmt::format("entry '{}' has no line before its figures", plain_text(id)));
    }
    auto& figures = baseline_.entries[at->second].figures;
    if (!figure_names_.emplace(id, figure.name).second) {
      return error(table, fmt::format("figure '{}' of entry '{}' appears twice",
                                      plain_text(figure.name), plain_text(id)));
    }
    figures.push_back(std::move(figure));
    return {};
  }

  // By id and name, whoever merged the file.
  Status finish(const toml::node& entries) {
    auto& all = baseline_.entries;
    if (all.empty() && !entries.as_array()->empty()) return error(entries, "entries has none");
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    for (auto& entry : all) sort_figures(entry.figures);
    return {};
  }

  std::string path_;
  Baseline baseline_;
  std::map<std::string, std::size_t> entry_at_;
  std::set<std::pair<std::string, std::string>> figure_names_;
};

}  // namespace

Baseline baseline_of(const SuiteReport& report) {
  Baseline baseline{report.name, {}};
  for (const auto& entry : report.entries) {
    BaselineEntry kept{entry.id,    entry.kind, entry.severity,     entry.status,
                       entry.claim, {},         entry.suppressed_by};
    for (const auto& figure : entry.figures) kept.figures.push_back(rounded_figure(figure));
    sort_figures(kept.figures);
    baseline.entries.push_back(std::move(kept));
  }
  std::sort(baseline.entries.begin(), baseline.entries.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return baseline;
}

std::string to_toml(const Baseline& baseline) {
  std::string text =
      "# Written by `assay suite update`: what `assay suite run` compares with. Bounds are rounded outward.\n"
      "# A violated entry stays a failure.\n";
  text += fmt::format("schema = \"{}\"\nsuite = {}\nentries = [\n", kBaselineSchema,
                      toml_string(baseline.suite));
  for (const auto& entry : baseline.entries) {
    text += entry_line(entry);
    for (const auto& figure : entry.figures) text += figure_line(entry.id, figure);
  }
  return text + "]\n";
}

Result<Baseline> parse_baseline(std::string_view toml, const std::string& path) {
  const auto table = ASSAY_TRY(detail::parse_toml(std::string(toml), path));
  return BaselineReader(path).read(table);
}

Result<Baseline> read_baseline(const std::string& path) {
  const auto text = ASSAY_TRY(read_whole_file(path, kMostBaselineBytes));
  return parse_baseline(text, path);
}

Status write_baseline(const std::string& path, const Baseline& baseline) {
  return replace_file(path, to_toml(baseline));
}

}  // namespace assay

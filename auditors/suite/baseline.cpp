#include "assay/auditors/suite/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/auditors/session/internal/toml_record.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/files.hpp"
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

// A line of the file. Optional keys are left out if they would say nothing.
struct EntryLine {
  BaselineEntry entry = {};
};
void fields(const EntryLine& line, Fields visit) {
  visit("id", line.entry.id);
  visit("kind", line.entry.kind);
  visit.if_any("severity", line.entry.severity);
  visit("status", line.entry.status);
  visit.if_any("claim", line.entry.claim);
}

struct FigureLine {
  std::string id = {};
  EntryFigure figure = {};
};
void fields(const FigureLine& line, Fields visit) {
  visit("id", line.id);
  visit("figure", line.figure.name);
  visit("kind", line.figure.kind);
  visit("lower", line.figure.lower);
  visit("upper", line.figure.upper);
  visit.if_any("allowed", line.figure.allowed);
  visit.if_any("alpha", line.figure.alpha);
  visit.if_any("repetitions", line.figure.repetitions);
}

struct BaselineHead {
  std::string suite = {};
};
void fields(const BaselineHead& head, Fields visit) {
  visit("schema", [] { return kBaselineSchema; });
  visit("suite", head.suite);
  visit("entries", [] { return Json(); });
}

template <class Line>
std::string line_text(const Line& line) {
  return "  " + toml_text(json_of(line)) + ",\n";
}

class BaselineReader {
 public:
  explicit BaselineReader(const std::string& path) : path_(path) {}

  Result<Baseline> read(const toml::table& root) {
    const auto* stated = root.get("schema");
    const auto schema = stated == nullptr ? std::nullopt : stated->value<std::string>();
    if (schema && *schema != kBaselineSchema) {
      const bool other_version = schema->starts_with(kBaselineFamily);
      return error(
          *stated,
          fmt::format("schema must be \"{}\", not '{}'{}", kBaselineSchema, plain_text(*schema),
                      other_version ? ": it is of another version of Assay" : ""));
    }
    baseline_.suite = ASSAY_TRY(detail::read_record<BaselineHead>(root, path_)).suite;
    const toml::node* entries = root.get("entries");
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

  Status read_entry_line(const toml::table& table) {
    auto entry = ASSAY_TRY(detail::read_record<EntryLine>(table, path_)).entry;
    const auto [at, is_new] = entry_at_.emplace(entry.id, baseline_.entries.size());
    if (!is_new) return error(table, fmt::format("entry '{}' appears twice", plain_text(entry.id)));
    baseline_.entries.push_back(std::move(entry));
    return {};
  }

  Status read_figure(const toml::table& table) {
    auto [id, figure] = ASSAY_TRY(detail::read_record<FigureLine>(table, path_));
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

  // By id and name, since somebody may have merged the file.
  Status finish(const toml::node& entries) {
    auto& all = baseline_.entries;
    if (all.empty() && !entries.as_array()->empty())
      return error(entries, "entries must have at least one entry");
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
      "# `assay suite update` wrote this file; `assay suite run` compares with it. Bounds are rounded outward.\n"
      "# A violated entry stays a failure.\n";
  text += fmt::format("schema = \"{}\"\nsuite = {}\nentries = [\n", kBaselineSchema,
                      toml_text(baseline.suite));
  for (const auto& entry : baseline.entries) {
    text += line_text(EntryLine{entry});
    for (const auto& figure : entry.figures) text += line_text(FigureLine{entry.id, figure});
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

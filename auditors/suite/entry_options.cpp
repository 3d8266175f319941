#include "assay/auditors/suite/entry_options.hpp"

#include <array>

#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/bench/bench_job.hpp"
#include "assay/auditors/regret/regret_job.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/suite/internal/entry_parts.hpp"
#include "assay/auditors/suite/paper_entries.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

Json described(Json schema, std::string_view help) {
  schema["description"] = help;
  return schema;
}

Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }

Json closed_object(Json properties, const Texts& required) {
  return {{"type", "object"},
          {"required", required},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

Json schema_of(const EntryOption& option) {
  const Json scalar = {{"type", Texts{"string", "number", "boolean"}}};
  if (option.is_table()) return {{"type", "object"}, {"additionalProperties", scalar}};
  if (option.text.is_flag) return {{"type", "boolean"}};
  if (option.text.words > 1) {
    Json list = list_of({{"type", "string"}});
    list["minItems"] = option.text.words;
    list["maxItems"] = option.text.words;
    return list;
  }
  if (option.text.is_repeatable) {
    return {{"anyOf", std::vector<Json>{scalar, list_of(scalar)}}};
  }
  return scalar;
}

Json schema_of(const EntryKey& key) {
  if (key.type == "texts") return list_of({{"type", "string"}});
  return {{"type", key.type == "number" ? "number" : "string"}};
}

template <class Enum>
Json choice_schema() {
  Texts names;
  for (const auto& [value, name] : enum_names(Enum{})) names.emplace_back(name);
  return {{"enum", names}};
}

Json entry_schema(EntryKind kind) {
  Json properties = Json::object();
  for (const auto& key : entry_keys()) {
    if (!key.is_of(kind)) continue;
    Json schema = key.name == "severity" ? choice_schema<Severity>()
                  : key.name == "tier"   ? choice_schema<Tier>()
                                         : schema_of(key);
    properties[key.name] = described(std::move(schema), key.help);
  }
  for (const auto& option : entry_options(kind)) {
    properties[option.key] = described(schema_of(option), described(option.text));
  }
  return list_of(closed_object(std::move(properties), {"id"}));
}

}  // namespace

bool EntryKey::is_of(EntryKind kind) const { return kinds.empty() || contains(kinds, kind); }

const std::vector<EntryKey>& entry_keys() {
  static const std::vector<EntryKey> keys = {
      {"id", "text",
       "Name of the entry, unique in the suite: letters, digits, '-', '_', '.' and '/'"},
      {"severity", "text",
       "A failure fails the run (deny, the default), is reported (warn) or only listed (allow)"},
      {"tier", "text", "smoke: runs in every tier; full (default): runs in the full tier only"},
      {"tags", "texts", "Tags by which --tag selects the entry"},
      {"value", "number",
       "Share of the run's error probability and of its time budget relative to the other "
       "entries, 0.001 to 1000 (default: 1)"},
      {"depends",
       "texts",
       "For exec and plugin: all files beside the program that decide its behaviour, by name or "
       "pattern; [] for none. Runs of an unchanged target add up only with depends, and only with "
       "it does a change end a violation",
       {EntryKind::kAudit, EntryKind::kRegret}},
      {"below",
       "text",
       "Level that the chain must stay within: \"eps=3,delta=1e-6\"",
       {EntryKind::kAccount}},
  };
  return keys;
}

std::vector<EntryOption> entry_options(EntryKind kind) {
  switch (kind) {
    case EntryKind::kAudit:
      return detail::options_for<AuditJob>();
    case EntryKind::kVerify:
    case EntryKind::kDetect:
      return paper_entry_options(kind);
    case EntryKind::kAccount:
      return detail::options_for<AccountJob>();
    case EntryKind::kBench:
      return detail::options_for<BenchJob>();
    case EntryKind::kRegret:
      return detail::options_for<RegretJob>();
  }
  return {};
}

std::string suite_schema() {
  Json properties = {
      {"schema", {{"const", "assay.suite/1"}}},
      {"name", described({{"type", "string"}}, "Name of the suite (default: that of its file)")},
      {"confidence",
       described(
           {{"type", "number"}, {"minimum", 0.5}, {"exclusiveMaximum", 1.0}},
           "Probability that everything certified holds, in all runs of the history (default: "
           "0.999)")},
      {"seed", described({{"type", "integer"}, {"minimum", 0}},
                         "Seed of every run; without it each run draws and prints its own")},
      {"baseline",
       described({{"type", "string"}}, "Baseline from `assay suite update` to compare with")},
      {"history", described({{"type", "string"}},
                            "SQLite file of all runs, or none (default: .assay/history.sqlite)")},
      {"include", described(list_of({{"type", "string"}}),
                            "Further files, relative to this one; their entries come first")}};
  for (const auto& [kind, name] : enum_names(EntryKind{})) properties[name] = entry_schema(kind);
  properties["suppress"] = list_of(record_schema<Suppression>());
  properties["clear"] = list_of(record_schema<Clear>());
  Json schema = closed_object(std::move(properties), {"schema"});
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "A suite of Assay";
  return json_text(schema) + "\n";
}

}  // namespace assay

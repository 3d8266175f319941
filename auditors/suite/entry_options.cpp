#include "assay/auditors/suite/entry_options.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "assay/auditors/jobs/account.hpp"
#include "assay/auditors/jobs/audit.hpp"
#include "assay/auditors/jobs/detection.hpp"
#include "assay/auditors/jobs/verification.hpp"

namespace assay {
namespace {

// One alpha is split over all entries, one report is made of them.
constexpr std::array<std::string_view, 5> kOfTheRun = {"threads", "format", "write", "confidence",
                                                       "certificates"};

template <class Job>
std::vector<EntryOption> options_for() {
  std::vector<EntryOption> out;
  for (auto& one : options_of<Job>()) {
    if (std::find(kOfTheRun.begin(), kOfTheRun.end(), one.text.name) != kOfTheRun.end()) continue;
    EntryOption option;
    option.text = one.text;
    option.key = option.is_table() ? "parameters" : one.text.name;
    option.check = [read = one.read](const WrittenOption& written) {
      Job scratch;
      return read(scratch, written);
    };
    out.push_back(std::move(option));
  }
  return out;
}

using Json = nlohmann::ordered_json;

Json schema_of(const EntryOption& option) {
  const Json scalar = {{"type", Json::array({"string", "number", "boolean"})}};
  Json out;
  if (option.is_table()) {
    out = {{"type", "object"}, {"additionalProperties", scalar}};
  } else if (option.text.is_flag) {
    out = {{"type", "boolean"}};
  } else if (option.text.words > 1) {
    out = {{"type", "array"},
           {"items", {{"type", "string"}}},
           {"minItems", option.text.words},
           {"maxItems", option.text.words}};
  } else if (option.text.is_repeatable) {
    out = {{"anyOf", Json::array({scalar, {{"type", "array"}, {"items", scalar}}})}};
  } else {
    out = scalar;
  }
  out["description"] = option.text.help;
  return out;
}

Json schema_of(const EntryKey& key) {
  Json out;
  if (key.type == "texts") {
    out = {{"type", "array"}, {"items", {{"type", "string"}}}};
  } else {
    out = {{"type", key.type == "number" ? "number" : "string"}};
  }
  out["description"] = key.help;
  return out;
}

Json entry_schema(EntryKind kind) {
  Json properties = Json::object();
  for (const auto& key : entry_keys()) {
    const bool is_here =
        key.kinds.empty() || std::find(key.kinds.begin(), key.kinds.end(), kind) != key.kinds.end();
    if (is_here) properties[std::string(key.name)] = schema_of(key);
  }
  for (const auto& option : entry_options(kind)) properties[option.key] = schema_of(option);
  properties["severity"]["enum"] = {"deny", "warn", "allow"};
  properties["tier"]["enum"] = {"smoke", "full"};
  return {{"type", "array"},
          {"items",
           {{"type", "object"},
            {"required", Json::array({"id"})},
            {"additionalProperties", false},
            {"properties", std::move(properties)}}}};
}

}  // namespace

const std::vector<EntryKey>& entry_keys() {
  static const std::vector<EntryKey> keys = {
      {"id", "text", "Name of the entry, one of the suite: letters, digits, '-', '_', '.' and '/'"},
      {"severity", "text", "deny fails the run (default), warn is reported, allow is listed"},
      {"tier", "text", "smoke: runs in every tier; full (default): in the full run only"},
      {"tags", "texts", "What --tag selects"},
      {"value", "number",
       "Share of the run's error probability and of its time budget, 0.001 to 1000 beside the "
       "others' (default: 1)"},
      {"power",
       "number",
       "Inconclusive unless a violation this large would have been seen, in the claim's own unit: "
       "delta at its eps, or mu",
       {EntryKind::kAudit}},
      {"below",
       "text",
       "What the chain has to stay within: \"eps=3,delta=1e-6\"",
       {EntryKind::kAccount}},
  };
  return keys;
}

std::vector<EntryOption> entry_options(EntryKind kind) {
  switch (kind) {
    case EntryKind::kAudit:
      return options_for<AuditJob>();
    case EntryKind::kVerify:
      return options_for<VerificationJob>();
    case EntryKind::kDetect:
      return options_for<DetectionJob>();
    case EntryKind::kAccount:
      return options_for<AccountJob>();
    case EntryKind::kBench:
      break;
  }
  return {};
}

std::string suite_schema() {
  Json properties = {
      {"schema", {{"const", "assay.suite/1"}}},
      {"name",
       {{"type", "string"}, {"description", "Of the suite; its file's name where none is given"}}},
      {"confidence",
       {{"type", "number"},
        {"minimum", 0.5},
        {"exclusiveMaximum", 1.0},
        {"description",
         "That everything certified holds, in all runs of the history (default: 0.999)"}}},
      {"seed",
       {{"type", "integer"},
        {"minimum", 0},
        {"description", "Of every run; without one each run draws and prints its own"}}},
      {"include",
       {{"type", "array"},
        {"items", {{"type", "string"}}},
        {"description", "Further files, beside this one; their entries come first"}}},
  };
  for (const auto& [kind, name] : enum_names(EntryKind{})) {
    properties[std::string(name)] = entry_schema(kind);
  }
  Json suppression = Json::object();
  for (const auto& [key, help] :
       {std::pair{"id", "Name of the suppression"},
        std::pair{"scope", "Entries by name or pattern"},
        std::pair{"status", "Which failures: violated, inconclusive or could-not-run"},
        std::pair{"reason", "Why, for the reader of a review"},
        std::pair{"owner", "Who answers for it"},
        std::pair{"expires", "The last day it counts: \"2027-01-31\""}}) {
    suppression[key] = {{"type", "string"}, {"description", help}};
  }
  properties["suppress"] = {{"type", "array"},
                            {"items",
                             {{"type", "object"},
                              {"required", {"id", "scope", "status", "reason", "owner", "expires"}},
                              {"additionalProperties", false},
                              {"properties", suppression}}}};
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "A suite of Assay"},
                       {"type", "object"},
                       {"required", Json::array({"schema"})},
                       {"additionalProperties", false},
                       {"properties", properties}};
  return schema.dump(2) + "\n";
}

}  // namespace assay

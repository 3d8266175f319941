#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "assay/auditors/claims/certificates/internal/counterexample_kind.hpp"
#include "assay/auditors/text/internal/record_reader.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Tree = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Arms and entries of a history, which counted from 1 in version 1.
void count_from_zero(Tree& file) {
  const auto one_less = [](Tree& index) {
    if (index.is_number_integer()) index = std::max<std::int64_t>(index.get<std::int64_t>(), 0) - 1;
  };
  Tree& inputs = file["counterexample"];
  for (const char* name : {"arm", "action", "changed"}) {
    if (inputs.contains(name)) one_less(inputs[name]);
  }
  if (inputs.contains("history") && inputs["history"].is_array()) {
    for (auto& entry : inputs["history"]) {
      if (entry.is_object() && entry.contains("arm")) one_less(entry["arm"]);
    }
  }
  const Tree::json_pointer event("/numbers/event");
  if (file.contains(event) && file[event].is_array()) {
    for (auto& arm : file[event]) one_less(arm);
  }
}

// Version 1 has another key for the schema, and other names for two values.
Status upgrade(Tree& file) {
  if (!file.is_object() || !file.contains("assay_certificate")) return {};
  if (file["assay_certificate"] != 1) {
    return detail::mistyped(
        fmt::format("1, or \"schema\": \"{}\" in its place", kCertificateSchema),
        file["assay_certificate"], "/assay_certificate");
  }
  file.erase("assay_certificate");
  file["schema"] = kCertificateSchema;
  if (!file.contains("counterexample") || !file["counterexample"].is_object()) return {};
  Tree& inputs = file["counterexample"];
  for (const auto& [old_name, name] :
       {std::pair("new_reward", "neighbour_reward"), std::pair("new_value", "neighbour_value")}) {
    const auto found = inputs.find(old_name);
    if (found == inputs.end()) continue;
    inputs[name] = std::move(*found);
    inputs.erase(old_name);
  }
  count_from_zero(file);
  return {};
}

Result<const CounterexampleKind*> kind_in(const Tree& file, const CounterexampleKinds& kinds) {
  const auto missing = [](const std::string& path) {
    return fail(ErrorCode::kParse, "is missing", path);
  };
  if (!file.is_object()) return detail::mistyped("an object", file, "");
  if (!file.contains("counterexample")) return missing(kCounterexampleRoot);
  const Tree& inputs = file["counterexample"];
  if (!inputs.is_object()) return detail::mistyped("an object", inputs, kCounterexampleRoot);
  if (!inputs.contains("kind")) return missing(kCounterexampleRoot + "/kind");
  std::vector<std::string> names;
  for (const auto* kind : kinds) {
    if (inputs["kind"] == kind->name()) return kind;
    names.emplace_back(kind->name());
  }
  return fail(ErrorCode::kInvalidArgument, "must be " + either(names),
              kCounterexampleRoot + "/kind");
}

// Errors: a claim that none of these kinds refutes, or one that another kind does.
Status check_claim(const Tree& claim, const CounterexampleKind& carried,
                   const CounterexampleKinds& kinds) {
  if (!claim.is_string()) return detail::mistyped("a text", claim, "/claim");
  std::vector<std::string> known;
  std::string_view wanted;  // the kind that the claim needs
  for (const auto* kind : kinds) {
    for (const auto& refuted : kind->refutes()) {
      known.emplace_back(refuted);
      if (claim == refuted) wanted = kind->name();
    }
  }
  const std::string name = claim.get<std::string>();
  if (wanted.empty()) {
    return fail(ErrorCode::kUnknownKey,
                fmt::format("must be a claim that a certificate can refute, {}, not '{}'{}",
                            fmt::join(known, " or "), plain_text(name), nearest_hint(name, known)),
                "/claim");
  }
  if (wanted == carried.name()) return {};
  return out_of_range(kCounterexampleRoot + "/kind",
                      fmt::format("must be {} to refute {}, not {}", wanted, name, carried.name()));
}

tl::unexpected<Error> too_large() {
  return fail(ErrorCode::kLimit, "is larger than 1 MiB, more than any certificate needs");
}

}  // namespace

void detail::certificate_head(Fields visit) {
  report_head(
      visit, kCertificateSchema,
      "A refutation of a claim, small enough to check by hand: inputs, their neighbour, an event, "
      "and the numbers that the finder computed. Arms and entries of the history count from 0. "
      "`assay check-certificate` also requires: indices within the sizes stated, the changed entry "
      "of a history with times = 1, lists of equal length, the changed value within its "
      "sensitivity, and carried numbers that agree with those computed from the inputs. At most 1 "
      "MiB.");
}

Json certificate_json(const Certificate& certificate) {
  const auto* kind = certificate.counterexample.kind();
  return kind == nullptr ? Json() : kind->write(certificate);
}

std::string to_json(const Certificate& certificate) {
  return json_text(certificate_json(certificate)) + "\n";
}

std::string certificate_schema(const CounterexampleKinds& kinds) {
  std::vector<const detail::FieldType*> files;
  for (const auto* kind : kinds) files.push_back(&kind->file());
  detail::FieldType any{detail::FieldType::Kind::kVariant};
  any.variants = files;
  return json_text(detail::schema_of(any)) + "\n";
}

Result<Certificate> read_certificate(std::string_view json, const CounterexampleKinds& kinds) {
  if (json.size() > kMostBytes) return too_large();
  Tree file = ASSAY_TRY(detail::parse_json(json));
  ASSAY_TRY(upgrade(file));
  const auto* kind = ASSAY_TRY(kind_in(file, kinds));
  if (file.contains("claim")) ASSAY_TRY(check_claim(file["claim"], *kind, kinds));
  auto certificate = ASSAY_TRY(kind->read({file}));
  ASSAY_TRY(kind->check(certificate.counterexample.found()));
  return certificate;
}

Result<Certificate> read_certificate_file(const std::string& path,
                                          const CounterexampleKinds& kinds) {
  const auto json = read_whole_file(path, kMostBytes);
  if (json) return read_certificate(*json, kinds);
  if (json.error().code == ErrorCode::kLimit) return too_large();
  return fail(json.error().code, json.error().message);
}

}  // namespace assay

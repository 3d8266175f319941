#include "assay/auditors/text/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/mechanisms/core/check.hpp"

namespace assay::detail {
namespace {

using Kind = FieldType::Kind;

double number_at(const void* value) { return *static_cast<const double*>(value); }
const std::string& text_at(const void* value) { return *static_cast<const std::string*>(value); }

// `or_null` keeps a number 0; `if_any` keeps a value that is not the default.
bool is_empty(const FieldType& type, const void* value, Presence presence) {
  switch (type.kind) {
    case Kind::kBoolean:
      return !*static_cast<const bool*>(value);
    case Kind::kWhole:
      return type.whole(value) == 0;
    case Kind::kNumber:
      return presence == Presence::kNullIfEmpty ? std::isnan(number_at(value))
                                                : number_at(value) == 0.0;
    case Kind::kText:
      return text_at(value).empty();
    case Kind::kChoice:
      return type.choices->find(value) == 0;
    case Kind::kList:
    case Kind::kOptional:
      return type.size(value) == 0;
    default:
      return false;
  }
}

class JsonVisitor final : public FieldVisitor {
 public:
  Json finished() { return std::move(open_.front().second); }

  bool computes() const override { return true; }
  void field(const FieldTerms& terms, const FieldType& type, const void* value) override {
    const bool is_left_out =
        terms.presence != Presence::kAlways && is_empty(type, value, terms.presence);
    if (is_left_out && terms.presence == Presence::kAbsentIfDefault) return;
    open_.back().second[terms.name] = is_left_out ? Json() : json_of(type, value, terms.limits);
  }
  void constant(std::string_view name, std::string_view text, std::string_view) override {
    open_.back().second[name] = text;
  }
  void begin(const FieldTerms& terms) override { open_.emplace_back(terms.name, Json::object()); }
  void end() override {
    auto [name, object] = std::move(open_.back());
    open_.pop_back();
    open_.back().second[name] = std::move(object);
  }

 private:
  std::vector<std::pair<std::string, Json>> open_{{"", Json::object()}};
};

// ---- schema -------------------------------------------------------------------------------------

using Texts = std::vector<std::string>;

Json type_schema(const char* name) { return {{"type", name}}; }
Json any_of(const Json& one, const Json& other) {
  return {{"anyOf", std::vector<Json>{one, other}}};
}

Json or_null(Json schema) {
  const Json* type = schema.find("type");
  if (type == nullptr) return any_of(schema, type_schema("null"));
  schema["type"] = std::vector<Json>{*type, "null"};
  return schema;
}

class SchemaWriter {
 public:
  Json document(const FieldType& type);
  Json record(const FieldType& type, bool is_outermost);

 private:
  class Visitor;

  Json of(const FieldType& type, const Limits& limits);
  Json number(const Limits& limits);

  std::map<std::string, const FieldType*, std::less<>> known_;
  Json definitions_;
  bool has_definitions_ = false;
};

class SchemaWriter::Visitor final : public FieldVisitor {
 public:
  explicit Visitor(SchemaWriter& writer) : writer_(writer) {}

  std::string name, description;

  Json finished() {
    Json out = object(open_.front());
    if (!description.empty()) out["description"] = description;
    return out;
  }

  void field(const FieldTerms& terms, const FieldType& type, const void*) override {
    const bool is_there =
        type.kind == Kind::kOptional && terms.presence == Presence::kAbsentIfDefault;
    Json schema = writer_.of(is_there ? *type.item : type, terms.limits);
    if (terms.presence == Presence::kNullIfEmpty && type.kind != Kind::kOptional) {
      schema = or_null(std::move(schema));
    }
    add(terms, std::move(schema));
  }
  void constant(std::string_view field, std::string_view text, std::string_view what) override {
    add({field, what}, {{"const", text}});
  }
  void begin(const FieldTerms& terms) override { open_.push_back({terms, {}, {}}); }
  void end() override {
    const Level level = std::move(open_.back());
    open_.pop_back();
    add(level.terms, object(level));
  }
  void about(std::string_view as, std::string_view what) override {
    name = as;
    description = what;
  }

 private:
  struct Level {
    FieldTerms terms;
    Json properties;
    Texts required;
  };

  static Json object(const Level& level) {
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", level.required},
            {"properties", level.properties}};
  }
  void add(const FieldTerms& terms, Json schema) {
    if (!terms.description.empty()) schema["description"] = terms.description;
    Level& level = open_.back();
    level.properties[terms.name] = std::move(schema);
    if (terms.presence != Presence::kAbsentIfDefault) level.required.emplace_back(terms.name);
  }

  SchemaWriter& writer_;
  std::vector<Level> open_{{{}, Json::object(), {}}};
};

Json SchemaWriter::number(const Limits& limits) {
  Json out = type_schema("number");
  if (std::isfinite(limits.low) && limits.low != kFinite.low) out["minimum"] = limits.low;
  if (std::isfinite(limits.high) && limits.high != kFinite.high) out["maximum"] = limits.high;
  if (std::isfinite(limits.high)) return out;
  if (std::isfinite(limits.low)) return any_of(out, {{"const", "inf"}});
  if (known_.emplace("number", nullptr).second) {
    definitions_["number"] = any_of(out, {{"enum", Texts{"inf", "-inf"}}});
    definitions_["number"]["description"] = "A number, or an infinity as a text.";
    has_definitions_ = true;
  }
  return {{"$ref", "#/$defs/number"}};
}

Json SchemaWriter::record(const FieldType& type, bool is_outermost) {
  Visitor visitor(*this);
  type.visit(type.made(), Fields(visitor));
  if (visitor.name.empty() || is_outermost) return visitor.finished();
  const auto [known, is_new] = known_.emplace(visitor.name, &type);
  ASSAY_CHECK(known->second == &type, "two records of one schema have one name");
  if (is_new) definitions_[visitor.name] = visitor.finished();
  has_definitions_ = true;
  return {{"$ref", "#/$defs/" + visitor.name}};
}

Json SchemaWriter::of(const FieldType& type, const Limits& limits) {
  switch (type.kind) {
    case Kind::kBoolean:
      return type_schema("boolean");
    case Kind::kWhole: {
      Json out = number(limits.high > kFinite.high ? within(limits.low, kFinite.high) : limits);
      out["type"] = "integer";
      return out;
    }
    case Kind::kNumber:
      return number(limits);
    case Kind::kText: {
      if (!limits.names.empty()) return {{"enum", Texts(limits.names.begin(), limits.names.end())}};
      Json out = type_schema("string");
      if (limits.least > 0) out["minLength"] = limits.least;
      return out;
    }
    case Kind::kSeed:
      return {{"type", "string"}, {"pattern", "^[0-9]{1,20}$"}};
    case Kind::kChoice:
      return {{"enum", Texts(type.choices->names.begin(), type.choices->names.end())}};
    case Kind::kSettings:
      return {{"type", "object"},
              {"additionalProperties", {{"type", Texts{"number", "boolean", "string"}}}}};
    case Kind::kJson:
      return Json::object();
    case Kind::kList: {
      Json out{{"type", "array"}, {"items", of(*type.item, limits)}};
      if (limits.least > 0) out["minItems"] = limits.least;
      if (limits.most != Limits().most) out["maxItems"] = limits.most;
      return out;
    }
    case Kind::kOptional:
      return or_null(of(*type.item, limits));
    case Kind::kVariant: {
      Json list = Json::array();
      for (const auto* variant : type.variants) list.push_back(of(*variant, kAny));
      return {{"anyOf", list}};
    }
    case Kind::kRecord:
      return record(type, false);
  }
  return {};
}

// "Assay audit report, version 2" of "assay.audit-report/2".
std::string title_of(std::string name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return name;
  std::replace(name.begin(), name.end(), '-', ' ');
  return "Assay " + name.substr(6, slash - 6) + ", version " + name.substr(slash + 1);
}

Json SchemaWriter::document(const FieldType& type) {
  Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  const FieldType& first = type.kind == Kind::kVariant ? *type.variants[0] : type;
  Visitor head(*this);
  first.visit(first.made(), Fields(head));
  out["title"] = title_of(head.name);
  out["description"] = head.description;
  if (type.kind == Kind::kVariant) {
    Json list = Json::array();
    for (const auto* variant : type.variants) list.push_back(record(*variant, true));
    out["oneOf"] = list;
  } else {
    out.merge(record(type, true));
  }
  if (has_definitions_) out["$defs"] = definitions_;
  return out;
}

}  // namespace

Json json_of(const FieldType& type, const void* value, const Limits& limits) {
  switch (type.kind) {
    case Kind::kBoolean:
      return *static_cast<const bool*>(value);
    case Kind::kWhole:
      return type.whole(value);
    case Kind::kNumber:
      return number_at(value);
    case Kind::kText:
      return text_at(value);
    case Kind::kSeed:
      return std::to_string(*static_cast<const std::uint64_t*>(value));
    case Kind::kChoice:
      return choice_text(*type.choices, value);
    case Kind::kSettings:
      return json_parameters(*static_cast<const std::vector<KeyValue>*>(value));
    case Kind::kJson:
      return *static_cast<const Json*>(value);
    case Kind::kList: {
      Json out = Json::array();
      for (std::size_t i = 0; i < type.size(value); ++i) {
        out.push_back(json_of(*type.item, type.at(value, i), limits));
      }
      return out;
    }
    case Kind::kOptional:
      return type.size(value) == 0 ? Json() : json_of(*type.item, type.at(value, 0), limits);
    case Kind::kVariant:
      return json_of(*type.variants[type.size(value)], type.at(value, 0), limits);
    case Kind::kRecord: {
      JsonVisitor visitor;
      type.visit(value, Fields(visitor));
      return visitor.finished();
    }
  }
  return {};
}

Json schema_of(const FieldType& type) { return SchemaWriter().document(type); }
Json part_schema(const FieldType& type) { return SchemaWriter().record(type, true); }

}  // namespace assay::detail

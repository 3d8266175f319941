// Records are structs that list their fields once. The list gives the writers and readers of JSON and TOML, and the
// JSON schema.
//
//   struct LedgerEntry { std::string purpose; double alpha = 0.0; };
//   void fields(const LedgerEntry& entry, Fields visit) {
//     visit("purpose", entry.purpose, "The statement that uses it.");
//     visit("alpha", entry.alpha, within(0.0, 1.0), "An error probability.");
//     visit("text", [&] { return text_of(entry); }, "Computed: written, and not read.");
//   }
//   json_of(entry);  schema_of<LedgerEntry>();  read_record(tree, entry);  // internal/record_reader.hpp
//
// A field is a bool, a whole number, a double, a text, an enum with enum_names, settings (KeyValue), JSON, a
// record, or a vector, optional or variant of these. `visit.or_null` writes an empty field (no text, no items,
// NaN, a whole 0) as null; `visit.if_any` leaves out a field with its default value.
// A list of fields is compiled once and called for each purpose. A schema visits an object with default values and
// calls none of the functions that compute. Only reading writes to the object, which must then be writable.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/text/field_type.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The object that a record refers to in a schema, which has no values.
template <class T>
const T& none() {
  static const T value{};
  return value;
}

// The argument of a list of fields.
class Fields {
 public:
  explicit Fields(detail::FieldVisitor& visitor) : visitor_(&visitor) {}

  // Describes the whole record. A record with a name appears once in a schema, which then refers to it.
  void about(std::string_view name, std::string_view description) const {
    visitor_->about(name, description);
  }

  template <class T>
  void operator()(std::string_view name, const T& value, std::string_view description = {}) const {
    add({name, description}, value);
  }
  template <class T>
  void operator()(std::string_view name, const T& value, const Limits& limits,
                  std::string_view description = {}) const {
    add({name, description, limits}, value);
  }
  template <class T>
  void or_null(std::string_view name, const T& value, std::string_view description = {}) const {
    add({name, description, kAny, detail::Presence::kNullIfEmpty}, value);
  }
  template <class T>
  void if_any(std::string_view name, const T& value, std::string_view description = {},
              const Limits& limits = kAny) const {
    add({name, description, limits, detail::Presence::kAbsentIfDefault}, value);
  }
  void constant(std::string_view name, std::string_view text,
                std::string_view description = {}) const {
    visitor_->constant(name, text, description);
  }
  void seed(const std::uint64_t& value) const {
    visitor_->field({"seed", "A 64-bit number in decimal; a text, since many JSON readers round."},
                    detail::kSeedType, &value);
  }
  // Fields of an object without a struct of its own.
  void group(std::string_view name, std::string_view description, const auto& list) const {
    visitor_->begin({name, description});
    list();
    visitor_->end();
  }

 private:
  template <class T>
  void add(const detail::FieldTerms& terms, const T& value) const {
    if constexpr (std::invocable<const T&>) {
      using Value = std::decay_t<std::invoke_result_t<const T&>>;
      if (visitor_->computes()) return add(terms, Value(value()));
      using Written =
          std::conditional_t<std::convertible_to<Value, std::string_view>, std::string, Value>;
      visitor_->field(terms, detail::kTypeOf<Written>, nullptr);
    } else if constexpr (std::convertible_to<T, std::string_view> &&
                         !std::same_as<T, std::string>) {
      add(terms, [&] { return std::string(std::string_view(value)); });
    } else {
      visitor_->field(terms, detail::kTypeOf<T>, &value);
    }
  }

  detail::FieldVisitor* visitor_;
};

namespace detail {

Json json_of(const FieldType& type, const void* value, const Limits& limits = kAny);
Json schema_of(const FieldType& type);
Json part_schema(const FieldType& type);

}  // namespace detail

template <class T>
Json json_of(const T& record) {
  return detail::json_of(detail::kTypeOf<T>, &record);
}

// The JSON of a record, with a final newline.
template <class T>
std::string json_text_of(const T& record) {
  return json_text(json_of(record)) + "\n";
}

// JSON Schema, draft 2020-12, of a record or a variant of some, as a document of its own; with a final newline.
template <class T>
std::string schema_of() {
  return json_text(detail::schema_of(detail::kTypeOf<T>)) + "\n";
}

// The schema of a record without nested ones, as a part of another document.
template <class T>
Json record_schema() {
  return detail::part_schema(detail::kTypeOf<T>);
}

}  // namespace assay

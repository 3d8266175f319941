// The types of the fields of a record (record.hpp), and the limits of their values.
//
// A type is a value without templates, so that writing, reading and schemas are compiled once for all records.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

// The values that a field may hold. By default that is any finite number.
struct Limits {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  std::size_t least = 0;  // entries of a list; 1 for a text that must not be empty
  std::size_t most = std::numeric_limits<std::size_t>::max();
  static constexpr std::string_view kTooFew = "must be a whole number {} to {}, not {}";
  std::string_view too_few = kTooFew;            // least, most, entries
  std::span<const std::string_view> names = {};  // a text is one of these; empty allows any

  constexpr Limits entries(std::size_t at_least, std::size_t at_most,
                           std::string_view message = kTooFew) const {
    Limits out = *this;
    out.least = at_least;
    out.most = at_most;
    out.too_few = message;
    return out;
  }
};
constexpr Limits within(double low, double high) {
  Limits out;
  out.low = low;
  out.high = high;
  return out;
}
// An index below `size`; arms and entries count from 0.
constexpr Limits index_below(double size) { return within(0.0, size - 1.0); }
constexpr Limits one_of(std::span<const std::string_view> names) {
  Limits out;
  out.names = names;
  return out;
}
constexpr Limits from(double low) { return within(low, std::numeric_limits<double>::infinity()); }
inline constexpr Limits kFinite{};
inline constexpr Limits kProbability = within(0.0, 1.0);
inline constexpr Limits kCount = from(0.0);
inline constexpr Limits kNotEmpty = Limits().entries(1, Limits().most);
// Any number, with the infinities "inf" and "-inf".
inline constexpr Limits kAny = from(-std::numeric_limits<double>::infinity());

class Fields;

namespace detail {

// The type of a field. It has no templates, so the code that works with fields is compiled once.
struct FieldType {
  enum class Kind {
    kBoolean,
    kWhole,
    kNumber,
    kText,
    kSeed,  // std::uint64_t as a text of digits
    kChoice,
    kSettings,
    kJson,
    kList,
    kOptional,
    kVariant,
    kRecord
  };
  Kind kind;
  const FieldType* item = nullptr;  // of a list or optional
  std::span<const FieldType* const> variants = {};
  const Choices* choices = nullptr;
  std::size_t (*size)(const void*) = nullptr;  // number of items; for a variant its index
  const void* (*at)(const void*, std::size_t) = nullptr;
  void* (*add)(void*) = nullptr;  // a new last item
  std::int64_t (*whole)(const void*) = nullptr;
  bool (*set_whole)(void*, std::int64_t) = nullptr;
  void (*visit)(const void*, const Fields&) = nullptr;
  const void* (*made)() = nullptr;  // a record with its default values
};

enum class Presence { kAlways, kNullIfEmpty, kAbsentIfDefault };

struct FieldTerms {
  std::string_view name, description;
  Limits limits = kAny;
  Presence presence = Presence::kAlways;
};

// A visitor for one purpose: writing, reading, or a schema.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual bool computes() const { return false; }
  // `value` is null if it is computed and this visitor does not compute.
  virtual void field(const FieldTerms& terms, const FieldType& type, const void* value) = 0;
  virtual void constant(std::string_view name, std::string_view text,
                        std::string_view description) = 0;
  virtual void begin(const FieldTerms& terms) = 0;  // an object with the fields until end()
  virtual void end() = 0;
  virtual void about(std::string_view, std::string_view) {}
};

template <class T>
constexpr FieldType make_type();
template <class T>
inline constexpr FieldType kTypeOf = make_type<T>();
inline constexpr FieldType kSeedType{FieldType::Kind::kSeed};
template <class T>
struct VariantTypes;
template <class... Ts>
struct VariantTypes<std::variant<Ts...>> {
  static constexpr std::array<const FieldType*, sizeof...(Ts)> kTypes{&kTypeOf<Ts>...};
};

template <class T>
constexpr FieldType make_type() {
  using Kind = FieldType::Kind;
  FieldType type{Kind::kRecord};
  if constexpr (std::same_as<T, bool>) {
    type.kind = Kind::kBoolean;
  } else if constexpr (std::integral<T>) {
    type.kind = Kind::kWhole;
    type.whole = [](const void* value) {
      return static_cast<std::int64_t>(*static_cast<const T*>(value));
    };
    type.set_whole = [](void* value, std::int64_t number) {
      if (!std::in_range<T>(number)) return false;
      *static_cast<T*>(value) = static_cast<T>(number);
      return true;
    };
  } else if constexpr (std::same_as<T, double>) {
    type.kind = Kind::kNumber;
  } else if constexpr (std::same_as<T, std::string>) {
    type.kind = Kind::kText;
  } else if constexpr (std::is_enum_v<T>) {
    type.kind = Kind::kChoice;
    type.choices = &ChoicesOf<T>::kChoices;
  } else if constexpr (std::same_as<T, std::vector<KeyValue>>) {
    type.kind = Kind::kSettings;
  } else if constexpr (std::same_as<T, Json>) {
    type.kind = Kind::kJson;
  } else if constexpr (requires(T list) { list.emplace_back(); }) {
    type.kind = Kind::kList;
    type.item = &kTypeOf<typename T::value_type>;
    type.size = [](const void* list) { return static_cast<const T*>(list)->size(); };
    type.at = [](const void* list, std::size_t i) -> const void* {
      return &(*static_cast<const T*>(list))[i];
    };
    type.add = [](void* list) -> void* { return &static_cast<T*>(list)->emplace_back(); };
  } else if constexpr (requires(T optional) { optional.has_value(); }) {
    type.kind = Kind::kOptional;
    type.item = &kTypeOf<typename T::value_type>;
    type.size = [](const void* value) -> std::size_t {
      return *static_cast<const T*>(value) ? 1 : 0;
    };
    type.at = [](const void* value, std::size_t) -> const void* {
      return &**static_cast<const T*>(value);
    };
    type.add = [](void* value) -> void* { return &static_cast<T*>(value)->emplace(); };
  } else if constexpr (requires(T variant) { variant.valueless_by_exception(); }) {
    type.kind = Kind::kVariant;
    type.variants = VariantTypes<T>::kTypes;
    type.size = [](const void* value) { return static_cast<const T*>(value)->index(); };
    type.at = [](const void* value, std::size_t) -> const void* {
      return std::visit([](const auto& one) -> const void* { return &one; },
                        *static_cast<const T*>(value));
    };
  } else {
    type.visit = [](const void* record, const Fields& visit) {
      if constexpr (requires { T::fields(*static_cast<const T*>(record), visit); }) {
        T::fields(*static_cast<const T*>(record), visit);
      } else {
        fields(*static_cast<const T*>(record), visit);
      }
    };
    type.made = []() -> const void* {
      static const T record{};
      return &record;
    };
  }
  return type;
}

}  // namespace detail
}  // namespace assay

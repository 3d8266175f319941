// The kind of a counterexample from its list of fields (certificate_fields.hpp), for the source that registers
// them all (auditors/registry/certificates.cpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <any>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/certificate_fields.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct FieldWriter {
  Json& out;

  template <class T>
  void operator()(std::string_view name, const T& value, const Limits& limits = {}) const {
    out[name] = json_of(value, limits);
  }

  template <class T>
  static Json json_of(const T& value, const Limits& limits) {
    if constexpr (std::is_floating_point_v<T>) {
      return value;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<std::int64_t>(value) + (limits.from_one ? 1 : 0);
    } else if constexpr (std::is_enum_v<T>) {
      return detail::value_text(value);
    } else {
      Json fields;
      T::fields(value, FieldWriter{fields});
      return fields;
    }
  }

  template <class T>
  static Json json_of(const std::vector<T>& items, const Limits& limits) {
    return json_list(items, [&](const T& item) { return json_of(item, limits); });
  }
};

Status whole_in_range(std::int64_t value, double low, double high, const std::string& path);
Status number_in_range(double value, const Limits& limits, const std::string& path);

// Every field within its limits, in the order of the list; keeps the first fault.
class FieldRules {
 public:
  FieldRules(Status& status, std::string path) : status_(status), path_(std::move(path)) {}

  template <class T>
  void operator()(std::string_view name, const T& value, const Limits& limits = {}) const {
    if (status_) status_ = check(value, limits, fmt::format("{}/{}", path_, name));
  }

 private:
  template <class T>
  static Status check(const T& value, const Limits& limits, const std::string& path) {
    Status status;
    if constexpr (std::is_floating_point_v<T>) {
      status = number_in_range(value, limits, path);
    } else if constexpr (std::is_integral_v<T>) {
      // What an index counts is a rule between fields.
      if (limits.from_one) return status;
      status = whole_in_range(static_cast<std::int64_t>(value), limits.low, limits.high, path);
    } else if constexpr (!std::is_enum_v<T>) {
      T::fields(value, FieldRules(status, path));
    }
    return status;
  }

  template <class T>
  static Status check(const std::vector<T>& items, const Limits& limits, const std::string& path) {
    if (items.size() < limits.least) {
      return out_of_range(
          path, fmt::format(fmt::runtime(limits.too_few), limits.least, limits.most, items.size()));
    }
    if (items.size() > limits.most) {
      return out_of_range(
          path, fmt::format("must have at most {} entries, not {}", limits.most, items.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      ASSAY_TRY(check(items[i], limits, fmt::format("{}/{}", path, i)));
    }
    return {};
  }

  Status& status_;
  std::string path_;
};

// Reads fields until the first fault, which it keeps; after it, every read gives a default.
class CertificateReader {
 public:
  using Tree = nlohmann::json;  // finds a key in logarithmic time, however many there are

  Error error;
  bool failed = false;
  const Tree* inputs = nullptr;   // "counterexample"
  const Tree* numbers = nullptr;  // "numbers"

  void stop(ErrorCode code, std::string message, std::string path);
  void mistyped(const std::string& wanted, const Tree& value, const std::string& path);
  // An object with exactly these keys.
  bool object(const Tree& value, const std::string& path, const std::vector<std::string>& known);

  template <class C>
  C counterexample() {
    C out;
    const auto skip = [](const auto&...) {};
    std::vector<std::string> known{"kind"};
    std::vector<std::string> results;
    C::fields(
        out, [&](std::string_view name, const auto&...) { known.emplace_back(name); },
        [&](std::string_view name, const auto&...) { results.emplace_back(name); });
    if (!object(*inputs, kCounterexampleRoot, known)) return out;
    C::fields(out, Fields{*this, *inputs, kCounterexampleRoot}, skip);
    if (object(*numbers, "/numbers", results)) {
      C::fields(out, skip, Fields{*this, *numbers, "/numbers"});
    }
    return out;
  }

 private:
  // Of an object that has them all.
  struct Fields {
    CertificateReader& reader;
    const Tree& object;
    std::string path;

    template <class T>
    void operator()(std::string_view name, T& out, const Limits& limits = {}) const {
      const std::string key(name);
      reader.read(member(object, key), path + "/" + key, limits, out);
    }
  };

  static const Tree& member(const Tree& object, const std::string& key);
  static const Tree& item(const Tree& list, std::size_t index);
  double number(const Tree& value, const std::string& path);
  std::int64_t whole(const Tree& value, std::int64_t low, std::int64_t high,
                     const std::string& path);
  // Entries of a list; 0 where it is none, or has more than `most`.
  std::size_t entries(const Tree& value, std::size_t most, const std::string& path);
  // Its place among the names; 0 where it is none of them.
  std::size_t choice(const Tree& value, const std::vector<std::string>& names,
                     const std::string& path);

  template <class T>
  void read(const Tree& value, const std::string& path, const Limits& limits, T& out) {
    if constexpr (std::is_floating_point_v<T>) {
      out = number(value, path);
    } else if constexpr (std::is_integral_v<T>) {
      const auto read = whole(value, static_cast<std::int64_t>(limits.low),
                              static_cast<std::int64_t>(limits.high), path);
      out = static_cast<T>(read - (limits.from_one ? 1 : 0));
    } else if constexpr (std::is_enum_v<T>) {
      constexpr auto kItems = enum_names(T{});
      std::vector<std::string> names;
      for (const auto& one : kItems) names.emplace_back(one.second);
      out = kItems[choice(value, names, path)].first;
    } else {
      std::vector<std::string> names;
      T::fields(out, [&](std::string_view name, const auto&...) { names.emplace_back(name); });
      if (object(value, path, names)) T::fields(out, Fields{*this, value, path});
    }
  }

  template <class T>
  void read(const Tree& value, const std::string& path, const Limits& limits, std::vector<T>& out) {
    const std::size_t size = entries(value, limits.most, path);
    for (std::size_t i = 0; i < size && !failed; ++i) {
      read(item(value, i), fmt::format("{}/{}", path, i), limits, out.emplace_back());
    }
  }
};

template <class C>
class KindOf final : public CounterexampleKind {
 public:
  std::string_view name() const override { return C::kKind; }
  std::span<const std::string_view> refutes() const override { return C::kRefutes; }

  Status check(const std::any& found) const override {
    Status status;
    C::fields(as(found), FieldRules(status, kCounterexampleRoot), FieldRules(status, "/numbers"));
    if constexpr (requires(const C& c) { c.check(); }) {
      if (status) status = as(found).check();
    }
    return status;
  }
  Result<CertificateCheck> recheck(const std::any& found) const override {
    return recompute(as(found));
  }
  void write(const std::any& found, Json& inputs, Json& numbers) const override {
    C::fields(as(found), FieldWriter{inputs}, FieldWriter{numbers});
  }
  std::any read(CertificateReader& reader) const override { return reader.counterexample<C>(); }
  bool equal(const std::any& a, const std::any& b) const override { return as(a) == as(b); }

 private:
  static const C& as(const std::any& found) { return *std::any_cast<C>(&found); }
};

}  // namespace assay::detail

namespace assay {

template <class C>
const CounterexampleKind& kind_of() {
  static const detail::KindOf<C> kind;
  return kind;
}

template <class... C>
CounterexampleKinds kinds_of() {
  return {&kind_of<C>()...};
}

}  // namespace assay

#include "assay/auditors/claims/certificates/certificate_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Status whole_in_range(std::int64_t value, double low, double high, const std::string& path) {
  if (static_cast<double>(value) >= low && static_cast<double>(value) <= high) return {};
  return out_of_range(
      path, fmt::format("must be a whole number {} to {}, not {}", static_cast<std::int64_t>(low),
                        static_cast<std::int64_t>(high), value));
}

Status number_in_range(double value, const Limits& limits, const std::string& path) {
  if (value >= limits.low && value <= limits.high) return {};  // false for NaN
  if (limits.high == Limits().high) return out_of_range(path, "must be a finite number");
  return out_of_range(path,
                      fmt::format("must be a number from {} to {}, not {}", number_text(limits.low),
                                  number_text(limits.high), number_text(value)));
}

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

template <class C>
Status check_fields(const C& counterexample) {
  Status status;
  C::fields(counterexample, FieldRules(status, "/counterexample"), FieldRules(status, "/numbers"));
  return status ? counterexample.check() : status;
}

}  // namespace

tl::unexpected<Error> out_of_range(std::string path, std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(path));
}

Status counted_in(std::int64_t index, std::size_t size, const std::string& path) {
  return whole_in_range(index + 1, 1.0, static_cast<double>(size), path);
}

std::string_view kind_name(const Counterexample& counterexample) {
  return std::visit([](const auto& c) { return c.kKind; }, counterexample);
}

Status check_rules(const Certificate& certificate) {
  std::vector<std::string> known;
  std::string_view kind;  // that the claim asks for
  each_counterexample([&]<class C>() {
    known.insert(known.end(), C::kRefutes.begin(), C::kRefutes.end());
    if (std::count(C::kRefutes.begin(), C::kRefutes.end(), certificate.claim) > 0) kind = C::kKind;
  });
  if (kind.empty()) {
    return fail(ErrorCode::kUnknownKey,
                fmt::format("must be a claim that a certificate can refute, {}, not '{}'{}",
                            fmt::join(known, " or "), plain_text(certificate.claim),
                            nearest_hint(certificate.claim, known)),
                "/claim");
  }
  if (kind != kind_name(certificate.counterexample)) {
    return out_of_range("/counterexample/kind",
                        fmt::format("must be {} to refute {}, not {}", kind, certificate.claim,
                                    kind_name(certificate.counterexample)));
  }
  return std::visit([](const auto& c) { return check_fields(c); }, certificate.counterexample);
}

}  // namespace assay

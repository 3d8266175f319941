// Makes the kind of a counterexample from its list of fields (certificate_fields.hpp), for the source that registers
// all kinds (auditors/registry/certificates.cpp).
#pragma once

#include <any>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/certificate_fields.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/text/internal/record_reader.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct CertificateTree {
  const nlohmann::json& json;
};

// A certificate in the layout of a file.
template <class C>
struct CertificateRecord {
  std::string claim = {};
  C found = {};
  std::string paper = {};

  static void fields(const CertificateRecord& self, Fields visit) {
    const auto skip = [](const auto&...) {};
    certificate_head(visit);
    visit("claim", self.claim, one_of(C::kRefutes), "The refuted claim.");
    visit.if_any("paper", self.paper, "The citation of its paper, for people.");
    visit.group("counterexample", C::kAbout, [&] {
      visit.constant("kind", C::kKind);
      C::fields(self.found, visit, skip);
    });
    visit.group("numbers", "The results, which a check recomputes, and their event.",
                [&] { C::fields(self.found, skip, visit); });
  }
};

template <class C>
class KindOf final : public CounterexampleKind {
 public:
  std::string_view name() const override { return C::kKind; }
  std::span<const std::string_view> refutes() const override { return C::kRefutes; }
  const FieldType& file() const override { return kTypeOf<CertificateRecord<C>>; }

  Status check(const std::any& found) const override {
    if constexpr (requires(const C& c) { c.check(); }) return as(found).check();
    return {};
  }
  Result<CertificateCheck> recheck(const std::any& found) const override {
    auto check = ASSAY_TRY(recompute(as(found)));
    const auto skip = [](const auto&...) {};
    const auto add = [&]<class T>(std::string_view name, const T& value, const auto&...) {
      if constexpr (std::is_same_v<T, double>) {
        check.numbers.push_back({std::string(name), number_text(value)});
      } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        check.numbers.push_back({std::string(name), std::to_string(value)});
      }
    };
    C::fields(as(found), skip, add);
    return check;
  }
  Json write(const Certificate& certificate) const override {
    return json_of(CertificateRecord<C>{certificate.claim, as(certificate.counterexample.found()),
                                        certificate.paper});
  }
  Result<Certificate> read(const CertificateTree& tree) const override {
    CertificateRecord<C> record;
    ASSAY_TRY(read_fields(tree.json, file(), &record));
    return Certificate{std::move(record.claim), Counterexample(*this, std::move(record.found)),
                       std::move(record.paper)};
  }
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

#include "assay/auditors/methods/reported_quantity.hpp"

#include <algorithm>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

const ReportedQuantity* find_quantity(const std::vector<ReportedQuantity>& quantities,
                                      QuantityKind kind, double at) {
  const auto found = std::find_if(quantities.begin(), quantities.end(), [&](const auto& q) {
    return q.kind == kind && (kind == QuantityKind::kMu || q.at == at);
  });
  return found == quantities.end() ? nullptr : &*found;
}

std::optional<double> claimed_value(const PrivacyLevel& claim, const ReportedQuantity& quantity) {
  switch (quantity.kind) {
    case QuantityKind::kDeltaAtEpsilon:
      return approximate_at_epsilon(claim, Epsilon{quantity.at}).delta.value;
    case QuantityKind::kEpsilonAtDelta:
      if (const auto level = approximate_at_delta(claim, Delta{quantity.at})) {
        return level->epsilon.value;
      }
      return std::nullopt;
    case QuantityKind::kMuAboveDelta0:
    case QuantityKind::kMu:
      if (const auto level = to_gaussian(claim)) return level->mu.value;
      return std::nullopt;
  }
  return std::nullopt;
}

std::string quantity_label(const ReportedQuantity& quantity) {
  const std::string name = to_string(quantity.kind);
  if (quantity.kind == QuantityKind::kMu) return name;
  return name + (quantity.kind == QuantityKind::kMuAboveDelta0 ? " " : " = ") +
         rounded(quantity.at, 6);
}

std::string to_string(Evidence evidence) {
  constexpr EnumTable<Evidence, std::string_view, 6> kWords{
      {{Evidence::kNone, "unknown"},
       {Evidence::kExact, "exact enumeration"},
       {Evidence::kExactPath, "exact path probabilities"},
       {Evidence::kSampling, "sampling"},
       {Evidence::kTheorem, "theorem"},
       {Evidence::kReported, "if the reported probabilities are right"}}};
  return std::string(entry_of(kWords, evidence));
}

std::string to_string(QuantityKind kind) {
  constexpr EnumTable<QuantityKind, std::string_view, 4> kWords{
      {{QuantityKind::kDeltaAtEpsilon, "delta at eps"},
       {QuantityKind::kEpsilonAtDelta, "eps at delta"},
       {QuantityKind::kMuAboveDelta0, "mu over delta >="},
       {QuantityKind::kMu, "mu"}}};
  return std::string(entry_of(kWords, kind));
}

}  // namespace assay

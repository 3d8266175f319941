#include "assay/auditors/engine/audit_report.hpp"

#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {

std::int64_t WorstPair::position() const {
  if (inputs.edit().values.empty()) return 0;
  return inputs.changed_row() * inputs.old_input().columns + inputs.first_changed() + 1;
}

double WorstPair::old_value() const {
  if (inputs.edit().values.empty()) return 0.0;
  return inputs.old_row()[static_cast<std::size_t>(inputs.first_changed())];
}

double WorstPair::new_value() const {
  if (inputs.edit().values.empty()) return 0.0;
  return inputs.new_row()[static_cast<std::size_t>(inputs.first_changed())];
}

std::string to_string(Verdict verdict) { return detail::value_text(verdict); }

std::string to_string(Scope scope) {
  constexpr EnumTable<Scope, std::string_view, 2> kWords{
      {{Scope::kThisPair, "this pair"}, {Scope::kAllPairs, "all pairs"}}};
  return std::string(entry_of(kWords, scope));
}

std::string to_string(Evidence evidence) {
  constexpr EnumTable<Evidence, std::string_view, 5> kWords{
      {{Evidence::kNone, "trivial"},
       {Evidence::kExact, "exact enumeration"},
       {Evidence::kExactPath, "exact path probabilities"},
       {Evidence::kSampling, "sampling"},
       {Evidence::kTheorem, "theorem"}}};
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

#include "assay/auditors/engine/audit_report.hpp"

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

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kViolated:
      return "Violated";
    case Verdict::kVerified:
      return "Verified";
    case Verdict::kNotRefuted:
      return "NotRefuted";
    case Verdict::kInconclusive:
      return "Inconclusive";
  }
  return "?";
}

std::string to_string(Scope scope) {
  switch (scope) {
    case Scope::kThisPair:
      return "this pair";
    case Scope::kAllPairs:
      return "all pairs";
  }
  return "?";
}

std::string to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::kNone:
      return "trivial";
    case Evidence::kExact:
      return "exact enumeration";
    case Evidence::kExactPath:
      return "exact path probabilities";
    case Evidence::kSampling:
      return "sampling";
    case Evidence::kTheorem:
      return "theorem";
  }
  return "?";
}

std::string to_string(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::kDeltaAtEpsilon:
      return "delta at eps";
    case QuantityKind::kEpsilonAtDelta:
      return "eps at delta";
    case QuantityKind::kMuAboveDelta0:
      return "mu over delta >=";
    case QuantityKind::kMu:
      return "mu";
  }
  return "?";
}

}  // namespace assay

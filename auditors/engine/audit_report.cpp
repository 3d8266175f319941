#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

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

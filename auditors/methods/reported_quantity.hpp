// A privacy loss as a report states it: the quantity, its bounds, and the evidence for each.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {

// The evidence for a bound. Exact bounds spend no alpha.
enum class Evidence {
  kNone,       // a vacuous bound (0, 1 or infinity)
  kExact,      // enumeration of every transcript, widened by the numerical error
  kExactPath,  // the exact probabilities of some transcripts
  kSampling,   // a confidence bound, at the alpha that the ledger gives it
  kTheorem,    // a proof: the augmented release or the policy's own theorem
  kReported,  // any of these for the probabilities that a target reports: it holds if they are right
};
constexpr std::array<std::pair<Evidence, std::string_view>, 6> enum_names(Evidence) {
  return {{{Evidence::kNone, "none"},
           {Evidence::kExact, "exact"},
           {Evidence::kExactPath, "exact-path"},
           {Evidence::kSampling, "sampling"},
           {Evidence::kTheorem, "theorem"},
           {Evidence::kReported, "if-reported"}}};
}

struct EvidencedBound {
  double value = 0.0;
  Evidence evidence = Evidence::kNone;
  std::string how;  // "betting on 200000 transcripts, alpha = 0.00025"
};

enum class QuantityKind {
  kDeltaAtEpsilon,  // larger of the two orientations
  kEpsilonAtDelta,
  kMuAboveDelta0,  // smallest mu that the profile allows, over eps with delta >= delta_0
  kMu,             // smallest mu, unrestricted
};
constexpr std::array<std::pair<QuantityKind, std::string_view>, 4> enum_names(QuantityKind) {
  return {{{QuantityKind::kDeltaAtEpsilon, "delta-at-epsilon"},
           {QuantityKind::kEpsilonAtDelta, "epsilon-at-delta"},
           {QuantityKind::kMuAboveDelta0, "mu-above-delta0"},
           {QuantityKind::kMu, "mu"}}};
}

// A bounded privacy loss with its kind.
struct ReportedQuantity {
  QuantityKind kind = QuantityKind::kMu;
  double at = 0.0;  // its epsilon, delta or delta_0; unused for kMu
  EvidencedBound lower;
  EvidencedBound upper;
};

// A quantity with the bounds 0 and infinity, for the caller to tighten.
inline ReportedQuantity unbounded(QuantityKind kind, double at) {
  return {kind, at, {}, {kInfinity, Evidence::kNone, ""}};
}

const ReportedQuantity* find_quantity(const std::vector<ReportedQuantity>& quantities,
                                      QuantityKind kind, double at);

// "delta at eps = 0.5", "mu over delta >= 1e-6", "mu".
std::string quantity_label(const ReportedQuantity& quantity);

// The largest value of the quantity that the claim allows, by the best known conversion
// (mechanisms/accounting/conversions.hpp); nothing if the claim does not bound it.
std::optional<double> claimed_value(const PrivacyLevel& claim, const ReportedQuantity& quantity);

// A text for people. Files use enum_names() instead.
std::string to_string(Evidence evidence);  // "exact enumeration", ...
std::string to_string(QuantityKind kind);

}  // namespace assay

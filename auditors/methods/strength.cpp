#include "assay/auditors/methods/strength.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

// The upper bound of the pair's leak in the unit of the claim; nothing if there is none.
std::optional<double> certified_bound(const PrivacyLevel& claim,
                                      const std::vector<ReportedQuantity>& quantities) {
  const ReportedQuantity unit = quantity_of_claim(claim);
  const auto* quantity = find_quantity(quantities, unit.kind, unit.at);
  if (quantity == nullptr || !std::isfinite(quantity->upper.value)) return {};
  return quantity->upper.value;
}

}  // namespace

double claimed_level(const PrivacyLevel& claim) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&claim)) return gaussian->mu.value;
  if (const auto* both = std::get_if<ApproximateDp>(&claim)) return both->epsilon.value;
  return std::get<PureDp>(claim).epsilon.value;
}

ReportedQuantity quantity_of_claim(const PrivacyLevel& claim) {
  if (std::holds_alternative<GaussianDp>(claim)) return unbounded(QuantityKind::kMu, 0.0);
  const auto* both = std::get_if<ApproximateDp>(&claim);
  return unbounded(QuantityKind::kEpsilonAtDelta, both == nullptr ? 0.0 : both->delta.value);
}

std::string level_text(const PrivacyLevel& claim, const std::string& number, const char* relation) {
  const bool gaussian = std::holds_alternative<GaussianDp>(claim);
  std::string text = fmt::format("{} {} {}", gaussian ? "mu" : "eps", relation, number);
  const auto* both = std::get_if<ApproximateDp>(&claim);
  return both == nullptr ? text : text + " at delta = " + rounded(both->delta.value, 6);
}

double level_to_see(const PrivacyLevel& claim, std::optional<double> see) {
  if (see) return *see;
  const double claimed = claimed_level(claim);
  return claimed > 0.0 ? kSeenByDefault * claimed : kSeenWithoutLoss;
}

Status check_level_to_see(double see, const PrivacyLevel& claim) {
  const double claimed = claimed_level(claim);
  if (see > claimed && std::isfinite(see)) return {};
  return fail(ErrorCode::kInvalidArgument, fmt::format("--see must be above the claim, {}, not {}",
                                                       number_text(claimed), number_text(see)));
}

Strength strength_of(const AuditTerms& terms, const PairEvidence& evidence) {
  Strength strength;
  strength.asked = level_to_see(terms.claim, terms.see);
  if (const auto& visible = evidence.smallest_visible) {
    strength.power = visible->power;
    strength.assuming = visible->assuming;
    strength.samples_needed = visible->samples_needed;
    if (std::isfinite(visible->level)) strength.level = visible->level;
  }
  // An exact profile bounds mu from delta0 on only, where it shows every larger leak.
  const auto* above =
      find_quantity(evidence.quantities, QuantityKind::kMuAboveDelta0, terms.delta0.value);
  const bool is_about_mu = std::holds_alternative<GaussianDp>(terms.claim);
  if (is_about_mu && !strength.level && above != nullptr && std::isfinite(above->upper.value)) {
    strength.level = above->upper.value;
    strength.assuming =
        fmt::format("a leak that shows at a delta of {} or more", rounded(terms.delta0.value, 6));
  }
  const auto bound = certified_bound(terms.claim, evidence.quantities);
  if (bound && !(strength.level && *strength.level <= *bound)) {
    strength.level = *bound;
    strength.is_bound = true;
  }
  return strength;
}

}  // namespace assay

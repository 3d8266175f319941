#include "assay/auditors/audit/audit_tiles.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

// The quantity that decides: one above the claim if there is any, or else the first that the claim limits.
const ReportedQuantity* shown_quantity(const AuditReport& report) {
  const ReportedQuantity* best = nullptr;
  int best_rank = 0;
  for (const ReportedQuantity& quantity : report.evidence.quantities) {
    const auto claimed = claimed_value(report.claim, quantity);
    if (!claimed) continue;
    const QuantityKind wanted = std::holds_alternative<GaussianDp>(report.claim)
                                    ? QuantityKind::kMu
                                    : QuantityKind::kEpsilonAtDelta;
    const int rank = (quantity.lower.value > *claimed ? 2 : 0) + (quantity.kind == wanted ? 1 : 0);
    if (best == nullptr || rank > best_rank) {
      best = &quantity;
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace

std::optional<double> strength_of(const AuditReport& report, const ReportedQuantity& quantity) {
  const auto& visible = report.evidence.smallest_visible;
  if (!visible) return {};
  if (!claimed_value(report.claim, quantity)) return {};
  const bool by_delta = report.evidence.method == "likelihood";  // at the epsilon of the claim
  if (std::holds_alternative<GaussianDp>(report.claim)) {
    if (by_delta || quantity.kind != QuantityKind::kMu) return {};
    return visible->violation;
  }
  const auto* pure = std::get_if<PureDp>(&report.claim);
  const double epsilon =
      pure != nullptr ? pure->epsilon.value : std::get<ApproximateDp>(report.claim).epsilon.value;
  const bool is_unit =
      by_delta ? quantity.kind == QuantityKind::kDeltaAtEpsilon && quantity.at == epsilon
               : quantity.kind == QuantityKind::kEpsilonAtDelta;
  if (!is_unit) return {};
  return visible->violation;
}

doc::Tiles audit_tiles(const AuditReport& report) {
  struct Shown {
    std::string_view name;
    doc::Tone tone;
  };
  constexpr EnumTable<Verdict, Shown, 4> kShown{
      {{Verdict::kViolated, {"Violated", doc::Tone::kBad}},
       {Verdict::kVerified, {"Verified", doc::Tone::kGood}},
       {Verdict::kNotRefuted, {"Not refuted", doc::Tone::kNeutral}},
       {Verdict::kInconclusive, {"Inconclusive", doc::Tone::kWeak}}}};
  doc::Tiles tiles;
  const ReportedQuantity* quantity = shown_quantity(report);
  if (quantity == nullptr) return tiles;
  const Shown verdict = entry_of(kShown, report.verdict);
  tiles.tiles.push_back({"Verdict", std::string(verdict.name),
                         "with " + percent(report.confidence) + " confidence", verdict.tone});
  const QuantityTexts texts = quantity_texts(report.claim, *quantity);
  const bool by_upper = report.verdict == Verdict::kVerified && texts.upper != kNoBound;
  tiles.tiles.push_back({quantity_label(*quantity),
                         by_upper ? "<= " + texts.upper : ">= " + texts.lower,
                         "the claim allows " + texts.claimed, verdict.tone});
  for (const ReportedQuantity& one : report.evidence.quantities) {
    if (const auto strength = strength_of(report, one)) {
      tiles.tiles.push_back({"Smallest visible level", rounded_up(*strength, 4),
                             quantity_label(one) + ", with probability " +
                                 rounded(report.evidence.smallest_visible->power, 4),
                             doc::Tone::kNeutral});
      break;
    }
  }
  return tiles;
}

}  // namespace assay

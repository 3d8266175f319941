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

doc::Tile strength_tile(const Strength& strength) {
  const auto tone = strength.is_enough() ? doc::Tone::kGood : doc::Tone::kWeak;
  const std::string asked = "; it should see " + rounded(strength.asked, 6);
  if (!strength.level) return {"Strength", "unknown", "no leak of known size" + asked, tone};
  const std::string level = rounded_up(*strength.level, 4);
  if (strength.is_bound)
    return {"Strength", "<= " + level, "this pair leaks no more" + asked, tone};
  return {"Strength", ">= " + level,
          "would be seen with probability " + rounded(strength.power, 4) + asked, tone};
}

}  // namespace

std::optional<double> strength_mark(const AuditReport& report, const ReportedQuantity& quantity) {
  if (!report.strength || !report.strength->level || report.strength->is_bound) return {};
  const ReportedQuantity unit = quantity_of_claim(report.claim);
  const bool is_unit =
      quantity.kind == unit.kind && (unit.kind == QuantityKind::kMu || quantity.at == unit.at);
  return is_unit ? report.strength->level : std::nullopt;
}

doc::Tiles audit_tiles(const AuditReport& report) {
  struct Shown {
    std::string_view name;
    doc::Tone tone;
  };
  constexpr EnumTable<Verdict, Shown, 6> kShown{
      {{Verdict::kViolated, {"Violated", doc::Tone::kBad}},
       {Verdict::kVerified, {"Verified", doc::Tone::kGood}},
       {Verdict::kVerifiedIfReported,
        {"Verified if the reported probabilities are right", doc::Tone::kNeutral}},
       {Verdict::kNotRefuted, {"Not refuted", doc::Tone::kNeutral}},
       {Verdict::kWeak, {"Weak", doc::Tone::kWeak}},
       {Verdict::kInconclusive, {"Inconclusive", doc::Tone::kWeak}}}};
  doc::Tiles tiles;
  const ReportedQuantity* quantity = shown_quantity(report);
  if (quantity == nullptr) return tiles;
  const Shown verdict = entry_of(kShown, report.verdict);
  tiles.tiles.push_back({"Verdict", std::string(verdict.name),
                         "with " + percent(report.confidence) + " confidence", verdict.tone});
  const QuantityTexts texts = quantity_texts(report.claim, *quantity);
  const bool by_upper =
      (report.verdict == Verdict::kVerified || report.verdict == Verdict::kVerifiedIfReported) &&
      texts.upper != kNoBound;
  tiles.tiles.push_back({quantity_label(*quantity),
                         by_upper ? "<= " + texts.upper : ">= " + texts.lower,
                         "the claim allows " + texts.claimed, verdict.tone});
  if (report.strength) tiles.tiles.push_back(strength_tile(*report.strength));
  return tiles;
}

}  // namespace assay

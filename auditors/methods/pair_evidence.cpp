#include "assay/auditors/methods/pair_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

std::string quantity_phrase(const ClaimedQuantity& claimed) {
  if (claimed.kind == QuantityKind::kMu) return "mu";
  return fmt::format("delta at eps = {:.6g}", claimed.at);
}

// The same for a level that is not Gaussian, by its best conversion.
bool converts(const PrivacyLevel& level, const PrivacyLevel& claim) {
  if (const auto* mu = std::get_if<GaussianDp>(&claim)) {
    const auto converted = to_gaussian(level);
    return converted && converted->mu <= mu->mu;
  }
  if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
    const auto converted = approximate_at_epsilon(level, approximate->epsilon);
    return converted.delta <= approximate->delta;
  }
  const auto converted = to_pure(level);
  return converted && converted->epsilon <= std::get<PureDp>(claim).epsilon;
}

// Whether a proved guarantee of the policy implies the claim for every pair.
bool implies(const Guarantee& proved, const PrivacyLevel& claim) {
  if (proved.level == claim) return true;
  const auto* gdp = std::get_if<GaussianDp>(&proved.level);
  if (gdp == nullptr) return converts(proved.level, claim);
  if (const auto* mu = std::get_if<GaussianDp>(&claim)) return gdp->mu <= mu->mu;
  if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
    const double delta = gdp_delta(gdp->mu, approximate->epsilon).value;
    return delta * (1.0 + kGdpRelativeError) <= approximate->delta.value;
  }
  return gdp->mu.value == 0.0;  // a pure claim
}

// A proved level of all pairs. For a claim of another kind it adds the converted bound: "delta at eps = 1
// is at most 0.01 for every pair: mu = 0.5, by ...".
std::string proved_text(const Guarantee& proved, const PrivacyLevel& claim) {
  const std::string level = to_string(proved.level);
  if (proved.level.index() == claim.index()) {
    return fmt::format("{} for every pair, by {}", level, proved.source);
  }
  const ClaimedQuantity claimed = claimed_quantity(claim);
  const bool pure = std::holds_alternative<PureDp>(claim);
  ReportedQuantity quantity;
  quantity.kind = pure ? QuantityKind::kEpsilonAtDelta : claimed.kind;
  quantity.at = pure ? 0.0 : claimed.at;
  const double limit = pure ? claimed.at : claimed.limit;
  const double value = claimed_value(proved.level, quantity).value_or(limit);
  return fmt::format(
      "{} is at most {} for every pair: {}, by {}", quantity_label(quantity),
      rounded_up_beside(std::min(limit, value * (1.0 + kGdpRelativeError)), limit, 6), level,
      proved.source);
}

}  // namespace

ClaimedQuantity claimed_quantity(const PrivacyLevel& claim) {
  if (const auto* gdp = std::get_if<GaussianDp>(&claim)) {
    return {QuantityKind::kMu, 0.0, gdp->mu.value};
  }
  if (const auto* approximate = std::get_if<ApproximateDp>(&claim)) {
    return {QuantityKind::kDeltaAtEpsilon, approximate->epsilon.value, approximate->delta.value};
  }
  return {QuantityKind::kDeltaAtEpsilon, std::get<PureDp>(claim).epsilon.value, 0.0};
}

std::vector<RoundRow> round_rows(const std::vector<double>& base_means,
                                 const std::vector<double>& neighbour_means) {
  std::vector<RoundRow> rows(std::min(base_means.size(), neighbour_means.size()));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    rows[t].round = static_cast<std::int64_t>(t) + 1;
    rows[t].mean_loss_base = base_means[t];
    rows[t].mean_loss_neighbour = -neighbour_means[t];
  }
  return rows;
}

double reported_delta(const AuditTerms& terms) {
  const ClaimedQuantity claimed = claimed_quantity(terms.claim);
  return claimed.kind == QuantityKind::kDeltaAtEpsilon && claimed.limit > 0.0 ? claimed.limit
                                                                              : terms.delta0.value;
}

Decision decide(const PrivacyLevel& claim, const PairEvidence& evidence,
                const std::optional<Guarantee>& all_pairs) {
  for (const auto& check : evidence.checks) {
    if (!check.passed) {
      return {
          Verdict::kInconclusive, Scope::kThisPair,
          fmt::format("the reported probabilities do not describe the sampler: {}{}{}", check.name,
                      check.measure == CheckMeasure::kNone ? "" : ", ", check.value_text())};
    }
  }
  const ClaimedQuantity claimed = claimed_quantity(claim);
  const auto* quantity = find_quantity(evidence.quantities, claimed.kind, claimed.at);
  const std::string phrase = quantity_phrase(claimed);
  // A pure claim bounds the largest loss, however improbable, which delta may be too small to show.
  const auto* largest = std::holds_alternative<PureDp>(claim)
                            ? find_quantity(evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0)
                            : nullptr;
  const bool in_own_words = largest != nullptr && !evidence.refutation.empty();
  if (largest != nullptr && largest->lower.value > claimed.at) {
    if (in_own_words) return {Verdict::kViolated, Scope::kThisPair, evidence.refutation};
    return {
        Verdict::kViolated, Scope::kThisPair,
        fmt::format(
            "the largest loss is {} on the worst pair found, but the claim allows only {:.6g}",
            std::isinf(largest->lower.value) ? "infinite"
                                             : fmt::format("at least {:.6g}", largest->lower.value),
            claimed.at)};
  }
  if (quantity != nullptr && quantity->lower.value > claimed.limit) {
    if (in_own_words) return {Verdict::kViolated, Scope::kThisPair, evidence.refutation};
    return {Verdict::kViolated, Scope::kThisPair,
            fmt::format(
                "{} is at least {:.6g} on the worst pair found, but the claim allows only {:.6g}",
                phrase, quantity->lower.value, claimed.limit)};
  }
  if (all_pairs && implies(*all_pairs, claim)) {
    return {Verdict::kVerified, Scope::kAllPairs, proved_text(*all_pairs, claim), all_pairs->level};
  }
  if (quantity != nullptr && quantity->upper.value <= claimed.limit) {
    return {Verdict::kVerified, Scope::kThisPair,
            fmt::format("{} is at most {:.6g} on the worst pair found; other pairs may lose more",
                        phrase, quantity->upper.value)};
  }
  if (largest != nullptr && largest->upper.value <= claimed.at) {
    return {Verdict::kVerified, Scope::kThisPair,
            fmt::format("the largest loss is at most {:.6g} on the worst pair found; other pairs "
                        "may lose more",
                        largest->upper.value)};
  }
  if (evidence.interrupted && evidence.samples_planned == 0) {
    return {Verdict::kInconclusive, Scope::kThisPair,
            "the run stopped before it had computed everything or decided the claim"};
  }
  if (evidence.interrupted) {
    return {
        Verdict::kInconclusive, Scope::kThisPair,
        fmt::format("the run stopped after {} of {} {} on each input, before it decided the claim",
                    evidence.samples, evidence.samples_planned,
                    plural(evidence.samples_planned, "transcript"))};
  }
  const double lower = quantity == nullptr ? 0.0 : quantity->lower.value;
  const double upper = quantity == nullptr ? 0.0 : quantity->upper.value;
  return {
      Verdict::kNotRefuted, Scope::kThisPair,
      (std::isinf(upper) ? fmt::format("{} is at least {:.6g}, with no upper bound,", phrase, lower)
                         : fmt::format("{} lies between {:.6g} and {:.6g}", phrase, lower, upper)) +
          " on the worst pair found"};
}

std::int64_t WorstPair::position() const {
  if (inputs.edit().values.empty()) return 0;
  return inputs.changed_row() * inputs.base_input().columns + inputs.first_changed() + 1;
}

namespace {

// The value that changes, in one input; NaN if that input lacks it.
double changed_value(const InputPair& inputs, Side side) {
  if (inputs.edit().values.empty()) return 0.0;
  const auto row = side == Side::kBase ? inputs.base_row() : inputs.neighbour_row();
  if (row.size() < std::max(inputs.base_row().size(), inputs.neighbour_row().size()))
    return std::nan("");
  return row[static_cast<std::size_t>(inputs.first_changed())];
}

}  // namespace

double WorstPair::base_value() const { return changed_value(inputs, Side::kBase); }

double WorstPair::neighbour_value() const { return changed_value(inputs, Side::kNeighbour); }

std::string CheckResult::value_text() const {
  switch (measure) {
    case CheckMeasure::kNone:
      break;
    case CheckMeasure::kPValue:
      return fmt::format("p-value {}, level {}", rounded(value, 4), rounded(limit, 4));
    case CheckMeasure::kEValue:
      return fmt::format("e-value {}, alarm at {}", rounded(value, 4), rounded(limit, 5));
  }
  return "";
}

std::string CheckResult::result_text() const {
  return !checked ? "not checked" : passed ? "ok" : "ALARM";
}

std::string to_string(Verdict verdict) { return detail::value_text(verdict); }

std::string to_string(Scope scope) {
  constexpr EnumTable<Scope, std::string_view, 2> kWords{
      {{Scope::kThisPair, "this pair"}, {Scope::kAllPairs, "all pairs"}}};
  return std::string(entry_of(kWords, scope));
}

}  // namespace assay

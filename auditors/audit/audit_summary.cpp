#include "assay/auditors/audit/audit_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "assay/auditors/methods/black_box/low_bits.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr int kDigits = 5;

// Whether the claim itself bounds this quantity, without a conversion: 2 for mu, or for eps at the claim's
// own delta; 1 for delta at its eps; 0 for all others.
int rank_in_claim(const PrivacyLevel& claim, const ReportedQuantity& quantity) {
  if (std::holds_alternative<GaussianDp>(claim)) return quantity.kind == QuantityKind::kMu ? 2 : 0;
  const auto* both = std::get_if<ApproximateDp>(&claim);
  const double epsilon = both ? both->epsilon.value : std::get<PureDp>(claim).epsilon.value;
  const double delta = both ? both->delta.value : 0.0;
  if (quantity.kind == QuantityKind::kEpsilonAtDelta && quantity.at == delta) return 2;
  return quantity.kind == QuantityKind::kDeltaAtEpsilon && quantity.at == epsilon ? 1 : 0;
}

// The quantity that supports the verdict. Quantities that the claim bounds come first, eps at the claim's
// delta before delta at its eps. Others count only if the report has none of these.
const ReportedQuantity* deciding_quantity(const AuditReport& report) {
  const auto& all = report.evidence.quantities;
  const auto rank = [&](const auto& quantity) { return rank_in_claim(report.claim, quantity); };
  const bool any_of_claim = std::any_of(all.begin(), all.end(), rank);
  const ReportedQuantity* best = nullptr;
  for (const ReportedQuantity& quantity : all) {
    const auto claimed = claimed_value(report.claim, quantity);
    if (!claimed || (any_of_claim && rank(quantity) == 0)) continue;
    const bool shows = report.verdict == Verdict::kViolated ? quantity.lower.value > *claimed
                                                            : quantity.upper.value <= *claimed;
    if (shows && (best == nullptr || rank(quantity) > rank(*best))) best = &quantity;
  }
  return best;
}

// The claimed quantity with the bound that a theorem proves for every pair; nothing without such a theorem.
std::optional<ReportedQuantity> proved_quantity(const AuditReport& report) {
  if (report.verdict != Verdict::kVerified || report.scope != Scope::kAllPairs || !report.proved) {
    return {};
  }
  ReportedQuantity quantity = quantity_of_claim(report.claim);
  const auto bound = claimed_value(*report.proved, quantity);
  const auto claimed = claimed_value(report.claim, quantity);
  if (!bound || !claimed) return {};
  quantity.upper.value = std::min(*bound, *claimed);
  return quantity;
}

// "on this pair, a leak of eps >= 1.38 would probably have been seen"; one-run guessing has no pair.
std::string seen_phrase(const AuditReport& report, const char* only = "") {
  const Strength& strength = *report.strength;
  const char* where = report.canaries ? "" : "on this pair, ";
  if (!strength.level) {
    return std::string(where) + "even a large leak may have been missed";
  }
  const std::string number = rounded_up(*strength.level, 4);
  if (strength.is_bound) {
    return "this pair leaks at most " + level_text(report.claim, number);
  }
  return fmt::format("{}{}a leak of {} would probably have been seen", where, only,
                     level_text(report.claim, number, ">="));
}

// "the claim is 1", with the level that a weak audit should have seen.
std::string strength_headline(const AuditReport& report) {
  const std::string claimed = rounded(claimed_level(report.claim), 6);
  if (report.verdict == Verdict::kNotRefuted) {
    return fmt::format("{}; the claim is {}", seen_phrase(report), claimed);
  }
  return fmt::format("{}; the audit should see {}, and the claim is {}",
                     seen_phrase(report, "only "), rounded(report.strength->asked, 6), claimed);
}

constexpr const char* kNoBreakSpace = "\xC2\xA0";

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

struct LevelText {
  std::string operator()(const PureDp& level) const {
    return "eps = " + rounded(level.epsilon.value, 6);
  }
  std::string operator()(const ApproximateDp& level) const {
    return "eps = " + rounded(level.epsilon.value, 6) +
           ", delta = " + rounded(level.delta.value, 6);
  }
  std::string operator()(const GaussianDp& level) const {
    return "mu = " + rounded(level.mu.value, 6);
  }
};

// "0 x 49, 1, 0 x 50": groups of equal items, separated by commas, with no-break spaces inside. The item
// `marked` reads `[mark]`. Beyond about a dozen groups, "..." replaces all but the first, the last and those
// beside the mark. Only the items that are shown become text, because a stream may have millions.
template <class T, class Text>
class CompactSequence {
 public:
  CompactSequence(const std::vector<T>& items, Text text, std::ptrdiff_t marked = -1,
                  std::string mark = {})
      : items_(items), text_(std::move(text)), marked_(marked), mark_(std::move(mark)) {}

  std::string write() const {
    constexpr std::size_t kMostRuns = 12;
    std::string out;
    std::size_t at = 0;
    const auto show = [&](std::size_t begin, std::size_t end) {
      if (begin > at) out += ", ...";
      at = std::max(at, begin);
      while (at < end) {
        const std::size_t next = ahead(at, 1);
        if (!out.empty()) out += ", ";
        out += run_text(at, next);
        at = next;
      }
    };
    const std::size_t size = items_.size();
    if (ahead(0, kMostRuns) == size) {
      show(0, size);
      return out;
    }
    show(0, ahead(0, 3));
    if (marked_ >= 0) {
      const auto centre = static_cast<std::size_t>(marked_);
      show(back(centre, 2), ahead(centre, 3));
    }
    show(back(size, 2), size);
    return out;
  }

 private:
  bool begins(std::size_t i) const {
    if (i == 0 || i == items_.size()) return true;
    const auto place = static_cast<std::ptrdiff_t>(i);
    if (marked_ >= 0 && (place == marked_ || place == marked_ + 1)) return true;
    return items_[i - 1] != items_[i] && text_(items_[i - 1]) != text_(items_[i]);
  }
  // The place that many groups ahead of a group's first item, or back from it.
  std::size_t ahead(std::size_t i, std::size_t runs) const {
    for (; runs > 0 && i < items_.size(); --runs) {
      do ++i;
      while (!begins(i));
    }
    return i;
  }
  std::size_t back(std::size_t i, std::size_t runs) const {
    for (; runs > 0 && i > 0; --runs) {
      do --i;
      while (!begins(i));
    }
    return i;
  }
  std::string run_text(std::size_t begin, std::size_t end) const {
    if (static_cast<std::ptrdiff_t>(begin) == marked_) return "[" + mark_ + "]";
    const std::string text = text_(items_[begin]);
    if (end - begin == 1) return text;
    return fmt::format("{0}{2}x{2}{1}", text, end - begin, kNoBreakSpace);
  }

  const std::vector<T>& items_;
  Text text_;
  std::ptrdiff_t marked_;
  std::string mark_;
};

std::string short_text(double value) { return rounded(value, 6); }

}  // namespace

QuantityTexts quantity_texts(const PrivacyLevel& claim, const ReportedQuantity& quantity) {
  const double lower = quantity.lower.value;
  const double upper = quantity.upper.value;
  const auto claimed = claimed_value(claim, quantity);
  QuantityTexts texts = {rounded_down(lower, kDigits), rounded_up(upper, kDigits), ""};
  if (claimed) {  // bounds are compared with the text of the claim as well as with its value
    texts = {rounded_down_beside(lower, *claimed, kDigits),
             rounded_up_beside(upper, *claimed, kDigits), rounded(*claimed, kDigits)};
  }
  if (claimed && upper == *claimed) texts.upper = texts.claimed;
  if (std::isinf(upper) && quantity.upper.evidence == Evidence::kNone) texts.upper = kNoBound;
  return texts;
}

std::string headline(const AuditReport& report) {
  std::string verdict = to_string(report.verdict);
  if (report.verdict == Verdict::kVerified) {
    verdict += report.scope == Scope::kAllPairs ? " for every pair" : " for this pair";
  }
  const bool if_reported = report.verdict == Verdict::kVerifiedIfReported;
  if (if_reported) verdict += " for this pair";
  if (report.strength) return verdict + ": " + strength_headline(report);
  // The quantities are those of one pair, so a level of all pairs replaces their bounds.
  if (const auto proved = proved_quantity(report)) {
    const QuantityTexts texts = quantity_texts(report.claim, *proved);
    return fmt::format("{}: {} is at most {}; the claim allows {}", verdict,
                       quantity_label(*proved), texts.upper, texts.claimed);
  }
  const ReportedQuantity* quantity = deciding_quantity(report);
  if (quantity == nullptr && report.verdict == Verdict::kViolated) {
    // Refuted without a bound above the claim: by bets that ended there.
    const ReportedQuantity claimed = quantity_of_claim(report.claim);
    const std::string limit = quantity_texts(report.claim, claimed).claimed;
    return fmt::format("{0}: {1} is above {2}; the claim allows {2}", verdict,
                       quantity_label(claimed), limit);
  }
  if (quantity == nullptr) return verdict + ": " + report.reason;
  const QuantityTexts texts = quantity_texts(report.claim, *quantity);
  const bool upper = if_reported || report.verdict == Verdict::kVerified;
  return fmt::format("{}: {} is {} {}{}; the claim allows {}", verdict, quantity_label(*quantity),
                     upper ? "at most" : "at least", upper ? texts.upper : texts.lower,
                     if_reported ? " if the reported probabilities are right" : "", texts.claimed);
}

std::string method_text(const AuditReport& report) {
  if (report.evidence.samples == 0 && report.evidence.samples_planned == 0)
    return report.evidence.method;
  // A try that ended the audit early had no planned number.
  const bool whole = report.evidence.samples_planned == 0 ||
                     report.evidence.samples == report.evidence.samples_planned;
  if (report.canaries) {
    return fmt::format("{}, {} of {} {} after {} for training", report.evidence.method,
                       grouped(report.evidence.samples), grouped(report.evidence.samples_planned),
                       plural(report.evidence.samples_planned, "run"),
                       grouped(report.canaries->training));
  }
  std::string text = whole ? fmt::format("{}, {} {} on each input", report.evidence.method,
                                         grouped(report.evidence.samples),
                                         plural(report.evidence.samples, "transcript"))
                           : fmt::format("{}, {} of {} planned {} on each input",
                                         report.evidence.method, grouped(report.evidence.samples),
                                         grouped(report.evidence.samples_planned),
                                         plural(report.evidence.samples_planned, "transcript"));
  if (report.evidence.tilted_samples > 0) {
    text += fmt::format(" and {} tilted {}", grouped(report.evidence.tilted_samples),
                        report.evidence.tilted_samples == 1 ? "one" : "ones");
  }
  return text;
}

std::string runs_text(const RunsSpent& runs) {
  std::string text = grouped(runs.all());
  if (runs.budget) text += " of " + grouped(*runs.budget);
  text += " in all: ";
  const std::pair<std::int64_t, const char*> parts[] = {{runs.probe, "pre-screen"},
                                                        {runs.search, "search"},
                                                        {runs.learning, "learning"},
                                                        {runs.checks, "checks"},
                                                        {runs.certified, "certified"}};
  bool first = true;
  for (const auto& [count, what] : parts) {
    if (count == 0) continue;
    text += (first ? "" : ", ") + grouped(count) + " " + what;
    first = false;
  }
  if (!runs.left_undone.empty()) text += "; left undone: " + runs.left_undone;
  return text;
}

std::string spent_text(const AuditReport& report) {
  constexpr double kRoundOff = 1e-12;
  double total = 0.0;
  for (const LedgerEntry& share : report.evidence.ledger) total += share.alpha;
  const double allowed = alpha_of(report.confidence);
  if (total > allowed && total <= allowed * (1.0 + kRoundOff)) total = allowed;
  return rounded_up(total, 5);
}

bool has_pair(const AuditReport& report) { return report.pair.inputs.is_known(); }
bool is_of_pair(const AuditReport& report) { return has_pair(report) && !report.canaries; }

std::string evidence_text(const AuditReport& report, const EvidencedBound& bound) {
  if (bound.evidence == Evidence::kNone) {
    return is_black_box(report) ? "unknown (black box)" : "unknown";
  }
  const std::string kind = to_string(bound.evidence);
  return bound.how.empty() ? kind : kind + ": " + bound.how;
}

std::string claim_text(const AuditReport& report) {
  const std::string level = std::visit(LevelText{}, report.claim);
  if (report.claim_text.empty()) return level;
  if (without_spaces(report.claim_text) == without_spaces(level)) return report.claim_text;
  return report.claim_text + ", that is " + level;
}

bool is_black_box(const AuditReport& report) {
  return report.evidence.method == "events" || report.evidence.method == "one-run";
}

std::string checks_title(const AuditReport& report) {
  return is_black_box(report) ? "evidence against what the audit assumes of the runs"
                              : "evidence against the reported probabilities";
}

std::string why_text(const AuditReport& report) {
  return headline(report).find(report.reason) == std::string::npos ? report.reason : "";
}

bool is_by_low_bits(const AuditReport& report) {
  const auto& event = report.evidence.event;
  return report.verdict == Verdict::kViolated && event && event->score.rfind(kLowBitsName, 0) == 0;
}

std::string strength_text(const AuditReport& report) {
  if (!report.strength || !report.strength->level) return "";
  const Strength& strength = *report.strength;
  if (strength.is_bound) return "certified: the upper bound below; other pairs may leak more";
  return fmt::format("an estimate, with probability {}, for {}; {} may leak more",
                     rounded(strength.power, 4), strength.assuming,
                     report.canaries ? "single entries" : "other pairs");
}

std::string difference_text(const AuditReport& report) {
  const auto& seen = report.evidence.frequencies;
  if (report.verdict != Verdict::kViolated || !seen || !seen->largest) return "";
  const auto share = [](double frequency) { return fmt::format("{:.3g}%", 100.0 * frequency); };
  return fmt::format("{} in {} of the runs on the base input, and in {} on its neighbour{}",
                     seen->largest->event, share(seen->largest->frequency.base),
                     share(seen->largest->frequency.neighbour),
                     seen->is_exact() ? "" : " (estimates)");
}

namespace {

// What the counts of the event suggest, if bets refuted the claim and gave no bound above it. The event and its complement
// both count; half a hit is added to each side, so that 0 hits have a logarithm.
std::string estimate_by_counts(const AuditReport& report) {
  const auto& seen = report.evidence.event;
  if (report.verdict != Verdict::kViolated || !seen || deciding_quantity(report) != nullptr) {
    return "";
  }
  const auto share = [](std::int64_t hits, std::int64_t runs) {
    return (static_cast<double>(hits) + 0.5) / (static_cast<double>(runs) + 1.0);
  };
  const double base = share(seen->base_hits, seen->base_runs);
  const double neighbour = share(seen->neighbour_hits, seen->neighbour_runs);
  const double p = std::max(base, neighbour), q = std::min(base, neighbour);
  const ReportedQuantity claimed = quantity_of_claim(report.claim);
  const auto loss = [&](double of, double by) {
    return of > claimed.at ? portable_log((of - claimed.at) / by) : 0.0;
  };
  const double level = claimed.kind == QuantityKind::kMu
                           ? normal_quantile(p) - normal_quantile(q)
                           : std::max(loss(p, q), loss(1.0 - q, 1.0 - p));
  if (!(level > claimed_level(report.claim))) return "";
  return fmt::format("{} looks like {}, by the counts of that event; it proves nothing",
                     quantity_label(claimed), rounded(level, 3));
}

}  // namespace

std::string estimate_text(const AuditReport& report) {
  const auto& found = report.evidence.estimate;
  if (!found) return estimate_by_counts(report);
  ReportedQuantity quantity;
  quantity.kind = std::holds_alternative<GaussianDp>(report.claim) ? QuantityKind::kMu
                                                                   : QuantityKind::kEpsilonAtDelta;
  quantity.at = reported_delta(report);
  const std::string level = found->level > 0.0
                                ? fmt::format("{} looks like {} on the pair below",
                                              quantity_label(quantity), rounded(found->level, 3))
                                : "no leak on the pair below";
  return fmt::format("{}, by the event that {}. A search saw it; it proves nothing", level,
                     found->event);
}

std::string seen_text(std::int64_t hits, std::int64_t runs) {
  const double share =
      static_cast<double>(hits) / static_cast<double>(std::max<std::int64_t>(1, runs));
  return fmt::format("seen in {} of {} runs ({})", grouped(hits), grouped(runs), rounded(share, 3));
}

std::string failures_text(const FailureEvidence& found) {
  return fmt::format("{} of {} runs fail on the base input, {} of {} on the neighbouring input",
                     grouped(found.base_failed), grouped(found.base_runs),
                     grouped(found.neighbour_failed), grouped(found.neighbour_runs));
}

std::string stream_text(const WorstPair& pair) {
  std::string mark = fmt::format("{0}{2}->{2}{1}", number_text(pair.base_value()),
                                 number_text(pair.neighbour_value()), kNoBreakSpace);
  return CompactSequence(pair.inputs.base_input().values, short_text,
                         static_cast<std::ptrdiff_t>(pair.position()) - 1, std::move(mark))
      .write();
}

std::string row_text(const std::vector<double>& row) {
  return CompactSequence(row, short_text).write();
}

std::string actions_text(const std::vector<int>& actions) {
  return CompactSequence(actions, [](int action) { return std::to_string(action); }).write();
}

}  // namespace assay

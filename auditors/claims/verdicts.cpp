#include "assay/auditors/claims/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

// The finding already names its verdict.
std::string without_verdict(const std::string& conclusion) {
  constexpr std::string_view kVerdict = "Refuted: ";
  return conclusion.rfind(kVerdict, 0) == 0 ? conclusion.substr(kVerdict.size()) : conclusion;
}

}  // namespace

std::int64_t scaled(std::int64_t budget, const ClaimRequest& request) {
  return std::max<std::int64_t>(
      16, static_cast<std::int64_t>(static_cast<double>(budget) * request.effort));
}

ClaimFinding refuted(ClaimFinding finding, std::string_view claim, Counterexample counterexample) {
  Certificate certificate{std::string(claim), std::move(counterexample)};
  const auto check = check_by_its_kind(certificate);
  if (!check) return undecided(std::move(finding), check.error().to_string());
  finding.evidence.insert(finding.evidence.end(), check->steps.begin(), check->steps.end());
  if (!check->refutes) return undecided(std::move(finding), check->conclusion);
  finding.verdict = ClaimVerdict::kRefuted;
  finding.summary = without_verdict(check->conclusion);
  finding.certificate = std::make_shared<const Certificate>(std::move(certificate));
  return finding;
}

ClaimFinding not_refuted(ClaimFinding finding, const SearchOutcome& outcome,
                         std::string_view margin_name) {
  if (outcome.best.empty()) {
    return undecided(std::move(finding), "no point of the search was admissible");
  }
  finding.verdict = ClaimVerdict::kNotRefuted;
  finding.summary =
      fmt::format("no counterexample among {} points; largest {} = {}",
                  grouped(outcome.evaluations), margin_name, rounded_up(outcome.margin, 4));
  return finding;
}

ClaimFinding holds(ClaimFinding finding, std::string summary) {
  finding.verdict = ClaimVerdict::kHolds;
  finding.summary =
      finding.domain.empty()
          ? std::move(summary)
          : fmt::format("for {}: {}", finding.domain.substr(0, finding.domain.find(';')), summary);
  return finding;
}

ClaimFinding undecided(ClaimFinding finding, std::string why) {
  finding.verdict = ClaimVerdict::kInconclusive;
  finding.summary = std::move(why);
  return finding;
}

ClaimFinding contradiction(ClaimFinding finding, const std::string& where) {
  return undecided(std::move(finding),
                   "the search contradicts the proof at " + where + ": one of the two has a bug");
}

ClaimFinding certified(ClaimFinding finding, const BoxOutcome& box, std::string summary) {
  if (!box.certified) return undecided(std::move(finding), "the box was not exhausted");
  return holds(std::move(finding), std::move(summary));
}

SearchOutcome search_claim(const ClaimSearch& search, const ClaimRequest& request,
                           const RunControl& control) {
  const std::string purpose = fmt::format("claims/{}", search.id);
  SearchPlan plan;
  plan.points = scaled(search.points, request);
  plan.climbs = search.climbs;
  plan.keep = search.keep;
  plan.seed = request.seed;
  plan.purpose = purpose;
  return search_violation(search.claim, plan, control);
}

std::string SearchedFinding::points() const { return grouped(outcome.evaluations); }
std::string SearchedFinding::excess() const { return rounded_up(std::max(0.0, outcome.margin), 2); }

std::string SearchedFinding::closest() const {
  return outcome.best.empty() ? "no point" : point_text(space, outcome.best);
}

SearchedFinding searched(const ClaimSearch& search, const ClaimRequest& request,
                         const RunControl& control) {
  SearchedFinding finding;
  finding.id = search.id;
  finding.space = search.claim.space;
  finding.outcome = search_claim(search, request, control);
  finding.evaluations = finding.outcome.evaluations;
  return finding;
}

ClaimFinding proved(SearchedFinding finding, std::string summary) {
  if (finding.outcome.violation) {
    const auto where = point_text(finding.space, *finding.outcome.violation);
    return contradiction(std::move(finding), where);
  }
  return holds(std::move(finding), std::move(summary));
}

ClaimFinding proved(SearchedFinding finding, const BoxOutcome& box, std::string summary) {
  auto found = proved(std::move(finding), summary);
  if (found.verdict != ClaimVerdict::kHolds) return found;
  return certified(std::move(found), box, std::move(summary));
}

ClaimFinding refuted_or_not(SearchedFinding finding, std::string_view margin_name,
                            const std::function<Counterexample(const Point&)>& counterexample_at,
                            const std::vector<std::string>& evidence) {
  const auto [id, outcome] = std::pair{finding.id, finding.outcome};
  if (!outcome.violation) return not_refuted(std::move(finding), outcome, margin_name);
  auto found = refuted(std::move(finding), id, counterexample_at(*outcome.violation));
  found.evidence.insert(found.evidence.end(), evidence.begin(), evidence.end());
  return found;
}

}  // namespace assay

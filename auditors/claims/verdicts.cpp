#include "assay/auditors/claims/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

// The finding names its verdict already.
std::string without_verdict(const std::string& conclusion) {
  constexpr std::string_view kVerdict = "Refuted: ";
  return conclusion.rfind(kVerdict, 0) == 0 ? conclusion.substr(kVerdict.size()) : conclusion;
}

}  // namespace

std::int64_t scaled(std::int64_t budget, const ClaimRequest& request) {
  return std::max<std::int64_t>(
      16, static_cast<std::int64_t>(static_cast<double>(budget) * request.effort));
}

SearchPlan search_plan(const ClaimRequest& request, std::int64_t points, std::string_view purpose) {
  SearchPlan plan;
  plan.points = scaled(points, request);
  plan.seed = request.seed;
  plan.purpose = purpose;
  return plan;
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
  finding.summary = std::move(summary);
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

}  // namespace assay

#include "assay/auditors/claims/verification.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

std::vector<std::string> refuted_premises(const RegisteredClaim& claim,
                                          const std::vector<ClaimResult>& results) {
  std::vector<std::string> out;
  for (const auto premise : claim.rests_on) {
    const bool refuted = std::any_of(results.begin(), results.end(), [&](const ClaimResult& r) {
      return r.claim->id == premise && r.finding.verdict == ClaimVerdict::kRefuted;
    });
    if (refuted) out.emplace_back(premise);
  }
  return out;
}

}  // namespace

Status check_request(const ClaimRequest& request) {
  if (!(request.effort >= 0.01 && request.effort <= 1000.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "effort must be 0.01 to 1000, not " + number_text(request.effort), "/effort");
  }
  return check_confidence(request.confidence);
}

Result<Verification> verify_claims(const std::vector<const RegisteredClaim*>& claims,
                                   const ClaimRequest& request, const RunControl& control,
                                   const std::function<void(const ClaimResult&)>& on_result) {
  using Clock = std::chrono::steady_clock;
  ASSAY_TRY(check_request(request));
  Verification verification;
  verification.request = request;
  verification.selected = static_cast<std::int64_t>(claims.size());
  for (std::size_t i = 0; i < claims.size() && !control.cancelled(); ++i) {
    RunControl inner = control;
    inner.progress = [&](const Progress& made) {
      control.report(claims[i]->id,
                     (static_cast<double>(i) + made.fraction) / static_cast<double>(claims.size()));
    };
    inner.report(claims[i]->id, 0.0);
    const auto started = Clock::now();
    auto finding = claims[i]->check(request, inner);
    if (control.cancelled()) break;  // an interrupted check has no verdict
    if (!finding) finding = undecided({}, "the check failed: " + finding.error().to_string());
    ClaimResult result;
    result.claim = claims[i];
    result.finding = std::move(*finding);
    if (result.finding.certificate) {
      auto certificate = *result.finding.certificate;
      certificate.paper = claims[i]->paper->citation();
      result.finding.certificate = std::make_shared<const Certificate>(std::move(certificate));
    }
    result.refuted_premises = refuted_premises(*claims[i], verification.results);
    result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
    verification.results.push_back(std::move(result));
    if (on_result) on_result(verification.results.back());
  }
  return verification;
}

}  // namespace assay

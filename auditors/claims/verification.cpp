#include "assay/auditors/claims/verification.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/item_store.hpp"
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

constexpr std::string_view kClaimsLoop = "claims";

// A finding in a form that travels.
struct FoundOnClaim {
  ClaimFinding finding;     // without its certificate
  std::string certificate;  // as JSON; empty for none
  double seconds = 0.0;

  static auto byte_fields(auto& self) {
    auto& f = self.finding;
    return std::tie(f.verdict, f.summary, f.domain, f.evidence, f.table.columns, f.table.rows,
                    f.evaluations, f.confidence, self.certificate, self.seconds);
  }
};

FoundOnClaim checked(const RegisteredClaim& claim, const ClaimRequest& request,
                     const RunControl& control) {
  using Clock = std::chrono::steady_clock;
  control.report(claim.id, 0.0);
  const auto started = Clock::now();
  auto finding = claim.check(request, control);
  if (!finding) finding = undecided({}, "the check failed: " + finding.error().to_string());
  FoundOnClaim found{std::move(*finding), {}, 0.0};
  if (found.finding.certificate) {
    auto certificate = *found.finding.certificate;
    certificate.paper = claim.paper->citation();
    found.certificate = to_json(certificate);
    found.finding.certificate = std::make_shared<const Certificate>(std::move(certificate));
  }
  found.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return found;
}

// Errors: a certificate, from another process, of none of these kinds.
Result<ClaimFinding> finding_of(const FoundOnClaim& found, const CounterexampleKinds& kinds) {
  ClaimFinding finding = found.finding;
  if (found.certificate.empty() || finding.certificate) return finding;
  auto certificate = ASSAY_TRY(read_certificate(found.certificate, kinds));
  finding.certificate = std::make_shared<const Certificate>(std::move(certificate));
  return finding;
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
                                   const std::function<void(const ClaimResult&)>& on_result,
                                   const CounterexampleKinds& kinds) {
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
    const auto found =
        ASSAY_TRY(shared_item<FoundOnClaim>(inner, kClaimsLoop, i, [&](const RunControl& own) {
          return checked(*claims[i], request, own);
        }));
    if (control.cancelled()) break;  // an interrupted check has no verdict
    if (!found) continue;
    ClaimResult result;
    result.claim = claims[i];
    result.finding = ASSAY_TRY(finding_of(*found, kinds));
    result.refuted_premises = refuted_premises(*claims[i], verification.results);
    result.seconds = found->seconds;
    verification.results.push_back(std::move(result));
    const bool is_shard = control.items != nullptr && control.items->shard();
    if (on_result && !is_shard) on_result(verification.results.back());
  }
  ASSAY_TRY(end_of_shared_loop(control));
  return verification;
}

}  // namespace assay

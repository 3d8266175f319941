#include <string>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Json claim_json(const ClaimResult& result) {
  const RegisteredClaim& claim = *result.claim;
  const ClaimFinding& finding = result.finding;
  Json out;
  out["id"] = claim.id;
  out["kind"] = detail::value_text(claim.kind);
  out["statement"] = claim.statement;
  out["source"] = {{"paper", claim.paper}, {"theorem", claim.theorem}};
  out["verdict"] = detail::value_text(finding.verdict);
  out["expected"] = detail::value_text(claim.expected);
  out["summary"] = finding.summary;
  out["domain"] = finding.domain;
  out["evidence"] = finding.evidence;
  out["table"] = {{"columns", finding.table.columns}, {"rows", finding.table.rows}};
  out["evaluations"] = finding.evaluations;
  out["confidence"] = finding.confidence;
  out["refuted_premises"] = result.refuted_premises;
  out["comment"] = claim.comment;
  out["certificate"] = finding.certificate ? certificate_json(*finding.certificate) : Json();
  return out;
}

}  // namespace

std::string to_json(const Verification& verification, const RunMeta& meta) {
  Json out;
  out["assay_verification"] = 1;
  out["seed"] = verification.request.seed;
  out["effort"] = verification.request.effort;
  out["confidence"] = verification.request.confidence;
  out["selected"] = verification.selected;
  Json claims = Json::array();
  Json seconds = Json::object();
  for (const auto& result : verification.results) {
    claims.push_back(claim_json(result));
    seconds[std::string(result.claim->id)] = result.seconds;
  }
  out["claims"] = std::move(claims);
  out["meta"] = {{"version", meta.version}, {"build", meta.build},     {"started", meta.started},
                 {"seconds", meta.seconds}, {"threads", meta.threads}, {"claim_seconds", seconds}};
  return json_text(out) + "\n";
}

}  // namespace assay

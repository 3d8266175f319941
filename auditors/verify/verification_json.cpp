#include <string>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/verify/verification_report.hpp"

namespace assay {

void fields(const FindingTable& table, Fields visit) {
  visit("columns", table.columns);
  visit("rows", table.rows);
}

void fields(const ClaimResult& result, Fields visit) {
  const auto& claim = result.claim;
  const ClaimFinding& finding = result.finding;
  visit.about("claim", "A published statement that was tested.");
  visit("id", [&] { return claim->id; });
  visit("kind", [&] { return claim->kind; });
  visit(
      "statement", [&] { return claim->statement; }, "In the wording of Assay, not of the paper.");
  visit.group("source", "The place of the statement.", [&] {
    visit(
        "paper", [&] { return claim->paper->short_citation(); },
        "The surnames of its authors, and its title.");
    visit("theorem", [&] { return claim->theorem; });
    visit("title", [&] { return claim->paper->title; });
    visit("authors", [&] { return claim->paper->authors; });
    visit(
        "venue", [&] { return claim->paper->venue; },
        "Of the version from which the statement is read.");
    visit("year", [&] { return claim->paper->year; });
    visit.or_null(
        "arxiv", [&] { return std::string(claim->paper->arxiv); },
        "The number of that version, if its text states it.");
  });
  visit("verdict", finding.verdict);
  visit(
      "expected", [&] { return claim->expected; }, "The verdict on record.");
  visit("summary", finding.summary, "The reason of the verdict, in one sentence.");
  visit("domain", finding.domain, "The domain that the check covered.");
  visit("evidence", finding.evidence);
  visit("table", finding.table);
  visit("evaluations", finding.evaluations, kCount,
        "The number of points, states or runs examined.");
  visit("confidence", finding.confidence, kProbability,
        "The probability that the verdict is right; 1 if the check is not statistical.");
  visit("refuted_premises", result.refuted_premises, "Refuted claims that its printed proof uses.");
  visit("comment", [&] { return claim->comment; });
  visit(
      "certificate",
      [&] {
        return finding.certificate ? std::optional(certificate_json(*finding.certificate))
                                   : std::nullopt;
      },
      "Follows certificate.schema.json; null if the verdict is not Refuted.");
}

namespace {

struct ClaimSeconds {
  std::string claim = {};
  double seconds = 0.0;
};
void fields(const ClaimSeconds& one, Fields visit) {
  visit("claim", one.claim);
  visit("seconds", one.seconds, kCount);
}

struct VerificationRecord {
  const Verification& verification = none<Verification>();
  const RunMeta& meta = none<RunMeta>();
};
void fields(const VerificationRecord& record, Fields visit) {
  const Verification& verification = record.verification;
  report_head(
      visit, "assay.verification-report/2",
      "The result of `assay verify`: one entry per claim, in the order of `assay list claims`. Only "
      "`meta` differs between runs of one request.");
  visit.seed(verification.request.seed);
  visit("effort", verification.request.effort, within(0.01, 1000.0),
        "The factor of every search and sampling budget.");
  visit("confidence", verification.request.confidence, kProbability, "Of statistical verdicts.");
  visit("selected", verification.selected, kCount,
        "The number of claims asked for; more than listed if the run was interrupted.");
  visit("claims", verification.results);
  report_reproduce(visit, verification.reproduce);
  std::vector<ClaimSeconds> seconds;
  for (const auto& result : verification.results) {
    seconds.push_back({std::string(result.claim->id), result.seconds});
  }
  report_meta(visit, record.meta, [&] { visit("claims", seconds); });
}

}  // namespace

std::string to_json(const Verification& verification, const RunMeta& meta) {
  return json_text_of(VerificationRecord{verification, meta});
}
std::string verification_report_schema() { return schema_of<VerificationRecord>(); }

}  // namespace assay

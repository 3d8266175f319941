#include "assay/auditors/verify/verify_job.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/registry/claims.hpp"
#include "assay/auditors/session/outputs.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

constexpr std::array kPageFormats = {Format::kMarkdown};

using Claims = std::vector<const RegisteredClaim*>;

bool any_reads(const Claims& claims, ClaimReads least) {
  return std::any_of(claims.begin(), claims.end(),
                     [&](const RegisteredClaim* claim) { return claim->reads >= least; });
}

std::string ids_of(const Claims& claims) { return joined(claims, &RegisteredClaim::id); }

Status write_certificate(const std::string& folder, const ClaimResult& result) {
  if (!result.finding.certificate) return {};
  const auto file =
      ASSAY_TRY(OutputFile::open(folder + "/" + std::string(result.claim->id) + ".json"));
  return file.write(to_json(*result.finding.certificate));
}

// The folders of the certificates.
std::vector<std::string> folders_of(const VerificationJob& job) {
  std::vector<std::string> folders;
  if (!job.certificates.empty()) folders.push_back(job.certificates);
  if (!job.findings.empty()) {
    const auto beside = std::filesystem::path(job.findings).parent_path() / "certificates";
    folders.push_back(beside.string());
  }
  return folders;
}

}  // namespace

void VerificationJob::fields(const VisitOption<VerificationJob>& visit) {
  using J = VerificationJob;
  using F = const VerificationFacts&;
  visit(
      option(&J::claims,
             {.name = "claims",
              .type = "CLAIM",
              .help = "Check these claims, by name or pattern ('ts-*'). `assay list claims` lists "
                      "them.",
              .is_positional = true,
              .default_text = "all"}));
  auto confidence = confidence_option("Each statistical verdict holds");
  confidence.environment = "ASSAY_CONFIDENCE";
  visit(option(&J::request, &ClaimRequest::confidence, confidence,
               {"claims whose verdict is statistical", [](F f) { return f.statistical; }}));
  visit(option(&J::request, &ClaimRequest::effort,
               {.name = "effort",
                .type = "FACTOR",
                .help = "Multiply every search and sampling budget by this, 0.01 to 1000.",
                .group = OptionGroup::kEffort,
                .shows_default = true},
               {"claims whose check searches or samples", [](F f) { return f.searches; }}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit_shard<J>(visit);
  visit(option(&J::request, &ClaimRequest::seed, seed_option(),
               {"claims whose check searches or samples", [](F f) { return f.searches; }}));
  visit_output(visit, {"text", "json", "markdown"});
  visit(option(&J::certificates,
               {"certificates", "FOLDER",
                "Write the certificate of each refuted claim to FOLDER/<claim>.json.",
                OptionGroup::kOutput}));
  visit(option(&J::findings,
               {"findings", "FILE",
                "Write a page in Markdown about the refuted claims to FILE, and their certificates "
                "to the folder certificates beside it.",
                OptionGroup::kOutput}));
  visit(option(&J::strict, {.name = "strict",
                            .help = "Exit with 1 on any refuted claim, even a known one.",
                            .group = OptionGroup::kOutput}));
}

bool VerificationOutcome::complete() const {
  return static_cast<std::int64_t>(verification.results.size()) == verification.selected;
}

bool VerificationOutcome::as_expected(bool strict) const {
  return std::all_of(verification.results.begin(), verification.results.end(),
                     [&](const ClaimResult& result) {
                       if (!result.as_expected()) return false;
                       return !strict || result.finding.verdict != ClaimVerdict::kRefuted;
                     });
}

namespace {

Result<OutputFile> open_findings(const std::string& path) {
  if (!path.ends_with(ending_of(kPageFormats[0]))) {
    return fail(ErrorCode::kInvalidArgument, "--findings takes a file that ends in .md", path);
  }
  return OutputFile::open(path, kPageFormats);
}

}  // namespace

Result<PreparedJob<VerificationOutcome>> prepare(const VerificationJob& job) {
  const auto claims = ASSAY_TRY(select_claims(job.claims));
  const VerificationFacts facts = {any_reads(claims, ClaimReads::kSearch),
                                   any_reads(claims, ClaimReads::kStatistical)};
  ASSAY_TRY(check_options(job, facts, ids_of(claims)));
  ASSAY_TRY(check_request(job.request));
  if (!job.findings.empty()) ASSAY_TRY(open_findings(job.findings));
  std::vector<std::string_view> names = {"claims"};
  if (facts.statistical) names.emplace_back("confidence");
  if (facts.searches) names.insert(names.end(), {"effort", "seed"});
  const auto command = command_line("assay verify", job, names);
  return [job, claims, command](const Session& session) -> Result<VerificationOutcome> {
    VerificationOutcome outcome;
    const auto folders = folders_of(job);
    for (const auto& folder : folders) ASSAY_TRY(make_folder(folder));
    const auto hear = [&](const ClaimResult& result) {
      for (const auto& folder : folders) {
        const auto status = write_certificate(folder, result);
        if (!status) outcome.certificates = status;
      }
      if (job.on_result) job.on_result(result);
    };
    outcome.verification = ASSAY_TRY(
        verify_claims(claims, job.request, session.control, hear, counterexample_kinds()));
    outcome.verification.reproduce = command;
    outcome.meta = session.meta();
    if (!job.findings.empty()) {
      const auto page = ASSAY_TRY(open_findings(job.findings));
      const auto folder = page.path().parent_path().string();
      ASSAY_TRY(page.write(findings_markdown(outcome.verification, folder)));
    }
    return outcome;
  };
}

}  // namespace assay

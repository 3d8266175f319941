#include "assay/auditors/verify/check_certificate_job.hpp"
#include "assay/auditors/registry/certificates.hpp"

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

Result<CheckedCertificate> check_content(const std::string& path) {
  const auto certificate = ASSAY_TRY(read_certificate_file(path));
  auto check = ASSAY_TRY(check_certificate(certificate));
  return CheckedCertificate{path, certificate.claim, std::move(check)};
}

// An error names the file before the JSON pointer or the line.
Result<CheckedCertificate> check_file(const std::string& path) {
  auto checked = check_content(path);
  if (checked) return checked;
  Error error = checked.error();
  error.path = plain_text(path) + (error.path.empty() ? "" : ": " + error.path);
  return tl::make_unexpected(error);
}

}  // namespace

void CertificateCheckJob::fields(const VisitOption<CertificateCheckJob>& visit) {
  using J = CertificateCheckJob;
  visit(option(&J::files, {.name = "file",
                           .type = "FILE",
                           .help = "Check these certificates, JSON files that follow "
                                   "schemas/certificate.schema.json.",
                           .is_positional = true,
                           .is_required = true}));
  visit_output(visit, {"text", "json"});
}

Result<PreparedJob<CertificateCheckReport>> prepare(const CertificateCheckJob& job) {
  ASSAY_TRY(check_options(job, {}, "a check"));
  if (job.files.empty()) {
    return fail(ErrorCode::kInvalidArgument, "check-certificate needs the FILE of a certificate");
  }
  return [files = job.files](const Session& session) -> Result<CertificateCheckReport> {
    CertificateCheckReport report;
    for (const auto& file : files) {
      if (session.control.stopped()) {
        return fail(ErrorCode::kInterrupted, "the check of certificates was interrupted");
      }
      auto checked = check_file(file);
      if (checked) {
        report.checked.push_back(std::move(*checked));
      } else {
        report.errors.push_back(checked.error());
      }
    }
    return report;
  };
}

}  // namespace assay

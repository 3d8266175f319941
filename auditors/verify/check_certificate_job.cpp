#include "assay/auditors/verify/check_certificate_job.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/registry/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

Result<CheckedCertificate> check_content(const std::string& path) {
  const auto certificate = ASSAY_TRY(read_certificate_file(path));
  auto check = ASSAY_TRY(check_certificate(certificate));
  CheckedCertificate checked{path, certificate.claim, {}, {}, {}, std::move(check)};
  for (const auto& claim : registered_claims()) {
    if (claim.id != certificate.claim) continue;
    checked.statement = claim.statement;
    checked.theorem = claim.theorem;
    checked.paper = claim.paper->citation();
  }
  return checked;
}

// The file itself, or all files *.json of a folder in the order of their names.
Result<std::vector<std::string>> files_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (!fs::is_directory(path, none)) return std::vector{path};
  std::vector<std::string> files;
  auto entry = fs::directory_iterator(path, none);
  if (none) return fail(ErrorCode::kIo, "cannot be read: " + none.message(), plain_text(path));
  for (; entry != fs::directory_iterator(); entry.increment(none)) {
    if (none) return fail(ErrorCode::kIo, "cannot be read: " + none.message(), plain_text(path));
    if (entry->path().extension() == ".json") files.push_back(entry->path().string());
  }
  if (files.empty()) {
    return fail(ErrorCode::kInvalidArgument, "has no file that ends in .json", plain_text(path));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// An error names the file before the JSON pointer or the line.
Result<CheckedCertificate> check_file(const std::string& path) {
  auto checked = check_content(path);
  if (checked) return checked;
  Error error = checked.error();
  if (std::error_code none; !std::filesystem::exists(path, none)) {
    for (const auto& claim : registered_claims()) {
      if (claim.id != path) continue;
      error.message += fmt::format(
          "; this is the name of a claim. `assay verify {0} --certificates FOLDER` writes its certificate, if it is "
          "refuted, to FOLDER/{0}.json",
          path);
    }
  }
  error.path = plain_text(path) + (error.path.empty() ? "" : ": " + error.path);
  return tl::make_unexpected(error);
}

}  // namespace

void CertificateCheckJob::fields(const VisitOption<CertificateCheckJob>& visit) {
  using J = CertificateCheckJob;
  visit(option(&J::files, {.name = "file",
                           .type = "FILE",
                           .help = "Check these certificates, JSON files that follow "
                                   "schemas/certificate.schema.json, or all files *.json of a "
                                   "folder. The check computes every number again in 50 digits. "
                                   "The numbers of a file must agree with these to 1e-9 of their "
                                   "size, probabilities to 1e-20 as well.",
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
    std::vector<std::string> all;
    for (const auto& path : files) {
      auto found = files_of(path);
      if (!found) {
        report.errors.push_back(found.error());
        continue;
      }
      all.insert(all.end(), found->begin(), found->end());
    }
    for (const auto& file : all) {
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

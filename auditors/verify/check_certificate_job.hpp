// The job of `assay check-certificate`: recomputes refutations from their files alone.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

struct CertificateCheckJob : JobOptions {
  std::vector<std::string> files;
  RunOptions run;

  static void fields(const VisitOption<CertificateCheckJob>& visit);
};

// The prepared job reads the files. Files that are damaged, or whose numbers do not follow from their inputs, are
// errors of the report. Errors: no files; an interrupted run.
Result<PreparedJob<CertificateCheckReport>> prepare(const CertificateCheckJob& job);

}  // namespace assay

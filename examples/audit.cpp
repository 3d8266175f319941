// Audits a case and a program through the library, without the command:
//     cmake -S examples -B build -DCMAKE_PREFIX_PATH=<where Assay is installed> && cmake --build build
//     build/audit "python3 examples/targets/naive_gaussian.py"
#include <cstdio>
#include <string>

#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/audit/audit_summary.hpp"

namespace {

// Whether the audit could run, whatever its result.
bool audit(const assay::AuditJob& job) {
  const auto outcome = assay::run_job(job, assay::Session{});
  if (!outcome) {
    std::fprintf(stderr, "%s\n", outcome.error().to_string().c_str());
    return false;
  }
  const assay::AuditReport& report = outcome->report;
  std::printf("%s\n%s\n%s\n\n", report.case_title.c_str(), assay::headline(report).c_str(),
              report.reproduce.c_str());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: audit COMMAND\n");
    return 2;
  }
  assay::AuditJob of_case;
  of_case.case_id = "laplace";
  of_case.parameters = {{"epsilon", "2"}};
  of_case.claim = "eps=1";

  assay::AuditJob of_program;
  of_program.exec = argv[1];
  of_program.shape.kind = assay::InputKind::kMechanism;
  of_program.claim = "eps=1,delta=1e-5";
  of_program.samples = 2000;

  const bool done = audit(of_case) && audit(of_program);
  return done ? 0 : 1;
}

// The exit status of `assay`. Errors count more than findings: if a report, a file of -w or a listing could not be
// written to its end (a full disk, a closed stdout, a pipe without a reader), the status is kUsage, whatever the
// findings.
#pragma once

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

enum ExitCode : int {
  kNothingViolated = 0,
  kViolated = 1,
  kUsage = 2,          // usage or configuration, or an output that could not be written
  kInconclusive = 3,   // inconclusive, or too weak to see what it should
  kTargetFailed = 4,   // the audited program failed
  kInternalError = 5,  // a bug in Assay
};

constexpr ExitCode exit_code(Verdict verdict) {
  constexpr EnumTable<Verdict, ExitCode, 6> kCodes{
      {{Verdict::kViolated, kViolated},
       {Verdict::kInconclusive, kInconclusive},
       {Verdict::kWeak, kInconclusive},
       {Verdict::kVerified, kNothingViolated},
       {Verdict::kVerifiedIfReported, kNothingViolated},
       {Verdict::kNotRefuted, kNothingViolated}}};
  return entry_of(kCodes, verdict, kInternalError);
}

constexpr ExitCode exit_code(ErrorCode code) {
  constexpr EnumTable<ErrorCode, ExitCode, 5> kCodes{{{ErrorCode::kTarget, kTargetFailed},
                                                      {ErrorCode::kRefusedInput, kTargetFailed},
                                                      {ErrorCode::kInterrupted, kInconclusive},
                                                      {ErrorCode::kNumerical, kInternalError},
                                                      {ErrorCode::kInternal, kInternalError}}};
  return entry_of(kCodes, code, kUsage);
}

}  // namespace assay::cli

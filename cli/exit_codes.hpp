// What the exit status of `assay` means. Errors outrank findings: a report, a file of -w or a listing
// that could not be written to its end is kUsage (a full disk, a closed stdout, a pipe that nobody
// reads on), whatever it would have said, and never kNothingViolated.
#pragma once

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

enum ExitCode : int {
  kNothingViolated = 0,
  kViolated = 1,
  kUsage = 2,          // usage or configuration, or an output that could not be written
  kInconclusive = 3,   // inconclusive, or under-powered where power was required
  kTargetFailed = 4,   // the audited program failed
  kInternalError = 5,  // a bug in Assay
};

constexpr ExitCode exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kViolated:
      return kViolated;
    case Verdict::kInconclusive:
      return kInconclusive;
    case Verdict::kVerified:
    case Verdict::kNotRefuted:
      return kNothingViolated;
  }
  return kInternalError;
}

constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kTarget:
      return kTargetFailed;
    case ErrorCode::kInterrupted:
      return kInconclusive;
    case ErrorCode::kNumerical:
    case ErrorCode::kInternal:
      return kInternalError;
    default:
      return kUsage;
  }
}

}  // namespace assay::cli

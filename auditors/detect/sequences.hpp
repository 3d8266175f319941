// Detection for sequences: the fault zoo, row by row, through the audit that black boxes get.
//
// For each row of policies/faulty/sequence_table.hpp the exact level of the faulty policy and of
// its correct twin on the row's pair, from their laws, and one black-box audit of each
// (black_box_audit.hpp) at the row's claim with the row's plays. The audit sees targets that can
// only be played, as a program behind `assay audit --exec` can.
//
// As expected: the fault's level exceeds the claim and the twin's does not; the fault is convicted
// and its twin is not; neither bound lies above the level. Each audit errs with probability at most
// 1 - confidence, and where the twin's level is the claim nearly as often.
//
// Threads: results do not depend on their number. Cost: 0.1 s a policy, 2 s for hidden-2e-4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/faulty/sequence_table.hpp"

namespace assay {

struct SequencePlan {
  std::uint64_t seed = 1;
  double confidence = 0.999;  // of each audit, in [0.5, 1 - 1e-9]
};

// One audit of one policy.
struct SequenceAudit {
  double exact = 0.0;         // on the row's pair, from the law
  double common_event = 0.0;  // of the best event of probability at least 0.01
  double lower = 0.0;         // certified
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;
  std::int64_t plays = 0;  // all of them: checks, learning, certification, both sides
  double seconds = 0.0;    // of the audit

  bool above_truth() const { return lower > exact; }
};

struct SequenceResult {
  const faulty::SequenceRow* row = nullptr;
  SequenceAudit fault, twin;

  bool as_expected() const;
};

struct SequenceDetection {
  SequencePlan plan;
  std::int64_t selected = 0;  // rows asked for
  std::vector<SequenceResult> results;
  bool complete() const { return static_cast<std::int64_t>(results.size()) == selected; }
  bool as_expected() const;
};

// Rows by name or pattern, in the table's order; all of them for no pattern.
Result<std::vector<const faulty::SequenceRow*>> select_rows(
    const std::vector<faulty::SequenceRow>& table, const std::vector<std::string>& patterns);

// Errors: a confidence out of range.
Result<SequenceAudit> audit_sequence(const faulty::SequenceRow& row, bool twin,
                                     const SequencePlan& plan, const RunControl& control);

// A cancelled run has fewer results.
Result<SequenceDetection> detect_sequences(const std::vector<const faulty::SequenceRow*>& rows,
                                           const SequencePlan& plan, const RunControl& control);

}  // namespace assay

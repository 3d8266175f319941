// Audits the fault zoo, small sequential policies with one planted bug each, by the audit for black boxes.
//
// Each row of policies/faulty/sequence_table.hpp has a faulty policy and its correct counterpart. Their
// distributions give the exact level of both policies on the row's pair. One black-box audit of each policy
// (black_box_audit.hpp) checks the row's claim with the row's number of runs. The audit can only run the
// policy, as it can only run a program behind `assay audit --exec`.
//
// A result is as expected if the faulty policy's level exceeds the claim and the counterpart's does not, if the audit
// convicts the faulty policy and not its counterpart, and if neither bound is above the exact level. Each audit errs
// with probability at most 1 - confidence, and nearly that often if the counterpart's level is the claim.
//
// Threads: results do not depend on their number. Cost: 0.1 s a policy, 2 s for hidden-2e-4.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/faulty/sequence_table.hpp"

namespace assay {

struct SequencePlan {
  std::uint64_t seed = 1;
  double confidence = 0.999;  // with which each audit's statements hold, in [0.5, 1 - 1e-9]
};

// One audit of one policy.
struct SequenceAudit {
  double exact = 0.0;         // the level on the row's pair, from the distribution
  double common_event = 0.0;  // the level of the best event of probability at least 0.01
  double lower = 0.0;         // the certified lower bound
  Verdict verdict = Verdict::kInconclusive;
  std::string reason;
  std::int64_t runs = 0;  // all runs: checks, learning and certification, on D and D'
  double seconds = 0.0;   // of the audit

  static auto byte_fields(auto& self) {
    return std::tie(self.exact, self.common_event, self.lower, self.verdict, self.reason, self.runs,
                    self.seconds);
  }
  bool above_truth() const { return lower > exact; }
};

struct SequenceResult {
  const faulty::SequenceRow* row = nullptr;
  SequenceAudit fault, counterpart;

  bool as_expected() const;
};

struct SequenceDetection {
  SequencePlan plan;
  std::int64_t selected = 0;  // the number of requested rows
  std::vector<SequenceResult> results;
  bool complete() const { return static_cast<std::int64_t>(results.size()) == selected; }
  bool as_expected() const;
};

// Selects rows by name or pattern, in the table's order. Selects all rows if there is no pattern.
Result<std::vector<const faulty::SequenceRow*>> select_rows(
    const std::vector<faulty::SequenceRow>& table, const std::vector<std::string>& patterns);

// Errors: a confidence out of range.
Result<SequenceAudit> audit_sequence(const faulty::SequenceRow& row, bool counterpart,
                                     const SequencePlan& plan, const RunControl& control);

// A cancelled detection has fewer results.
Result<SequenceDetection> detect_sequences(const std::vector<const faulty::SequenceRow*>& rows,
                                           const SequencePlan& plan, const RunControl& control);

}  // namespace assay

// Repeated audits of the fault zoo for sequences.
#pragma once

#include <vector>

#include "assay/auditors/detect/sequences.hpp"
#include "assay/mechanisms/core/parallel.hpp"

namespace assay {

struct SequenceRuns {
  int convicted = 0;
  int above_truth = 0;
};

// `runs` audits with seeds first_seed, first_seed + 1, ..; two at a time.
inline SequenceRuns repeat_audit(const faulty::SequenceRow& row, bool counterpart,
                                 double confidence, std::uint64_t first_seed, int runs) {
  std::vector<SequenceAudit> audits(static_cast<std::size_t>(runs));
  parallel_for(2, audits.size(), [&](std::size_t i) {
    audits[i] = audit_sequence(row, counterpart, {first_seed + i, confidence}, {}).value();
  });
  SequenceRuns out;
  for (const auto& audit : audits) {
    out.convicted += audit.verdict == Verdict::kViolated ? 1 : 0;
    out.above_truth += audit.above_truth() ? 1 : 0;
  }
  return out;
}

}  // namespace assay

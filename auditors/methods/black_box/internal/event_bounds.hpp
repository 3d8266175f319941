// The bounds that runs prove by one event: certified runs by betting, recorded ones by exact counts.
//
// An EventTest is fixed before the first run that counts: the event, the claim's requirements, the number of runs
// that follow and the shares of alpha that they may spend. The bounds are a function of it and of the runs in
// their order; nothing here draws numbers or runs a target.
//
// main_alpha tests the claim itself. If the claim is refuted, larger levels follow with the same alpha,
// and if not, smaller ones with below_alpha (one error is possible in each case). The other
// quantity has second_alpha.
// Threads: values. Plans that a test makes point to its classes, so the test must outlive them.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/run_checks.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

struct EventTest {
  Asked asked;
  FoundEvent found;          // the event, its score and classes
  std::int64_t samples = 1;  // runs on each input
  bool stops_when_decided = false;
  bool divided = false;  // between two seedings
  double main_alpha = 0.0, below_alpha = 0.0, second_alpha = 0.0;

  const SelectedEvent& event() const { return found.selected; }
  double claimed() const { return asked.gaussian ? asked.mu.value : asked.epsilon.value; }
  BoundPlan bound(bool gaussian, double alpha) const;
  BoundPlan main_bound() const { return bound(asked.gaussian, main_alpha); }
};

struct EventBounds {
  std::vector<ReportedQuantity> quantities;  // the claimed one, then the other
  bool refuted = false;                      // the claim
  SeedingEvidence seedings;                  // on the claim; for runs with bets
};

EventBounds bound_by_betting(const EventTest& test, const CertifiedRuns& runs);
EventBounds bound_by_counts(const EventTest& test, const EventCounts& counts);

// The evidence of the runs on the claim, for later audits.
ClaimEProcess e_process_of(const EventTest& test, const CertifiedRuns& runs);

}  // namespace assay

// What plays prove of one event: certified ones by betting, recorded ones by exact counts.
//
// An EventTest is fixed before the first play that is counted: the event, what the claim asks of it, how many
// plays follow and which shares of alpha they may spend. What is proved is a function of it and of the plays in
// their order; nothing here draws or plays.
//
// The claim is tested by itself, with main_alpha; where it is refuted, larger levels follow with the same alpha,
// and where it is not, smaller ones with below_alpha (one error is possible in each state). The quantity that the
// claim is not about has second_alpha.
// Threads: values; what a test makes points at its classes, so that it has to outlive that.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/methods/black_box/half_lines.hpp"
#include "assay/auditors/methods/black_box/play_checks.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

struct EventTest {
  Asked asked;
  FoundEvent found;          // the event, its score and the classes of it
  std::int64_t samples = 1;  // plays a side
  bool stops_when_decided = false;
  bool divided = false;  // between two seedings
  double main_alpha = 0.0, below_alpha = 0.0, second_alpha = 0.0;

  const SelectedEvent& event() const { return found.selected; }
  double claimed() const { return asked.gaussian ? asked.mu.value : asked.epsilon.value; }
  BoundPlan bound(bool gaussian, double alpha) const;
  BoundPlan main_bound() const { return bound(asked.gaussian, main_alpha); }
};

struct EventBounds {
  std::vector<ReportedQuantity> quantities;  // the claim's own, the other
  bool refuted = false;                      // the claim
  SeedingEvidence seedings;                  // about the claim; of plays that were bet on
};

EventBounds bound_by_betting(const EventTest& test, const CertifiedPlays& plays);
EventBounds bound_by_counts(const EventTest& test, const EventCounts& counts);

// What the plays say of the claim to later audits.
ClaimEProcess e_process_of(const EventTest& test, const CertifiedPlays& plays);

}  // namespace assay

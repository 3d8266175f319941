// The conclusion of a black-box audit from its phases: the verdict with its reason, the leak that this run would have
// detected if it refutes nothing, a description of the pair, and the limits of the evidence.
//
// Counted runs are evidence only if they are independent, not all alike, and not seeded by the clock.
// Otherwise the verdict is Inconclusive and every bound is dropped. It is also Inconclusive if a refutation depends
// on one seeding alone, if the target fails often, and if the runs ended before they decided the claim.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"

namespace assay {

// The findings of the phases. The evidence already has the bounds and the counts.
struct AuditFindings {
  const EventTest& test;
  const ChosenEvent& chosen;
  std::span<const PlayedSubject> subjects = {};  // empty for recorded runs
  EventCounts counts;                            // of the event
  bool refuted = false;                          // the claim,
  bool by_bets = false;                          // by bets from the first run on
  SeedingEvidence seedings = {};
  std::int64_t planned = 0;    // runs on each input
  double to_see = 0.0;         // the level that the audit should see
  std::int64_t certified = 0;  // runs in total
  bool independent = true;     // the runs
  bool alike = false;          // all runs of an input, searched and certified, and the two differ
  bool constant = false;       // all certified runs gave one output, on both inputs
  bool by_time = false;        // runs at the same time were alike, and later ones were not
  std::optional<double> futile_at =
      {};  // if the runs ended for that: the leak that they would have detected

  bool recorded() const { return subjects.empty(); }
  const PlayedSubject& subject() const { return subjects[chosen.candidate.subject]; }
};

// Adds the conclusion to the outcome that holds the evidence. `control` gives the reason for an early end.
void conclude(const AuditFindings& findings, const InputShape& shape, const BlackBoxPlan& plan,
              const RunControl& control, BlackBoxOutcome& outcome);

}  // namespace assay

// What the phases of a black-box audit come to: the verdict with its reason, what this run would have seen where
// it refutes nothing, the pair in words, and the limits of what was found.
//
// Counted plays are evidence only where they are independent, not all alike, and not drawn from the clock;
// otherwise the verdict is Inconclusive and every bound is dropped. It is Inconclusive too where a refutation rests
// on one seeding alone, where the target fails often, and where plays ended before the claim was decided.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/internal/event_bounds.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"

namespace assay {

// What was found out; the bounds and what was counted stand in the evidence already.
struct AuditFindings {
  const EventTest& test;
  const ChosenEvent& chosen;
  std::span<const PlayedSubject> subjects = {};  // none of recorded plays
  EventCounts counts;                            // of the event
  bool refuted = false;                          // the claim
  SeedingEvidence seedings = {};
  std::int64_t planned = 0;    // plays a side
  std::int64_t certified = 0;  // plays in all
  bool independent = true;     // the plays
  bool alike = false;          // all plays of an input, searched and certified, and the two differ
  bool by_time = false;        // plays that came together were alike, and later ones were not
  std::optional<double> futile_at =
      {};  // where the plays ended for that: what they would have shown

  bool recorded() const { return subjects.empty(); }
  const PlayedSubject& subject() const { return subjects[chosen.candidate.subject]; }
};

// Adds it to the outcome, whose evidence is of these findings. `control` says why plays ended early.
void conclude(const AuditFindings& findings, const InputShape& shape, const BlackBoxPlan& plan,
              const RunControl& control, BlackBoxOutcome& outcome);

}  // namespace assay

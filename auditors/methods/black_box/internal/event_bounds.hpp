// The bounds that runs prove by one event: certified runs by betting, recorded ones by exact counts.
//
// An EventTest is fixed before the first run that counts: the event, the claim's requirements, the number of runs
// that follow and the shares of alpha that they may spend. The bounds are a function of it and of the runs in
// their order; nothing here draws numbers or runs a target.
//
// Two methods test the claim: bets on the event with main_alpha, and bets from the pair's first run on (pair_bets.hpp)
// with bets.alpha. The first of them that refutes it goes on to larger levels with its alpha; if neither does, smaller
// ones follow with below_alpha (one error is possible in each case). The other quantity has second_alpha.
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
  double seeding_alpha = kSeedingAlpha;  // of divided runs, for bets on the event
  BetsLevel bets = {};                   // from the first run on

  const SelectedEvent& event() const { return found.selected; }
  double claimed() const { return asked.claimed(); }
  BoundPlan bound(bool gaussian, double alpha) const;
  BoundPlan main_bound() const { return bound(asked.gaussian, main_alpha); }
  bool is_refuted_by(const CoinBets& by) const {
    return by.reached(bets.alpha, bets.seeding_alpha);
  }
};

struct EventBounds {
  std::vector<ReportedQuantity> quantities;  // the claimed one, then the other
  bool refuted = false;                      // the claim,
  bool by_bets = false;                      // by bets from the first run on
  SeedingEvidence seedings;                  // on the claim; for runs with bets
};

// `bets`: on the pair's runs from the first on.
EventBounds bound_by_betting(const EventTest& test, const CertifiedRuns& runs,
                             const CoinBets& bets);
// By those bets alone, which have refuted the claim.
EventBounds bound_by_bets(const EventTest& test, const CoinBets& bets);
EventBounds bound_by_counts(const EventTest& test, const EventCounts& counts);

// The evidence of the runs on the claim, for later audits.
ClaimEProcess e_process_of(const EventTest& test, const CertifiedRuns& runs);

}  // namespace assay

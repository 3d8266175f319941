// The claims of the paper that have a search: the space of each and its margin, which is positive at a
// violation. `assay verify` searches these spaces within its budget, and RapidCheck draws from them in
// tests/property. The comment next to a search states its margin.
#pragma once

#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/dueling/claims/counterexamples.hpp"
#include "assay/auditors/dueling/claims/printed_counterexamples.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"

namespace assay::dueling_checks {

SearchedClaim borda_spread_search();        // Delta(best, worst) less B(best) - B(worst)
SearchedClaim borda_lead_search();          // B(j) - B(worst) less Delta(best, worst)
SearchedClaim borda_lead_doubled_search();  // ... less twice Delta(best, worst)
SearchedClaim transitivity_search();        // the excess over either inequality
SearchedClaim score_gap_search();           // a gap of scores less 2 Delta

// The largest loss of a run's release over eps, less 1.
SearchedClaim elimination_privacy_search();
SearchedClaim tree_privacy_search();
SearchedClaim design_privacy_search(CountNoise noise);

SearchedClaim tree_accuracy_search();   // log of the failure's probability over delta
SearchedClaim unbiased_set_search();    // mean of an estimate less the score, by enumeration
SearchedClaim unbiased_phase_search();  // the same, given the phase, in closed form

SearchedClaim pulls_search();        // (1 + share) times both radii over Delta, less 1
SearchedClaim duel_regret_search();  // log of the regret over its bound
SearchedClaim duel_lower_search();   // log of group privacy's bound over the probability

SearchedClaim kiefer_wolfowitz_search();  // |z|^2 over d off its certificate; support
SearchedClaim phase_length_search();      // duels less Lemma 8's bound
SearchedClaim slope_search(Kappa kappa);  // kappa less the slope
SearchedClaim score_confidence_search();  // probability of an error less 3 delta

// As printed; with feeds_losses, the repaired rule as a control.
SearchedClaim listed_elimination_search(bool feeds_losses);  // true delta of an event at eps
SearchedClaim removal_search();       // lower end of an interval less its score
SearchedClaim coverage_search();      // P(an interval misses) less delta
SearchedClaim one_count_search();     // least less most probability of a report
SearchedClaim sampled_duel_search();  // -log delta if the plays are below 1/eps

// log(T)^2.5, a factor of all the paper's noise terms.
double log_growth(double horizon);

// The setting at a point of such a search, as doubles.
BordaCounterexample borda_at(const Point& point);
ScoreGapCounterexample score_gap_at(const Point& point);
PhaseCounterexample phase_at(const Point& point);
PullsCounterexample pulls_at(const Point& point);
DuelRegretCounterexample duel_regret_at(const Point& point);
ConfidenceCounterexample confidence_at(const Point& point);
EmptyCounterCounterexample empty_counter_at(const Point& point);
RemovalCounterexample removal_at(const Point& point);
CoverageCounterexample coverage_at(const Point& point);
OneCountCounterexample one_count_at(const Point& point);
SampledDuelCounterexample sampled_duel_at(const Point& point);

}  // namespace assay::dueling_checks

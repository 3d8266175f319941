// A black-box audit: a target that the audit can only run, a claim, and neighbouring inputs to try.
//
//   search    successive halving over the candidate pairs: each round drops two thirds and triples the runs
//             (pair_search.hpp)
//   learn     a score of outputs (score.hpp), then an event of it and weighted classes of it
//   certify   fresh runs, each on an input that a coin chooses, with bets on the event and its score (certify.hpp) and
//             on the coin (pair_bets.hpp), until all are done or they decide (stop_rule.hpp); bounds: event_bounds.hpp
//   conclude  a verdict, with its reason and its limits (conclusion.hpp)
// Before its search, an audit that may stop early (stop_when_decided) tries with parts of its runs: a smaller
// search, and then bets on the coins of the pair's runs, from the first on. What leaks much falls within some
// hundred runs, and the audit ends. Each phase, and each of these tries, has its own seeds. The refutation also
// holds for a target that changes over time or remembers earlier runs, because the refuted statement is "every run
// is as private as claimed, given all runs before it". It applies to a single run only if runs do not share their
// noise. So the audit checks runs of fresh processes for independence (run_checks.hpp), and certifies nothing if
// that fails. It also compares the certified runs with each other over time and with a fresh process, and reports
// the result.
//
// Runs that are all alike on each of the two inputs, and differ between them, prove nothing unless the
// target is declared deterministic, because an adapter with a fixed seed has the same outputs.
//
// Statements about privacy are about the one certified pair and score. A claim that is not refuted may be false for
// other pairs. Runs alone give no upper bound.
//
// All runs come from one budget (run_budget.hpp, run_account.hpp). A deadline may end certification; the
// bounds still hold, by docs/proofs/side_betting.md ("Any last run").
//
// A target with free parameters is treated as several subjects, one for each setting. The search ranks subjects and
// pairs together, by how far they seem to exceed their claims.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/players.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

struct BlackBoxPlan : AuditTerms {
  // Certified runs on each input, at least 100; 0 if `runs` determines them.
  std::int64_t samples = 10'000;
  std::optional<std::int64_t> runs = {};  // runs for everything together, at least kFewestInAll
  // The time of one message. If it is above 0, the deadline of the control is a time budget, and the audit gives a
  // verdict at its end.
  double seconds_a_run = 0.0;
  bool stop_when_decided = false;
  // Certify as many runs as the event needs to show the level to see, beyond `runs` if need be, up to kMostBeyond times.
  bool runs_follow = false;
  bool say_visible =
      true;  // report what the run would have detected if it refutes nothing: takes 0.5 s
  bool check_certified = true;  // against time and a fresh process; changes no bound and no verdict
  // A mechanism's outputs are rounded to multiples of this before anything reads them; 0 for no rounding. This hides
  // the low bits of floating-point noise, for a mechanism that publishes rounded outputs.
  double output_grid = 0.0;
  std::vector<InputPair> pairs = {};  // at least one
  std::string pairs_text = {};        // where they come from
  bool boundaries = false;            // try pairs of boundary_pairs.hpp first; for one subject only
  // Returns at most `most` pairs that resemble the best, to try before learning from one. May be empty.
  std::function<std::vector<InputPair>(const InputPair& best, std::size_t most)> refine = {};
  // The part of the budget that an earlier part of the same audit used: shares of alpha, by name, and runs.
  std::vector<std::pair<std::string, double>> shares_spent = {};
  RunsSpent played = {};
  // The share of the claim's error probability for the statement that certified runs which never vary have no noise;
  // 0: no such statement (first_look.hpp).
  double still_alpha = 0.0;

  bool is_timed() const { return seconds_a_run > 0.0; }
  // Replaces the kind's own check of inputs, for a policy that accepts more.
  std::function<Status(const InputPair&)> check = {};
};

struct BlackBoxOutcome : Gathered {
  Relation relation = Relation::kTwoInputs;  // the relation for which the bounds hold
  View view = View::kActions;
  std::size_t subject = 0;            // the index of the subject that was certified
  std::optional<Error> target_error;  // if the target failed; the evidence is from the runs before
};

// A target at one setting of its free parameters, and the claim for that setting.
struct PlayedSubject {
  Players* players = nullptr;
  bool promises_seeds = false;  // the target's own statement
  PrivacyLevel claim;
  bool deterministic = false;  // declared: equal outputs on one input are intended
};

// The largest number of candidates (a subject with a pair) that a search covers. If there are several subjects, each
// gets the first pairs of the plan, at least three.
inline constexpr std::size_t kMostCandidates = 48;

struct BestSoFar;  // pair_search.hpp

// The outcome of an audit that ended before anything was certified: its time ended (`is_late`), the user interrupted
// it, or the target failed. Inconclusive, on the best pair of the search so far or the first of the plan, which has
// one. Errors: `why`, if it is none of these.
Result<BlackBoxOutcome> undecided_outcome(const InputShape& shape, const BlackBoxPlan& plan,
                                          RunsSpent spent, const Error& why, bool is_late = false,
                                          const BestSoFar* best = nullptr);

// Each subject has its own claim; plan.claim is not used. Errors: no subject, subjects of different shapes, a
// plan out of range, inputs that the target refuses. After an interruption, and if the target fails, the outcome has
// what was certified before, with the error.
Result<BlackBoxOutcome> audit_black_box(std::span<const PlayedSubject> subjects,
                                        const BlackBoxPlan& plan, const RunControl& control);

// One subject, with the plan's claim.
Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control);

// The same for recorded runs on both inputs of one pair: the audit learns from a third on each input and counts
// the rest. changed_row: the row in which the inputs differ, from 0. plan.pairs and plan.samples are not
// used. The audit cannot check the independence of recorded runs, so the report says that it assumes it.
// Errors: fewer than 100 runs on an input.
Result<BlackBoxOutcome> audit_recorded(const InputShape& shape, const OutputBatch& base_runs,
                                       const OutputBatch& neighbour_runs, std::int64_t changed_row,
                                       const BlackBoxPlan& plan);

}  // namespace assay

// A black-box audit: a target that can only be played, a claim, and neighbouring inputs to try.
//
//   search    successive halving over the candidate pairs: two thirds go, the plays treble (pair_search.hpp)
//   learn     a score of outputs (score.hpp), then an event of it and classes of it to weigh
//   certify   fresh plays, each of a side that a coin decides, bet on one by one (certify.hpp), until all are made
//             or they decide (stop_rule.hpp); what they prove: event_bounds.hpp
//   conclude  a verdict, with its reason and its limits (conclusion.hpp)
// Each phase has seeds of its own. What is certified holds for a target that drifts or remembers:
// what is refuted is "every play is as private as claimed, given all plays before it". For that to be
// about a play by itself, plays must not share their noise: plays of fresh processes are checked for
// independence (play_checks.hpp), and where they fail, nothing is certified. The certified plays
// are compared with each other over time and with a fresh process; what that finds is said.
//
// Plays that are all alike on each of the two inputs, and differ between them, prove nothing unless the
// target is declared deterministic: a seed fixed in an adapter does the same.
//
// Privacy statements are about the one pair and score that were certified: a claim that is not
// refuted may be false for others. No upper bound follows from plays.
//
// All plays come from one budget (play_budget.hpp, play_account.hpp). A deadline may end certification: the
// bounds hold, by docs/proofs/side_betting.md ("Any last run").
//
// A target with free parameters is several subjects, one for each setting; the search runs over
// subjects and pairs together, by what they seem to leak beyond their claims.
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
  // Certified plays a side, at least 100; 0 where `plays` decides.
  std::int64_t samples = 10'000;
  std::optional<std::int64_t> plays = {};  // of everything together, at least kFewestInAll
  // Of one message. Above 0 the control's deadline is a budget of this audit: it ends in a verdict.
  double seconds_a_play = 0.0;
  bool stop_when_decided = false;
  double margin = 0.1;      // beyond the claim, of its eps or mu (stop_rule.hpp)
  bool say_visible = true;  // what the run would have seen, where it refutes nothing: takes 0.5 s
  bool check_certified = true;  // against time and a fresh process: changes no bound and no verdict
  // A mechanism's outputs are rounded to multiples of this before anything looks at them; 0: not.
  // Hides the low bits of floating-point noise, for those who publish as much.
  double output_grid = 0.0;
  std::vector<InputPair> pairs = {};  // at least one
  std::string pairs_text = {};        // where they come from
  bool boundaries = false;  // pairs of boundary_pairs.hpp join them, first; of one subject
  // Pairs like the best, at most so many, to be tried before one is learnt from; may be empty.
  std::function<std::vector<InputPair>(const InputPair& best, std::size_t most)> refine = {};
  // What an earlier part of the same audit used up: shares of alpha, by name, and plays.
  std::vector<std::pair<std::string, double>> shares_spent = {};
  PlaysSpent played = {};
  // Of the claim's error probability, for saying that certified runs which never vary have no noise; 0: not
  // said (first_look.hpp).
  double still_alpha = 0.0;

  bool is_timed() const { return seconds_a_play > 0.0; }
  // What inputs are held against in place of the kind's own ranges: of a policy that takes more.
  std::function<Status(const InputPair&)> check = {};
};

struct BlackBoxOutcome : Gathered {
  Relation relation = Relation::kTwoInputs;  // that the bounds are about
  View view = View::kActions;
  std::size_t subject = 0;            // which was certified
  std::optional<Error> target_error;  // it failed; the evidence is what was certified before
};

// A target at one setting of its free parameters, and what is claimed of it there.
struct PlayedSubject {
  Players* players = nullptr;
  bool promises_seeds = false;  // what the target says of itself
  PrivacyLevel claim;
  bool deterministic = false;  // declared: plays of one input are meant to be alike
};

// The most (subject, pair) that are searched: of several subjects each gets the first pairs of the
// plan, at least three.
inline constexpr std::size_t kMostCandidates = 48;

// plan.claim is not read: each subject has its own. Errors: no subject, subjects of different shapes, a
// plan out of range, a target that fails before anything could be certified, interruption before that.
Result<BlackBoxOutcome> audit_black_box(std::span<const PlayedSubject> subjects,
                                        const BlackBoxPlan& plan, const RunControl& control);

// One subject, claimed to be as the plan says.
Result<BlackBoxOutcome> audit_black_box(Players& players, bool promises_seeds,
                                        const BlackBoxPlan& plan, const RunControl& control);

// The same for plays that were recorded on both sides of one pair: a third of each side learns, the
// rest is counted. changed_row: where the inputs differ, from 0. plan.pairs and plan.samples are not
// used; independence of the plays cannot be checked and is taken on trust, which the report says.
// Errors: fewer than 100 plays on a side.
Result<BlackBoxOutcome> audit_recorded(const InputShape& shape, const OutputBatch& old_plays,
                                       const OutputBatch& new_plays, std::int64_t changed_row,
                                       const BlackBoxPlan& plan);

}  // namespace assay

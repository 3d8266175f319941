// Where a black-box audit of a target plays to learn: which subject to certify, on which neighbouring
// pair, and which event there.
//
// Successive halving (event_search.hpp) by thirds: every candidate is played some dozen times a side, the
// better third stay, and the plays treble; then pairs around the best are tried with it; then the last
// one is played in earnest. A candidate whose plays would refute its claim by themselves, with room to
// spare, ends all rounds before the last, whichever candidates were not played yet.
// Both sides of a candidate get
// the same seeds, so that a target that honours them does the same on both until its inputs tell them
// apart; one that does not loses nothing. All plays of a candidate are learnt from again in later
// rounds, as far as memory holds them.
// Cost: the plays of its budget (play_budget.hpp), at most.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/event_search.hpp"
#include "assay/auditors/methods/black_box/play_budget.hpp"

namespace assay {

struct Candidate {
  std::size_t subject = 0;
  std::size_t pair = 0;  // of the plan
};

// The candidates of a plan, subject by subject; at most kMostCandidates where several subjects share.
std::vector<Candidate> candidates_of(std::size_t subjects, std::size_t pairs);

struct ChosenEvent {
  Candidate candidate;
  SearchedEvent event;
  // Of the last round: whether all plays of one input were alike, on both, and the two differ; then the
  // digests of their outputs.
  bool alike = false;
  std::array<std::uint64_t, 2> only_output{};
  std::size_t searched = 0;  // candidates that were played,
  std::size_t refined = 0;   // of these around the best of the others
  bool settled = false;      // the search ended early
  FailureEvidence failures;  // of all that was played
};

// `found` is called with the candidate that is left, before it is played in earnest. Pairs that are tried
// around the best join those of the plan; what is played is added to `spent`. With a deadline, half of the time that is left goes to the
// search, and what is left of the learning to half of the rest. Errors: a target's, that of `found`,
// interruption.
Result<ChosenEvent> choose_event(std::span<const PlayedSubject> subjects, BlackBoxPlan& plan,
                                 const PlayBudget& budget, double alpha,
                                 const std::function<Status(Candidate)>& found, PlaysSpent& spent,
                                 const RunControl& control);

// From recorded plays: the first half is learnt from. runs_left: that will be counted on a side.
Result<SearchedEvent> choose_event(const OutputView& view, const SidePlays& plays,
                                   const Asked& asked, double alpha, std::int64_t runs_left,
                                   const RunControl& control);

// Leaves what the view shows: what the changed round tells becomes 0 where view_of leaves it out, and
// numbers are rounded to multiples of plan.output_grid.
void keep_view(const InputShape& shape, std::int64_t changed_row, const BlackBoxPlan& plan,
               OutputBatch& plays);

// Twice the place of a pair among all candidates: a lane of streams for each of its sides.
std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate);

}  // namespace assay

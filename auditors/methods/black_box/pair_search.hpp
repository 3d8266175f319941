// Where a black-box audit of a target plays to learn: which subject to certify, on which neighbouring
// pair, and which event there.
//
// Successive halving (event_search.hpp): every candidate is played a few hundred times a side, the better
// half stay, and the plays double; then the last one is played in earnest. Both sides of a candidate get
// the same seeds, so that a target that honours them does the same on both until its inputs tell them
// apart; one that does not loses nothing. All plays of a candidate are learnt from again in later
// rounds, as far as memory holds them.
// Cost: each round about candidates x 512 plays; log2(candidates) rounds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/event_search.hpp"

namespace assay {

struct Candidate {
  std::size_t subject = 0;
  std::size_t pair = 0;  // of the plan
};

// The candidates of a plan, subject by subject; at most kMostCandidates where several subjects share.
std::vector<Candidate> candidates_of(std::size_t subjects, std::size_t pairs);

// Plays of both sides that choose_event() takes at most, in all its rounds.
std::int64_t plays_to_choose(std::size_t subjects, const BlackBoxPlan& plan,
                             const InputShape& shape);

struct ChosenEvent {
  Candidate candidate;
  SearchedEvent event;
  // Of the last round: whether all plays of one input were alike, on both, and the two differ; then the
  // digests of their outputs.
  bool alike = false;
  std::array<std::uint64_t, 2> only_output{};
};

// `found` is called with the candidate that is left, before it is played in earnest. Errors: a target's,
// that of `found`, interruption.
Result<ChosenEvent> choose_event(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
                                 double alpha, const std::function<Status(Candidate)>& found,
                                 const RunControl& control);

// From recorded plays: the first half is learnt from. runs_left: that will be counted on a side.
Result<SearchedEvent> choose_event(const OutputView& view, const SidePlays& plays,
                                   const Asked& asked, double alpha, std::int64_t runs_left,
                                   const RunControl& control);

// Leaves what the view shows: the action of the changed row becomes 0 where view_of leaves it out,
// and a mechanism's outputs are rounded to multiples of plan.output_grid.
void keep_view(const InputShape& shape, std::int64_t changed_row, const BlackBoxPlan& plan,
               OutputBatch& plays);

// Twice the place of a pair among all candidates: a lane of streams for each of its sides.
std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate);

}  // namespace assay

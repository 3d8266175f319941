// The search of a black-box audit of a target: which subject to certify, on which neighbouring pair, and
// by which event.
//
// Successive halving (event_search.hpp) by thirds. Every candidate has some dozen runs on each input; a
// third stays, with three times the runs. Then the search tries the best and pairs around it, and the
// last one gets the runs of the learning phase. In an early try, coins choose the inputs of these, and bets are placed
// on each (pair_bets.hpp). A candidate whose runs would refute its claim by themselves, by a
// clear margin, ends all rounds before the last, even if some candidates have not run yet.
// In the search both inputs of a candidate get the same seeds, so that a target that honours seeds does the same on both until its
// inputs make a difference. A target that does not honour them loses nothing. Later rounds learn from all earlier
// runs of a candidate again, as far as memory holds them.
// Cost: at most the runs of its budget (run_budget.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/event_search.hpp"
#include "assay/auditors/methods/black_box/pair_bets.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"
#include "assay/auditors/methods/output_frequencies.hpp"

namespace assay {

struct Candidate {
  std::size_t subject = 0;
  std::size_t pair = 0;  // of the plan
};

// The candidates of a plan, subject by subject; at most kMostCandidates if there are several subjects.
std::vector<Candidate> candidates_of(std::size_t subjects, std::size_t pairs);

// The best candidate of a search that may not have ended: an estimate.
struct BestSoFar {
  Candidate candidate;
  InputPair pair;
  SearchEstimate estimate;
};

struct ChosenEvent {
  Candidate candidate;
  SearchedEvent event;
  std::shared_ptr<PairBets> bets;  // for the certified runs; of an early try, on its runs
  bool convicted =
      false;  // by these bets, so that the audit ends; the event then only describes it
  // In the learning runs: whether all runs of one input were alike, for both inputs, and the two differ; then the
  // digests of their outputs.
  bool alike = false;
  std::array<std::uint64_t, 2> only_output{};
  std::size_t searched = 0;  // candidates that ran,
  std::size_t refined = 0;   // and the number of these around the best of the others
  bool settled = false;      // the search ended early
  FailureEvidence failures;  // among all its runs
  OutputFrequencies
      frequencies;  // in the learning runs; of an early try that convicts, in the runs of its bets
};

// `bets`: the level of bets on the coins of runs; alpha: that of the bets on the event that follows. Calls `found` with the last remaining candidate, before its learning runs; it says whether bets on these may end the
// audit. Adds the pairs around the best to those of the plan, the runs to `spent`, and keeps the best so far. With a deadline, the search gets half of the remaining time, and the learning
// half of the rest after it. Errors: a target's, that of `found`,
// interruption.
Result<ChosenEvent> choose_event(std::span<const PlayedSubject> subjects, BlackBoxPlan& plan,
                                 const RunBudget& budget, const BetsLevel& bets, double alpha,
                                 const std::function<Result<bool>(Candidate)>& found,
                                 RunsSpent& spent, std::optional<BestSoFar>& best,
                                 const RunControl& control);

// The same from recorded runs; learns from the first half. runs_left: how many will be counted on each input; to_see: the
// level that they should see.
Result<SearchedEvent> choose_event(const OutputView& view, const SideRuns& runs, const Asked& asked,
                                   double to_see, double alpha, std::int64_t runs_left,
                                   const RunControl& control);

// Keeps the part of an output that the adversary sees: sets the outputs of the changed round to 0 if view_of leaves
// them out, and rounds numbers to multiples of plan.output_grid.
void keep_view(const InputShape& shape, std::int64_t changed_row, const BlackBoxPlan& plan,
               OutputBatch& runs);

// Twice the index of a pair among all candidates: a lane of streams for each of its inputs.
std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate);

}  // namespace assay

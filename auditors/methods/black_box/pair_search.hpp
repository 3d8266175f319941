// The search for what a black-box audit certifies: which subject, on which neighbouring pair.
//
// Successive halving: every candidate is played a few hundred times a side, a score is learnt on half
// of the plays and its predicted lower bound on eps read off the other half; by that bound less the
// claimed eps the better half of the candidates stay, and the plays double. What it finds is a
// candidate: certification plays it again, with seeds of another phase.
// Cost: each round about candidates x 512 plays; log2(candidates) rounds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "assay/auditors/methods/black_box/asked.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/black_box/score.hpp"

namespace assay {

struct Candidate {
  std::size_t subject = 0;
  std::size_t pair = 0;  // of the plan
};

// The candidates of a plan, subject by subject; at most kMostCandidates where several subjects share.
std::vector<Candidate> candidates_of(std::size_t subjects, std::size_t pairs);

// Errors: a target's, interruption.
Result<Candidate> search_pairs(std::span<const AuditSubject> subjects, const BlackBoxPlan& plan,
                               double alpha, const RunControl& control);

// `count` plays of each side in random order, as keep_view leaves them; fewer where outputs are so long
// that they would not fit in memory.
Result<SidePlays> play_both(const AuditSubject& subject, const BlackBoxPlan& plan,
                            Candidate candidate, std::int64_t count, std::string_view purpose,
                            Phase phase, const RunControl& control);

// Leaves what the view shows: the action of the changed row becomes 0 where view_of leaves it out,
// and a mechanism's outputs are rounded to multiples of plan.output_grid.
void keep_view(const InputShape& shape, std::int64_t changed_row, const BlackBoxPlan& plan,
               OutputBatch& plays);

// Twice the place of a pair among all candidates: a lane of streams for each of its sides.
std::uint64_t lane_of(const BlackBoxPlan& plan, Candidate candidate);

// Plays first..first + count - 1.
OutputBatch cut(const OutputBatch& plays, std::int64_t first, std::int64_t count);
SidePlays cut(const SidePlays& plays, std::int64_t first, std::int64_t count);

// A score learnt on the first half of the plays and compared on the second.
LearntScore learn_on_halves(const InputShape& shape, std::int64_t changed_row,
                            const SidePlays& plays, const Asked& asked, double alpha,
                            std::int64_t runs_left);

}  // namespace assay

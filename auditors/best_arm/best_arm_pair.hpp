// A best-arm policy in phases on two neighbouring reward tables: the law of its transcripts where
// every phase has one, and its plays with the losses of what they release.
//
// Relation: replace one cell of a table by pull, or one column of a table by time. View: the
// actions, with the recommendation. A phase reads rewards of its own through the sums of the arms
// it pulls; which arms are active is not seen, only which are pulled. So with S_p the survivors of
// phase p,
//   P(transcript) = sum over survivors S_1, S_2, .. that pull what the transcript shows of
//                   prod over p of P(S_p | S_{p-1})  (1)
// by phase_law.hpp, a relative error of kPhaseRelativeError a phase. A play's loss is that of its
// released values (reward_table.hpp): a sum over the phases that read what differs.
// Reference: Chen, Karthik, Chee, Tan (ICLR 2024), section 3; the augmented release of
// docs/decisions/families.md. Threads: any number, the same result.
// Cost: that of a phase law for each reachable active set, on both sides.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "assay/auditors/best_arm/phase_law.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/release.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/best_arm/reward_table.hpp"

namespace assay {

// What an audit needs of a policy with phases.
struct PhasedSubject {
  std::shared_ptr<const PhasePlanner> planner;
  std::int64_t arms = 0;
  std::int64_t budget = 0;
  std::int64_t rows =
      0;  // that tables hold: as many as the budget, or less by pull (reward_table.hpp)
  TableIndex index = TableIndex::kPull;
  std::function<Result<BestArmRun>(RewardTable, ReplayStream)> play;
};

// Of a policy that runs on tables (run_on_table).
template <class P>
PhasedSubject phased_subject(const P& policy, std::int64_t arms, std::int64_t budget,
                             TableIndex index) {
  const auto play = [policy](RewardTable table, ReplayStream random) {
    return run_on_table(policy, std::move(table), random);
  };
  // The planner that the policy shares with its copies, kept by one of them.
  auto keeper = std::make_shared<const P>(policy);
  std::shared_ptr<const PhasePlanner> planner(keeper, &keeper->planner());
  return {std::move(planner), arms, budget, budget, index, play};
}

// What an adversary sees, without what follows from it: from the second phase on -1 and the pulled
// arms, each with its pulls; then -1 and the recommendation.
std::vector<int> seen_actions(const BestArmRun& run);

// The two sides of a pair as reward tables. Errors: another shape, rewards outside [0, 1].
Result<RewardTable> table_of(const PhasedSubject& subject, const InputPair& pair, Side side);

// (1).
struct TranscriptLaws {
  EnumeratedLaws laws;
  std::vector<std::vector<int>> transcripts;  // as seen_actions()
  std::map<std::vector<int>, int> index;      // of transcripts
};
// Errors: a phase without a law, more than `most` outcomes.
Result<TranscriptLaws> transcript_laws(const PhasedSubject& subject, const InputPair& pair,
                                       std::int64_t most = 20'000);
// The same of many pairs, which ask for many sets again.
Result<TranscriptLaws> transcript_laws(const PhasedSubject& subject, const InputPair& pair,
                                       TopSetMemo& memo, std::int64_t most = 20'000);
// A_1..A_T and the recommendation, of what was seen.
std::vector<int> whole_transcript(const PhasedSubject& subject, const std::vector<int>& seen);

// `largest`: no loss of this pair is larger, by proof; or infinity. Errors: tables that do not fit.
Result<std::unique_ptr<PairRelease>> best_arm_release(const PhasedSubject& subject,
                                                      const InputPair& pair, double largest);

// Pairs that tell much: an arm j that phase 1 pulls pays 0 or 1 throughout, one of its rewards
// changes to the other, the first of phase 1 or 2, and the other arms pay alike, nearer to its mean
// or farther by the scale of the noise: by `first`, then by a list. At most `most`.
std::vector<InputPair> hard_reward_pairs(const PhasedSubject& subject, std::size_t most,
                                         std::span<const double> first = {});
// Cells, or columns, of the first phase of a given table, each changed to its farther extreme.
std::vector<InputPair> reward_pairs_beside(const PhasedSubject& subject,
                                           const std::shared_ptr<const InputTable>& base,
                                           std::size_t most);

}  // namespace assay

// Runs a best-arm policy in phases on two neighbouring reward tables. It gives the distribution of the
// transcripts, if that of every phase is known, and the losses of the releases of runs.
//
// Relation: replace one cell of a table by pull, or one column of a table by time. The adversary
// sees the actions and the recommendation. A phase reads its own rewards through the sums of the
// arms that it pulls. The view shows the pulled arms, but not the active ones. So with S_p the
// survivors of phase p,
//   P(transcript) = sum over survivors S_1, S_2, .. that pull the arms of the transcript, of
//                   prod over p of P(S_p | S_{p-1})  (1)
// by phase_distribution.hpp, with a relative error of kPhaseRelativeError for each phase. The loss of a run
// is that of its released values (reward_table.hpp): a sum over the phases that read the changed
// rewards.
// Reference: Chen, Karthik, Chee, Tan (ICLR 2024), section 3; the augmented release of
// docs/decisions/families.md. Threads: any number of threads gives the same result.
// Cost: one phase's distribution for each reachable active set, on both inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "assay/auditors/best_arm/phase_distribution.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/release.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/best_arm/reward_table.hpp"

namespace assay {

// The operations of a policy with phases that an audit needs.
struct PhasedSubject {
  std::shared_ptr<const PhasePlanner> planner;
  std::int64_t arms = 0;
  std::int64_t budget = 0;
  // The rows of the tables: the budget, or fewer if they are indexed by pull (reward_table.hpp).
  std::int64_t rows = 0;
  TableIndex index = TableIndex::kPull;
  std::function<Result<BestArmRun>(RewardTable, ReplayStream)> play;
};

// Makes one from a policy that runs on tables (run_on_table).
template <class P>
PhasedSubject phased_subject(const P& policy, std::int64_t arms, std::int64_t budget,
                             TableIndex index) {
  const auto play = [policy](RewardTable table, ReplayStream random) {
    return run_on_table(policy, std::move(table), random);
  };
  // The planner that the policy shares with its copies; one of them owns it.
  auto keeper = std::make_shared<const P>(policy);
  std::shared_ptr<const PhasePlanner> planner(keeper, &keeper->planner());
  return {std::move(planner), arms, budget, budget, index, play};
}

// The view without its redundant parts: from the second phase on, -1 and the pulled arms, each with
// its pulls; then -1 and the recommendation.
std::vector<int> seen_actions(const BestArmRun& run);

// The two inputs of a pair as reward tables. Errors: another shape, rewards outside [0, 1].
Result<RewardTable> table_of(const PhasedSubject& subject, const InputPair& pair, Side side);

// The distributions (1) on both inputs.
struct TranscriptDistributions {
  EnumeratedDistributions distributions;
  std::vector<std::vector<int>> transcripts;  // as seen_actions()
  std::map<std::vector<int>, int> index;      // of transcripts
};
// Errors: a phase without a known distribution, more than `most` outcomes.
Result<TranscriptDistributions> transcript_distributions(const PhasedSubject& subject,
                                                         const InputPair& pair,
                                                         std::int64_t most = 20'000);
// The same for many pairs, which need many of the same sets.
Result<TranscriptDistributions> transcript_distributions(const PhasedSubject& subject,
                                                         const InputPair& pair, TopSetMemo& memo,
                                                         std::int64_t most = 20'000);
// A_1..A_T and the recommendation, from seen_actions().
std::vector<int> whole_transcript(const PhasedSubject& subject, const std::vector<int>& seen);

// `largest` is a proved bound of this pair's losses, or infinity. Errors: tables that do not fit.
Result<std::unique_ptr<PairRelease>> best_arm_release(const PhasedSubject& subject,
                                                      const InputPair& pair, double largest);

// Informative pairs, at most `most`. An arm j that phase 1 pulls always pays 0 or always pays 1, and one of
// its rewards, the first of phase 1 or 2, changes to the other value. The other arms all pay the same, at a
// distance from the mean of j in noise scales: those in `first`, then those of a list.
std::vector<InputPair> hard_reward_pairs(const PhasedSubject& subject, std::size_t most,
                                         std::span<const double> first = {});
// The pairs of a given table, each with one cell, or column, of its first phase changed to its
// farther extreme.
std::vector<InputPair> reward_pairs_beside(const PhasedSubject& subject,
                                           const std::shared_ptr<const InputTable>& base,
                                           std::size_t most);

}  // namespace assay

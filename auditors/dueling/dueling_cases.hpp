// The audit cases of private dueling bandits: `dp-ebs`, `gopt-dpdb`, the local model `ebs-local`,
// and `ebs-non-private`, the elimination without noise.
//
// Private input: the preference sequence, a round's answers to every pair of arms; relation:
// replace the outcomes of one round, of which the policy asks one; view: the duels. Published
// claims: Saha, Asi, "DP-Dueling: Learning from Preference Feedback without Compromising User
// Privacy", Lemma 2, Theorem 3, Remark 3.
// Methods: release (dueling_pair.hpp): the law of the duels integrates over all noises; events.
//
// What holds for all pairs, of the release, so that no pair is searched for an upper bound:
//   DP-EBS     D(H)/s, s the scale of the nodes, D as in dp_ebs_elimination.hpp, and               (1)
//              H = floor((T + K - 2)/2) + K - 2 the longest that a counter gets of what is read
//   GOptimal   1/s      local   eps
// (1) is below what the policy says of itself, who counts T + K - 2 entries: arms play first in turn, so
// that no counter gets more than about half the rounds. Proof: docs/proofs/dp_ebs_elimination.md.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

std::vector<ListedCase> dueling_cases();

namespace detail {

// H of (1), and the most nodes of a counter that one bit moves and some duel reads, D(H).
std::int64_t longest_counter_read(std::int64_t arms, std::int64_t horizon);
std::int64_t nodes_moved_and_read(std::int64_t arms, std::int64_t horizon);

}  // namespace detail
}  // namespace assay

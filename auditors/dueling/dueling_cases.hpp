// The audit cases of private dueling bandits: `dp-ebs`, `gopt-dpdb`, the local model `ebs-local`,
// and `ebs-non-private`, the elimination without noise.
//
// Private input: the preference sequence, each round's answers to every pair of arms; relation:
// replace the outcomes of one round, of which the policy reads one; view: the duels. Published
// claims: Saha, Asi, "DP-Dueling: Learning from Preference Feedback without Compromising User
// Privacy", Lemma 2, Theorem 3, Remark 3.
// Methods: release (dueling_pair.hpp), because the distribution of the duels is an integral over all
// noises; and events.
//
// The proved levels of all pairs, for the release, so that an upper bound needs no search:
//   DP-EBS     D(H)/s, s the scale of the nodes, D as in dp_ebs_elimination.hpp, and               (1)
//              H = floor((T + K - 2)/2) + K - 2 the most entries of a counter that the policy reads
//   GOptimal   1/s      local   eps
// (1) is smaller than the policy's own guarantee, which counts T + K - 2 entries. Arms take turns as the first of a
// duel, so no counter gets more than about half the rounds. docs/proofs/dp_ebs_elimination.md has the proof.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

std::vector<ListedCase> dueling_cases();

namespace detail {

// H of (1), and D(H), the most nodes of a counter that one bit moves and some duel reads.
std::int64_t longest_counter_read(std::int64_t arms, std::int64_t horizon);
std::int64_t nodes_moved_and_read(std::int64_t arms, std::int64_t horizon);

}  // namespace detail
}  // namespace assay

// FLIPHAT on two neighbouring sequences of rounds: plays of either side, each with the exact loss of
// everything that is released.
//
// Relation: replace one round, its contexts and all rewards. View: all actions but that round's (joint DP).
// The changed round tau, of episode l, moves one record, which the call of N-IHT after that episode reads and
// nothing else does. Of its M peelings, given what was released before (niht.hpp, idealized/peeling.hpp),
//   loss = sum over m of log P(S^m | v^m) - log P(S^m | v'^m)
//          + sum over j in S^m of (|y_j - v'^m_j| - |y_j - v^m_j|)/b_m                          (1)
// S^m the order of the indices, whose law is noisy_max/noisy_max_chain.hpp; v^m, v'^m the vectors of the sides,
// both functions of their records and the same theta^m.
// The hidden action. For l >= 1 either side's is a function of its contexts and the estimate, which is
// released, so that the record follows. In the first round it is a uniform arm, and
//   loss = log mean over k of p_k - log mean over k of p'_k,                                    (2)
// p_k the density of all peelings when arm k was played. Where no call reads the round the loss is 0.
//
// Actions are those of episode l + 1, which the new estimate plays; later ones read it through these alone.
// They begin with how often the first arm was not played, coarse to fine: where the arms' contexts differ in one
// coordinate, then elsewhere; and go on in order.
// Reference: docs/decisions/families.md, "Joint DP". Threads: any number, the same result.
// Cost: the rounds to the end of episode l + 1, and M times two laws of a peeling and three gradients.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "assay/auditors/methods/release.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/sparse/fliphat.hpp"

namespace assay {

// A policy that has not begun, and a pair of inputs with a row for each round of its horizon, as
// RecordedContexts has them (contexts.hpp). Errors: another shape, numbers out of range.
Result<std::unique_ptr<PairRelease>> sparse_release(const Fliphat& policy, const InputPair& pair);

// Greedy episodes whose calls are `plans`, by the episode of the records, as many as estimated_episodes() or
// fewer; `config` clips the records. No loss is larger than `largest`, by proof; or infinity.
Result<std::unique_ptr<PairRelease>> sparse_release(
    const EpisodesConfig& config, std::vector<NihtPlan> plans, const InputPair& pair,
    double largest = std::numeric_limits<double>::infinity());

// One peeling of (1): the log density of the release, with respect to counting the indices.
double peeling_log_density(const Laplace& noise, const idealized::PeelingOutput& released,
                           std::span<const double> vector);
// The difference of two, whose vectors are those of old and new side; 0 where they are equal.
double peeling_loss(const Laplace& noise, const idealized::PeelingOutput& released,
                    std::span<const double> old_vector, std::span<const double> new_vector);

// The episode that a round belongs to, both counted from 0: episode l is rounds 2^l - 1 .. 2^(l+1) - 2.
std::int64_t episode_of_round(std::int64_t round);

// The most that a call can lose: each of its M s noisy maxima twice its sensitivity over its scale, each value
// once. Infinite without noise.
double largest_call_loss(const NihtPlan& plan, const NihtBounds& bounds);

}  // namespace assay

// Runs FLIPHAT on two neighbouring sequences of rounds. Each run on either input comes with the exact loss of its whole
// release.
//
// Relation: replace one round, its contexts and all rewards. The adversary sees all actions but that round's (joint
// DP). The changed round tau, of episode l, moves one record, which only the call of N-IHT after that episode reads.
// For its M peelings, given the earlier releases (niht.hpp, idealized/peeling.hpp),
//   loss = sum over m of log P(S^m | v^m) - log P(S^m | v'^m)
//          + sum over j in S^m of (|y_j - v'^m_j| - |y_j - v^m_j|)/b_m                          (1)
// S^m is the order of the indices, with the distribution of noisy_max/noisy_max_chain.hpp. v^m, v'^m are the vectors on
// D and D', both functions of their records and the same theta^m.
// The hidden action. For l >= 1 it is a function of the input's contexts and the released estimate, so the record
// follows. In the first round it is a uniform arm, and
//   loss = log mean over k of p_k - log mean over k of p'_k,                                    (2)
// p_k the density of all peelings if the hidden action is k. If no call reads the round, the loss is 0.
//
// Actions are those of episode l + 1, which follow from the new estimate; later ones read it only through these. They
// begin with the number of rounds that did not play the first arm, from coarse to fine: among rounds in which the arms'
// contexts differ in one coordinate, then among the others. They continue in order.
// Reference: docs/decisions/families.md, "Joint DP". Threads: any number of threads gives the same result.
// Cost: the rounds to the end of episode l + 1, and M times two distributions of a peeling and three gradients.
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

// Greedy episodes. Their calls are `plans`, one for each episode of the records: estimated_episodes() or fewer.
// `config` clips the records. `largest` is a proved bound of the losses, or infinity.
Result<std::unique_ptr<PairRelease>> sparse_release(
    const EpisodesConfig& config, std::vector<NihtPlan> plans, const InputPair& pair,
    double largest = std::numeric_limits<double>::infinity());

// One peeling of (1): the log-density of the release. The measure counts the indices, with Lebesgue measure for the
// values.
double peeling_log_density(const Laplace& noise, const idealized::PeelingOutput& released,
                           std::span<const double> vector);
// The difference of two such log-densities, with the vectors on D and on D'; 0 if these are equal.
double peeling_loss(const Laplace& noise, const idealized::PeelingOutput& released,
                    std::span<const double> base_vector, std::span<const double> neighbour_vector);

// The episode of a round, both counted from 0. Episode l has rounds 2^l - 1 .. 2^(l+1) - 2.
std::int64_t episode_of_round(std::int64_t round);

// The largest loss of a call: each of its M s noisy maxima loses twice its sensitivity over its scale, each value once.
// Infinite without noise.
double largest_call_loss(const NihtPlan& plan, const NihtBounds& bounds);

}  // namespace assay

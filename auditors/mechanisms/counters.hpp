// Audit cases of continual counters: running sums of a stream of which one entry moves.
//
// The view of a counter determines its noisy nodes, or consists of them. The entry x_s is in n_i nodes of scale s_i,
// and their exact sums move by as much as the entry. The other nodes keep their distributions. So the loss of a pair is
// that of n_i independent releases of one number d at scale s_i:
//   tree     the nodes s, s + lowbit(s), ... up to the stream's length                          (1)
//   Honaker  the intervals of lengths 1, 2, 4, ... around s that the stream completes           (2)
//   hybrid   its epoch's sum, if that ends, and the nodes (1) of its epoch's tree               (3)
// and of the square-root counter, with R of square_root_counter.hpp cut to the stream's length,
//   a Gaussian release of mu = d |R e_s|/scale                                                  (4)
// within the rounding of R, (5) there. The hardest pairs move the first entry of the longest tree, so its length must
// reach the largest power of two in the horizon. Pairs hold at most 1024 entries.
//
// Proofs for all pairs: the counters' headers count the nodes.
#pragma once

#include <vector>

#include "assay/auditors/mechanisms/additive_noise.hpp"

namespace assay {

namespace detail {

// (1) and (2) for position s, counted from 1, in a stream of `length` entries.
std::int64_t tree_nodes_of(std::int64_t s, std::int64_t length);
std::int64_t honaker_nodes_of(std::int64_t s, std::int64_t length);
// (1) to (3) for the entry that moves.
std::vector<NoisyMove> node_moves(const TreeCounterMechanism& m, const InputPair& pair);
std::vector<NoisyMove> node_moves(const HonakerCounterMechanism& m, const InputPair& pair);
std::vector<NoisyMove> node_moves(const HybridCounterMechanism& m, const InputPair& pair);

// The loss of nodes of one kind.
Result<KnownProfile> counter_profile(CounterNoise kind, std::span<const NoisyMove> moves,
                                     const PrivacyLevel& claim, Delta delta0);
Result<EnumeratedDistributions> counter_distributions(CounterNoise kind,
                                                      std::span<const NoisyMove> moves);

// Streams of `length` entries at the lowest value. The s-th entry rises by the whole range.
InputPair rising_entry(std::int64_t s, std::int64_t length, double lowest, double range);

inline constexpr std::int64_t kLongestPair = 1024;

template <class M>
struct PairedCounter {
  static constexpr std::string_view kInput = "a stream, its entries within their range";
  static constexpr bool kProved = true;
  static Status check(const M& m, const InputPair& pair) {
    return one_entry_moves_at_most(pair, m.config().sensitivity);
  }
};

// The traits for counters whose nodes node_moves lists.
template <class M>
struct PairedNodes : PairedCounter<M> {
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0) {
    return counter_profile(m.config().noise, node_moves(m, pair), claim, delta0);
  }
  static Result<EnumeratedDistributions> distributions(const M& m, const InputPair& pair) {
    return counter_distributions(m.config().noise, node_moves(m, pair));
  }
};

// The first entry of the longest tree that the horizon holds.
std::vector<InputPair> tree_pairs(const TreeCounterConfig& config);

}  // namespace detail

template <>
struct AuditTraits<TreeCounterMechanism> : detail::PairedNodes<TreeCounterMechanism> {
  static constexpr std::string_view kAbout =
      "The mechanism releases all running sums of a stream of known length, by a binary tree of "
      "noisy sums. Neighbouring streams differ in one entry, which moves by at most `sensitivity`. "
      "The first entry is in the most nodes, so it is the hardest.";
  static constexpr std::string_view kReference =
      "Dwork, Naor, Pitassi, Rothblum (STOC 2010); Chan, Shi, Song (ACM TISSEC 2011)";
  static std::vector<InputPair> hard_pairs(const TreeCounterMechanism& m) {
    return detail::tree_pairs(m.config());
  }
};

template <>
struct AuditTraits<HonakerCounterMechanism> : detail::PairedNodes<HonakerCounterMechanism> {
  static constexpr std::string_view kAbout =
      "The mechanism releases all noisy sums of a binary tree over a stream of known length. "
      "Running sums of least variance follow from them. Neighbouring streams differ in one entry, "
      "which moves by at most `sensitivity`.";
  static constexpr std::string_view kReference =
      "Honaker, \"Efficient use of differentially private binary trees\" (TPDP 2015)";
  static std::vector<InputPair> hard_pairs(const HonakerCounterMechanism& m) {
    return detail::tree_pairs(m.config());
  }
};

template <>
struct AuditTraits<HybridCounterMechanism> : detail::PairedNodes<HybridCounterMechanism> {
  static constexpr std::string_view kAbout =
      "The mechanism releases all running sums of a stream of unknown length, by epochs of "
      "doubling length. Each epoch has a tree and, at its end, a noisy sum. Neighbouring streams "
      "differ in one entry, which moves by at most `sensitivity`. The first entry of any epoch but "
      "the first is the hardest.";
  static constexpr std::string_view kReference =
      "Chan, Shi, Song, \"Private and continual release of statistics\" (ACM TISSEC 2011)";
  static std::vector<InputPair> hard_pairs(const HybridCounterMechanism& m);
};

template <>
struct AuditTraits<idealized::SquareRootCounterMechanism>
    : detail::PairedCounter<idealized::SquareRootCounterMechanism> {
  using M = idealized::SquareRootCounterMechanism;
  static constexpr std::int64_t kMostRounds = std::int64_t{1} << 20;
  static constexpr std::string_view kAbout =
      "The mechanism releases all running sums of a stream, with Gaussian noise correlated by the "
      "square root of the summation matrix. Neighbouring streams differ in one entry, which moves "
      "by at most `sensitivity`. The first entry moves the most sums, so it is the hardest.";
  static constexpr std::string_view kReference =
      "Fichtenberger, Henzinger, Upadhyay (ICML 2023); Henzinger, Upadhyay, Upadhyay (SODA 2023)";
  static std::vector<InputPair> hard_pairs(const M& m);
  static Result<KnownProfile> profile(const M& m, const InputPair& pair, const PrivacyLevel& claim,
                                      Delta delta0);
};

}  // namespace assay

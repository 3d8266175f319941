#include "assay/auditors/mechanisms/counters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"

namespace assay {
namespace detail {
namespace {

// The position of the entry in which the streams differ, from 1. Precondition: there is one.
std::int64_t moved_position(const InputPair& pair) {
  ASSAY_CHECK(pair.differing() > 0, "streams that differ");
  return pair.first_changed() + 1;
}

std::int64_t length_of(const InputPair& pair) {
  return static_cast<std::int64_t>(pair.base_row().size());
}

}  // namespace

std::int64_t tree_nodes_of(std::int64_t s, std::int64_t length) {  // (1)
  std::int64_t nodes = 0;
  for (std::int64_t at = s; at <= length; at += at & -at) ++nodes;
  return nodes;
}

std::int64_t honaker_nodes_of(std::int64_t s, std::int64_t length) {  // (2)
  std::int64_t nodes = 0;
  for (std::int64_t width = 1; width <= length; width *= 2) {
    if ((s + width - 1) / width * width <= length) ++nodes;
  }
  return nodes;
}

std::vector<NoisyMove> node_moves(const TreeCounterMechanism& m, const InputPair& pair) {
  return moves_of(pair, m.noise().scale(), tree_nodes_of(moved_position(pair), length_of(pair)));
}

std::vector<NoisyMove> node_moves(const HonakerCounterMechanism& m, const InputPair& pair) {
  return moves_of(pair, m.noise().scale(), honaker_nodes_of(moved_position(pair), length_of(pair)));
}

std::vector<NoisyMove> node_moves(const HybridCounterMechanism& m, const InputPair& pair) {  // (3)
  const std::int64_t s = moved_position(pair);
  ASSAY_CHECK(s >= 1, "positions of entries begin at 1");
  const auto epoch = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(s)) - 1);
  const std::int64_t start = std::int64_t{1} << epoch;
  const std::int64_t end = 2 * start - 1;
  const auto moves = moves_of(pair, m.noise().total.scale());
  std::vector<NoisyMove> out;
  if (end <= length_of(pair)) out.push_back(moves.front());
  if (s < end) {
    const std::int64_t last = std::min(length_of(pair), end - 1);
    out.push_back({moves.front().distance, m.noise().tree[epoch].scale(),
                   tree_nodes_of(s - start + 1, last - start + 1)});
  }
  return out;
}

Result<KnownProfile> counter_profile(CounterNoise kind, std::span<const NoisyMove> moves,
                                     const PrivacyLevel& claim, Delta delta0) {
  switch (kind) {
    case CounterNoise::kIdealizedLaplace:
      return laplace_profile(moves, claim, delta0);
    case CounterNoise::kIdealizedGaussian:
      return gaussian_profile(moves);
    case CounterNoise::kDiscreteGaussian:
      return discrete_gaussian_profile(moves, claim, delta0);
    case CounterNoise::kDiscreteLaplace:
      // Listing all outcomes is more exact if it is possible.
      if (counter_distributions(kind, moves)) break;
      return discrete_laplace_profile(moves, claim, delta0);
  }
  return fail(ErrorCode::kLimit, "all outcomes are listed instead");
}

Result<EnumeratedDistributions> counter_distributions(CounterNoise kind,
                                                      std::span<const NoisyMove> moves) {
  if (kind == CounterNoise::kDiscreteLaplace) return discrete_laplace_distributions(moves);
  return fail(ErrorCode::kLimit,
              "the outcomes of this noise cannot be listed: use --method likelihood", "/method");
}

InputPair rising_entry(std::int64_t s, std::int64_t length, double lowest, double range) {
  std::vector<double> base_row(static_cast<std::size_t>(length), lowest);
  std::vector<double> neighbour_row = base_row;
  neighbour_row[static_cast<std::size_t>(s - 1)] = highest_entry(lowest, range);
  return {std::move(base_row), std::move(neighbour_row)};
}

std::vector<InputPair> tree_pairs(const TreeCounterConfig& config) {
  const auto length = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::min(config.horizon, kLongestPair))));
  return {rising_entry(1, length, config.lowest, config.sensitivity)};
}

}  // namespace detail

std::vector<InputPair> AuditTraits<HybridCounterMechanism>::hard_pairs(
    const HybridCounterMechanism& m) {
  std::vector<InputPair> pairs;
  for (const std::int64_t start : {4, 2, 16}) {
    const std::int64_t length = 2 * start - 1;
    if (length > m.longest()) continue;
    pairs.push_back(detail::rising_entry(start, length, m.config().lowest, m.config().sensitivity));
  }
  pairs.push_back(detail::rising_entry(1, 1, m.config().lowest, m.config().sensitivity));
  return pairs;
}

std::vector<InputPair> AuditTraits<idealized::SquareRootCounterMechanism>::hard_pairs(const M& m) {
  return {detail::rising_entry(1, std::min(m.config().horizon, detail::kLongestPair),
                               m.config().lowest, m.config().sensitivity)};
}

Result<KnownProfile> AuditTraits<idealized::SquareRootCounterMechanism>::profile(
    const M& m, const InputPair& pair, const PrivacyLevel&, Delta) {
  using detail::Enclosure;
  const auto& f = m.factor().coefficients;
  const auto affected =
      static_cast<std::size_t>(detail::length_of(pair) - detail::moved_position(pair) + 1);
  Enclosure squares(0.0);
  Enclosure sum(0.0);
  for (std::size_t k = 0; k < affected; ++k) {
    squares = squares + Enclosure(f[k]) * Enclosure(f[k]);
    sum = sum + Enclosure(f[k]);
  }
  // Each step of the coefficients' recursion errs by at most 8 u, so r = 8 u n there, and the norm of
  // the coefficients in use is within r of the exact one's.
  const Enclosure spread = Enclosure(24.0 * 0x1p-53) * static_cast<double>(affected) * sum;
  auto moves = detail::moves_of(pair, m.factor().noise.scale());
  const Enclosure norm =
      sqrt(squares) * Enclosure((Enclosure(1.0) - Enclosure(spread.high)).low,
                                (Enclosure(1.0) / (Enclosure(1.0) - Enclosure(spread.high))).high);
  moves.front().distance = moves.front().distance * norm;  // (4)
  return detail::gaussian_profile(moves);
}

}  // namespace assay

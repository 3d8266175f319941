#include "assay/policies/faulty/stopping_race.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::faulty {
namespace {

using Gaps = std::array<double, StoppingRace::kPairs>;

Gaps gaps_of(std::span<const double> rewards) {
  Gaps out;
  double gap = 0.0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    gap += rewards[2 * k] - rewards[2 * k + 1];
    out[k] = gap;
  }
  return out;
}

Gaps sizes_of(const Gaps& gaps) {
  Gaps out;
  std::transform(gaps.begin(), gaps.end(), out.begin(), [](double gap) { return std::abs(gap); });
  return out;
}

// Writes a race of `pairs` pairs, then the winner to the end.
void write_actions(std::size_t pairs, bool winner, std::span<double> actions) {
  for (std::size_t t = 0; t < actions.size(); ++t) {
    actions[t] = t < 2 * pairs ? static_cast<double>(t % 2) : (winner ? 1.0 : 0.0);
  }
}

// The number of pairs in a race that stops at the first |G_k| of at least the gap.
std::size_t raw_stop(const Gaps& sizes) {
  std::size_t pairs = 1;
  while (pairs < sizes.size() && sizes[pairs - 1] < StoppingRace::kGap) ++pairs;
  return pairs;
}

}  // namespace

StoppingRace::StoppingRace(bool faulty)
    : faulty_(faulty),
      stop_(AboveThreshold::create({kEpsilon / 2, kGap, 1, static_cast<std::int64_t>(kPairs)})
                .value()),
      noise_(Laplace::create(0.0, 2.0 / kEpsilon).value()) {}

void StoppingRace::play(std::span<const double> rewards, ReplayStream& random,
                        std::span<double> actions) const {
  const Gaps gaps = gaps_of(rewards);
  const Gaps sizes = sizes_of(gaps);
  std::size_t pairs = kPairs;
  if (faulty_) {
    pairs = raw_stop(sizes);
  } else {
    const auto flags = stop_.release(sizes, random);  // (1)
    const auto above = std::find(flags.begin(), flags.end(), Answer::kAbove);
    if (above != flags.end()) pairs = static_cast<std::size_t>(above - flags.begin()) + 1;
  }
  write_actions(pairs, gaps[pairs - 1] + noise_.sample(random) < 0.0, actions);  // (2)
}

TranscriptDistribution StoppingRace::distribution(std::span<const double> rewards) const {
  const Gaps gaps = gaps_of(rewards);
  const Gaps sizes = sizes_of(gaps);
  std::array<double, kPairs> stops{};  // after k + 1 pairs
  if (faulty_) {
    stops[raw_stop(sizes) - 1] = 1.0;
  } else {
    const auto outputs = stop_.outputs(sizes);
    const auto logs = stop_.log_pmf(sizes);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto below = std::count(outputs[i].begin(), outputs[i].end(), Answer::kBelow);
      stops[std::min(static_cast<std::size_t>(below), kPairs - 1)] += portable_exp(logs[i]);
    }
  }
  TranscriptDistribution out;
  std::array<double, kHorizon> actions;
  for (std::size_t k = 0; k < kPairs; ++k) {
    if (stops[k] == 0.0) continue;
    const double second = noise_.cdf(-gaps[k]);
    const double first = noise_.ccdf(-gaps[k]);
    for (const bool winner : {false, true}) {
      write_actions(k + 1, winner, actions);
      out[transcript_key(actions)] += stops[k] * (winner ? second : first);  // (3)
    }
  }
  return out;
}

}  // namespace assay::faulty

// Samples the privacy loss, from transcripts on either input or from tilted ones, whose losses are larger.
//
// Plain transcripts: the policy's own sampler draws the actions on one input. The loss is the sum over rounds
// of log P - log Q; a round in which the two copies agree adds exactly 0.
// Tilted transcripts: for an orientation (A, B), the actions come from
//     pi_th(a | h) = pi_A(a | h)^(1 + th) pi_B(a | h)^(-th) / Z_t(h),                        (1)
//     log dA_th/dA = th L - sum_t log Z_t,   L = log A - log B,                              (2)
// and a transcript comes from the mixture G = A/10 + 9 A_th/10, so that
//     dA/dG = 1 / (1/10 + 9/10 exp(th L - sum_t log Z_t)) <= 10.                             (3)
// The auditor draws tilted actions from the reported probabilities, so for these probabilities (2) is exact by
// construction.
//
// Reference: importance sampling by exponential tilting with a defensive mixture (Owen and Zhou,
// JASA 2000); log Z_t is th times the Renyi divergence of order 1 + th of the round.
// A stopped call drops its unfinished transcript and returns a prefix of the batch.
// Threads: chunks of kLossChunk transcripts, fewer if they are long. The results do not depend on the
// number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"

namespace assay {

inline constexpr std::int64_t kLossChunk = 256;
inline constexpr double kDefensiveShare = 0.1;

// Determines the random streams of one batch. Replicates are numbered from `first`.
struct LossBatch {
  std::uint64_t seed = 0;
  std::uint64_t purpose = 0;
  Phase phase = Phase::kCertify;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

struct TiltedLoss {
  double loss = 0.0;    // log A - log B of the orientation
  double weight = 0.0;  // dA/dG, at most 1/kDefensiveShare
  static auto byte_fields(auto& self) { return std::tie(self.loss, self.weight); }
};

// The mean privacy loss of each round (the KL divergence of the round), over the first transcripts on an input.
struct RoundMeans {
  std::vector<double> mean;
  std::int64_t transcripts = 0;
};

namespace detail {

inline std::uint64_t side_lane(Side side) { return side == Side::kBase ? 0 : 1; }

// The values of f(i) for i = 0, 1, ... below `count`, those before the first gap if it is stopped.
template <class F>
auto values_until_stopped(std::size_t count, const RunControl& control, F&& f) {
  using Values = std::vector<std::invoke_result_t<F&, std::size_t>>;
  const auto workers = static_cast<std::size_t>(control.workers());
  const std::size_t size = std::clamp<std::size_t>(count / (32 * workers), 1, 64);
  auto parts = map_chunks(control, (count + size - 1) / size, [&](std::size_t chunk) {
    Values part;
    const std::size_t end = std::min(count, (chunk + 1) * size);
    for (std::size_t i = chunk * size; i < end && !control.stopped(); ++i) part.push_back(f(i));
    return part;
  });
  Values values;
  values.reserve(count);
  for (auto& part : parts) {
    const std::size_t whole = std::min(count, values.size() + size);
    std::move(part.begin(), part.end(), std::back_inserter(values));
    part = Values();
    if (values.size() < whole) break;
  }
  return values;
}

// Samples one transcript on the input of `side`. per_round, if given, receives each round's loss. The value of a
// stopped call has no meaning.
double sample_loss(PairProcess& process, Side side, ReplayStream random, double* per_round,
                   StopPoll& poll);

}  // namespace detail

// The losses log P - log Q of a batch of transcripts, in replicate order, on the requested inputs.
struct SideLosses {
  std::vector<double> losses;
  RoundMeans means;  // if requested
};

// Samples the same replicates on every input in `sides`. If it is stopped, it returns those that all inputs have.
std::vector<SideLosses> sample_sides(const PairProcess& fresh, std::span<const Side> sides,
                                     const LossBatch& batch, const RunControl& control,
                                     std::string_view stage, bool with_means = false);

std::vector<double> sample_losses(const PairProcess& fresh, Side side, const LossBatch& batch,
                                  const RunControl& control, std::string_view stage);

std::vector<TiltedLoss> sample_tilted_losses(const PairProcess& fresh, Orientation orientation,
                                             double tilt, const LossBatch& batch,
                                             const RunControl& control, std::string_view stage);

}  // namespace assay

// Sampling the privacy loss: transcripts from either side, or tilted towards large losses.
//
// Plain: actions from one side's own sampler; loss = sum over rounds of log P - log Q (rounds in
// which the sides agree add exactly 0).
// Tilted: for an orientation (A, B), actions from
//     pi_th(a | h) = pi_A(a | h)^(1 + th) pi_B(a | h)^(-th) / Z_t(h),                        (1)
//     log dA_th/dA = th L - sum_t log Z_t,   L = log A - log B,                              (2)
// and a transcript comes from the mixture G = A/10 + 9 A_th/10, so that
//     dA/dG = 1 / (1/10 + 9/10 exp(th L - sum_t log Z_t)) <= 10.                             (3)
// Tilted actions are drawn by the auditor from the reported probabilities, so (2) is exact by
// construction given those.
//
// Reference: importance sampling by exponential tilting with a defensive mixture (Owen and Zhou,
// JASA 2000); log Z_t is th times the Renyi divergence of order 1 + th of the round.
// Threads: chunks of kLossChunk transcripts; results do not depend on the number of threads.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

inline constexpr std::int64_t kLossChunk = 256;
inline constexpr double kDefensiveShare = 0.1;

// Names the random streams of one batch; replicates are numbered from `first`.
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
};

// Mean privacy loss of each round (the round's KL divergence), over the first transcripts of a
// side.
struct RoundMeans {
  std::vector<double> mean;
  std::int64_t transcripts = 0;
};

namespace detail {

// Neumaier's compensated sum: a transcript has up to 1e5 terms.
class CompensatedSum {
 public:
  void add(double x) {
    const double next = sum_ + x;
    carry_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + carry_; }

 private:
  double sum_ = 0.0;
  double carry_ = 0.0;
};

inline std::uint64_t side_lane(Side side) { return side == Side::kOld ? 0 : 1; }

// Plays one transcript from `side`; per_round, where given, receives each round's loss.
template <PairProcess Process>
double sample_loss(Process& process, Side side, ReplayStream random, double* per_round) {
  process.restart();
  CompensatedSum loss;
  for (std::int64_t t = 0; t < process.horizon(); ++t) {
    const int action = process.draw(side, random);
    if (!process.agrees() && !process.forced()) {
      const auto step = process.log_probability(action, ArgmaxPrecision::kSampling);
      loss.add(step.p - step.q);
      if (per_round != nullptr) per_round[t] += step.p - step.q;
    }
    process.advance(action);
  }
  return loss.value();
}

int draw_from_log_weights(std::span<const double> log_weights, double log_total, double u);

template <PairProcess Process>
TiltedLoss sample_tilted_loss(Process& process, Orientation orientation, double tilt,
                              ReplayStream random, std::vector<double>& log_p,
                              std::vector<double>& log_q, std::vector<double>& log_w) {
  process.restart();
  const bool defensive = random.uniform() < kDefensiveShare;
  CompensatedSum loss;
  CompensatedSum log_z_sum;
  const bool forward = orientation == Orientation::kOldToNew;
  const Side side = forward ? Side::kOld : Side::kNew;
  for (std::int64_t t = 0; t < process.horizon(); ++t) {
    int action = 0;
    if (process.agrees() || process.forced()) {
      action = process.draw(side, random);  // both laws agree here, and so does the tilt
    } else {
      process.log_probabilities(ArgmaxPrecision::kSampling, log_p, log_q);
      const auto& a = forward ? log_p : log_q;
      const auto& b = forward ? log_q : log_p;
      double log_z = -INFINITY;
      double log_a = -INFINITY;
      for (std::size_t i = 0; i < a.size(); ++i) {
        log_w[i] = a[i] + tilt * (a[i] - b[i]);  // (1)
        log_z = log_add_exp(log_z, log_w[i]);
        log_a = log_add_exp(log_a, a[i]);
      }
      const double u = random.uniform();
      action =
          defensive ? draw_from_log_weights(a, log_a, u) : draw_from_log_weights(log_w, log_z, u);
      const auto chosen = static_cast<std::size_t>(action);
      loss.add(a[chosen] - b[chosen]);
      log_z_sum.add(log_z);
    }
    process.advance(action);
  }
  const double l = loss.value();
  const double log_ratio = tilt * l - log_z_sum.value();  // (2)
  return {l, 1.0 / (kDefensiveShare +
                    (1.0 - kDefensiveShare) * portable_exp(std::min(log_ratio, 700.0)))};  // (3)
}

// Runs chunk bodies in parallel, telling the control where it is; stops early when cancelled and
// returns the number of whole replicates done (a prefix of the batch).
template <class ChunkBody>
std::int64_t run_chunks(std::int64_t count, const RunControl& control, std::string_view stage,
                        ChunkBody&& body) {
  const std::int64_t chunks = (count + kLossChunk - 1) / kLossChunk;
  const std::int64_t per_wave = 4 * std::max(control.threads, 1);
  std::int64_t done = 0;
  while (done < chunks && !control.cancelled()) {
    const std::int64_t wave = std::min(per_wave, chunks - done);
    parallel_for(control.threads, static_cast<std::size_t>(wave),
                 [&](std::size_t i) { body(done + static_cast<std::int64_t>(i)); });
    done += wave;
    control.report(stage, static_cast<double>(done) / static_cast<double>(chunks));
  }
  return std::min(count, done * kLossChunk);
}

}  // namespace detail

// Losses log P - log Q of transcripts drawn from `side`, in replicate order; `means`, where given,
// gathers each round's mean loss. Cancelled: the whole chunks that were done.
template <PairProcess Process>
std::vector<double> sample_losses(const Process& fresh, Side side, const LossBatch& batch,
                                  const RunControl& control, std::string_view stage,
                                  RoundMeans* means = nullptr) {
  std::vector<double> losses(static_cast<std::size_t>(batch.count));
  const auto rounds = static_cast<std::size_t>(fresh.horizon());
  const std::int64_t chunks = (batch.count + kLossChunk - 1) / kLossChunk;
  std::vector<std::vector<double>> sums(means == nullptr ? 0 : static_cast<std::size_t>(chunks));
  const std::int64_t done =
      detail::run_chunks(batch.count, control, stage, [&](std::int64_t chunk) {
        Process process = fresh;
        double* per_round = nullptr;
        if (means != nullptr) {
          auto& sum = sums[static_cast<std::size_t>(chunk)];
          sum.assign(rounds, 0.0);
          per_round = sum.data();
        }
        const std::int64_t end = std::min(batch.count, (chunk + 1) * kLossChunk);
        for (std::int64_t r = chunk * kLossChunk; r < end; ++r) {
          const StreamId id{batch.seed, batch.purpose, static_cast<std::uint64_t>(batch.first + r),
                            detail::side_lane(side), batch.phase};
          losses[static_cast<std::size_t>(r)] =
              detail::sample_loss(process, side, ReplayStream(id), per_round);
        }
      });
  losses.resize(static_cast<std::size_t>(done));
  if (means != nullptr && done > 0) {
    means->mean.assign(rounds, 0.0);
    for (const auto& sum : sums) {
      for (std::size_t t = 0; t < sum.size(); ++t) means->mean[t] += sum[t];
    }
    for (double& m : means->mean) m /= static_cast<double>(done);
    means->transcripts = done;
  }
  return losses;
}

template <PairProcess Process>
std::vector<TiltedLoss> sample_tilted_losses(const Process& fresh, Orientation orientation,
                                             double tilt, const LossBatch& batch,
                                             const RunControl& control, std::string_view stage) {
  std::vector<TiltedLoss> losses(static_cast<std::size_t>(batch.count));
  const std::int64_t done =
      detail::run_chunks(batch.count, control, stage, [&](std::int64_t chunk) {
        Process process = fresh;
        const auto actions = static_cast<std::size_t>(fresh.action_count());
        std::vector<double> log_p(actions);
        std::vector<double> log_q(actions);
        std::vector<double> log_w(actions);
        const std::int64_t end = std::min(batch.count, (chunk + 1) * kLossChunk);
        for (std::int64_t r = chunk * kLossChunk; r < end; ++r) {
          const StreamId id{batch.seed, batch.purpose, static_cast<std::uint64_t>(batch.first + r),
                            orientation == Orientation::kOldToNew ? 0u : 1u, batch.phase};
          losses[static_cast<std::size_t>(r)] = detail::sample_tilted_loss(
              process, orientation, tilt, ReplayStream(id), log_p, log_q, log_w);
        }
      });
  losses.resize(static_cast<std::size_t>(done));
  return losses;
}

}  // namespace assay

#include "assay/auditors/methods/losses.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

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

int draw_from_log_weights(std::span<const double> log_weights, double log_total, double u) {
  double cumulative = 0.0;
  int last_possible = 0;
  for (std::size_t i = 0; i < log_weights.size(); ++i) {
    const double share = portable_exp(log_weights[i] - log_total);
    if (share <= 0.0) continue;
    last_possible = static_cast<int>(i);
    cumulative += share;
    if (u < cumulative) return last_possible;
  }
  return last_possible;  // the shares sum to 1 up to rounding
}

TiltedLoss sample_tilted_loss(PairProcess& process, Orientation orientation, double tilt,
                              ReplayStream random, std::vector<double>& log_p,
                              std::vector<double>& log_q, std::vector<double>& log_w,
                              StopPoll& poll) {
  process.restart();
  const bool defensive = random.uniform() < kDefensiveShare;
  CompensatedSum loss;
  CompensatedSum log_z_sum;
  const bool forward = orientation == Orientation::kBaseToNeighbour;
  const Side side = forward ? Side::kBase : Side::kNeighbour;
  for (std::int64_t t = 0; t < process.horizon() && !poll.stopped(); ++t) {
    int action = 0;
    if (process.agrees() || process.forced()) {
      poll();
      action = process.draw(side, random);  // both distributions agree here, and so does the tilt
    } else {
      if (!detail::log_probabilities_unless(poll, process, ArgmaxPrecision::kSampling, log_p,
                                            log_q))
        break;
      const auto& a = forward ? log_p : log_q;
      const auto& b = forward ? log_q : log_p;
      double log_z = -INFINITY;
      for (std::size_t i = 0; i < a.size(); ++i) {
        log_w[i] = a[i] + tilt * (a[i] - b[i]);  // (1)
        log_z = log_add_exp(log_z, log_w[i]);
      }
      double log_a = -INFINITY;
      for (std::size_t i = 0; defensive && i < a.size(); ++i) log_a = log_add_exp(log_a, a[i]);
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

// Chunks of long transcripts are smaller, so that a stop loses little.
std::int64_t loss_chunk(const PairProcess& process) {
  constexpr double kLongest = 65536.0;  // rounds times actions, of whole chunks
  const double size =
      static_cast<double>(process.horizon()) * static_cast<double>(process.action_count());
  const double share = kLongest / std::max(size, kLongest);
  return std::max(std::int64_t{1},
                  static_cast<std::int64_t>(share * static_cast<double>(kLossChunk)));
}

// Where no result depends on the chunks, they are small, so that the threads end together.
std::int64_t small_chunk(const PairProcess& process) {
  return std::min<std::int64_t>(loss_chunk(process), 32);
}

// Runs body(chunk, first, end, poll) in parallel, which returns how many replicates of [first, end)
// it finished, fewer only if it was stopped. Reports progress to the control. Returns the number of
// finished replicates, a prefix of the batch.
template <class ChunkBody>
std::int64_t run_chunks(std::int64_t count, std::int64_t size, const RunControl& control,
                        std::string_view stage, ChunkBody&& body) {
  const std::int64_t chunks = (count + size - 1) / size;
  const std::int64_t per_wave = 32 * std::max(control.threads, 1);
  std::vector<std::int64_t> made(static_cast<std::size_t>(per_wave));
  std::int64_t done = 0;  // replicates
  for (std::int64_t first = 0; first < chunks && !control.stopped(); first += per_wave) {
    const std::int64_t wave = std::min(per_wave, chunks - first);
    parallel_for(control.threads, static_cast<std::size_t>(wave), [&](std::size_t i) {
      made[i] = 0;
      if (control.stopped()) return;
      const std::int64_t chunk = first + static_cast<std::int64_t>(i);
      StopPoll poll(control);
      made[i] = body(chunk, chunk * size, std::min(count, (chunk + 1) * size), poll);
    });
    for (std::int64_t i = 0; i < wave; ++i) {
      const std::int64_t begin = (first + i) * size;
      done = begin + made[static_cast<std::size_t>(i)];
      if (done < std::min(count, begin + size)) return done;
    }
    control.report(stage, static_cast<double>(done) / static_cast<double>(count));
  }
  return done;
}

}  // namespace

double detail::sample_loss(PairProcess& process, Side side, ReplayStream random, double* per_round,
                           StopPoll& poll) {
  process.restart();
  CompensatedSum loss;
  for (std::int64_t t = 0; t < process.horizon() && !poll(); ++t) {
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

std::vector<SideLosses> sample_sides(const PairProcess& fresh, std::span<const Side> sides,
                                     const LossBatch& batch, const RunControl& control,
                                     std::string_view stage, bool with_means) {
  const auto rounds = static_cast<std::size_t>(fresh.horizon());
  const std::int64_t size = with_means ? loss_chunk(fresh) : small_chunk(fresh);
  std::vector<SideLosses> out(sides.size());
  for (auto& side : out) side.losses.resize(static_cast<std::size_t>(batch.count));
  const auto chunks = static_cast<std::size_t>((batch.count + size - 1) / size);
  std::vector<std::vector<double>> sums(with_means ? chunks * sides.size() : 0);
  const std::int64_t done =
      run_chunks(batch.count, size, control, stage,
                 [&](std::int64_t chunk, std::int64_t first, std::int64_t end, StopPoll& poll) {
                   const auto process = fresh.clone();
                   for (std::int64_t r = first; r < end; ++r) {
                     for (std::size_t s = 0; s < sides.size(); ++s) {
                       const StreamId id{batch.seed, batch.purpose,
                                         static_cast<std::uint64_t>(batch.first + r),
                                         detail::side_lane(sides[s]), batch.phase};
                       double* sum = nullptr;
                       if (with_means) {
                         auto& of_chunk = sums[static_cast<std::size_t>(chunk) * sides.size() + s];
                         of_chunk.resize(rounds);
                         sum = of_chunk.data();
                       }
                       out[s].losses[static_cast<std::size_t>(r)] =
                           detail::sample_loss(*process, sides[s], ReplayStream(id), sum, poll);
                     }
                     if (poll.stopped()) return r - first;
                   }
                   return end - first;
                 });
  for (std::size_t s = 0; s < sides.size(); ++s) {
    out[s].losses.resize(static_cast<std::size_t>(done));
    // Sums of a stopped batch may include part of a transcript.
    if (!with_means || done < batch.count) continue;
    auto& means = out[s].means;
    means.mean.assign(rounds, 0.0);
    for (std::size_t i = s; i < sums.size(); i += sides.size()) {
      for (std::size_t t = 0; t < sums[i].size(); ++t) means.mean[t] += sums[i][t];
    }
    for (double& m : means.mean) m /= static_cast<double>(done);
    means.transcripts = done;
  }
  return out;
}

std::vector<double> sample_losses(const PairProcess& fresh, Side side, const LossBatch& batch,
                                  const RunControl& control, std::string_view stage) {
  return std::move(sample_sides(fresh, std::span(&side, 1), batch, control, stage).front().losses);
}

std::vector<TiltedLoss> sample_tilted_losses(const PairProcess& fresh, Orientation orientation,
                                             double tilt, const LossBatch& batch,
                                             const RunControl& control, std::string_view stage) {
  std::vector<TiltedLoss> losses(static_cast<std::size_t>(batch.count));
  const std::int64_t done = run_chunks(
      batch.count, small_chunk(fresh), control, stage,
      [&](std::int64_t, std::int64_t first, std::int64_t end, StopPoll& poll) {
        const auto process = fresh.clone();
        const auto actions = static_cast<std::size_t>(fresh.action_count());
        std::vector<double> log_p(actions);
        std::vector<double> log_q(actions);
        std::vector<double> log_w(actions);
        for (std::int64_t r = first; r < end; ++r) {
          const StreamId id{batch.seed, batch.purpose, static_cast<std::uint64_t>(batch.first + r),
                            orientation == Orientation::kBaseToNeighbour ? 0u : 1u, batch.phase};
          losses[static_cast<std::size_t>(r)] = sample_tilted_loss(
              *process, orientation, tilt, ReplayStream(id), log_p, log_q, log_w, poll);
          if (poll.stopped()) return r - first;
        }
        return end - first;
      });
  losses.resize(static_cast<std::size_t>(done));
  return losses;
}

}  // namespace assay

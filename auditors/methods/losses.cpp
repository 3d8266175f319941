#include "assay/auditors/methods/losses.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "assay/mechanisms/core/map_chunks.hpp"
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

// The results of a chunk: replicates, the last of which a stopped chunk may have left unfinished.
struct SidesPart {
  std::int64_t made = 0;                    // finished
  std::vector<std::vector<double>> losses;  // by side
  std::vector<std::vector<double>> sums;    // of each round, by side; or empty
  static auto byte_fields(auto& self) { return std::tie(self.made, self.losses, self.sums); }
};
struct TiltedPart {
  std::int64_t made = 0;
  std::vector<TiltedLoss> losses;
  static auto byte_fields(auto& self) { return std::tie(self.made, self.losses); }
};

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

// Runs body(first, end, poll) on chunks of `size` replicates. It returns a part with `made`, how many replicates of
// [first, end) it finished, fewer only if it was stopped. Calls take(part) for each part up to the first that is not
// whole, which is the last. Returns the number of finished replicates, a prefix of the batch.
template <class ChunkBody, class Take>
std::int64_t run_chunks(std::int64_t count, std::int64_t size, const RunControl& control,
                        std::string_view stage, ChunkBody&& body, Take&& take) {
  const auto chunks = static_cast<std::size_t>((count + size - 1) / size);
  const auto run = [&](std::size_t i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * size;
    StopPoll poll(control);
    if (control.stopped()) return decltype(body(first, first, poll)){};
    return body(first, std::min(count, first + size), poll);
  };
  auto parts = map_chunks(control, chunks, run, reporting(control, stage, chunks));
  std::int64_t done = 0;
  for (auto& made : parts) {
    const auto part = std::exchange(made, {});  // frees it, because there may be many
    const std::int64_t whole = std::min(count, done + size);
    done += part.made;
    take(part);
    if (done < whole) break;
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
  for (auto& side : out) side.losses.reserve(static_cast<std::size_t>(batch.count));
  std::vector<std::vector<double>> totals(with_means ? sides.size() : 0,
                                          std::vector<double>(rounds, 0.0));
  const auto body = [&](std::int64_t first, std::int64_t end, StopPoll& poll) {
    SidesPart part;
    part.losses.resize(sides.size());
    if (with_means) part.sums.assign(sides.size(), std::vector<double>(rounds, 0.0));
    const auto process = fresh.clone();
    for (std::int64_t r = first; r < end; ++r) {
      for (std::size_t s = 0; s < sides.size(); ++s) {
        const StreamId id{batch.seed, batch.purpose, static_cast<std::uint64_t>(batch.first + r),
                          detail::side_lane(sides[s]), batch.phase};
        double* sum = with_means ? part.sums[s].data() : nullptr;
        part.losses[s].push_back(
            detail::sample_loss(*process, sides[s], ReplayStream(id), sum, poll));
      }
      if (poll.stopped()) return part;
      ++part.made;
    }
    return part;
  };
  const auto take = [&](const SidesPart& part) {
    for (std::size_t s = 0; s < part.losses.size(); ++s) {
      const auto& losses = part.losses[s];
      out[s].losses.insert(out[s].losses.end(), losses.begin(), losses.begin() + part.made);
    }
    for (std::size_t s = 0; s < part.sums.size(); ++s) {
      for (std::size_t t = 0; t < rounds; ++t) totals[s][t] += part.sums[s][t];
    }
  };
  const std::int64_t done = run_chunks(batch.count, size, control, stage, body, take);
  for (std::size_t s = 0; s < sides.size(); ++s) {
    // Sums of a stopped batch may include part of a transcript.
    if (!with_means || done < batch.count) continue;
    auto& means = out[s].means;
    means.mean = std::move(totals[s]);
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
  const auto body = [&](std::int64_t first, std::int64_t end, StopPoll& poll) {
    TiltedPart part;
    const auto process = fresh.clone();
    const auto actions = static_cast<std::size_t>(fresh.action_count());
    std::vector<double> log_p(actions);
    std::vector<double> log_q(actions);
    std::vector<double> log_w(actions);
    for (std::int64_t r = first; r < end; ++r) {
      const StreamId id{batch.seed, batch.purpose, static_cast<std::uint64_t>(batch.first + r),
                        orientation == Orientation::kBaseToNeighbour ? 0u : 1u, batch.phase};
      part.losses.push_back(sample_tilted_loss(*process, orientation, tilt, ReplayStream(id), log_p,
                                               log_q, log_w, poll));
      if (poll.stopped()) return part;
      ++part.made;
    }
    return part;
  };
  std::vector<TiltedLoss> losses;
  losses.reserve(static_cast<std::size_t>(batch.count));
  run_chunks(batch.count, small_chunk(fresh), control, stage, body, [&](const TiltedPart& part) {
    losses.insert(losses.end(), part.losses.begin(), part.losses.begin() + part.made);
  });
  return losses;
}

}  // namespace assay

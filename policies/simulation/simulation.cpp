#include "assay/policies/simulation/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "assay/mechanisms/core/item_store.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/round_grid.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ChunkPlan plan_of(const Simulation& simulation, const SimulatedSeries& series) {
  ChunkPlan plan;
  const std::string base = "simulate/" + simulation.id;
  plan.seed = simulation.seed;
  plan.phase = simulation.phase;
  plan.policy_purpose = hash_purpose(base + "/" + series.id + "/policy");
  plan.environment_purpose = simulation.luck == Luck::kShared
                                 ? hash_purpose(base + "/environment")
                                 : hash_purpose(base + "/" + series.id + "/environment");
  return plan;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void merge(ChunkResult& into, const ChunkResult& chunk) {
  into.pseudo.merge(chunk.pseudo);
  into.realised.merge(chunk.realised);
  append(into.final_pseudo, chunk.final_pseudo);
  append(into.final_realised, chunk.final_realised);
  append(into.instance_mu, chunk.instance_mu);
  into.pulls.resize(chunk.pulls.size(), 0);
  for (std::size_t i = 0; i < chunk.pulls.size(); ++i) into.pulls[i] += chunk.pulls[i];
}

// The part of a result that belongs to policy `k` of those that ran together.
ChunkResult part_of(const ChunkResult& all, std::size_t k, std::size_t policies) {
  const auto block = [&](const auto& from) {
    const std::size_t size = from.size() / policies;
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  const auto stride = [&](const std::vector<double>& from) {
    std::vector<double> out;
    for (std::size_t i = k; i < from.size(); i += policies) out.push_back(from[i]);
    return out;
  };
  const auto moments = [&](const Moments& m) {
    Moments out;
    out.count = m.count;
    out.mean = block(m.mean);
    out.squares = block(m.squares);
    return out;
  };
  return {moments(all.pseudo),        moments(all.realised),   stride(all.final_pseudo),
          stride(all.final_realised), stride(all.instance_mu), block(all.pulls)};
}

// A checkpoint may hold anything that its checksum covers, so its shape is checked before use.
bool fits(const ChunkResult& chunk, const SimulatedSeries& series, std::size_t rounds,
          std::int64_t repetitions) {
  const std::size_t policies = series.results();
  const auto rows = static_cast<std::size_t>(repetitions) * policies;
  const std::size_t columns = rounds * policies;
  const auto whole = [&](const Moments& m) {
    return m.count == repetitions && m.mean.size() == columns && m.squares.size() == columns;
  };
  return whole(chunk.pseudo) && whole(chunk.realised) && chunk.final_pseudo.size() == rows &&
         chunk.final_realised.size() == rows &&
         chunk.instance_mu.size() == (series.has_instance_privacy ? rows : 0) &&
         chunk.pulls.size() == series.means.size() * policies;
}

// Writes the checkpoint now and then, on the thread that finishes a chunk.
class CheckpointWriter {
 public:
  CheckpointWriter(const CheckpointFile& file, const Checkpoint& checkpoint)
      : file_(file), checkpoint_(checkpoint) {}

  // The caller's lock lets this read the state. It waits at least two seconds between writes, and
  // twenty times as long as a write takes, so that writing costs at most a twentieth.
  Status write_if_due() {
    if (file_.path.empty() || seconds_since(last_) < std::max(2.0, 20.0 * cost_)) return {};
    return write();
  }
  Status write() {
    if (file_.path.empty()) return {};
    const auto started = Clock::now();
    auto status = write_checkpoint(file_.path, checkpoint_bytes(checkpoint_));
    last_ = Clock::now();
    cost_ = seconds_since(started);
    return status;
  }

 private:
  const CheckpointFile& file_;
  const Checkpoint& checkpoint_;
  Clock::time_point last_ = Clock::now();
  double cost_ = 0.0;
};

}  // namespace

std::string Simulation::key() const {
  std::string text = id + ";horizon=" + std::to_string(horizon) +
                     ";repetitions=" + std::to_string(repetitions) +
                     ";seed=" + std::to_string(seed) +
                     ";phase=" + std::to_string(static_cast<std::uint64_t>(phase)) +
                     ";luck=" + (luck == Luck::kShared ? "shared" : "own");
  if (chunk > 0) text += ";chunk=" + std::to_string(chunk);
  for (const auto& one : series) {
    text += ";" + one.id;
    for (const auto& name : one.together) text += "," + name;
  }
  return text;
}

std::int64_t Simulation::repetitions_of_chunk() const {
  return chunk > 0 ? chunk : chunk_repetitions(horizon);
}

double normal_half_width(const Moments& moments, std::size_t column) {
  constexpr double kNormal975 = 1.959963984540054;  // Phi^-1(0.975)
  if (moments.count < 2) return 0.0;
  const double n = static_cast<double>(moments.count);
  return kNormal975 * std::sqrt(moments.squares[column] / (n - 1.0) / n);
}

std::int64_t chunk_repetitions(std::int64_t horizon) {
  constexpr std::int64_t kRounds = 4'000'000;
  return std::clamp<std::int64_t>(kRounds / horizon, 1, 4096);
}

SimulationRunner::SimulationRunner(CheckpointFile file, RunControl control, Checkpoint checkpoint)
    : file_(std::move(file)), control_(std::move(control)), checkpoint_(std::move(checkpoint)) {}

Result<SimulationRunner> SimulationRunner::create(CheckpointFile file, RunControl control) {
  Checkpoint checkpoint;
  if (!file.path.empty()) {
    auto found = ASSAY_TRY(read_checkpoint(file.path, file.identity));
    checkpoint = std::move(found);
    // Writes at once, so that a folder that takes no checkpoint shows now, not two seconds later.
    ASSAY_TRY(write_checkpoint(file.path, checkpoint_bytes(checkpoint)));
  }
  return SimulationRunner(std::move(file), std::move(control), std::move(checkpoint));
}

// The chunks that this process has to run, without those that shards have kept, which it adds to `chunks`. All shards
// search, since what follows depends on it.
Result<std::vector<std::uint64_t>> SimulationRunner::not_kept(
    const Simulation& simulation, const std::vector<std::uint64_t>& missing,
    DoneChunks& chunks) const {
  const ItemStore& items = *control_.items;
  std::vector<std::uint64_t> left;
  for (const std::uint64_t index : missing) {
    auto kept = ASSAY_TRY(kept_item<ChunkResult>(items, simulation.key(), index));
    if (kept) {
      chunks[index] = std::move(*kept);
    } else if (items.is_mine(index) || simulation.phase == Phase::kSearch) {
      left.push_back(index);
    }
  }
  return left;
}

Status SimulationRunner::fill_chunks(const Simulation& simulation, DoneChunks& chunks,
                                     std::int64_t per_series) {
  const auto rounds = recorded_rounds(simulation.horizon);
  const std::int64_t size = simulation.repetitions_of_chunk();
  const auto range_of = [&](std::uint64_t index) {
    const auto first = static_cast<std::int64_t>(index) % per_series * size;
    return std::pair{first, std::min(first + size, simulation.repetitions)};
  };
  const std::uint64_t total = simulation.series.size() * static_cast<std::uint64_t>(per_series);
  std::vector<std::uint64_t> missing;
  for (std::uint64_t index = 0; index < total; ++index) {
    const auto found = chunks.find(index);
    if (found == chunks.end()) {
      missing.push_back(index);
      continue;
    }
    const auto [first, end] = range_of(index);
    const SimulatedSeries& series =
        simulation.series[index / static_cast<std::uint64_t>(per_series)];
    if (!fits(found->second, series, rounds.size(), end - first)) {
      return fail(ErrorCode::kParse,
                  "is damaged: chunk " + std::to_string(index) +
                      " does not have the shape of this run; it was left as it is",
                  file_.path);
    }
  }
  if (chunks.size() + missing.size() != total) {
    return fail(ErrorCode::kParse, "is damaged: it holds chunks that this run does not have",
                file_.path);
  }

  if (control_.items != nullptr) missing = ASSAY_TRY(not_kept(simulation, missing, chunks));
  CheckpointWriter writer(file_, checkpoint_);
  Status failure;
  std::atomic<bool> stop{false};
  bool is_kept = false;  // since an interruption
  const auto starter = std::this_thread::get_id();
  const auto done_fraction = [&] {
    return static_cast<double>(chunks.size()) / static_cast<double>(total);
  };
  control_.report(simulation.id, done_fraction());
  const auto series_of = [&](std::uint64_t index) -> const SimulatedSeries& {
    return simulation.series[index / static_cast<std::uint64_t>(per_series)];
  };
  const auto play = [&](std::size_t i) -> std::optional<ChunkResult> {
    if (stop.load() || control_.cancelled()) return std::nullopt;
    const SimulatedSeries& series = series_of(missing[i]);
    ChunkPlan plan = plan_of(simulation, series);
    plan.rounds = rounds;
    plan.cancel = control_.cancel;
    std::tie(plan.first, plan.end) = range_of(missing[i]);
    return series.play(plan);
  };
  // The first process has each chunk as soon as it is done, for its checkpoint.
  const auto keep = [&](std::size_t i, const std::optional<ChunkResult>& result) {
    if (result) {
      chunks[missing[i]] = *result;
      if (control_.items != nullptr && control_.items->is_mine(missing[i])) {
        control_.items->keep(simulation.key(), missing[i], to_bytes(*result));
      }
    }
    // An interruption may leave no time for the chunks that other processes still run.
    const bool ends = control_.interrupted() && !std::exchange(is_kept, true);
    if (!result && !ends) return;
    if (failure) failure = ends ? writer.write() : writer.write_if_due();
    if (!failure) stop = true;
    if (std::this_thread::get_id() == starter) control_.report(simulation.id, done_fraction());
  };
  auto played = map_chunks(control_, missing.size(), play, keep);
  for (std::size_t i = 0; i < played.size(); ++i) {
    if (!played[i]) continue;
    const auto [first, end] = range_of(missing[i]);
    rounds_played_ += (end - first) * simulation.horizon *
                      static_cast<std::int64_t>(series_of(missing[i]).results());
    chunks[missing[i]] = std::move(*std::exchange(played[i], std::nullopt));
  }
  ASSAY_TRY(found_by_first(control_, [&]() -> Status {
    if (!failure) return failure;
    return writer.write();
  }));
  if (chunks.size() < total) {
    ASSAY_TRY(end_of_shared_loop(control_));
    const auto percent = static_cast<int>(100.0 * done_fraction());
    return fail(ErrorCode::kInterrupted,
                "interrupted with " + std::to_string(percent) + "% of " + simulation.id + " done");
  }
  return {};
}

Result<std::shared_ptr<const SimulationResult>> SimulationRunner::run(
    const Simulation& simulation) {
  const std::string key = simulation.key();
  if (const auto known = results_.find(key); known != results_.end()) return known->second;
  const std::int64_t size = simulation.repetitions_of_chunk();
  const std::int64_t per_series = (simulation.repetitions + size - 1) / size;
  DoneChunks& chunks = checkpoint_.sections[key];
  ASSAY_TRY(fill_chunks(simulation, chunks, per_series));
  auto result = std::make_shared<SimulationResult>();
  result->rounds = recorded_rounds(simulation.horizon);
  std::uint64_t index = 0;
  for (const SimulatedSeries& series : simulation.series) {
    SeriesResult merged{series.id, series.means, series.largest_gap(), {}};
    for (std::int64_t c = 0; c < per_series; ++c) merge(merged.all, chunks.at(index++));
    if (series.together.empty()) {
      result->series.push_back(std::move(merged));
      continue;
    }
    for (std::size_t k = 0; k < series.together.size(); ++k) {
      result->series.push_back({series.together[k], series.means, series.largest_gap(),
                                part_of(merged.all, k, series.together.size())});
    }
  }
  results_[key] = result;
  return std::shared_ptr<const SimulationResult>(std::move(result));
}

}  // namespace assay

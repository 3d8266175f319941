#include "assay/auditors/methods/black_box/players.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "assay/mechanisms/core/parallel.hpp"

namespace assay {

std::vector<std::uint64_t> play_seeds(const PlayStream& stream, std::int64_t first,
                                      std::int64_t count) {
  std::vector<std::uint64_t> seeds;
  seeds.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = first; i < first + count; ++i) {
    ReplayStream words({stream.seed, hash_purpose(stream.purpose), static_cast<std::uint64_t>(i),
                        stream.lane, stream.phase});
    seeds.push_back(words.next());
  }
  return seeds;
}

Result<Players> Players::create(std::unique_ptr<Target> first, int threads) {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(std::move(first));
  while (static_cast<int>(targets.size()) < threads) {
    auto twin = targets.front()->clone();
    if (!twin) return tl::make_unexpected(twin.error());
    targets.push_back(std::move(*twin));
  }
  return Players(std::move(targets));
}

Plays Players::play_chunks(
    std::size_t chunks, std::string_view purpose, const RunControl& control,
    const std::function<Result<OutputBatch>(Target&, std::int64_t)>& play_chunk) {
  std::vector<std::optional<OutputBatch>> parts(chunks);
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> done{0};
  std::mutex mutex;  // of `idle` and `error`
  std::vector<Target*> idle;
  std::optional<Error> error;
  for (const auto& target : targets_) idle.push_back(target.get());
  parallel_for(static_cast<int>(targets_.size()), chunks, [&](std::size_t c) {
    if (stop || control.cancelled()) return;
    Target* target = nullptr;
    {
      const std::lock_guard lock(mutex);
      target = idle.back();
      idle.pop_back();
    }
    auto batch = play_chunk(*target, static_cast<std::int64_t>(c));
    const std::lock_guard lock(mutex);
    idle.push_back(target);
    if (batch) {
      parts[c] = std::move(*batch);
      control.report(purpose, static_cast<double>(++done) / static_cast<double>(chunks));
    } else {
      if (!error) error = batch.error();
      stop = true;
    }
  });
  Plays plays;
  plays.outputs.width = shape().width();
  plays.error = error;
  for (auto& part : parts) {
    if (!part) {
      if (!error) plays.error = Error{ErrorCode::kInterrupted, "interrupted", "", 0};
      break;
    }
    plays.outputs.count += part->count;
    plays.outputs.values.insert(plays.outputs.values.end(), part->values.begin(),
                                part->values.end());
  }
  return plays;
}

Plays Players::play(const InputTable& input, std::int64_t count, const PlayStream& stream,
                    const RunControl& control) {
  const auto chunks = static_cast<std::size_t>((count + kPlayChunk - 1) / kPlayChunk);
  return play_chunks(chunks, stream.purpose, control, [&](Target& target, std::int64_t c) {
    const std::int64_t first = c * kPlayChunk;
    return target.play(input, play_seeds(stream, first, std::min(kPlayChunk, count - first)));
  });
}

Plays Players::play_each(std::span<const InputTable> inputs, const PlayStream& stream,
                         const RunControl& control) {
  return play_chunks(inputs.size(), stream.purpose, control, [&](Target& target, std::int64_t i) {
    return target.play(inputs[static_cast<std::size_t>(i)], play_seeds(stream, i, 1));
  });
}

}  // namespace assay

#include "assay/auditors/methods/black_box/players.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {

std::int64_t runs_a_message(const InputShape& shape) {
  constexpr std::int64_t kAnswerBytes = 4 << 20;
  constexpr std::int64_t kDoubleBytes = 25;  // with sign, exponent and comma
  const OutputLayout layout(shape);
  std::int64_t action_bytes = 2;
  for (std::int64_t arms = shape.arms - 1; arms >= 10; arms /= 10) ++action_bytes;
  const std::int64_t actions = layout.rounds * layout.actions + layout.recommendations;
  const std::int64_t bytes = actions * action_bytes + (layout.longest() - actions) * kDoubleBytes;
  return std::clamp<std::int64_t>(kAnswerBytes / bytes, 1, kPlayChunk);
}

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

namespace {

ReplayStream words_of(const PlayStream& stream, std::string_view what, std::int64_t i) {
  return ReplayStream({stream.seed, hash_purpose(std::string(stream.purpose) + std::string(what)),
                       static_cast<std::uint64_t>(i), stream.lane, stream.phase});
}

}  // namespace

bool is_keyed(const PlayStream& stream, std::int64_t i) {
  if (!stream.divided) return false;
  const bool coin = words_of(stream, ", seeding", i / 2).next() >> 63 != 0;
  return coin == (i % 2 == 0);
}

RunKey key_of(const PlayStream& stream, std::int64_t i) {
  ReplayStream words = words_of(stream, ", keys", i);
  RunKey key;
  for (std::uint64_t& word : key) word = words.next();
  return key;
}

Result<OutputBatch> play_run(Target& target, const InputTable& input, const PlayStream& stream,
                             std::int64_t i) {
  const auto seeds = play_seeds(stream, i, 1);
  if (!is_keyed(stream, i)) return target.play(input, seeds);
  const RunKey key = key_of(stream, i);
  return target.play_keyed(input, seeds, std::span(&key, 1));
}

Result<Players> Players::create(std::unique_ptr<Target> first, int threads) {
  ASSAY_TRY(check_whole("threads", threads, 1, 4096));
  return Players(std::move(first), threads);
}

void Players::rest() {
  instances_.resize(1);
  instances_.front().target->rest();
}

Status Players::start(std::size_t instances) {
  const std::size_t running = instances_.size();
  if (instances <= running) return {};
  const std::size_t missing = instances - running;
  std::vector<Result<std::unique_ptr<Target>>> started(missing);
  // At the same time, because a start may take seconds.
  parallel_for(threads_, missing, [&](std::size_t i) { started[i] = first().clone(); });
  for (auto& target : started) instances_.push_back({ASSAY_TRY(std::move(target)), true});
  return {};
}

Status Players::renew(Instance& instance) {
  instance.target->rest();  // first, so that there is never one more
  instance.target = ASSAY_TRY(instance.target->clone());
  return {};
}

namespace {

// Messages 0 to chunks - 1 of D, then those of D', in random order.
std::vector<std::size_t> shuffled(std::size_t messages, const PlayStream& stream) {
  std::vector<std::size_t> order(messages);
  for (std::size_t i = 0; i < messages; ++i) order[i] = i;
  ReplayStream random({stream.seed, hash_purpose("order of messages"), hash_purpose(stream.purpose),
                       stream.lane, stream.phase});
  for (std::size_t i = messages; i > 1; --i) {
    std::swap(order[i - 1], order[uniform_below(random, i)]);
  }
  return order;
}

}  // namespace

Players::BothRuns Players::play_both(const InputTable& base_input,
                                     const InputTable& neighbour_input, std::int64_t count,
                                     const PlayStream& stream, const RunControl& control) {
  const std::int64_t size = runs_a_message(shape());
  const auto chunks = static_cast<std::size_t>((count + size - 1) / size);
  const auto order = shuffled(2 * chunks, stream);
  auto ran = run(2 * chunks, stream.purpose, control,
                 [&](Target& target, std::size_t at) -> Result<OutputBatch> {
                   const std::size_t message = order[at];
                   const std::size_t side = message / chunks;
                   const auto first = static_cast<std::int64_t>(message % chunks) * size;
                   return target.play(side == 0 ? base_input : neighbour_input,
                                      play_seeds(stream, first, std::min(size, count - first)));
                 });
  std::vector<OutputBatch> parts(2 * chunks);  // by input and message
  for (std::size_t at = 0; at < ran.values.size(); ++at) {
    parts[order[at]] = std::move(ran.values[at]);
  }
  BothRuns runs;
  runs.error = ran.error;
  for (std::size_t side = 0; side < 2; ++side) {
    runs.of[side].values.reserve(static_cast<std::size_t>(count * shape().width()));
    for (std::size_t c = 0; c < chunks; ++c) {
      // Frees each part, because outputs may fill much of the memory.
      append(std::exchange(parts[side * chunks + c], {}), runs.of[side]);
    }
    runs.of[side].width = shape().width();
  }
  return runs;
}

Runs Players::play_each(std::int64_t count, const std::function<InputTable(std::int64_t)>& input,
                        const PlayStream& stream, const RunControl& control) {
  const auto ran = run(static_cast<std::size_t>(count), stream.purpose, control,
                       [&](Target& target, std::size_t i) {
                         const auto at = static_cast<std::int64_t>(i);
                         return play_run(target, input(at), stream, at);
                       });
  Runs runs;
  runs.outputs.width = shape().width();
  runs.error = ran.error;
  for (const OutputBatch& one : ran.values) append(one, runs.outputs);
  return runs;
}

}  // namespace assay

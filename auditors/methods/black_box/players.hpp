// Makes many runs of one target, in chunks, on several instances of the target.
//
// The seeds of chunk i do not depend on the instance that runs it. So a target that draws all random numbers
// from its seeds gives the same outputs for any number of instances. An instance that fails stops the
// others at their next chunk, and the runs before the first gap are kept.
//
// Instances last for the whole audit, because a start may take seconds. Only checks that need an instance without a
// history replace one, by run_fresh(). So there are never more instances than threads. Starts happen at the same time
// on all threads.
//
// Runs on two inputs go out in messages in a random order, which the seed determines, with the same number on
// each input. So a drift over the runs looks the same on both inputs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

inline constexpr std::int64_t kPlayChunk = 128;  // runs a message, at most

// Fewer if outputs are long, so that no answer is expected to exceed 4 MiB.
std::int64_t runs_a_message(const InputShape& shape);

// Identifies the seeds of runs: the audit, the purpose and the pair.
struct PlayStream {
  std::uint64_t seed = 0;
  std::string_view purpose;
  std::uint64_t lane = 0;
  Phase phase = Phase::kCertify;
  bool divided =
      false;  // between two seedings: for runs 2 k and 2 k + 1 a coin decides which has a key
};

std::vector<std::uint64_t> play_seeds(const PlayStream& stream, std::int64_t first,
                                      std::int64_t count);
bool is_keyed(const PlayStream& stream, std::int64_t i);
RunKey key_of(const PlayStream& stream, std::int64_t i);
// Run i of a stream, by itself.
Result<OutputBatch> play_run(Target& target, const InputTable& input, const PlayStream& stream,
                             std::int64_t i);

struct Runs {
  OutputBatch outputs;         // fewer than requested if the target failed
  std::optional<Error> error;  // kTarget, or kInterrupted
};

class Players {
 public:
  // Takes over one running instance. Up to threads - 1 more start once they have runs to make, and
  // stay alive until rest(). Errors: threads below 1.
  static Result<Players> create(std::unique_ptr<Target> first, int threads);

  const InputShape& shape() const { return first().shape(); }
  const Target& first() const { return *instances_.front().target; }
  void rest();  // ends all instances until the next run

  template <class Value>
  struct Ran {
    std::vector<Value> values;   // of the chunks in a row from the first
    std::optional<Error> error;  // if they are fewer than requested
  };
  // Calls chunk(target, c) for c = 0, ..., chunks - 1, several at a time, each on one instance. It returns a Result, whose
  // value has a byte form.
  template <class Chunk>
  auto run(std::size_t chunks, std::string_view stage, const RunControl& control, Chunk&& chunk) {
    return run_on(chunks, false, stage, control, chunk);
  }
  // The same, quietly, on an instance for each chunk that has made no run. It replaces one of those that run, which
  // ends, and then stays. If there are several chunks, `chunk` must not use this object.
  template <class Chunk>
  auto run_fresh(std::size_t chunks, const RunControl& control, Chunk&& chunk) {
    RunControl quiet = control;
    quiet.progress = nullptr;
    return run_on(chunks, true, "", quiet, chunk);
  }

  // `count` runs of each input with the same seeds, with the messages of both in random order.
  struct BothRuns {
    OutputBatch of[2];
    std::optional<Error> error;
  };
  BothRuns play_both(const InputTable& base_input, const InputTable& neighbour_input,
                     std::int64_t count, const PlayStream& stream, const RunControl& control);
  // One run of each of `count` inputs, one message each. Run i is of input(i), which is made when its turn comes
  // because inputs may be long, and has seed i of the stream. Several threads call `input`.
  Runs play_each(std::int64_t count, const std::function<InputTable(std::int64_t)>& input,
                 const PlayStream& stream, const RunControl& control);

 private:
  struct Instance {
    std::unique_ptr<Target> target;
    bool is_fresh = false;  // has made no run
  };
  Players(std::unique_ptr<Target> first, int threads) : threads_(threads) {
    instances_.push_back({std::move(first)});
  }
  Status start(std::size_t instances);
  static Status renew(Instance& instance);
  template <class Chunk>
  auto run_on(std::size_t chunks, bool fresh, std::string_view stage, const RunControl& control,
              Chunk& chunk);

  std::vector<Instance> instances_;
  int threads_;
};

template <class Chunk>
auto Players::run_on(std::size_t chunks, bool fresh, std::string_view stage,
                     const RunControl& control, Chunk& chunk) {
  using Outcome = std::invoke_result_t<Chunk&, Target&, std::size_t>;
  const Error skipped{ErrorCode::kInterrupted, "interrupted", "", 0};
  const Status started = start(std::min(static_cast<std::size_t>(threads_), chunks));
  std::atomic<bool> stop{false};
  std::mutex mutex;  // of `idle`
  std::vector<Instance*> idle;
  for (Instance& instance : instances_) idle.push_back(&instance);
  const auto play = [&](std::size_t c) -> Outcome {
    if (!started) return tl::make_unexpected(started.error());
    if (stop || control.cancelled()) return tl::make_unexpected(skipped);
    Instance* instance = nullptr;
    {
      const std::lock_guard lock(mutex);
      instance = idle.back();
      idle.pop_back();
    }
    Outcome outcome = [&]() -> Outcome {
      if (fresh && !instance->is_fresh) ASSAY_TRY(renew(*instance));
      instance->is_fresh = false;
      return chunk(*instance->target, c);
    }();
    if (!outcome) stop = true;
    const std::lock_guard lock(mutex);
    idle.push_back(instance);
    return outcome;
  };
  std::size_t done = 0;
  const auto report = [&](std::size_t, const Outcome& outcome) {
    if (!outcome) return;
    control.report(stage, static_cast<double>(++done) / static_cast<double>(chunks));
  };
  RunControl on_instances = control;
  on_instances.threads = static_cast<int>(instances_.size());
  Ran<typename Outcome::value_type> ran;
  for (auto& outcome : map_chunks(on_instances, chunks, play, report)) {
    if (outcome && !ran.error) ran.values.push_back(std::move(*outcome));
    if (outcome || (ran.error && ran.error->code != ErrorCode::kInterrupted)) continue;
    if (!ran.error || outcome.error().code != ErrorCode::kInterrupted) ran.error = outcome.error();
  }
  return ran;
}

}  // namespace assay

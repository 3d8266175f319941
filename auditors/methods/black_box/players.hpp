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

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"
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

  struct Ran {
    std::size_t chunks = 0;      // in a row from the first
    std::optional<Error> error;  // if that is fewer than requested
  };
  // Calls chunk(target, c) for c = 0, ..., chunks - 1, several at a time, each on one instance.
  Ran run(std::size_t chunks, std::string_view stage, const RunControl& control,
          const std::function<Status(Target&, std::size_t)>& chunk) {
    return run_on(chunks, false, stage, control, chunk);
  }
  // The same, quietly, on an instance for each chunk that has made no run. It replaces one of those that run, which
  // ends, and then stays. If there are several chunks, `chunk` must not use this object.
  Ran run_fresh(std::size_t chunks, const RunControl& control,
                const std::function<Status(Target&, std::size_t)>& chunk);

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
  Ran run_on(std::size_t chunks, bool fresh, std::string_view stage, const RunControl& control,
             const std::function<Status(Target&, std::size_t)>& chunk);

  std::vector<Instance> instances_;
  int threads_;
};

}  // namespace assay

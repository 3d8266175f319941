// Many plays of one target, over several instances of it, in chunks.
//
// Chunk i is played with seeds of its own, whichever instance plays it: a target that draws everything
// from its seeds gives the same outputs for any number of instances. An instance that fails stops the
// others at their next chunk; what was played before the first gap is kept.
//
// What is played on two sides goes out in a random order of messages, as many of each side, drawn from
// the seed: what drifts with the plays then looks no different on one side than on the other.
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

inline constexpr std::int64_t kPlayChunk = 128;  // plays a message, at most

// Fewer where outputs are long: an answer is not expected to be longer than 4 MiB.
std::int64_t plays_a_message(const InputShape& shape);

// Which seeds: of the audit, for what, for which pair.
struct PlayStream {
  std::uint64_t seed = 0;
  std::string_view purpose;
  std::uint64_t lane = 0;
  Phase phase = Phase::kCertify;
  bool divided =
      false;  // between two seedings: of runs 2 k and 2 k + 1 a coin says which has a key
};

std::vector<std::uint64_t> play_seeds(const PlayStream& stream, std::int64_t first,
                                      std::int64_t count);
bool is_keyed(const PlayStream& stream, std::int64_t i);
RunKey key_of(const PlayStream& stream, std::int64_t i);
// Run i of a stream, by itself.
Result<OutputBatch> play_run(Target& target, const InputTable& input, const PlayStream& stream,
                             std::int64_t i);

struct Plays {
  OutputBatch outputs;         // fewer than asked for where the target failed
  std::optional<Error> error;  // kTarget, or kInterrupted
};

class Players {
 public:
  // Takes over one running instance; up to threads - 1 more start once they have something to play, and
  // go on running until rest(). Errors: threads below 1.
  static Result<Players> create(std::unique_ptr<Target> first, int threads);

  const InputShape& shape() const { return targets_.front()->shape(); }
  const Target& first() const { return *targets_.front(); }
  void rest();  // no instance runs until the next play

  struct Ran {
    std::size_t chunks = 0;      // in a row from the first
    std::optional<Error> error;  // where that is fewer than asked for
  };
  // chunk(target, c) for c = 0, ..., chunks - 1, several at a time, each on one instance.
  Ran run(std::size_t chunks, std::string_view stage, const RunControl& control,
          const std::function<Status(Target&, std::size_t)>& chunk);

  // `count` plays of each input with the same seeds, messages of both in random order.
  struct BothPlays {
    OutputBatch of[2];
    std::optional<Error> error;
  };
  BothPlays play_both(const InputTable& old_input, const InputTable& new_input, std::int64_t count,
                      const PlayStream& stream, const RunControl& control);
  // One play of each of `count` inputs, one message each; play i is of input(i), made when its turn comes
  // since inputs may be long, and has seed i of the stream. `input` is called by several threads.
  Plays play_each(std::int64_t count, const std::function<InputTable(std::int64_t)>& input,
                  const PlayStream& stream, const RunControl& control);

 private:
  Players(std::unique_ptr<Target> first, int threads) : threads_(threads) {
    targets_.push_back(std::move(first));
  }
  Status start(std::size_t instances);

  std::vector<std::unique_ptr<Target>> targets_;
  int threads_;
};

}  // namespace assay

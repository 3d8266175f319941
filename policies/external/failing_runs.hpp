// What a target in a process makes of runs that fail.
//
// The answer to a message of one run is that run's output, also where it is a failure: it is never asked for
// again. A message of several says by an exit or a crash that one of them failed, and not which: all of them
// are asked for once more, one by one with their own seeds, and from then on every run has a message of its own.
// (So asked for are runs that are learnt from; certified ones have messages of their own.) After an exit or
// a crash the next run gets a fresh process. All instances of a target together may end so often, then no
// more is played: a start takes many times as long as a run.
//
// Threads: one an instance; copies share the count.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "assay/policies/external/target.hpp"

namespace assay {

inline constexpr std::int64_t kMostRestarts = 10'000;

class FailingRuns {
 public:
  struct Answer {
    Result<OutputBatch> batch;
    std::string failure = {};  // its error is that a run failed: what it did
    bool ended = false;        // the process, with it
  };
  using Ask = std::function<Answer(std::span<const std::uint64_t> seeds)>;

  // One output a seed. `ask` sends one message, from a fresh process where the last one ended.
  Result<OutputBatch> play(std::int64_t width, std::span<const std::uint64_t> seeds,
                           const Ask& ask);
  const std::optional<Error>& first() const { return first_; }
  // Of a run that failed where others of its message did not.
  void note(Error first) {
    if (!first_) first_ = std::move(first);
  }

 private:
  Result<OutputBatch> one_by_one(std::int64_t width, std::span<const std::uint64_t> seeds,
                                 const Ask& ask);

  bool one_by_one_ = false;
  std::optional<Error> first_;
  std::shared_ptr<std::atomic<std::int64_t>> restarts_ =
      std::make_shared<std::atomic<std::int64_t>>(0);
};

}  // namespace assay

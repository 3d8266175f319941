// Handles runs that fail in a target that is a process.
//
// If a message asks for one run, the answer is that run's output, even if it is a failure, and the run is never
// requested again. If a message asks for several runs, an exit or a crash shows that one of them failed, but not which.
// All of them are then requested once more, one by one with their own seeds, and from then on every message asks for
// one run.
// (Only runs for learning are requested in groups; certified runs have messages of their own.) After an exit or a
// crash the next run gets a fresh process. A start takes many times as long as a run, so all instances of a target
// together may end only kMostRestarts times; after that there are no more runs.
//
// Threads: use one per instance of the target. Copies share the count of restarts.
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
    std::string failure = {};  // what the run did, if the error is that a run failed
    bool ended = false;        // whether the process ended with it
  };
  using Ask = std::function<Answer(std::span<const std::uint64_t> seeds)>;

  // One output per seed. `ask` sends one message, to a fresh process if the last one ended.
  Result<OutputBatch> play(std::int64_t width, std::span<const std::uint64_t> seeds,
                           const Ask& ask);
  const std::optional<Error>& first() const { return first_; }
  // Notes the error of a run that failed in a message whose other runs did not.
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

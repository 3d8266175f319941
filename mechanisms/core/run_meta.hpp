// One run of Assay, as every report carries it in its `meta`: all that may differ between two runs of
// one request.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay {

struct RunMeta {
  std::string version;
  std::string build;
  std::string started;  // UTC, ISO 8601
  double seconds = 0.0;
  int threads = 1;
  double transcripts_per_second = 0.0;  // of an audit
  std::int64_t rounds_played = 0;       // of a simulation, without those read from a checkpoint
};

// Runs from its construction.
class RunClock {
 public:
  RunClock();
  RunMeta meta(int threads) const;  // of this build, with the time until now

 private:
  std::string started_at_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace assay

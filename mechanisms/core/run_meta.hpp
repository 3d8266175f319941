// The `meta` of a report: everything about one execution of Assay that may differ when the same request
// is executed again.
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
  std::int64_t rounds_played = 0;       // of a simulation, not counting those from a checkpoint
};

// The clock of an execution, which starts with the construction.
class RunClock {
 public:
  RunClock();
  RunMeta meta(int threads) const;  // the meta of this build, with the time so far

 private:
  std::string started_at_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace assay

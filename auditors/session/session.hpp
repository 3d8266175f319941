// The surroundings of a job: threads, progress, interruption, and the clock for the `meta` of its report.
//
// Every job is prepared first, which reads the files that it names and returns an error for options that do not
// fit. The prepared job runs as often as it is called:
//     AuditJob job;
//     job.case_id = "laplace";
//     const auto outcome = run_job(job, Session{});
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

struct Session {
  RunControl control;  // threads, progress, the flag that interrupts
  RunClock clock;

  RunMeta meta() const { return clock.meta(control.threads); }
};

// All cores by default.
inline int thread_count(const std::optional<std::int64_t>& threads) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(threads.value_or(std::min<std::int64_t>(cores, 4096)));
}

template <class Report>
using PreparedJob = std::function<Result<Report>(const Session&)>;

template <class Job>
auto run_job(const Job& job, const Session& session) -> decltype((*prepare(job))(session)) {
  const auto prepared = ASSAY_TRY(prepare(job));
  return prepared(session);
}

}  // namespace assay

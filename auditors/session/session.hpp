// How to run a job, and the settings it runs with: threads, progress, interruption, and the clock for the `meta` of its
// report.
//
// A job is a struct of options. prepare(job) reads the files that the job names, and returns an error if an option does
// not fit. The prepared job can be called any number of times. run_job() does both steps:
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
  RunControl control;  // threads, progress, and the flag that interrupts the job
  RunClock clock;

  RunMeta meta() const { return clock.meta(control.threads); }
};

// The number of threads to use: `threads`, or one for each core if it is empty.
inline int thread_count(const std::optional<std::int64_t>& threads) {
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int>(threads.value_or(std::min<std::int64_t>(cores, 4096)));
}

template <class Report>
using PreparedJob = std::function<Result<Report>(const Session&)>;

// Errors: those of prepare() and of the job.
template <class Job>
auto run_job(const Job& job, const Session& session) -> decltype((*prepare(job))(session)) {
  const auto prepared = ASSAY_TRY(prepare(job));
  return prepared(session);
}

}  // namespace assay

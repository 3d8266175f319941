// Runs a job on one core as if many processes shared it, and prints a line for each chunk of its long loops:
// loop,chunk,seconds,bytes. The line with chunk -1 has the seconds before the loop, which all processes spend, and the
// last line those after all loops. benchmarks/handout.py reads it.
//
//   chunk_times simulate EXPERIMENT [KEY=VALUE...] | chunk_times detect ROW...
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/detect/detect_job.hpp"
#include "assay/auditors/simulate/simulate_job.hpp"
#include "assay/mechanisms/core/chunk_engine.hpp"

namespace assay {
namespace {

// Seconds of this thread, which waits for nothing in these jobs; so other programs do not change them.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Two processes, one of which never asks for a chunk.
class RecordingEngine final : public ChunkEngine {
 public:
  int processes() const override { return 2; }
  bool is_first() const override { return true; }
  std::string agree(std::string bytes) override { return bytes; }
  std::int64_t total(std::int64_t number) override { return number; }
  Clock::time_point here(Clock::time_point time) const override { return time; }
  Clock::time_point now() override { return Clock::now(); }
  std::vector<std::string> run(
      int /*threads*/, std::size_t count, const std::function<std::string(std::size_t)>& chunk,
      const std::function<void(std::size_t, std::string_view)>& done) override {
    std::vector<std::string> values(count);
    print_between();
    for (std::size_t i = 0; i < count; ++i) {
      const detail::InPlace inside(detail::Place::kChunk);
      const double started = processor_time();
      values[i] = chunk(i);
      const double seconds = processor_time() - started;
      std::printf("%d,%zu,%.9f,%zu\n", loop_, i, seconds, values[i].size());
      if (done) done(i, values[i]);
    }
    ++loop_;
    between_ = processor_time();
    return values;
  }
  void print_between() const { std::printf("%d,-1,%.9f,0\n", loop_, processor_time() - between_); }

 private:
  int loop_ = 0;
  double between_ = processor_time();
};

template <class Job>
int run_recorded(const Job& job) {
  RecordingEngine engine;
  const detail::InPlace inside(detail::Place::kTop);
  Session session;
  session.control.engine = &engine;
  detail::engine_of_process = &engine;
  std::puts("loop,chunk,seconds,bytes");
  const auto report = run_job(job, session);
  engine.print_between();
  if (!report) std::fprintf(stderr, "chunk_times: %s\n", report.error().to_string().c_str());
  return report ? 0 : 2;
}

int run_words(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  std::vector<KeyValue> parameters;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string::npos) {
      names.push_back(words[i]);
    } else {
      parameters.push_back({words[i].substr(0, equals), words[i].substr(equals + 1)});
    }
  }
  const std::string_view command = words.empty() ? "" : std::string_view(words[0]);
  if (command == "simulate") {
    SimulationJob job;
    job.experiments = names;
    job.parameters = parameters;
    return run_recorded(job);
  }
  if (command == "detect") {
    DetectionJob job;
    job.rows = names;
    return run_recorded(job);
  }
  std::fputs("chunk_times: needs simulate or detect, and a name\n", stderr);
  return 2;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) { return assay::run_words({argv + 1, argv + argc}); }

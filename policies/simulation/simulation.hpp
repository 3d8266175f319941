// Simulates many independent runs of policies in environments, in parallel and in chunks.
//
//     Simulation s{.id = "ts-bernoulli", .horizon = 100000, .repetitions = 1000, ...};
//     auto runner = SimulationRunner::create({}, control);
//     auto result = runner->run(s);
//
// A series is one policy in one environment. A chunk is a fixed number of repetitions of one series; the
// number depends on the horizon, unless the simulation sets it. The results of chunks are merged in index
// order. So the result has the same bytes for any number of threads, also if it resumes from a checkpoint.
//
// Random streams (replay_stream.hpp): the seed is that of the simulation, the purpose a hash of the
// simulation, the series and the role, and the replicate the number of the repetition. With
// Luck::kShared every series gets the same random numbers of the environment in repetition r (common
// random numbers). With Luck::kOwn each series has its own.
//
// Threads: run() uses control.threads threads; call it from one thread. Cost: that of play() (20 to 30
// million rounds per second and core for Thompson sampling of 5 Bernoulli arms), plus 10 kB of
// checkpoint for each chunk of about 4 million rounds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/checkpoint.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay {

enum class Luck { kOwn, kShared };

struct Simulation {
  std::string id;  // with the id of a series, determines the random streams
  std::int64_t horizon = 1000;
  std::int64_t repetitions = 1;
  std::uint64_t seed = 1;
  Phase phase = Phase::kCertify;
  Luck luck = Luck::kOwn;
  std::int64_t chunk = 0;  // repetitions of a chunk; 0 for chunk_repetitions(horizon)
  std::vector<SimulatedSeries> series;

  // A text of everything that determines the result, except the policies that the series name.
  std::string key() const;
  std::int64_t repetitions_of_chunk() const;
};

struct SeriesResult {
  std::string id;
  std::vector<double> means;
  double largest_gap = 0.0;
  ChunkResult all;  // the merged result of all repetitions

  std::int64_t repetitions() const { return all.pseudo.count; }
};

struct SimulationResult {
  std::vector<std::int64_t> rounds;  // the rounds at which the results are recorded
  // In the order of the simulation. Policies that ran together in one series have a result each, under their own names.
  std::vector<SeriesResult> series;

  const SeriesResult& at(std::size_t index) const { return series[index]; }
};

// The half-width 1.96 s/sqrt(n) of a pointwise 95% band of the mean, by the normal approximation. It is an
// estimate and certifies nothing. It is 0 for fewer than two repetitions.
double normal_half_width(const Moments& moments, std::size_t column);

// The number of repetitions that make a chunk of about 4 million rounds.
std::int64_t chunk_repetitions(std::int64_t horizon);

struct CheckpointFile {
  std::string path;  // empty for no checkpoint
  // What identifies the run. A checkpoint of another run is an error.
  std::vector<KeyValue> identity;
};

class SimulationRunner {
 public:
  // Errors: a checkpoint that cannot be read or written, or that belongs to another run.
  static Result<SimulationRunner> create(CheckpointFile file, RunControl control);

  // Runs a simulation, or returns its result if it has run before. Errors: an interruption (the checkpoint
  // is written first), or a checkpoint that cannot be written.
  Result<std::shared_ptr<const SimulationResult>> run(const Simulation& simulation);

  const RunControl& control() const { return control_; }
  std::int64_t rounds_played() const { return rounds_played_; }  // not counting the checkpoint

 private:
  SimulationRunner(CheckpointFile file, RunControl control, Checkpoint checkpoint);

  Result<std::vector<std::uint64_t>> not_kept(const Simulation& simulation,
                                              const std::vector<std::uint64_t>& missing,
                                              DoneChunks& chunks) const;
  Status fill_chunks(const Simulation& simulation, DoneChunks& chunks, std::int64_t per_series);

  CheckpointFile file_;
  RunControl control_;
  Checkpoint checkpoint_;
  std::map<std::string, std::shared_ptr<const SimulationResult>> results_;
  std::int64_t rounds_played_ = 0;
};

}  // namespace assay

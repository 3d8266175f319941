// Simulations: policies x environments x horizon x repetitions, in chunks.
//
//     Simulation s{.id = "ts-bernoulli", .horizon = 100000, .repetitions = 1000, ...};
//     auto runner = SimulationRunner::create({}, control);
//     auto result = runner->run(s);
//
// Work is cut into chunks of one series and a fixed number of repetitions (a function of the horizon,
// or the simulation's own), whose results are merged in index order. So a result has the same bytes for
// any number of threads, and after it was resumed from a checkpoint.
//
// Streams: seed of the simulation; purpose a hash of simulation, series and role; replicate the
// repetition. Series share their environment's luck only with Luck::kShared: then every series meets
// the same random numbers of the environment in repetition r (common random numbers).
//
// Threads: run() uses control.threads threads; call it from one. Cost: that of play() (20 to 30 million
// rounds a second and core for Thompson sampling of 5 Bernoulli arms), plus 10 kB of checkpoint for
// each chunk of about 4 million rounds.
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
  std::string id;  // names the random streams, together with the series
  std::int64_t horizon = 1000;
  std::int64_t repetitions = 1;
  std::uint64_t seed = 1;
  Phase phase = Phase::kCertify;
  Luck luck = Luck::kOwn;
  std::int64_t chunk = 0;  // repetitions of a chunk; 0 for chunk_repetitions(horizon)
  std::vector<SimulatedSeries> series;

  // Everything that determines the result, besides the policies behind the series' names.
  std::string key() const;
  std::int64_t repetitions_of_chunk() const;
};

struct SeriesResult {
  std::string id;
  std::vector<double> means;
  double largest_gap = 0.0;
  ChunkResult all;  // of all repetitions

  std::int64_t repetitions() const { return all.pseudo.count; }
};

struct SimulationResult {
  std::vector<std::int64_t> rounds;  // recorded
  std::vector<SeriesResult>
      series;  // in the order of the simulation; policies that ran together by name

  const SeriesResult& at(std::size_t index) const { return series[index]; }
};

// Half-width of a pointwise 95% band of the mean by the normal approximation, 1.96 s/sqrt(n). It
// describes the noise and is not a certificate. 0 for fewer than two repetitions.
double normal_half_width(const Moments& moments, std::size_t column);

// The number of repetitions in a chunk, for about 4 million rounds.
std::int64_t chunk_repetitions(std::int64_t horizon);

struct CheckpointFile {
  std::string path;                // empty for no checkpoint
  std::vector<KeyValue> identity;  // of the whole run
};

class SimulationRunner {
 public:
  // Errors: a checkpoint that cannot be read or written, or that belongs to another run.
  static Result<SimulationRunner> create(CheckpointFile file, RunControl control);

  // Does not run the same simulation twice. Errors: an interruption (the checkpoint is written first), a
  // checkpoint that cannot be written.
  Result<std::shared_ptr<const SimulationResult>> run(const Simulation& simulation);

  const RunControl& control() const { return control_; }
  std::int64_t rounds_played() const { return rounds_played_; }  // without those of the checkpoint

 private:
  SimulationRunner(CheckpointFile file, RunControl control, Checkpoint checkpoint);

  Status fill_chunks(const Simulation& simulation, DoneChunks& chunks, std::int64_t per_series);

  CheckpointFile file_;
  RunControl control_;
  Checkpoint checkpoint_;
  std::map<std::string, std::shared_ptr<const SimulationResult>> results_;
  std::int64_t rounds_played_ = 0;
};

}  // namespace assay

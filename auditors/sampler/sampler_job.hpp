// The job of `assay sampler`: tests the numbers of a program or a file against a stated distribution.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/sampler/sampler_report.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct SamplerFacts {
  bool is_program = false;
  bool takes_seed = false;  // its command has {seed}
};

struct SamplerJob : JobOptions {
  using Facts = SamplerFacts;

  std::string exec;
  std::string file;          // "-" is standard input
  std::string distribution;  // "laplace:scale=1"; required
  double rounded_to = 0.0;
  std::vector<std::string> see;  // "tv=0.01", "eps=0.1", "scale=1.05"
  double confidence = 0.999999;
  std::optional<std::int64_t>
      samples;  // default: as many as `see` takes, else 1,000,000; all of a file
  std::optional<double> seconds;
  std::optional<double> answer_time;
  std::vector<std::string> env;
  std::string memory;
  bool sandbox = false;
  std::uint64_t seed = 1;
  RunOptions run;

  static void fields(const VisitOption<SamplerJob>& visit);
};

// Errors: no source or two, an unknown distribution, a parameter or option out of range, aims that would take too many
// samples. The message names the option and its range.
Result<PreparedJob<SamplerReport>> prepare(const SamplerJob& job);

}  // namespace assay

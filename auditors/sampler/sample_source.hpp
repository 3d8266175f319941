// Where the numbers of a test of a sampler come from: a program that writes them, one a line, or a file of such lines.
//
// A program is started again when it ends with status 0 before there are enough numbers; it must write one at least.
// It is contained as any target is (policies/external/child_process.hpp). Blank lines and lines that start with '#'
// are left out, and nan, inf and -inf are numbers here. Threads: one thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/child_process.hpp"

namespace assay {

struct SamplerProgram {
  std::string
      command;  // may have {seed}, replaced by `seed` plus the number of earlier starts, and {samples}
  std::uint64_t seed = 1;
  std::optional<std::int64_t> samples;  // for {samples}
  ChildLimits limits;

  bool takes_seed() const { return command.find("{seed}") != std::string::npos; }
  bool takes_samples() const { return command.find("{samples}") != std::string::npos; }
};

// The numbers of a program, in batches.
class ProgramSamples {
 public:
  // Errors: a command that is no command.
  static Result<ProgramSamples> create(const SamplerProgram& program);

  // Adds numbers until there are `wanted` of them, or until control.stopped(), which is no error. Errors: a program that
  // cannot start, fails, writes no number, or writes a line that is none.
  Status read(std::size_t wanted, const RunControl& control, std::vector<double>& out);
  std::int64_t starts() const { return starts_; }

 private:
  explicit ProgramSamples(const SamplerProgram& program) : program_(program) {}
  Status start(const RunControl& control);
  Status add_lines(std::string_view text, std::vector<double>& out);

  SamplerProgram program_;
  std::optional<ChildProcess> child_;
  std::vector<double> left_;  // numbers beyond those that were wanted
  std::int64_t starts_ = 0;
  std::int64_t line_ = 0;     // of this start's output
  std::int64_t numbers_ = 0;  // of it
};

// All numbers of a file, or the first `most`. Errors: a file that cannot be read, a line that is no number, more than
// kMostSamples if `most` is not given.
Result<std::vector<double>> read_samples(const std::string& path,
                                         const std::optional<std::int64_t>& most);

inline constexpr std::int64_t kMostSamples = 20'000'000;

}  // namespace assay

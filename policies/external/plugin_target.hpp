// A target in a shared library that implements the C interface of assay_policy_v1.h.
//
// Each instance is a separate process that loads the library and serves runs, behind the limits of
// child_process.hpp. As there, a hang or too much memory is an error. A crash, an exception or an exit in a
// run is an output of the run (failing_runs.hpp). No process is left behind. The plug-in's standard output is
// discarded. Its standard error is kept and its answers are checked, as for any child process.
//
// Threads: `load` forks a server process; call it before this process starts threads. `clone` makes the
// server fork, so it may be called at any time. Cost of a run: its input and output pass through a pipe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/failing_runs.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

class PluginTarget final : public Target {
 public:
  // Loads the library at `path`. A path without '/' is a file in the current folder. Errors: a library that cannot be
  // loaded, lacks assay_policy_v1_get, has another ABI, refuses the shape or breaks the interface.
  static Result<std::unique_ptr<PluginTarget>> load(const std::string& path,
                                                    const InputShape& shape,
                                                    const ChildLimits& limits = {});
  ~PluginTarget() override;

  const InputShape& shape() const override { return shape_; }
  std::string name() const override { return name_; }
  TakesKeys takes_keys() const override { return TakesKeys::kUnsaid; }
  bool seeded() const { return seeded_; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override;
  Result<std::unique_ptr<Target>> clone() const override;
  void rest() override;
  bool reports_probabilities() const override { return reports_probabilities_; }
  Result<std::vector<double>> probabilities(const InputTable& input, std::uint64_t seed,
                                            std::span<const int> actions,
                                            std::int64_t from) override;
  std::optional<Error> first_failure() const override { return runs_.first(); }

 private:
  PluginTarget(std::shared_ptr<const ForkServer> server, std::string path, const InputShape& shape,
               const ChildLimits& limits, ChildProcess child);
  static Result<std::unique_ptr<PluginTarget>> start(std::shared_ptr<const ForkServer> server,
                                                     const std::string& path,
                                                     const InputShape& shape,
                                                     const ChildLimits& limits);
  Status greet();
  // `where` names the message in an error.
  Result<std::string_view> ask(std::size_t most, const std::function<std::string()>& where);
  Status check(const InputTable& input);
  Status start_again();
  void write_input(const InputTable& input);  // into message_
  FailingRuns::Answer ask_runs(const InputTable& input, std::span<const std::uint64_t> seeds);

  std::shared_ptr<const ForkServer> server_;  // ends with the last instance
  std::string path_;
  InputShape shape_;
  ChildLimits limits_;
  ChildProcess child_;
  std::string name_;
  bool seeded_ = false;
  bool reports_probabilities_ = false;
  std::int64_t runs_asked_ = 0;  // the messages sent so far
  bool ended_ = false;           // no process runs; the next run gets a fresh one
  FailingRuns runs_;
  std::string message_;  // the last request
  std::vector<InputTable>
      accepted_;  // the last inputs, because an audit runs the same two in turns
};

}  // namespace assay

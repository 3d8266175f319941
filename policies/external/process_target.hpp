// A target in a separate process, which exchanges lines of JSON with Assay (docs/protocol.md).
//
// Assay checks every message of the process by the rules of schemas/protocol.schema.json before it uses it. Unknown
// fields, wrong types, a wrong id, too few or too many outputs, and actions out of range are errors that name the
// message. An error ends the process and its process group. A run that fails is not an error (failing_runs.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/policies/external/child_process.hpp"
#include "assay/policies/external/failing_runs.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

inline constexpr int kProtocolVersion = 1;

struct ProcessTargetConfig {
  std::vector<std::string> command;  // program and arguments
  InputShape shape;
  ChildLimits limits;
};

class ProcessTarget final : public Target {
 public:
  // Starts the program and sends the greeting. Errors: a program that cannot be started, or does not
  // answer the greeting by the protocol; a shape out of range.
  static Result<std::unique_ptr<ProcessTarget>> start(const ProcessTargetConfig& config);
  ~ProcessTarget() override;

  const InputShape& shape() const override { return config_.shape; }
  std::string name() const override { return name_; }
  bool seeded() const {
    return seeded_;
  }  // it says that its seeds determine all its random numbers
  bool deterministic() const { return deterministic_; }      // it says that it draws none
  const std::string& greeting() const { return greeting_; }  // the line that was sent
  const std::string& greeting_answer() const {
    return greeting_answer_;
  }  // the line that came back
  TakesKeys takes_keys() const override { return takes_keys_; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    return play_keyed(input, seeds, {});
  }
  Result<OutputBatch> play_keyed(const InputTable& input, std::span<const std::uint64_t> seeds,
                                 std::span<const RunKey> keys) override;
  Result<std::unique_ptr<Target>> clone() const override;  // starts a second process
  void rest() override;
  bool reports_probabilities() const override { return reports_probabilities_; }
  Result<std::vector<double>> probabilities(const InputTable& input, std::uint64_t seed,
                                            std::span<const int> actions,
                                            std::int64_t from) override;
  std::optional<Error> first_failure() const override { return runs_.first(); }

 private:
  ProcessTarget(const ProcessTargetConfig& config, ChildProcess child);
  Status greet();
  Status start_again();
  FailingRuns::Answer ask(const std::string& input, std::span<const std::uint64_t> seeds,
                          std::span<const RunKey> keys);

  ProcessTargetConfig config_;
  ChildProcess child_;
  std::string greeting_, greeting_answer_;
  std::string name_;
  bool seeded_ = false;
  bool deterministic_ = false;
  bool reports_probabilities_ = false;
  TakesKeys takes_keys_ = TakesKeys::kUnsaid;
  bool resting_ = false;  // no child runs
  FailingRuns runs_;
  // The JSON of the last inputs, because an audit alternates between two inputs.
  struct InputText {
    InputTable input;
    std::string text;
  };
  Result<const std::string*> text_of(const InputTable& input);
  std::vector<InputText> texts_;
  std::string request_;          // the last one
  std::int64_t runs_asked_ = 0;  // the messages sent so far, which is the id of the next one
};

}  // namespace assay

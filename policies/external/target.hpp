// A target is a policy or mechanism outside Assay. Assay runs it in batches and does not read its code.
//
// The private input is a table with a row for each round. The output is the numbers that an adversary sees;
// the shape determines how many (policies/inputs/input_table.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/inputs/output_layout.hpp"

namespace assay {

// If a run fails (the target raises an exception, exits or crashes), its output is one special symbol: all its numbers
// are this NaN. A NaN that the target itself reports is stored as another NaN.
inline constexpr std::uint64_t kFailedBits = 0x7ff8a55a'0000f411;
inline bool is_failed(std::span<const double> output) {
  return !output.empty() && std::bit_cast<std::uint64_t>(output.front()) == kFailedBits;
}

// `count` outputs of `width` numbers each, run by run, in the layout of output_layout.hpp.
struct OutputBatch {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::vector<double> values;
  std::string failure = {};  // what the first failed run did, in words; empty if none failed
  static auto byte_fields(auto& self) {
    return std::tie(self.count, self.width, self.values, self.failure);
  }

  std::span<const double> play(std::int64_t i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * width),
                                     static_cast<std::size_t>(width));
  }
  void add_failed(std::string what) {
    ++count;
    values.insert(values.end(), static_cast<std::size_t>(width),
                  std::bit_cast<double>(kFailedBits));
    if (failure.empty()) failure = what.empty() ? "(no reason given)" : std::move(what);
  }
  std::int64_t failed() const {
    std::int64_t runs = 0;
    for (std::int64_t i = 0; !failure.empty() && i < count; ++i) runs += is_failed(play(i)) ? 1 : 0;
    return runs;
  }
  friend bool operator==(const OutputBatch&, const OutputBatch&) = default;
};

// The numbers that seed the generators of a run in place of its seed (docs/protocol.md, "Two seedings").
using RunKey = std::array<std::uint64_t, 4>;

enum class TakesKeys {
  kOwn,       // it runs in this process, with Assay's own random numbers
  kUnsaid,    // it says nothing about keys
  kDeclined,  // it says that keys do not affect its random numbers
  kTaken,
};

// Forced actions of a target that reports probabilities (docs/protocol.md, "Probabilities"): `rounds` of them, each one
// of `actions`. Two arms of a duel are one action, first * arms + second.
struct PathShape {
  std::int64_t rounds = 0;
  std::int64_t actions = 0;

  // The rounds of an answer to `forced` actions that begins after round `from`: it ends with the round after them.
  std::int64_t answered(std::int64_t forced, std::int64_t from) const {
    return std::min(forced + 1, rounds) - from;
  }
};
// Errors: a kind other than bandit, experts and dueling; outputs with more than actions; too many numbers for an answer.
Result<PathShape> path_shape(const InputShape& shape);

// Reported probabilities may sum to 1 within this.
inline constexpr double kSumTolerance = 1e-9;
// Checks the probabilities of some rounds, the first of which follows round `from`. The error names the round and the
// range.
Status check_reported(const PathShape& shape, std::int64_t from, std::span<const double> values);

inline OutputBatch without_failed(const OutputBatch& batch) {
  OutputBatch out{0, batch.width, {}};
  for (std::int64_t i = 0; i < batch.count; ++i) {
    const auto output = batch.play(i);
    if (is_failed(output)) continue;
    out.values.insert(out.values.end(), output.begin(), output.end());
    ++out.count;
  }
  return out;
}

inline void append(const OutputBatch& part,
                   OutputBatch& whole) {  // of the same width, which an empty batch takes over
  whole.width = part.width;
  whole.count += part.count;
  whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
  if (whole.failure.empty()) whole.failure = part.failure;
}

// One instance serves one thread; `clone` gives another thread its own.
class Target {
 public:
  virtual ~Target() = default;
  virtual const InputShape& shape() const = 0;
  virtual std::string name() const = 0;  // the name that the target gives itself, one line

  // Makes one run for each seed, in order; failed runs are marked. Errors: kTarget, with a text that says what the
  // target did; kRefusedInput if the target says that the input is invalid.
  virtual Result<OutputBatch> play(const InputTable& input,
                                   std::span<const std::uint64_t> seeds) = 0;
  virtual TakesKeys takes_keys() const { return TakesKeys::kOwn; }
  // The same with a key for each seed; only for a target that takes keys.
  virtual Result<OutputBatch> play_keyed(const InputTable&, std::span<const std::uint64_t>,
                                         std::span<const RunKey>) {
    return fail(ErrorCode::kTarget, "takes no keys");
  }
  // Whether the target says that it reports probabilities.
  virtual bool reports_probabilities() const { return false; }
  // The probabilities of all actions in rounds from + 1 to n + 1 (at most the last), round by round, if the first n
  // actions are forced to be `actions`. Checked by check_reported(). Errors: kTarget, as in play().
  virtual Result<std::vector<double>> probabilities(const InputTable&, std::uint64_t /*seed*/,
                                                    std::span<const int> /*actions*/,
                                                    std::int64_t /*from*/) {
    return fail(ErrorCode::kTarget, "reports no probabilities");
  }
  virtual Result<std::unique_ptr<Target>> clone() const = 0;
  // Called before a pause: ends the running process, which the next run starts again.
  virtual void rest() {}
  // The first failure among the runs of this instance, as an error.
  virtual std::optional<Error> first_failure() const { return std::nullopt; }
};

// target.play(), for callers to whom a failed run is an error.
inline Result<OutputBatch> play_or_fail(Target& target, const InputTable& input,
                                        std::span<const std::uint64_t> seeds) {
  auto batch = target.play(input, seeds);
  if (!batch || batch->failure.empty()) return batch;
  return tl::make_unexpected(
      target.first_failure().value_or(Error{ErrorCode::kTarget, batch->failure, "", 0}));
}

}  // namespace assay

// A target: a policy or mechanism that lives outside, played in batches without being read.
//
// The private input is a table, one row a round; what comes back is what an adversary sees, as
// numbers. The shape says how many (policies/inputs/input_table.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/inputs/output_layout.hpp"

namespace assay {

// A run that fails (the target raises an exception, exits or crashes) has an output like any other, one
// symbol: all its numbers are this NaN, which is not the one that a target's own NaN is read as.
inline constexpr std::uint64_t kFailedBits = 0x7ff8a55a'0000f411;
inline bool is_failed(std::span<const double> output) {
  return !output.empty() && std::bit_cast<std::uint64_t>(output.front()) == kFailedBits;
}

// `count` outputs of `width` numbers each, play by play, as output_layout.hpp lays them out.
struct OutputBatch {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::vector<double> values;
  std::string failure = {};  // what the first run that failed did, in words; empty where none did

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

// What the generators of a run are filled from instead of its seed (docs/protocol.md, "Two seedings").
using RunKey = std::array<std::uint64_t, 4>;

enum class TakesKeys {
  kOwn,       // in this process: its random numbers are Assay's own
  kUnsaid,    // it knows of no keys
  kDeclined,  // it says that keys decide nothing of what it draws
  kTaken,
};
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
                   OutputBatch& whole) {  // of one width, which an empty one takes
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
  virtual std::string name() const = 0;  // one line, as the target calls itself

  // One play per seed, in order; those that failed are marked. Errors: kTarget with what the target did, in
  // words; kRefusedInput where it says that it is asked for what is no input of its.
  virtual Result<OutputBatch> play(const InputTable& input,
                                   std::span<const std::uint64_t> seeds) = 0;
  virtual TakesKeys takes_keys() const { return TakesKeys::kOwn; }
  // The same by keys, one a seed; only where they are taken.
  virtual Result<OutputBatch> play_keyed(const InputTable&, std::span<const std::uint64_t>,
                                         std::span<const RunKey>) {
    return fail(ErrorCode::kTarget, "takes no keys");
  }
  virtual Result<std::unique_ptr<Target>> clone() const = 0;
  // Not played for a while: gives back what runs, and starts it again at the next play.
  virtual void rest() {}
  // Of the runs of this instance the first that failed, as an error would say it.
  virtual std::optional<Error> first_failure() const { return std::nullopt; }
};

// target.play(), for those to whom a run that fails is an error.
inline Result<OutputBatch> play_or_fail(Target& target, const InputTable& input,
                                        std::span<const std::uint64_t> seeds) {
  auto batch = target.play(input, seeds);
  if (!batch || batch->failure.empty()) return batch;
  return tl::make_unexpected(
      target.first_failure().value_or(Error{ErrorCode::kTarget, batch->failure, "", 0}));
}

}  // namespace assay

// A target: a policy or mechanism that lives outside, played in batches without being read.
//
// The private input is a table, one row a round; what comes back is what an adversary sees, as
// numbers. The shape says how many (policies/inputs/input_table.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/policies/inputs/output_layout.hpp"

namespace assay {

// `count` outputs of `width` numbers each, play by play, as output_layout.hpp lays them out.
struct OutputBatch {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::vector<double> values;

  std::span<const double> play(std::int64_t i) const {
    return std::span(values).subspan(static_cast<std::size_t>(i * width),
                                     static_cast<std::size_t>(width));
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

// One instance serves one thread; `clone` gives another thread its own.
class Target {
 public:
  virtual ~Target() = default;
  virtual const InputShape& shape() const = 0;
  virtual std::string name() const = 0;  // one line, as the target calls itself

  // One play per seed, in order. Errors: kTarget with what the target did, in words.
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
};

}  // namespace assay

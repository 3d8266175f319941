// ReplayStream: counter-based random numbers that five numbers reproduce.
//
// Philox4x64-10 with key = (seed, purpose) and counter = (block, replicate, lane, phase). Two
// streams that differ in any of the five numbers are independent. Replicates, inputs and phases
// share nothing unless a caller passes the same identity twice (common random numbers, always
// explicit).
//
// Reference: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011).
// Threads: a stream is a value; use one per thread.
// Cost: about 3 ns per 64-bit number.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/philox.hpp"

namespace assay {

// Phases keep the search for a pair, an event or an orientation apart from its certification.
enum class Phase : std::uint64_t { kSearch = 0, kPilot = 1, kCertify = 2, kCheck = 3 };

struct StreamId {
  std::uint64_t seed = 0;
  std::uint64_t purpose = 0;    // hash_purpose("likelihood/plain")
  std::uint64_t replicate = 0;  // index of the transcript or sample
  std::uint64_t lane = 0;       // 2 pair, plus 1 for D'
  Phase phase = Phase::kCertify;
};

// FNV-1a, so that the key does not depend on the standard library's hash.
constexpr std::uint64_t hash_purpose(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

class ReplayStream {
 public:
  using Block = std::array<std::uint64_t, 4>;

  explicit ReplayStream(const StreamId& id)
      : key_{id.seed, id.purpose},
        counter_{0, id.replicate, id.lane, static_cast<std::uint64_t>(id.phase)} {}

  // The next 64 uniform bits.
  std::uint64_t next() {
    if (used_ == 4) {
      block_ = philox4x64(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  // Uniform on the open interval (0, 1), never 0 or 1: (k + 1/2) 2^-52 with k in [0, 2^52).
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1.0p-52; }

  // The next four numbers at once, if none of the current block is left (buffered() == 0).
  int buffered() const { return 4 - used_; }
  Block next_block() {
    ASSAY_CHECK(used_ == 4, "a whole block can only be taken between blocks");
    const auto block = philox4x64(counter_, key_);
    ++counter_[0];
    return block;
  }

  // Reserves the next `count` blocks without making them, for kernels that make several at a time.
  // Returns the counter of the first, and the key. Only between blocks.
  struct Blocks {
    PhiloxCounter counter;
    PhiloxKey key;
  };
  Blocks take_blocks(std::uint64_t count) {
    ASSAY_CHECK(used_ == 4, "whole blocks can only be taken between blocks");
    const Blocks blocks{counter_, key_};
    counter_[0] += count;
    return blocks;
  }

  // Random access, for samplers that draw lazily: the block `offset` blocks ahead of the next unused
  // one, and a jump over `count` whole blocks. Both first drop the rest of the current block.
  Block block_ahead(std::uint64_t offset) const {
    auto counter = counter_;
    counter[0] += offset;
    return philox4x64(counter, key_);
  }
  void skip_blocks(std::uint64_t count) {
    counter_[0] += count;
    used_ = 4;
  }

 private:
  PhiloxKey key_;
  PhiloxCounter counter_;
  Block block_{};
  int used_ = 4;
};

}  // namespace assay

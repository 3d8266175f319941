// ReplayStream: random numbers that can be reproduced, for audits and simulations. Not for the release of
// data, whose noise nobody may predict (secure_stream.hpp).
//
// Five numbers identify a stream: seed, purpose, replicate, lane and phase. The generator is Philox4x64-10
// with key = (seed, purpose) and counter = (block, replicate, lane, phase). Streams that differ in any of
// the five are independent. Two replicates, inputs or phases share random numbers only if a caller passes
// the same identity twice (common random numbers).
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
  std::uint64_t purpose = 0;    // for example hash_purpose("likelihood/plain")
  std::uint64_t replicate = 0;  // the index of the run or sample
  std::uint64_t lane = 0;       // twice the index of the pair, plus 1 for D'
  Phase phase = Phase::kCertify;
};

// The FNV-1a hash, so that streams do not depend on the standard library's hash.
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

  // A uniform number in the open interval (0, 1): (k + 1/2) 2^-52 with k in [0, 2^52).
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1.0p-52; }

  // next_block() returns the next four numbers at once. Precondition: none is left of the current block
  // (buffered() == 0).
  int buffered() const { return 4 - used_; }
  Block next_block() {
    ASSAY_CHECK(used_ == 4, "a whole block can only be taken between blocks");
    const auto block = philox4x64(counter_, key_);
    ++counter_[0];
    return block;
  }

  // Reserves the next `count` blocks without computing them, for code that computes several at a time.
  // Returns the counter of the first, and the key. Precondition: buffered() == 0.
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

  // Random access, for samplers that draw lazily: block_ahead() returns the block that is `offset` blocks
  // after the next unused one, and skip_blocks() jumps over `count` whole blocks. Neither uses the rest of
  // the current block.
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

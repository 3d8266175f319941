// ChaCha20: the stream cipher of RFC 8439 as a source of key-stream blocks.
//
// A block is 20 rounds of additions, exclusive ors and rotations over (constants, key, counter,
// nonce), plus the start state: no table, no branch and so no timing that depends on the key.
// Tested against the RFC's known answers. The key stream is that of a 64-bit counter and a 64-bit
// nonce of zero (Bernstein's layout), which is the RFC's for the counters below 2^32.
//
// Reference: Nir, Langley, RFC 8439 (2018), section 2.3. Threads: a pure function.
// Cost: 0.5 ns per byte, four blocks at a time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace assay::detail {

using ChaChaKey = std::array<std::uint32_t, 8>;

inline constexpr std::size_t kChaChaWords = 16;  // 32-bit words of a block

// out.size() is a multiple of 4 kChaChaWords: block b, little-endian words, begins at
// out[16 b], and has counter first + b.
void chacha20_blocks(const ChaChaKey& key, std::uint64_t first, std::span<std::uint32_t> out);

}  // namespace assay::detail

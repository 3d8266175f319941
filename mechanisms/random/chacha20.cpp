#include "assay/mechanisms/random/chacha20.hpp"

#include <cstddef>
#include <cstring>

#include "assay/mechanisms/core/check.hpp"

namespace assay::detail {
namespace {

constexpr std::size_t kLanes = 4;
// One word of four blocks side by side; SSE2 is part of x86-64.
using Lanes __attribute__((vector_size(4 * kLanes))) = std::uint32_t;

inline Lanes rotate(Lanes x, int bits) { return (x << bits) | (x >> (32 - bits)); }

inline void quarter_round(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  a += b, d = rotate(d ^ a, 16);
  c += d, b = rotate(b ^ c, 12);
  a += b, d = rotate(d ^ a, 8);
  c += d, b = rotate(b ^ c, 7);
}

inline void double_round(Lanes (&x)[kChaChaWords]) {
  quarter_round(x[0], x[4], x[8], x[12]);
  quarter_round(x[1], x[5], x[9], x[13]);
  quarter_round(x[2], x[6], x[10], x[14]);
  quarter_round(x[3], x[7], x[11], x[15]);
  quarter_round(x[0], x[5], x[10], x[15]);
  quarter_round(x[1], x[6], x[11], x[12]);
  quarter_round(x[2], x[7], x[8], x[13]);
  quarter_round(x[3], x[4], x[9], x[14]);
}

inline Lanes all(std::uint32_t word) { return Lanes{word, word, word, word}; }

}  // namespace

void chacha20_blocks(const ChaChaKey& key, std::uint64_t first, std::span<std::uint32_t> out) {
  ASSAY_CHECK(out.size() % (kLanes * kChaChaWords) == 0, "whole groups of four blocks");
  Lanes start[kChaChaWords] = {all(0x61707865u), all(0x3320646eu), all(0x79622d32u),
                               all(0x6b206574u)};  // "expand 32-byte k"
  for (std::size_t i = 0; i < key.size(); ++i) start[4 + i] = all(key[i]);
  Lanes x[kChaChaWords];
  for (std::size_t at = 0; at < out.size(); at += kLanes * kChaChaWords, first += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      start[12][lane] = static_cast<std::uint32_t>(first + lane);
      start[13][lane] = static_cast<std::uint32_t>((first + lane) >> 32);
    }
    for (std::size_t i = 0; i < kChaChaWords; ++i) x[i] = start[i];
    for (int round = 0; round < 20; round += 2) double_round(x);
    for (std::size_t i = 0; i < kChaChaWords; ++i) {
      const Lanes sum = x[i] + start[i];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        out[at + lane * kChaChaWords + i] = sum[lane];
      }
    }
  }
  // The key, and with it every word, is not left on the stack.
  explicit_bzero(start, sizeof(start));
  explicit_bzero(x, sizeof(x));
}

}  // namespace assay::detail

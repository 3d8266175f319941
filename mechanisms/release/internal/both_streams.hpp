// The releases of a mechanism, compiled in its source file for both kinds of random words.
#pragma once

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"

// ASSAY_BOTH_STREAMS(TopK, std::int64_t): `release`, and `release_many` into numbers of that type.
#define ASSAY_BOTH_STREAMS(M, Number)                                                     \
  template M::Output M::release(const M::Input&, ReplayStream&) const;                    \
  template M::Output M::release(const M::Input&, SecureStream&) const;                    \
  template void M::release_many(const M::Input&, ReplayStream&, std::span<Number>) const; \
  template void M::release_many(const M::Input&, SecureStream&, std::span<Number>) const

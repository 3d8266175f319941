// The release functions of a mechanism, instantiated in its source file for both types of random streams.
#pragma once

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"

// `release`; `release_many` into numbers of a type, ASSAY_MANY_FROM_BOTH_STREAMS(TopK, std::int64_t); or both.
#define ASSAY_ONE_FROM_BOTH_STREAMS(M)                                 \
  template M::Output M::release(const M::Input&, ReplayStream&) const; \
  template M::Output M::release(const M::Input&, SecureStream&) const
#define ASSAY_MANY_FROM_BOTH_STREAMS(M, Number)                                           \
  template void M::release_many(const M::Input&, ReplayStream&, std::span<Number>) const; \
  template void M::release_many(const M::Input&, SecureStream&, std::span<Number>) const
#define ASSAY_BOTH_STREAMS(M, Number) \
  ASSAY_ONE_FROM_BOTH_STREAMS(M);     \
  ASSAY_MANY_FROM_BOTH_STREAMS(M, Number)

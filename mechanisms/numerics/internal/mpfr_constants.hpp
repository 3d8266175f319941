// MPFR keeps constants and caches for each thread that computes a logarithm. The end of a thread that
// has called this frees them.
#pragma once

#include <mpfr.h>

namespace assay::detail {

inline void own_mpfr_constants() {
  struct Owner {
    ~Owner() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  static thread_local const Owner owner;
}

}  // namespace assay::detail

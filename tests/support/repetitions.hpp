// How often a test repeats: in full, or a twentieth of it under the address or the thread
// sanitizer, where the point is memory, races and undefined behaviour; the tests that take longest, a
// quarter of it unless ASSAY_TEST_IN_FULL is in the environment. Limits are computed from the number, so
// that a test is valid at any.
#pragma once

#include <cstdlib>

namespace assay {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // Clang
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

constexpr int repetitions(int full) { return kSanitized ? full / 20 : full; }

// For tests that take more than ten seconds in full.
inline int dear_repetitions(int full) {
  static const bool in_full = std::getenv("ASSAY_TEST_IN_FULL") != nullptr;
  return in_full ? repetitions(full) : repetitions(full / 4);
}

}  // namespace assay

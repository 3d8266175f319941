// How often a test repeats: in full, or a twentieth of it under the address or the thread
// sanitizer, where the point is memory, races and undefined behaviour. Limits are computed from the
// number, so both are valid.
#pragma once

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

}  // namespace assay

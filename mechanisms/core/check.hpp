// ASSAY_CHECK: preconditions of inner loops, where a Result would cost too much.
//
//     ASSAY_CHECK(action >= 0 && action < arms(), "the action must be one of the arms");
//
// On when ASSAY_CHECKED is set, which is the default of Debug builds and always so under sanitizers
// in CI: a failure prints file, line, condition and message, and aborts. Off otherwise: the
// condition is compiled, never evaluated. A wrong precondition is a bug in the calling code; bad
// input never reaches one, it is refused with an Error where it is read.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace assay {

#if defined(ASSAY_CHECKED) && ASSAY_CHECKED
inline constexpr bool kChecked = true;
#else
inline constexpr bool kChecked = false;
#endif

namespace detail {

[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const char* message) {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace detail
}  // namespace assay

#define ASSAY_CHECK(condition, message)                                           \
  do {                                                                            \
    if constexpr (::assay::kChecked) {                                            \
      if (!(condition)) {                                                         \
        ::assay::detail::check_failed(__FILE__, __LINE__, #condition, (message)); \
      }                                                                           \
    }                                                                             \
  } while (false)

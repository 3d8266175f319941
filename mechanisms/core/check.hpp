// ASSAY_CHECK: preconditions of inner loops, where a Result would cost too much.
//
//     ASSAY_CHECK(action >= 0 && action < arms(), "the action must be one of the arms");
//
// It is on when ASSAY_CHECKED is set, which is the default of Debug builds and of builds with sanitizers
// in CI. A failure then prints file, line, condition and message, and aborts. Otherwise the condition is
// compiled but never evaluated. A precondition that fails is a bug in the calling code. Bad input never
// causes one, since the code that reads input returns an Error.
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

// The error type of the whole library: a code, a sentence for people, and the position in the input.
//
// Every function that reads input or creates a value from a configuration returns Result<T>: a value or an
// Error. Inner loops do not; they assert their preconditions (check.hpp).
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

namespace assay {

enum class ErrorCode {
  kInvalidArgument,  // a value outside its allowed range, or a contradiction between values
  kUnknownKey,       // a name that does not exist
  kParse,            // text that cannot be read as its type
  kIo,               // a file that cannot be read or written
  kLimit,            // a problem that is larger than the stated limit of the method
  kNumerical,        // a computation whose error cannot be bounded
  kInterrupted,      // stopped by the user
  kTarget,           // the audited program failed
  kRefusedInput,     // the audited program rejects the input
  kInternal,         // a bug in Assay
  kShard,  // not an error: the shard has its items, and the rest of the work needs those of all
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence that names the field and the allowed range
  std::string path;     // JSON pointer to the field ("/horizon") or name of a file; may be empty
  long line = 0;        // 1-based line in the input file; 0 when there is none

  // "path:line: message", without the parts that are empty.
  std::string to_string() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

tl::unexpected<Error> fail(ErrorCode code, std::string_view message, std::string_view path = {},
                           long line = 0);

namespace detail {

// The value of a Result, moved out if the Result is a temporary; nothing for a Status.
template <class R>
auto value_of(R&& result) {
  if constexpr (!std::is_void_v<typename std::remove_cvref_t<R>::value_type>) {
    return *std::forward<R>(result);
  }
}

}  // namespace detail
}  // namespace assay

// `const auto x = ASSAY_TRY(f());` sets x to the value of a Result, or returns its error from the enclosing
// function. With a Status, `ASSAY_TRY(check());` is a statement. It uses an extension of both
// compilers (GNU's statement expression), since the standard has no expression that returns.
// Do not use it in a list, or in a call that has other arguments: if it returns, it leaks the arguments that were
// already constructed.
#define ASSAY_TRY(...)                                                                      \
  __extension__({                                                                           \
    auto&& assay_tried = (__VA_ARGS__);                                                     \
    if (!assay_tried) {                                                                     \
      return tl::make_unexpected(std::forward<decltype(assay_tried)>(assay_tried).error()); \
    }                                                                                       \
    assay::detail::value_of(std::forward<decltype(assay_tried)>(assay_tried));              \
  })

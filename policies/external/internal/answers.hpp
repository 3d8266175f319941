// What a target says, read from bytes that nobody vouches for: a message of the kind that is waited
// for, or an error that says what is wrong with it ("must carry its \"name\""). Lines of the process
// protocol, and what the process of a plug-in answers (plugin_server.hpp) behind a length.
//
// Memory and time are bounded by the line and the shape. Threads: every function may run in any.
// Private to the library's sources and its fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/policies/external/target.hpp"

namespace assay::detail {

struct Ready {
  std::string name;  // its first 200 bytes
  bool seeded = false;
  bool deterministic = false;
  std::optional<bool> keys = {};  // it takes them, or declines; where it says either
};

// The answer to the greeting.
Result<Ready> read_ready(const InputShape& shape, const std::string& line);

// `count` outputs of this shape, in the answer to message `id`.
Result<OutputBatch> read_plays(const InputShape& shape, const std::string& line, std::int64_t id,
                               std::int64_t count);

// A number of 8 bytes, the length, then as many bytes of an answer.
inline constexpr std::size_t kLengthBytes = 8;
// How many of the bytes received are the length and the answer that they begin with; nothing until it
// is whole, and never where it is longer than `most`.
std::optional<std::size_t> framed_bytes(std::string_view received, std::size_t most);

// Of an answer without its length.
Result<Ready> read_plugin_ready(std::string_view answer);
Result<OutputBatch> read_plugin_plays(const InputShape& shape, std::string_view answer,
                                      std::int64_t count);
// Whether another answer may follow one that was not read: not where the plug-in threw, nor where it
// wrote among the outputs, so that nobody knows where the next begins.
bool plugin_goes_on(const InputShape& shape, std::string_view answer, std::int64_t count);

}  // namespace assay::detail

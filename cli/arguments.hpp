// What the subcommands share in reading their words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {

// Names the flag in an error of its value.
template <class T>
Result<T> named(const std::string& flag, Result<T> value) {
  if (value) return value;
  Error error = value.error();
  error.message = flag + " " + error.message;
  return tl::make_unexpected(error);
}

// Sets `out` unless the word is empty. Errors: unreadable, or below `low`.
template <class T>
Status read_optional(const std::string& flag, const std::string& word,
                     Result<T> (*parse)(std::string_view), T low, std::optional<T>& out) {
  if (word.empty()) return {};
  const auto value = named(flag, parse(word));
  if (!value) return tl::make_unexpected(value.error());
  if (*value < low) {
    return fail(
        ErrorCode::kInvalidArgument,
        flag + " must be at least " + number_text(static_cast<double>(low)) + ", not " + word);
  }
  out = *value;
  return {};
}

// "key=value" words of -p, each key once.
Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words);

// --seed: 0 to 2^63 - 1.
Result<std::uint64_t> read_seed(const std::string& word);

// --threads: all cores where the word is empty.
Result<int> read_threads(const std::string& word);

// UTC, ISO 8601.
std::string utc_now();

}  // namespace assay::cli

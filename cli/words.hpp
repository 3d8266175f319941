// Words of the command line that several subcommands read, with errors that name the flag.
#pragma once

#include <fmt/format.h>

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

// A number of at least `low`; no word leaves `out` as it is.
template <class T>
Status read_optional(const std::string& flag, const std::string& word,
                     Result<T> (*parse)(std::string_view), T low, std::optional<T>& out) {
  if (word.empty()) return {};
  const auto value = ASSAY_TRY(named(flag, parse(word)));
  if (value < low) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be at least {}, not {}", flag, low, word));
  }
  out = value;
  return {};
}

// "key=value" words of -p, each key once.
Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words);

Result<std::uint64_t> read_seed(const std::string& word);  // 0 to 2^63 - 1
Result<int> read_threads(const std::string& word);         // no word: all cores

// Seconds of at least `low` and at most 1e9 (32 years); no word leaves `out` as it is.
Status read_seconds(const std::string& flag, const std::string& word, double low,
                    std::optional<double>& out);

}  // namespace assay::cli

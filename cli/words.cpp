#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

#include <algorithm>
#include <thread>

namespace assay::cli {

Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words) {
  std::vector<KeyValue> parameters;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kParse, "-p takes key=value, not '" + word + "'");
    }
    const std::string key = word.substr(0, equals);
    for (const auto& earlier : parameters) {
      if (earlier.key == key) {
        return fail(ErrorCode::kInvalidArgument, "parameter '" + key + "' is given twice",
                    "/" + key);
      }
    }
    parameters.push_back({key, word.substr(equals + 1)});
  }
  return parameters;
}

Result<std::uint64_t> read_seed(const std::string& word) {
  std::optional<std::int64_t> seed;
  if (const auto status = read_optional<std::int64_t>("--seed", word, parse_integer, 0, seed);
      !status) {
    return tl::make_unexpected(status.error());
  }
  return static_cast<std::uint64_t>(seed.value_or(0));
}

Result<int> read_threads(const std::string& word) {
  std::optional<std::int64_t> threads;
  if (const auto status = read_optional<std::int64_t>("--threads", word, parse_integer, 1, threads);
      !status) {
    return tl::make_unexpected(status.error());
  }
  const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min<std::int64_t>(threads.value_or(cores), 4096));
}

Status read_seconds(const std::string& flag, const std::string& word, double low,
                    std::optional<double>& out) {
  constexpr double kMost = 1e9;  // counts of nanoseconds, and of plays in them, stay within 63 bits
  if (word.empty()) return {};
  const auto seconds = ASSAY_TRY(named(flag, parse_number(word)));
  if (!(seconds >= low && seconds <= kMost)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be {} to {} seconds, not {}", flag, number_text(low),
                            number_text(kMost), word));
  }
  out = seconds;
  return {};
}

}  // namespace assay::cli

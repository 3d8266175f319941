#include "assay/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

namespace assay::cli {

Result<int> read_threads(const std::string& word) {
  std::optional<std::int64_t> threads;
  if (const auto status = read_optional<std::int64_t>("--threads", word, parse_integer, 1, threads);
      !status) {
    return tl::make_unexpected(status.error());
  }
  const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min<std::int64_t>(threads.value_or(cores), 4096));
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace assay::cli

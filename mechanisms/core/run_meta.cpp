#include "assay/mechanisms/core/run_meta.hpp"

#include <array>
#include <ctime>

#include "assay/mechanisms/core/version.hpp"

namespace assay {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text.data(), length};
}

}  // namespace

RunClock::RunClock() : started_at_(utc_now()), started_(std::chrono::steady_clock::now()) {}

RunMeta RunClock::meta(int threads) const {
  RunMeta meta;
  meta.version = build_info().version;
  meta.build = to_string(build_info());
  meta.started = started_at_;
  meta.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  meta.threads = threads;
  return meta;
}

}  // namespace assay

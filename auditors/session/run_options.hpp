// The options of a run, whatever its job: how many threads, and where the report goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/options.hpp"

namespace assay {

struct RunOptions {
  std::optional<std::int64_t> threads;
  std::string format = "text";
  bool quiet = false;
  std::vector<std::string> write;
};

inline OptionText threads_option(const std::string& never_changes) {
  return {.name = "threads",
          .help = "Threads (default: all cores); never changes " + never_changes,
          .range = {1, 4096},
          .environment = "ASSAY_THREADS"};
}
inline OptionText format_option(const std::string& help) {
  return {.name = "format", .help = "Report on stdout: " + help, .shows_default = true};
}
inline OptionText quiet_option() {
  return {.name = "quiet", .help = "Print the headline alone; files are written whole"};
}
inline OptionText write_option(const std::string& endings) {
  return {.name = "write",
          .type = "FILE",
          .help = "Also write the report to this file, repeatable" + endings,
          .letter = 'w'};
}
inline constexpr std::string_view kEnvironmentOption = "env";
inline OptionText environment_option(std::string_view group) {
  return {.name = std::string(kEnvironmentOption),
          .type = "NAME",
          .help =
              "Let the target see this variable of the environment too, repeatable; all for every "
              "one (default: PATH, HOME, LANG and the like, docs/protocol.md)",
          .group = group};
}
inline OptionText parameter_option(const std::string& help) {
  return {.name = "parameter", .type = "KEY=VALUE", .help = help, .letter = 'p', .flag = "-p"};
}

}  // namespace assay

#include "assay/auditors/mechanisms/mechanism_case.hpp"

#include <fmt/format.h>

namespace assay::detail {

Status check_law_work(double steps) {
  constexpr double kMost = 1e7;
  if (steps <= kMost) return {};
  return fail(
      ErrorCode::kLimit,
      fmt::format("the law of these outputs takes {:.2g} steps, and {:.2g} is the most: use "
                  "--method likelihood or events, or a smaller input",
                  steps, kMost),
      "/method");
}

Status check_entries(std::string_view of, std::int64_t entries, std::string_view chosen,
                     std::int64_t choices) {
  if (entries > kMostEntries) {
    return fail(
        ErrorCode::kLimit,
        fmt::format("{} must be at most {} to be audited, not {}", of, kMostEntries, entries),
        fmt::format("/{}", of));
  }
  const std::int64_t most = kMostChoices / entries;
  if (choices <= most) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("{} times {} must be at most {} to be audited: {} at most {} here",
                          chosen, of, kMostChoices, chosen, most),
              fmt::format("/{}", chosen));
}

}  // namespace assay::detail

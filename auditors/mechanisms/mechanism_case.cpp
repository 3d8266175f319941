#include "assay/auditors/mechanisms/mechanism_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::detail {

Result<EnumeratedDistributions> certified_distributions(EnumeratedDistributions distributions,
                                                        double log_floor) {
  double deepest = 0.0;
  for (std::size_t i = 0; i < distributions.log_p.size(); ++i) {
    const double least = std::min(distributions.log_p[i], distributions.log_q[i]);
    if (std::isfinite(least)) deepest = std::max(deepest, -least);
    if (least >= log_floor) continue;
    if (std::max(distributions.log_p[i], distributions.log_q[i]) ==
        -std::numeric_limits<double>::infinity()) {
      continue;
    }
    return fail(ErrorCode::kNumerical,
                fmt::format("output {} has a log-probability below {}, which the exact method does "
                            "not certify: use --method events, or a smaller epsilon",
                            i, number_text(log_floor)),
                "/method");
  }
  distributions.relative_error += 4e-16 * deepest;  // rounding of the logarithms themselves
  return distributions;
}

double loss_of_logs(double log_p, double log_q, Side side) {
  const double own = side == Side::kBase ? log_p : log_q;
  if (own == -std::numeric_limits<double>::infinity()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return log_p - log_q;
}

Status check_distribution_work(double steps) {
  constexpr double kMost = 1e7;
  if (steps <= kMost) return {};
  return fail(
      ErrorCode::kLimit,
      fmt::format("the distribution of these outputs takes {:.2g} steps, but {:.2g} is the most: "
                  "use --method likelihood or events, or a smaller input",
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

#include "assay/mechanisms/accounting/advanced_composition.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

using detail::Enclosure;

Status check_level(const ApproximateDp& level, const std::string& at) {
  return detail::first_failure(detail::check_non_negative(at + "epsilon", level.epsilon.value),
                               detail::check_delta(at + "delta", level.delta.value));
}

Result<ApproximateDp> level_of(double epsilon, double delta) {
  if (!std::isfinite(epsilon)) {
    return fail(ErrorCode::kLimit, "epsilon of the whole overflows: the levels are too large",
                "/epsilon");
  }
  if (!(delta < 1.0)) {
    return fail(ErrorCode::kLimit, "delta of the whole reaches 1, which guarantees nothing",
                "/delta");
  }
  return ApproximateDp{Epsilon{epsilon}, Delta{delta}};
}

}  // namespace

Result<ApproximateDp> advanced_composition_drv(const ApproximateDp& each, std::int64_t count,
                                               Delta slack) {
  ASSAY_TRY(detail::first_failure(check_level(each, ""),
                                  detail::check_count("count", count, std::int64_t{1} << 53),
                                  detail::check_open_delta("slack", slack.value)));
  const Enclosure k = static_cast<double>(count);
  const Enclosure e = each.epsilon.value;
  const Enclosure spread = e * sqrt(2.0 * k * -log(Enclosure(slack.value)));
  return level_of((spread + k * e * expm1(e)).high, (k * each.delta.value + slack.value).high);
}

Result<ApproximateDp> advanced_composition(std::span<const ApproximateDp> levels, Delta slack) {
  if (levels.empty())
    return fail(ErrorCode::kInvalidArgument, "levels must not be empty", "/levels");
  ASSAY_TRY(detail::check_open_delta("slack", slack.value));
  Enclosure sum = 0.0;
  Enclosure mean = 0.0;
  Enclosure squares = 0.0;
  Enclosure log_kept = log1p(Enclosure(-slack.value));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    ASSAY_TRY(check_level(levels[i], "levels/" + std::to_string(i) + "/"));
    const Enclosure e = levels[i].epsilon.value;
    sum = sum + e;
    mean = mean + e * -expm1(-e) / (1.0 + exp(-e));
    squares = squares + e * e;
    log_kept = log_kept + log1p(Enclosure(-levels[i].delta.value));
  }
  const Enclosure d = slack.value;
  const Enclosure by_slack = -log(d);
  const Enclosure by_spread = log(exp(Enclosure(1.0)) + sqrt(squares) / d);
  const double log_factor = std::min(by_slack.high, by_spread.high);
  const double advanced = (mean + sqrt(2.0 * squares * log_factor)).high;  // (3), (4)
  return level_of(std::min(sum.high, advanced), (-expm1(log_kept)).high);  // (2)
}

}  // namespace assay

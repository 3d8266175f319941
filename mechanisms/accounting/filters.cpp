#include "assay/mechanisms/accounting/filters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

// The quantity that (1) adds up for a level, and its name.
double value_of(const PureDp& level) { return level.epsilon.value; }
double value_of(const ZeroConcentratedDp& level) { return level.rho.value; }
double value_of(const GaussianDp& level) { return level.mu.value; }

std::string name_of(const PureDp&) { return "epsilon"; }
std::string name_of(const ZeroConcentratedDp&) { return "rho"; }
std::string name_of(const GaussianDp&) { return "mu"; }

double cost_of(const PureDp& level) { return level.epsilon.value; }
double cost_of(const ZeroConcentratedDp& level) { return level.rho.value; }
double cost_of(const GaussianDp& level) { return detail::square_rounded_up(level.mu.value); }

double limit_of(const PureDp& budget) { return budget.epsilon.value; }
double limit_of(const ZeroConcentratedDp& budget) { return budget.rho.value; }
double limit_of(const GaussianDp& budget) { return detail::square_rounded_down(budget.mu.value); }

void set_value(PureDp& level, double sum) { level.epsilon.value = sum; }
void set_value(ZeroConcentratedDp& level, double sum) { level.rho.value = sum; }
void set_value(GaussianDp& level, double sum) { level.mu.value = sqrt(Enclosure(sum)).high; }

template <class Level>
Level amounting_to(double sum) {
  Level level{};
  if (sum > 0.0) set_value(level, sum);
  return level;
}

Status add_to(double& total, double cost, const std::string& name) {
  const double after = detail::sum_rounded_up(total, cost);
  if (!std::isfinite(after)) {
    return fail(ErrorCode::kLimit, name + " of the run so far overflows", "/" + name);
  }
  total = after;
  return {};
}

}  // namespace

namespace detail {

namespace {

// Below this a product may lose bits that fma does not see.
constexpr double kExactProducts = 0x1p-900;

}  // namespace

// The rounding error of an operation is itself a double, so correct it only where it has the wrong sign.
double sum_rounded_up(double total, double cost) {
  const double sum = total + cost;
  const double part = sum - total;
  const double lost = (total - (sum - part)) + (cost - part);
  return lost <= 0.0 ? sum : round_up(sum);
}

double square_rounded_down(double x) {
  const double square = x * x;
  if (square >= kExactProducts && std::fma(x, x, -square) >= 0.0) return square;
  return std::max(0.0, round_down(square));
}

double square_rounded_up(double x) {
  if (x == 0.0) return 0.0;
  const double square = x * x;
  if (square >= kExactProducts && std::fma(x, x, -square) <= 0.0) return square;
  return round_up(square);
}

}  // namespace detail

template <class Level>
Result<PrivacyFilter<Level>> PrivacyFilter<Level>::create(const Level& budget) {
  ASSAY_TRY(detail::check_non_negative("budget", value_of(budget)));
  return PrivacyFilter(budget, limit_of(budget));
}

template <class Level>
bool PrivacyFilter<Level>::admits(const Level& level) const {
  return detail::check_non_negative(name_of(level), value_of(level)).has_value() &&
         (is_first_within_budget(level) || sum_.admits(cost_of(level)));
}

// The budget itself fits, though its square rounded up may exceed its square rounded down.
template <class Level>
bool PrivacyFilter<Level>::is_first_within_budget(const Level& level) const {
  return sum_.total() == 0.0 && value_of(level) <= value_of(budget_);
}

template <class Level>
Status PrivacyFilter<Level>::spend(const Level& level) {
  const std::string name = name_of(level);
  ASSAY_TRY(detail::check_non_negative(name, value_of(level)));
  const double cost = cost_of(level);
  if (!admits(level)) {
    return fail(ErrorCode::kLimit,
                name + " = " + number_text(value_of(level)) +
                    " would raise the amount spent from " + number_text(value_of(spent())) +
                    " to " + number_text(value_of(amounting_to<Level>(sum_.with(cost)))) +
                    ", above the budget of " + number_text(value_of(budget_)),
                "/" + name);
  }
  sum_.add(cost);
  return {};
}

template <class Level>
Level PrivacyFilter<Level>::spent() const {
  return amounting_to<Level>(sum_.total());
}

template class PrivacyFilter<PureDp>;
template class PrivacyFilter<ZeroConcentratedDp>;
template class PrivacyFilter<GaussianDp>;

namespace {

// The largest double at which a bound on delta, which grows, is at most that of the target.
template <class Bound>
double largest_within(const ApproximateDp& target, const Bound& delta_at) {
  const double first_not =
      detail::smallest_double([&](double x) { return !(delta_at(x) <= target.delta.value); });
  return first_not > 0.0 ? detail::round_down(first_not) : 0.0;
}

Status check_target(const ApproximateDp& target) {
  return detail::first_failure(detail::check_positive("epsilon", target.epsilon.value),
                               detail::check_open_delta("delta", target.delta.value));
}

}  // namespace

Result<ZeroConcentratedDp> zcdp_budget(const ApproximateDp& target) {
  ASSAY_TRY(check_target(target));
  const double rho = largest_within(target, [&](double x) {
    if (x == 0.0) return 0.0;
    const auto delta = zcdp_delta(Rho{x}, target.epsilon);
    return delta ? delta->value.value : 1.0;
  });
  return ZeroConcentratedDp{Rho{rho}};
}

Result<GaussianDp> gaussian_budget(const ApproximateDp& target) {
  ASSAY_TRY(check_target(target));
  const double mu = largest_within(target, [&](double x) {
    return x == 0.0 ? 0.0
                    : gdp_delta(Mu{x}, target.epsilon).value * (1.0 + 2.0 * kGdpRelativeError) +
                          std::numeric_limits<double>::min();
  });
  return GaussianDp{Mu{mu}};
}

Status PureOdometer::record(const PureDp& level) {
  ASSAY_TRY(detail::check_non_negative("epsilon", level.epsilon.value));
  return add_to(total_, level.epsilon.value, "epsilon");
}

Result<ConcentratedOdometer> ConcentratedOdometer::create(Delta delta, Rho expected) {
  ASSAY_TRY(detail::first_failure(detail::check_open_delta("delta", delta.value),
                                  detail::check_positive("expected", expected.value)));
  // About the r that minimises (3) at S = expected, for small delta.
  const double log_inverse = -log(Enclosure(delta.value)).low;
  const double scale =
      2.0 * expected.value / (2.0 * log_inverse + log1p(Enclosure(2.0 * log_inverse)).high);
  if (!(scale > 0.0 && std::isfinite(scale))) {
    return tl::make_unexpected(
        detail::out_of_range("expected", "neither tiny nor huge", number_text(expected.value))
            .error());
  }
  return ConcentratedOdometer(delta, scale);
}

Status ConcentratedOdometer::record(const ZeroConcentratedDp& level) {
  ASSAY_TRY(detail::check_non_negative("rho", level.rho.value));
  return add_to(total_, level.rho.value, "rho");
}

Status ConcentratedOdometer::record(const GaussianDp& level) {
  ASSAY_TRY(detail::check_non_negative("mu", level.mu.value));
  return add_to(total_, 0.5 * detail::square_rounded_up(level.mu.value), "rho");
}

UpperBound<Epsilon> ConcentratedOdometer::loss() const {
  if (total_ == 0.0) return {};
  const Enclosure sum = total_;
  const Enclosure variance = 2.0 * sum;
  const Enclosure spread = -2.0 * log(Enclosure(delta_.value)) + log1p(variance / scale_);
  return {Epsilon{(sum + sqrt((variance + scale_) * spread)).high}};  // (3)
}

}  // namespace assay

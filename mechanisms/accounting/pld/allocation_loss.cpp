#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/internal/ratio_sum.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFirstCells = 1024;
constexpr std::int64_t kFewCells = 256;  // for widths of kRough or more
constexpr double kRough = 1e-3;
constexpr double kLost = 1e-4;   // of relative_width and delta: mass that may be lost
constexpr double kShare = 1e-3;  // of relative_width: mass that may move where that costs little

Status check_allocation(std::int64_t batches, const AllocationOptions& options) {
  ASSAY_TRY(detail::check_within("batches", static_cast<double>(batches), 1.0, 1e7));
  ASSAY_TRY(detail::check_within("delta", options.delta, 1e-100, 1.0 - kUnitRoundoff));
  ASSAY_TRY(detail::check_within("relative_width", options.relative_width, 1e-9, 0.1));
  return detail::check_within("max_cells", static_cast<double>(options.max_cells), 16.0, 65536.0);
}

// The loss under P of a bound on the sum of the ratios.
PrivacyLoss loss_of_sum(const std::vector<detail::RatioPoint>& points,
                        const detail::RatioPlan& plan, double infinite, double loss_error) {
  const bool is_add = plan.direction == SamplingDirection::kAdd;
  PrivacyLoss loss;
  loss.mass_at_infinity = infinite;
  double largest = 1.0;
  for (const auto& [x, mass] : points) {
    if (x == 0.0) {  // no mass for (2)
      if (is_add) loss.mass_at_infinity += mass;
      continue;
    }
    const double log_u = portable_log(x / static_cast<double>(plan.count));  // (1)
    const double log_mass = portable_log(mass);
    loss.atoms.push_back(is_add ? LossAtom{-log_u, log_mass}           // (3)
                                : LossAtom{log_u, log_mass + log_u});  // (2)
    largest = std::max({largest, std::fabs(log_u), std::fabs(log_mass)});
  }
  if (is_add) std::reverse(loss.atoms.begin(), loss.atoms.end());
  loss.mass_at_infinity = std::min(loss.mass_at_infinity, 1.0);
  loss.loss_error = loss_error + 16.0 * kUnitRoundoff * largest;
  loss.weight_error = 16.0 * kUnitRoundoff * largest;
  return loss;
}

Result<BracketedLoss> bracket(const PrivacyLoss& base, std::int64_t batches,
                              SamplingDirection direction, const AllocationOptions& options) {
  const bool is_add = direction == SamplingDirection::kAdd;
  detail::RatioPlan plan{
      batches,
      direction,
      std::min(options.relative_width < kRough ? kFirstCells : kFewCells, options.max_cells),
      kLost * options.relative_width * options.delta,
      kShare * options.relative_width,
      options.delta,
      options.cancel};
  for (;;) {
    const auto sum = ASSAY_TRY(detail::sum_of_ratios(base, plan));
    const double lower_at_infinity = is_add ? 0.0 : base.mass_at_infinity;
    BracketedLoss loss{loss_of_sum(sum.upper, plan, sum.infinite, sum.loss_error),
                       loss_of_sum(sum.lower, plan, lower_at_infinity, sum.loss_error)};
    const double high = detail::epsilon_estimate(loss.upper, options.delta);
    const double low = detail::epsilon_estimate(loss.lower, options.delta);
    if (plan.cells == options.max_cells || !(high - low > options.relative_width * high)) {
      return loss;
    }
    // The width falls with the square of the width of a cell.
    const double ratio = std::sqrt(1.2 * (high - low) / (options.relative_width * high));
    plan.cells = std::min(
        options.max_cells,
        static_cast<std::int64_t>(static_cast<double>(plan.cells) * std::clamp(ratio, 1.5, 8.0)));
  }
}

}  // namespace

namespace loss_of {

Result<BracketedLoss> allocated(const PrivacyLoss& base, std::int64_t batches,
                                SamplingDirection direction, const AllocationOptions& options) {
  ASSAY_TRY(check_allocation(batches, options));
  if (batches == 1 && direction == SamplingDirection::kRemove) return BracketedLoss{base, base};
  return bracket(base, batches, direction, options);
}

}  // namespace loss_of

namespace detail {

Result<PrivacyLoss> allocated_atoms(const PrivacyLoss& base, std::int64_t batches,
                                    SamplingDirection direction, const AllocationOptions& options) {
  ASSAY_TRY(check_allocation(batches, options));
  auto both = ASSAY_TRY(bracket(base, batches, direction, options));
  return std::move(both.upper);
}

double epsilon_estimate(const PrivacyLoss& loss, double delta) {
  double p = loss.mass_at_infinity, q = 0.0;
  if (p > delta) return kInfinity;
  for (std::size_t i = loss.atoms.size(); i-- > 0;) {
    const LossAtom& atom = loss.atoms[i];
    const double at_atom = p - portable_exp(std::min(atom.loss, 700.0)) * q;
    if (at_atom > delta) break;
    p += portable_exp(atom.log_mass);
    q += portable_exp(atom.log_mass - atom.loss);
  }
  return p > delta && q > 0.0 ? std::max(portable_log((p - delta) / q), 0.0) : 0.0;
}

}  // namespace detail
}  // namespace assay

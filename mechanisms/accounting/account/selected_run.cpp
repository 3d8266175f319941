#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "assay/mechanisms/accounting/account/internal/grouped_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/order_profile.hpp"

namespace assay::detail {
namespace {

Result<RunProfile> points_of_run(const SelectedRun& run, const RunControl& control) {
  // A search asks for the profile between the delta of its answer over E[K] and the chance that a run is the last.
  constexpr std::array kDeltas = {0.3, 3e-2, 1e-3, 1e-5, 1e-8, 1e-12, 1e-16};
  constexpr int kPoints = 1000;
  const std::vector<ChainStep> chain{run.step()};
  const auto paired = ASSAY_TRY(paired_chain(chain, control, {.log_tail = -110.0}));
  if (!paired) return fail(ErrorCode::kInvalidArgument, paired.error().why, "/run");
  const PldOptions options = profile_width(chain, control);
  const auto profiles = ASSAY_TRY(paired_profiles(*paired, kDeltas, options, control));
  const auto &above = profiles.dominating, &below = profiles.lower();
  const double largest = run.pure_epsilon();
  double end = 1e-9;
  for (const auto& order : above) end = std::max(end, order.end());
  const bool is_bounded = largest > 0.0 && largest <= 2.0 * end;
  if (is_bounded) end = largest;
  RunProfile profile;
  for (int i = 0; i <= kPoints; ++i) {
    const double eps = end * i / kPoints;
    double delta = 0.0;
    for (const auto& order : above) delta = std::max(delta, order.upper(eps));
    profile.above.push_back({eps, is_bounded && i == kPoints ? 0.0 : delta});
    profile.remove.push_back({eps, below.front().lower(eps)});
    profile.add.push_back({eps, below.back().lower(eps)});
  }
  return profile;
}

}  // namespace

double SelectedRun::pure_epsilon() const {
  const auto pure = step_pure(step_.mechanism);
  return pure ? (Enclosure(pure->epsilon.value) * static_cast<double>(step_.count)).high : 0.0;
}

Result<std::shared_ptr<const RunProfile>> SelectedRun::profile(const std::atomic<bool>* cancel,
                                                               int threads) const {
  const std::lock_guard lock(mutex_);
  if (profile_ == nullptr) {
    RunControl control;
    control.cancel = cancel;
    control.threads = threads;
    profile_ = std::make_shared<const RunProfile>(ASSAY_TRY(points_of_run(*this, control)));
  }
  return profile_;
}

Result<std::shared_ptr<const SelectedRun>> selected_run(ChainStep step) {
  step = ASSAY_TRY(with_group(std::move(step)));
  if (!has_pair(step.mechanism)) {
    return fail(ErrorCode::kInvalidArgument,
                "run " + step_name(step.mechanism) +
                    " has no pair. Nearest: rho of one run in place of run, if it has one",
                "/run");
  }
  return std::make_shared<const SelectedRun>(std::move(step));
}

}  // namespace assay::detail

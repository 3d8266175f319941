// The run of a RepeatAndSelectStep that is a mechanism and not a level, and its privacy profile.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/pld/internal/best_profile.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// By increasing loss from 0. `remove` and `add` are of lower bounds.
struct RunProfile {
  std::vector<ProfilePoint> above;  // in both orders
  std::vector<ProfilePoint> remove, add;
};

// Threads: the profile is computed by the first caller, others wait for it.
class SelectedRun {
 public:
  // Precondition: the mechanism has a pair, and count is the number of its uses in one run.
  explicit SelectedRun(ChainStep step) : step_(std::move(step)) {}

  const ChainStep& step() const { return step_; }
  // Errors: those of the pair; kInterrupted, after which it can be asked for again. Cost: as account_curves().
  Result<std::shared_ptr<const RunProfile>> profile(const std::atomic<bool>* cancel = nullptr,
                                                    int threads = 1) const;
  double pure_epsilon() const;  // of the whole run; 0 if it has none

 private:
  ChainStep step_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const RunProfile> profile_;
};

// Errors: a mechanism without a pair; a group that it does not take.
Result<std::shared_ptr<const SelectedRun>> selected_run(ChainStep step);

}  // namespace assay::detail

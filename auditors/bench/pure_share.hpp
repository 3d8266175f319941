// The largest level for each of m releases such that all of them together meet a target.
//
// m releases that are each e-DP, chosen adaptively or not, are dominated by m of randomised response at e
// (Kairouz, Oh, Viswanath, 2017), whatever their distributions. of(m) is the largest e that the library's calibrator
// certifies for those (accounting/account/composed_calibration.hpp, the releases of a vector), rounded down.
// Threads: one calibration at a time; results are kept. Cost: 0 at delta = 0, otherwise up to 1 s for a new m.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct PureLevel {
  std::int64_t releases = 1;
  double epsilon = 0.0;  // the level of each release
  ApproximateDp all;     // the level of all, at most the target
};

class PureShare {
 public:
  explicit PureShare(const ApproximateDp& target) : target_(target) {}

  // Errors: those of calibrate(), for a target or a number out of its range.
  Result<PureLevel> of(std::int64_t releases);

 private:
  ApproximateDp target_;
  std::mutex mutex_;
  std::map<std::int64_t, PureLevel> known_;
};

// The guarantee of all releases of this guarantee; for one release, the guarantee itself.
Guarantee composed_guarantee(Guarantee of_one, const PureLevel& level, const std::string& releases);

}  // namespace assay::detail

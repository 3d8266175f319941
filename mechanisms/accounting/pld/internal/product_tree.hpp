// The product of unlike terms, a few at a time: those of few releases first, so that each transform is no longer than
// what it holds. A part of m releases has a step of about sqrt(m) times that of one, so every level costs the same.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

class ProductTree {
 public:
  // `unit`: the step of one release; all steps are 2^k of it. `releases`: of all terms of the composition, of which the
  // tree may hold a part.
  ProductTree(double unit, double releases, FftPlans& ffts, std::int64_t max_points,
              const std::atomic<bool>* cancel)
      : unit_(unit), releases_(releases), ffts_(ffts), max_points_(max_points), cancel_(cancel) {}

  // Errors of both: those of compose(); kInterrupted.
  Status add(TwoScales pld, double releases);
  Result<TwoScales> product();  // of all that was added. Precondition: something was

  // The step of a part of so many releases: the largest 2^k unit that is at most sqrt(releases) unit.
  double step_of(double releases) const;
  // The number of joins between a term and the product.
  static double depth(std::size_t terms);

 private:
  struct Part {
    TwoScales pld;
    double releases = 1.0;
  };
  Result<Part> join(const std::vector<Part>& parts);

  double unit_;
  double releases_;
  FftPlans& ffts_;
  std::int64_t max_points_;
  const std::atomic<bool>* cancel_;
  std::vector<std::vector<Part>> levels_;  // by the logarithm of the releases
};

}  // namespace assay::detail

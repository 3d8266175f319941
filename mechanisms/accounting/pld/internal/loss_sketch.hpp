// Coarse estimates of the losses of terms: enough to choose a tilt and a grid. No bound depends on them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Where a composition has to be tight: at the eps of a delta, or else at `eps`.
struct CompositionFocus {
  std::optional<double> log_delta;
  double eps = 0.0;
};

struct LossSketch {
  std::vector<double> losses;
  std::vector<double> masses;
  double span = 0.0;
  double count = 1.0;

  // log E e^(t L) and its first two derivatives, count times.
  struct Cumulants {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;
  };
  Cumulants cumulants(double t) const;
};

Result<std::vector<LossSketch>> sketches_of(std::span<const PldTerm> terms);
LossSketch::Cumulants total(std::span<const LossSketch> sketches, double t);

// The tilt at which the composition is tight around the focus.
double choose_tilt(std::span<const LossSketch> sketches, const CompositionFocus& focus);

}  // namespace assay::detail

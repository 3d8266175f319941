// Self-composition of brackets by Fourier transform, with exponential tilting and a ledger of
// misplaced mass.
//
// A tilted bracket holds nu_i = p_i e^(t l_i - S) for a tilt t >= 0, about a probability distribution, on
// both sides. With c_t = t^t/(1 + t)^(1 + t), tilted mass tau, wherever it lies, adds at most
//   c_t e^(S - t eps) tau                                                                       (2)
// to delta(eps). The ledger `unlocated` is such a tau: the true tilted measure of either side and
// the stored one differ by at most that in l1. It includes the mass that composition, the transform,
// aliasing, trimmed ends and rounding misplace. Equations
// (1) to (5), proofs and references: docs/proofs/tilted_pld.md.
//
// Coarsening (projection.hpp) keeps the bracket a bracket: the step grows with the square root of
// the number of releases, so that every level of a long composition costs the same.
//
// Threads: values. Cost: two transforms of N points a power, for both sides at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "assay/mechanisms/accounting/pld/fft.hpp"
#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"

namespace assay::detail {

struct TiltedPld {
  double step = 0.0;
  std::int64_t lowest = 0;
  std::vector<double> lower;
  std::vector<double> upper;
  double tilt = 0.0;
  double log_scale = 0.0;    // S
  double scale_error = 0.0;  // absolute, of S and of the exponents
  double unlocated = 0.0;
  double loss_error = 0.0;

  std::size_t size() const { return upper.size(); }
};

// The mass that each level may lose, relative to the tilted mass of the whole composition.
inline constexpr double kLevelBudget = 1e-10;

// Ends of at most this tilted mass are cut off and counted.
TiltedPld tilt(const PldBracket& bracket, double tilt, double ends = 0.0);

// The bracket on every `factor`-th point.
TiltedPld coarsen(const TiltedPld& pld, std::int64_t factor);

// The bracket on the multiples of another step. If the old step is a multiple of it, nothing moves.
TiltedPld on_grid(const TiltedPld& pld, double step);

// A bracket as the sum of two: masses near the middle on a fine grid, and the others on a coarse one, whose step is a
// multiple. Few masses are coarse, but they may lie so far away that the fine grid would be long and almost empty.
struct TwoScales {
  TiltedPld fine;
  std::optional<TiltedPld> coarse;
};

// Apart: all that lies on every `factor`-th point and outside of what does not.
TwoScales split(TiltedPld pld, std::int64_t factor);
// Both on one grid.
TiltedPld together(const TwoScales& parts, double step);

// Transforms of one thread, each made once.
class FftPlans {
 public:
  const Fft& of_size(std::size_t size);
  std::int64_t points() const { return points_; }         // of all transforms asked for
  void count(std::int64_t points) { points_ += points; }  // of transforms elsewhere

 private:
  std::map<std::size_t, Fft> plans_;
  std::int64_t points_ = 0;
};

// The factors composed, each `power` times with itself; all on the same step and tilt. `repeats` is how often the
// result itself will be composed: the budget is divided by it. Errors: more than max_points points.
struct PowerProduct {
  struct Factor {
    const TiltedPld* pld = nullptr;
    std::int64_t power = 1;
  };
  std::vector<Factor> factors;
  double repeats = 1.0;
};
Result<TiltedPld> compose(const PowerProduct& product, FftPlans& plans, std::int64_t max_points);

// The brackets composed with each other. Their fine parts are brought to `step`; the coarse parts, all on one step,
// stay there if it is coarser, and join the fine ones if not. Errors: as above.
Result<TwoScales> compose(const std::vector<TwoScales>& factors, double step, double repeats,
                          FftPlans& plans, std::int64_t max_points);

}  // namespace assay::detail

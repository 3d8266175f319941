// The distribution of the survivors of one best-arm phase (policies/best_arm/phases.hpp), given its
// exact values.
//
//   no noise, or ranked by exact values   one set
//   means of all arms                     (1) of top_set_distribution.hpp, for each set
//   two values z and linear scores
//       the order of the scores is that of a direction: lines through the origin cut the plane into
//       sectors of one set each. In units of the scales, on the side of the square
//       max(|z_1|, |z_2|) = 1 that a sector crosses, with r along it, v across, c their centres,
//           P = integral over r > 0 of f(r - c_r) (F(t r - c_v) - F(s r - c_v)) dr  (1)
//       The integrand is log-concave (Prekopa): golden section finds its top, and bisection the
//       range
//   one value, or one draw for all
//       scores are lines in one draw: intervals between their crossings  (2)
//
// Accuracy: 1e-10 of each probability, measured. Sectors of less than 1e-12 of a side join their
// neighbour, on both inputs of a pair alike, because arms with features on one line have scores
// that are tied up to rounding.
// Threads: pure. Same bits on every machine. Cost: 0.1 ms for each set or sector.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/phases.hpp"

namespace assay {

inline constexpr double kPhaseRelativeError = 1e-10;

struct SetProbability {
  std::vector<int> survivors;
  double log_p = 0.0;
};

// A cache of probabilities of top sets, by everything that they depend on.
using TopSetMemo = std::map<std::vector<double>, double>;

// Each set of positive probability once, in the order of the arms. Errors: a phase of another kind
// than those above; more than `most` sets; values beyond 1e5 scales.
Result<std::vector<SetProbability>> phase_distribution(const PhasePlan& plan,
                                                       std::span<const double> exact,
                                                       std::int64_t most, TopSetMemo& memo);

}  // namespace assay

// N-IHT, noisy iterative hard thresholding: gradient steps on squared loss. Each step keeps s
// coordinates by peeling and projects onto an l1 ball.
//
// Symbols: n records, x and y clipped to x_max and R (regression_data.hpp); c = 2 for the loss
// (y - <x, theta>)^2 (full, the paper's), 1 for half of it; both as means over the records.
//   theta^0 = 0;  v^m = theta^m - eta c (X^T X theta^m - X^T y)/n                               (1)
//   theta^(m+1) = Pi_C(P_s(v^m)), m = 0..M-1: peeling with Laplace noise of scale b_m
//   (idealized/peeling.hpp), then l1_ball.hpp                                                   (2)
//   b_m = u lambda_m: u the scale that sensitivity 1 needs, lambda_m the sensitivity assumed    (3)
//   paper:     u = 2 sqrt(3 s log(M/delta)) M/eps,  lambda_m = eta (R + x_max b_max)/n          (4)
//   corrected: u the least that peeling_scale (calibrate.hpp) proves for M s rounds at (eps,
//              delta), lambda_m = eta 2 c x_max (R + x_max C_m)/n, C_0 = 0, C_m = C             (5)
// Without noise b = 0, and the s entries of largest size are kept, the first ones if several are equal.
//
// Privacy. Relation: replace one record. View: all peelings. Given theta^m, which is released, a
// record's share of v^m is eta c x (y - <x, theta^m>)/n, of sup norm at most eta c x_max (R + x_max
// ||theta^m||_1)/n. Another record may have the opposite share, so (5) bounds how far v^m moves. The
// bound is attained at every j outside theta's support: y = -R, x = x_max sign(theta) on the support
// and x_max at j, against the same with -x_max at j. (4) assumes 1/(2 c x_max) of it, for C = b_max
// and m > 0. (2) is the adaptive composition of M s noisy maxima and as many values: (eps, delta) by
// (5), in real numbers; (4) claims the same.
//
// Reference: Chakraborty, Roy, Basu, "FLIPHAT", algorithms 1 and 3, Lemma A.2; Cai, Wang, Zhang,
// "The cost of privacy" (Annals of Statistics, 2021).
// Threads: pure functions. Cost: O(M d) and that of the gradients; u of (5) 3 to 25 ms, the proved
// epsilon 0.2 to 0.7 s.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/sparse/regression_data.hpp"

namespace assay {

enum class SquaredLoss { kFull, kHalf };
constexpr std::array<std::pair<SquaredLoss, std::string_view>, 2> enum_names(SquaredLoss) {
  return {{{SquaredLoss::kFull, "full"}, {SquaredLoss::kHalf, "half"}}};
}
inline constexpr double loss_slope(SquaredLoss loss) {  // c
  return loss == SquaredLoss::kFull ? 2.0 : 1.0;
}

// Everything that (1) and (2) need besides the records.
struct NihtPlan {
  std::int64_t sparsity = 1;    // s
  std::int64_t iterations = 1;  // M
  double step = 1.0;            // eta
  double projection = 1.0;      // C
  SquaredLoss loss = SquaredLoss::kFull;
  double first_scale = 0.0;  // b_0; 0 for no noise, in every iteration
  double scale = 0.0;        // b_m, m > 0
};

// One iteration: its vector, its release, and its estimate.
struct NihtStep {
  std::int64_t iteration = 0;         // m
  std::vector<double> vector;         // v^m
  idealized::PeelingOutput released;  // P_s(v^m)
  SparseVector estimate;              // theta^(m+1)
};

// v^m of (1): a function of the records and theta^m.
std::vector<double> niht_vector(const NihtPlan& plan, const RegressionData& data,
                                const SparseVector& theta);
// (1) and (2). Preconditions: s <= d, scales that peeling accepts (niht_with_noise checks them).
NihtStep niht_step(const NihtPlan& plan, const RegressionData& data, std::int64_t iteration,
                   const SparseVector& theta, ReplayStream& random);
// Returns theta^M and passes every step to visit(NihtStep).
template <class Visit>
SparseVector run_niht(const NihtPlan& plan, const RegressionData& data, ReplayStream& random,
                      Visit&& visit) {
  SparseVector theta;
  for (std::int64_t m = 0; m < plan.iterations; ++m) {
    NihtStep step = niht_step(plan, data, m, theta, random);
    theta = step.estimate;
    visit(std::as_const(step));
  }
  return theta;
}

// The level that determines the noise.
struct NihtLevel {
  double epsilon = 1.0;
  double delta = 0.01;
  Calibration calibration = Calibration::kCorrected;
};
struct NihtBounds {
  std::int64_t records = 1;  // n
  double context = 1.0;      // x_max
  double reward = 1.0;       // R
  double b_max = 1.0;
};

// u of (4) or (5). Errors: those of peeling_scale; delta = 0 for (4).
Result<double> niht_unit_scale(const NihtPlan& plan, const NihtLevel& level);
// How far v^m can move, by (5) for either calibration, rounded up.
double niht_sensitivity(const NihtPlan& plan, const NihtBounds& bounds, std::int64_t iteration);
// The plan with the scales of (3). Errors (kLimit): a scale that is not 1e-100 to 1e15.
Result<NihtPlan> niht_with_noise(NihtPlan plan, const NihtBounds& bounds, double unit_scale,
                                 Calibration calibration);
// The least epsilon that the theorems behind (5) prove at delta for the noise of a plan; infinite without
// noise.
double niht_proved_epsilon(const NihtPlan& plan, const NihtBounds& bounds, double delta);

}  // namespace assay

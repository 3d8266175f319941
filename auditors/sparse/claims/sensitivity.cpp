// The distance by which a record moves the vector that peeling sees, and how often clipping acts.
//
// niht-sensitivity. Replacing the record (x, y) by (x', y') moves v by (eta c/n) |x (y - <x,
//   theta>) - x' (y' - <x', theta>)|_inf, c = 2 for the squared loss, 1 for half of it; at most (eta 2
//   c/n) x_max (R + x_max |theta|_1), attained at y = -R, x = x_max sign(theta) where theta is not
//   0 and x_max or -x_max elsewhere. Over eta B/n, B = R + x_max b_max, C = b_max:
//     m = 0: 2 c x_max R/(R + x_max b_max), m > 0: 2 c x_max                                    (1)
//   so B = R + x_max b_max is enough in all iterations if and only if 2 c x_max <= 1.
// clip-inactive. N exp(-2 sigma^2 log N/(2 sigma^2)) is N/N = 1, not 1/N. Gaussian noise on mean
//   rewards x_max b_max: 1 - Phi(sqrt(2 log N))^N, about 1/sqrt(4 pi log N)                     (2)
//   with sigma 2 sqrt(log N) in place of sigma sqrt(2 log N), sub-Gaussian tails give 2/N for |noise|,
//   and sigma sqrt(2 log(2 N^2)) gives 1/N.                                                     (3)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::sparse_checks {
namespace {

constexpr std::size_t kMostDimension = 3;
constexpr double kMoveRounding = 1e-12;

double reward_clip(const GradientCounterexample& g) {  // R
  return g.x_max * g.b_max +
         g.sigma * std::sqrt(2.0 * portable_log(static_cast<double>(g.records)));
}

double residual(const std::vector<double>& theta, const std::vector<double>& x, double y) {
  for (std::size_t j = 0; j < x.size(); ++j) y -= x[j] * theta[j];
  return y;
}

double clipping_acts(double records) {  // (2)
  const double above = normal_ccdf(std::sqrt(2.0 * portable_log(records)));
  return -portable_expm1(records * portable_log1p(-above));
}

}  // namespace

GradientCounterexample gradient_at(const Point& point) {
  GradientCounterexample found;
  std::size_t next = 0;
  const auto dimension = static_cast<std::size_t>(point[next++]);
  found.records = static_cast<std::int64_t>(point[next++]);
  found.loss = point[next++] == 0.0 ? SquaredLoss::kFull : SquaredLoss::kHalf;
  found.step = point[next++];
  found.x_max = point[next++];
  found.b_max = point[next++];
  found.sigma = point[next++];
  const double clip = reward_clip(found);
  found.reward = point[next++] * clip;
  found.other_reward = point[next++] * clip;
  for (std::size_t j = 0; j < kMostDimension; ++j) {
    const double theta = point[next++];
    const double x = point[next++];
    const double other = point[next++];
    if (j >= dimension) continue;
    found.estimate.push_back(theta);
    found.context.push_back(x * found.x_max);
    found.other_context.push_back(other * found.x_max);
  }
  const double one = residual(found.estimate, found.context, found.reward);
  const double other = residual(found.estimate, found.other_context, found.other_reward);
  double widest = 0.0;
  for (std::size_t j = 0; j < dimension; ++j) {
    widest = std::max(widest, std::fabs(found.context[j] * one - found.other_context[j] * other));
  }
  const auto n = static_cast<double>(found.records);
  found.distance = found.step * loss_slope(found.loss) * widest / n;
  found.allowed = found.step * (clip + found.x_max * found.b_max) / n;
  return found;
}

// Bounds of at most 1, because the ratio grows with x_max without limit.
SearchedClaim sensitivity_search() {
  std::vector<Parameter> space = {whole("d", 1, static_cast<double>(kMostDimension)),
                                  whole_log_scale("n", 1, 1000),
                                  whole("half", 0, 1),
                                  log_scale("eta", 1e-4, 1.0),
                                  log_scale("x_max", 0.01, 1.0),
                                  log_scale("b_max", 0.01, 1.0),
                                  real("sigma", 0.0, 1.0),
                                  real("y/R", -1.0, 1.0),
                                  real("y'/R", -1.0, 1.0)};
  for (std::size_t j = 1; j <= kMostDimension; ++j) {
    const std::string index = "_" + std::to_string(j);
    space.push_back(real("theta" + index, -1.0, 1.0));
    space.push_back(real("x/x_max" + index, -1.0, 1.0));
    space.push_back(real("x'/x_max" + index, -1.0, 1.0));
  }
  return {std::move(space),
          [](const Point& point) {
            const auto found = gradient_at(point);
            double norm = 0.0;
            for (const double entry : found.estimate) norm += std::fabs(entry);
            if (norm > found.b_max) return std::nan("");
            return found.distance / found.allowed - 1.0;
          },
          kMoveRounding};
}

ClippingCounterexample clipping_at(const Point& point) {
  const std::int64_t records = std::int64_t{1} << static_cast<int>(point[0]);
  const auto n = static_cast<double>(records);
  return {records, clipping_acts(n), 1.0 / n};
}

SearchedClaim clipping_search() {
  return {{whole("l", 0, 29)},
          [](const Point& point) {
            const auto found = clipping_at(point);
            return found.acts - found.allowed;
          },
          kMoveRounding};
}

// A fifth of the margin is enough: the first iteration, in one dimension, has it.
Finding sensitivity(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched(
      {.id = "niht-sensitivity", .claim = sensitivity_search(), .points = 20'000, .keep = 0.2},
      request, control);
  finding.domain =
      "1 to 3 dimensions, 1 to 1,000 records, x_max and b_max up to 1, |theta|_1 <= C = b_max: " +
      finding.points() + " pairs of records";
  return refuted_or_not(
      finding, "distance over eta B/n, less 1", gradient_at,
      {fmt::format(
           "the largest change found with x_max, b_max <= 1 is {} times eta B/n. The supremum of "
           "this factor is 4 x_max (2 x_max for half the squared loss) from the second iteration "
           "on, and that times R/(R + x_max b_max) in the first",
           rounded_down(1.0 + finding.outcome.margin, 4)),
       "with the experiments' x_max = sqrt(2 log 400) = 3.46 the factor is 13.8, and at least "
       "6.9 in the first iteration. B = R + x_max b_max is enough if x_max <= 1/4 (1/2 for half "
       "the squared loss)"});
}

Finding clipping(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "clip-inactive", .claim = clipping_search(), .points = 200, .keep = 0.1},
               request, control);
  finding.domain =
      "Gaussian noise, mean rewards x_max b_max, episodes of 2^l rounds, l up to 29, exactly";
  finding.table.columns = {"N", "some reward clipped", "some noise beyond", "claimed",
                           "with 2 sqrt(log N)"};
  for (const double n : {8.0, 64.0, 1024.0, 16384.0}) {
    const double z = std::sqrt(2.0 * portable_log(n));
    const auto some = [&](double each) { return -portable_expm1(n * portable_log1p(-each)); };
    finding.table.rows.push_back({grouped(static_cast<std::int64_t>(n)),
                                  rounded(some(normal_ccdf(z)), 3),
                                  rounded(some(2.0 * normal_ccdf(z)), 3), rounded(1.0 / n, 3),
                                  rounded(some(2.0 * normal_ccdf(z * std::sqrt(2.0))), 3)});
  }
  return refuted_or_not(
      finding, "P(clipping acts) - 1/N", clipping_at,
      {"the table has the probability that a reward is clipped if all means are x_max b_max; "
       "that some |noise| exceeds sigma sqrt(2 log N), the event of the printed proof; and that "
       "some |noise| exceeds 2 sigma sqrt(log N)",
       "the printed line has N exp(-2 sigma^2 log N/(2 sigma^2)) = 1/N, but the left side is 1. "
       "For every sub-Gaussian noise sigma sqrt(2 log(2 N^2)) gives 1/N, and 2 sigma sqrt(log N) "
       "gives 2/N"});
}

}  // namespace assay::sparse_checks

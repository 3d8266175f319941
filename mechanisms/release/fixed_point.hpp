// Rounds answers to whole steps of a grid, and bounds how far one record moves these steps.
//
// The guarantee of noise on real numbers does not hold in doubles, because q determines which doubles
// q + noise can be (Mironov, CCS 2012). On a grid of granularity g, a power of two, everything released
// is an integer, and the distribution of the integers is exact:
//
//   x_i = floor(q_i/g + 1/2), clamped to [-2^52, 2^52];  release z_i = x_i + integer noise       (1)
//   output y_i = g z_i, z_i clamped to [-2^53, 2^53], which no double rounds                    (2)
//
// Sensitivity. Let one record move the n answers q by d, with |d| at most D in L1 or L2, and let R = D/g.
//   |x_i - x_i'| <= ceil(|d_i|/g): floor(u + 1/2) moves by at most ceil(|u - v|), and the clamp
//   increases no distance. Hence over integers m_i = |x_i - x_i'|
//     L1, sum |d_i| <= D:    sum m_i   <= ceil(R) + n - 1                                       (3)
//     L2, sum d_i^2 <= D^2:  sum m_i^2 <= S + 2 floor(min(S, sqrt(n S))) + n, S = ceil(R^2) - 1;
//                            for n = 1, ceil(R)^2                                               (4)
//   (3): if c of the answers move, sum ceil(|d_i|/g) < R + c, and it is an integer, so it is at most
//   ceil(R + c) - 1. It is attained if n - 1 answers barely cross a rounding boundary and the last one
//   moves by the rest.
//   (4): m_i >= 1 needs |d_i|/g > m_i - 1 =: a_i >= 0, so sum a_i^2 < R^2, that is <= S, and
//   sum m_i^2 = sum a_i^2 + 2 sum a_i + c, where sum a_i <= sum a_i^2 and, by Cauchy and Schwarz,
//   sum a_i <= sqrt(n S).
// So the grid costs nothing for one answer if D is a multiple of g, and a fine grid costs next to nothing.
//
// (2) is computed from z alone, so it costs no privacy. Answers beyond 2^52 g are released as if they
// were that large; an infinite answer is not a valid input.
// Threads: a value. Cost: 3 ns per answer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {

class FixedPoint {
 public:
  using Number = double;  // of answers and outputs

  static constexpr std::int64_t kMostSteps = std::int64_t{1} << 52;
  static constexpr std::int64_t kMostOutput = std::int64_t{1} << 53;

  // Errors: granularity not a power of two in [2^-200, 2^200].
  static Result<FixedPoint> create(double granularity) {
    int exponent = 0;
    if (!(granularity >= 0x1p-200 && granularity <= 0x1p200) ||
        std::frexp(granularity, &exponent) != 0.5) {
      return fail(
          ErrorCode::kInvalidArgument,
          "granularity must be a power of two from 2^-200 to 2^200, or 0 for an automatic choice, "
          "not " +
              number_text(granularity),
          "/granularity");
    }
    return FixedPoint(granularity);
  }

  double granularity() const { return granularity_; }

  // x_i of (1). Precondition: the answer is not NaN.
  std::int64_t steps(double answer) const {
    const double most = static_cast<double>(kMostSteps);
    const double u = std::clamp(answer / granularity_, -most, most);  // exact but for underflow
    const double whole = std::floor(u);
    // u - whole is exact, or rounds without crossing 1/2.
    return static_cast<std::int64_t>(u - whole >= 0.5 ? whole + 1.0 : whole);
  }

  // The clamp and the output of (2).
  static std::int64_t clamped(std::int64_t z) { return std::clamp(z, -kMostOutput, kMostOutput); }
  double value(std::int64_t z) const { return static_cast<double>(clamped(z)) * granularity_; }
  // Finds the z of an output. Returns false if no z gives it.
  bool steps_of(double output, std::int64_t& z) const {
    const double u = output / granularity_;
    if (!(std::abs(u) <= static_cast<double>(kMostOutput)) || u != std::floor(u)) return false;
    z = static_cast<std::int64_t>(u);
    return true;
  }

  // Upper bounds, exact below 2^53. Precondition: D > 0, n >= 1.
  double l1_sensitivity(double sensitivity, std::int64_t n) const {  // (3)
    return add_up(std::ceil(sensitivity / granularity_), static_cast<double>(n - 1));
  }
  double squared_l2_sensitivity(double sensitivity, std::int64_t n) const {  // (4)
    const double r = sensitivity / granularity_;
    if (n == 1) return square_up(std::ceil(r));
    const auto count = static_cast<double>(n);
    const double s = std::ceil(square_up(r)) - 1.0;
    const double root = detail::round_up(std::sqrt(detail::round_up(count * s)));
    return add_up(add_up(s, 2.0 * std::floor(std::min(s, root))), count);
  }

 private:
  explicit FixedPoint(double granularity) : granularity_(granularity) {}

  static double square_up(double x) {
    const double square = x * x;
    return std::fma(x, x, -square) > 0.0 ? detail::round_up(square) : square;
  }
  static double add_up(double x, double y) {  // of integers
    return x + y <= 0x1p53 ? x + y : detail::round_up(x + y);
  }

  double granularity_;
};

}  // namespace assay

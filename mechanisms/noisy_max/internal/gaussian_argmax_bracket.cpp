#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_bracket.hpp"

#include <cmath>
#include <limits>

#include "assay/mechanisms/noisy_max/internal/gaussian_argmax_tables.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

double square(double x) { return x * x; }

// R(t) = Phi(-t) exp(t^2/2), t >= 0.
double scaled_tail(double t) {
  const double a = std::min(t, 1e20);
  double top = 0.0;
  double bottom = 0.0;
  for (int i = 7; i >= 0; --i) top = top * a + kTailTopSampling[i];
  for (int i = 8; i >= 0; --i) bottom = bottom * a + kTailBottomSampling[i];
  return top / bottom;
}

// log f up to a constant, and its derivatives.
struct LogValue {
  double value;
  double slope;
  double curvature;
};

// Adds log Phi(z), but for its factor that goes into `product`.
void add_log_cdf(double z, double scale, LogValue& g, double& product) {
  constexpr double kFlat = 9.0;  // beyond, log Phi(z) is below 1e-18
  if (z > kFlat) return;
  const double t = std::fabs(z);
  const double tail = scaled_tail(t);
  double hazard = 0.0;  // phi(z)/Phi(z)
  if (z <= 0.0) {
    g.value -= 0.5 * t * t;
    product *= tail;
    hazard = kInverseSqrt2Pi / tail;
  } else {
    const double density = portable_exp(-0.5 * t * t);
    const double cdf = 1.0 - tail * density;
    product *= cdf;
    hazard = kInverseSqrt2Pi * density / cdf;
  }
  g.slope += hazard / scale;
  g.curvature -= std::max(hazard * (z + hazard), 0.0) / square(scale);
}

LogValue log_integrand(const ArgmaxProblem& problem, int side, double x) {
  const std::size_t k = problem.played;
  const double s = problem.scales[k];
  const double z = (x - problem.mean(k, side)) / s;
  LogValue g{-0.5 * z * z, -z / s, -1.0 / square(s)};
  double product = 1.0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (j == k) continue;
    add_log_cdf((x - problem.mean(j, side)) / problem.scales[j], problem.scales[j], g, product);
    if (product < 1e-200) {
      g.value += portable_log(product);
      product = 1.0;
    }
  }
  g.value += portable_log(product);
  return g;
}

// The mode if every Phi were exp(-z^2/2) below its mean and 1 above.
double quadratic_mode(const ArgmaxProblem& problem, int side) {
  const double played = problem.mean(problem.played, side);
  double x = played;
  for (int pass = 0; pass < 4; ++pass) {
    double moment = 0.0;
    double precision = 0.0;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      const double mean = problem.mean(j, side);
      if (j != problem.played && mean <= x) continue;
      precision += 1.0 / square(problem.scales[j]);
      moment += (mean - played) / square(problem.scales[j]);
    }
    x = played + moment / precision;
  }
  return x;
}

// Newton on the decreasing slope, kept inside a shrinking bracket.
double find_mode(const ArgmaxProblem& problem, int side) {
  const std::size_t k = problem.played;
  double low = problem.mean(k, side);  // the slope is not negative here
  double high = low;
  double push = 0.0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (j == k) continue;
    high = std::max(high, problem.mean(j, side));
    push += 0.8 / problem.scales[j];  // phi(z)/Phi(z) < 0.8 for z >= 0
  }
  high += push * square(problem.scales[k]);
  double x = std::clamp(quadratic_mode(problem, side), low, high);
  for (int step = 0; step < 100; ++step) {
    const LogValue g = log_integrand(problem, side, x);
    (g.slope >= 0.0 ? low : high) = x;
    double next = x - g.slope / g.curvature;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double moved = next - x;
    x = next;
    if (square(moved) * -g.curvature < 1e-3) break;
  }
  return x;
}

// One end of the bracket (direction -1 or 1): log f there is at least `drop` below its peak. Newton
// from outside stays outside, since log f is concave; by (1) the first x is outside.
double bracket_end(const ArgmaxProblem& problem, int side, double mode, double peak,
                   double direction, double drop) {
  double x = mode + direction * std::sqrt(2.0 * drop) * problem.scales[problem.played];
  for (int step = 0; step < 100; ++step) {
    const LogValue g = log_integrand(problem, side, x);
    const double excess = peak - drop - g.value;
    if (!(excess > 2.0)) break;
    x += excess / g.slope;
  }
  return x;
}

}  // namespace

double resolution(const ArgmaxProblem& problem, double x, double saturated) {
  double precision = 0.0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (j == problem.played || problem.active(j, x, saturated)) {
      precision += 1.0 / square(problem.scales[j]);
    }
  }
  return 1.0 / std::sqrt(precision);
}

// By Phi(-t) <= exp(-t^2/2)/2, enough is
//   sum over m_j > x of (m_j - x)^2/(2 s_j^2) + log 2 >= cut                              (2)
// Newton on this convex decreasing function, from the left, stays where (2) holds.
double lower_cut(const ArgmaxProblem& problem, double cut) {
  const double reach = std::sqrt(2.0 * cut);
  double x = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < problem.size(); ++j) {
    x = std::max(x, problem.lowest(j) - reach * problem.scales[j]);
  }
  for (int step = 0; step < 4; ++step) {
    double excess = -cut;
    double slope = 0.0;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      const double t = (problem.lowest(j) - x) / problem.scales[j];
      if (t <= 0.0) continue;
      excess += 0.5 * t * t + kLog2;  // (2)
      slope += t / problem.scales[j];
    }
    if (!(excess > 1.0)) break;
    x += excess / slope;
  }
  return x;
}

ArgmaxBracket find_bracket(const ArgmaxProblem& problem, int side, double drop) {
  const double mode = find_mode(problem, side);
  const double peak = log_integrand(problem, side, mode).value;
  // By concavity the tail beyond an end at distance d is below f(mode) exp(-depth)
  // d/depth, and by (1) the whole is above f(mode) r: the depth grows with log(s_k/r),
  // since d <= sqrt(2 depth) s_k.
  const double all = resolution(problem, -std::numeric_limits<double>::infinity(), 0.0);
  const double depth = drop + 1.0 + portable_log(problem.scales[problem.played] / all);
  return {bracket_end(problem, side, mode, peak, -1.0, depth),
          bracket_end(problem, side, mode, peak, 1.0, depth), mode};
}

double exponent_at(const ArgmaxProblem& problem, int side, double x) {
  double sum = 0.0;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const double z = (x - problem.mean(j, side)) / problem.scales[j];
    if (j == problem.played || z < 0.0) sum += 0.5 * z * z;
  }
  return sum;
}

}  // namespace assay::detail

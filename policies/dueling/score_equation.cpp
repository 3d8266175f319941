#include "assay/policies/dueling/score_equation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/dueling/preference_matrix.hpp"

namespace assay {
namespace {

constexpr int kMostNewtonSteps = 200;
constexpr double kSmallResidual = 1e-14;
constexpr double kLambdaTolerance = 1e-13;
constexpr double kRadiusTolerance = 1e-13;

using detail::dot;

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

// F + lambda |w|^2/2.
class Loss {
 public:
  Loss(const ArmFeatures& z, std::span<const double> duels, std::span<const double> wins)
      : z_(z), duels_(duels), wins_(wins), r_(static_cast<std::size_t>(z.dimension)) {
    for (std::size_t c = 0; c < duels.size(); ++c) size_ += duels[c] * norm(at(c));
  }

  std::size_t dimension() const { return r_; }
  double size() const { return size_; }

  double value(std::span<const double> w, double lambda) const {
    double sum = 0.5 * lambda * dot(w, w);
    for (std::size_t c = 0; c < duels_.size(); ++c) {
      const double x = dot(at(c), w);
      sum += duels_[c] * (std::max(x, 0.0) + portable_log1p(portable_exp(-std::fabs(x)))) -
             wins_[c] * x;  // (1)
    }
    return sum;
  }
  std::vector<double> slope(std::span<const double> w, double lambda) const {
    std::vector<double> out(r_);
    for (std::size_t k = 0; k < r_; ++k) out[k] = lambda * w[k];
    for (std::size_t c = 0; c < duels_.size(); ++c) {
      const auto z = at(c);
      const double more = duels_[c] * logistic(dot(z, w)) - wins_[c];  // (2)
      for (std::size_t k = 0; k < r_; ++k) out[k] += more * z[k];
    }
    return out;
  }
  // -F''^-1 slope by Cholesky; empty if F'' is singular in doubles.
  std::vector<double> newton_step(std::span<const double> w, double lambda,
                                  std::span<const double> slope) const {
    std::vector<double> factor(r_ * r_, 0.0);
    for (std::size_t k = 0; k < r_; ++k) factor[k * r_ + k] = lambda;
    for (std::size_t c = 0; c < duels_.size(); ++c) {
      const auto z = at(c);
      const double p = logistic(dot(z, w));
      const double curvature = duels_[c] * p * (1.0 - p);
      for (std::size_t k = 0; k < r_; ++k) {
        for (std::size_t l = 0; l <= k; ++l) factor[k * r_ + l] += curvature * z[k] * z[l];
      }
    }
    for (std::size_t k = 0; k < r_; ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        double left = factor[k * r_ + l];
        for (std::size_t e = 0; e < l; ++e) left -= factor[k * r_ + e] * factor[l * r_ + e];
        if (k == l && !(left > 0.0)) return {};
        factor[k * r_ + l] = k == l ? std::sqrt(left) : left / factor[l * r_ + l];
      }
    }
    std::vector<double> step(r_);
    for (std::size_t k = 0; k < r_; ++k) {
      double left = -slope[k];
      for (std::size_t l = 0; l < k; ++l) left -= factor[k * r_ + l] * step[l];
      step[k] = left / factor[k * r_ + k];
    }
    for (std::size_t k = r_; k-- > 0;) {
      double left = step[k];
      for (std::size_t l = k + 1; l < r_; ++l) left -= factor[l * r_ + k] * step[l];
      step[k] = left / factor[k * r_ + k];
    }
    return step;
  }

 private:
  std::span<const double> at(std::size_t c) const { return z_.of(static_cast<std::int64_t>(c)); }

  const ArmFeatures& z_;
  std::span<const double> duels_;
  std::span<const double> wins_;
  std::size_t r_;
  double size_ = 0.0;
};

// Moves w to the minimiser. Returns whether it got there.
bool minimise(const Loss& loss, double lambda, std::vector<double>& w) {
  double value = loss.value(w, lambda);
  for (int steps = 0; steps < kMostNewtonSteps; ++steps) {
    const auto slope = loss.slope(w, lambda);
    if (norm(slope) <= kSmallResidual * loss.size()) return true;
    const auto step = loss.newton_step(w, lambda, slope);
    if (step.empty() || !std::isfinite(norm(step))) return false;
    const double fall = dot(slope, step);
    bool moved = false;
    const bool visible = -fall > 1e-16 * std::fabs(value);
    for (double share = 1.0; visible && share > 1e-10 && !moved; share *= 0.5) {
      auto next = w;
      for (std::size_t k = 0; k < w.size(); ++k) next[k] += share * step[k];
      const double next_value = loss.value(next, lambda);
      moved = next_value < value + 1e-4 * share * fall;
      if (moved) {
        w = std::move(next);
        value = next_value;
      }
    }
    // Rounding hides any further descent. The last step is whole; its error is quadratically small.
    if (!moved) {
      auto next = w;
      for (std::size_t k = 0; k < w.size(); ++k) next[k] += step[k];
      if (norm(loss.slope(next, lambda)) < norm(slope)) w = std::move(next);
      return norm(slope) <= 1e-6 * loss.size();
    }
  }
  return false;
}

}  // namespace

ScoreSolution solve_scores(const ArmFeatures& differences, std::span<const double> duels,
                           std::span<const double> wins) {
  ASSAY_CHECK(
      duels.size() == wins.size() && static_cast<std::int64_t>(duels.size()) == differences.arms,
      "one number of each per difference");
  const Loss loss(differences, duels, wins);
  const std::vector<double> origin(loss.dimension(), 0.0);
  ScoreSolution out{origin, false, 0.0, 0.0};
  const bool found = minimise(loss, 0.0, out.w);
  if (!found || norm(out.w) > 1.0) {
    // At `high` the minimiser is inside: |w| <= |F'(0)|/lambda. Newton solves 1/|w| = 1, nearly
    // linear. If a step would leave the bracket of the root, its logarithm is bisected.
    double high = norm(loss.slope(origin, 0.0));
    double low = high * 1e-16;
    out.w = origin;
    out.lambda = high;
    minimise(loss, high, out.w);
    std::vector<double> w = out.w;
    double at = high;
    while (high > low * (1.0 + kLambdaTolerance) && std::fabs(norm(w) - 1.0) > kRadiusTolerance) {
      const double size = norm(w);
      const auto towards = loss.newton_step(w, at, w);  // dw/dlambda
      const double next = towards.empty() ? 0.0 : at + (1.0 - size) * size * size / dot(w, towards);
      at = next > low && next < high ? next : std::sqrt(low) * std::sqrt(high);
      if (at <= low || at >= high) break;
      minimise(loss, at, w);
      if (norm(w) > 1.0) {
        low = at;
      } else {
        high = at;
        out.w = w;
        out.lambda = at;
      }
    }
    const double size = norm(w);
    if (std::fabs(size - 1.0) <= kRadiusTolerance) {
      const double share = size < 1.0 ? 1.0 : (1.0 - 4e-16) / size;  // in the ball, in doubles too
      for (std::size_t k = 0; k < w.size(); ++k) out.w[k] = share * w[k];
      out.lambda = at;
    }
    out.on_sphere = true;
  }
  out.residual = norm(loss.slope(out.w, out.lambda)) / loss.size();
  return out;
}

}  // namespace assay

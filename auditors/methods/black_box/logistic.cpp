#include "assay/auditors/methods/black_box/logistic.hpp"

#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kRidge = 1.0;
constexpr int kMostSteps = 25;

// Means and inverse deviations (0 for a feature that does not vary), over both classes.
struct Standards {
  std::vector<double> means;
  std::vector<double> inverses;
};

Standards standards_of(std::span<const double> first, std::span<const double> second,
                       std::size_t columns) {
  Standards s{std::vector<double>(columns, 0.0), std::vector<double>(columns, 0.0)};
  const double rows = static_cast<double>((first.size() + second.size()) / columns);
  for (const auto& part : {first, second}) {
    for (std::size_t i = 0; i < part.size(); ++i) s.means[i % columns] += part[i] / rows;
  }
  for (const auto& part : {first, second}) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      const double d = part[i] - s.means[i % columns];
      s.inverses[i % columns] += d * d / rows;
    }
  }
  for (double& v : s.inverses) v = v > 1e-24 ? 1.0 / std::sqrt(v) : 0.0;
  return s;
}

// Solves A x = b for a symmetric positive definite A, given by its lower triangle. Overwrites A.
// If stopped, the result has no meaning.
std::vector<double> solve(std::vector<double>& a, std::vector<double> b, std::size_t n,
                          StopPoll& stop) {
  for (std::size_t j = 0; j < n && !stop(); ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    const double root = std::sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}

}  // namespace

LogisticModel LogisticModel::fit(std::span<const double> first, std::span<const double> second,
                                 std::size_t columns, StopPoll stop) {
  const Standards standards = standards_of(first, second, columns);
  const std::size_t n = columns + 1;  // the intercept comes first
  std::vector<double> weights(n, 0.0);
  std::vector<double> row(n, 1.0);
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> hessian(n * n, 0.0);
    std::vector<double> gradient(n, 0.0);
    for (const bool is_first : {true, false}) {
      const auto& part = is_first ? first : second;
      for (std::size_t at = 0; at < part.size() && !stop(); at += columns) {
        double z = weights[0];
        for (std::size_t c = 0; c < columns; ++c) {
          row[c + 1] = (part[at + c] - standards.means[c]) * standards.inverses[c];
          z += weights[c + 1] * row[c + 1];
        }
        const double p = 1.0 / (1.0 + portable_exp(-z));
        const double w = p * (1.0 - p);
        const double residual = (is_first ? 1.0 : 0.0) - p;
        for (std::size_t i = 0; i < n; ++i) {
          gradient[i] += residual * row[i];
          const double scaled = w * row[i];
          for (std::size_t j = 0; j <= i; ++j) hessian[i * n + j] += scaled * row[j];
        }
      }
    }
    if (stop.stopped()) break;
    for (std::size_t i = 0; i < n; ++i) {
      hessian[i * n + i] += kRidge;
      gradient[i] -= kRidge * weights[i];
    }
    const auto move = solve(hessian, gradient, n, stop);
    if (stop.stopped()) break;
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      weights[i] += move[i];
      largest = std::max(largest, std::abs(move[i]));
    }
    if (largest < 1e-8) break;
  }
  LogisticModel model;
  model.intercept_ = weights[0];
  for (std::size_t c = 0; c < columns; ++c) {
    model.slopes_.push_back(weights[c + 1] * standards.inverses[c]);
    model.intercept_ -= model.slopes_[c] * standards.means[c];
  }
  return model;
}

double LogisticModel::log_odds(std::span<const double> row) const {
  double sum = intercept_;
  for (std::size_t c = 0; c < slopes_.size(); ++c) sum += slopes_[c] * row[c];
  return sum;
}

}  // namespace assay

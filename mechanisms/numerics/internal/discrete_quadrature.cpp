#include "assay/mechanisms/numerics/internal/discrete_quadrature.hpp"

#include <array>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"

namespace assay {
namespace {

constexpr int kNodes = 16;
constexpr std::int64_t kDirect = 24;

// The monic Gram polynomials on count points spread over (-1, 1): p_(n+1) = x p_n - beta_n p_(n-1),
// beta_n = n^2 (1 - n^2/count^2)/(4 n^2 - 1), and the orthonormal ones
// sqrt(beta_(n+1)) q_(n+1) = x q_n - sqrt(beta_n) q_(n-1).
class GramRule {
 public:
  explicit GramRule(double count) {
    for (int n = 1; n <= kNodes; ++n) {
      const double part = static_cast<double>(n) / count;
      const double square = static_cast<double>(4 * n * n);
      beta_[static_cast<std::size_t>(n)] = (1.0 - part * part) * (square / (square - 1.0)) * 0.25;
    }
  }

  // The i-th zero from below, by bisection on how many zeros lie below.
  double zero(int i) const {
    double low = -1.0;
    double high = 1.0;
    for (int step = 0; step < 64; ++step) {
      const double middle = 0.5 * (low + high);
      (zeros_below(middle) > i ? high : low) = middle;
    }
    return 0.5 * (low + high);
  }

  // 1/(sum of the squares of the orthonormal polynomials), for total mass 1.
  double weight(double x) const {
    double before = 0.0;
    double now = 1.0;
    double total = 0.0;
    for (std::size_t n = 0; n < kNodes; ++n) {
      total += now * now;
      const double next =
          (x * now - (n == 0 ? 0.0 : std::sqrt(beta_[n])) * before) / std::sqrt(beta_[n + 1]);
      before = now;
      now = next;
    }
    return 1.0 / total;
  }

 private:
  // Sturm: as many as there are positive ratios of successive polynomials.
  int zeros_below(double x) const {
    int below = 0;
    double ratio = x;
    for (std::size_t n = 1;; ++n) {
      if (ratio == 0.0) ratio = 1e-300;  // the limit from above
      if (ratio > 0.0) ++below;
      if (n == kNodes) return below;
      ratio = x - beta_[n] / ratio;
    }
  }

  std::array<double, kNodes + 1> beta_{};
};

}  // namespace

std::vector<QuadratureNode> discrete_gauss_nodes(std::int64_t count) {
  ASSAY_CHECK(count >= 1 && count <= (std::int64_t{1} << 53), "1 to 2^53 integers");
  std::vector<QuadratureNode> nodes;
  if (count <= kDirect) {
    for (std::int64_t k = 0; k < count; ++k) nodes.push_back({static_cast<double>(k), 1.0});
    return nodes;
  }
  const auto size = static_cast<double>(count);
  const GramRule rule(size);
  for (int i = 0; i < kNodes / 2; ++i) {
    const double x = rule.zero(i);
    nodes.push_back({0.5 * (size - 1.0) + 0.5 * size * x, size * rule.weight(x)});
  }
  for (int i = kNodes / 2 - 1; i >= 0; --i) {
    const auto mirror = nodes[static_cast<std::size_t>(i)];
    nodes.push_back({size - 1.0 - mirror.x, mirror.weight});
  }
  return nodes;
}

}  // namespace assay

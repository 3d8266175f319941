#include "assay/auditors/best_arm/top_set_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kNegligibleLog = 50.0;  // of a logarithm below the largest
constexpr double kMostMeanScales = 1e5;

template <class Standard>
class TopSet {
 public:
  explicit TopSet(std::span<const ArmClass> classes) : classes_(classes) {
    low_ = high_ = classes[0].mean;
    least_ = widest_ = classes[0].scale;
    double arms = 0.0;
    for (const ArmClass& c : classes_) {
      low_ = std::min(low_, c.mean);
      high_ = std::max(high_, c.mean);
      least_ = std::min(least_, c.scale);
      widest_ = std::max(widest_, c.scale);
      arms += c.inside + c.outside;
      means_.push_back(c.mean);
      log_scales_.push_back(portable_log(c.scale));
    }
    constexpr double kReach = std::is_same_v<Standard, StandardLaplace> ? 60.0 : 16.0;
    low_ -= kReach * widest_;
    high_ += kReach * widest_;
    width_ = least_ * std::min(0.25, 4.0 / std::sqrt(arms));
  }

  Result<double> log_probability() const {
    const double steps = std::ceil((high_ - low_) / least_);
    if (!(steps <= kMostMeanScales)) {
      return fail(ErrorCode::kLimit,
                  "the means of a phase lie further apart than 100000 scales of its noise");
    }
    const double step = (high_ - low_) / steps;
    const auto count = static_cast<std::size_t>(steps) + 1;
    std::vector<double> scan;
    double top = -kInfinity;
    for (std::size_t i = 0; i < count; ++i) {
      scan.push_back(log_integrand(low_ + static_cast<double>(i) * step));
      top = std::max(top, scan.back());
    }
    LogSum total;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      // The top may lie between two nodes of the scan, and so may the point where the integrand has
      // fallen.
      double nearest = std::max(scan[i], scan[i + 1]);
      if (i > 0) nearest = std::max(nearest, scan[i - 1]);
      if (i + 2 < count) nearest = std::max(nearest, scan[i + 2]);
      if (nearest < top - kNegligibleLog) continue;
      const double x = low_ + static_cast<double>(i) * step;
      for (const auto& node : gauss_legendre_nodes(x, x + step, means_, width_)) {
        total.add(node.weight, log_integrand(node.x));
      }
    }
    return std::min(0.0, total.log());
  }

 private:
  // The integrand of (1).
  double log_integrand(double x) const {
    if constexpr (std::is_same_v<Standard, StandardLaplace>) return laplace_integrand(x);
    double product = 0.0;
    double hazards = 0.0;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const ArmClass& arms = classes_[c];
      const double z = (x - arms.mean) / arms.scale;
      if (arms.inside > 0.0) product += arms.inside * Standard::log_ccdf(z);
      if (arms.outside > 0.0) {
        const double below = Standard::log_cdf(z);
        product += arms.outside * below;
        hazards += arms.outside * portable_exp(Standard::log_density(z, log_scales_[c]) - below);
      }
    }
    return hazards > 0.0 ? product + portable_log(hazards) : -kInfinity;
  }

  // The same with one exponential for each class. In its tail a logarithm is linear. On the other
  // side of the mean its factor is at least 1/2, so a product of hundreds of factors does not
  // underflow.
  double laplace_integrand(double x) const {
    double linear = 0.0, product = 1.0, hazards = 0.0;
    int factors = 0;
    for (const ArmClass& arms : classes_) {
      const double z = (x - arms.mean) / arms.scale;
      const double tail = 0.5 * portable_exp(-std::fabs(z));
      const double far = z < 0.0 ? arms.outside : arms.inside;  // those with a linear logarithm
      const double near = z < 0.0 ? arms.inside : arms.outside;
      linear -= far * (std::fabs(z) + kLog2);
      if (near == 1.0) {
        product *= 1.0 - tail;
        if (++factors % 512 == 0) {
          linear += portable_log(product);
          product = 1.0;
        }
      } else if (near > 0.0) {
        linear += near * portable_log1p(-tail);
      }
      if (arms.outside > 0.0) {
        hazards += arms.outside / arms.scale * (z < 0.0 ? 1.0 : tail / (1.0 - tail));
      }
    }
    return hazards > 0.0 ? linear + portable_log(product * hazards) : -kInfinity;
  }

  std::span<const ArmClass> classes_;
  std::vector<double> means_;
  std::vector<double> log_scales_;
  double low_ = 0.0, high_ = 0.0, least_ = 0.0, widest_ = 0.0, width_ = 0.0;
};

}  // namespace

Result<double> top_set_log_probability(PhaseNoise noise, std::span<const ArmClass> classes) {
  ASSAY_CHECK(noise != PhaseNoise::kNone && !classes.empty(), "classes of arms, with noise");
  const auto none_outside = [](const ArmClass& c) { return c.outside == 0.0; };
  if (std::all_of(classes.begin(), classes.end(), none_outside)) return 0.0;
  return noise == PhaseNoise::kLaplace ? TopSet<StandardLaplace>(classes).log_probability()
                                       : TopSet<StandardGaussian>(classes).log_probability();
}

}  // namespace assay

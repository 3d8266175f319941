// A pair whose release is one noisy count and whose actions are which thresholds it passes: the law of the
// actions is that of intervals of the noise, in closed form.
#pragma once

#include <cstdlib>

#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/methods/release.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// y = count + Laplace(scale); the count is 0 on the old side and 1 on the new one. Round t plays 1 where
// y > thresholds[t].
class ThresholdRelease final : public PairRelease {
 public:
  ThresholdRelease(double scale, std::vector<double> thresholds)
      : scale_(scale),
        noise_(Laplace::create(0.0, scale).value()),
        thresholds_(std::move(thresholds)) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    const double y = (side == Side::kNeighbour ? 1.0 : 0.0) + noise_.sample(random);
    ReleasedPlay play{{}, (std::fabs(y - 1.0) - std::fabs(y)) / scale_};
    for (const double c : thresholds_) play.actions.push_back(y > c ? 1 : 0);
    return play;
  }
  double largest_loss() const override { return 1.0 / scale_; }

  // delta(eps) of the actions, the larger orientation.
  double delta(double epsilon) const {
    auto cuts = thresholds_;
    std::sort(cuts.begin(), cuts.end());
    cuts.push_back(std::numeric_limits<double>::infinity());
    double forward = 0.0, backward = 0.0, before_p = 0.0, before_q = 0.0;
    for (const double cut : cuts) {
      const double p = below(cut), q = below(cut - 1.0);
      const double in_p = p - before_p, in_q = q - before_q;
      forward += std::max(0.0, in_p - std::exp(epsilon) * in_q);
      backward += std::max(0.0, in_q - std::exp(epsilon) * in_p);
      before_p = p;
      before_q = q;
    }
    return std::max(forward, backward);
  }
  // Of the release.
  double release_delta(double epsilon) const {
    return epsilon >= 1.0 / scale_ ? 0.0 : 1.0 - std::exp(0.5 * (epsilon - 1.0 / scale_));
  }

 private:
  double below(double x) const {
    if (std::isinf(x)) return 1.0;
    return x < 0.0 ? 0.5 * std::exp(x / scale_) : 1.0 - 0.5 * std::exp(-x / scale_);
  }

  double scale_;
  Laplace noise_;
  std::vector<double> thresholds_;
};

}  // namespace assay

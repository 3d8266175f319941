#include "assay/policies/best_arm/rare_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

// log((e^a - 1)/a), the cumulant of a uniform on [0, 1].
double uniform_cumulant(double a) {
  if (std::fabs(a) < 1e-5) return a * (0.5 + a / 24.0);
  if (a < 0.0) return a + uniform_cumulant(-a);
  return a + portable_log(-portable_expm1(-a) / a);
}

// The parts of a rival's Z of (1).
struct Rival {
  std::size_t index = 0;       // among the active arms
  std::vector<double> pulls;   // q, of each pulled arm
  std::vector<double> values;  // c, of each value's noise
  double tilt = 0.0;           // s
  double log_bound = 0.0;      // L
};

class TiltedPhase {
 public:
  TiltedPhase(const PhasePlan& plan, const UniformArms& arms, int best)
      : plan_(plan), best_(static_cast<std::size_t>(best)) {
    for (const int arm : plan_.pulled) {
      const double mean = arms.means()[static_cast<std::size_t>(arm)];
      lows_.push_back(arms.low(arm));
      widths_.push_back(2.0 * (mean - arms.low(arm)));
    }
    const std::size_t values = plan_.values();
    const std::size_t pulled = plan_.pulled.size();
    for (std::size_t i = 0; i < plan_.active.size(); ++i) {
      if (i == best_) continue;
      Rival rival{i, std::vector<double>(pulled, 0.0), std::vector<double>(values, 0.0)};
      for (std::size_t k = 0; k < values; ++k) {
        rival.values[k] = weight(i, k) - weight(best_, k);
        for (std::size_t j = 0; j < pulled; ++j) {
          const double moment = !plan_.moments.empty() ? plan_.moments[k * pulled + j]
                                : j == k               ? 1.0 / static_cast<double>(plan_.pulls[j])
                                                       : 0.0;
          rival.pulls[j] += rival.values[k] * moment;
        }
      }
      minimise(rival);
      rivals_.push_back(std::move(rival));
    }
    log_bound_ = -std::numeric_limits<double>::infinity();
    for (const Rival& rival : rivals_) {
      log_bound_ =
          log_add_exp(std::max(log_bound_, rival.log_bound), std::min(log_bound_, rival.log_bound));
      up_to_.push_back(log_bound_);
    }
  }

  double log_bound() const { return log_bound_; }

  // 1[error] / sum_i e^(s_i Z_i) for a draw from Q, (3).
  double fraction(ReplayStream& random) const {
    const Rival& rival = drawn_rival(random.uniform());
    std::vector<double> sums;
    for (std::size_t j = 0; j < plan_.pulled.size(); ++j) {
      const double a = rival.tilt * rival.pulls[j] * widths_[j];
      const detail::TiltedUniform tilted(a);
      double sum = 0.0;
      for (std::int64_t n = 0; n < plan_.pulls[j]; ++n) sum += tilted(random.uniform());
      sums.push_back(static_cast<double>(plan_.pulls[j]) * lows_[j] + widths_[j] * sum);
    }
    auto released = plan_.exact_values(sums, plan_.pulls);
    for (std::size_t k = 0; k < released.size(); ++k) {
      released[k] += tilted_noise(rival.tilt * rival.values[k], k, random);
    }
    if (plan_.survivors(released).front() == plan_.active[best_]) return 0.0;
    const auto scores = plan_.scores(released);
    double total = -std::numeric_limits<double>::infinity();
    for (const Rival& each : rivals_) {
      const double exponent = each.tilt * (scores[each.index] - scores[best_]);
      total = log_add_exp(std::max(total, exponent), std::min(total, exponent));
    }
    return std::min(1.0, portable_exp(-total));
  }

 private:
  double weight(std::size_t i, std::size_t k) const {
    if (plan_.weights.empty()) return i == k ? 1.0 : 0.0;
    return plan_.weights[i * plan_.values() + k];
  }

  double cumulant(const Rival& rival, double s) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < lows_.size(); ++j) {
      const double t = s * rival.pulls[j];
      sum +=
          static_cast<double>(plan_.pulls[j]) * (t * lows_[j] + uniform_cumulant(t * widths_[j]));
    }
    for (std::size_t k = 0; k < plan_.scales.size(); ++k) {
      const double t = s * rival.values[k] * plan_.scales[k];
      sum += plan_.noise == PhaseNoise::kGaussian ? 0.5 * t * t : -portable_log1p(-t * t);
    }
    return sum;
  }

  // (1). The cumulant is convex, is 0 at 0, and for Laplace noise is infinite at the end of the
  // range. Any s gives a valid bound, so the search needs no certificate.
  void minimise(Rival& rival) const {
    double most = std::numeric_limits<double>::infinity();
    if (plan_.noise == PhaseNoise::kLaplace) {
      for (std::size_t k = 0; k < plan_.scales.size(); ++k) {
        const double slope = std::fabs(rival.values[k]) * plan_.scales[k];
        if (slope > 0.0) most = std::min(most, (1.0 - 1e-9) / slope);
      }
    }
    double high = std::min(most, 1.0);
    while (2.0 * high <= most && high < 1e9 &&
           cumulant(rival, 2.0 * high) < cumulant(rival, high)) {
      high *= 2.0;
    }
    high = std::min(most, 2.0 * high);
    double low = 0.0;
    for (int step = 0; step < 200; ++step) {
      const double left = low + (high - low) / 3.0;
      const double right = high - (high - low) / 3.0;
      (cumulant(rival, left) < cumulant(rival, right) ? high : low) =
          cumulant(rival, left) < cumulant(rival, right) ? right : left;
    }
    const double at = cumulant(rival, low);
    rival.tilt = at < 0.0 ? low : 0.0;
    rival.log_bound = std::min(at, 0.0);
  }

  const Rival& drawn_rival(double u) const {
    const double level = log_bound_ + portable_log(u);
    const auto found = std::lower_bound(up_to_.begin(), up_to_.end(), level);
    const auto last = up_to_.end() - 1;
    return rivals_[static_cast<std::size_t>(std::min(found, last) - up_to_.begin())];
  }

  // Draws the noise of value k from its density times e^(t z), normalised.
  double tilted_noise(double t, std::size_t k, ReplayStream& random) const {
    if (plan_.noise == PhaseNoise::kNone) return 0.0;
    const double scale = plan_.scales[k];
    if (plan_.noise == PhaseNoise::kGaussian) {
      return StandardGaussian::from_word(random.next(), t * scale * scale, scale);
    }
    const bool is_positive = random.uniform() < 0.5 * (1.0 + t * scale);
    const double length = -scale * portable_log(random.uniform());
    return is_positive ? length / (1.0 - t * scale) : -length / (1.0 + t * scale);
  }

  const PhasePlan& plan_;
  std::size_t best_;  // among the active arms, which are all arms
  std::vector<double> lows_;
  std::vector<double> widths_;
  std::vector<Rival> rivals_;
  std::vector<double> up_to_;  // log of the sum of e^L up to each rival
  double log_bound_ = 0.0;
};

}  // namespace

namespace detail {

TiltedUniform::TiltedUniform(double a)
    : slope_(std::fabs(a)),
      falls_(a < 0.0),
      end_(slope_ < 1.0 ? portable_expm1(-slope_) : portable_exp(-slope_)) {}

double TiltedUniform::operator()(double u) const {
  if (slope_ == 0.0) return u;
  if (falls_) u = 1.0 - u;
  const double log_quantile =
      slope_ < 1.0 ? portable_log1p((1.0 - u) * end_) : portable_log(u + (1.0 - u) * end_);
  const double drawn = std::clamp(1.0 + log_quantile / slope_, 0.0, 1.0);
  return falls_ ? 1.0 - drawn : drawn;
}

}  // namespace detail

Result<RareEventEstimate> estimate_rare_errors(const PhasePlanner& planner, const UniformArms& arms,
                                               int best, const RareErrorPlan& plan,
                                               const RunControl& control) {
  const auto count = arms.means().size();
  if (planner.phases() != 1) {
    return fail(ErrorCode::kLimit,
                "the policy must have one phase, not " + std::to_string(planner.phases()));
  }
  if (best < 0 || static_cast<std::size_t>(best) >= count) {
    return fail(ErrorCode::kInvalidArgument,
                "best must be 0 to " + std::to_string(count - 1) + ", not " + std::to_string(best));
  }
  if (plan.trials < 2) {
    return fail(ErrorCode::kInvalidArgument,
                "trials must be at least 2, not " + std::to_string(plan.trials), "/trials");
  }
  if (!(plan.alpha > 0.0 && plan.alpha < 1.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "alpha must be above 0 and below 1, not " + number_text(plan.alpha), "/alpha");
  }
  const auto only = planner.plan(0, all_arms(static_cast<std::int64_t>(count)));
  if (only->faults != PhaseFaults{}) {
    return fail(ErrorCode::kInvalidArgument, "the policy must have no faults");
  }
  const TiltedPhase phase(*only, arms, best);
  return estimate_rare_event(
      {plan.trials, plan.alpha, phase.log_bound()}, control, [&](std::int64_t trial) {
        ReplayStream random(
            {plan.seed, hash_purpose("best-arm/rare"), static_cast<std::uint64_t>(trial)});
        return phase.fraction(random);
      });
}

}  // namespace assay

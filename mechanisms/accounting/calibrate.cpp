#include "assay/mechanisms/accounting/calibrate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostRounds = 100'000;

CalibratedScale scale_of(double scale) {
  if (scale > 0.0 && std::isfinite(scale)) return UpperBound<NoiseScale>{NoiseScale{scale}};
  return fail(ErrorCode::kLimit, "scale for this target and sensitivity is too large for a double",
              "/scale");
}

Status check(const ApproximateDp& target, double sensitivity) {
  return detail::first_failure(detail::check_positive("epsilon", target.epsilon.value),
                               detail::check_delta("delta", target.delta.value),
                               detail::check_positive("sensitivity", sensitivity));
}

Status check_gaussian(const ApproximateDp& target, double sensitivity) {
  const auto status = check(target, sensitivity);
  if (!status || target.delta.value > 0.0) return status;
  return detail::out_of_range("delta", "in (0, 1) for Gaussian noise", "0");
}

// The mu that (1) allows, rounded down.
Mu allowed_mu(const ApproximateDp& target) {
  const double log_delta = portable_log(target.delta.value) * (1.0 + 0x1p-51);  // 1 ulp down
  return gdp_mu_lower(target.epsilon, log_delta).value;
}

// (3), rounded down.
double allowed_pure(const ApproximateDp& target) {
  const double eps = target.epsilon.value;
  if (target.delta.value == 0.0) return eps;
  const Enclosure d = target.delta.value;
  // eps + log((1 + delta e^-eps)/(1 - delta))
  return std::max(eps, (Enclosure(eps) + log1p(d * exp(Enclosure(-eps))) - log1p(-d)).low);
}

// a b rounded up, or itself if a double holds it. The rounding error a b - p is a double unless it is
// tiny, and its sign says on which side p lies.
double multiply_up(double a, double b) {
  const double p = a * b;
  if (!(p >= 0x1p-900 && std::isfinite(p))) return (Enclosure(a) * b).high;
  return std::fma(a, b, -p) > 0.0 ? std::nextafter(p, HUGE_VAL) : p;
}

// `rounds` times a release at `selection` and one at `value` times D/b; 0 means no release.
struct LaplaceReleases {
  std::int64_t rounds = 1;
  double selection = 0.0;  // any pure mechanism, dominated by randomised response
  double value = 0.0;      // Laplace noise itself
};

bool is_certified(const LaplaceReleases& releases, const ApproximateDp& target, double ratio) {
  const Enclosure x = ratio;
  const double each = (x * (releases.selection + releases.value)).high;
  if (!std::isfinite(each)) return false;
  if (target.delta.value == 0.0) return false;
  const auto whole = OptimalComposition::create({Epsilon{each}, {}}, releases.rounds);
  if (whole && whole->delta_at(target.epsilon).upper.value <= target.delta) return true;
  std::vector<RenyiDp> curves;
  if (releases.selection > 0.0) {
    const auto curve = to_renyi(PureDp{Epsilon{(x * releases.selection).high}});
    if (curve) curves.push_back(*curve);
  }
  if (releases.value > 0.0) {
    const auto curve = laplace_renyi(Epsilon{(x * releases.value).high});
    if (curve) curves.push_back(*curve);
  }
  const auto repeated = compose_repeated(compose(curves), releases.rounds);
  if (!repeated) return false;
  const auto delta = renyi_delta(*repeated, target.epsilon);
  return delta && delta->value <= target.delta;
}

CalibratedScale least_laplace_scale(const LaplaceReleases& releases, const ApproximateDp& target,
                                    double sensitivity) {
  const double levels =
      (releases.selection + releases.value) * static_cast<double>(releases.rounds);
  const double summed = detail::divide_up(multiply_up(sensitivity, levels), target.epsilon.value);
  const double scale = detail::smallest_double([&](double b) {
    return b >= summed ||
           (b > 0.0 && is_certified(releases, target, (Enclosure(sensitivity) / b).high));
  });
  return scale_of(scale);
}

}  // namespace

CalibratedScale gaussian_scale(const ApproximateDp& target, double sensitivity) {
  ASSAY_TRY(check_gaussian(target, sensitivity));
  constexpr double kUp = 1.0 + 0x1p-50;                           // four roundings of half an ulp
  return scale_of(sensitivity / allowed_mu(target).value * kUp);  // (1)
}

CalibratedScale laplace_scale(const ApproximateDp& target, double sensitivity,
                              std::int64_t answers) {
  ASSAY_TRY(detail::first_failure(
      check(target, sensitivity),
      detail::check_count("answers", answers, std::numeric_limits<std::int64_t>::max())));
  double allowed = allowed_pure(target);
  if (answers == 1 && target.delta.value > 0.0) {
    allowed = (Enclosure(target.epsilon.value) - 2.0 * log1p(Enclosure(-target.delta.value))).low;
  }
  return scale_of(detail::divide_up(sensitivity, allowed));  // (2)
}

CalibratedScale noisy_max_scale(const ApproximateDp& target, MaxNoise noise,
                                const NoisyMaxAnswers& answers) {
  ASSAY_TRY(detail::first_failure(
      noise == MaxNoise::kGaussian ? check_gaussian(target, answers.sensitivity)
                                   : check(target, answers.sensitivity),
      detail::check_count("count", answers.count, std::int64_t{1} << 53)));
  if (noise == MaxNoise::kGaussian) {
    const Enclosure moved = sqrt(Enclosure(static_cast<double>(answers.count)));
    return gaussian_scale(target, (moved * answers.sensitivity).high);
  }
  double shift = answers.sensitivity * (answers.monotone ? 1.0 : 2.0);
  if (noise == MaxNoise::kDiscreteLaplace) shift = std::ceil(shift);
  return scale_of(detail::divide_up(shift, allowed_pure(target)));  // (4)
}

CalibratedScale peeling_scale(const ApproximateDp& target, const Peeling& peeling) {
  ASSAY_TRY(detail::first_failure(check(target, peeling.sensitivity),
                                  detail::check_count("rounds", peeling.rounds, kMostRounds)));
  const LaplaceReleases releases{peeling.rounds, 2.0, peeling.releases_values ? 1.0 : 0.0};
  return least_laplace_scale(releases, target, peeling.sensitivity);  // (5)
}

std::int64_t tree_levels(std::int64_t horizon) {
  ASSAY_CHECK(horizon >= 1, "a tree has at least one leaf");
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(horizon)));
}

CalibratedScale tree_gaussian_scale(const ApproximateDp& target, std::int64_t horizon,
                                    double sensitivity) {
  ASSAY_TRY(detail::first_failure(
      check_gaussian(target, sensitivity),
      detail::check_count("horizon", horizon, std::numeric_limits<std::int64_t>::max())));
  const Enclosure moved = sqrt(Enclosure(static_cast<double>(tree_levels(horizon))));
  return gaussian_scale(target, (moved * sensitivity).high);  // (6)
}

CalibratedScale tree_laplace_scale(const ApproximateDp& target, std::int64_t horizon,
                                   double sensitivity) {
  ASSAY_TRY(detail::first_failure(
      check(target, sensitivity),
      detail::check_count("horizon", horizon, std::numeric_limits<std::int64_t>::max())));
  return least_laplace_scale({tree_levels(horizon), 0.0, 1.0}, target, sensitivity);  // (6)
}

}  // namespace assay

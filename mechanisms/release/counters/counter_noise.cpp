#include "assay/mechanisms/release/counters/counter_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kExactIntegers = 0x1p53;

// 2 a/(1 - a)^2 with a = e^(-1/s).
double variance_of(const DiscreteLaplace& noise) {
  const double rest = portable_expm1(-1.0 / noise.scale());
  return 2.0 * portable_exp(-1.0 / noise.scale()) / (rest * rest);
}

// s^2 up to a factor 1 - 4 pi^2 s^2 e^(-2 pi^2 s^2) (Poisson summation), which is 1 from s = 2 on.
double variance_of(const DiscreteGaussian& noise) {
  const double s = noise.scale();
  if (s >= 2.0) return s * s;
  double sum = 0.0;
  for (std::int64_t k = 80; k >= 1; --k) {
    const auto x = static_cast<double>(k);
    sum += 2.0 * x * x * portable_exp(noise.log_pmf(k));
  }
  return sum;
}

double variance_of(const Laplace& noise) { return 2.0 * noise.scale() * noise.scale(); }
double variance_of(const Gaussian& noise) { return noise.scale() * noise.scale(); }

// The smallest s with rho = n D^2/(2 s^2) and rho-zCDP implying the target.
CalibratedScale discrete_gaussian_scale(const ApproximateDp& target, double sensitivity,
                                        std::int64_t nodes) {
  const Enclosure moved = Enclosure(sensitivity) * sensitivity * static_cast<double>(nodes);
  const double scale = detail::smallest_double([&](double s) {
    if (std::isinf(s)) return true;
    if (!(s > 0.0)) return false;
    const double rho = (moved / (Enclosure(s) * s * 2.0)).high;  // (3)
    if (!std::isfinite(rho)) return false;
    const auto delta = zcdp_delta(Rho{rho}, target.epsilon);
    return delta && delta->value <= target.delta;
  });
  return UpperBound<NoiseScale>{NoiseScale{scale}};
}

}  // namespace

NodeNoise::NodeNoise(const Distribution& distribution)
    : distribution_(distribution),
      variance_(std::visit([](const auto& noise) { return variance_of(noise); }, distribution)) {}

Result<NodeNoise> NodeNoise::create(CounterNoise kind, double scale) {
  switch (kind) {
    case CounterNoise::kDiscreteLaplace:
      return NodeNoise(ASSAY_TRY(DiscreteLaplace::create(scale)));
    case CounterNoise::kDiscreteGaussian:
      return NodeNoise(ASSAY_TRY(DiscreteGaussian::create(scale)));
    case CounterNoise::kIdealizedLaplace:
      return NodeNoise(ASSAY_TRY(Laplace::create(0.0, scale)));
    case CounterNoise::kIdealizedGaussian:
      return NodeNoise(ASSAY_TRY(Gaussian::create(0.0, scale)));
  }
  return fail(ErrorCode::kInvalidArgument, "noise is not one of the four", "/noise");
}

double NodeNoise::scale() const {
  return std::visit([](const auto& distribution) { return distribution.scale(); }, distribution_);
}

double NodeNoise::log_density(double z) const {
  return std::visit(
      [&](const auto& distribution) {
        if constexpr (requires { distribution.log_density(z); }) {
          return distribution.log_density(z);
        } else {
          const bool possible = std::abs(z) <= kExactIntegers && std::floor(z) == z;
          return possible ? distribution.log_pmf(static_cast<std::int64_t>(z))
                          : -std::numeric_limits<double>::infinity();
        }
      },
      distribution_);
}

double NodeNoise::sum_bound(double squared_weights, double beta) const {
  ASSAY_CHECK(beta > 0.0 && beta <= 1.0, "beta is a probability");
  const double log_two = portable_log(2.0 / beta);
  return is_laplace(kind())
             ? scale() * std::sqrt(8.0 * log_two * std::max(squared_weights, log_two))  // (5)
             : scale() * std::sqrt(2.0 * squared_weights * log_two);                    // (4)
}

Result<double> counter_scale(CounterNoise kind, const ApproximateDp& target, double sensitivity,
                             std::int64_t nodes) {
  ASSAY_CHECK(nodes >= 1 && nodes <= 63, "a binary tree has at most 63 levels");
  ASSAY_TRY(
      detail::first_failure(detail::check_positive("epsilon", target.epsilon.value),
                            detail::check_counter(kind, target.delta.value, sensitivity, 0.0)));
  const std::int64_t horizon = std::int64_t{1} << (nodes - 1);
  const auto scale =
      ASSAY_TRY(is_laplace(kind) ? tree_laplace_scale(target, horizon, sensitivity)  // (1)
                : kind == CounterNoise::kIdealizedGaussian
                    ? tree_gaussian_scale(target, horizon, sensitivity)  // (2)
                    : discrete_gaussian_scale(target, sensitivity, nodes));
  return scale.value.value;
}

Guarantee counter_guarantee(CounterNoise kind, const ApproximateDp& target, double sensitivity,
                            std::int64_t nodes, double scale, std::string source) {
  const auto relation = sensitivity == 1.0 ? Relation::kOneAnswer : Relation::kReplaceOneRecord;
  PrivacyLevel level = target;
  if (is_laplace(kind)) level = PureDp{target.epsilon};
  if (kind == CounterNoise::kIdealizedGaussian) {
    const Enclosure moved = sqrt(Enclosure(static_cast<double>(nodes))) * sensitivity;
    level = GaussianDp{Mu{(moved / scale).high}};  // (2)
  }
  return {level, relation, View::kOutput, std::move(source)};
}

namespace detail {

Status check_counter(CounterNoise kind, double delta, double sensitivity, double lowest) {
  if (is_laplace(kind) && delta != 0.0) {
    return out_of_range("delta", "0 for Laplace noise", number_text(delta));
  }
  if (!is_laplace(kind) && !(delta > 0.0 && delta < 1.0)) {
    return out_of_range("delta", "in (0, 1) for Gaussian noise", number_text(delta));
  }
  if (!is_discrete(kind)) return check_positive("sensitivity", sensitivity);
  if (!(sensitivity >= 1.0) || std::floor(sensitivity) != sensitivity) {
    return out_of_range("sensitivity", "a positive integer for discrete noise",
                        number_text(sensitivity));
  }
  if (std::floor(lowest) != lowest) {
    return out_of_range("lowest", "an integer for discrete noise", number_text(lowest));
  }
  return {};
}

double highest_entry(double lowest, double sensitivity) {
  const double sum = lowest + sensitivity;
  const double added = sum - lowest;
  const double lost = (lowest - (sum - added)) + (sensitivity - added);  // exactly: two-sum
  return lost < 0.0 ? round_down(sum) : sum;
}

Status check_stream(std::span<const double> input, CounterNoise kind, double lowest,
                    double sensitivity, std::int64_t most) {
  if (input.empty() || input.size() > static_cast<std::size_t>(most)) {
    return fail(ErrorCode::kInvalidArgument,
                "input must have 1 to " + std::to_string(most) + " entries, not " +
                    std::to_string(input.size()),
                "/input");
  }
  const double highest = highest_entry(lowest, sensitivity);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const double x = input[i];
    if (x >= lowest && x <= highest && (!is_discrete(kind) || std::floor(x) == x)) continue;
    return fail(ErrorCode::kInvalidArgument,
                "input[" + std::to_string(i) + "] must be " +
                    (is_discrete(kind) ? "an integer from " : "from ") + number_text(lowest) +
                    " to " + number_text(highest) + ", not " + number_text(x),
                "/input/" + std::to_string(i));
  }
  return {};
}

Status check_exact(CounterNoise kind, std::int64_t entries, double lowest, double sensitivity,
                   double largest_scale) {
  if (!is_discrete(kind)) return {};
  const double entry = std::max(std::abs(lowest), std::abs(lowest + sensitivity));
  // An estimate has at most 41 noises in a tree and 102 in a hybrid counter, each within 46 (scale + 1).
  const double most = static_cast<double>(entries) * entry + 102.0 * 46.0 * (largest_scale + 1.0);
  if (most <= kExactIntegers) return {};
  return fail(ErrorCode::kLimit,
              "horizon times the largest entry, and the noise, must stay below 2^53, not reach " +
                  number_text(most),
              "/horizon");
}

}  // namespace detail
}  // namespace assay

#include "assay/mechanisms/accounting/account/composed_calibration.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/account.hpp"
#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr std::int64_t kMostPeelingRounds = 100'000;  // of peeling_scale

enum class PairKind { kLaplace, kBoundedRange, kRandomizedResponse, kDiscreteGaussian };

// One kind of pair of a composition: `count` times, losing at most factor D/b each.
struct ScaledPair {
  PairKind kind = PairKind::kLaplace;
  double factor = 1.0;
  std::int64_t count = 1;
};

// The composition of a request: Gaussian noise of one sensitivity, or pairs with a scale to search for.
struct Composition {
  std::optional<double> gaussian_sensitivity;  // of all releases together, in L2, rounded up
  std::vector<ScaledPair> pairs;
  std::string certificate;
};

Enclosure root(double count) { return sqrt(Enclosure(count)); }

Composition gaussian_of(double sensitivity, Enclosure moved, std::string certificate) {
  return {(moved * sensitivity).high, {}, std::move(certificate)};
}

Result<std::int64_t> product(const std::string& name, std::int64_t a, std::int64_t b) {
  if (a <= kMostReleases / b) return a * b;
  return fail(ErrorCode::kLimit,
              name + " times compose must be at most 1000000000, not " + std::to_string(a) + " x " +
                  std::to_string(b),
              "/" + name);
}

Composition noisy_max_of(const CalibrationRequest& r) {
  const auto n = static_cast<double>(r.compose);
  if (r.noise == MaxNoise::kGaussian) {
    return gaussian_of(r.sensitivity, root(n) * root(static_cast<double>(r.answers)),
                       "all noisy answers together are one release of Gaussian noise");
  }
  const double shift = r.monotone ? 1.0 : 2.0;
  const std::string level = ", eps = " + number_text(shift) + " sensitivity/scale";
  if (r.noise == MaxNoise::kDiscreteLaplace) {
    const double whole = std::ceil(shift * r.sensitivity) / r.sensitivity;
    return {{},
            {{PairKind::kRandomizedResponse, whole, r.compose}},
            "each release is eps-DP, eps = " + number_text(whole) + " sensitivity/scale"};
  }
  if (r.noise == MaxNoise::kGumbel) {
    return {{},
            {{PairKind::kBoundedRange, shift, r.compose}},
            "each release has the bounded range eps" + level};
  }
  return {{},
          {{PairKind::kLaplace, shift, r.compose}},
          "each release loses no more than Laplace noise that is eps-DP" + level};
}

Result<Composition> peeling_of(const CalibrationRequest& r) {
  const auto rounds = ASSAY_TRY(product("rounds", r.rounds, r.compose));
  Composition c{{},
                {{PairKind::kLaplace, 2.0, rounds}},
                "each round's choice loses no more than Laplace noise that is eps-DP, eps = 2 "
                "sensitivity/scale"};
  if (r.releases_values) {
    c.pairs.push_back({PairKind::kLaplace, 1.0, rounds});
    c.certificate += ", and each value has Laplace noise";
  }
  return c;
}

Result<Composition> tree_of(const CalibrationRequest& r) {
  const std::int64_t levels = tree_levels(r.horizon);
  const std::string moved = "one input moves " + std::to_string(levels) + " nodes";
  if (r.noise == MaxNoise::kGaussian) {
    return gaussian_of(r.sensitivity,
                       root(static_cast<double>(levels)) * root(static_cast<double>(r.compose)),
                       moved);
  }
  if (r.noise != MaxNoise::kLaplace) {
    return fail(ErrorCode::kInvalidArgument, "noise must be laplace or gaussian for a tree",
                "/noise");
  }
  const auto nodes = ASSAY_TRY(product("levels of the tree", levels, r.compose));
  return Composition{{}, {{PairKind::kLaplace, 1.0, nodes}}, moved};
}

Result<Composition> laplace_of(const CalibrationRequest& r) {
  if (r.moves) {
    const auto moved = ASSAY_TRY(product("moves", *r.moves, r.compose));
    return Composition{{}, {{PairKind::kLaplace, 1.0, moved}}, "each answer has Laplace noise"};
  }
  return Composition{
      {},
      {{r.answers == 1 ? PairKind::kLaplace : PairKind::kRandomizedResponse, 1.0, r.compose}},
      r.answers == 1 ? "Laplace noise" : "each vector is eps-DP, eps = sensitivity/scale"};
}

Result<Composition> on_integers_of(const CalibrationRequest& r) {
  const auto moved = ASSAY_TRY(product("moves", r.moves.value_or(1), r.compose));
  if (r.kind == CalibratedKind::kDiscreteGaussian) {
    return Composition{{},
                       {{PairKind::kDiscreteGaussian, 1.0, moved}},
                       "each answer has Gaussian noise on integers"};
  }
  return Composition{
      {},
      {{PairKind::kRandomizedResponse, 1.0, moved}},
      r.kind == CalibratedKind::kDiscreteLaplace
          ? "each answer has Laplace noise on integers, which is eps-DP, eps = 1/scale"
          : "each response, among any number of answers, is eps-DP, eps = 1/scale"};
}

Result<Composition> composition_of(const CalibrationRequest& r) {
  switch (r.kind) {
    case CalibratedKind::kGaussian: {
      const Enclosure releases = root(static_cast<double>(r.compose));
      return gaussian_of(r.sensitivity,
                         r.moves ? releases * root(static_cast<double>(*r.moves)) : releases,
                         "Gaussian noise");
    }
    case CalibratedKind::kLaplace:
      return laplace_of(r);
    case CalibratedKind::kNoisyMax:
      return noisy_max_of(r);
    case CalibratedKind::kPeeling:
      return peeling_of(r);
    case CalibratedKind::kTree:
      return tree_of(r);
    case CalibratedKind::kDiscreteGaussian:
    case CalibratedKind::kDiscreteLaplace:
    case CalibratedKind::kRandomizedResponse:
      return on_integers_of(r);
  }
  return fail(ErrorCode::kInternal, "unknown kind of calibration");
}

// ---- delta at a scale ---------------------------------------------------------------------------

// Of which less is lost than shows in delta.
Result<PrivacyLoss> discrete_gaussian_at(double sigma, const CalibrationRequest& r) {
  const double log_tail = portable_log(std::max(r.target.delta.value, 1e-250)) - 50.0;
  return loss_of::discrete_gaussian(sigma, 1, std::clamp(log_tail, -600.0, kDefaultLogTail));
}

// The loss at a scale. A quotient rounded by an ulp moves the losses and their log weights by as
// much of themselves, which the error bounds of the distribution cover.
Result<PrivacyLoss> loss_at(const ScaledPair& pair, double scale, double sensitivity) {
  const double eps = pair.factor * sensitivity / scale;
  auto distribution = pair.kind == PairKind::kLaplace        ? loss_of::laplace(1.0 / eps)
                      : pair.kind == PairKind::kBoundedRange ? loss_of::bounded_range(eps)
                                                             : loss_of::randomized_response(eps);
  if (!distribution) {
    return fail(ErrorCode::kLimit,
                "scale " + number_text(scale) +
                    " is outside of what can be composed: " + distribution.error().message,
                "/scale");
  }
  distribution->loss_error += 0x1p-49 * eps;
  distribution->weight_error += 0x1p-49 * (1.0 + eps);
  return distribution;
}

Result<Interval<Delta>> pairs_delta(const Composition& c, const CalibrationRequest& r, double scale,
                                    const RunControl& control) {
  std::vector<PldTerm> terms;
  for (const ScaledPair& pair : c.pairs) {
    auto distribution =
        ASSAY_TRY(pair.kind == PairKind::kDiscreteGaussian ? discrete_gaussian_at(scale, r)
                                                           : loss_at(pair, scale, r.sensitivity));
    terms.push_back({std::move(distribution), pair.count});
  }
  return pld_delta(terms, r.target.epsilon,
                   {.delta_relative_width = 1e-4, .cancel = control.cancel});
}

Interval<Delta> gaussian_delta(double sensitivity, double scale, Epsilon eps) {
  const Enclosure mu = Enclosure(sensitivity) / scale;
  const double lower = gdp_delta(Mu{mu.low}, eps).value * (1.0 - 2.0 * kGdpRelativeError);
  const double upper = gdp_delta(Mu{mu.high}, eps).value * (1.0 + 2.0 * kGdpRelativeError);
  return {{Delta{lower}}, {Delta{upper + std::numeric_limits<double>::min()}}};
}

// ---- the search ---------------------------------------------------------------------------------

struct Found {
  double scale = 0.0;
  std::optional<double> none_below;
};

// The scale at which the largest losses sum to eps.
Enclosure pure_scale(const Composition& c, const CalibrationRequest& r) {
  Enclosure sum = 0.0;
  for (const ScaledPair& pair : c.pairs) {
    sum = sum + Enclosure(pair.factor) * static_cast<double>(pair.count);
  }
  return sum * r.sensitivity / r.target.epsilon.value;
}

// Goes down from a certified scale until one is refuted, then halves the gap.
Found search(const std::function<Result<Interval<Delta>>(double)>& delta_at, double certified,
             double target) {
  constexpr double kRelativeGap = 1e-6;
  Found found{certified, std::nullopt};
  double low = 0.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = low == 0.0 ? 0.5 * found.scale : 0.5 * (low + found.scale);
    const auto delta = delta_at(middle);
    if (!delta) break;
    if (delta->upper.value.value <= target) {
      found.scale = middle;  // (1)
    } else if (delta->lower.value.value > target) {
      low = middle;  // (2)
    } else {
      break;  // the answer is within the certificate's own width
    }
    if (low > 0.0 && found.scale - low <= kRelativeGap * found.scale) break;
  }
  if (low > 0.0) found.none_below = low;
  return found;
}

// The scale of calibrate.hpp for as many releases, if it has one.
std::optional<double> known_scale(const CalibrationRequest& r) {
  CalibratedScale scale = fail(ErrorCode::kInvalidArgument, "none");
  const bool once = r.compose == 1;
  switch (r.kind) {
    case CalibratedKind::kGaussian:
      break;
    case CalibratedKind::kLaplace:
      if (once && !r.moves) scale = laplace_scale(r.target, r.sensitivity, r.answers);
      break;
    case CalibratedKind::kNoisyMax:
      if (once) scale = noisy_max_scale(r.target, r.noise, {r.answers, r.sensitivity, r.monotone});
      break;
    case CalibratedKind::kPeeling:
      if (r.rounds <= kMostPeelingRounds / r.compose) {
        scale = peeling_scale(r.target, {r.rounds * r.compose, r.sensitivity, r.releases_values});
      }
      break;
    case CalibratedKind::kTree:
      if (once) scale = tree_laplace_scale(r.target, r.horizon, r.sensitivity);
      break;
    case CalibratedKind::kDiscreteGaussian:
    case CalibratedKind::kDiscreteLaplace:
    case CalibratedKind::kRandomizedResponse:
      break;
  }
  if (!scale) return std::nullopt;
  return scale->value.value;
}

bool is_on_integers(CalibratedKind kind) {
  return kind == CalibratedKind::kDiscreteGaussian || kind == CalibratedKind::kDiscreteLaplace ||
         kind == CalibratedKind::kRandomizedResponse;
}

Status check_request(const CalibrationRequest& r) {
  if (is_on_integers(r.kind) && r.sensitivity != 1.0) {
    return fail(ErrorCode::kInvalidArgument,
                "sensitivity must be 1 for noise on integers and randomised response, not " +
                    number_text(r.sensitivity),
                "/sensitivity");
  }
  if (r.moves && r.answers > 1 && *r.moves > r.answers) {
    return fail(ErrorCode::kInvalidArgument,
                "moves must be at most " + std::to_string(r.answers) +
                    ", the number of answers, not " + std::to_string(*r.moves),
                "/moves");
  }
  return detail::first_failure(
      detail::check_count("moves", r.moves.value_or(1), kMostReleases),
      detail::check_positive("epsilon", r.target.epsilon.value),
      detail::check_delta("delta", r.target.delta.value),
      detail::check_positive("sensitivity", r.sensitivity),
      detail::check_count("compose", r.compose, kMostReleases),
      detail::check_count("answers", r.answers, std::int64_t{1} << 53),
      detail::check_count("rounds", r.rounds, kMostReleases),
      detail::check_count("horizon", r.horizon, std::numeric_limits<std::int64_t>::max()));
}

Result<CalibratedNoise> calibrate_gaussian(const Composition& c, const CalibrationRequest& r) {
  const auto scale = ASSAY_TRY(gaussian_scale(r.target, *c.gaussian_sensitivity));
  CalibratedNoise result;
  result.scale = scale.value.value;
  result.certificate = c.certificate + "; the exact profile of Gaussian noise (Balle, Wang 2018)";
  result.achieved = gaussian_delta(*c.gaussian_sensitivity, result.scale, r.target.epsilon);
  result.achieved_by = "the closed form";
  return result;
}

Result<CalibratedNoise> calibrate_pairs(const Composition& c, const CalibrationRequest& r,
                                        const RunControl& control) {
  const Enclosure pure = pure_scale(c, r);
  if (!std::isfinite(pure.high)) {
    return fail(ErrorCode::kLimit, "scale for this target is too large for a double", "/scale");
  }
  const auto delta_at = [&](double scale) { return pairs_delta(c, r, scale, control); };
  CalibratedNoise result;
  result.scale = pure.high;
  result.certificate = c.certificate + "; the largest losses sum to eps";
  if (r.target.delta.value == 0.0) {
    result.none_below = pure.low * (1.0 - 0x1p-50);
  } else {
    const Found found = search(delta_at, pure.high, r.target.delta.value);
    if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    if (found.scale < pure.high) {
      result.certificate = c.certificate + "; composed as privacy-loss distributions";
    }
    result.scale = found.scale;
    result.none_below = found.none_below;
  }
  if (const auto known = known_scale(r); known && *known < result.scale) {
    result.scale = *known;
    result.certificate = c.certificate + "; closed or optimal composition (calibrate.hpp)";
  }
  if (r.target.delta.value == 0.0) {
    result.achieved_by = "the sum of the largest losses";  // achieved stays [0, 0]
    return result;
  }
  result.achieved = ASSAY_TRY(delta_at(result.scale));
  result.achieved_by = "privacy-loss distributions";
  return result;
}

// (1) alone: whether more noise loses less is not proved for it.
Result<CalibratedNoise> calibrate_discrete_gaussian(const Composition& c,
                                                    const CalibrationRequest& r,
                                                    const RunControl& control) {
  const double answers = static_cast<double>(c.pairs.front().count);
  const auto budget = ASSAY_TRY(zcdp_budget(r.target));
  const auto delta_at = [&](double sigma) { return pairs_delta(c, r, sigma, control); };
  CalibratedNoise result;
  result.scale = sqrt(Enclosure(answers) / budget.rho.value * 0.5).high;
  result.certificate = c.certificate + "; the sum of all rho of zCDP";
  const Found found = search(delta_at, result.scale, r.target.delta.value);
  if (control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
  if (found.scale < result.scale) {
    result.scale = found.scale;
    result.certificate = c.certificate + "; composed as privacy-loss distributions at this sigma";
  }
  result.achieved = ASSAY_TRY(delta_at(result.scale));
  result.achieved_by = "privacy-loss distributions";
  return result;
}

// Checks that the result agrees with the recomputed delta.
Status check_achieved(const CalibratedNoise& found, const CalibrationRequest& r) {
  const double lower = found.achieved.lower.value.value;
  if (lower <= r.target.delta.value) return {};
  return fail(ErrorCode::kInternal,
              "the scale " + number_text(found.scale) +
                  " was certified but loses at least delta = " + number_text(lower));
}

}  // namespace

Result<CalibratedNoise> calibrate(const CalibrationRequest& request, const RunControl& control) {
  ASSAY_TRY(check_request(request));
  const auto composition = ASSAY_TRY(composition_of(request));
  auto result = composition.gaussian_sensitivity ? calibrate_gaussian(composition, request)
                : request.kind == CalibratedKind::kDiscreteGaussian
                    ? calibrate_discrete_gaussian(composition, request, control)
                    : calibrate_pairs(composition, request, control);
  if (!result) return result;
  ASSAY_TRY(check_achieved(*result, request));
  return result;
}

}  // namespace assay

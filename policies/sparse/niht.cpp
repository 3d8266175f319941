#include "assay/policies/sparse/niht.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/policies/sparse/l1_ball.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kLeastScale = 1e-100;
constexpr double kMostScale = 1e15;

// Hard thresholding without noise, in the form of a release.
idealized::PeelingOutput largest_entries(std::span<const double> vector, std::int64_t count) {
  idealized::PeelingOutput out;
  out.indices.resize(vector.size());
  std::iota(out.indices.begin(), out.indices.end(), 0);
  const auto size = [&](std::int64_t j) { return std::fabs(vector[static_cast<std::size_t>(j)]); };
  std::partial_sort(out.indices.begin(), out.indices.begin() + count, out.indices.end(),
                    [&](std::int64_t i, std::int64_t j) {
                      return size(i) > size(j) || (size(i) == size(j) && i < j);
                    });
  out.indices.resize(static_cast<std::size_t>(count));
  for (const std::int64_t j : out.indices) {
    out.values.push_back(vector[static_cast<std::size_t>(j)]);
  }
  return out;
}

idealized::PeelingOutput peeled(const NihtPlan& plan, std::span<const double> vector, double scale,
                                ReplayStream& random) {
  if (scale == 0.0) return largest_entries(vector, plan.sparsity);
  const auto peeling =
      idealized::PeelingMechanism::create({.coordinates = static_cast<std::int64_t>(vector.size()),
                                           .rounds = plan.sparsity,
                                           .scale = scale});
  ASSAY_CHECK(peeling.has_value(), "scales and sparsity are valid");
  return peeling->release(vector, random);
}

SparseVector ascending(const idealized::PeelingOutput& released) {
  std::vector<std::size_t> order(released.indices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return released.indices[a] < released.indices[b];
  });
  SparseVector out;
  for (const std::size_t k : order) {
    out.indices.push_back(released.indices[k]);
    out.values.push_back(released.values[k]);
  }
  return out;
}

}  // namespace

std::vector<double> niht_vector(const NihtPlan& plan, const RegressionData& data,
                                const SparseVector& theta) {
  std::vector<double> v(static_cast<std::size_t>(data.dimension()));
  data.slope(theta, v);
  for (double& entry : v) entry *= -plan.step * loss_slope(plan.loss);
  for (std::size_t k = 0; k < theta.indices.size(); ++k) {
    v[static_cast<std::size_t>(theta.indices[k])] += theta.values[k];  // (1)
  }
  return v;
}

NihtStep niht_step(const NihtPlan& plan, const RegressionData& data, std::int64_t iteration,
                   const SparseVector& theta, ReplayStream& random) {
  NihtStep step{iteration, niht_vector(plan, data, theta), {}, {}};
  step.released = peeled(plan, step.vector, iteration == 0 ? plan.first_scale : plan.scale, random);
  step.estimate = ascending(step.released);
  project_onto_l1_ball(step.estimate.values, plan.projection);  // (2)
  return step;
}

Result<double> niht_unit_scale(const NihtPlan& plan, const NihtLevel& level) {
  if (plan.iterations == 0) return 0.0;
  if (level.calibration == Calibration::kCorrected) {
    const auto scale = ASSAY_TRY(
        peeling_scale({Epsilon{level.epsilon}, Delta{level.delta}},
                      Peeling{plan.iterations * plan.sparsity, 1.0, /*releases_values=*/true}));
    return scale.value.value;  // (5)
  }
  if (level.delta == 0.0) {
    return fail(
        ErrorCode::kInvalidArgument,
        "delta must be above 0 where calibration = paper: its noise grows with log(1/delta)",
        "/delta");
  }
  const auto m = static_cast<double>(plan.iterations);
  const double log_cases = portable_log(m) - portable_log(level.delta);
  return 2.0 * std::sqrt(3.0 * static_cast<double>(plan.sparsity) * log_cases) * m /
         level.epsilon;  // (4)
}

double niht_sensitivity(const NihtPlan& plan, const NihtBounds& bounds, std::int64_t iteration) {
  const Enclosure norm = iteration == 0 ? Enclosure(0.0) : Enclosure(plan.projection);
  const Enclosure largest = norm * bounds.context + bounds.reward;
  return (largest * bounds.context * (2.0 * loss_slope(plan.loss) * plan.step) /
          static_cast<double>(bounds.records))
      .high;  // (5)
}

Result<NihtPlan> niht_with_noise(NihtPlan plan, const NihtBounds& bounds, double unit_scale,
                                 Calibration calibration) {
  if (plan.iterations == 0) return plan;
  const auto scale = [&](std::int64_t iteration) {
    const double sensitivity = calibration == Calibration::kPaper
                                   ? plan.step * (bounds.reward + bounds.context * bounds.b_max) /
                                         static_cast<double>(bounds.records)
                                   : niht_sensitivity(plan, bounds, iteration);
    return calibration == Calibration::kPaper ? unit_scale * sensitivity
                                              : (Enclosure(unit_scale) * sensitivity).high;  // (3)
  };
  plan.first_scale = scale(0);
  plan.scale = scale(1);
  if (plan.first_scale >= kLeastScale && (plan.iterations == 1 || plan.scale <= kMostScale) &&
      plan.first_scale <= kMostScale) {
    return plan;
  }
  return fail(ErrorCode::kLimit,
              "step, x_max and the clipping of rewards make noise of scale " +
                  number_text(plan.first_scale) + " and " + number_text(plan.scale) +
                  "; 1e-100 to 1e15 is allowed",
              "/step");
}

double niht_proved_epsilon(const NihtPlan& plan, const NihtBounds& bounds, double delta) {
  if (plan.iterations == 0) return 0.0;
  if (plan.first_scale == 0.0) return kInfinity;
  double least = plan.first_scale / niht_sensitivity(plan, bounds, 0);
  if (plan.iterations > 1) least = std::min(least, plan.scale / niht_sensitivity(plan, bounds, 1));
  const std::int64_t rounds = plan.iterations * plan.sparsity;
  const auto all = idealized::PeelingMechanism::create(
      {.delta = delta,
       .coordinates = rounds,
       .rounds = rounds,
       // less noise proves less
       .scale = std::min(detail::round_down(least), kMostScale)});
  if (!all) return kInfinity;
  return std::visit(
      [](const auto& level) {
        if constexpr (requires { level.epsilon; }) return level.epsilon.value;
        return kInfinity;
      },
      all->guarantee().level);
}

}  // namespace assay

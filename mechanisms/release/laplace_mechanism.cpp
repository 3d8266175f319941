#include "assay/mechanisms/release/laplace_mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

double chosen_granularity(const LaplaceMechanismConfig& config) {
  const double b = config.sensitivity / config.epsilon;
  const double fine =
      std::min(0x1p-20 * b, 0x1p-10 * config.sensitivity / static_cast<double>(config.answers));
  return std::ldexp(1.0, std::max(std::ilogb(fine), std::ilogb(b) - 40));  // (5)
}

}  // namespace

Result<LaplaceMechanism> LaplaceMechanism::create(const Config& config) {
  return detail::create_valid<LaplaceMechanism>(config, [&]() -> Result<LaplaceMechanism> {
    const auto grid = ASSAY_TRY(FixedPoint::create(
        config.granularity == 0.0 ? chosen_granularity(config) : config.granularity));
    const double steps = grid.l1_sensitivity(config.sensitivity, config.answers);  // (2)
    const auto noise =
        ExactDiscreteLaplace::create(detail::divide_up(steps, config.epsilon));  // (3)
    if (!noise) {
      return fail(ErrorCode::kInvalidArgument,
                  "granularity " + number_text(grid.granularity()) +
                      " asks for noise of a scale outside 0.001 to 2^41 of its steps",
                  "/granularity");
    }
    return LaplaceMechanism(config, grid, steps, *noise);
  });
}

template <RandomSource R>
LaplaceMechanism::Output LaplaceMechanism::release(const Input& input, R& random) const {
  Output out(input.size());
  release_many(input, random, out);
  return out;
}

template <RandomSource R>
void LaplaceMechanism::release_many(const Input& input, R& random, std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value() && out.size() % input.size() == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      out[first + i] = grid_.value(grid_.steps(input[i]) + noise_.sample(random));  // (1)
    }
  }
}

double LaplaceMechanism::log_probability(double output, double answer) const {
  std::int64_t z = 0;
  if (!grid_.steps_of(output, z)) return -std::numeric_limits<double>::infinity();
  const std::int64_t distance = z - grid_.steps(answer);
  const bool at_end = z == FixedPoint::kMostOutput || z == -FixedPoint::kMostOutput;
  return at_end ? noise_.log_ccdf(std::abs(distance)) : noise_.log_pmf(distance);
}

double LaplaceMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one output per answer");
  double sum = 0.0;
  for (std::size_t i = 0; i < input.size(); ++i) sum += log_probability(output[i], input[i]);
  return sum;  // (4)
}

Guarantee LaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1, on a grid"};
}

template LaplaceMechanism::Output LaplaceMechanism::release(const Input&, ReplayStream&) const;
template void LaplaceMechanism::release_many(const Input&, ReplayStream&, std::span<double>) const;
template LaplaceMechanism::Output LaplaceMechanism::release(const Input&, SecureStream&) const;
template void LaplaceMechanism::release_many(const Input&, SecureStream&, std::span<double>) const;

}  // namespace assay

#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay::idealized {

NumericalSparseVector::NumericalSparseVector(const Config& config, const Laplace& value_noise)
    : ReadsAnswers(config),
      rule_(config.threshold, assay::detail::divide_up(3.0, config.epsilon),
            assay::detail::divide_up(6.0 * static_cast<double>(config.cutoff), config.epsilon),
            config.cutoff,
            false),  // (1)
      value_noise_(value_noise) {}

Result<NumericalSparseVector> NumericalSparseVector::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const double scale =
      assay::detail::divide_up(3.0 * static_cast<double>(config.cutoff), config.epsilon);
  const auto noise = ASSAY_TRY(Laplace::create(0.0, scale));
  return NumericalSparseVector(config, noise);
}

template <RandomSource R>
void NumericalSparseVector::release_many(const Input& input, R& random,
                                         std::span<double> out) const {
  rule_.run_many(input, random, out, [&](std::size_t i, double, bool flag) {
    return flag ? input[i] + value_noise_.sample(random)  // (2)
                : -std::numeric_limits<double>::infinity();
  });
}

double NumericalSparseVector::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one entry per answer");
  std::vector<Answer> flags(output.size());
  double values = 0.0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    flags[i] = std::isnan(output[i])   ? Answer::kNone
               : std::isinf(output[i]) ? Answer::kBelow
                                       : Answer::kAbove;
    if (flags[i] == Answer::kAbove) values += value_noise_.log_density(output[i] - input[i]);
  }
  return rule_.log_probability(flags, input) + values;
}

Guarantee NumericalSparseVector::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kAllAnswers, View::kOutput,
          "Wang, Ding, Wang, Kifer, Zhang (PLDI 2019)"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(NumericalSparseVector, double);

}  // namespace assay::idealized

#include "assay/mechanisms/faulty/sparse_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay::faulty {

SparseVector3::SparseVector3(const Config& config)
    : ReadsAnswers(config),
      rule_(config.threshold, 2.0 / config.epsilon,
            2.0 * static_cast<double>(config.cutoff) / config.epsilon, config.cutoff, false) {
}  // (1)

Result<SparseVector3> SparseVector3::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return SparseVector3(config);
}

template <RandomSource R>
void SparseVector3::release_many(const Input& input, R& random, std::span<double> out) const {
  rule_.run_many(input, random, out,
                 [](std::size_t, double value, bool flag) { return flag ? value : -kInfinity; });
}

double SparseVector3::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one entry per answer");
  double values = 0.0;
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> below;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (std::isnan(output[i])) continue;
    if (std::isinf(output[i])) {
      below.push_back(input[i]);
    } else {
      values += rule_.nu().log_density(output[i] - input[i]);
      least = std::min(least, output[i]);
    }
  }
  const double b = rule_.rho().scale();
  const double t = rule_.threshold();
  std::vector<double> breaks{0.0};
  for (const double q : below) breaks.push_back(q - t);
  const auto [low_z, high_z] = std::minmax_element(breaks.begin(), breaks.end());
  const double high = std::min(least - t, *high_z + 40.0 * b);
  const double low = std::min(*low_z, high) - 40.0 * b;
  double sum = 0.0;
  for (const auto& [z, weight] :
       gauss_legendre_nodes(low, high, breaks, std::min(b, rule_.nu().scale()))) {
    double product = weight * portable_exp(rule_.rho().log_density(z));
    for (const double q : below) product *= rule_.below(q, z);
    sum += product;  // (5)
  }
  return values + portable_log(sum);
}

Guarantee SparseVector3::guarantee() const {
  const auto c = static_cast<double>(config_.cutoff);
  const auto n = static_cast<double>(config_.answers);
  return {PureDp{Epsilon{0.5 * config_.epsilon * n / c}}, Relation::kAllAnswers, View::kOutput,
          "factor by factor: unbounded in n (Lyu, Su, Li, PVLDB 2017)"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(SparseVector3, double);

}  // namespace assay::faulty

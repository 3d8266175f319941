#include "assay/mechanisms/idealized/noisy_histogram.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay::idealized {

Result<NoisyHistogram> NoisyHistogram::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise = ASSAY_TRY(Laplace::create(0.0, assay::detail::divide_up(1.0, config.epsilon)));
  return NoisyHistogram(config, noise);
}

Guarantee NoisyHistogram::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kOneAnswer, View::kOutput,
          "Dwork, McSherry, Nissim, Smith (TCC 2006)"};
}

Result<PrefixSum> PrefixSum::create(const Config& config) {
  const auto cells = ASSAY_TRY(NoisyHistogram::create(config));
  return PrefixSum(cells);
}

template <RandomSource R>
void PrefixSum::release_many(const Input& input, R& random, std::span<double> out) const {
  cells_.release_many(input, random, out);
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    for (std::size_t i = 1; i < input.size(); ++i) out[first + i] += out[first + i - 1];  // (2)
  }
}

double PrefixSum::log_density(const Output& output, const Input& input) const {
  Output differences = output;
  for (std::size_t i = differences.size(); i-- > 1;) differences[i] -= differences[i - 1];
  return cells_.log_density(differences, input);
}

Guarantee PrefixSum::guarantee() const {
  auto guarantee = cells_.guarantee();
  guarantee.source = "one-to-one image of the noisy histogram (PLDI 2019)";
  return guarantee;
}

Result<ParallelLaplace> ParallelLaplace::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise = ASSAY_TRY(Laplace::create(0.0, assay::detail::divide_up(1.0, config.epsilon)));
  return ParallelLaplace(config, noise);
}

double ParallelLaplace::log_density(const Output& output, const Input& input) const {
  double sum = 0.0;
  for (std::size_t first = 0; first < output.size(); first += input.size()) {
    sum += AdditiveNoise::log_density(std::span(output).subspan(first, input.size()), input);
  }
  return sum;
}

Guarantee ParallelLaplace::guarantee() const {
  return {PureDp{Epsilon{static_cast<double>(config_.copies) * config_.epsilon}},
          Relation::kOneAnswer, View::kOutput,
          "composition of the Laplace mechanism (TCC 2006), tight for it"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(PrefixSum, double);

}  // namespace assay::idealized

#include "assay/mechanisms/idealized/laplace_mechanism.hpp"

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::idealized {
namespace detail {

template <RandomSource R>
void add_laplace(std::span<const double> input, const Laplace& noise, R& random,
                 std::span<double> out) {
  ASSAY_CHECK(!input.empty() && out.size() % input.size() == 0, "whole releases");
  noise.fill(random, out);
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    for (std::size_t i = 0; i < input.size(); ++i) out[first + i] += input[i];
  }
}

double laplace_log_density(std::span<const double> output, std::span<const double> input,
                           const Laplace& noise) {
  ASSAY_CHECK(output.size() == input.size(), "one output per answer");
  double sum = 0.0;
  for (std::size_t i = 0; i < input.size(); ++i) sum += noise.log_density(output[i] - input[i]);
  return sum;
}

}  // namespace detail

Result<LaplaceMechanism> LaplaceMechanism::create(const Config& config) {
  return assay::detail::create_valid<LaplaceMechanism>(config, [&]() -> Result<LaplaceMechanism> {
    const auto noise = ASSAY_TRY(
        Laplace::create(0.0, assay::detail::divide_up(config.sensitivity, config.epsilon)));
    return LaplaceMechanism(config, noise);
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
  detail::add_laplace(input, noise_, random, out);  // (1)
}

double LaplaceMechanism::log_density(const Output& output, const Input& input) const {
  return detail::laplace_log_density(output, input, noise_);  // (2)
}

Guarantee LaplaceMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1"};
}

template void detail::add_laplace(std::span<const double>, const Laplace&, ReplayStream&,
                                  std::span<double>);
template LaplaceMechanism::Output LaplaceMechanism::release(const Input&, ReplayStream&) const;
template void LaplaceMechanism::release_many(const Input&, ReplayStream&, std::span<double>) const;
template void detail::add_laplace(std::span<const double>, const Laplace&, SecureStream&,
                                  std::span<double>);
template LaplaceMechanism::Output LaplaceMechanism::release(const Input&, SecureStream&) const;
template void LaplaceMechanism::release_many(const Input&, SecureStream&, std::span<double>) const;

}  // namespace assay::idealized

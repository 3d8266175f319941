#include "assay/mechanisms/release/counters/square_root_counter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/counters/counter_noise.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace detail {

ToeplitzProduct::ToeplitzProduct(std::span<const double> coefficients)
    : size_(coefficients.size()),
      fft_(std::bit_ceil(2 * coefficients.size())),
      re_(fft_.size()),
      im_(fft_.size()) {
  const double unit = 1.0 / static_cast<double>(fft_.size());  // a power of two: exact
  for (std::size_t i = 0; i < size_; ++i) re_[i] = coefficients[i] * unit;
  fft_.forward(re_, im_);
}

void ToeplitzProduct::apply(std::span<double> x) const {
  ASSAY_CHECK(x.size() <= size_, "no longer than the coefficients");
  std::vector<double> re(fft_.size());
  std::vector<double> im(fft_.size());
  std::copy(x.begin(), x.end(), re.begin());
  fft_.forward(re, im);
  for (std::size_t k = 0; k < re.size(); ++k) {
    const double a = re[k], b = im[k];
    re[k] = a * re_[k] - b * im_[k];
    im[k] = a * im_[k] + b * re_[k];
  }
  fft_.inverse(re, im);
  std::copy_n(re.begin(), x.size(), x.begin());
}

}  // namespace detail

double least_factorisation_error(std::int64_t horizon) {
  ASSAY_CHECK(horizon >= 1, "at least one entry");
  const auto n = static_cast<std::size_t>(horizon);
  double sum = 0.0;
  for (std::size_t j = n; j >= 1; --j) sum += 0.5 / detail::unit_root(2 * j - 1, 8 * n + 4).sine;
  const double mean = sum / static_cast<double>(n);
  return mean * mean;  // (7)
}

namespace idealized {
namespace {

using assay::detail::Enclosure;

// The coefficients in use, and (3) with (5) for D = 1, from above.
struct Factor {
  std::vector<double> coefficients;
  double squared_norm = 0.0;
  double norm_upper = 0.0;
};

Factor square_root_factor(std::int64_t horizon) {
  Factor out;
  out.coefficients.reserve(static_cast<std::size_t>(horizon));
  Enclosure f = 1.0, sum = 0.0, squares = 0.0;
  double widest = 0.0;  // relative
  for (std::int64_t k = 0; k < horizon; ++k) {
    if (k > 0) f = f * static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);  // (1)
    const double used = 0.5 * (f.low + f.high);
    out.coefficients.push_back(used);
    out.squared_norm += used * used;
    widest = std::max(widest, ((Enclosure(f.high) - f.low) / f.low).high);
    sum = sum + f;
    squares = squares + f * f;
  }
  const Enclosure spread = Enclosure(2.0) * widest * sum;
  out.norm_upper = (sqrt(squares) / (Enclosure(1.0) - spread)).high;  // (5)
  return out;
}

// The coefficients of (1 - z)^(1/2), whose Toeplitz matrix is the inverse of L.
std::vector<double> inverse_coefficients(std::size_t size) {
  std::vector<double> g(size);
  double value = 1.0;
  for (std::size_t k = 0; k < size; ++k) {
    if (k > 0) value *= (2.0 * static_cast<double>(k) - 3.0) / (2.0 * static_cast<double>(k));
    g[k] = value;
  }
  return g;
}

}  // namespace

Result<SquareRootCounterMechanism> SquareRootCounterMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  auto factor = square_root_factor(config.horizon);
  const double scale = (Enclosure(config.sensitivity) * factor.norm_upper / config.mu).high;  // (3)
  const auto noise = ASSAY_TRY(Gaussian::create(0.0, scale));
  assay::detail::ToeplitzProduct product(factor.coefficients);
  return SquareRootCounterMechanism(
      config, std::make_shared<const SquareRootFactor>(SquareRootFactor{
                  noise, factor.squared_norm, std::move(factor.coefficients), std::move(product)}));
}

Status SquareRootCounterMechanism::check_input(const Input& input) const {
  return assay::detail::check_stream(input, CounterNoise::kIdealizedGaussian, config_.lowest,
                                     config_.sensitivity, config_.horizon);
}

template <RandomSource R>
void SquareRootCounterMechanism::release_many(const Input& input, R& random,
                                              std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "entries within their range, at most T of them");
  ASSAY_CHECK(out.size() % input.size() == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    factor_->draw(random, out.subspan(first, input.size()));
    double sum = 0.0;
    for (std::size_t i = 0; i < input.size(); ++i) {
      sum += input[i];
      out[first + i] += sum;  // (2)
    }
  }
}

double SquareRootCounterMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one estimate per entry");
  std::vector<double> z(output);
  double prefix = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= prefix += input[i];
  assay::detail::ToeplitzProduct(inverse_coefficients(z.size())).apply(z);
  double sum = 0.0;
  for (const double x : z) sum += factor_->noise.log_density(x);
  return sum;
}

double SquareRootCounterMechanism::variance(std::int64_t t) const {
  ASSAY_CHECK(t >= 1 && t <= config_.horizon, "a time of the stream");
  double sum = 0.0;
  for (std::int64_t k = 0; k < t; ++k) {
    const double f = factor_->coefficients[static_cast<std::size_t>(k)];
    sum += f * f;
  }
  return factor_->noise.scale() * factor_->noise.scale() * sum;  // (4)
}

double SquareRootCounterMechanism::error_bound(double beta) const {
  ASSAY_CHECK(beta > 0.0 && beta <= 1.0, "beta is a probability");
  const double most = 2.0 * static_cast<double>(config_.horizon) / beta;
  return factor_->noise.scale() *
         std::sqrt(2.0 * factor_->squared_norm * portable_log(most));  // (6)
}

Guarantee SquareRootCounterMechanism::guarantee() const {
  return {GaussianDp{Mu{config_.mu}},
          config_.sensitivity == 1.0 ? Relation::kOneAnswer : Relation::kReplaceOneRecord,
          View::kOutput, "Henzinger, Upadhyay, Upadhyay (SODA 2023); Denisov et al. (2022)"};
}

ASSAY_MANY_FROM_BOTH_STREAMS(SquareRootCounterMechanism, double);

}  // namespace idealized
}  // namespace assay

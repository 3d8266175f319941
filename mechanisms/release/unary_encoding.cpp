#include "assay/mechanisms/release/unary_encoding.hpp"

#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

detail::ResponseBits bits_of(const UnaryEncodingConfig& config) {
  const bool optimized = config.bits == UnaryBits::kOptimized;
  const double inverse = portable_exp(optimized ? -config.epsilon : -0.5 * config.epsilon);
  const double q = 0x1p-64 * std::ceil(0x1p64 * (inverse / (1.0 + inverse)));
  double p = optimized ? 0.5 : 1.0 - q;  // (2)
  if (1.0 - p < q) p = std::nextafter(p, 0.0);
  return {config.values, p, q};
}

}  // namespace

UnaryEncoding::UnaryEncoding(const Config& config) : Configured(config), bits_(bits_of(config)) {}

Result<UnaryEncoding> UnaryEncoding::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return UnaryEncoding(config);
}

template <RandomSource R>
UnaryEncoding::Output UnaryEncoding::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "a value in 0..k - 1");
  return bits_.release(Output{1} << input, random);  // (1)
}

template <RandomSource R>
void UnaryEncoding::release_many(const Input& input, R& random, std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "a value in 0..k - 1");
  bits_.release_many(Output{1} << input, random, out);
}

std::vector<UnaryEncoding::Output> UnaryEncoding::outputs(const Input&) const {
  return bits_.outputs();
}

std::vector<double> UnaryEncoding::log_pmf(const Input& input) const {
  return bits_.log_pmf(Output{1} << input);
}

double UnaryEncoding::log_probability(const Output& output, const Input& input) const {
  return bits_.log_probability(output, Output{1} << input);
}

Guarantee UnaryEncoding::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Wang, Blocki, Li, Jha (USENIX Security 2017), unary encoding"};
}

ASSAY_BOTH_STREAMS(UnaryEncoding, double);

}  // namespace assay

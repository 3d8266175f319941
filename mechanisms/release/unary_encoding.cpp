#include "assay/mechanisms/release/unary_encoding.hpp"

#include <bit>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {

UnaryEncoding::UnaryEncoding(const Config& config) : config_(config) {
  const bool optimized = config.bits == UnaryBits::kOptimized;
  const double inverse = portable_exp(optimized ? -config.epsilon : -0.5 * config.epsilon);
  another_ = static_cast<std::uint64_t>(std::ceil(0x1p64 * (inverse / (1.0 + inverse))));
  own_ = optimized ? std::uint64_t{1} << 63 : 0 - another_;  // (2)
}

Result<UnaryEncoding> UnaryEncoding::create(const Config& config) {
  return detail::create_valid<UnaryEncoding>(
      config, [&]() -> Result<UnaryEncoding> { return UnaryEncoding(config); });
}

template <RandomSource R>
UnaryEncoding::Output UnaryEncoding::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "a value in 0..k - 1");
  Output out = 0;
  for (std::int64_t j = 0; j < config_.values; ++j) {
    out |= std::uint64_t{random.next() < (j == input ? own_ : another_)} << j;  // (1)
  }
  return out;
}

template <RandomSource R>
void UnaryEncoding::release_many(const Input& input, R& random, std::span<double> out) const {
  const auto bits = static_cast<std::size_t>(config_.values);
  ASSAY_CHECK(out.size() % bits == 0, "whole releases");
  for (std::size_t i = 0; i < out.size(); i += bits) {
    const Output report = release(input, random);
    for (std::size_t j = 0; j < bits; ++j) out[i + j] = static_cast<double>(report >> j & 1);
  }
}

std::vector<UnaryEncoding::Output> UnaryEncoding::outputs(const Input&) const {
  ASSAY_CHECK(config_.values <= 20, "at most 2^20 outputs");
  std::vector<Output> out(std::size_t{1} << config_.values);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::vector<double> UnaryEncoding::log_pmf(const Input& input) const {
  std::vector<double> out;
  for (const Output output : outputs(input)) out.push_back(log_probability(output, input));
  return out;
}

double UnaryEncoding::log_probability(const Output& output, const Input& input) const {
  const auto of_bit = [](double chance, bool is_set) {
    return is_set ? portable_log(chance) : portable_log1p(-chance);
  };
  const Output own = Output{1} << input;
  const auto others = static_cast<int>(config_.values - 1);
  const int set = std::popcount(output & ~own);
  return of_bit(p(), (output & own) != 0) + set * of_bit(q(), true) +
         (others - set) * of_bit(q(), false);
}

Guarantee UnaryEncoding::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Wang, Blocki, Li, Jha (USENIX Security 2017), unary encoding"};
}

ASSAY_BOTH_STREAMS(UnaryEncoding, double);

}  // namespace assay

#include "assay/mechanisms/release/truncated_geometric.hpp"

#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

std::uint64_t power(std::uint64_t base, std::int64_t exponent) {
  std::uint64_t out = 1;
  for (; exponent > 0; --exponent) out *= base;
  return out;
}

}  // namespace

Status TruncatedGeometricConfig::check() const {
  // (2^k + 1)^(n-1) (2^(k+1) + 1) < 2^(n k + n + 1).
  const double size = std::ldexp(1.0, static_cast<int>(bits));
  const double log2_d =
      (static_cast<double>(records - 1) * portable_log1p(size) + portable_log1p(2.0 * size)) /
      0.69314718055994530942;
  if (log2_d < 62.9) return {};
  return fail(ErrorCode::kLimit,
              "records " + std::to_string(records) + " and bits " + std::to_string(bits) +
                  " need integers beyond 2^63; lower one of them",
              "/records");
}

TruncatedGeometric::TruncatedGeometric(const Config& config) : Configured(config) {
  const std::int64_t n = config.records;
  const std::int64_t k = config.bits;
  const std::uint64_t base = (std::uint64_t{1} << k) + 1;
  const auto shift = [k](std::int64_t times) { return std::uint64_t{1} << (k * times); };
  total_ = ((std::uint64_t{2} << k) + 1) * power(base, n - 1);  // (1)
  for (std::int64_t c = 0; c <= n; ++c) {
    std::vector<std::uint64_t> f;
    for (std::int64_t z = 0; z < c; ++z) f.push_back(shift(c - z) * power(base, n - (c - z)));
    for (std::int64_t z = c; z < n; ++z) {
      f.push_back(total_ - shift(z - c + 1) * power(base, n - 1 - (z - c)));  // (2)
    }
    f.push_back(total_);
    cumulative_.push_back(std::move(f));
  }
}

Result<TruncatedGeometric> TruncatedGeometric::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return TruncatedGeometric(config);
}

template <RandomSource R>
TruncatedGeometric::Output TruncatedGeometric::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "a count in 0..n");
  const std::uint64_t u = uniform_below(random, total_);  // U - 1
  const auto& f = cumulative_[static_cast<std::size_t>(input)];
  std::size_t z = 0;
  while (f[z] <= u) ++z;
  return static_cast<Output>(z);  // (3)
}

std::vector<TruncatedGeometric::Output> TruncatedGeometric::outputs(const Input&) const {
  std::vector<Output> out;
  for (std::int64_t z = 0; z <= config_.records; ++z) out.push_back(z);
  return out;
}

std::vector<std::uint64_t> TruncatedGeometric::weights(const Input& input) const {
  ASSAY_CHECK(check_input(input).has_value(), "a count in 0..n");
  auto out = cumulative_[static_cast<std::size_t>(input)];
  for (std::size_t z = out.size(); z-- > 1;) out[z] -= out[z - 1];
  return out;
}

std::vector<double> TruncatedGeometric::log_pmf(const Input& input) const {
  std::vector<double> out;
  const double log_total = portable_log(static_cast<double>(total_));
  for (const std::uint64_t w : weights(input)) {
    out.push_back(portable_log(static_cast<double>(w)) - log_total);
  }
  return out;
}

Guarantee TruncatedGeometric::guarantee() const {
  const double level = portable_log1p(std::ldexp(1.0, -static_cast<int>(config_.bits)));
  return {PureDp{Epsilon{level}}, Relation::kReplaceOneRecord, View::kOutput,
          "Balcer, Vadhan (ITCS 2018), theorem 4.7"};
}

ASSAY_ONE_FROM_BOTH_STREAMS(TruncatedGeometric);

}  // namespace assay

#include "assay/mechanisms/release/randomized_response.hpp"

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {

RandomizedResponse::RandomizedResponse(const Config& config) : Configured(config) {
  const double others = static_cast<double>(config.values - 1) * portable_exp(-config.epsilon);
  log_truth_ = -portable_log1p(others);
  log_another_ = -config.epsilon + log_truth_;
  lie_ = others / (1.0 + others);
}

Result<RandomizedResponse> RandomizedResponse::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return RandomizedResponse(config);
}

template <RandomSource R>
RandomizedResponse::Output RandomizedResponse::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "a value in 0..k - 1");
  if (random.next() >= static_cast<std::uint64_t>(lie_ * 0x1p64)) return input;
  const auto others = static_cast<std::uint64_t>(config_.values - 1);
  const auto other = static_cast<std::int64_t>(uniform_below(random, others));
  return other < input ? other : other + 1;  // (1)
}

std::vector<RandomizedResponse::Output> RandomizedResponse::outputs(const Input&) const {
  std::vector<Output> out;
  for (std::int64_t v = 0; v < config_.values; ++v) out.push_back(v);
  return out;
}

std::vector<double> RandomizedResponse::log_pmf(const Input& input) const {
  std::vector<double> out(static_cast<std::size_t>(config_.values), log_another_);
  out[static_cast<std::size_t>(input)] = log_truth_;
  return out;
}

Guarantee RandomizedResponse::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, Relation::kReplaceOneRecord, View::kOutput,
          "Kairouz, Oh, Viswanath (JMLR, 2016)"};
}

ASSAY_ONE_FROM_BOTH_STREAMS(RandomizedResponse);

}  // namespace assay

#include "assay/policies/environments/truncated_exponential_arms.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace {

constexpr double kLowestRate = 1e-6;
constexpr double kHighestRate = 700.0;  // e^-rate is still a normal double

}  // namespace

double truncated_exponential_mean(double rate) {
  if (rate > 0.5) return 1.0 / rate - 1.0 / portable_expm1(rate);  // (2)
  // (2) would cancel here. Its series is 1/2 - sum B_2k rate^(2k - 1)/(2k)! with Bernoulli numbers
  // B_2k; the first omitted term is below 2e-16.
  constexpr double kTerms[] = {1.0 / 12.0,         -1.0 / 720.0,     1.0 / 30240.0,
                               -1.0 / 1209600.0,   1.0 / 47900160.0, -691.0 / 1307674368000.0,
                               1.0 / 74724249600.0};
  double sum = 0.0;
  const double square = rate * rate;
  for (int k = 6; k >= 0; --k) sum = sum * square + kTerms[k];
  return 0.5 - rate * sum;
}

Result<TruncatedExponentialArms> TruncatedExponentialArms::create(std::vector<double> rates) {
  if (rates.empty()) {
    return fail(ErrorCode::kInvalidArgument, "rates needs at least one arm", "/rates");
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!(rates[i] >= kLowestRate && rates[i] <= kHighestRate)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the rate of an arm must be " + number_text(kLowestRate) + " to " +
                      number_text(kHighestRate) + ", not " + number_text(rates[i]),
                  "/rates/" + std::to_string(i));
    }
  }
  return TruncatedExponentialArms(std::move(rates));
}

TruncatedExponentialArms::TruncatedExponentialArms(std::vector<double> rates)
    : rates_(std::move(rates)) {
  for (const double rate : rates_) means_.push_back(truncated_exponential_mean(rate));
}

double TruncatedExponentialArms::feedback(std::int64_t, int action, ReplayStream& random) const {
  const auto arm = static_cast<std::size_t>(action);
  ASSAY_CHECK(arm < rates_.size(), "the action must be one of the arms");
  const double rate = rates_[arm];
  const double x = -portable_log1p(random.uniform() * portable_expm1(-rate)) / rate;  // (1)
  return std::clamp(x, 0.0, 1.0);  // rounding may exceed 1
}

}  // namespace assay

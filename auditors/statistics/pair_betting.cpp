#include "assay/auditors/statistics/pair_betting.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace {

constexpr double kLargestStake = 0.95;
constexpr double kOvershoot = 0.02;  // of the option's payoff
constexpr double kRoundingMargin = 1e-9;
constexpr double kPriorCount = 10.0;

tl::unexpected<Error> refuse(const char* message, const char* path) {
  return fail(ErrorCode::kInvalidArgument, message, path);
}

Status check_level(Epsilon epsilon, Delta delta) {
  if (!(epsilon.value >= 0.0 && epsilon.value <= 700.0)) {
    return refuse("epsilon must lie in [0, 700]", "/epsilon");
  }
  if (!(delta.value >= 0.0 && delta.value <= 1.0)) {
    return refuse("delta must lie in [0, 1]", "/delta");
  }
  return {};
}

}  // namespace

Result<PairBettingTest> PairBettingTest::create(Epsilon epsilon, Delta delta,
                                                const PairBettingPlan& plan) {
  ASSAY_TRY(check_level(epsilon, delta));
  if (!(plan.alpha > 0.0 && plan.alpha < 1.0)) {
    return refuse("alpha must lie in (0, 1)", "/alpha");
  }
  if (plan.horizon < 1) return refuse("horizon must be at least 1", "/horizon");
  return PairBettingTest(epsilon, delta, plan);
}

PairBettingTest::PairBettingTest(Epsilon epsilon, Delta delta, const PairBettingPlan& plan)
    : slope_(portable_exp(epsilon.value)),
      delta_(delta.value),
      alpha_(plan.alpha),
      cap_(1.0 / (slope_ + delta_)),
      horizon_(plan.horizon) {
  const double q = 0.5 / (1.0 + slope_);  // a guess, worth kPriorCount pairs
  const double p = std::min(1.0, slope_ * q + delta_);
  const double of_q = slope_ * slope_ * q * (1.0 - q), of_p = p * (1.0 - p);
  count_ = kPriorCount;
  square_sum_ = count_ * (of_p + of_q);
  cube_sum_ = count_ * (of_p * (1.0 - 2.0 * p) - of_q * slope_ * (1.0 - 2.0 * q));
}

// (2): jumps of size J = |third moment/second moment|, down if the third moment is negative.
double PairBettingTest::bet() const {
  constexpr double kLeastJump = 1e-6;
  if (time_ >= horizon_ || !(wealth_ > 0.0)) return 0.0;
  const double price = alpha_ * wealth_ / (1.0 + kOvershoot);
  const double second = square_sum_ / count_, third = cube_sum_ / count_;
  const double jump = std::max(std::abs(third) / second, kLeastJump);
  const auto side = third < 0.0 ? detail::BetSide::kBelow : detail::BetSide::kAbove;
  const double lambda =
      detail::bet_fraction(side, price, second / jump, jump, static_cast<double>(horizon_ - time_));
  return std::clamp(lambda, 0.0, kLargestStake * cap_);
}

void PairBettingTest::observe(double f_of_p, double f_of_q) {
  ASSAY_CHECK(f_of_p >= 0.0 && f_of_p <= 1.0, "a witness lies in [0, 1]");
  ASSAY_CHECK(f_of_q >= 0.0 && f_of_q <= 1.0, "a witness lies in [0, 1]");
  const double z = f_of_p - slope_ * f_of_q - delta_;
  if (!certified_) {                            // betting ends once certified
    wealth_ *= std::max(0.0, 1.0 + bet() * z);  // (1)
    certified_ = alpha_ * wealth_ >= 1.0 + kRoundingMargin;
  }
  count_ += 1.0;
  square_sum_ += z * z;
  cube_sum_ += z * z * z;
  ++time_;
}

}  // namespace assay

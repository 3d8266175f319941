#include "assay/policies/sparse/lasso_bandit.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/sparse/greedy_episodes.hpp"

namespace assay {

Status LassoBanditConfig::check() const {
  const auto d = static_cast<double>(dimension);
  if ((static_cast<double>(horizon) + d) * d <= kMostKeptNumbers) return {};
  return fail(ErrorCode::kLimit,
              "horizon " + std::to_string(horizon) + " and dimension " + std::to_string(dimension) +
                  " make records and products of more than " + number_text(kMostKeptNumbers) +
                  " numbers, the most that the policy may keep",
              "/horizon");
}

double lasso_penalty(const LassoBanditConfig& config, std::int64_t round) {
  const auto t = static_cast<double>(round);
  const double logs =
      4.0 * portable_log(t) + 2.0 * portable_log(static_cast<double>(config.dimension));
  // This is above 0 also at t = d = 1.
  return 2.0 * config.lambda_0 * std::sqrt(std::max(logs, 1e-12) / t);  // (2)
}

Result<LassoBandit> LassoBandit::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return LassoBandit(config);
}

LassoBandit::LassoBandit(const Config& config)
    : PolicyOf(config),
      lasso_(config.dimension),
      chosen_(static_cast<std::size_t>(config.dimension)) {}

int LassoBandit::choose(const ContextSet& contexts, ReplayStream&) {
  ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
  ASSAY_CHECK(contexts.arms == config_.arms && contexts.dimension == config_.dimension,
              "contexts of all arms and dimensions");
  const int arm = greedy_arm(contexts, fit_.weights);  // (1)
  const auto context = contexts.of(arm);
  std::copy(context.begin(), context.end(), chosen_.begin());
  return arm;
}

void LassoBandit::observe(double reward) {
  ASSAY_CHECK(round_ < config_.horizon, "observe follows an action, T times");
  lasso_.add(chosen_, reward);
  ++round_;
  if (round_ % config_.refit == 0 && round_ < config_.horizon) {
    fit_ = lasso_.fit(lasso_penalty(config_, round_));
  }
}

Guarantee LassoBandit::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOneUser, View::kOtherActions,
          "the lasso bandit is not private: its actions are a function of the rounds"};
}

}  // namespace assay

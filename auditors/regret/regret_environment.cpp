#include "assay/auditors/regret/regret_environment.hpp"

#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/environments/two_point_losses.hpp"

namespace assay {
namespace {

Result<StochasticLosses> bernoulli_losses(const std::vector<double>& means) {
  std::vector<TwoPointDistribution> distributions;
  for (const double mean : means) {
    if (!(mean >= 0.0 && mean <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the mean loss of an expert must be 0 to 1, not " + number_text(mean));
    }
    distributions.push_back({0.0, 1.0, mean});
  }
  return StochasticLosses(ASSAY_TRY(TwoPointLosses::create(std::move(distributions))));
}

Result<AnyEnvironment> created_environment(const RegretSetting& setting) {
  switch (setting.environment) {
    case RegretEnvironment::kBernoulliArms:
      return AnyEnvironment(ASSAY_TRY(BernoulliArms::create(setting.values)));
    case RegretEnvironment::kUniformArms:
      return AnyEnvironment(ASSAY_TRY(UniformArms::create(setting.values)));
    case RegretEnvironment::kTruncatedExponentialArms:
      return AnyEnvironment(ASSAY_TRY(TruncatedExponentialArms::create(setting.values)));
    case RegretEnvironment::kBernoulliLosses:
      return AnyEnvironment(ASSAY_TRY(bernoulli_losses(setting.values)));
    case RegretEnvironment::kScoredDuels:
      return AnyEnvironment(ASSAY_TRY(detail::ScoredDuels::create(setting.values)));
  }
  return fail(ErrorCode::kInternal, "an environment of no kind");
}

}  // namespace

tl::unexpected<Error> detail::error_of(const std::string& option, Error error) {
  error.message = option + ": " + error.message;
  error.path.clear();
  return tl::make_unexpected(std::move(error));
}

Result<AnyEnvironment> environment_of(const RegretSetting& setting) {
  auto environment = created_environment(setting);
  if (environment) return environment;
  return detail::error_of(values_option(setting.environment), environment.error());
}

}  // namespace assay

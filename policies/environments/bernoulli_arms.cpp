#include "assay/policies/environments/bernoulli_arms.hpp"

#include <string>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

Result<BernoulliArms> BernoulliArms::create(std::vector<double> means) {
  if (means.empty()) {
    return fail(ErrorCode::kInvalidArgument, "means needs at least one arm", "/means");
  }
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (!(means[i] >= 0.0 && means[i] <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the mean of a Bernoulli arm must be 0 to 1, not " + number_text(means[i]),
                  "/means/" + std::to_string(i));
    }
  }
  return BernoulliArms(std::move(means));
}

BernoulliArms::BernoulliArms(std::vector<double> means) : means_(std::move(means)) {
  for (const double p : means_) thresholds_.push_back(static_cast<std::uint64_t>(p * 0x1p63));
}

}  // namespace assay

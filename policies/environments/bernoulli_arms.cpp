#include "assay/policies/environments/bernoulli_arms.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/random/philox_words.hpp"

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

double BernoulliArms::total(int action, std::int64_t count, ReplayStream& random) const {
  const auto arm = static_cast<std::size_t>(action);
  ASSAY_CHECK(arm < thresholds_.size(), "the action must be one of the arms");
  const std::uint64_t threshold = thresholds_[arm];
  std::array<std::uint64_t, 512> numbers;
  std::uint64_t sum = 0;
  while (count > 0) {
    const auto some = std::min(count, static_cast<std::int64_t>(numbers.size()));
    const auto part = std::span(numbers).first(static_cast<std::size_t>(some));
    fill_words(random, part);
    for (const std::uint64_t number : part) sum += ((number >> 1) - threshold) >> 63;
    count -= some;
  }
  return static_cast<double>(sum);
}

}  // namespace assay

#include "assay/policies/best_arm/instances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

constexpr std::int64_t kFigure1Arms = 30;

std::vector<double> linear_means(const ArmFeatures& features, std::span<const double> theta) {
  std::vector<double> means;
  for (std::int64_t i = 0; i < features.arms; ++i) {
    double mean = 0.0;
    for (std::size_t k = 0; k < theta.size(); ++k) mean += features.of(i)[k] * theta[k];
    means.push_back(mean);
  }
  return means;
}

Status check_positive(const char* name, double value) {
  if (value > 0.0 && value <= 1e100) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(name) + " must be above 0 and at most 1e100, not " + number_text(value),
              "/" + std::string(name));
}

}  // namespace

int BestArmInstance::best() const {
  return static_cast<int>(std::min_element(arm_gaps.begin(), arm_gaps.end()) - arm_gaps.begin());
}

std::vector<double> BestArmInstance::gaps() const {
  auto out = arm_gaps;
  std::sort(out.begin(), out.end());
  return out;
}

BestArmInstance figure1_instance(std::uint64_t seed) {
  BestArmInstance out;
  out.features = generated_features(FeatureKind::kLine, kFigure1Arms, 2, seed).value();
  constexpr double kTheta[] = {0.045, 0.5};
  out.means = linear_means(out.features, kTheta);  // (1)
  const double most = *std::max_element(out.means.begin(), out.means.end());
  for (const double mean : out.means) out.arm_gaps.push_back(most - mean);
  return out;
}

Result<BestArmInstance> figure2_instance(double x, double y, double gap) {
  ASSAY_TRY(check_positive("x", x));
  ASSAY_TRY(check_positive("y", y));
  if (!(gap >= 0.0 && gap <= 0.5)) {
    return fail(ErrorCode::kInvalidArgument, "gap must be 0 to 0.5, not " + number_text(gap),
                "/gap");
  }
  return BestArmInstance{{2, 2, {x, 0.0, 0.0, y}}, {0.5 + gap, 0.5}, {0.0, gap}};  // (2)
}

Result<BestArmInstance> lower_bound_instance(std::int64_t arms, std::int64_t j, double first_gap) {
  BestArmInstance out;
  out.features = ASSAY_TRY(generated_features(FeatureKind::kBasis, arms, arms, 0));
  ASSAY_TRY(check_whole("j", j, 0, arms));
  std::vector<double> offsets{first_gap};  // g
  while (static_cast<std::int64_t>(offsets.size()) < arms) {
    offsets.push_back(offsets.back() * static_cast<double>(arms));
  }
  if (!(0.5 - first_gap < 0.5 && offsets.back() <= 0.5)) {
    return fail(
        ErrorCode::kInvalidArgument,
        "first_gap must be at most 1/2 K^-(K - 1), and large enough that 1/2 - first_gap is "
        "below 1/2; it is " +
            number_text(first_gap),
        "/first_gap");
  }
  const auto best = static_cast<std::size_t>(std::max<std::int64_t>(j - 1, 0));
  const double most = j == 0 ? -offsets[0] : offsets[best];  // max mu - 1/2
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const bool raised = j > 0 && i == best;
    out.means.push_back(raised ? 0.5 + offsets[i] : 0.5 - offsets[i]);  // (3)
    out.arm_gaps.push_back(i == best ? 0.0 : most + offsets[i]);
  }
  return out;
}

Hardness hardness(const BestArmInstance& instance, double epsilon) {
  const auto gaps = instance.gaps();
  const std::int64_t d = instance.features.dimension;
  const std::int64_t most = std::min(d * d, instance.features.arms);
  Hardness out;
  for (std::int64_t i = 2; i <= most; ++i) {  // (4)
    const double gap = gaps[static_cast<std::size_t>(i - 1)];
    const double order = static_cast<double>(i);
    out.bai = std::max(out.bai, gap > 0.0 ? order / (gap * gap) : HUGE_VAL);
    out.privacy = std::max(out.privacy, gap > 0.0 ? order / (gap * epsilon) : HUGE_VAL);
  }
  return out;
}

Result<UniformArms> UniformArms::create(std::vector<double> means) {
  if (means.empty()) {
    return fail(ErrorCode::kInvalidArgument, "means needs at least one arm", "/means");
  }
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (means[i] >= 0.0 && means[i] <= 1.0) continue;
    return fail(ErrorCode::kInvalidArgument,
                "the mean of an arm must be 0 to 1, not " + number_text(means[i]),
                "/means/" + std::to_string(i));
  }
  return UniformArms(std::move(means));
}

UniformArms::UniformArms(std::vector<double> means) : means_(std::move(means)) {
  for (const double mean : means_) {
    arms_.push_back(mean <= 0.5 ? Arm{0.0, 2.0 * mean} : Arm{2.0 * mean - 1.0, 2.0 - 2.0 * mean});
  }
}

}  // namespace assay

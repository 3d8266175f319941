#include "assay/policies/external/target.hpp"

#include <fmt/format.h>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

Result<PathShape> path_shape(const InputShape& shape) {
  constexpr std::int64_t kMostNumbers = 4'000'000;
  const bool is_duel = shape.kind == InputKind::kDueling;
  if (shape.kind != InputKind::kBandit && shape.kind != InputKind::kExperts && !is_duel) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("reported probabilities need --kind bandit, experts or dueling, not {}",
                            detail::value_text(shape.kind)));
  }
  if (!OutputLayout(shape).is_plain()) {
    return fail(
        ErrorCode::kInvalidArgument,
        "reported probabilities are those of actions alone: --stops, --numbers and --estimates add to them");
  }
  const PathShape path{shape.horizon, is_duel ? shape.arms * shape.arms : shape.arms};
  if (path.rounds * path.actions <= kMostNumbers) return path;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("a path has {} probabilities: rounds times actions must be at most {}",
                          path.rounds * path.actions, kMostNumbers));
}

Status check_reported(const PathShape& shape, std::int64_t from, std::span<const double> values) {
  const auto count = static_cast<std::size_t>(shape.actions);
  for (std::size_t first = 0; first < values.size(); first += count) {
    const auto row = values.subspan(first, count);
    const std::int64_t round = from + static_cast<std::int64_t>(first / count) + 1;
    double sum = 0.0;
    for (std::size_t action = 0; action < count; ++action) {
      if (!(row[action] >= 0.0 && row[action] <= 1.0)) {
        return fail(
            ErrorCode::kTarget,
            fmt::format("must have in round {} a probability in [0, 1] of action {}, not {}", round,
                        action, number_text(row[action])));
      }
      sum += row[action];
    }
    if (sum >= 1.0 - kSumTolerance && sum <= 1.0 + kSumTolerance) continue;
    return fail(
        ErrorCode::kTarget,
        fmt::format("must have in round {} probabilities that sum to 1 within {:g}, not to {}",
                    round, kSumTolerance, number_text(sum)));
  }
  return {};
}

}  // namespace assay

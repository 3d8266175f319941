#include "assay/policies/external/target.hpp"

#include <cmath>
#include <string>

namespace assay {

Status check_output(const InputShape& shape, std::span<const double> output) {
  const auto width = static_cast<std::int64_t>(output.size());
  const bool actions = shape.kind != InputKind::kMechanism;
  if (width != shape.width()) {
    return fail(ErrorCode::kTarget, "has " + std::to_string(width) +
                                        (actions ? " actions, not " : " numbers, not ") +
                                        std::to_string(shape.width()));
  }
  if (!actions) return {};
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double action = output[i];
    const bool known =
        action >= 0.0 && action < static_cast<double>(shape.arms) && action == std::floor(action);
    if (known) continue;
    return fail(ErrorCode::kTarget,
                "entry " + std::to_string(i + 1) + " must be an action from 0 to " +
                    std::to_string(shape.arms - 1) + ", not " + number_text(action));
  }
  return {};
}

}  // namespace assay

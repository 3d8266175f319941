#include "assay/auditors/bench/groups.hpp"

#include <cmath>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

const std::vector<BenchGroup>& bench_groups() {
  static const std::vector<BenchGroup> all = {detail::additive_group(), detail::selection_group(),
                                              detail::counters_group(), detail::bandits_group(),
                                              detail::experts_group(),  detail::best_arm_group(),
                                              detail::duels_group()};
  return all;
}

namespace detail {

std::uint64_t bench_purpose(const std::string& candidate, std::int64_t size,
                            const std::string& role) {
  return hash_purpose("bench/" + candidate + "/" + std::to_string(size) + "/" + role);
}

double root_up(std::int64_t count) {
  const double root = std::sqrt(static_cast<double>(count));
  return root * root == static_cast<double>(count) && root == std::floor(root)
             ? root
             : std::nextafter(root, HUGE_VAL);
}

Status check_delta(const ApproximateDp& target) {
  if (target.delta.value > 0.0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "Gaussian noise has no pure level: it needs --delta above 0");
}

}  // namespace detail
}  // namespace assay

#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"

#include <algorithm>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noisy_max/internal/noisy_max_sums.hpp"

namespace assay {
namespace {

bool is_fixed(const ScoreGroup& group) { return group.values.size() == 1; }

[[maybe_unused]] bool are_valid(std::span<const ScoreGroup> groups) {
  return !groups.empty() && std::all_of(groups.begin(), groups.end(), [](const ScoreGroup& g) {
    return !g.values.empty() && g.values.size() == g.weights.size() && g.count >= 1.0;
  });
}

std::vector<double> softmax(double scale, std::span<const ScoreGroup> groups) {
  double most = groups[0].values[0];
  for (const ScoreGroup& group : groups) most = std::max(most, group.values[0]);
  LogSum total;
  for (const ScoreGroup& group : groups) {
    total.add(group.count, (group.values[0] - most) / scale);
  }
  std::vector<double> out;
  for (const ScoreGroup& group : groups) {
    out.push_back((group.values[0] - most) / scale - total.log());  // (3)
  }
  return out;
}

// Members with the same distribution are equally likely.
std::vector<double> one_group(const ScoreGroup& group) { return {-portable_log(group.count)}; }

}  // namespace

ScoreGroup ScoreGroup::of_losses(const CountDistribution& losses, double count) {
  ScoreGroup group{{}, {}, count};
  group.values.reserve(losses.weights.size());
  group.weights.reserve(losses.weights.size());
  for (std::size_t k = losses.weights.size(); k-- > 0;) {
    if (losses.weights[k] == 0.0) continue;  // underflowed
    group.values.push_back(-(losses.least + static_cast<double>(k)));
    group.weights.push_back(losses.weights[k]);
  }
  return group;
}

std::vector<double> grouped_noisy_max(const Laplace& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  if (groups.size() == 1) return one_group(groups[0]);
  return detail::noisy_max_by_pieces(true, noise.scale(), groups, control);
}

std::vector<double> grouped_noisy_max(const Exponential& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  if (groups.size() == 1) return one_group(groups[0]);
  return detail::noisy_max_by_pieces(false, noise.scale(), groups, control);
}

std::vector<double> grouped_noisy_max(const Gumbel& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  if (groups.size() == 1) return one_group(groups[0]);
  if (std::all_of(groups.begin(), groups.end(), is_fixed)) return softmax(noise.scale(), groups);
  return detail::noisy_max_by_trapezoids(noise.scale(), groups, control);
}

}  // namespace assay

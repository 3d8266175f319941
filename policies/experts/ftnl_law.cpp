#include "assay/policies/experts/ftnl_law.hpp"

#include <algorithm>
#include <map>

namespace assay {

void FtnlLaw::observe(std::span<const double> losses) {
  ASSAY_CHECK(losses.size() == experts_.size(), "one loss per expert");
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const double loss = losses[j];
    ASSAY_CHECK(loss >= 0.0 && loss <= 1.0, "losses lie in [0, 1]");
    Expert& expert = experts_[j];
    if (!resample_ || loss == 0.0 || loss == 1.0) {
      expert.least += loss;  // (1)
      continue;
    }
    auto& ones = expert.ones;
    ones.push_back(0.0);
    for (std::size_t k = ones.size() - 1; k > 0; --k) {
      ones[k] = ones[k] * (1.0 - loss) + ones[k - 1] * loss;  // (2)
    }
    ones[0] *= 1.0 - loss;
  }
}

ScoreGroup FtnlLaw::group_of(const Expert& expert) {
  ScoreGroup group{{}, {}, 0};
  for (std::size_t k = 0; k < expert.ones.size(); ++k) {
    if (expert.ones[k] == 0.0) continue;  // underflowed
    group.values.push_back(-(expert.least + static_cast<double>(k)));
    group.weights.push_back(expert.ones[k]);
  }
  return group;
}

FtnlLaw::Grouping FtnlLaw::grouped() const {
  std::map<Expert, std::size_t> index;
  Grouping out;
  for (const Expert& expert : experts_) {
    const auto [place, is_new] = index.emplace(expert, out.groups.size());
    if (is_new) out.groups.push_back(group_of(expert));
    ++out.groups[place->second].count;
    out.group_of_expert.push_back(place->second);
  }
  return out;
}

std::vector<double> FtnlLaw::log_probabilities() const {
  const Grouping grouping = grouped();
  const auto by_group = leader_log_probabilities(noise_, grouping.groups);
  std::vector<double> out;
  for (const std::size_t g : grouping.group_of_expert) out.push_back(by_group[g]);
  return out;
}

double FtnlLaw::work() const {
  double terms = 0.0;
  double low = 0.0;
  double high = -1e300;
  for (const ScoreGroup& group : grouped().groups) {
    terms += static_cast<double>(group.values.size());
    low = std::min(low, group.values.back());
    high = std::max(high, group.values.front());
  }
  const double scale = std::visit([](const auto& law) { return law.scale(); }, noise_);
  const double nodes = 32.0 * ((high - low) / scale + 90.0) + 16.0 * terms;
  return 3.0 * nodes * terms;
}

std::vector<double> leader_log_probabilities(const LeaderNoiseLaw& noise,
                                             std::span<const ScoreGroup> groups) {
  return std::visit([&](const auto& law) { return grouped_noisy_max(law, groups); }, noise);
}

}  // namespace assay

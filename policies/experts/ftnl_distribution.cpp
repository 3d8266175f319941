#include "assay/policies/experts/ftnl_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// The score of an expert whose sum is `least` plus the random count `counted`.
ScoreGroup group_of(double least, const WindowedCount* counted, double members) {
  if (counted == nullptr) return ScoreGroup::fixed(-least, members);
  return ScoreGroup::of_losses({least + counted->distribution.least, counted->distribution.weights},
                               members);
}

}  // namespace

void FtnlDistribution::observe(std::span<const double> losses) {
  ASSAY_CHECK(losses.size() == experts_.size(), "one loss per expert");
  for (std::size_t j = 0; j < losses.size(); ++j) {
    const double loss = losses[j];
    ASSAY_CHECK(loss >= 0.0 && loss <= 1.0, "losses lie in [0, 1]");
    if (!resample_ || loss == 0.0 || loss == 1.0) {
      experts_[j].least += loss;  // (1)
    } else {
      experts_[j].open.push_back(loss);  // (2)
    }
  }
}

bool FtnlDistribution::comes_before(const Expert& a, const Expert& b, bool with_least) {
  if (with_least && a.least != b.least) return a.least < b.least;
  if (a.open != b.open) return a.open < b.open;
  if (a.counted == b.counted || !a.counted || !b.counted) return !a.counted && b.counted;
  return a.counted->distribution < b.counted->distribution;
}

void FtnlDistribution::sort_open() {
  for (Expert& expert : experts_) std::sort(expert.open.begin(), expert.open.end());
}

FtnlDistribution::Kinds FtnlDistribution::kinds(bool with_least) const {
  const auto less = [&](std::size_t a, std::size_t b) {
    return comes_before(experts_[a], experts_[b], with_least);
  };
  std::map<std::size_t, std::size_t, decltype(less)> index(less);
  Kinds out;
  for (std::size_t j = 0; j < experts_.size(); ++j) {
    const auto [place, is_new] = index.emplace(j, out.first.size());
    if (is_new) {
      out.first.push_back(j);
      out.count.push_back(0.0);
    }
    out.count[place->second] += 1.0;
    out.of_expert.push_back(place->second);
  }
  return out;
}

std::shared_ptr<const WindowedCount> FtnlDistribution::count_of(const Expert& expert,
                                                                const RunControl& control) const {
  if (expert.open.empty()) return expert.counted;
  WindowedCount open = poisson_binomial(expert.open, window_, control);
  if (expert.counted) open = sum_of(*expert.counted, open, window_, control);
  return std::make_shared<const WindowedCount>(std::move(open));
}

void FtnlDistribution::fold(const RunControl& control) {
  sort_open();
  const Kinds kinds = this->kinds(false);
  std::vector<std::shared_ptr<const WindowedCount>> counted;
  for (const std::size_t j : kinds.first) counted.push_back(count_of(experts_[j], control));
  for (std::size_t j = 0; j < experts_.size(); ++j) {
    experts_[j].open.clear();
    experts_[j].counted = counted[kinds.of_expert[j]];
  }
}

LeaderDistribution FtnlDistribution::distribution(const RunControl& control) const {
  FtnlDistribution folded = *this;
  folded.fold(control);
  if (control.stopped()) return {std::vector<double>(experts_.size(), 0.0)};
  return folded.folded_distribution(control);
}

LeaderDistribution FtnlDistribution::folded_distribution(const RunControl& control) const {
  const Kinds kinds = this->kinds(true);
  LeaderDistribution out;
  std::vector<ScoreGroup> groups;
  double absolute = 0.0;
  for (std::size_t i = 0; i < kinds.first.size(); ++i) {
    const Expert& expert = experts_[kinds.first[i]];
    groups.push_back(group_of(expert.least, expert.counted.get(), kinds.count[i]));
    if (!expert.counted) continue;
    const double members = kinds.count[i];
    out.relative_error +=
        members * (2.0 * expert.counted->relative + 0x1p-52 * expert.counted->rounding);  // (3)
    absolute += members * 2.0 * expert.counted->absolute;
    out.least_log = std::max(out.least_log, kLeastMixedNoisyMaxLog);
  }
  if (absolute > 0.0) out.least_log = std::max(out.least_log, portable_log(absolute) + 37.0);
  const auto by_kind = leader_log_probabilities(noise_, groups, control);
  for (const std::size_t i : kinds.of_expert) out.log_p.push_back(by_kind[i]);
  return out;
}

FtnlDistribution::Extent FtnlDistribution::extent_of(const Expert& expert) const {
  double variance = 0.0;
  double mean = expert.least;
  for (const double loss : expert.open) {
    mean += loss;
    variance += loss * (1.0 - loss);
  }
  const double deviation = std::sqrt(variance);
  const double half = std::min(37.0 * deviation, 10.0 * deviation + window_.rate * variance) + 30.0;
  const double open = std::min(static_cast<double>(expert.open.size()), 2.0 * half);
  Extent extent{mean - 0.5 * open, mean + 0.5 * open};
  if (expert.counted) {
    extent.low += expert.counted->distribution.least;
    extent.high += expert.counted->most();
  }
  return extent;
}

FtnlDistribution::Work FtnlDistribution::work() const {
  FtnlDistribution sorted = *this;
  sorted.sort_open();
  Work work;
  const Kinds kinds = sorted.kinds(true);
  double low = std::numeric_limits<double>::infinity();
  double high = 0.0;
  double widths = 0.0;
  for (const std::size_t j : kinds.first) {
    const Expert& expert = sorted.experts_[j];
    const Extent extent = extent_of(expert);
    const double width = extent.high - extent.low;
    const auto open = static_cast<double>(expert.open.size());
    work.fold += 10.0 * open + 0.025 * width * std::min(width, open);
    widths += width + 1.0;
    low = std::min(low, extent.low);
    high = std::max(high, extent.high);
  }
  const auto groups = static_cast<double>(kinds.first.size());
  const double scales = window_.rate * (high - low) + 60.0;
  if (std::holds_alternative<Gumbel>(noise_)) {
    work.distribution = 4.0 * scales * (3.0 * groups + 0.1 * widths);
  } else {
    const double pieces = resample_ ? std::min(high - low, widths) : widths;
    work.distribution = 16.0 * (scales + pieces) * 3.0 * groups;
  }
  return work;
}

}  // namespace assay

// Sums of terms that no double holds, shared by the integrals of grouped_noisy_max.hpp.
//
// Nodes come in blocks, from above. In a block one group's cdf and density are in units of its own,
// and the product of all cdfs in units of that at the block's first node. So a node costs one
// exponential, however small its contribution. A block spans at most four scales: within them a
// density changes by e^4 at most, and a product that is negligible compared with the first node's adds nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

// One group at one node. With many members the cdf is needed to 1e-16 of its distance from 1,
// which `tail` holds.
struct NoisyMaxNode {
  double cdf = 0.0;      // in units of e^log_cdf
  double tail = 0.0;     // 1 - cdf
  double density = 0.0;  // times the weight of the node, in units of e^log_density
};
struct NoisyMaxUnits {
  double log_cdf = 0.0;
  double log_density = 0.0;
};

inline double log_cdf_of(const NoisyMaxNode& node, const NoisyMaxUnits& units) {
  return node.tail < 0.5 ? portable_log1p(-node.tail) : units.log_cdf + portable_log(node.cdf);
}

class NoisyMaxSums {
 public:
  explicit NoisyMaxSums(std::span<const ScoreGroup> groups)
      : groups_(groups), units_(groups.size()), block_(groups.size()), sums_(groups.size()) {}

  // Begins a block; its units are written next.
  std::span<NoisyMaxUnits> start_block() {
    is_first_ = true;
    std::fill(block_.begin(), block_.end(), 0.0);
    return units_;
  }
  void add(std::span<const NoisyMaxNode> at) {
    below_ = 0.0;
    for (std::size_t g = 0; g < at.size(); ++g) {
      below_ += groups_[g].count * log_cdf_of(at[g], units_[g]);
    }
    if (is_first_) first_ = below_;
    is_first_ = false;
    const double product = below_ == -kNone ? 0.0 : portable_exp(below_ - first_);
    if (product == 0.0) return;
    for (std::size_t g = 0; g < at.size(); ++g) {
      block_[g] += at[g].density / at[g].cdf * product;
    }
  }
  void finish_block() {
    for (std::size_t g = 0; g < block_.size(); ++g) {
      if (block_[g] == 0.0) continue;
      sums_[g].add(block_[g], first_ + units_[g].log_density - units_[g].log_cdf);
    }
  }

  // All scores lie below the last node with the probability of the product there, so that no other
  // node adds more: less than 1e-18 of any probability.
  bool is_done() const {
    constexpr double kLogNegligible = -41.5;
    return std::all_of(sums_.begin(), sums_.end(),
                       [&](const LogSum& sum) { return below_ <= kLogNegligible + sum.log(); });
  }
  void add_everywhere(double weight, double exponent) {
    for (LogSum& sum : sums_) sum.add(weight, exponent);
  }
  std::vector<double> logs() const {
    std::vector<double> out;
    for (const LogSum& sum : sums_) out.push_back(sum.log());
    return out;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  std::span<const ScoreGroup> groups_;
  std::vector<NoisyMaxUnits> units_;
  std::vector<double> block_;
  std::vector<LogSum> sums_;
  bool is_first_ = true;
  double first_ = 0.0;  // log of the product of all cdfs at the block's first node
  double below_ = 0.0;  // and at the last one
};

// The members of all groups.
inline double members_of(std::span<const ScoreGroup> groups) {
  double members = 0.0;
  for (const ScoreGroup& group : groups) members += group.count;
  return members;
}

// (4) and (5) of grouped_noisy_max.hpp: exponential or, two-sided, Laplace noise; Gumbel noise.
std::vector<double> noisy_max_by_pieces(bool two_sided, double scale,
                                        std::span<const ScoreGroup> groups,
                                        const RunControl& control);
std::vector<double> noisy_max_by_trapezoids(double scale, std::span<const ScoreGroup> groups,
                                            const RunControl& control);

}  // namespace assay::detail

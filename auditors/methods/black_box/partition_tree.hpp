// A partition of rows of numbers by single cuts, each the one that separates two samples best.
//
// Leaves are split best first: the split of the largest gain join_loss (adaptive_bins.hpp, (1)) over all
// leaves, features and cuts comes next, until that gain is below `least_gain` or there are kMostLeaves. A
// leaf's ratio is log((a + w s)/(c + w (1 - s))) - log(A/C), s the share of the first sample in
// its parent and w = 30, because few rows say little.
//
// Reference: Breiman, Friedman, Olshen, Stone, "Classification and regression trees" (1984).
// Threads: values. Cost: 3 ns per row, feature and depth to learn, 2 ns per depth to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"

namespace assay {

class PartitionTree {
 public:
  PartitionTree() = default;
  // Row-major features of the two samples, `columns` >= 1 of them. If stopped, the tree grows no further.
  PartitionTree(std::span<const double> first, std::span<const double> second, std::size_t columns,
                double least_gain, const RunControl& control = {});

  double ratio(std::span<const double> row) const;
  std::size_t leaves() const { return leaves_; }

 private:
  struct Node {
    std::size_t feature = 0;
    std::int64_t cut = 0;  // rank; below goes left
    std::size_t left = 0;  // 0 in a leaf
    std::size_t right = 0;
    double ratio = 0.0;
  };
  friend class PartitionGrower;
  std::vector<Node> nodes_;
  std::size_t leaves_ = 0;
};

}  // namespace assay

#include "assay/auditors/methods/black_box/partition_tree.hpp"

#include <algorithm>
#include <array>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Counts = std::array<double, 2>;
constexpr std::size_t kMostLeaves = 64;
constexpr double kParentRows = 30.0;

}  // namespace

// Grows one tree. Stores rows as bins of each feature.
class PartitionGrower {
 public:
  PartitionGrower(std::span<const double> first, std::span<const double> second,
                  std::size_t columns)
      : columns_(columns), firsts_(first.size() / columns) {
    const std::size_t seconds = second.size() / columns;
    order_.resize(firsts_ + seconds);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    bins_.resize(order_.size() * columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto column = [&](std::span<const double> side) {
        std::vector<double> out;
        for (std::size_t i = c; i < side.size(); i += columns) out.push_back(side[i]);
        return out;
      };
      const auto a = column(first);
      const auto b = column(second);
      cuts_.push_back(cuts_of(a, b));
      for (std::size_t i = 0; i < a.size(); ++i) set_bin(i, c, a[i]);
      for (std::size_t i = 0; i < b.size(); ++i) set_bin(firsts_ + i, c, b[i]);
    }
    totals_ = {static_cast<double>(firsts_), static_cast<double>(seconds)};
  }

  void grow(PartitionTree& tree, double least_gain, const RunControl& control) {
    tree.nodes_.assign(1, {});
    std::vector<Leaf> leaves{{0, 0, order_.size(), totals_, {}}};
    find_split(leaves[0]);
    while (leaves.size() < kMostLeaves && !control.stopped()) {
      const auto best = std::max_element(
          leaves.begin(), leaves.end(),
          [](const Leaf& a, const Leaf& b) { return a.split.gain < b.split.gain; });
      if (best->split.gain < least_gain) break;
      const Leaf leaf = *best;
      leaves.erase(best);
      for (const Leaf& child : divide(tree, leaf)) leaves.push_back(child);
    }
    tree.leaves_ = leaves.size();
  }

 private:
  struct Split {
    double gain = 0.0;
    std::size_t feature = 0;
    std::size_t bin = 0;  // bins up to this one go left
  };
  struct Leaf {
    std::size_t node;
    std::size_t from, to;  // of order_
    Counts counts;
    Split split;
  };

  static std::vector<std::int64_t> cuts_of(std::span<const double> a, std::span<const double> b) {
    constexpr std::size_t kThinned = 1u << 15;
    constexpr std::size_t kFewestOutside = 16;
    std::vector<double> some;
    for (const auto& side : {a, b}) {
      const std::size_t step = side.size() / kThinned + 1;
      for (std::size_t i = 0; i < side.size(); i += step) some.push_back(side[i]);
    }
    return quantile_cuts(some, {}, kFewestOutside, 2.0);
  }
  void set_bin(std::size_t row, std::size_t column, double value) {
    bins_[row * columns_ + column] =
        static_cast<std::uint8_t>(std::min<std::size_t>(bin_of(cuts_[column], value), 255));
  }

  void find_split(Leaf& leaf) const {
    std::vector<std::vector<Counts>> counts(columns_);
    for (std::size_t c = 0; c < columns_; ++c) counts[c].assign(cuts_[c].size() + 1, Counts{});
    for (std::size_t i = leaf.from; i < leaf.to; ++i) {
      const std::size_t side = order_[i] < firsts_ ? 0 : 1;
      const std::uint8_t* row = &bins_[order_[i] * columns_];
      for (std::size_t c = 0; c < columns_; ++c) counts[c][row[c]][side] += 1.0;
    }
    for (std::size_t c = 0; c < columns_; ++c) {
      Counts left{};
      for (std::size_t bin = 0; bin + 1 < counts[c].size(); ++bin) {
        for (const std::size_t side : {0u, 1u}) left[side] += counts[c][bin][side];
        const Counts right{leaf.counts[0] - left[0], leaf.counts[1] - left[1]};
        if (left[0] + left[1] < 1.0) continue;
        if (right[0] + right[1] < 1.0) break;
        const double gain = join_loss(left, right);
        if (gain > leaf.split.gain) leaf.split = {gain, c, bin};
      }
    }
  }

  std::array<Leaf, 2> divide(PartitionTree& tree, const Leaf& leaf) {
    const auto [gain, feature, bin] = leaf.split;
    const auto middle = std::stable_partition(
        order_.begin() + static_cast<std::ptrdiff_t>(leaf.from),
        order_.begin() + static_cast<std::ptrdiff_t>(leaf.to),
        [&, f = feature, b = bin](std::uint32_t row) { return bins_[row * columns_ + f] <= b; });
    const auto at = static_cast<std::size_t>(middle - order_.begin());
    std::array<Leaf, 2> children{Leaf{tree.nodes_.size(), leaf.from, at, {}, {}},
                                 Leaf{tree.nodes_.size() + 1, at, leaf.to, {}, {}}};
    for (Leaf& child : children) {
      for (std::size_t i = child.from; i < child.to; ++i) {
        child.counts[order_[i] < firsts_ ? 0 : 1] += 1.0;
      }
      const double share = leaf.counts[0] / (leaf.counts[0] + leaf.counts[1]);
      PartitionTree::Node node;
      node.ratio = portable_log((child.counts[0] + kParentRows * share) * totals_[1] /
                                ((child.counts[1] + kParentRows * (1.0 - share)) * totals_[0]));
      tree.nodes_.push_back(node);
      find_split(child);
    }
    PartitionTree::Node& node = tree.nodes_[leaf.node];
    node.feature = feature;
    node.cut = cuts_[feature][bin];
    node.left = children[0].node;
    node.right = children[1].node;
    return children;
  }

  std::size_t columns_;
  std::size_t firsts_;
  Counts totals_{};
  std::vector<std::vector<std::int64_t>> cuts_;
  std::vector<std::uint8_t> bins_;
  std::vector<std::uint32_t> order_;
};

PartitionTree::PartitionTree(std::span<const double> first, std::span<const double> second,
                             std::size_t columns, double least_gain, const RunControl& control) {
  PartitionGrower(first, second, columns).grow(*this, least_gain, control);
}

double PartitionTree::ratio(std::span<const double> row) const {
  if (nodes_.empty()) return 0.0;
  const Node* node = &nodes_[0];
  while (node->left != 0) {
    node = &nodes_[score_rank(row[node->feature]) < node->cut ? node->left : node->right];
  }
  return node->ratio;
}

}  // namespace assay

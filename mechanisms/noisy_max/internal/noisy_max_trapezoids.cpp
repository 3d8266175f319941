// The distribution of the largest random score under Gumbel noise: (5) of grouped_noisy_max.hpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "assay/mechanisms/noisy_max/internal/noisy_max_sums.hpp"

namespace assay::detail {
namespace {

constexpr double kReach = 45.0;  // scales above the best score, and log K more
constexpr double kDrop = 7.0;    // scales below the worst: F = exp(-e^7) is below every double
constexpr double kPerScale = 4.0;
constexpr std::size_t kBlock = 16;   // nodes
constexpr double kFarAway = 1e-280;  // 1 - H below which h is a sum of e^-z alone

// F, 1 - F and (step/b) b f at some distance above a score, in scales.
struct Entry {
  double cdf;
  double tail;
  double density;
};

Entry entry_at(double z, double step) {
  const double power = portable_exp(-z);
  const double cdf = portable_exp(-power);
  return {cdf, -portable_expm1(-power), cdf > 0.0 ? step * power * cdf : 0.0};
}

struct Range {
  double top = -std::numeric_limits<double>::infinity();
  double bottom = std::numeric_limits<double>::infinity();
  bool is_whole = true;
  std::size_t atoms = 0;
};

Range range_of(std::span<const ScoreGroup> groups) {
  Range range;
  for (const ScoreGroup& group : groups) {
    for (const double value : group.values) {
      range.top = std::max(range.top, value);
      range.bottom = std::min(range.bottom, value);
      range.is_whole = range.is_whole && value == std::floor(value);
    }
    range.atoms += group.values.size();
  }
  return range;
}

// One group: its weights, the places of the entries of its scores in a row, and log of the sum of
// w_k e^((v_k - top)/b), which is enough for a node far above.
struct GroupAtoms {
  std::vector<double> weights;
  std::vector<std::size_t> places;
  double tilt = 0.0;
};

// Nodes x = top + i step, i descending, with F(x - v) for every score v. Whole scores share one
// table, of all differences; others have a row a node.
class Rows {
 public:
  Rows(double scale, std::span<const ScoreGroup> groups) : scale_(scale), range_(range_of(groups)) {
    const double reach = kReach + portable_log(members_of(groups));
    step_ = scale / kPerScale;
    spread_ = range_.top - range_.bottom;
    const double per_unit = scale <= kPerScale ? std::ceil(kPerScale / scale) : 1.0;
    const double entries = (2.0 * spread_ + scale * (reach + kDrop)) * per_unit;
    const double nodes = kPerScale * (spread_ / scale + reach + kDrop);
    is_table_ = range_.is_whole && entries < nodes * static_cast<double>(range_.atoms);
    if (is_table_) {
      per_unit_ = per_unit;
      stride_ = std::max(1.0, std::floor(scale / kPerScale));
      step_ = stride_ / per_unit;
    }
    first_ = std::ceil(scale * reach / step_);
    last_ = -std::ceil((spread_ + scale * kDrop) / step_);
    if (is_table_) fill_table();
    for (const ScoreGroup& group : groups) atoms_.push_back(atoms_of(group));
  }

  double first() const { return first_; }
  double last() const { return last_; }
  const GroupAtoms& atoms(std::size_t g) const { return atoms_[g]; }
  double height(double i) const { return i * step_ / scale_; }  // of the node, over the top score
  double step() const { return step_ / scale_; }

  const Entry* row(double i) {
    if (is_table_) return table_.data() + static_cast<std::size_t>((i - last_) * stride_);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      table_[k] = entry_at(height(i) + (range_.top - values_[k]) / scale_, step());
    }
    return table_.data();
  }

 private:
  void fill_table() {
    const auto entries =
        static_cast<std::size_t>((first_ - last_) * stride_ + spread_ * per_unit_) + 1;
    const double lowest = last_ * stride_;
    for (std::size_t k = 0; k < entries; ++k) {
      const double steps = lowest + static_cast<double>(k);
      table_.push_back(entry_at(steps / per_unit_ / scale_, step()));
    }
  }

  GroupAtoms atoms_of(const ScoreGroup& group) {
    GroupAtoms out;
    LogSum tilt;
    for (std::size_t k = 0; k < group.values.size(); ++k) {
      const double depth = range_.top - group.values[k];
      tilt.add(group.weights[k], -depth / scale_);
      out.weights.push_back(group.weights[k]);
      out.places.push_back(is_table_ ? static_cast<std::size_t>(depth * per_unit_)
                                     : values_.size());
      if (!is_table_) values_.push_back(group.values[k]);
    }
    if (!is_table_) table_.resize(values_.size());
    out.tilt = tilt.log();
    return out;
  }

  double scale_;
  Range range_;
  double spread_ = 0.0;
  double step_ = 0.0;
  double per_unit_ = 1.0;  // entries of the table between whole differences
  double stride_ = 1.0;    // and between nodes
  bool is_table_ = false;
  double first_ = 0.0;
  double last_ = 0.0;
  std::vector<double> values_;
  std::vector<Entry> table_;
  std::vector<GroupAtoms> atoms_;
};

NoisyMaxNode node_of(const GroupAtoms& atoms, const Entry* row) {
  NoisyMaxNode node;
  for (std::size_t k = 0; k < atoms.weights.size(); ++k) {
    const Entry& entry = row[atoms.places[k]];
    node.cdf += atoms.weights[k] * entry.cdf;
    node.tail += atoms.weights[k] * entry.tail;
    node.density += atoms.weights[k] * entry.density;
  }
  return node;
}

}  // namespace

std::vector<double> noisy_max_by_trapezoids(double scale, std::span<const ScoreGroup> groups,
                                            const RunControl& control) {
  Rows rows(scale, groups);
  NoisyMaxSums sums(groups);
  std::vector<NoisyMaxNode> at(groups.size());
  std::vector<bool> is_far(groups.size());
  std::array<double, kBlock> rise{};  // e^(the node's depth below the block's first)
  for (std::size_t k = 0; k < kBlock; ++k) {
    rise[k] = portable_exp(rows.step() * static_cast<double>(k));
  }
  for (double first = rows.first(); first >= rows.last(); first -= double{kBlock}) {
    const auto units = sums.start_block();
    std::fill(units.begin(), units.end(), NoisyMaxUnits{});
    for (std::size_t k = 0; k < kBlock && first - static_cast<double>(k) >= rows.last(); ++k) {
      if (control.stopped()) return sums.logs();
      const double i = first - static_cast<double>(k);
      const Entry* row = rows.row(i);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        at[g] = node_of(rows.atoms(g), row);
        if (k == 0) {
          is_far[g] = at[g].tail < kFarAway;
          if (is_far[g]) units[g].log_density = rows.atoms(g).tilt - rows.height(i);
        }
        if (is_far[g]) at[g].density = rows.step() * rise[k];
      }
      sums.add(at);
    }
    sums.finish_block();
    if (sums.is_done()) break;
  }
  return sums.logs();
}

}  // namespace assay::detail

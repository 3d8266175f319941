#include "assay/auditors/detection/output_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "assay/auditors/detection/adaptive_bins.hpp"
#include "assay/auditors/detection/output_summary.hpp"
#include "assay/auditors/detection/partition_tree.hpp"
#include "assay/auditors/methods/black_box/logistic.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Output = std::span<const double>;
using Scores = std::vector<std::shared_ptr<const OutputScore>>;
using Counts = std::array<double, 2>;  // old, new
using SideValues = std::array<std::vector<double>, 2>;

// Deviance that a step of one function has to explain: a 1% and a 0.1% test of one step.
constexpr double kLeastGain = 6.6;
constexpr double kLeastTreeGain = 10.8;
constexpr std::size_t kMostFeatures = 16;
constexpr std::size_t kWide = 16;  // entries that may be two outputs side by side

// Visits every play with its side.
template <class Visit>
void each_play(const SidePlays& plays, const Visit& visit) {
  for (const std::size_t side : {0u, 1u}) {
    const OutputBatch& batch = side == 0 ? plays.old_side : plays.new_side;
    for (std::int64_t i = 0; i < batch.count; ++i) visit(batch.play(i), side);
  }
}

// Entry i, or entry i less the one before it.
double entry(Output output, std::size_t i, bool differences) {
  return differences && i > 0 ? output[i] - output[i - 1] : output[i];
}

SideValues column(const SidePlays& plays, std::size_t i, bool differences) {
  SideValues values;
  each_play(plays, [&](Output output, std::size_t side) {
    values[side].push_back(entry(output, i, differences));
  });
  return values;
}

class EntryScore final : public OutputScore {
 public:
  EntryScore(std::size_t entry, bool difference) : entry_(entry), difference_(difference) {}
  std::string name() const override {
    const std::string at = std::to_string(entry_ + 1);
    return difference_ ? "entry " + at + " less the one before" : "entry " + at;
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override { return entry(output, entry_, difference_); }

 private:
  std::size_t entry_;
  bool difference_;
};

class BinScore final : public OutputScore {
 public:
  BinScore(std::vector<AdaptiveBins> bins, bool differences)
      : bins_(std::move(bins)), differences_(differences) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (bins_[i].size() > 1) used_.push_back(i);
    }
  }
  std::string name() const override {
    return std::string("bins of ") + (differences_ ? "differences" : "entries");
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    double sum = 0.0;
    for (const std::size_t i : used_) sum += bins_[i].ratio(entry(output, i, differences_));
    return sum;
  }

 private:
  std::vector<AdaptiveBins> bins_;
  std::vector<std::size_t> used_;  // those of more than one bin
  bool differences_;
};

class CommonScore final : public OutputScore {
 public:
  CommonScore(AdaptiveBins bins, bool differences)
      : bins_(std::move(bins)), differences_(differences) {}
  std::string name() const override {
    return std::string("common bins of ") + (differences_ ? "differences" : "entries");
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      sum += bins_.ratio(entry(output, i, differences_));
    }
    return sum;
  }

 private:
  AdaptiveBins bins_;
  bool differences_;
};

class CellsScore final : public OutputScore {
 public:
  // Null where the outputs are too many to count.
  static std::shared_ptr<const OutputScore> learn(const SidePlays& plays) {
    auto score = std::make_shared<CellsScore>();
    std::unordered_map<std::uint64_t, Counts> cells;
    const auto most = static_cast<std::size_t>(plays.old_side.count + plays.new_side.count) / 8;
    each_play(plays, [&](Output output, std::size_t side) {
      if (cells.size() <= most) ++cells[key(output)][side];
    });
    if (cells.size() > most) return nullptr;
    const auto old_runs = static_cast<double>(plays.old_side.count);
    const auto new_runs = static_cast<double>(plays.new_side.count);
    for (const auto& [cell, n] : cells) {
      score->ratios_[cell] =
          portable_log((n[0] + kPrior) * new_runs / ((n[1] + kPrior) * old_runs));
    }
    return score;
  }
  std::string name() const override {
    return "log ratio of whole outputs, " + std::to_string(ratios_.size()) + " different";
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    const auto found = ratios_.find(key(output));
    return found == ratios_.end() ? 0.0 : found->second;
  }

 private:
  static constexpr double kPrior = 5.0;  // runs of either side that every cell starts with
  static std::uint64_t key(Output output) {
    std::uint64_t hash = 1;
    for (const double value : output) {
      hash = (hash ^ bits_of(value)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
  std::unordered_map<std::uint64_t, double> ratios_;
};

// The summary of the entries [first, last), and the sum of `bins` over their numbers.
class StretchFeatures {
 public:
  StretchFeatures(const OutputSummary& summary, std::size_t first, std::size_t last,
                  AdaptiveBins bins)
      : summary_(summary), first_(first), last_(last), bins_(std::move(bins)) {}
  std::size_t size() const { return summary_.size() + (summary_.any_number() ? 1 : 0); }
  void write(Output output, std::span<double> out) const {
    const Output stretch = output.subspan(first_, last_ - first_);
    summary_.write(stretch, first_, out.first(summary_.size()));
    if (!summary_.any_number()) return;
    double sum = 0.0;
    for (std::size_t i = first_; i < last_; ++i) {
      if (summary_.is_number(i) && std::isfinite(output[i])) sum += bins_.ratio(output[i]);
    }
    out[summary_.size()] = sum;
  }
  SideValues rows(const SidePlays& plays, std::int64_t most) const {
    SideValues out;
    std::array<double, kMostFeatures> row{};
    const std::int64_t runs = std::max(plays.old_side.count, plays.new_side.count);
    const std::int64_t step = runs / most + 1;
    for (const std::size_t side : {0u, 1u}) {
      const OutputBatch& batch = side == 0 ? plays.old_side : plays.new_side;
      for (std::int64_t i = 0; i < batch.count; i += step) {
        write(batch.play(i), row);
        out[side].insert(out[side].end(), row.begin(),
                         row.begin() + static_cast<std::ptrdiff_t>(size()));
      }
    }
    return out;
  }

 private:
  OutputSummary summary_;
  std::size_t first_, last_;
  AdaptiveBins bins_;
};

class TreeScore final : public OutputScore {
 public:
  TreeScore(std::vector<StretchFeatures> stretches, const SidePlays& plays)
      : stretches_(std::move(stretches)) {
    for (const auto& stretch : stretches_) {
      const auto rows = stretch.rows(plays, std::int64_t{1} << 40);
      trees_.emplace_back(rows[0], rows[1], stretch.size(), kLeastTreeGain);
    }
  }
  std::string name() const override {
    return trees_.size() > 1 ? "trees of the halves' summaries" : "tree of the summary";
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    std::array<double, kMostFeatures> row{};
    double sum = 0.0;
    for (std::size_t k = 0; k < trees_.size(); ++k) {
      stretches_[k].write(output, row);
      sum += trees_[k].ratio(row);
    }
    return sum;
  }

 private:
  std::vector<StretchFeatures> stretches_;
  std::vector<PartitionTree> trees_;
};

class LogisticScore final : public OutputScore {
 public:
  LogisticScore(const StretchFeatures& features, const SidePlays& plays) : features_(features) {
    constexpr std::int64_t kMostRows = 40'000;
    const auto rows = features_.rows(plays, kMostRows);
    model_ = LogisticModel::fit(rows[0], rows[1], features_.size());
  }
  std::string name() const override { return "logistic on the summary"; }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    std::array<double, kMostFeatures> row{};
    features_.write(output, row);
    return model_.log_odds(row);
  }

 private:
  StretchFeatures features_;
  LogisticModel model_;
};

// Entries or differences by themselves, their bins, and the common bins.
void add_entries(const SidePlays& plays, const OutputSummary& summary, bool differences,
                 Scores& out) {
  constexpr std::size_t kMostEntries = 2;
  const auto width = static_cast<std::size_t>(plays.old_side.width);
  std::vector<AdaptiveBins> bins;
  SideValues all;
  for (std::size_t i = 0; i < width; ++i) {
    auto values = column(plays, i, differences);
    bins.emplace_back(values[0], values[1], kLeastGain);
    for (const std::size_t side : {0u, 1u}) {
      all[side].insert(all[side].end(), values[side].begin(), values[side].end());
    }
  }
  std::vector<std::size_t> order(width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bins[a].gain() > bins[b].gain(); });
  for (std::size_t k = 0; k < std::min(kMostEntries, width); ++k) {
    if (summary.is_number(order[k]) && !(differences && order[k] == 0)) {
      out.push_back(std::make_shared<EntryScore>(order[k], differences));
    }
  }
  if (width > 1) {
    out.push_back(
        std::make_shared<CommonScore>(AdaptiveBins(all[0], all[1], kLeastGain), differences));
  }
  out.push_back(std::make_shared<BinScore>(std::move(bins), differences));
}

// What tells the numbers apart, whichever entry they stand in.
AdaptiveBins number_bins(const SidePlays& plays, const OutputSummary& summary) {
  if (!summary.any_number()) return {};
  SideValues numbers;
  each_play(plays, [&](Output output, std::size_t side) {
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (summary.is_number(i) && std::isfinite(output[i])) numbers[side].push_back(output[i]);
    }
  });
  return AdaptiveBins(numbers[0], numbers[1], kLeastGain);
}

void add_summaries(const SidePlays& plays, const OutputSummary& summary, Scores& out) {
  const auto width = static_cast<std::size_t>(plays.old_side.width);
  const AdaptiveBins bins = number_bins(plays, summary);
  const StretchFeatures whole(summary, 0, width, bins);
  out.push_back(std::make_shared<TreeScore>(std::vector{whole}, plays));
  if (width >= kWide && width % 2 == 0) {
    const StretchFeatures left(summary, 0, width / 2, bins);
    const StretchFeatures right(summary, width / 2, width, bins);
    out.push_back(std::make_shared<TreeScore>(std::vector{left, right}, plays));
  }
  out.push_back(std::make_shared<LogisticScore>(whole, plays));
}

}  // namespace

Scores learn_output_scores(const SidePlays& learn) {
  const OutputSummary summary(learn);
  Scores out;
  add_entries(learn, summary, false, out);
  if (learn.old_side.width > 1) {
    if (summary.any_number() && summary.all_finite()) add_entries(learn, summary, true, out);
    add_summaries(learn, summary, out);
  }
  if (!summary.any_number()) {
    if (auto cells = CellsScore::learn(learn)) out.push_back(std::move(cells));
  }
  return out;
}

}  // namespace assay

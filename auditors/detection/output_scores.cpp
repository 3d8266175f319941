#include "assay/auditors/detection/output_scores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Output = std::span<const double>;
using Counts = std::array<double, 2>;  // old, new

// One value for each output that counts as the same; NaN has one.
std::uint64_t bits_of(double value) {
  if (std::isnan(value)) return 0x7ff8000000000000u;
  return std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

double log_ratio(const Counts& counts, const Counts& totals, double cells) {
  return portable_log((counts[0] + 0.5) * (totals[1] + 0.5 * cells)) -
         portable_log((counts[1] + 0.5) * (totals[0] + 0.5 * cells));
}

// Visits every play with its side.
template <class Visit>
void each_play(const SidePlays& plays, const Visit& visit) {
  for (const int side : {0, 1}) {
    const OutputBatch& batch = side == 0 ? plays.old_side : plays.new_side;
    for (std::int64_t i = 0; i < batch.count; ++i) visit(batch.play(i), side);
  }
}

// Entry i, or entry i less the one before it.
double entry(Output output, std::size_t i, bool differences) {
  return differences && i > 0 ? output[i] - output[i - 1] : output[i];
}

// Numbers cut at quantiles of both sides, with the log ratio of each bin. -inf lies in the first
// bin; NaN has one to itself.
class Bins {
 public:
  Bins() = default;
  Bins(const std::array<std::vector<double>, 2>& values, std::size_t most, double least_per_bin) {
    std::vector<double> all;
    for (const auto& side : values) {
      for (const double v : side) {
        if (!std::isnan(v)) all.push_back(v);
      }
    }
    const std::size_t bins = std::clamp<std::size_t>(
        static_cast<std::size_t>(static_cast<double>(all.size()) / least_per_bin), 1, most);
    std::sort(all.begin(), all.end());
    for (std::size_t k = 1; k < bins; ++k) {
      const double edge = all[k * all.size() / bins];
      if (edge > all.front() && (edges_.empty() || edge > edges_.back())) edges_.push_back(edge);
    }
    std::vector<Counts> counts(edges_.size() + 2, Counts{});
    Counts totals{};
    for (const std::size_t side : {0u, 1u}) {
      for (const double v : values[side]) ++counts[bin_of(v)][side];
      totals[side] = static_cast<double>(values[side].size());
    }
    for (const Counts& c : counts) {
      ratios_.push_back(log_ratio(c, totals, static_cast<double>(counts.size())));
    }
  }
  double ratio(double value) const { return ratios_[bin_of(value)]; }

 private:
  std::size_t bin_of(double value) const {
    if (std::isnan(value)) return edges_.size() + 1;
    return static_cast<std::size_t>(std::upper_bound(edges_.begin(), edges_.end(), value) -
                                    edges_.begin());
  }
  std::vector<double> edges_;
  std::vector<double> ratios_;
};

class EntryScore final : public OutputScore {
 public:
  EntryScore(std::size_t entry, bool difference) : entry_(entry), difference_(difference) {}
  std::string name() const override {
    const std::string at = std::to_string(entry_ + 1);
    return difference_ ? "entry " + at + " less the one before" : "entry " + at;
  }
  EventClass events() const override { return EventClass::kIntervals; }
  double score(Output output) const override { return entry(output, entry_, difference_); }

 private:
  std::size_t entry_;
  bool difference_;
};

class BinScore final : public OutputScore {
 public:
  BinScore(const SidePlays& plays, bool differences) : differences_(differences) {
    const auto width = static_cast<std::size_t>(plays.old_side.width);
    for (std::size_t i = 0; i < width; ++i) {
      std::array<std::vector<double>, 2> values;
      each_play(plays, [&](Output output, int side) {
        values[static_cast<std::size_t>(side)].push_back(entry(output, i, differences_));
      });
      bins_.emplace_back(values, 24, 500.0);
    }
  }
  std::string name() const override {
    return differences_ ? "bins of all differences" : "bins of all entries";
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      sum += bins_[i].ratio(entry(output, i, differences_));
    }
    return sum;
  }

 private:
  bool differences_;
  std::vector<Bins> bins_;
};

class CellsScore final : public OutputScore {
 public:
  // Null where the outputs are too many to count.
  static std::shared_ptr<const OutputScore> learn(const SidePlays& plays) {
    auto score = std::make_shared<CellsScore>();
    std::unordered_map<std::uint64_t, Counts> cells;
    const std::size_t most =
        static_cast<std::size_t>(plays.old_side.count + plays.new_side.count) / 8;
    each_play(plays, [&](Output output, int side) {
      if (cells.size() <= most) ++cells[key(output)][static_cast<std::size_t>(side)];
    });
    if (cells.size() > most) return nullptr;
    const Counts totals{static_cast<double>(plays.old_side.count),
                        static_cast<double>(plays.new_side.count)};
    for (const auto& [cell, counts] : cells) {
      score->ratios_[cell] = log_ratio(counts, totals, static_cast<double>(cells.size()));
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
  static std::uint64_t key(Output output) {
    std::uint64_t hash = 1;
    for (const double value : output) hash = mixed(hash, bits_of(value));
    return hash;
  }
  std::unordered_map<std::uint64_t, double> ratios_;
};

// Which entries are numbers: more than this many finite values among the first thousand outputs.
std::vector<bool> number_entries(const SidePlays& plays) {
  constexpr std::size_t kMostSymbols = 16;
  std::vector<std::set<double>> seen(static_cast<std::size_t>(plays.old_side.width));
  for (const OutputBatch* batch : {&plays.old_side, &plays.new_side}) {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(batch->count, 2000); ++i) {
      const Output output = batch->play(i);
      for (std::size_t j = 0; j < output.size(); ++j) {
        if (std::isfinite(output[j]) && seen[j].size() <= kMostSymbols) seen[j].insert(output[j]);
      }
    }
  }
  std::vector<bool> numbers;
  for (const auto& values : seen) numbers.push_back(values.size() > kMostSymbols);
  return numbers;
}

enum class PatternNumbers { kSmallest, kEach };

// The pattern of the entries [first, last).
class BlockPattern {
 public:
  BlockPattern(const SidePlays& plays, std::vector<bool> numbers, std::size_t first,
               std::size_t last, PatternNumbers kind)
      : numbers_(std::move(numbers)), first_(first), last_(last), kind_(kind) {
    using Values = std::array<std::vector<double>, 2>;
    std::unordered_map<std::uint64_t, Values> smallest;
    std::unordered_map<std::uint64_t, Counts> counts;
    std::vector<Values> each;
    Counts totals{};
    each_play(plays, [&](Output output, int at) {
      const auto side = static_cast<std::size_t>(at);
      double low = kNone;
      std::size_t order = 0;
      const std::uint64_t cell = read(output, [&](double value) {
        low = std::min(low, value);
        if (kind_ == PatternNumbers::kEach) {
          if (order == each.size()) each.emplace_back();
          each[order][side].push_back(value);
        }
        ++order;
      });
      ++counts[cell][side];
      ++totals[side];
      if (kind_ == PatternNumbers::kSmallest && order > 0) smallest[cell][side].push_back(low);
    });
    for (const auto& [cell, count] : counts) {
      Cell& made = cells_[cell];
      made.ratio = log_ratio(count, totals, static_cast<double>(counts.size()));
      if (const auto found = smallest.find(cell); found != smallest.end()) {
        made.smallest = Bins(found->second, 32, 1000.0);
      }
    }
    for (const Values& values : each) each_.emplace_back(values, 32, 1000.0);
  }
  std::size_t size() const { return cells_.size(); }
  double score(Output output) const {
    double low = kNone;
    double sum = 0.0;
    std::size_t order = 0;
    const std::uint64_t key = read(output, [&](double value) {
      low = std::min(low, value);
      if (order < each_.size()) sum += each_[order].ratio(value);
      ++order;
    });
    const auto found = cells_.find(key);
    if (found == cells_.end()) return sum;
    if (found->second.smallest && order > 0) sum += found->second.smallest->ratio(low);
    return sum + found->second.ratio;
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  struct Cell {
    double ratio = 0.0;
    std::optional<Bins> smallest;
  };
  // The cell; calls number(value) for each number.
  template <class Number>
  std::uint64_t read(Output output, const Number& number) const {
    std::uint64_t hash = 1;
    for (std::size_t i = first_; i < last_; ++i) {
      const bool is_number = numbers_[i] && std::isfinite(output[i]);
      if (is_number) number(output[i]);
      hash = mixed(hash, is_number ? 0x55u : bits_of(output[i]));
    }
    return hash;
  }
  std::vector<bool> numbers_;
  std::size_t first_;
  std::size_t last_;
  PatternNumbers kind_;
  std::unordered_map<std::uint64_t, Cell> cells_;
  std::vector<Bins> each_;
};

class PatternScore final : public OutputScore {
 public:
  PatternScore(std::vector<BlockPattern> blocks, PatternNumbers kind)
      : blocks_(std::move(blocks)), kind_(kind) {}
  std::string name() const override {
    return std::string("patterns") +
           (kind_ == PatternNumbers::kSmallest ? " with the smallest number"
                                               : " with each number") +
           (blocks_.size() > 1 ? ", halves apart" : "");
  }
  EventClass events() const override { return EventClass::kHalfLines; }
  double score(Output output) const override {
    double sum = 0.0;
    for (const BlockPattern& block : blocks_) sum += block.score(output);
    return sum;
  }

 private:
  std::vector<BlockPattern> blocks_;
  PatternNumbers kind_;
};

void add_patterns(const SidePlays& plays, const std::vector<bool>& numbers,
                  std::vector<std::shared_ptr<const OutputScore>>& out) {
  const std::size_t width = numbers.size();
  const auto most = static_cast<std::size_t>(plays.old_side.count) / 50;
  for (const std::size_t parts : {1u, 2u}) {
    if (width % parts != 0) continue;
    for (const auto kind : {PatternNumbers::kSmallest, PatternNumbers::kEach}) {
      std::vector<BlockPattern> blocks;
      std::size_t cells = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        blocks.emplace_back(plays, numbers, part * width / parts, (part + 1) * width / parts, kind);
        cells = std::max(cells, blocks.back().size());
      }
      if (cells > most) continue;
      out.push_back(std::make_shared<PatternScore>(std::move(blocks), kind));
    }
  }
}

}  // namespace

std::vector<std::shared_ptr<const OutputScore>> learn_output_scores(const SidePlays& learn) {
  std::vector<std::shared_ptr<const OutputScore>> out;
  const auto width = static_cast<std::size_t>(learn.old_side.width);
  const auto numbers = number_entries(learn);
  const bool any_number = std::find(numbers.begin(), numbers.end(), true) != numbers.end();
  bool finite = true;
  for (const OutputBatch* batch : {&learn.old_side, &learn.new_side}) {
    finite = finite && std::all_of(batch->values.begin(), batch->values.end(),
                                   [](double v) { return std::isfinite(v); });
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (numbers[i]) out.push_back(std::make_shared<EntryScore>(i, false));
    if (numbers[i] && finite && i > 0) out.push_back(std::make_shared<EntryScore>(i, true));
  }
  if (width > 1) {
    out.push_back(std::make_shared<BinScore>(learn, false));
    if (any_number && finite) out.push_back(std::make_shared<BinScore>(learn, true));
  }
  if (!any_number) {
    if (auto cells = CellsScore::learn(learn)) out.push_back(std::move(cells));
  } else if (!finite) {
    add_patterns(learn, numbers, out);
  }
  return out;
}

}  // namespace assay

#include "assay/auditors/methods/output_frequencies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kEntriesCounted = 1 << 22;  // of the outputs that are counted, on each input
constexpr std::int64_t kBlocksKept = 40;           // rounds by themselves; more are put in blocks
constexpr std::size_t kActionsKept = 12;           // actions
constexpr std::int64_t kCellsCounted = 1 << 20;  // rounds times actions that are counted one by one
constexpr std::size_t kNumbersCompared = 48;     // that are compared, from the changed round on,
constexpr std::size_t kLastNumbersCompared = 16;  // and at the end
constexpr std::int64_t kRunsOfNumber = 4096;
constexpr std::size_t kValuesKept = 12;  // that are shown one by one
constexpr double kByChance = 1e-3;

// The sizes of the samples on both inputs. Exact probabilities count as samples of one run, so that (1) ranks them.
struct SampleSizes {
  double base = 1.0;
  double neighbour = 1.0;
  bool is_exact = false;
};

double difference_z(FrequencyPair pair, const SampleSizes& runs) {
  const double both = runs.base + runs.neighbour;
  const double r = (pair.base * runs.base + pair.neighbour * runs.neighbour) / both;
  const double variance = r * (1.0 - r) * both / (runs.base * runs.neighbour);
  return variance > 0.0 ? std::fabs(pair.base - pair.neighbour) / std::sqrt(variance) : 0.0;  // (1)
}

// Keeps the difference of largest z among those that it is shown.
class LargestDifference {
 public:
  explicit LargestDifference(const SampleSizes& runs) : runs_(runs) {}

  template <class Event>
  void see(FrequencyPair pair, const Event& event) {
    ++compared_;
    const double z = difference_z(pair, runs_);
    if (!(z > z_)) return;
    z_ = z;
    difference_ = {event(), pair};
  }
  // Also keeps what another one, of samples of other sizes, has seen.
  void add(const LargestDifference& other) {
    compared_ += other.compared_;
    if (!(other.z_ > z_)) return;
    z_ = other.z_;
    difference_ = other.difference_;
  }
  double z() const { return z_; }

  std::optional<FrequencyDifference> difference() const {
    constexpr double kRoundingError = 1e-9;  // of exact probabilities
    const bool is_clear = runs_.is_exact
                              ? z_ > kRoundingError
                              : z_ * z_ > 2.0 * portable_log(std::max(1.0, compared_) / kByChance);
    return is_clear ? std::optional(difference_) : std::nullopt;
  }

 private:
  SampleSizes runs_;
  double compared_ = 0.0;
  double z_ = 0.0;
  FrequencyDifference difference_;
};

struct RoundBlock {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - first; }
};

// Each round by itself if they are few. Else blocks of 1, 1, 2, 4, ... rounds on both sides of the changed one, near
// which outputs differ most. Those after it are the blocks of OutputFeatures (black_box/features.hpp).
std::vector<RoundBlock> blocks_of_rounds(std::int64_t rounds, std::int64_t changed) {
  std::vector<RoundBlock> blocks;
  if (rounds <= kBlocksKept) {
    for (std::int64_t r = 0; r < rounds; ++r) blocks.push_back({r, r + 1});
    return blocks;
  }
  const auto length = [](std::int64_t k) {
    return std::int64_t{1} << std::max<std::int64_t>(0, k - 1);
  };
  for (std::int64_t k = 0, end = changed; end > 0; end = blocks.back().first, ++k) {
    blocks.push_back({std::max<std::int64_t>(0, end - length(k)), end});
  }
  std::reverse(blocks.begin(), blocks.end());
  blocks.push_back({changed, changed + 1});
  for (std::int64_t k = 0; blocks.back().end < rounds; ++k) {
    blocks.push_back({blocks.back().end, std::min(rounds, blocks.back().end + length(k))});
  }
  return blocks;
}

std::string rounds_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("round {}", first)
                       : fmt::format("rounds {} to {}", first, last);
}

std::string chosen_text(const OutputLayout& layout, std::string_view noun, std::size_t arm,
                        const RoundBlock& block) {
  const std::string rounds = rounds_text(block.first + 1, block.end);
  return layout.actions > 1 ? fmt::format("{} {} is in the duel of {}", noun, arm, rounds)
                            : fmt::format("{} {} is chosen in {}", noun, arm, rounds);
}

// Leaves the rows of the actions that differ most, by their largest z; and that of runs that are over.
void keep_rows(const std::vector<double>& z, bool stops, ActionFrequencies& out) {
  std::vector<std::size_t> rows(z.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return z[a] > z[b]; });
  rows.resize(std::min(rows.size(), kActionsKept));
  std::sort(rows.begin(), rows.end());
  out.left_out = std::ssize(z) - std::ssize(rows);
  for (const std::size_t row : rows) out.rows.push_back(static_cast<std::int64_t>(row));
  if (stops) {
    rows.push_back(z.size());
    out.rows.push_back(kRunOver);
  }
  for (RoundFrequencies& round : out.rounds) {
    if (round.of_row.empty()) continue;
    std::vector<FrequencyPair> kept;
    for (const std::size_t row : rows) kept.push_back(round.of_row[row]);
    round.of_row = std::move(kept);
  }
}

// Counts actions by round, or by block of rounds if there would be too many cells.
class ActionCounts {
 public:
  ActionCounts(const InputShape& shape, std::int64_t changed_row)
      : layout_(shape),
        noun_(shape.traits().entry),
        arms_(static_cast<std::size_t>(layout_.arms)),
        changed_(changed_row),
        blocks_(blocks_of_rounds(layout_.rounds, changed_row)),
        by_round_(layout_.rounds * layout_.arms <= kCellsCounted) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::int64_t r = blocks_[b].first; r < blocks_[b].end; ++r) {
        slot_of_.push_back(by_round_ ? static_cast<std::size_t>(r) : b);
      }
    }
    slots_ = by_round_ ? static_cast<std::size_t>(layout_.rounds) : blocks_.size();
    for (auto& side : counts_) side.assign((slots_ + 1) * width(), 0.0);
  }

  void add(Side side, std::span<const double> output) {
    auto& counts = counts_[static_cast<std::size_t>(side)];
    const auto played = static_cast<std::size_t>(layout_.played(output));
    const auto stride = static_cast<std::size_t>(layout_.stride());
    const auto actions = static_cast<std::size_t>(layout_.actions);
    for (std::size_t r = 0; r < slot_of_.size(); ++r) {
      double* const cells = &counts[slot_of_[r] * width()];
      if (r >= played) {
        cells[arms_] += 1.0;
        continue;
      }
      for (std::size_t a = 0; a < actions; ++a) {
        const double action = output[r * stride + a];
        if (a > 0 && action == output[r * stride]) continue;  // an arm against itself
        cells[static_cast<std::size_t>(action)] += 1.0;
      }
    }
    if (layout_.recommendations > 0) {
      const auto entry = static_cast<std::size_t>(layout_.rounds * layout_.stride());
      counts[slots_ * width() + static_cast<std::size_t>(output[entry])] += 1.0;
    }
  }
  ActionFrequencies frequencies(const SampleSizes& runs, LargestDifference& largest) const {
    ActionFrequencies out;
    std::vector<double> z(arms_, 0.0);
    const auto column = [&](std::size_t first_slot, std::size_t end_slot, const RoundBlock& rounds,
                            bool is_at_end) {
      RoundFrequencies shares{is_at_end ? 0 : rounds.first + 1, is_at_end ? 0 : rounds.end, {}};
      const double each = is_at_end ? 1.0 : static_cast<double>(rounds.size());
      for (std::size_t row = 0; row < width(); ++row) {
        FrequencyPair pair;
        for (std::size_t s = first_slot; s < end_slot; ++s) {
          pair.base += counts_[0][s * width() + row];
          pair.neighbour += counts_[1][s * width() + row];
        }
        pair = {pair.base / (each * runs.base), pair.neighbour / (each * runs.neighbour)};
        if (row < arms_) z[row] = std::max(z[row], difference_z(pair, runs));
        shares.of_row.push_back(pair);
      }
      out.rounds.push_back(std::move(shares));
    };
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const RoundBlock& block = blocks_[b];
      if (is_hidden(block)) {
        out.rounds.push_back({block.first + 1, block.end, {}});
        continue;
      }
      const std::size_t first = slot_of_[static_cast<std::size_t>(block.first)];
      column(first, slot_of_[static_cast<std::size_t>(block.end - 1)] + 1, block, false);
    }
    if (layout_.recommendations > 0) column(slots_, slots_ + 1, {}, true);
    see_differences(runs, largest);
    keep_rows(z, layout_.stops, out);
    return out;
  }

 private:
  std::size_t width() const { return arms_ + 1; }  // of a slot: actions, then runs that are over
  bool is_hidden(const RoundBlock& block) const {
    return layout_.hides_action && block.first == changed_ && block.size() == 1;
  }

  void see_differences(const SampleSizes& runs, LargestDifference& largest) const {
    const auto see = [&](std::size_t slot, std::size_t row, double rounds, const auto& event) {
      const std::size_t cell = slot * width() + row;
      largest.see(
          {counts_[0][cell] / (rounds * runs.base), counts_[1][cell] / (rounds * runs.neighbour)},
          event);
    };
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const auto at = static_cast<std::int64_t>(slot);
      const RoundBlock block = by_round_ ? RoundBlock{at, at + 1} : blocks_[slot];
      if (is_hidden(block)) continue;
      const auto rounds = static_cast<double>(block.size());
      for (std::size_t arm = 0; arm < arms_; ++arm) {
        see(slot, arm, rounds, [&] { return chosen_text(layout_, noun_, arm, block); });
      }
      if (!layout_.stops || block.size() > 1) continue;
      see(slot, arms_, rounds,
          [&] { return fmt::format("the run ends before round {}", block.first + 1); });
    }
    for (std::size_t arm = 0; layout_.recommendations > 0 && arm < arms_; ++arm) {
      see(slots_, arm, 1.0, [&] { return fmt::format("{} {} is recommended", noun_, arm); });
    }
  }

  OutputLayout layout_;
  std::string_view noun_;  // "arm", "expert"
  std::size_t arms_;
  std::int64_t changed_;
  std::vector<RoundBlock> blocks_;
  bool by_round_;
  std::vector<std::size_t> slot_of_;  // of each round
  std::size_t slots_;                 // one more is for the recommendation
  std::array<std::vector<double>, 2> counts_;
};

// ---- numbers ------------------------------------------------------------------------------------

// The numbers that may show the change: the first from the changed round on, and the last.
std::vector<std::size_t> numbers_to_compare(const OutputLayout& layout, std::int64_t changed_row) {
  std::vector<std::size_t> entries = layout.number_entries();
  if (layout.actions > 0) {
    const auto from = static_cast<std::size_t>(changed_row * layout.stride());
    std::erase_if(entries, [&](std::size_t entry) { return entry < from; });
  }
  if (entries.size() > kNumbersCompared + kLastNumbersCompared) {
    entries.erase(entries.begin() + kNumbersCompared,
                  entries.end() - static_cast<std::ptrdiff_t>(kLastNumbersCompared));
  }
  return entries;
}

std::string number_name(const OutputLayout& layout, std::size_t entry) {
  if (layout.actions > 0) return layout.name(static_cast<std::int64_t>(entry));
  return layout.rounds == 1 && layout.estimates == 0 ? "the output"
                                                     : fmt::format("output {}", entry + 1);
}

// Of one number: its values in the runs that did not fail, in increasing order. Ranks order them, NaN last.
struct NumberValues {
  std::vector<double> in_order;
  std::vector<std::int64_t> ranks;
};

NumberValues values_of_number(const OutputBatch& runs, std::size_t entry) {
  NumberValues out;
  const std::int64_t step = runs.count / kRunsOfNumber + 1;
  for (std::int64_t i = 0; i < runs.count; i += step) {
    const auto output = runs.play(i);
    if (!is_failed(output)) out.in_order.push_back(output[entry]);
  }
  std::sort(out.in_order.begin(), out.in_order.end(),
            [](double a, double b) { return score_rank(a) < score_rank(b); });
  for (const double value : out.in_order) out.ranks.push_back(score_rank(value));
  return out;
}

// The two samples of one number.
class NumberSamples {
 public:
  NumberSamples(std::string name, NumberValues base, NumberValues neighbour)
      : name_(std::move(name)), base_(std::move(base)), neighbour_(std::move(neighbour)) {
    std::vector<double> pooled(base_.in_order);
    pooled.insert(pooled.end(), neighbour_.in_order.begin(), neighbour_.in_order.end());
    std::sort(pooled.begin(), pooled.end(),
              [](double a, double b) { return score_rank(a) < score_rank(b); });
    for (const double value : pooled) {
      if (distinct_.empty() || score_rank(distinct_.back()) != score_rank(value)) {
        distinct_.push_back(value);
      }
    }
  }

  void see_differences(LargestDifference& largest) const {
    if (is_discrete()) {
      for (const double value : distinct_) {
        largest.see(share(value, true), [&] { return clause("", value); });
      }
      return;
    }
    for (std::size_t k = 1; k < distinct_.size(); ++k) {
      if (distinct_[k] != distinct_[k]) continue;
      largest.see(share(distinct_[k], false), [&] { return clause("at least ", distinct_[k]); });
    }
  }

  NumberFrequencies frequencies() const {
    NumberFrequencies out{name_};
    if (is_discrete()) {
      out.values = distinct_;
      for (const double value : distinct_) out.of_value.push_back(share(value, true));
    } else {
      out.histogram = pair_histogram(base_.in_order, neighbour_.in_order);
    }
    return out;
  }

 private:
  bool is_discrete() const { return distinct_.size() <= kValuesKept; }
  std::string clause(std::string_view how, double value) const {
    return fmt::format("{} is {}{}", name_, how, rounded(value, 4));
  }
  // Of runs with this value, or with at least this value.
  FrequencyPair share(double value, bool equal) const {
    const std::int64_t rank = score_rank(value);
    const auto of = [&](const NumberValues& values) {
      const auto [first, end] = std::equal_range(values.ranks.begin(), values.ranks.end(), rank);
      const auto hits = equal ? end - first : values.ranks.end() - first;
      return values.ranks.empty()
                 ? 0.0
                 : static_cast<double>(hits) / static_cast<double>(values.ranks.size());
    };
    return {of(base_), of(neighbour_)};
  }

  std::string name_;
  NumberValues base_, neighbour_;
  std::vector<double> distinct_;  // values on either input, increasing
};

SampleSizes sample_sizes(std::int64_t base, std::int64_t neighbour) {
  return {static_cast<double>(base), static_cast<double>(neighbour)};
}

// The number that differs most, whose largest difference joins that of the actions.
std::optional<NumberFrequencies> number_frequencies(const OutputLayout& layout,
                                                    std::int64_t changed_row,
                                                    const OutputBatch& base_runs,
                                                    const OutputBatch& neighbour_runs,
                                                    LargestDifference& largest) {
  std::optional<NumberSamples> best;
  double best_z = -1.0;
  for (const std::size_t entry : numbers_to_compare(layout, changed_row)) {
    NumberValues base = values_of_number(base_runs, entry),
                 neighbour = values_of_number(neighbour_runs, entry);
    if (base.ranks.empty() || neighbour.ranks.empty()) break;  // all of these runs failed
    LargestDifference of_number(sample_sizes(std::ssize(base.ranks), std::ssize(neighbour.ranks)));
    NumberSamples samples(number_name(layout, entry), std::move(base), std::move(neighbour));
    samples.see_differences(of_number);
    largest.add(of_number);
    if (of_number.z() <= best_z) continue;
    best_z = of_number.z();
    best = std::move(samples);
  }
  return best ? std::optional(best->frequencies()) : std::nullopt;
}

}  // namespace

OutputFrequencies output_frequencies(const InputShape& shape, std::int64_t changed_row,
                                     const OutputBatch& base_runs,
                                     const OutputBatch& neighbour_runs) {
  constexpr std::int64_t kFewest = 512;  // runs on each input, however long
  const OutputLayout layout(shape);
  const std::int64_t most =
      std::max(kFewest, kEntriesCounted / std::max<std::int64_t>(1, layout.width()));
  OutputFrequencies out;
  out.base_runs = std::min(base_runs.count, most);
  out.neighbour_runs = std::min(neighbour_runs.count, most);
  const SampleSizes runs = sample_sizes(out.base_runs, out.neighbour_runs);
  std::optional<ActionCounts> actions;
  if (layout.actions > 0) actions.emplace(shape, changed_row);
  const auto count = [&](Side side, const OutputBatch& batch, std::int64_t of) {
    double failed = 0.0;
    for (std::int64_t i = 0; i < of; ++i) {
      const auto output = batch.play(i);
      if (is_failed(output)) {
        failed += 1.0;
      } else if (actions) {
        actions->add(side, output);
      }
    }
    return failed / static_cast<double>(std::max<std::int64_t>(1, of));
  };
  out.failed = {count(Side::kBase, base_runs, out.base_runs),
                count(Side::kNeighbour, neighbour_runs, out.neighbour_runs)};
  LargestDifference largest(runs);
  largest.see(out.failed, [] { return std::string("the run fails"); });
  if (actions) out.actions = actions->frequencies(runs, largest);
  out.number = number_frequencies(layout, changed_row, base_runs, neighbour_runs, largest);
  out.largest = largest.difference();
  return out;
}

OutputFrequencies frequencies_along(const InputShape& shape, std::int64_t first_round,
                                    const std::vector<std::vector<FrequencyPair>>& of_rounds) {
  const OutputLayout layout(shape);
  const SampleSizes exact{.is_exact = true};
  LargestDifference largest(exact);
  OutputFrequencies out;
  ActionFrequencies& actions = out.actions.emplace();
  std::vector<double> z(static_cast<std::size_t>(shape.arms), 0.0);
  for (const auto& of_round : of_rounds) {
    const std::int64_t round = first_round + std::ssize(actions.rounds);
    for (std::size_t arm = 0; arm < z.size(); ++arm) {
      z[arm] = std::max(z[arm], difference_z(of_round[arm], exact));
      largest.see(of_round[arm], [&] {
        return chosen_text(layout, shape.traits().entry, arm, {round - 1, round});
      });
    }
    actions.rounds.push_back({round, round, of_round});
  }
  keep_rows(z, false, actions);
  out.largest = largest.difference();
  return out;
}

}  // namespace assay

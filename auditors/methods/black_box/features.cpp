#include "assay/auditors/methods/black_box/features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostArms = 16;     // with counts for each block; beyond, totals only
constexpr std::int64_t kMostNumbers = 64;  // of a mechanism, or estimates, one by one
constexpr std::int64_t kMostOfRound = 16;  // numbers that a round outputs

}  // namespace

StopPoll poll_of(const RunControl& control, std::int64_t width) {
  constexpr std::int64_t kNumbers = 1 << 18;  // between polls
  return StopPoll(control, static_cast<unsigned>(1 + kNumbers / std::max<std::int64_t>(1, width)));
}

SideRows rows_of(const Features& features, const SideRuns& runs, std::int64_t most,
                 const RunControl& control) {
  SideRows rows;
  StopPoll stop = poll_of(control, runs.base_side.width);
  const std::int64_t most_runs = std::max(runs.base_side.count, runs.neighbour_side.count);
  const std::int64_t step = most_runs / most + 1;
  for (const std::size_t side : {0u, 1u}) {
    const OutputBatch& batch = side == 0 ? runs.base_side : runs.neighbour_side;
    const auto kept = static_cast<std::size_t>((batch.count + step - 1) / step);
    rows[side].resize(kept * features.size());
    for (std::size_t k = 0; k < kept && !stop(); ++k) {
      features.write(batch.play(static_cast<std::int64_t>(k) * step),
                     std::span(rows[side]).subspan(k * features.size(), features.size()));
    }
  }
  return rows;
}

SideRows column_of(const SideRows& rows, std::size_t columns, std::size_t column) {
  SideRows out;
  for (const std::size_t side : {0u, 1u}) {
    for (std::size_t i = column; i < rows[side].size(); i += columns) {
      out[side].push_back(rows[side][i]);
    }
  }
  return out;
}

std::string EntryFeatures::name(std::size_t feature) const {
  const std::string entry = layout_.is_plain() ? "entry " + std::to_string(feature + 1)
                                               : layout_.name(static_cast<std::int64_t>(feature));
  return differences_ ? entry + " less the one before" : entry;
}

void EntryFeatures::write(std::span<const double> output, std::span<double> features) const {
  std::copy(output.begin(), output.end(), features.begin());
  if (!differences_) return;
  for (std::size_t i = output.size() - 1; i > 0; --i) features[i] -= output[i - 1];
}

SummaryFeatures::SummaryFeatures(OutputSummary summary, std::size_t first, std::size_t last,
                                 AdaptiveBins bins)
    : summary_(std::move(summary)), first_(first), last_(last), bins_(std::move(bins)) {}

std::string SummaryFeatures::name(std::size_t feature) const {
  return "number " + std::to_string(feature + 1) + " of the summary";
}

void SummaryFeatures::write(std::span<const double> output, std::span<double> features) const {
  summary_.write(output.subspan(first_, last_ - first_), first_, features.first(summary_.size()));
  if (!summary_.any_number()) return;
  double sum = 0.0;
  for (std::size_t i = first_; i < last_; ++i) {
    if (summary_.is_number(i) && std::isfinite(output[i])) sum += bins_.ratio(output[i]);
  }
  features[summary_.size()] = sum;
}

OutputFeatures::OutputFeatures(const InputShape& shape, std::int64_t changed_row)
    : layout_(shape), actions_(layout_.action_entries()), first_(0) {
  if (layout_.actions == 0) {
    name_numbers();
    return;
  }
  const auto per_row = static_cast<std::size_t>(layout_.actions);
  const auto changed = static_cast<std::size_t>(changed_row);
  // Lengths 1, 1, 2, 4, ... rounds.
  const auto blocks = [](std::size_t first, std::size_t end, std::size_t length) {
    std::vector<Block> out;
    for (std::size_t at = first; at < end;) {
      out.push_back({at, std::min(end, at + length)});
      at += length;
      if (out.size() > 1) length *= 2;
    }
    return out;
  };
  // The action of the changed round is chosen before the policy sees its row. Its numbers may come
  // after it.
  first_ = std::min(actions_.size(), (changed + 1) * per_row);
  blocks_ = blocks(first_, actions_.size(), per_row);
  if (layout_.numbers > 0) told_ = blocks(changed, static_cast<std::size_t>(layout_.rounds), 1);
  name_actions();
  name_told();
}

void OutputFeatures::name_actions() {
  const auto arm_name = [](std::int64_t arm) { return "arm " + std::to_string(arm); };
  const auto per_row = static_cast<std::size_t>(layout_.actions);
  if (layout_.arms <= kMostArms) {
    for (const Block& block : blocks_) {
      const std::string where = layout_.is_plain()
                                    ? " in entries " + std::to_string(block.first + 1) + " to " +
                                          std::to_string(block.last)
                                    : " in rounds " + std::to_string(block.first / per_row + 1) +
                                          " to " + std::to_string((block.last - 1) / per_row + 1);
      for (std::int64_t arm = 0; arm < layout_.arms; ++arm) {
        names_.push_back("pulls of " + arm_name(arm) + where);
      }
    }
  }
  for (std::int64_t arm = 0; arm < layout_.arms; ++arm) {
    names_.push_back("pulls of " + arm_name(arm) + " after the change");
  }
  names_.push_back("first action after the change");
  names_.push_back(layout_.is_plain() || layout_.recommendations == 0 ? "last action"
                                                                      : "recommendation");
  names_.push_back("switches after the change");
}

void OutputFeatures::name_told() {
  for (std::int64_t j = 0; j < std::min(layout_.numbers, kMostOfRound); ++j) {
    const std::string number = "number" + (layout_.numbers > 1 ? " " + std::to_string(j + 1) : "");
    for (const Block& block : told_) {
      const std::string first = std::to_string(block.first + 1);
      names_.push_back(block.last == block.first + 1 ? number + " of round " + first
                                                     : number + " of rounds " + first + " to " +
                                                           std::to_string(block.last) + ", summed");
    }
    names_.push_back(number + " of the last round");
  }
  for (std::int64_t i = 0; i < std::min(layout_.estimates, kMostNumbers); ++i) {
    names_.push_back("estimate " + std::to_string(i + 1));
  }
  if (!layout_.stops) return;
  names_.push_back(layout_.name(layout_.longest()));
  names_.push_back("logarithm of " + names_.back());
}

void OutputFeatures::name_numbers() {
  for (std::int64_t i = 0; i < std::min(layout_.rounds, kMostNumbers); ++i) {
    names_.push_back("output " + std::to_string(i + 1));
  }
  if (layout_.rounds > 1) {
    for (const char* name : {"sum", "smallest output", "largest output", "place of the largest"}) {
      names_.emplace_back(name);
    }
  }
  name_told();
}

// In the order of name_actions().
std::optional<EventRounds> OutputFeatures::rounds(std::size_t feature) const {
  if (layout_.actions == 0) return std::nullopt;
  const auto arms = static_cast<std::size_t>(layout_.arms);
  const auto per_row = static_cast<std::size_t>(layout_.actions);
  const auto of = [&](std::size_t first, std::size_t end, std::optional<std::size_t> arm) {
    const auto last = static_cast<std::int64_t>((end + per_row - 1) / per_row);
    EventRounds rounds{static_cast<std::int64_t>(first / per_row + 1),
                       std::min(last, layout_.rounds)};
    if (arm) rounds.action = static_cast<std::int64_t>(*arm);
    return rounds.first <= rounds.last ? std::optional(rounds) : std::nullopt;
  };
  const std::size_t totals = layout_.arms <= kMostArms ? blocks_.size() * arms : 0;
  if (feature < totals) {
    const Block& block = blocks_[feature / arms];
    return of(block.first, block.last, feature % arms);
  }
  if (feature < totals + arms) return of(first_, actions_.size(), feature - totals);
  if (feature == totals + arms) return of(first_, first_ + 1, std::nullopt);
  return std::nullopt;
}

void OutputFeatures::write(std::span<const double> output, std::span<double> features) const {
  std::fill(features.begin(), features.end(), 0.0);
  layout_.actions > 0 ? write_actions(output, features) : write_numbers(output, features);
  if (!layout_.is_plain()) write_told(output, features);
}

void OutputFeatures::write_numbers(std::span<const double> output,
                                   std::span<double> features) const {
  const auto rounds = static_cast<std::size_t>(layout_.rounds);
  std::size_t at = 0;
  for (; at < rounds && at < static_cast<std::size_t>(kMostNumbers); ++at) {
    features[at] = output[at];
  }
  const auto told = static_cast<std::size_t>(layout_.played(output));
  if (rounds == 1 || told == 0) return;
  double sum = 0.0;
  std::size_t largest = 0;
  std::size_t smallest = 0;
  for (std::size_t i = 0; i < told; ++i) {
    sum += output[i];
    if (output[i] > output[largest]) largest = i;
    if (output[i] < output[smallest]) smallest = i;
  }
  features[at] = sum;
  features[at + 1] = output[smallest];
  features[at + 2] = output[largest];
  features[at + 3] = static_cast<double>(largest);
}

void OutputFeatures::write_actions(std::span<const double> output,
                                   std::span<double> features) const {
  const auto arms = static_cast<std::size_t>(layout_.arms);
  const std::size_t totals = layout_.arms <= kMostArms ? blocks_.size() * arms : 0;
  double switches = 0.0;
  double before = kNoAction;
  std::size_t block = 0;
  for (std::size_t i = first_; i < actions_.size(); ++i) {
    const double action = output[actions_[i]];
    if (action < 0.0) continue;  // of a round that did not take place
    const auto arm = static_cast<std::size_t>(action);
    while (block < blocks_.size() && i >= blocks_[block].last) ++block;
    if (totals > 0) features[block * arms + arm] += 1.0;
    features[totals + arm] += 1.0;
    if (before >= 0.0 && action != before) switches += 1.0;
    before = action;
  }
  const auto played = static_cast<std::size_t>(layout_.played(output) * layout_.actions);
  const std::size_t last = layout_.recommendations > 0 ? actions_.size() : played;
  features[totals + arms] = first_ < actions_.size() ? output[actions_[first_]] : kNoAction;
  features[totals + arms + 1] = last > 0 ? output[actions_[last - 1]] : kNoAction;
  features[totals + arms + 2] = switches;
}

// Writes the features that name_told() names, which come last.
void OutputFeatures::write_told(std::span<const double> output, std::span<double> features) const {
  const std::int64_t of_round = layout_.actions > 0 ? std::min(layout_.numbers, kMostOfRound) : 0;
  const std::int64_t estimates = std::min(layout_.estimates, kMostNumbers);
  const auto blocks = static_cast<std::int64_t>(told_.size());
  std::size_t at = features.size() - static_cast<std::size_t>(of_round * (blocks + 1) + estimates +
                                                              (layout_.stops ? 2 : 0));
  const auto played = static_cast<std::size_t>(layout_.played(output));
  const auto stride = static_cast<std::size_t>(layout_.stride());
  for (std::int64_t j = 0; j < of_round; ++j) {
    const auto place = static_cast<std::size_t>(layout_.actions + j);
    for (const Block& block : told_) {
      double sum = 0.0;
      for (std::size_t r = block.first; r < std::min(block.last, played); ++r) {
        sum += output[r * stride + place];
      }
      features[at++] = sum;
    }
    features[at++] = played > 0 ? output[(played - 1) * stride + place] : 0.0;
  }
  for (std::int64_t i = 0; i < estimates; ++i) {
    const std::int64_t entry = layout_.longest() - layout_.estimates + i;
    features[at++] = output[static_cast<std::size_t>(entry)];
  }
  if (!layout_.stops) return;
  features[at] = static_cast<double>(played);
  features[at + 1] = portable_log(1.0 + static_cast<double>(played));
}

}  // namespace assay

#include "assay/auditors/methods/black_box/features.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {
namespace {

constexpr std::int64_t kMostArms = 16;     // with counts block by block; beyond, totals only
constexpr std::int64_t kMostNumbers = 64;  // of a mechanism, one by one

}  // namespace

StopPoll poll_of(const RunControl& control, std::int64_t width) {
  constexpr std::int64_t kNumbers = 1 << 18;  // between polls
  return StopPoll(control, static_cast<unsigned>(1 + kNumbers / std::max<std::int64_t>(1, width)));
}

SideRows rows_of(const Features& features, const SidePlays& plays, std::int64_t most,
                 const RunControl& control) {
  SideRows rows;
  StopPoll stop = poll_of(control, plays.old_side.width);
  const std::int64_t runs = std::max(plays.old_side.count, plays.new_side.count);
  const std::int64_t step = runs / most + 1;
  for (const std::size_t side : {0u, 1u}) {
    const OutputBatch& batch = side == 0 ? plays.old_side : plays.new_side;
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
  const std::string entry = "entry " + std::to_string(feature + 1);
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
    : shape_(shape), first_(0) {
  if (shape.kind == InputKind::kMechanism) {
    name_numbers();
    return;
  }
  const auto width = static_cast<std::size_t>(shape.width());
  const std::size_t per_row = shape.kind == InputKind::kDueling ? 2 : 1;
  // The action of the changed round itself is chosen before its row is seen.
  first_ = std::min(width, (static_cast<std::size_t>(changed_row) + 1) * per_row);
  // Lengths 1, 1, 2, 4, ... rounds.
  std::size_t length = per_row;
  for (std::size_t at = first_; at < width;) {
    blocks_.push_back({at, std::min(width, at + length)});
    at += length;
    if (blocks_.size() > 1) length *= 2;
  }
  name_actions();
}

void OutputFeatures::name_actions() {
  const auto arm_name = [](std::int64_t arm) { return "arm " + std::to_string(arm + 1); };
  if (shape_.arms <= kMostArms) {
    for (const Block& block : blocks_) {
      const std::string where =
          " in entries " + std::to_string(block.first + 1) + " to " + std::to_string(block.last);
      for (std::int64_t arm = 0; arm < shape_.arms; ++arm) {
        names_.push_back("plays of " + arm_name(arm) + where);
      }
    }
  }
  for (std::int64_t arm = 0; arm < shape_.arms; ++arm) {
    names_.push_back("plays of " + arm_name(arm) + " after the change");
  }
  names_.push_back("first action after the change");
  names_.push_back("last action");
  names_.push_back("switches after the change");
}

void OutputFeatures::name_numbers() {
  for (std::int64_t i = 0; i < std::min(shape_.outputs, kMostNumbers); ++i) {
    names_.push_back("output " + std::to_string(i + 1));
  }
  if (shape_.outputs > 1) {
    for (const char* name : {"sum", "smallest output", "largest output", "place of the largest"}) {
      names_.emplace_back(name);
    }
  }
}

void OutputFeatures::write(std::span<const double> output, std::span<double> features) const {
  std::size_t at = 0;
  if (shape_.kind == InputKind::kMechanism) {
    for (; at < output.size() && at < static_cast<std::size_t>(kMostNumbers); ++at) {
      features[at] = output[at];
    }
    if (output.size() == 1) return;
    double sum = 0.0;
    std::size_t largest = 0;
    std::size_t smallest = 0;
    for (std::size_t i = 0; i < output.size(); ++i) {
      sum += output[i];
      if (output[i] > output[largest]) largest = i;
      if (output[i] < output[smallest]) smallest = i;
    }
    features[at] = sum;
    features[at + 1] = output[smallest];
    features[at + 2] = output[largest];
    features[at + 3] = static_cast<double>(largest);
    return;
  }
  std::fill(features.begin(), features.end(), 0.0);
  const auto arms = static_cast<std::size_t>(shape_.arms);
  const std::size_t totals = shape_.arms <= kMostArms ? blocks_.size() * arms : 0;
  double switches = 0.0;
  std::size_t block = 0;
  for (std::size_t i = first_; i < output.size(); ++i) {
    const auto arm = static_cast<std::size_t>(output[i]);
    while (block < blocks_.size() && i >= blocks_[block].last) ++block;
    if (totals > 0) features[block * arms + arm] += 1.0;
    features[totals + arm] += 1.0;
    if (i > first_ && output[i] != output[i - 1]) switches += 1.0;
  }
  features[totals + arms] = first_ < output.size() ? output[first_] : -1.0;
  features[totals + arms + 1] = output.empty() ? -1.0 : output.back();
  features[totals + arms + 2] = switches;
}

}  // namespace assay

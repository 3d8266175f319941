#include "assay/policies/inputs/output_layout.hpp"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

bool is_whole_below(double value, std::int64_t end) {
  return value >= 0.0 && value < static_cast<double>(end) &&
         value == static_cast<double>(static_cast<std::int64_t>(value));
}

std::string ordinal(std::int64_t at, std::int64_t of, const char* what) {
  return std::string(what) + (of > 1 ? " " + std::to_string(at + 1) : "");
}

// The length that an output must have.
std::string lengths_text(const OutputLayout& layout) {
  std::string text = std::to_string(layout.stride());
  text += layout.stops ? " for each completed round, at most " + std::to_string(layout.rounds)
                       : " for each of " + std::to_string(layout.rounds) + " rounds";
  if (layout.tail() > 0) text += ", and " + std::to_string(layout.tail()) + " at the end";
  return text;
}

tl::unexpected<Error> wrong_length(const OutputLayout& layout, std::size_t length) {
  const auto count = std::to_string(length);
  if (layout.is_plain()) {
    return fail(ErrorCode::kTarget, "has " + count +
                                        (layout.actions > 0 ? " actions, not " : " numbers, not ") +
                                        std::to_string(layout.longest()));
  }
  return fail(ErrorCode::kTarget, "has " + count + " entries, not " + lengths_text(layout));
}

}  // namespace

OutputLayout::OutputLayout(const InputShape& shape)
    : arms(shape.arms),
      rounds(shape.traits().has_rounds() ? shape.horizon : shape.outputs),
      actions(shape.traits().actions),
      numbers(actions == 0 ? 1 : shape.numbers),
      recommendations(shape.traits().recommends ? 1 : 0),
      estimates(shape.estimates),
      stops(shape.stops),
      hides_action(shape.traits().hides_action) {}

bool OutputLayout::is_plain() const {
  return !stops && estimates == 0 && (actions == 0 || numbers == 0);
}

bool OutputLayout::is_action(std::int64_t entry) const {
  const std::int64_t end = rounds * stride();
  return entry < end ? entry % stride() < actions : entry < end + recommendations;
}

bool OutputLayout::is_number(std::int64_t entry) const {
  return entry < longest() && !is_action(entry);
}

std::string OutputLayout::name(std::int64_t entry) const {
  if (entry >= longest()) return actions == 0 ? "numbers reported" : "rounds completed";
  const std::int64_t end = rounds * stride();
  if (entry >= end + recommendations) {
    return "estimate " + std::to_string(entry - end - recommendations + 1);
  }
  if (entry >= end) return "recommendation";
  const std::string round = std::to_string(entry / stride() + 1);
  if (actions == 0) return "number " + round;
  const std::int64_t at = entry % stride();
  return (at < actions ? ordinal(at, actions, "action")
                       : ordinal(at - actions, numbers, "number")) +
         " of round " + round;
}

std::vector<std::size_t> OutputLayout::action_entries() const {
  std::vector<std::size_t> entries;
  for (std::int64_t i = 0; i < longest(); ++i) {
    if (is_action(i)) entries.push_back(static_cast<std::size_t>(i));
  }
  return entries;
}

std::vector<std::size_t> OutputLayout::number_entries() const {
  std::vector<std::size_t> entries;
  for (std::int64_t i = 0; i < longest(); ++i) {
    if (is_number(i)) entries.push_back(static_cast<std::size_t>(i));
  }
  return entries;
}

Status check_output(const InputShape& shape, std::span<const double> output) {
  return check_output(OutputLayout(shape), output);
}

Status check_output(const OutputLayout& layout, std::span<const double> output) {
  if (static_cast<std::int64_t>(output.size()) != layout.width()) {
    return wrong_length(layout, output.size());
  }
  if (layout.stops && !is_whole_below(output.back(), layout.rounds + 1)) {
    return fail(ErrorCode::kTarget,
                "must have as " + layout.name(layout.longest()) + " a whole number from 0 to " +
                    std::to_string(layout.rounds) + ", not " + number_text(output.back()));
  }
  if (layout.actions == 0) return {};
  const bool is_plain = layout.is_plain();
  const std::int64_t unplayed = layout.played(output) * layout.stride();
  const std::int64_t end = layout.rounds * layout.stride();
  for (std::int64_t i = 0; i < layout.longest(); ++i) {
    if (!is_plain && (!layout.is_action(i) || (i >= unplayed && i < end))) continue;
    const double action = output[static_cast<std::size_t>(i)];
    if (is_whole_below(action, layout.arms)) continue;
    const std::string most = std::to_string(layout.arms - 1);
    return fail(ErrorCode::kTarget,
                is_plain ? "entry " + std::to_string(i + 1) + " must be an action from 0 to " +
                               most + ", not " + number_text(action)
                         : "must have as " + layout.name(i) + " an action from 0 to " + most +
                               ", not " + number_text(action));
  }
  return {};
}

Result<std::vector<double>> laid_out(const InputShape& shape, std::span<const double> told) {
  const OutputLayout layout(shape);
  const auto length = static_cast<std::int64_t>(told.size());
  const std::int64_t of_rounds = length - layout.tail();
  const std::int64_t played = of_rounds / layout.stride();
  if (of_rounds < 0 || of_rounds % layout.stride() != 0 || played > layout.rounds ||
      (!layout.stops && played != layout.rounds)) {
    return wrong_length(layout, told.size());
  }
  std::vector<double> output(static_cast<std::size_t>(layout.width()));
  std::copy(told.begin(), told.begin() + of_rounds, output.begin());
  std::copy(told.begin() + of_rounds, told.end(), output.begin() + layout.rounds * layout.stride());
  if (layout.stops) output.back() = static_cast<double>(played);
  blank_unplayed(layout, output);
  ASSAY_TRY(check_output(shape, output));
  return output;
}

std::vector<double> told_of(const InputShape& shape, std::span<const double> output) {
  const OutputLayout layout(shape);
  std::vector<double> told(output.begin(), output.end());
  if (!layout.stops) return told;
  told.pop_back();
  told.erase(told.begin() + layout.played(output) * layout.stride(),
             told.begin() + layout.rounds * layout.stride());
  return told;
}

void blank_unplayed(const OutputLayout& layout, std::span<double> output) {
  if (!layout.stops || !is_whole_below(output.back(), layout.rounds + 1)) return;
  const auto end = static_cast<std::size_t>(layout.rounds * layout.stride());
  const auto stride = static_cast<std::size_t>(layout.stride());
  for (auto i = static_cast<std::size_t>(layout.played(output)) * stride; i < end; ++i) {
    output[i] = static_cast<std::int64_t>(i % stride) < layout.actions
                    ? kNoAction
                    : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace assay

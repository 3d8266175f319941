#include "assay/auditors/audit/frequency_grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

// "3", "5–8", or "end" for the recommendation.
std::string rounds_name(const RoundFrequencies& rounds) {
  if (rounds.last == 0) return "end";
  return rounds.first == rounds.last ? std::to_string(rounds.first)
                                     : fmt::format("{}\xE2\x80\x93{}", rounds.first, rounds.last);
}

std::string row_name(std::int64_t row) { return row == kRunOver ? "ended" : std::to_string(row); }

ProbabilityPair drawn(FrequencyPair pair) { return {pair.base, pair.neighbour}; }

// The rows of a column that the event reads.
std::vector<std::size_t> rows_of_event(const ActionFrequencies& actions,
                                       const RoundFrequencies& rounds, const EventRounds& event) {
  std::vector<std::size_t> rows;
  if (rounds.last == 0 || rounds.first < event.first || rounds.last > event.last) return rows;
  for (std::size_t r = 0; r < actions.rows.size(); ++r) {
    const std::int64_t action = actions.rows[r];
    if (action != kRunOver && (!event.action || *event.action == action)) rows.push_back(r);
  }
  return rows;
}

std::vector<std::size_t> rows_of_witness(const ActionFrequencies& actions,
                                         const RoundFrequencies& rounds,
                                         const std::vector<int>& witness) {
  const auto at = static_cast<std::size_t>(rounds.first);
  if (rounds.first != rounds.last || at < 1 || at > witness.size()) return {};
  const auto found = std::find(actions.rows.begin(), actions.rows.end(), witness[at - 1]);
  if (found == actions.rows.end()) return {};
  return {static_cast<std::size_t>(found - actions.rows.begin())};
}

// "The largest difference: arm 2 is chosen in round 3, with frequency 0.71 on D and 0.12 on D′; estimated ..."
std::string largest_text(const OutputFrequencies& seen) {
  const std::string source =
      seen.is_exact() ? "exact probabilities, given the witness's actions before"
                      : fmt::format("estimated from {} and {} runs, which certify nothing",
                                    grouped(seen.base_runs), grouped(seen.neighbour_runs));
  if (!seen.largest) {
    return seen.is_exact() ? "No probability differs; " + source + ". "
                           : "No difference is beyond chance, " + source + ". ";
  }
  const FrequencyPair& pair = seen.largest->frequency;
  return fmt::format("The largest difference: {}, with {} {} on D and {} on D\xE2\x80\xB2; {}. ",
                     seen.largest->event, seen.is_exact() ? "probability" : "frequency",
                     rounded(pair.base, 3), rounded(pair.neighbour, 3), source);
}

std::string failures_note(const OutputFrequencies& seen) {
  if (seen.failed.base == 0.0 && seen.failed.neighbour == 0.0) return "";
  return fmt::format("Failed runs, {} on D and {} on D\xE2\x80\xB2, are in no bar. ",
                     percent(seen.failed.base), percent(seen.failed.neighbour));
}

std::string action_caption(const AuditReport& report, const std::string& noun) {
  const OutputFrequencies& seen = *report.evidence.frequencies;
  std::string text =
      largest_text(seen) +
      fmt::format(
          "The bars show how often each {} is chosen in each round. A bar as high as its "
          "cell means always; for several rounds it is their mean. ",
          noun);
  if (report.evidence.event && !report.evidence.event->rounds) {
    text += "The event reads more of the output than single rounds. ";
  }
  if (const std::int64_t more = seen.actions->left_out; more > 0) {
    text += fmt::format("{} more {}, which differ less, are left out. ", grouped(more),
                        plural(more, noun));
  }
  text += failures_note(seen);
  text.pop_back();
  return text;
}

}  // namespace

std::string number_caption(const AuditReport& report) {
  const OutputFrequencies& seen = *report.evidence.frequencies;
  std::string text = largest_text(seen) +
                     fmt::format(
                         "The histograms show {} on the base input D (solid) and on the "
                         "neighbouring input D' (dashed). The first and the last bin also hold "
                         "all values beyond them. ",
                         seen.number->name) +
                     failures_note(seen);
  text.pop_back();
  return text;
}

doc::DrawnGrid action_grid(const AuditReport& report) {
  const auto& seen = report.evidence.frequencies;
  if (!seen || !seen->actions) return {};
  const ActionFrequencies& actions = *seen->actions;
  const std::string noun(report.pair.shape.traits().entry);
  ProbabilityGrid grid{"actions", "Actions on both inputs", ""};
  grid.row_label = noun;
  const auto& event = report.evidence.event;
  const auto& witness = report.evidence.witness;
  grid.chosen_label = event ? "read by the event" : "witness";
  for (const std::int64_t row : actions.rows) grid.rows.push_back(row_name(row));
  bool any_chosen = false;
  for (const RoundFrequencies& rounds : actions.rounds) {
    const std::size_t column = grid.columns.size();
    grid.columns.push_back(rounds_name(rounds));
    auto& cells = grid.cells.emplace_back();
    for (const FrequencyPair& pair : rounds.of_row) cells.push_back(drawn(pair));
    auto& chosen = grid.chosen.emplace_back();
    if (event && event->rounds) chosen = rows_of_event(actions, rounds, *event->rounds);
    if (!event && witness) chosen = rows_of_witness(actions, rounds, witness->actions);
    any_chosen = any_chosen || !chosen.empty();
    const std::int64_t changed = has_pair(report) ? report.pair.inputs.changed_row() + 1 : 0;
    if (rounds.first <= changed && changed <= rounds.last) grid.changed = column;
  }
  if (!any_chosen) grid.chosen.clear();
  grid.description = fmt::format(
      "For each {} and each of {} columns of rounds, two bars: its frequency on the base input and "
      "on the neighbouring input. {}",
      noun, grid.columns.size(), largest_text(*seen));
  return {std::move(grid), action_caption(report, noun)};
}

doc::Table action_table(const AuditReport& report) {
  doc::Table table{"Frequencies on D / on D'", {{"round"}}};
  const auto& seen = report.evidence.frequencies;
  if (!seen || !seen->actions) return table;
  const std::string noun(report.pair.shape.traits().entry);
  for (const std::int64_t row : seen->actions->rows) {
    table.columns.push_back({row == kRunOver ? row_name(row) : noun + " " + row_name(row)});
  }
  for (const RoundFrequencies& rounds : seen->actions->rounds) {
    std::vector<doc::Text> cells{rounds_name(rounds)};
    for (const FrequencyPair& pair : rounds.of_row) {
      cells.emplace_back(rounded(pair.base, 3) + " / " + rounded(pair.neighbour, 3));
    }
    cells.resize(table.columns.size(), "hidden");
    table.add(std::move(cells));
  }
  return table;
}

doc::DrawnGrid value_grid(const AuditReport& report) {
  const auto& seen = report.evidence.frequencies;
  if (!seen || !seen->number || seen->number->values.empty()) return {};
  const NumberFrequencies& number = *seen->number;
  ProbabilityGrid grid{"values", "Values on both inputs", ""};
  grid.column_label = number.name;
  grid.row_label = "";
  grid.rows = {""};
  for (std::size_t i = 0; i < number.values.size(); ++i) {
    grid.columns.push_back(rounded(number.values[i], 4));
    grid.cells.push_back({drawn(number.of_value[i])});
  }
  grid.description = fmt::format(
      "For each value of {}, two bars: its frequency on the base input and on the neighbouring "
      "input. {}",
      number.name, largest_text(*seen));
  std::string caption = largest_text(*seen) +
                        fmt::format("The bars show how often {} has each value. ", number.name) +
                        failures_note(*seen);
  caption.pop_back();
  return {std::move(grid), std::move(caption)};
}

}  // namespace assay

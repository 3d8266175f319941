#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostRowRuns = 6;

std::string rounds_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("round {}", grouped(first))
                       : fmt::format("rounds {} to {}", grouped(first), grouped(last));
}

std::vector<double> row_of(const InputTable& input, std::int64_t r) {
  const auto row = input.row(r);
  return {row.begin(), row.end()};
}

// A stream as its values, a table as its rows, with equal ones together.
std::string input_text(const InputTable& input) {
  if (input.columns == 1) return row_text(input.values);
  if (input.rows == 1) return row_text(row_of(input, 0));
  std::string out;
  std::size_t runs = 0;
  for (std::int64_t first = 0; first < input.rows;) {
    if (++runs > kMostRowRuns) return out + ", ...";
    const auto row = row_of(input, first);
    std::int64_t next = first + 1;
    while (next < input.rows && row_of(input, next) == row) ++next;
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", rounds_text(first + 1, next),
                       row_text(row));
    first = next;
  }
  return out;
}

// How often the target chose each arm of a bandit, for the first few arms.
std::string pulls_text(const InputShape& shape, std::span<const double> actions) {
  constexpr std::int64_t kMostArms = 8;
  std::vector<std::int64_t> pulls(static_cast<std::size_t>(std::min(shape.arms, kMostArms)), 0);
  for (const double action : actions) {
    if (action >= 0.0 && action < static_cast<double>(pulls.size())) {
      ++pulls[static_cast<std::size_t>(action)];
    }
  }
  std::string out;
  for (std::size_t arm = 0; arm < pulls.size(); ++arm) {
    out += fmt::format("{}arm {}: {}", arm == 0 ? "" : ", ", arm, grouped(pulls[arm]));
  }
  return out + (shape.arms > kMostArms ? ", ..." : "");
}

// Actions by round with the recommendation, duels in pairs, and numbers as they are.
std::string output_text(const InputShape& shape, const std::vector<double>& output) {
  const auto width = static_cast<std::int64_t>(output.size());
  const InputKindTraits& kind = shape.traits();
  const std::int64_t of_actions = kind.actions * shape.horizon + (kind.recommends ? 1 : 0);
  if (kind.actions == 0 || width != of_actions) return row_text(output);
  if (kind.actions == 2) {
    constexpr std::size_t kMostDuels = 16;
    std::string out;
    for (std::size_t i = 0; i + 1 < output.size(); i += 2) {
      if (i / 2 == kMostDuels) return out + ", ...";
      out += fmt::format("{}{}-{}", i == 0 ? "" : ", ", output[i], output[i + 1]);
    }
    return out;
  }
  std::vector<double> actions = output;
  std::string end;
  if (kind.recommends && !actions.empty()) {
    end = fmt::format("; recommends arm {}", actions.back());
    actions.pop_back();
  }
  return fmt::format("{} ({}){}", row_text(actions), pulls_text(shape, actions), end);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 90.0) return fmt::format("{:.3g} s", seconds);
  return seconds < 5400.0 ? fmt::format("{:.0f} min", seconds / 60.0)
                          : fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string headline(const TryReport& report) {
  if (report.error) return fmt::format("Failed after {} runs", report.runs.size());
  if (report.has(NoteKind::kMistake)) {
    return "Ten runs; there is a mistake to correct before an audit";
  }
  if (report.has(NoteKind::kWarning)) return "Ten runs; ready for an audit, with a warning";
  return "Ten runs; ready for an audit";
}

doc::Facts target_facts(const TryReport& report) {
  doc::Facts facts;
  facts.add(report.is_plugin ? "Plug-in" : "Program", report.command);
  if (!report.name.empty()) {
    facts.add("Name", report.name +
                          (report.seeded ? "; it promises that seeds determine its runs" : "") +
                          (report.deterministic ? "; it is declared deterministic" : ""));
  }
  if (!report.greeting.empty()) {
    facts.add("Greeting", report.greeting);
    facts.add("Answer", report.greeting_answer);
  }
  facts.add("Containment", report.containment);
  return facts;
}

doc::Facts input_facts(const TryReport& report) {
  doc::Facts facts;
  facts.add("Input D", input_text(report.pair.base_input()));
  facts.add("Input D'", input_text(report.pair.neighbour_input()));
  facts.add("Neighbours", report.neighbours);
  facts.add("", report.other_neighbours);
  return facts;
}

doc::Facts cost_facts(const TryReport& report) {
  doc::Facts facts;
  if (report.batch_seconds == 0.0) return facts;
  facts.add("Time", fmt::format("{} to start, {} a run, {} a run if a message asks for many",
                                duration(report.start_seconds), duration(report.play_seconds),
                                duration(report.batch_seconds)));
  if (!report.cost) return facts;
  facts.add("An audit",
            fmt::format(
                "up to {} runs to search, learn and check, and {} to certify: about {} with {} {}",
                grouped(report.cost->learning), grouped(report.cost->certified),
                duration(report.cost->seconds), report.meta.threads,
                plural(report.meta.threads, "thread")));
  facts.add("Slow start", report.slow_start());
  return facts;
}

doc::Document document_of(const TryReport& report) {
  doc::Document document;
  const bool ready =
      !report.has(NoteKind::kMistake) && !report.has(NoteKind::kWarning) && !report.error;
  document.add(
      doc::Paragraph{headline(report), ready ? detail::Paint::kGreen : detail::Paint::kYellow});
  document.add(target_facts(report));
  document.add(input_facts(report));
  if (!report.runs.empty()) {
    document.heading("Runs", report.shape.traits().actions == 0
                                 ? "the numbers of each"
                                 : "arms counted from 0, as the target wrote them");
  }
  doc::Facts runs{2, detail::Paint::kNone, 31};
  for (const auto& play : report.runs) {
    runs.add(fmt::format("{}, seed {}", play.side == Side::kBase ? "D" : "D'", play.seed),
             output_text(report.shape, play.output));
  }
  document.add(runs);
  for (const auto& note : report.notes) {
    const bool is_mistake = note.kind == NoteKind::kMistake;
    doc::Facts facts{0, is_mistake ? detail::Paint::kRed : detail::Paint::kYellow};
    facts.add(is_mistake                        ? "Mistake"
              : note.kind == NoteKind::kWarning ? "Warning"
                                                : "Noticed",
              note.text);
    document.add(facts);
  }
  document.add(cost_facts(report));
  if (!report.standard_error.empty()) document.heading("Standard error");
  document.add(doc::Lines{report.standard_error});
  if (report.next.empty()) return document;
  document.add(doc::Command{report.next, "Next"});
  doc::Facts claim;
  if (!report.claims) claim.add("", "Without --claim, the claim is eps=1.");
  document.add_close(claim);
  return document;
}

}  // namespace

bool TryReport::has(NoteKind kind) const {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const TryNote& note) { return note.kind == kind; });
}

std::string TryReport::slow_start() const {
  constexpr double kSlow = 1.0;  // seconds
  if (start_seconds < kSlow || !cost) return "";
  return fmt::format(
      "an audit starts the target {} times. At {} each this takes {:.0f}% of its time. Import only what the policy "
      "needs, and import it when the program starts, not in a run",
      cost->starts, duration(start_seconds), 100.0 * cost->start_seconds / cost->seconds);
}

std::string to_text(const TryReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}

}  // namespace assay

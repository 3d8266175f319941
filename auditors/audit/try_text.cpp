#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

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

// A stream by its values, a table by its rows; equal ones together.
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

// How often each arm was played in a bandit, of the first few.
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

// Actions by round, the recommendation, duels in pairs, numbers as they are.
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

class TryPage : private detail::TextPage {
 public:
  TryPage(const TryReport& report, TextStyle style) : TextPage(style), report_(report) {}

  std::string write() {
    line(headline(),
         report_.has_mistake() || report_.error ? detail::Paint::kYellow : detail::Paint::kGreen);
    gap();
    entry(report_.is_plugin ? "Plug-in" : "Program", plain_text(report_.command));
    if (!report_.name.empty()) {
      entry("Name", fmt::format("{}{}{}", plain_text(report_.name),
                                report_.seeded ? ", promises that seeds decide its plays" : "",
                                report_.deterministic ? ", meant to be deterministic" : ""));
    }
    if (!report_.greeting.empty()) {
      entry("Greeting", plain_text(report_.greeting));
      entry("Answer", plain_text(report_.greeting_answer));
    }
    inputs();
    plays();
    for (const auto& note : report_.notes) {
      gap();
      entry(note.is_mistake ? "Mistake" : "Noticed", note.text, 0,
            note.is_mistake ? detail::Paint::kRed : detail::Paint::kYellow);
    }
    cost();
    standard_error();
    return finish();
  }

 private:
  std::string headline() const {
    if (report_.error) return fmt::format("Failed after {} plays", report_.plays.size());
    if (report_.has_mistake()) return "Ten plays; something has to be put right before an audit";
    return "Ten plays; ready for an audit";
  }
  void inputs() {
    gap();
    const auto& pair = report_.pair;
    entry("Old input", input_text(pair.old_input()));
    entry("New input", input_text(pair.new_input()));
    entry("Neighbours", report_.neighbours);
    if (!report_.other_neighbours.empty()) entry("", report_.other_neighbours);
  }

  void plays() {
    if (report_.plays.empty()) return;
    heading("Plays", report_.shape.traits().actions == 0
                         ? "the numbers of each"
                         : "arms counted from 0, as the target wrote them");
    for (const auto& play : report_.plays) {
      hanging(fmt::format("  {}, seed {:<20} ", play.side == Side::kOld ? "old" : "new", play.seed),
              output_text(report_.shape, play.output));
    }
  }

  void standard_error() {
    if (report_.standard_error.empty()) return;
    heading("Standard error");
    std::string_view text = report_.standard_error;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      line("  " + plain_text(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void cost() {
    if (!report_.cost) return;
    gap();
    entry("Time", fmt::format("{} to start, {} a play, {} where a message asks for many",
                              duration(report_.start_seconds), duration(report_.play_seconds),
                              duration(report_.batch_seconds)));
    const auto& cost = *report_.cost;
    entry(
        "An audit",
        fmt::format("up to {} plays to search, learn and check, {} to certify: about {} with {} {}",
                    grouped(cost.learning), grouped(cost.certified), duration(cost.seconds),
                    report_.meta.threads, report_.meta.threads == 1 ? "thread" : "threads"));
  }

  const TryReport& report_;
};

}  // namespace

bool TryReport::has_mistake() const {
  return std::any_of(notes.begin(), notes.end(),
                     [](const TryNote& note) { return note.is_mistake; });
}

std::string to_text(const TryReport& report, TextStyle style) {
  return TryPage(report, style).write();
}

}  // namespace assay

#include "assay/auditors/suite/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "assay/auditors/statistics/median.hpp"
#include "assay/auditors/statistics/rank_test.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostComparedBytes = std::size_t{256} << 20;

bool has_run(std::optional<EntryStatus> status) {
  return status && *status != EntryStatus::kCouldNotRun && *status != EntryStatus::kMisconfigured;
}

std::string status_statement(std::optional<EntryStatus> before, const BaselineEntry& now) {
  const std::string is = detail::value_text(now.status);
  if (!before) return "new: " + is;
  if (*before == now.status) return "as before";
  return fmt::format("{}; it was {}", is, detail::value_text(*before));
}

// A smaller difference is the numerical error of exact bounds, not a loss that anybody would state.
constexpr double kLeastMovement = 1e-12;
// The allowed value may be computed from the claim; a baseline keeps six digits.
constexpr double kAllowedTolerance = 1e-5;

// Whether an upper bound changed by more than the tolerance: 1 up, -1 down, 0 neither.
int movement(double before, double now, double tolerance) {
  if (std::isinf(before) || std::isinf(now)) return before == now ? 0 : (now > before ? 1 : -1);
  const double slack = std::max(tolerance * std::fabs(before), kLeastMovement);
  return now > before + slack ? 1 : (now < before - slack ? -1 : 0);
}

bool is_sampled(const EntryFigure& before, const EntryFigure& now) {
  return before.alpha > 0.0 && now.alpha > 0.0;
}

std::string figure_statement(const EntryFigure& before, const EntryFigure& now) {
  std::string text = fmt::format("{} is at most {}; it was {}", plain_text(now.name),
                                 rounded_up(now.upper, kBaselineDigits),
                                 rounded_up(before.upper, kBaselineDigits));
  if (now.lower > before.upper) {
    text += fmt::format(", and is at least {} now", rounded_down(now.lower, kBaselineDigits));
  }
  return text;
}

// Walks through two lists that are sorted by a name, in step.
template <class T>
void walk(const std::vector<T>& before, const std::vector<T>& now, std::string T::*name,
          const auto& only_before, const auto& only_now, const auto& both) {
  auto old = before.begin();
  auto fresh = now.begin();
  while (old != before.end() || fresh != now.end()) {
    if (fresh == now.end() || (old != before.end() && (*old).*name < (*fresh).*name)) {
      only_before(*old++);
    } else if (old == before.end() || (*fresh).*name < (*old).*name) {
      only_now(*fresh++);
    } else {
      both(*old++, *fresh++);
    }
  }
}

// Figures of time, before and now, until all of them are judged together.
struct TimePair {
  const BaselineEntry* entry = nullptr;
  const EntryFigure* before = nullptr;
  const EntryFigure* now = nullptr;
  RankTest test;
};

class Comparer {
 public:
  explicit Comparer(const Tolerances& tolerances) : tolerances_(tolerances) {}

  BaselineComparison compare(const Baseline& before, const Baseline& now) {
    walk(
        before.entries, now.entries, &BaselineEntry::id,
        [&](const auto& old) { vanished(old, "it is no longer in the suite"); },
        [&](const auto& fresh) { status(std::nullopt, fresh); },
        [&](const auto& old, const auto& fresh) { both(old, fresh); });
    judge_times();
    std::stable_sort(out_.changes.begin(), out_.changes.end(), [](const auto& a, const auto& b) {
      return std::pair(a.id, a.figure) < std::pair(b.id, b.figure);
    });
    return std::move(out_);
  }

 private:
  void add(const BaselineEntry& entry, ChangeKind kind, bool fails, const std::string& figure,
           const std::string& statement) {
    const bool regresses = fails && entry.severity == Severity::kDeny;
    out_.changes.push_back({entry.id, kind, regresses, figure, statement});
  }

  void vanished(const BaselineEntry& before, const std::string& statement) {
    const auto change = status_change(before.status, std::nullopt);
    add(before, *change.kind, change.fails, "", statement);
  }

  void status(std::optional<EntryStatus> before, const BaselineEntry& now) {
    const auto change = status_change(before, now.status);
    if (!change.kind) return;
    add(now, *change.kind, change.fails && !now.suppressed_by, "",
        status_statement(before, now) +
            (now.suppressed_by ? "; suppressed by " + plain_text(*now.suppressed_by) : ""));
  }

  void both(const BaselineEntry& before, const BaselineEntry& now) {
    if (before.kind != now.kind) {
      vanished(before, fmt::format("it was of kind {} and is of kind {}",
                                   detail::value_text(before.kind), detail::value_text(now.kind)));
      return status(std::nullopt, now);
    }
    status(before.status, now);
    if (before.severity < now.severity) {
      const std::string was = detail::value_text(before.severity);
      out_.changes.push_back(
          {now.id, ChangeKind::kWeakerBound, before.severity == Severity::kDeny, "",
           "severity " + std::string(detail::value_text(now.severity)) + "; it was " + was});
    }
    if (!has_run(before.status) || !has_run(now.status)) return;
    if (now.kind == EntryKind::kVerify) claims(before, now);
    walk(
        before.figures, now.figures, &EntryFigure::name,
        [&](const auto& old) { figure_gone(now, old); },
        [&](const auto& fresh) { figure_new(now, fresh); },
        [&](const auto& old, const auto& fresh) { figure(now, old, fresh); });
  }

  // A verification names its claims; one that it leaves out is not checked any more.
  void claims(const BaselineEntry& before, const BaselineEntry& now) {
    const auto kept = words_of(now.claim);
    for (const auto& claim : words_of(before.claim)) {
      if (contains(kept, claim)) continue;
      add(now, ChangeKind::kVanished, true, "",
          "claim " + plain_text(claim) + " is not checked any more");
    }
  }
  static std::vector<std::string> words_of(const std::string& list) {
    auto words = detail::words_of(list);
    for (auto& word : words) word.erase(std::remove(word.begin(), word.end(), ','), word.end());
    return words;
  }

  // Power is stated only for a claim that was not refuted, so its absence says nothing.
  void figure_gone(const BaselineEntry& now, const EntryFigure& old) {
    if (old.kind == FigureKind::kPower) return;
    add(now, ChangeKind::kVanished, true, old.name, plain_text(old.name) + " is gone");
  }
  void figure_new(const BaselineEntry& now, const EntryFigure& fresh) {
    if (fresh.kind == FigureKind::kPower) return;
    add(now, ChangeKind::kNewEntry, false, fresh.name, plain_text(fresh.name) + " is new");
  }

  void figure(const BaselineEntry& entry, const EntryFigure& before, const EntryFigure& now) {
    if (before.kind != now.kind) {
      figure_gone(entry, before);
      return figure_new(entry, now);
    }
    allowed(entry, before, now);
    if (now.kind == FigureKind::kTime) {
      const auto least = std::min(before.repetitions.size(), now.repetitions.size());
      if (least >= kLeastRepetitions) {
        times_.push_back({&entry, &before, &now, rank_test(before.repetitions, now.repetitions)});
      } else {
        out_.notes.push_back(fmt::format(
            "{}: {} is not compared: one run has {}, and {} are needed", plain_text(entry.id),
            plain_text(now.name), counted_repetitions(least), kLeastRepetitions));
      }
      return;
    }
    const bool is_power = now.kind == FigureKind::kPower;
    const int moved =
        movement(before.upper, now.upper, is_power ? tolerances_.power : tolerances_.bound);
    if (moved > 0) {
      // If two sampled intervals overlap, nobody knows which bound is larger. The visible violation depends on
      // the event that a run finds, and the entry's own `power` says how small it has to be.
      const bool is_apart = !is_power && now.lower > before.upper;
      const bool fails = !is_sampled(before, now) || is_apart;
      add(entry, is_power ? ChangeKind::kLostPower : ChangeKind::kWeakerBound, fails, now.name,
          figure_statement(before, now));
    } else if (moved < 0) {
      add(entry, ChangeKind::kStrongerBound, false, now.name, figure_statement(before, now));
    }
  }

  // The allowed value is not a measurement. Its only tolerance is that of its digits.
  void allowed(const BaselineEntry& entry, const EntryFigure& before, const EntryFigure& now) {
    const double old = before.allowed.value_or(HUGE_VAL);
    const double fresh = now.allowed.value_or(HUGE_VAL);
    const int moved = movement(old, fresh, kAllowedTolerance);
    if (moved == 0) return;
    const auto shown = [](const std::optional<double>& value) {
      return value ? number_text(*value) : "anything";
    };
    add(entry, moved > 0 ? ChangeKind::kWeakerBound : ChangeKind::kStrongerBound, moved > 0,
        now.name,
        fmt::format("{} may be {}; it was allowed to be {}", plain_text(now.name),
                    shown(now.allowed), shown(before.allowed)));
  }

  static std::string counted_repetitions(std::size_t count) {
    return fmt::format("{} {}", count, plural(static_cast<long long>(count), "repetition"));
  }

  void judge_times() {
    std::vector<double> p_values;
    for (const auto& pair : times_) p_values.push_back(pair.test.p);
    const auto rejected = holm_rejections(p_values, tolerances_.alpha);
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto& [entry, before, now, test] = times_[i];
      const double old = median_of(before->repetitions);
      const double fresh = median_of(now->repetitions);
      const int moved = test.above ? (fresh > old * (1.0 + tolerances_.time) ? 1 : 0)
                                   : (old > fresh * (1.0 + tolerances_.time) ? -1 : 0);
      if (moved == 0 || !rejected[i]) continue;
      add(*entry, moved > 0 ? ChangeKind::kSlower : ChangeKind::kFaster, moved > 0, now->name,
          fmt::format("{} takes {} s; it took {} s (medians of {} now and {} before, p = {})",
                      plain_text(now->name), rounded(fresh, kBaselineDigits),
                      rounded(old, kBaselineDigits), counted_repetitions(now->repetitions.size()),
                      before->repetitions.size(), rounded_up(test.p, 2)));
    }
  }

  Tolerances tolerances_;
  BaselineComparison out_;
  std::vector<TimePair> times_;
};

}  // namespace

Status check_tolerances(const Tolerances& tolerances) {
  const std::array<std::pair<const char*, double>, 3> relative = {
      {{"bound", tolerances.bound}, {"power", tolerances.power}, {"time", tolerances.time}}};
  for (const auto& [name, value] : relative) {
    if (!(value >= 0.0) || std::isinf(value)) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("{} must be a finite number of at least 0, not {}", name, number_text(value)),
          std::string("/") + name);
    }
  }
  if (tolerances.alpha > 0.0 && tolerances.alpha <= 0.5) return {};
  return fail(ErrorCode::kInvalidArgument,
              "alpha must be above 0 and at most 0.5, not " + number_text(tolerances.alpha),
              "/alpha");
}

StatusChange status_change(std::optional<EntryStatus> before, std::optional<EntryStatus> now) {
  if (!now) return {ChangeKind::kVanished, true};
  if (*now == EntryStatus::kViolated) {
    return {before == now ? ChangeKind::kStillViolated : ChangeKind::kNewViolation, true};
  }
  if (!before) return {ChangeKind::kNewEntry, !has_run(now)};
  if (!has_run(now)) {
    return has_run(before) ? StatusChange{ChangeKind::kCouldNotRun, true} : StatusChange{};
  }
  if (*before == *now) return {};
  const bool undecided = *now == EntryStatus::kInconclusive || *now == EntryStatus::kWeak;
  const bool lost = undecided && has_run(before) && *before != EntryStatus::kInconclusive;
  return {lost ? ChangeKind::kLostPower : ChangeKind::kFixed, lost};
}

BaselineComparison compare(const Baseline& before, const Baseline& now,
                           const Tolerances& tolerances) {
  return Comparer(tolerances).compare(before, now);
}

std::vector<EntryChange> changes_of(const Baseline& before, const SuiteReport& now,
                                    const Tolerances& tolerances) {
  return compare(before, baseline_of(now), tolerances).changes;
}

Result<Baseline> read_compared(const std::string& path) {
  const auto text = ASSAY_TRY(read_whole_file(path, kMostComparedBytes));
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return parse_baseline(text, path);
  const auto report = read_suite_report(text);
  if (!report) {
    const auto& error = report.error();
    return fail(error.code, (error.path.empty() ? "" : error.path + " ") + error.message, path);
  }
  return baseline_of(*report);
}

}  // namespace assay

#include "assay/auditors/suite/regret_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/auditors/regret/regret_job.hpp"
#include "assay/auditors/suite/internal/entry_parts.hpp"
#include "assay/auditors/text/rounding.hpp"

namespace assay {
namespace {

constexpr int kRegretDigits = 5;

std::string kind_text(const RegretReport& report) {
  return report.is_simple ? "simple regret" : "regret";
}

// "The regret in 1,000 rounds", or "The regret in 1,000 rounds, as a multiple of that of the baseline ucb1,".
std::string limited_text(const RegretReport& report) {
  const std::string text =
      fmt::format("The {} {} {} {}", kind_text(report), report.is_simple ? "after" : "in",
                  grouped(report.horizon), plural(report.horizon, "round"));
  return report.ratio ? text + ", as a multiple of that of the baseline " + report.baseline + ","
                      : text;
}

std::string regret_bounds_text(const RegretBounds& bounds, double limit) {
  const std::string lower = "at least " + rounded_down_beside(bounds.lower, limit, kRegretDigits);
  if (!std::isfinite(bounds.upper)) return lower + ", no upper bound";
  return lower + ", at most " + rounded_up_beside(bounds.upper, limit, kRegretDigits);
}

std::string regret_headline(const RegretReport& report) {
  const RegretBounds& bounds = report.limited();
  const std::string allowed = rounded(report.limit, kRegretDigits);
  switch (report.verdict()) {
    case RegretVerdict::kWithin:
      return fmt::format("{} is at most {}; {} is allowed", limited_text(report),
                         rounded_up_beside(bounds.upper, report.limit, kRegretDigits), allowed);
    case RegretVerdict::kAbove:
      return fmt::format("{} is at least {}; {} is allowed", limited_text(report),
                         rounded_down_beside(bounds.lower, report.limit, kRegretDigits), allowed);
    case RegretVerdict::kUndecided:
      break;
  }
  return fmt::format("{} is {}: whether it is within {} is undecided", limited_text(report),
                     regret_bounds_text(bounds, report.limit), allowed);
}

std::string method_of_regret(const RegretReport& report) {
  std::string text = fmt::format(
      "betting on the mean of {} independent {}, whose regret is known to lie between 0 and {}",
      grouped(report.runs), plural(report.runs, "run"),
      rounded_up(report.most_regret, kRegretDigits));
  if (report.ratio) text += "; the baseline has as many runs, and each interval half of alpha";
  if (report.executions > 0) {
    text += fmt::format(
        "; it took {} executions of the program until each reward was that of the arm chosen, "
        "and none contradicted that its choices follow from the seed and the rewards before",
        grouped(report.executions));
  }
  if (report.runs < report.planned) {
    text += fmt::format("; the time ended before {} runs", grouped(report.planned));
  }
  return text;
}

std::string limit_option(const RegretReport& report) {
  return report.ratio ? "at-most-times" : "at-most";
}

// Advice for an undecided entry.
std::string more_runs(const RegretReport& report) {
  const auto runs = runs_to_decide(report);
  const std::string option = limit_option(report);
  if (report.runs < report.planned) {
    const std::string needed =
        runs ? fmt::format("; about {} runs would probably decide", grouped(*runs)) : "";
    return fmt::format(
        "the time ended after {} of {} runs, for which the bets are chosen{}: set fewer runs, give the entry more "
        "time, or allow more with {}",
        grouped(report.runs), grouped(report.planned), needed, option);
  }
  if (!runs) {
    return fmt::format(
        "the mean of the runs is {}, so close to the limit that {} runs would "
        "probably not decide: change {}",
        rounded(report.limited().value, kRegretDigits), grouped(kMostRegretRuns), option);
  }
  return fmt::format("about {} runs would probably decide: set runs = {}, or allow more with {}",
                     grouped(*runs), *runs, option);
}

void fill_regret(const RegretReport& report, EntryResult& result) {
  result.alpha = report.alpha;
  const std::string of_baseline =
      report.ratio ? " times that of the baseline " + report.baseline : "";
  result.claim = kind_text(report) + " <= " + number_text(report.limit) + of_baseline;
  result.headline = regret_headline(report);
  result.details.push_back("method: " + method_of_regret(report));
  const std::string name = fmt::format("{} at T = {}", kind_text(report), report.horizon);
  const auto add = [&](std::string figure, const RegretBounds& bounds,
                       std::optional<double> allowed) {
    result.figures.push_back({std::move(figure),
                              FigureKind::kError,
                              bounds.lower,
                              bounds.upper,
                              allowed,
                              {},
                              report.alpha});
  };
  const auto limit = std::optional(report.limit);
  if (report.ratio) {
    add(name + ", multiple of the baseline", *report.ratio, limit);
    result.details.push_back(fmt::format("the regret of the baseline {} is {}", report.baseline,
                                         regret_bounds_text(*report.baseline_regret, 0.0)));
  }
  add(name, report.regret, report.ratio ? std::nullopt : limit);
  switch (report.verdict()) {
    case RegretVerdict::kWithin:
      result.status = EntryStatus::kHeld;
      result.verdict = "within its bound";
      break;
    case RegretVerdict::kAbove:
      result.status = EntryStatus::kViolated;
      result.verdict = "above its bound";
      result.details.push_back("next: correct the policy, or allow more with " +
                               limit_option(report));
      break;
    case RegretVerdict::kUndecided:
      result.status = EntryStatus::kInconclusive;
      result.verdict = "undecided";
      result.details.push_back("next: " + more_runs(report));
      break;
  }
}

}  // namespace

Result<EntryRun> prepare_regret_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  auto job = ASSAY_TRY(read_options<RegretJob>(entry.options));
  job.alpha = terms.alpha;
  job.seed = terms.seed;
  // An answer of a program may take no longer than the entry.
  if (terms.seconds && job.has_program() && !job.answer_time) {
    job.answer_time = std::clamp(*terms.seconds, 1.0, 60.0);
  }
  const auto prepared = ASSAY_TRY(prepare(job));
  return [prepared](const Session& session, EntryResult& result) -> EntryIllustration {
    const auto report = prepared(session);
    if (!report) return detail::failed(result, report.error());
    fill_regret(*report, result);
    // The time of this run decided how far it came, so its result may not replace another run.
    if (report->runs < report->planned) result.content.clear();
    return {};
  };
}

}  // namespace assay

#include "assay/auditors/suite/entry_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "assay/auditors/account/account_job.hpp"
#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/next_steps.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/bench/bench_job.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/suite/bench_figures.hpp"
#include "assay/auditors/suite/internal/entry_parts.hpp"
#include "assay/auditors/suite/paper_entries.hpp"
#include "assay/auditors/suite/regret_entry.hpp"
#include "assay/auditors/suite/replay.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

using detail::fail_with;
using detail::failed;

constexpr double kMostWitnessSeconds = 20.0;

constexpr EnumTable<Verdict, EntryStatus, 6> kStatuses{
    {{Verdict::kViolated, EntryStatus::kViolated},
     {Verdict::kVerified, EntryStatus::kHeld},
     {Verdict::kVerifiedIfReported, EntryStatus::kHeld},
     {Verdict::kNotRefuted, EntryStatus::kHeld},
     {Verdict::kWeak, EntryStatus::kWeak},
     {Verdict::kInconclusive, EntryStatus::kInconclusive}}};

void fill_audit(const AuditOutcome& outcome, double alpha, EntryResult& result) {
  const AuditReport& report = outcome.report;
  result.verdict = to_string(report.verdict);
  result.claim = claim_text(report);
  result.headline = headline(report);
  result.reproduce = report.reproduce;
  // Reports tell these apart by their labels (suite_blocks.cpp).
  const std::string estimate = estimate_text(report);
  result.details.push_back("why: " + report.reason + (estimate.empty() ? "" : "; " + estimate));
  if (const auto& again = report.if_rounded) {
    result.details.push_back(fmt::format("if rounded: to multiples of {}: {}",
                                         rounded(again->grid, 12), again->headline));
    result.details.push_back("next: " + next_steps(report, StepsFor::kSuite).front());
  }
  if (!report.neighbours.empty()) result.details.push_back("neighbours: " + report.neighbours);
  if (is_of_pair(report) && !report.pair.found_by.empty()) {
    result.details.push_back("pair: " + change_text(report));
    result.details.push_back("found by: " + report.pair.found_by);
  }
  result.details.push_back("method: " + method_text(report));
  for (const auto& note : report.notes) result.details.push_back(note);
  for (const auto& quantity : report.evidence.quantities) {
    result.figures.push_back({quantity_label(quantity),
                              FigureKind::kLoss,
                              quantity.lower.value,
                              quantity.upper.value,
                              claimed_value(report.claim, quantity),
                              {},
                              quantity.upper.evidence == Evidence::kSampling ? alpha : 0.0});
  }
  if (const auto& strength = report.strength) {
    result.details.push_back(strength_text(report));
    if (report.verdict == Verdict::kWeak) {
      std::string next = "next:";
      for (const auto& step : next_steps(report, StepsFor::kSuite)) next += " " + step;
      result.details.push_back(next);
    }
    const double level = strength->level.value_or(std::numeric_limits<double>::infinity());
    result.figures.push_back({"smallest visible leak",
                              FigureKind::kPower,
                              level,
                              level,
                              strength->asked,
                              {},
                              strength->is_bound ? 0.0 : alpha});
  }
  double spent = 0.0;
  for (const auto& entry : report.evidence.ledger) spent += entry.alpha;
  result.alpha = spent;
  result.e_process = report.evidence.e_process;
  if (outcome.target_error) return fail_with(result, *outcome.target_error);
  result.status = entry_of(kStatuses, report.verdict);
  // No bound follows, but a target without any noise passes no check.
  if (report.evidence.no_noise) {
    result.status = EntryStatus::kViolated;
    result.verdict = "no randomness";
    result.headline = "no randomness at all: " + report.reason;
  }
  // Undecided, and nobody stopped it: a check failed, or the runs break an assumption of the audit. Then nothing
  // was audited, which no default may let pass.
  const bool undecided = report.verdict == Verdict::kInconclusive && !report.evidence.no_noise;
  if (undecided && !report.evidence.interrupted) {
    return fail_with(result, Error{ErrorCode::kTarget, report.reason, {}, 0});
  }
}

void fill_account(const AccountReport& report, const std::string& below, double allowed,
                  EntryResult& result) {
  const AccountAnswer& answer = report.answers.front();
  result.claim = below;
  result.reproduce = report.reproduce;
  const std::string target = target_text(answer.target);
  result.figures.push_back(
      {target, FigureKind::kLoss, answer.lower.value_or(0.0), answer.upper, allowed, {}});
  const std::string at_most = fmt::format("{} is at most {}", target, rounded_up(answer.upper, 6));
  if (answer.upper <= allowed) {
    result.status = EntryStatus::kHeld;
    result.verdict = "within its bound";
    result.headline = fmt::format("{}; {} is allowed", at_most, rounded(allowed, 6));
  } else if (answer.lower && *answer.lower > allowed) {
    result.status = EntryStatus::kViolated;
    result.verdict = "above its bound";
    result.headline =
        fmt::format("{} is at least {}; {} is allowed", target,
                    rounded_down_beside(*answer.lower, allowed, 6), rounded(allowed, 6));
  } else {
    // Undecided: the allowed value lies between the bounds.
    result.status = EntryStatus::kInconclusive;
    result.verdict = "undecided";
    const bool bounded = std::isfinite(answer.upper);
    result.headline = fmt::format(
        "{}: {}, {}: whether it is within {} is undecided", target,
        answer.lower ? "at least " + rounded_down(*answer.lower, 7) : "no lower bound",
        bounded ? "at most " + rounded_up(answer.upper, 7) : "no upper bound", rounded(allowed, 7));
    if (answer.lower && bounded) {
      result.headline += ", the gap is " + rounded_up(answer.upper - *answer.lower, 2);
    }
    if (!answer.why_infinite.empty()) result.details.push_back(answer.why_infinite);
  }
}

// Adds to a certified violation a witness, which shows where the input enters.
void add_witness(const AuditJob& job, const AuditOutcome& outcome, const Session& session,
                 EntryResult& result) {
  RunControl control = session.control;
  if (control.seconds_left() > kMostWitnessSeconds) control.give_seconds(kMostWitnessSeconds);
  WitnessPlan plan;
  plan.seed = outcome.report.seed;
  auto [witness, text, cut] = audit_witness(job, outcome.report, plan, control);
  result.witness = std::move(witness);
  if (!cut.empty()) result.details.push_back("witness: " + cut);
  if (!text.empty() && !result.witness) result.details.push_back(std::move(text));
}

Result<EntryRun> prepare_audit_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  auto job = ASSAY_TRY(read_options<AuditJob>(entry.options));
  job.confidence = confidence_of(terms.alpha);
  job.seed = terms.seed;
  const bool is_timed = terms.seconds && !job.samples && !job.seconds && !job.is_outside();
  if (is_timed) job.seconds = terms.seconds;
  // An answer of a program may take no longer than the entry.
  if (terms.seconds && job.is_outside() && !job.answer_time) {
    job.answer_time = std::clamp(*terms.seconds, 1.0, 60.0);
  }
  const auto prepared = ASSAY_TRY(prepare(job));
  return
      [=, alpha = terms.alpha](const Session& session, EntryResult& result) -> EntryIllustration {
        const auto outcome = prepared(session);
        if (!outcome) return failed(result, outcome.error());
        fill_audit(*outcome, alpha, result);
        // The time of this run decided how far it came, so its result may not replace another run.
        if (is_timed && outcome->report.strength) result.content.clear();
        if (result.status != EntryStatus::kViolated) return {};
        return [=](EntryResult& shown) { add_witness(job, *outcome, session, shown); };
      };
}

Result<EntryRun> prepare_account_entry(const SuiteEntry& entry) {
  auto job = ASSAY_TRY(read_options<AccountJob>(entry.options));
  const auto level = ASSAY_TRY(parse_claim(*entry.below, {}));
  if (std::holds_alternative<GaussianDp>(level)) {
    return fail(ErrorCode::kInvalidArgument, "below takes eps and delta, not mu");
  }
  if (!job.deltas.empty() || !job.epsilons.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "below gives the delta already: leave out delta and at-epsilon");
  }
  const auto* both = std::get_if<ApproximateDp>(&level);
  const double allowed = both ? both->epsilon.value : std::get<PureDp>(level).epsilon.value;
  job.deltas = {both ? both->delta.value : 0.0};
  const auto prepared = ASSAY_TRY(prepare(job));
  return [prepared, allowed, below = *entry.below](const Session& session,
                                                   EntryResult& result) -> EntryIllustration {
    const auto report = prepared(session);
    if (!report) return failed(result, report.error());
    fill_account(*report, below, allowed, result);
    return {};
  };
}

// The figures of a benchmark are followed from run to run. By itself it fails nothing unless it ends early.
void fill_bench(const BenchReport& report, EntryResult& result) {
  result.reproduce = report.reproduce;
  result.figures = bench_figures(report);
  for (const auto& spent : report.alpha) result.alpha += spent.alpha;
  for (const auto& refusal : report.refusals) {
    result.details.push_back(fmt::format("{} is not compared: {}", refusal.id, refusal.reason));
  }
  if (report.rows.empty()) {
    const Error error = {
        ErrorCode::kLimit, "nothing can be compared: no candidate is applicable", {}, 0};
    return fail_with(result, error);
  }
  result.status = report.complete() ? EntryStatus::kHeld : EntryStatus::kInconclusive;
  result.verdict = report.complete() ? "measured" : "stopped";
  result.headline = fmt::format("{} candidate{} measured", report.rows.size(),
                                report.rows.size() == 1 ? "" : "s");
  if (!report.rows.empty()) {
    result.headline += fmt::format(", {} with the least error", report.rows.front().id);
  }
}

Result<EntryRun> prepare_bench_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  auto job = ASSAY_TRY(read_options<BenchJob>(entry.options));
  job.confidence = confidence_of(terms.alpha).value;
  job.seed = terms.seed;
  if (terms.seconds && !job.seconds && !job.samples) job.seconds = terms.seconds;
  const auto prepared = ASSAY_TRY(prepare(job));
  return [prepared](const Session& session, EntryResult& result) -> EntryIllustration {
    const auto report = prepared(session);
    if (!report) return failed(result, report.error());
    fill_bench(*report, result);
    return {};
  };
}

}  // namespace

Number confidence_of(double alpha) {
  return {1.0 - parse_number(rounded_down(alpha, 3)).value_or(alpha), {}};
}

std::string word_of(const SuiteEntry& entry, const std::string& option) {
  for (const auto& one : entry.options) {
    if (one.name == option) return joined(one.words);
  }
  return {};
}

std::string subject_of(const SuiteEntry& entry) {
  for (const char* option : {"case", "exec", "plugin", "transcripts", "claims", "mechanisms",
                             "what", "candidates", "policy"}) {
    const auto word = word_of(entry, option);
    if (!word.empty()) return word;
  }
  return entry.kind == EntryKind::kVerify ? "all claims" : "all rows";
}

bool adds_up(const SuiteEntry& entry) {
  return entry.kind == EntryKind::kAudit && word_of(entry, "vary").empty() &&
         (!word_of(entry, "exec").empty() || !word_of(entry, "plugin").empty());
}

Result<EntryRun> prepare_entry(const SuiteEntry& entry, const EntryTerms& terms) {
  switch (entry.kind) {
    case EntryKind::kAudit:
      return prepare_audit_entry(entry, terms);
    case EntryKind::kVerify:
    case EntryKind::kDetect:
      return prepare_paper_entry(entry, terms);
    case EntryKind::kAccount:
      return prepare_account_entry(entry);
    case EntryKind::kBench:
      return prepare_bench_entry(entry, terms);
    case EntryKind::kRegret:
      return prepare_regret_entry(entry, terms);
  }
  return fail(ErrorCode::kInternal, "an entry of no kind");
}

}  // namespace assay

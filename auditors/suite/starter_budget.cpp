#include "assay/auditors/suite/starter_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/auditors/audit/audit_parts.hpp"
#include "assay/auditors/audit/try_job.hpp"
#include "assay/auditors/engine/claimed_level.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"
#include "assay/auditors/methods/strength.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/suite/reuse.hpp"
#include "assay/auditors/suite/suite_file.hpp"
#include "assay/auditors/text/rounded_count.hpp"

namespace assay {
namespace {

constexpr double kMostSeconds = 600.0;
constexpr const char* kAssumedClaim = "eps=1";
constexpr std::int64_t kLateRun = 100;  // of a history
// The event that an audit finds may be rarer than the one that the estimate supposes. The audit stops before these runs
// if it has seen enough.
constexpr double kReserve = 2.5;
constexpr double kAnswerSeconds = 3.0;  // as the probe waits

TryJob dry_run_of(const ProbeResult& probed, std::int64_t runs) {
  TryJob job;
  (probed.kind == ProbedKind::kPlugin ? job.audit.plugin : job.audit.exec) = probed.word;
  job.audit.shape = probed.shapes.front();
  if (!job.audit.shape.traits().has_contexts()) {
    job.audit.shape.dimension = InputShape{}.dimension;  // not an option of this kind
  }
  if (const auto& domain = job.audit.shape.domain) job.audit.domain = domain->text();
  job.audit.runs = runs;
  job.audit.answer_time = kAnswerSeconds;
  return job;
}

// The seconds of an audit with so many runs: all but the starts is in proportion to them.
struct AuditTime {
  std::int64_t runs = 0;
  AuditCost cost;

  double of(std::int64_t other) const {
    return cost.start_seconds + (cost.seconds - cost.start_seconds) * static_cast<double>(other) /
                                    static_cast<double>(runs);
  }
  std::int64_t runs_in(double seconds) const {
    const double of_one = (cost.seconds - cost.start_seconds) / static_cast<double>(runs);
    const double left = std::max(0.0, seconds - cost.start_seconds);
    return static_cast<std::int64_t>(
        std::min(left / std::max(of_one, 1e-9), static_cast<double>(kMostInAll)));
  }
};

std::int64_t two_digits(std::int64_t runs, CountRounding direction) {
  return static_cast<std::int64_t>(rounded_count(static_cast<double>(runs), direction));
}

StarterBudget budget_of(const PrivacyLevel& claim, double alpha, const AuditTime& time) {
  const Delta delta0{AuditJob{}.delta0.value};
  const double wanted = level_to_see(claim, std::nullopt);
  const std::int64_t needed = detail::runs_to_see(claim, delta0, wanted, alpha);
  const bool is_possible = needed > 0 && needed <= kMostInAll;
  const double with_reserve = kReserve * static_cast<double>(std::min(needed, kMostInAll));
  StarterBudget budget;
  budget.runs = std::clamp(two_digits(static_cast<std::int64_t>(with_reserve), CountRounding::kUp),
                           kFewestInAll, kMostInAll);
  budget.see = wanted;
  if (!is_possible || time.of(budget.runs) > kMostSeconds) {
    budget.too_small = wanted;
    budget.too_long = is_possible ? time.of(budget.runs) : std::numeric_limits<double>::infinity();
    budget.runs =
        std::max(two_digits(time.runs_in(kMostSeconds), CountRounding::kDown), kFewestInAll);
    budget.see = detail::level_seen_by(
        claim, delta0, static_cast<std::int64_t>(static_cast<double>(budget.runs) / kReserve),
        alpha);
    if (!std::isfinite(*budget.see)) budget.see.reset();
  }
  budget.seconds = time.of(budget.runs);
  return budget;
}

}  // namespace

Result<StarterTerms> starter_terms(const ProbeResult& probed, const std::string& claim,
                                   const Session& session) {
  StarterTerms terms;
  terms.claim = claim;
  if (probed.kind != ProbedKind::kPlugin && probed.kind != ProbedKind::kProgram) return terms;
  const std::string for_claim = claim.empty() ? kAssumedClaim : claim;
  const auto level = ASSAY_TRY(parse_claim(for_claim, claim_variables(probed.shapes.front())));
  constexpr std::int64_t kRuns = kDefaultBudget;
  const auto dry_run = ASSAY_TRY(run_job(dry_run_of(probed, kRuns), session));
  if (session.control.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
  if (dry_run.error) {
    terms.failure = dry_run.error->message.substr(0, dry_run.error->message.find('\n'));
    return terms;
  }
  for (const TryNote& note : dry_run.notes) {
    if (note.kind == NoteKind::kMistake) terms.mistakes.push_back(note.text);
  }
  const double alpha = alpha_of_run(alpha_of(SuiteFile{}.confidence), kLateRun);
  terms.budget = budget_of(level, alpha, {kRuns, *dry_run.cost});
  terms.budget->for_claim = for_claim;
  terms.budget->threads = session.control.threads;
  return terms;
}

}  // namespace assay

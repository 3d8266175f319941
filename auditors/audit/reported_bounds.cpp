#include "assay/auditors/audit/reported_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "assay/auditors/engine/audit.hpp"
#include "assay/auditors/methods/black_box/reported_pair.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/drawn_actions.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"

namespace assay::detail {
namespace {

constexpr const char* kIfRight = "if the reported probabilities are right";
constexpr double kDrawsShare = 0.25;         // of the alpha for reported probabilities
constexpr std::int64_t kSeedPaths = 8;       // of each check of seeds
constexpr double kCheckedNumbers = 4e6;      // probabilities of the check of draws
constexpr std::int64_t kMostChecked = 2048;  // runs on each input

// Tests the actions of ordinary runs on both inputs against the reported probabilities. Runs alternate between the
// inputs; the test sees them in this order, whatever the number of threads.
CheckResult check_draws(const ReportedPair& fresh, std::uint64_t seed, double alpha,
                        const RunControl& control) {
  const double size =
      static_cast<double>(fresh.horizon()) * static_cast<double>(fresh.action_count());
  const auto each = std::min(
      kMostChecked, std::max(std::int64_t{32}, static_cast<std::int64_t>(kCheckedNumbers / size)));
  // The reported probabilities of each run and its actions.
  using Run = std::pair<std::vector<double>, std::vector<int>>;
  const auto runs = map_chunks(control, static_cast<std::size_t>(2 * each), [&](std::size_t i) {
    Run run;
    if (control.stopped()) return run;
    const Side side = i % 2 == 0 ? Side::kBase : Side::kNeighbour;
    ReplayStream random({seed, hash_purpose("reported/draws"), i / 2, i % 2, Phase::kCheck});
    ReportedPair process = fresh;
    process.restart();
    while (process.round() < process.horizon()) {
      const int action = process.draw(side, random);
      const auto row = process.probabilities(side);
      run.first.insert(run.first.end(), row.begin(), row.end());
      run.second.push_back(action);
      process.advance(action);
    }
    return run;
  });
  DrawnActionsTest test(alpha);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [probabilities, actions] = runs[i];
    if (actions.empty()) break;
    test.run(i % 2 == 0 ? Side::kBase : Side::kNeighbour, probabilities, actions);
  }
  return CheckResult::by_e_value(
      "drawn actions",
      fmt::format("the actions of {} runs follow the reported probabilities, by bets that learn",
                  grouped(test.runs())),
      test.evidence().e_value(), test.evidence().threshold(), !test.evidence().alarm());
}

const CheckResult* failed_check(const PairEvidence& evidence) {
  const auto found = std::find_if(evidence.checks.begin(), evidence.checks.end(),
                                  [](const CheckResult& check) { return !check.passed; });
  return found == evidence.checks.end() ? nullptr : &*found;
}

bool lists_all(const PathShape& shape) {
  const auto count = count_transcripts(static_cast<int>(shape.actions), shape.rounds);
  return count && *count <= kMostListed;
}

// No sample bounds eps at delta = 0, so a pure claim lists the transcripts if it can.
Method method_for(const AuditTerms& terms, const ReportedPlan& plan, const PathShape& shape) {
  const bool is_pure = std::holds_alternative<PureDp>(terms.claim);
  return is_pure && lists_all(shape) ? Method::kExact : plan.method;
}

// What prepare_audit() would make for a policy with this likelihood.
PreparedAudit audit_of(const std::shared_ptr<ReportedPaths>& paths, const InputPair& pair,
                       const AuditTerms& terms, const ReportedPlan& plan) {
  PreparedAudit audit{terms, {}, {}, method_for(terms, plan, paths->shape())};
  audit.subject.id = "target";
  // A round of either is a choice among actions.
  audit.subject.shape = {
      .kind = InputKind::kBandit, .arms = paths->shape().actions, .horizon = paths->shape().rounds};
  audit.subject.is_told = true;
  audit.subject.process = [paths](const InputPair&) -> std::unique_ptr<PairProcess> {
    return std::make_unique<ReportedPair>(paths);
  };
  audit.request.input = AuditInput::of("", "", pair);
  audit.request.samples = plan.samples;
  return audit;
}

Status bound(const std::shared_ptr<ReportedPaths>& paths, const InputPair& pair,
             const AuditTerms& terms, const ReportedPlan& plan, const RunControl& control,
             ReportedBounds& bounds) {
  const double alpha = kReportedShare * alpha_of(terms.confidence);
  paths->check_seeds(kSeedPaths);
  const CheckResult draws =
      check_draws(ReportedPair(paths), terms.seed, kDrawsShare * alpha, control);
  if (control.stopped()) return fail(ErrorCode::kInterrupted, "interrupted");
  const LedgerEntry spent{"check of drawn actions", kDrawsShare * alpha};
  if (!draws.passed) {
    bounds.evidence.checks = {draws};
    bounds.evidence.ledger = {spent};
  } else {
    AuditTerms rest = terms;
    rest.confidence = 1.0 - (1.0 - kDrawsShare) * alpha;
    auto gathered = ASSAY_TRY(gather_transcripts(audit_of(paths, pair, rest, plan), control));
    bounds.evidence = std::move(gathered.evidence);
    bounds.evidence.checks.insert(bounds.evidence.checks.begin(), draws);
    bounds.evidence.ledger.insert(bounds.evidence.ledger.begin(), spent);
    if (bounds.evidence.interrupted) return fail(ErrorCode::kInterrupted, "interrupted");
  }
  if (const CheckResult* failed = failed_check(bounds.evidence)) {
    bounds.none = fmt::format("the draws do not follow the reported probabilities: {}, {}",
                              failed->name, failed->value_text());
  }
  return {};
}

// The bound of the quantity, marked as one that holds under the condition.
EvidencedBound if_right(EvidencedBound bound) {
  if (bound.evidence == Evidence::kNone) return bound;
  bound.how = fmt::format("{}: {}", to_string(bound.evidence), bound.how);
  bound.evidence = Evidence::kReported;
  return bound;
}

}  // namespace

Status check_reports(const Target& target, const ReportedPlan& plan) {
  const auto shape = path_shape(target.shape());
  const std::string method = plan.method == Method::kExact ? "exact" : "likelihood";
  if (!shape) {
    return fail(ErrorCode::kInvalidArgument, "--method " + method + ": " + shape.error().message);
  }
  if (!target.reports_probabilities()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "--method {} needs the probabilities of a target's actions, and {} reports none "
            "(docs/protocol.md, \"Probabilities\"): without them use --method events",
            method, target.name()));
  }
  if (plan.method != Method::kExact || lists_all(*shape)) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format(
          "--method exact asks a target for at most {} transcripts, and {} actions over {} rounds "
          "have more: --method likelihood samples them",
          grouped(kMostListed), shape->actions, shape->rounds));
}

Result<ReportedBounds> reported_bounds(const Target& target, const InputPair& pair,
                                       const AuditTerms& terms, const ReportedPlan& plan,
                                       const RunControl& control) {
  ReportedBounds bounds;
  std::shared_ptr<ReportedPaths> paths;
  try {
    auto first = ASSAY_TRY(target.clone());
    paths = std::make_shared<ReportedPaths>(std::move(first), pair,
                                            terms.seed ^ hash_purpose("reported probabilities"));
    ASSAY_TRY(bound(paths, pair, terms, plan, control, bounds));
  } catch (const ReportedFault& fault) {
    if (!fault.is_unbounded()) return tl::make_unexpected(fault.error());
    bounds.evidence = {};
    bounds.evidence.ledger = {
        {std::string(kReportedPurpose), kReportedShare * alpha_of(terms.confidence)}};
    bounds.none = fault.error().message;
  }
  bounds.paths = paths->asked();
  bounds.again = paths->asked_again();
  bounds.runs = paths->runs();
  return bounds;
}

void add_reported(AuditReport& report, ReportedBounds bounds) {
  PairEvidence& evidence = report.evidence;
  std::erase_if(evidence.ledger,
                [](const LedgerEntry& entry) { return entry.purpose == kReportedPurpose; });
  for (LedgerEntry& entry : bounds.evidence.ledger) {
    entry.purpose = "if reported: " + entry.purpose;
    evidence.ledger.push_back(std::move(entry));
  }
  for (CheckResult& check : bounds.evidence.checks) evidence.checks.push_back(std::move(check));
  const std::string asked = fmt::format(
      "{} more runs, and {} answers with probabilities along forced actions, of which {} were asked again with another "
      "seed and were the same to the bit",
      grouped(bounds.runs), grouped(bounds.paths), grouped(bounds.again));
  const bool undecided = report.verdict == Verdict::kNotRefuted || report.verdict == Verdict::kWeak;
  if (!bounds.none.empty()) {
    evidence.limits.push_back(fmt::format(
        "The probabilities that the target reports give no upper bound: {}.", bounds.none));
    evidence.limits.push_back("The check of the reported probabilities took " + asked + ".");
    if (!undecided) return;
    report.verdict = Verdict::kInconclusive;
    report.strength.reset();
    report.reason = "no upper bound: " + bounds.none + "; the lower bounds are those of the runs";
    return;
  }
  evidence.limits.front() =
      "The lower bounds are those of the runs alone. The upper bounds hold if the reported probabilities are right: the "
      "checks above can find that they are wrong, but not prove that they are right. Other inputs may leak more.";
  evidence.limits.push_back("The upper bounds took " + asked + ".");
  report.if_reported = bounds.evidence.quantities;
  for (const ReportedQuantity& reported : bounds.evidence.quantities) {
    const auto known = std::find_if(
        evidence.quantities.begin(), evidence.quantities.end(), [&](const ReportedQuantity& one) {
          return one.kind == reported.kind &&
                 (one.kind == QuantityKind::kMu || one.at == reported.at);
        });
    if (known != evidence.quantities.end()) {
      known->upper = if_right(reported.upper);
    } else {
      evidence.quantities.push_back({reported.kind, reported.at, {}, if_right(reported.upper)});
    }
  }
  const auto* largest = find_quantity(evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0);
  if (largest != nullptr && std::isinf(largest->upper.value)) {
    evidence.limits.push_back(
        "A sample of transcripts gives no upper bound on eps at delta = 0. A claim with a delta has one.");
  }
  if (!undecided) return;
  const Decision decided = decide(report.claim, bounds.evidence, std::nullopt);
  if (decided.verdict == Verdict::kVerified) {
    report.verdict = Verdict::kVerifiedIfReported;
    report.strength.reset();
    report.reason = fmt::format("{}, {}", kIfRight, decided.reason);
  } else if (decided.verdict == Verdict::kViolated) {
    report.verdict = Verdict::kInconclusive;
    report.strength.reset();
    report.reason = fmt::format("{}, {}; the runs alone do not show it", kIfRight, decided.reason);
  }
}

}  // namespace assay::detail

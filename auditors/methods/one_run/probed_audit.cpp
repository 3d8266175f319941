#include "assay/auditors/methods/one_run/probed_audit.hpp"

#include <algorithm>

#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::size_t kFewestEntries = 8;
constexpr std::int64_t kFewestToProbe = 4'000;  // plays in all
constexpr double kOfTheTime = 0.15;
constexpr std::int64_t kMostRuns = 400;  // certified, and as many to learn from

std::int64_t plays_in_all(const BlackBoxPlan& plan) {
  return plan.plays.value_or(4 * plan.samples);
}

}  // namespace

bool can_probe(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
               const Canaries& canaries) {
  return subjects.size() == 1 && !subjects.front().deterministic && plan.output_grid == 0.0 &&
         canaries.size() >= kFewestEntries && plays_in_all(plan) >= kFewestToProbe;
}

Result<BlackBoxOutcome> audit_probed(std::span<const PlayedSubject> subjects,
                                     const BlackBoxPlan& plan,
                                     const std::optional<Canaries>& canaries,
                                     const RunControl& control) {
  if (!canaries || !can_probe(subjects, plan, *canaries)) {
    return audit_black_box(subjects, plan, control);
  }
  OneRunPlan probe;
  static_cast<AuditTerms&>(probe) = plan;
  probe.claim = subjects.front().claim;
  probe.runs = probe.training = std::min(kMostRuns, plays_in_all(plan) / 100);
  probe.canaries_text = "each entry at one extreme or the other";
  probe.probe_share = kProbeShare;
  BlackBoxPlan rest = plan;
  const RunControl part = plan.is_timed() ? control.within(kOfTheTime) : control;
  auto probed = audit_one_run(subjects.front(), *canaries, probe, part);
  // A probe that was too slow for its time leaves the rest to the search.
  const auto is_late = [&](const Error& error) {
    return plan.is_timed() && error.code == ErrorCode::kInterrupted && part.out_of_time() &&
           !control.interrupted();
  };
  if (!probed && !is_late(probed.error())) return tl::make_unexpected(probed.error());
  if (probed) {
    PlaysSpent& spent = rest.played;
    const PlaysSpent& of_probe = *probed->evidence.plays;
    spent.probe = of_probe.learning + of_probe.certified;
    spent.checks += of_probe.checks;
    if (probed->decision) {
      spent.budget = plan.plays;
      probed->evidence.plays = spent;
      return probed;
    }
    if (probed->target_error && !is_late(*probed->target_error)) {
      return tl::make_unexpected(*probed->target_error);
    }
  }
  rest.shares_spent.emplace_back("one-run probe, which refuted nothing", kProbeShare);
  return audit_black_box(subjects, rest, control);
}

}  // namespace assay

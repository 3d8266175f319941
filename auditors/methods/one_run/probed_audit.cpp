#include "assay/auditors/methods/one_run/probed_audit.hpp"

#include <algorithm>
#include <cstdint>

#include "assay/auditors/methods/black_box/first_look.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

constexpr std::size_t kFewestEntries = 8;
constexpr std::int64_t kFewestToProbe = 4'000;  // runs in total
constexpr double kOfTheTime = 0.15;
constexpr std::int64_t kFewToLook = 100;    // runs, or
constexpr std::int64_t kOfRunsToLook = 20;  // one in so many for the look, at most
constexpr std::int64_t kMostRuns = 400;     // certified, and as many to learn from

std::int64_t runs_in_all(const BlackBoxPlan& plan) { return plan.runs.value_or(4 * plan.samples); }

}  // namespace

bool can_probe(std::span<const PlayedSubject> subjects, const BlackBoxPlan& plan,
               const Canaries& canaries) {
  return subjects.size() == 1 && !subjects.front().deterministic && plan.output_grid == 0.0 &&
         canaries.size() >= kFewestEntries && runs_in_all(plan) >= kFewestToProbe;
}

Result<BlackBoxOutcome> audit_probed(std::span<const PlayedSubject> subjects,
                                     const BlackBoxPlan& plan,
                                     const std::optional<Canaries>& canaries,
                                     const RunControl& control) {
  if (subjects.empty() || plan.pairs.empty()) return audit_black_box(subjects, plan, control);
  BlackBoxPlan rest = plan;
  if (std::any_of(subjects.begin(), subjects.end(),
                  [](const PlayedSubject& one) { return !one.deterministic; })) {
    rest.still_alpha = 0.5 * kLookShare * alpha_of(plan.confidence);
    rest.shares_spent.emplace_back(kLookPurpose, kLookShare);
  }
  // Looks at one setting alone: several settings run one at a time, and the search examines all of them.
  const bool looks = subjects.size() == 1 && rest.still_alpha > 0.0;
  const std::int64_t most = looks ? std::max(kFewToLook, runs_in_all(plan) / kOfRunsToLook) : 0;
  const auto all = static_cast<double>(runs_in_all(plan));
  // Most looks end after a few runs.
  const FirstLook look =
      look_first(subjects.front(), plan, rest.still_alpha, most, control.stage(0.0, 0.0));
  if (look.pair && !look.error) return outcome_of(look, subjects.front(), plan, rest.still_alpha);
  rest.played.checks += look.runs;
  const InputShape& shape = subjects.front().players->shape();
  if (look.error) return undecided_outcome(shape, rest, rest.played, *look.error);
  if (!canaries || !can_probe(subjects, plan, *canaries)) {
    return audit_black_box(subjects, rest, control);
  }
  OneRunPlan probe{plan.terms()};
  probe.claim = subjects.front().claim;
  probe.runs = probe.training = std::min(kMostRuns, runs_in_all(plan) / 100);
  probe.canaries_text = "each entry at one extreme or the other";
  probe.probe_share = kProbeShare;
  const auto probed_runs = static_cast<double>(probe.runs + probe.training);
  const RunControl part = (plan.is_timed() ? control.within(kOfTheTime) : control)
                              .stage(0.0, std::min(1.0, probed_runs / all));
  auto probed = audit_one_run(subjects.front(), *canaries, probe, part);
  // If the pre-screen was too slow for its time, or the target refuses its inputs, the search gets the rest.
  const auto is_late = [&](const Error& error) {
    if (error.code == ErrorCode::kRefusedInput) return true;
    return plan.is_timed() && error.code == ErrorCode::kInterrupted && part.out_of_time() &&
           !control.interrupted();
  };
  if (!probed && !is_late(probed.error())) return tl::make_unexpected(probed.error());
  if (probed) {
    RunsSpent& spent = rest.played;
    const RunsSpent& of_probe = *probed->evidence.runs;
    spent.probe = of_probe.learning + of_probe.certified;
    spent.checks += of_probe.checks;
    if (probed->decision) {
      spent.budget = plan.runs;
      probed->evidence.runs = spent;
      return probed;
    }
    if (probed->target_error && !is_late(*probed->target_error)) {
      return undecided_outcome(shape, rest, spent, *probed->target_error);
    }
  }
  rest.shares_spent.emplace_back("one-run pre-screen, which refuted nothing", kProbeShare);
  return audit_black_box(subjects, rest, control);
}

}  // namespace assay

#include "assay/auditors/methods/black_box/internal/conclusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/auditors/methods/black_box/first_look.hpp"
#include "assay/auditors/methods/black_box/internal/stop_rule.hpp"
#include "assay/auditors/methods/black_box/planted_shares.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

constexpr const char* kAsFrequent = "an event as frequent as the counted one";
constexpr const char* kAsUsual = "an event in one of ten runs";  // kUsualFrequency

// Whether it fails often on both inputs, so that its other behaviour was hardly seen.
bool fails_often(const FailureEvidence& found) {
  return static_cast<double>(found.base_failed) >
             kOftenFails * static_cast<double>(found.base_runs) &&
         static_cast<double>(found.neighbour_failed) >
             kOftenFails * static_cast<double>(found.neighbour_runs);
}

std::string often_text(const FailureEvidence& found) {
  return fmt::format(
      "the target fails in {} of {} runs on the base input and in {} of {} on the neighbouring input; a target that "
      "fails so often is probably not the one that you meant to audit; it said: {}",
      grouped(found.base_failed), grouped(found.base_runs), grouped(found.neighbour_failed),
      grouped(found.neighbour_runs), found.said);
}

std::string event_text(const EventEvidence& seen) {
  return fmt::format("seen in {} of {} runs on the base input, {} of {} on the neighbouring input",
                     grouped(seen.base_hits), grouped(seen.base_runs), grouped(seen.neighbour_hits),
                     grouped(seen.neighbour_runs));
}

// The counts do not even count as bounds.
void drop_bounds(PairEvidence& evidence) {
  for (auto& q : evidence.quantities) q.lower = {0.0, Evidence::kNone, ""};
  evidence.event.reset();
  if (auto& e_process = evidence.e_process) e_process->all.logs.fill(-HUGE_VAL);
}

// Includes failures in the search.
FailureEvidence all_failures(const ChosenEvent& chosen, const PairEvidence& evidence) {
  FailureEvidence all = chosen.failures;
  const auto& certified = evidence.failures;
  all.base_runs += certified ? certified->base_runs : evidence.samples;
  all.neighbour_runs += certified ? certified->neighbour_runs : evidence.samples;
  if (!certified) return all;
  all.base_failed += certified->base_failed;
  all.neighbour_failed += certified->neighbour_failed;
  all.said = certified->said;
  return all;
}

// ---- the leak that this run would have seen, in the units of the claim

double visible_by_bets(const EventTest& test, const SideBettingPlan& bets, double frequency,
                       double power, std::uint64_t seed) {
  const Asked& asked = test.asked;
  return asked.gaussian
             ? smallest_visible_mu(asked.mu, frequency, bets, power, seed).value
             : smallest_visible_epsilon(asked.epsilon, asked.delta, frequency, bets, power, seed)
                   .value;
}

// For divided runs, all of them and those of each seeding must show it, each with half of the error.
double visible_by_bets(const EventTest& test, double frequency, std::uint64_t seed) {
  const BoundPlan bound = test.main_bound();
  if (!bound.divided) return visible_by_bets(test, bound.bets(), frequency, kVisiblePower, seed);
  const double error = 0.5 * (1.0 - kVisiblePower);
  return std::max(
      visible_by_bets(test, bound.bets(), frequency, 1.0 - error, seed),
      visible_by_bets(test, bound.of_one_seeding().bets(), frequency, 1.0 - 0.5 * error, seed));
}

// The level that the audit would have seen, for an event of this frequency; infinite if none.
double visible_level(const AuditFindings& found, double frequency, std::uint64_t seed) {
  const EventTest& test = found.test;
  if (!found.recorded()) return visible_by_bets(test, frequency, seed);
  if (test.asked.gaussian)
    return level_seen(test.asked, frequency, test.main_alpha, false, found.planned);
  return smallest_visible_epsilon(test.asked.epsilon, test.asked.delta, frequency, found.counts.n,
                                  found.counts.m, test.main_alpha, kVisiblePower)
      .value;
}

SmallestVisible smallest_visible(const AuditFindings& found, const BlackBoxPlan& plan) {
  const EventTest& test = found.test;
  const double frequency = frequency_of(test.event(), found.planned);
  const double level = visible_level(found, frequency, plan.seed);
  auto needed = samples_to_see(test.asked, found.to_see, frequency, test.main_alpha, test.divided);
  if (needed > 0 && level > found.to_see && std::isfinite(level)) {
    // Standard errors promise a little too much. The room above the claim shrinks like 1/sqrt(n).
    const double claimed = test.claimed();
    const double ratio = (level - claimed) / (found.to_see - claimed);
    needed = std::max(
        needed, static_cast<std::int64_t>(ratio * ratio * static_cast<double>(found.planned)));
  }
  const bool nothing_tells = is_trivial(test.event(), found.planned);
  return {level, kVisiblePower, nothing_tells ? kAsUsual : kAsFrequent, needed};
}

// ---- the verdict

// A verdict about this pair, because no other was certified.
Decision of_this_pair(Verdict verdict, std::string reason) {
  return {verdict, Scope::kThisPair, std::move(reason)};
}
Decision inconclusive(std::string reason) {
  return of_this_pair(Verdict::kInconclusive, std::move(reason));
}

Decision not_refuted(const AuditFindings& found, const char* reason, PairEvidence& evidence) {
  const bool is_meant = !found.recorded() && found.subject().deterministic;
  evidence.constant = found.constant && !is_meant;
  return of_this_pair(Verdict::kNotRefuted, evidence.constant ? kConstant : reason);
}

// The decision if counts of these runs prove nothing; else nothing.
std::optional<Decision> without_evidence(const AuditFindings& found, const BlackBoxPlan& plan,
                                         PairEvidence& evidence) {
  if (!found.independent) {
    drop_bounds(evidence);
    evidence.dependent = true;
    return inconclusive(
        "the runs of the target are not independent of each other, so counts of them prove "
        "nothing");
  }
  if (found.alike && !found.subject().deterministic) {
    drop_bounds(evidence);
    const double p_value = never_varies_p_value(found.test.asked, found.certified);
    if (!(p_value <= plan.still_alpha)) return inconclusive(kAlike);
    add_no_noise(p_value, plan.still_alpha, evidence);
    return inconclusive(no_noise_text(found.certified, found.subject().promises_seeds));
  }
  if (found.refuted && found.by_time) {
    drop_bounds(evidence);
    return inconclusive(kByTime);
  }
  return {};
}

Decision decide(const AuditFindings& found, const BlackBoxPlan& plan, const RunControl& control,
                PairEvidence& evidence) {
  if (auto none = without_evidence(found, plan, evidence)) return std::move(*none);
  if (found.refuted) {
    const char* by = found.recorded() ? "refuted by the counts of one event, "
                     : found.by_bets ? "refuted by a bet before each run; the best event found was "
                                     : "refuted by bets on one event and its score, ";
    return of_this_pair(Verdict::kViolated, by + event_text(*evidence.event));
  }
  if (found.seedings.falls_short()) return inconclusive(found.seedings.reason());
  for (const FailureEvidence& failures :
       {evidence.failures.value_or(FailureEvidence{}), all_failures(found.chosen, evidence)}) {
    if (fails_often(failures)) return inconclusive(often_text(failures));
  }
  auto& visible = evidence.smallest_visible;
  if (found.futile_at) {
    visible = {*found.futile_at, kVisiblePower, kAsFrequent};
    return not_refuted(
        found,
        "the audit stopped early, because the best event found seems to leak less than it was to see",
        evidence);
  }
  if (evidence.samples < found.planned) {
    return inconclusive(
        fmt::format("{} after {} of {} runs on each input, before it decided the claim",
                    control.out_of_time() ? "the time ended the run" : "the run stopped",
                    grouped(evidence.samples), grouped(found.planned)));
  }
  if (plan.say_visible) visible = smallest_visible(found, plan);
  return not_refuted(found, "the best event found does not refute the claim", evidence);
}

// ---- the pair and the limits

WorstPair worst_pair(const AuditFindings& found, const InputShape& shape,
                     const BlackBoxPlan& plan) {
  const ChosenEvent& chosen = found.chosen;
  WorstPair pair;
  pair.inputs = plan.pairs[chosen.candidate.pair];
  pair.found_by = plan.pairs_text;
  if (chosen.searched > 1 || chosen.settled) {
    pair.found_by += fmt::format(", {} {}{} by successive halving", chosen.searched,
                                 plural(static_cast<std::int64_t>(chosen.searched), "pair"),
                                 found.subjects.size() == 1 ? "" : " of inputs and settings");
    if (chosen.refined > 0) {
      pair.found_by += fmt::format(", {} of them around the best", chosen.refined);
    }
    if (chosen.settled) pair.found_by += ", ended by a pair that leaks obviously";
  }
  pair.shape = shape;
  const bool moved = pair.inputs.base_row().size() == pair.inputs.neighbour_row().size();
  pair.shows_both = pair.inputs.differing() > 1 || !moved;
  if (!moved) pair.found_by += "; one value more or fewer";
  return pair;
}

std::vector<std::string> limits_of(const AuditFindings& found, const InputShape& shape,
                                   const BlackBoxPlan& plan, const PairEvidence& evidence) {
  std::vector<std::string> limits = {
      "A black box gives only lower bounds. A leak that the audit did not see may show on another "
      "input, or in another event.",
      !found.recorded()
          ? "The audit tests the statement that every run is as private as claimed, given all runs "
            "before it, even for a target that drifts or remembers. The statement applies to a run "
            "by itself only if runs share no noise. The checks above look for shared noise, but "
            "cannot find every kind."
          : "The bounds hold if the recorded runs are independent of each other, which the records "
            "alone cannot show."};
  const bool searched = plan.boundaries;  // for pairs, without an input of the user
  if (searched) limits.push_back(planted_share_text(shape.kind));
  if (found.alike && found.subject().deterministic) {
    limits.push_back(
        "The target is declared deterministic, so it is not a fault if all its runs are alike.");
  }
  if (const auto all = all_failures(found.chosen, evidence);
      !evidence.failures && !all.said.empty()) {
    limits.push_back(fmt::format(
        "No certified run failed, but {} of all {} did, on this pair or another; the first said: {}",
        grouped(all.base_failed + all.neighbour_failed),
        grouped(all.base_runs + all.neighbour_runs), all.said));
  }
  if (plan.output_grid > 0.0) {
    limits.push_back(fmt::format(
        "Outputs were rounded to multiples of {} before the audit read them. These bounds "
        "do not cover a leak in their lower bits.",
        rounded(plan.output_grid, 12)));
  }
  return limits;
}

}  // namespace

void conclude(const AuditFindings& findings, const InputShape& shape, const BlackBoxPlan& plan,
              const RunControl& control, BlackBoxOutcome& outcome) {
  auto& evidence = outcome.evidence;
  outcome.view = view_of(shape);
  evidence.method = "events";
  evidence.samples_planned = findings.planned;
  if (!findings.recorded()) {
    outcome.pair = worst_pair(findings, shape, plan);
    outcome.relation = relation_of(shape, outcome.pair.inputs);
  }
  outcome.decision = decide(findings, plan, control, evidence);
  evidence.limits = limits_of(findings, shape, plan, evidence);
}

}  // namespace assay

#include "assay/auditors/regret/regret_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/text/rounded_count.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A block of runs is so short that a time budget ends soon after its end.
constexpr std::int64_t kBlocksOfChunk = 16;

// What the entry asks for, read and checked.
struct RegretPlan {
  SimulatedPolicy policy;
  std::optional<SimulatedPolicy> baseline;
  std::int64_t horizon = 1;
  std::int64_t runs = 1;
  double limit = 0.0;
  std::uint64_t seed = 1;
  double alpha = 0.001;
};

tl::unexpected<Error> missing(const std::string& option, const std::string& meaning) {
  return fail(ErrorCode::kInvalidArgument, "a regret needs " + option + ", " + meaning);
}

Status check_limit(const RegretJob& job) {
  if (job.at_most && !job.baseline.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "at-most and baseline contradict each other: give one of them");
  }
  if (job.at_most) return {};
  if (job.baseline.empty()) {
    return missing("a limit",
                   "at-most = NUMBER, or baseline = \"POLICY\" with at-most-times = NUMBER");
  }
  if (job.at_most_times) return {};
  return missing("at-most-times", "the multiple of the baseline's regret that is allowed");
}

Result<RegretSetting> setting_of(const RegretJob& job) {
  if (!job.environment) {
    return missing("environment", either(enum_names(RegretEnvironment{}),
                                         [](const auto& one) { return std::string(one.second); }));
  }
  const bool has_rates = *job.environment == RegretEnvironment::kTruncatedExponentialArms;
  const auto& values = has_rates ? job.rates : job.means;
  if (values.empty()) {
    return missing(values_option(*job.environment), "a number for each arm or expert");
  }
  if (!job.horizon) return missing("horizon", "the number of rounds of a run");
  return RegretSetting{*job.environment, values, *job.horizon};
}

Result<RegretPlan> plan_of(const RegretJob& job) {
  const RegretFacts facts = {job.environment.value_or(RegretEnvironment::kBernoulliArms),
                             !job.baseline.empty()};
  ASSAY_TRY(check_options(job, facts, "this entry"));
  if (job.policy.empty()) {
    return missing("policy", "one of " + joined(simulated_policy_names()));
  }
  const auto setting = ASSAY_TRY(setting_of(job));
  if (!job.runs) return missing("runs", "the number of independent runs of the policy");
  ASSAY_TRY(check_limit(job));
  RegretPlan plan;
  plan.policy = ASSAY_TRY(simulated_policy({job.policy, job.parameters}, setting));
  if (!(plan.policy.most_regret > 0.0)) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(values_option(setting.environment)) +
                    " must differ: if all actions are equally good, every policy has regret 0");
  }
  if (job.at_most && *job.at_most >= plan.policy.most_regret) {
    return fail(ErrorCode::kInvalidArgument,
                "at-most must be below " + rounded(plan.policy.most_regret, 6) +
                    ", the regret of the worst action in every round, not " +
                    number_text(*job.at_most));
  }
  if (!job.baseline.empty()) {
    plan.baseline = ASSAY_TRY(simulated_policy(
        {job.baseline, job.baseline_parameters, "baseline", "baseline-parameters"}, setting));
  }
  plan.horizon = setting.horizon;
  plan.runs = *job.runs;
  plan.limit = job.at_most ? *job.at_most : *job.at_most_times;
  plan.seed = job.seed;
  plan.alpha = job.alpha;
  return plan;
}

// The regrets of the runs of one policy, in their order.
struct PlayedRegrets {
  const SimulatedPolicy* policy;
  std::uint64_t purpose;
  std::vector<double> regrets = {};
};

// Makes the runs [first, end) of both policies. Returns whether it made all of them.
bool play_block(const RegretPlan& plan, std::vector<PlayedRegrets>& played, std::int64_t first,
                std::int64_t end, const RunControl& control) {
  const std::int64_t size =
      std::max<std::int64_t>(1, chunk_repetitions(plan.horizon) / kBlocksOfChunk);
  const auto chunks = static_cast<std::size_t>((end - first + size - 1) / size);
  std::vector<std::optional<ChunkResult>> results(chunks * played.size());
  const std::int64_t rounds[] = {plan.horizon};
  parallel_for(control.threads, results.size(), [&](std::size_t i) {
    // The first runs are made in any case, so that a small budget still gives a result.
    if (first == 0 ? control.interrupted() : control.stopped()) return;
    const PlayedRegrets& one = played[i / chunks];
    ChunkPlan chunk;
    chunk.rounds = rounds;
    chunk.seed = plan.seed;
    chunk.policy_purpose = one.purpose;
    chunk.environment_purpose = hash_purpose("regret/environment");
    chunk.first = first + static_cast<std::int64_t>(i % chunks) * size;
    chunk.end = std::min(chunk.first + size, end);
    chunk.cancel = control.cancel;
    results[i] = one.policy->series.play(chunk);
  });
  if (std::any_of(results.begin(), results.end(), [](const auto& one) { return !one; })) {
    return false;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& regrets = played[i / chunks].regrets;
    const auto& more = results[i]->final_pseudo;
    regrets.insert(regrets.end(), more.begin(), more.end());
  }
  return true;
}

RegretBounds bounds_of(const PlayedRegrets& played, std::int64_t planned, double alpha) {
  const auto interval = mean_interval_between(played.regrets, 0.0, played.policy->most_regret,
                                              {.alpha = alpha, .horizon = planned});  // (1)
  const double sum = std::accumulate(played.regrets.begin(), played.regrets.end(), 0.0);
  return {sum / static_cast<double>(played.regrets.size()), interval.lower.value.value,
          interval.upper.value.value};
}

// (2), rounded outward.
RegretBounds ratio_of(const RegretBounds& regret, const RegretBounds& baseline) {
  const auto quotient = [](double a, double b) {
    return detail::Enclosure(a) / detail::Enclosure(b);
  };
  return {baseline.value > 0.0 ? regret.value / baseline.value : kInfinite,
          std::max(0.0, quotient(regret.lower, baseline.upper).low),
          baseline.lower > 0.0 ? quotient(regret.upper, baseline.lower).high : kInfinite};
}

Result<RegretReport> measure(const RegretPlan& plan, const RunControl& control) {
  std::vector<PlayedRegrets> played;
  played.push_back({&plan.policy, hash_purpose("regret/policy")});
  if (plan.baseline) played.push_back({&*plan.baseline, hash_purpose("regret/baseline")});
  RegretReport report;
  report.horizon = plan.horizon;
  report.planned = plan.runs;
  report.most_regret = plan.policy.most_regret;
  report.limit = plan.limit;
  report.alpha = plan.alpha;
  std::int64_t block = 16;  // each is twice as long as the last, so that the first ends soon
  while (report.runs < plan.runs) {
    const std::int64_t end = std::min(report.runs + block, plan.runs);
    if (!play_block(plan, played, report.runs, end, control)) break;
    report.runs = end;
    block *= 2;
    control.report("runs", static_cast<double>(end) / static_cast<double>(plan.runs));
  }
  report.interrupted = control.interrupted();
  if (report.runs == 0) return fail(ErrorCode::kInterrupted, "interrupted");
  auto ledger = ASSAY_TRY(AlphaLedger::create(plan.alpha));
  const double share = 1.0 / static_cast<double>(played.size());
  report.regret =
      bounds_of(played[0], plan.runs, ASSAY_TRY(ledger.spend("regret of the policy", share)));
  if (!plan.baseline) return report;
  report.baseline = plan.baseline->series.id;
  report.baseline_regret =
      bounds_of(played[1], plan.runs, ASSAY_TRY(ledger.spend("regret of the baseline", share)));
  report.ratio = ratio_of(report.regret, *report.baseline_regret);
  return report;
}

}  // namespace

void RegretJob::fields(const VisitOption<RegretJob>& visit) {
  using J = RegretJob;
  constexpr auto kHasBaseline = [](const RegretFacts& facts) { return facts.has_baseline; };
  constexpr auto kHasRates = [](const RegretFacts& facts) {
    return facts.environment == RegretEnvironment::kTruncatedExponentialArms;
  };
  constexpr auto kHasMeans = [](const RegretFacts& facts) {
    return facts.environment != RegretEnvironment::kTruncatedExponentialArms;
  };
  visit(option(&J::policy, {.name = "policy",
                            .type = "POLICY",
                            .help = "Run this policy: " + either(simulated_policy_names()) + "."}));
  visit(option(&J::parameters,
               parameter_option("Set parameters of the policy, as for its audit. The arms and the "
                                "horizon follow from the entry.")));
  std::vector<std::string> environments;
  for (const auto& [value, name] : enum_names(RegretEnvironment{})) environments.emplace_back(name);
  visit(option(&J::environment, {.name = "environment",
                                 .type = "ENVIRONMENT",
                                 .help = "Draw the feedback of the policy's actions from these "
                                         "distributions.",
                                 .choices = environments}));
  visit(option(&J::means,
               {.name = "means",
                .type = "NUMBER",
                .help = "Give each arm this mean reward (for bernoulli-losses each expert this "
                        "mean loss, for scored-duels each arm this score).",
                .takes_many = true},
               {"the other environments", kHasMeans}));
  visit(option(&J::rates,
               {.name = "rates",
                .type = "NUMBER",
                .help = "Give the reward of each arm this rate.",
                .takes_many = true},
               {"environment truncated-exponential-arms", kHasRates}));
  visit(option(&J::horizon, {.name = "horizon",
                             .type = "T",
                             .help = "Measure the regret after this many rounds.",
                             .group = OptionGroup::kEffort,
                             .range = {1, 1e7}}));
  visit(option(&J::runs, {.name = "runs",
                          .type = "N",
                          .help = "Make this many independent runs of each policy.",
                          .group = OptionGroup::kEffort,
                          .range = {1, static_cast<double>(kMostRegretRuns)}}));
  visit(option(&J::at_most, {.name = "at-most",
                             .type = "NUMBER",
                             .help = "Require that the expected cumulative pseudo-regret is at "
                                     "most this.",
                             .group = OptionGroup::kClaim,
                             .range = at_least(0)}));
  visit(
      option(&J::baseline, {.name = "baseline",
                            .type = "POLICY",
                            .help = "Compare with the regret of this policy, in place of at-most.",
                            .group = OptionGroup::kClaim}));
  visit(option(&J::baseline_parameters,
               {.name = "baseline-parameter",
                .type = "KEY=VALUE",
                .help = "Set parameters of the baseline.",
                .group = OptionGroup::kClaim},
               {"entries with a baseline", kHasBaseline}));
  visit(option(&J::at_most_times,
               {.name = "at-most-times",
                .type = "FACTOR",
                .help = "Require that the expected regret is at most this multiple of the "
                        "baseline's.",
                .group = OptionGroup::kClaim,
                .range = {1e-6, 1e6}},
               {"entries with a baseline", kHasBaseline}));
}

RegretVerdict RegretReport::verdict() const {
  const RegretBounds& bounds = limited();
  if (bounds.upper <= limit) return RegretVerdict::kWithin;
  return bounds.lower > limit ? RegretVerdict::kAbove : RegretVerdict::kUndecided;
}

std::optional<std::int64_t> runs_to_decide(const RegretReport& report) {
  const RegretBounds& bounds = report.limited();
  const auto runs = static_cast<double>(report.runs);
  constexpr double kReserve = 1.25;  // the runs so far do not show the mean exactly
  const double distance = std::abs(report.limit - bounds.value);
  const double width =
      bounds.value <= report.limit ? bounds.upper - bounds.value : bounds.value - bounds.lower;
  // Without an upper bound, the width says nothing yet.
  double needed = 10.0 * runs;
  if (std::isfinite(width) && std::isfinite(distance)) {
    needed = kReserve * runs * (width / distance) * (width / distance);
  }
  if (!(needed <= static_cast<double>(kMostRegretRuns))) return std::nullopt;
  return static_cast<std::int64_t>(rounded_count(needed));
}

Result<PreparedJob<RegretReport>> prepare(const RegretJob& job) {
  const auto plan = ASSAY_TRY(plan_of(job));
  return [plan](const Session& session) { return measure(plan, session.control); };
}

}  // namespace assay

#include "assay/auditors/audit/try_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/audit/audit_parts.hpp"
#include "assay/auditors/audit/try_findings.hpp"
#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/policies/external/containment.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRunsASide = 5;
constexpr double kBatchSeconds = 2.0;   // for the batch of runs, by the time of one run
constexpr std::int64_t kMoreRuns = 64;  // on D, if the first have few different outputs

// Options of audits of cases and of recorded runs. A dry run takes all others, so that one command line serves both: it
// checks those of the claim and the effort, which make no difference to its runs, and passes them on.
constexpr std::array<std::string_view, 8> kOfOtherAudits = {
    "case",   "parameter",  "column",      "features",
    "search", "stop-after", "transcripts", "changed-row"};
// Options of the dry run itself, which the audit may have otherwise.
constexpr std::array<std::string_view, 5> kOwn = {"threads", "format", "quiet", "full", "write"};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::uint64_t> seeds_of(const detail::PlayedTarget& target, std::uint64_t lane,
                                    std::int64_t count) {
  return play_seeds({target.plan.seed, "try", lane, Phase::kPilot}, 0, count);
}

// What a run would show, and NaN, which is not equal to itself although the outputs are the same.
std::vector<double> comparable(std::vector<double> output) {
  for (double& number : output) {
    if (std::isnan(number)) number = -1e308;
  }
  return output;
}

// One process of the target.
class Trial {
 public:
  static Result<Trial> start(const detail::PlayedTarget& target, const ChildLimits& limits) {
    auto started = ASSAY_TRY(target.start(limits));
    return Trial(target, std::move(started));
  }

  const detail::StartedTarget& started() const { return started_; }
  // Whether the error of a call is that of a failed run.
  bool has_failed() const { return started_.target->first_failure().has_value(); }

  // A run on this input in a message of its own. Errors: also a failed run.
  Result<std::vector<double>> play_one(const InputTable& input, std::uint64_t seed) {
    const auto batch = ASSAY_TRY(play_or_fail(*started_.target, input, std::span(&seed, 1)));
    return told_of(target_.shape, batch.play(0));
  }

  // Runs both inputs in turn, with one message for each run; if `turned`, in the opposite order. The runs are by seed.
  Result<PairOutputs> play_pair(std::span<const std::uint64_t> seeds, bool turned = false) {
    const auto inputs = pair();
    PairOutputs outputs;
    for (auto& side : outputs) side.resize(seeds.size());
    for (std::size_t i = 0; i < 2 * seeds.size(); ++i) {
      const std::size_t at = turned ? 2 * seeds.size() - 1 - i : i;
      auto output = ASSAY_TRY(play_one(inputs[at % 2], seeds[at / 2]));
      outputs[at % 2][at / 2] = comparable(std::move(output));
    }
    return outputs;
  }

  Result<RunOutputs> play_each(const InputTable& input, std::span<const std::uint64_t> seeds) {
    RunOutputs outputs;
    for (const std::uint64_t seed : seeds) {
      auto output = ASSAY_TRY(play_one(input, seed));
      outputs.push_back(comparable(std::move(output)));
    }
    return outputs;
  }

  // The ten runs that the report shows, with their times.
  Result<PairOutputs> play_shown(std::span<const std::uint64_t> seeds, TryReport& report) {
    const auto inputs = pair();
    PairOutputs outputs;
    std::vector<double> times;
    for (const std::uint64_t seed : seeds) {
      for (std::size_t side = 0; side < 2; ++side) {
        const auto asked = Clock::now();
        auto output = ASSAY_TRY(play_one(inputs[side], seed));
        times.push_back(seconds_since(asked));
        report.runs.push_back({side == 0 ? Side::kBase : Side::kNeighbour,
                               report.is_plugin ? seed : seed >> 11, output});
        outputs[side].push_back(comparable(std::move(output)));
      }
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    report.play_seconds = times[times.size() / 2];
    return outputs;
  }

  // A message that asks for as many runs on the base input as an audit would, or fewer if these took long.
  Result<OutputBatch> play_batch(TryReport& report) {
    const auto fast =
        static_cast<std::int64_t>(kBatchSeconds / std::max(report.play_seconds, 1e-9));
    const std::int64_t most = runs_a_message(started_.target->shape());
    const std::int64_t count = std::clamp<std::int64_t>(fast, 1, most);
    const auto seeds = seeds_of(target_, 2, count);
    const auto asked = Clock::now();
    auto batch = ASSAY_TRY(play_or_fail(*started_.target, pair()[0], seeds));
    report.batch_seconds = seconds_since(asked) / static_cast<double>(count);
    return batch;
  }

  // The seconds of a message that asks for so many runs on the base input.
  Result<double> time_of(std::int64_t count) {
    const auto seeds = seeds_of(target_, 2, count);
    const auto asked = Clock::now();
    ASSAY_TRY(play_or_fail(*started_.target, pair()[0], seeds));
    return seconds_since(asked);
  }

  Result<TriedInput> try_input(const ExtremeInput& one, std::span<const std::uint64_t> seeds) {
    TriedInput tried{one.name, {}, 0, {}, {}};
    OutputBatch played;
    const auto most = static_cast<std::size_t>(runs_a_message(target_.shape));
    for (std::size_t at = 0; at < seeds.size(); at += most) {
      const auto some = seeds.subspan(at, std::min(most, seeds.size() - at));
      auto batch = started_.target->play(one.input, some);
      if (!batch && batch.error().code == ErrorCode::kRefusedInput) {
        tried.refusal = batch.error().message;
        return tried;
      }
      append(ASSAY_TRY(std::move(batch)), played);
    }
    tried.failed = played.failed();
    tried.failure = played.failure;
    for (std::int64_t i = 0; tried.failed == 0 && i < played.count; ++i) {
      tried.outputs.push_back(comparable(told_of(target_.shape, played.play(i))));
    }
    return tried;
  }

 private:
  Trial(const detail::PlayedTarget& target, detail::StartedTarget started)
      : target_(target), started_(std::move(started)) {}

  std::array<InputTable, 2> pair() const {
    const InputPair& pair = target_.plan.pairs[0];
    return {pair.base_input(), pair.neighbour_input()};
  }

  const detail::PlayedTarget& target_;
  detail::StartedTarget started_;
};

// Nothing if runs do not bound the audit.
Result<std::optional<RunBudget>> budget_of(const AuditJob& job,
                                           const detail::PlayedTarget& target) {
  if (job.seconds || job.method == "one-run") return std::optional<RunBudget>();
  const BlackBoxPlan& plan = target.plan;
  const auto samples = plan.samples > 0 ? std::optional(plan.samples) : std::nullopt;
  const std::size_t candidates = candidates_of(target.settings, plan.pairs.size()).size();
  const RunBudget budget = ASSAY_TRY(divide_runs(plan.runs, samples, candidates));
  return std::optional(budget);
}

// The command of the audit that follows, with the options that were given.
std::string audit_command(TryJob job) {
  const auto written = written_options(job);  // outlives the names
  std::vector<std::string_view> names;
  for (const WrittenOption& option : written) {
    if (!option.from_environment && !contains(kOwn, option.name)) names.push_back(option.name);
  }
  if (job.audit.claim.empty()) {
    job.audit.claim = "eps=1";
    names.push_back("claim");
  }
  return command_line("assay audit", job, names);
}

// What an audit computes itself for a run by which it learns: features, and scores of them.
double own_seconds(const InputShape& shape) {
  constexpr double kOfRun = 2e-5, kOfNumber = 1e-7;
  return kOfRun + kOfNumber * static_cast<double>(shape.width());
}

// Processes start at the same time on all threads: at first, then eight for the check of independence. Two more start
// by themselves (players.hpp, run_checks.cpp).
AuditCost cost_of(const RunBudget& budget, const TryReport& report, int threads) {
  constexpr int kFresh = 8, kAlone = 1;
  AuditCost cost;
  cost.learning = budget.search + budget.learning + kCheckRuns;
  cost.certified = 2 * budget.samples;
  cost.starts = threads + kFresh + kAlone;
  const int rounds = 1 + (kFresh + threads - 1) / threads + kAlone;
  cost.start_seconds = rounds * report.start_seconds * report.crowding;
  cost.seconds = (static_cast<double>(cost.learning) * report.batch_seconds +
                  static_cast<double>(cost.certified) * report.play_seconds) *
                     report.crowding / threads +
                 static_cast<double>(cost.learning) * own_seconds(report.shape) +
                 cost.start_seconds;
  return cost;
}

class DryRun {
 public:
  DryRun(const detail::PlayedTarget& target, const Session& session, TryReport& report)
      : target_(target),
        control_(session.control),
        report_(report),
        limits_(target.limits),
        seeds_(seeds_of(target, 0, kRunsASide)) {
    limits_.cancel = control_.cancel;
    // A user who gives inputs wants no runs of others.
    if (target.plan.boundaries) extremes_ = extreme_inputs(target.shape);
  }

  Status run(const std::optional<RunBudget>& budget) {
    ASSAY_TRY(play_shown());
    report_.unseeded = take_unseeded(report_.standard_error);
    control_.report("running", 0.3);
    ASSAY_TRY(play_again());
    control_.report("running", 0.5);
    ASSAY_TRY(play_others());
    control_.report("running", 0.7);
    if (tried_.repeats()) ASSAY_TRY(play_in_other_orders());
    control_.report("running", 0.9);
    if (tried_.seeds_decide() && !tried_.reads_input()) ASSAY_TRY(play_more_inputs());
    report_.notes = findings_of(tried_, report_);
    if (budget) report_.cost = cost_of(*budget, report_, control_.threads);
    return {};
  }

 private:
  Status play_shown() {
    ChildLimits heard = limits_;
    heard.hear_stderr = [this](std::string_view text) { report_.standard_error += text; };
    const auto started = Clock::now();
    Trial trial = ASSAY_TRY(Trial::start(target_, heard));
    report_.start_seconds = seconds_since(started);
    report_.name = trial.started().target->name();
    report_.seeded = trial.started().promises_seeds;
    report_.deterministic = trial.started().deterministic;
    report_.greeting = trial.started().greeting;
    report_.greeting_answer = trial.started().greeting_answer;
    control_.report("running", 0.1);
    auto outputs = trial.play_shown(seeds_, report_);
    if (!outputs) return failed(trial, outputs.error());
    tried_.first = std::move(*outputs);
    return {};
  }

  // The same ten messages, then inputs at the ends of the domain.
  Status play_again() {
    Trial trial = ASSAY_TRY(start());
    auto outputs = trial.play_pair(seeds_);
    if (!outputs) return failed(trial, outputs.error());
    tried_.again = std::move(*outputs);
    for (const ExtremeInput& one : extremes_) {
      auto tried = trial.try_input(one, seeds_);
      if (!tried) return failed(trial, tried.error());
      tried_.extremes.push_back(std::move(*tried));
    }
    return limit_rewards(trial);
  }

  // Rewards that a program may limit to [0, 1], if the domain has others.
  Status limit_rewards(Trial& trial) {
    constexpr std::int64_t kLimitedRuns = 16;
    const InputShape& shape = target_.shape;
    const InputKindTraits& kind = shape.traits();
    const bool beyond = kind.has_rounds() && !kind.has_contexts() && shape.domain &&
                        shape.domain->bounded() &&
                        (shape.domain->low < 0.0 || shape.domain->high > 1.0);
    if (!beyond || extremes_.size() < 4) return {};
    ExtremeInput limited = extremes_[2];
    for (double& value : limited.input.values) value = std::clamp(value, 0.0, 1.0);
    if (!check_input(shape, limited.input)) return {};  // the domain lies beyond [0, 1]
    const auto seeds = seeds_of(target_, 5, kLimitedRuns);
    std::array<RunOutputs, 3> outputs;
    for (std::size_t i = 0; i < 3; ++i) {
      auto tried = ASSAY_TRY(trial.try_input(i < 2 ? extremes_[2 + i] : limited, seeds));
      if (tried.failed > 0 || !tried.refusal.empty()) return {};
      outputs[i] = std::move(tried.outputs);
    }
    tried_.limited = std::move(outputs);
    return {};
  }

  Status play_others() {
    Trial trial = ASSAY_TRY(start());
    auto outputs = trial.play_pair(seeds_of(target_, 1, kRunsASide));
    if (!outputs) return failed(trial, outputs.error());
    tried_.other = std::move(*outputs);
    auto batch = trial.play_batch(report_);
    if (!batch) return failed(trial, batch.error());
    tried_.batch = std::move(*batch);
    measure_crowding(trial);
    return {};
  }

  // An audit runs a process on each thread, and these share cores, caches and memory. If one of them fails here, alone it
  // did not, and nothing is measured.
  void measure_crowding(Trial& alone) {
    constexpr int kMostAtOnce = 16;
    constexpr double kSlowStart = 5.0, kSeconds = 0.25;
    const auto others = static_cast<std::size_t>(std::min(control_.threads, kMostAtOnce) - 1);
    if (others == 0 || report_.start_seconds > kSlowStart) return;
    const auto fast = static_cast<std::int64_t>(kSeconds / std::max(report_.batch_seconds, 1e-9));
    const auto count =
        std::clamp<std::int64_t>(fast, 1, runs_a_message(alone.started().target->shape()));
    std::vector<std::optional<Trial>> crowd(others);
    const auto threads = static_cast<int>(others + 1);
    parallel_for(threads, others, [&](std::size_t i) {
      if (auto trial = start()) crowd[i].emplace(std::move(*trial));
    });
    const bool all = std::all_of(crowd.begin(), crowd.end(), [](const auto& one) { return !!one; });
    const auto by_itself = alone.time_of(count);
    if (!all || !by_itself) return;
    std::vector<double> seconds(others + 1, 0.0);
    parallel_for(threads, seconds.size(), [&](std::size_t i) {
      seconds[i] = (i < others ? *crowd[i] : alone).time_of(count).value_or(0.0);
    });
    const double slowest = *std::max_element(seconds.begin(), seconds.end());
    report_.crowding = std::max(1.0, slowest / std::max(*by_itself, 1e-9));
  }

  Status play_in_other_orders() {
    if (!tried_.same_other()) {
      Trial trial = ASSAY_TRY(start());
      tried_.turned = ASSAY_TRY(trial.play_pair(seeds_, true));
      if (!tried_.depends_on_order()) return {};
      auto seeds = seeds_of(target_, 1, kRunsASide);
      seeds.front() = seeds_.front();
      Trial later = ASSAY_TRY(start());
      tried_.later = ASSAY_TRY(later.play_pair(seeds));
    }
    ASSAY_TRY(play_after_others());
    const bool few = chance_to_repeat(tried_.first) >= kNoChance;
    if (!tried_.repeats_whatever_the_seeds() || !few) return {};
    std::array<RunOutputs, 2> longer;
    for (std::uint64_t i = 0; i < 2; ++i) {
      Trial trial = ASSAY_TRY(start());
      longer[i] = ASSAY_TRY(
          trial.play_each(target_.plan.pairs[0].base_input(), seeds_of(target_, 3 + i, kMoreRuns)));
    }
    tried_.longer = std::move(longer);
    return {};
  }

  // A policy with much noise may depend on its input in a few of many runs.
  Status play_more_inputs() {
    const double seconds =
        report_.batch_seconds * static_cast<double>(std::max<std::size_t>(1, extremes_.size()));
    const auto fast = static_cast<std::int64_t>(2.0 * kBatchSeconds / std::max(seconds, 1e-9));
    const auto seeds = seeds_of(target_, 7, std::clamp(fast, kRunsASide, 4 * kMoreRuns));
    Trial trial = ASSAY_TRY(start());
    std::optional<RunOutputs> known;
    for (const ExtremeInput& one : extremes_) {
      auto tried = ASSAY_TRY(trial.try_input(one, seeds));
      if (tried.failed > 0 || !tried.refusal.empty()) continue;
      if (known && tried.outputs != *known) tried_.moved_by_input = true;
      known = std::move(tried.outputs);
    }
    return {};
  }

  // Runs on D after runs on inputs that differ as much as they can, with the same seeds.
  Status play_after_others() {
    if (extremes_.size() < 2) return {};
    PairOutputs after;
    for (std::size_t i = 0; i < 2; ++i) {
      Trial trial = ASSAY_TRY(start());
      const InputTable& earlier = extremes_[extremes_.size() - 2 + i].input;
      if (!trial.play_each(earlier, seeds_of(target_, 6, kRunsASide))) return {};
      after[i] = ASSAY_TRY(trial.play_each(target_.plan.pairs[0].base_input(), seeds_));
    }
    tried_.after = std::move(after);
    return {};
  }

  Result<Trial> start() { return Trial::start(target_, limits_); }

  // The error with the line to change. If a run failed, other inputs show whether the input is the reason.
  Status failed(const Trial& trial, Error error) {
    if (error.code != ErrorCode::kTarget) return tl::make_unexpected(std::move(error));
    const bool is_failed_run = trial.has_failed();
    std::vector<std::string> failing, working;
    if (is_failed_run && !extremes_.empty()) {
      if (auto other = start()) {
        for (const ExtremeInput& one : extremes_) {
          const auto tried = other->try_input(one, std::span(seeds_).first(1));
          if (!tried) break;
          if (tried->refusal.empty()) (tried->failed > 0 ? failing : working).push_back(one.name);
        }
      }
    }
    error.message += advice_on(error, target_.shape, is_failed_run, failing, working);
    return tl::make_unexpected(std::move(error));
  }

  const detail::PlayedTarget& target_;
  const RunControl& control_;
  TryReport& report_;
  ChildLimits limits_;
  std::vector<std::uint64_t> seeds_;
  std::vector<ExtremeInput> extremes_;
  TriedRuns tried_;
};

}  // namespace

void TryJob::fields(const VisitOption<TryJob>& visit) {
  const std::vector<std::string> formats = {"text", "json"};
  for (const auto& one : options_of<AuditJob>()) {
    if (contains(kOfOtherAudits, one.text.name)) continue;
    Option<TryJob> shared;
    shared.text = one.text;
    if (one.text.name == "format") shared.text.choices = formats;
    if (one.text.name == "write") shared.text = write_option(formats);
    if (one.text.name == "full")
      shared.text.help = "Print the whole report, as a dry run always does.";
    if (one.text.name == "claim") shared.text.default_text = "eps=1, for the command of the audit";
    shared.use = one.use;
    shared.read = [read = one.read](TryJob& job, const WrittenOption& option) {
      return read(job.audit, option);
    };
    shared.words = [words = one.words](const TryJob& job) { return words(job.audit); };
    visit(std::move(shared));
  }
}

Result<PreparedJob<TryReport>> prepare(const TryJob& job) {
  const auto& asked = job.audit;
  if (asked.exec.empty() == asked.plugin.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "a dry run takes one target: give --exec COMMAND or --plugin FILE");
  }
  AuditFacts facts = detail::facts_of(asked, asked.method == "one-run" ? "one-run" : "events",
                                      PureDp{Epsilon{1.0}});
  facts.claims_mu = true;  // the audit's own check, below, knows the claim
  ASSAY_TRY(check_options(
      job, facts,
      fmt::format("a dry run of an external {}", detail::value_text(asked.shape.kind))));
  auto read = ASSAY_TRY(detail::read_played_target(asked));
  const auto target = std::make_shared<const detail::PlayedTarget>(std::move(read));
  const auto budget = ASSAY_TRY(budget_of(asked, *target));
  return [asked, target, budget,
          next = audit_command(job)](const Session& session) -> Result<TryReport> {
    TryReport report;
    report.is_plugin = asked.exec.empty();
    report.command = report.is_plugin ? asked.plugin : target->command;
    report.shape = target->shape;
    report.pair = target->plan.pairs[0];
    report.neighbours = neighbours_text(target->shape, relation_of(target->shape, report.pair));
    report.other_neighbours = other_neighbours_text(target->shape);
    if (const auto status = DryRun(*target, session, report).run(budget); !status) {
      report.error = status.error();
      report.error->message += advice_on_name(report.error->message);
    }
    if (!report.error && !report.has(NoteKind::kMistake)) report.next = next;
    report.claims = !asked.claim.empty();
    report.containment = containment_text(target->limits);
    report.meta = session.meta();
    return report;
  };
}

}  // namespace assay

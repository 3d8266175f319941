#include "assay/auditors/audit/try_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "assay/auditors/audit/audit_parts.hpp"
#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/pair_search.hpp"
#include "assay/auditors/methods/black_box/run_budget.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

constexpr std::int64_t kRunsASide = 5;
constexpr double kBatchSeconds = 2.0;  // for the batch of runs, by the time of one run
// So many different outputs on one input are no coincidence of a few possible outputs.
constexpr std::size_t kDistinctEnough = 3;

// Options, beside those of the target, that a dry run shares with an audit.
constexpr std::array<std::string_view, 8> kShared = {"input",   "seed",   "samples", "runs",
                                                     "threads", "format", "quiet",   "write"};
// Options of the target that have an effect on audits alone.
constexpr std::array<std::string_view, 6> kAuditOnly = {"transcripts", "changed-row",   "vary",
                                                        "settings",    "round-outputs", "failures"};

bool is_shared(const OptionText& text) {
  if (contains(kAuditOnly, text.name)) return false;
  return text.group == OptionGroup::kTarget || contains(kShared, text.name);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::uint64_t> seeds_of(const detail::PlayedTarget& target, std::uint64_t lane,
                                    std::int64_t count) {
  return play_seeds({target.plan.seed, "try", lane, Phase::kPilot}, 0, count);
}

using Outputs = std::array<std::vector<std::vector<double>>, 2>;  // by input and run

// Runs both inputs in turn, with one message for each run.
class Trial {
 public:
  Trial(const detail::PlayedTarget& target, const ChildLimits& limits)
      : target_(target), limits_(limits) {}

  Status start(TryReport* report) {
    const auto started = Clock::now();
    started_ = ASSAY_TRY(target_.start(limits_));
    if (report == nullptr) return {};
    report->start_seconds = seconds_since(started);
    report->name = started_.target->name();
    report->seeded = started_.promises_seeds;
    report->deterministic = started_.deterministic;
    report->greeting = started_.greeting;
    report->greeting_answer = started_.greeting_answer;
    return {};
  }

  Result<Outputs> play(std::span<const std::uint64_t> seeds, TryReport* report) {
    const std::array<InputTable, 2> inputs = {target_.plan.pairs[0].base_input(),
                                              target_.plan.pairs[0].neighbour_input()};
    Outputs outputs;
    std::vector<double> times;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      for (std::size_t side = 0; side < 2; ++side) {
        const auto asked = Clock::now();
        auto played = play_or_fail(*started_.target, inputs[side], seeds.subspan(i, 1));
        if (!played && started_.target->first_failure()) {
          played.error().message +=
              "\n  An audit counts a failure as the output of its run. A failure that depends on the data is a leak. "
              "If this input is not valid for the program, exclude it with --domain, or raise InvalidInput";
        }
        const auto batch = ASSAY_TRY(std::move(played));
        times.push_back(seconds_since(asked));
        outputs[side].push_back(told_of(target_.shape, batch.play(0)));
        if (report == nullptr) continue;
        report->runs.push_back({side == 0 ? Side::kBase : Side::kNeighbour,
                                report->is_plugin ? seeds[i] : seeds[i] >> 11,
                                outputs[side].back()});
      }
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    if (report != nullptr) report->play_seconds = times[times.size() / 2];
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
    auto batch =
        ASSAY_TRY(play_or_fail(*started_.target, target_.plan.pairs[0].base_input(), seeds));
    report.batch_seconds = seconds_since(asked) / static_cast<double>(count);
    return batch;
  }

 private:
  const detail::PlayedTarget& target_;
  ChildLimits limits_;
  detail::StartedTarget started_;
};

// Whether all runs of each input gave the same output.
bool all_alike(const Outputs& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const auto& side) {
    return std::adjacent_find(side.begin(), side.end(), std::not_equal_to<>()) == side.end();
  });
}

// Replaces NaN, which is not equal to itself although the outputs are the same.
Outputs comparable(Outputs outputs) {
  for (auto& side : outputs) {
    for (auto& output : side) {
      for (double& number : output) {
        if (std::isnan(number)) number = -1e308;
      }
    }
  }
  return outputs;
}

// The number of different outputs on the base input, among the ten runs and those of the message.
std::size_t distinct_of(const Outputs& first, const OutputBatch& batch, const InputShape& shape) {
  Outputs all;
  all[0] = first[0];
  for (std::int64_t i = 0; i < batch.count; ++i) all[0].push_back(told_of(shape, batch.play(i)));
  all = comparable(std::move(all));
  return std::set(all[0].begin(), all[0].end()).size();
}

// Compares the ten runs with those of a fresh process, and with runs of other seeds, singly and in one message.
void compare(const Outputs& first, const Outputs& again, const Outputs& other,
             const OutputBatch& batch, TryReport& report) {
  const auto add = [&](bool is_mistake, std::string text) {
    report.notes.push_back({is_mistake, std::move(text)});
  };
  const bool same_again = again == first;
  const bool same_other = other == first;
  const bool alike = all_alike(first) && same_again && same_other;
  // Independent runs do so with probability at most 2/2^9: on either input five of one output, then five of another.
  const bool alike_in_each = all_alike(first) && all_alike(again) && all_alike(other) && !alike;
  if (alike && first[0] == first[1]) {
    add(false,
        "every run gave the same output, on both inputs and with every seed. Does the program read its "
        "input? An audit of such runs decides nothing");
    return;
  }
  const std::size_t in_message = alike ? distinct_of(first, batch, report.shape) : 0;
  if (in_message >= kDistinctEnough && !report.deterministic) {
    add(true,
        "all runs on one input were alike in messages that ask for one run, but they differ within a message that "
        "asks for many. A seed is fixed for each message. Draw from the seed that comes with each run");
  } else if (in_message > 1) {
    add(false,
        "the target adds little noise on these inputs: nearly all runs on one input were alike");
  } else if (alike && !report.deterministic) {
    add(true,
        fmt::format(
            "the target adds no noise on these inputs: with {} different seeds, in three processes, all "
            "runs on one input were alike, and the outputs on the two inputs differ. If noise is meant, a "
            "seed is fixed, or the computed scale is 0: draw from the seed that comes with each run. If no "
            "noise is meant, say --deterministic",
            2 * kRunsASide + batch.count));
  }
  if (alike_in_each) {
    add(true,
        "all runs of one process were alike, but a fresh process gave other outputs. The program sets its seed "
        "once when it starts, or takes it from the clock. Draw from the seed that comes with each run");
  }
  if (!alike && report.deterministic) {
    add(false, "it is declared deterministic, but runs on one input differ");
  }
  if (!alike && same_again && same_other) {
    const std::size_t distinct = std::max(std::set(first[0].begin(), first[0].end()).size(),
                                          std::set(first[1].begin(), first[1].end()).size());
    add(distinct >= kDistinctEnough,
        "a fresh process gave the same outputs in the same order although it got other seeds. A seed "
        "is fixed when the program starts, so that its runs share their noise");
  }
  if (report.seeded && !same_again) {
    add(true,
        "its greeting says \"seeded\": true, but the same seeds gave other outputs in a fresh "
        "process. Draw all random numbers from the seed of the run, or do not promise it");
  }
  if (alike || alike_in_each || same_other || !same_again) return;
  if (!report.seeded && !report.is_plugin) {
    add(false, "the same seeds gave the same outputs: it may say \"seeded\": true in its greeting");
  }
  if (first[0] == first[1]) {
    add(false,
        "the output never depended on the input in these runs: with the same seed both inputs gave the "
        "same output. It may depend on other inputs. If not, does the program read its input?");
  }
}

Result<RunBudget> budget_of(const BlackBoxPlan& plan) {
  const auto samples = plan.samples > 0 ? std::optional(plan.samples) : std::nullopt;
  return divide_runs(plan.runs, samples, candidates_of(1, plan.pairs.size()).size());
}

AuditCost cost_of(const RunBudget& budget, const TryReport& report, int threads) {
  AuditCost cost;
  cost.learning = budget.search + budget.learning + kCheckRuns;
  cost.certified = 2 * budget.samples;
  cost.seconds = (static_cast<double>(cost.learning) * report.batch_seconds +
                  static_cast<double>(cost.certified) * report.play_seconds) /
                     threads +
                 report.start_seconds;
  return cost;
}

Status run(const detail::PlayedTarget& target, const RunBudget& budget, const Session& session,
           TryReport& report) {
  const auto& control = session.control;
  ChildLimits limits = target.limits;
  limits.cancel = control.cancel;
  const auto seeds = seeds_of(target, 0, kRunsASide);
  Outputs first;
  {
    ChildLimits heard = limits;
    heard.hear_stderr = [&report](std::string_view text) { report.standard_error += text; };
    Trial trial(target, heard);
    ASSAY_TRY(trial.start(&report));
    control.report("running", 0.1);
    first = comparable(ASSAY_TRY(trial.play(seeds, &report)));
  }
  control.report("running", 0.4);
  Trial repeated(target, limits);
  ASSAY_TRY(repeated.start(nullptr));
  const Outputs again = comparable(ASSAY_TRY(repeated.play(seeds, nullptr)));
  control.report("running", 0.7);
  Trial reseeded(target, limits);
  ASSAY_TRY(reseeded.start(nullptr));
  const auto other_seeds = seeds_of(target, 1, kRunsASide);
  const Outputs other = comparable(ASSAY_TRY(reseeded.play(other_seeds, nullptr)));
  const OutputBatch batch = ASSAY_TRY(reseeded.play_batch(report));
  compare(first, again, other, batch, report);
  report.cost = cost_of(budget, report, control.threads);
  return {};
}

}  // namespace

void TryJob::fields(const VisitOption<TryJob>& visit) {
  const std::vector<std::string> formats = {"text", "json"};
  for (const auto& one : options_of<AuditJob>()) {
    if (!is_shared(one.text)) continue;
    Option<TryJob> shared;
    shared.text = one.text;
    if (one.text.name == "format") shared.text.choices = formats;
    if (one.text.name == "write") shared.text = write_option(formats);
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
  AuditFacts facts = detail::facts_of(asked, "events", PureDp{Epsilon{1.0}});
  ASSAY_TRY(check_options(
      job, facts,
      fmt::format("a dry run of an external {}", detail::value_text(asked.shape.kind))));
  auto read = ASSAY_TRY(detail::read_played_target(asked));
  const auto target = std::make_shared<const detail::PlayedTarget>(std::move(read));
  const auto budget = ASSAY_TRY(budget_of(target->plan));
  return [asked, target, budget](const Session& session) -> Result<TryReport> {
    TryReport report;
    report.is_plugin = asked.exec.empty();
    report.command = report.is_plugin ? asked.plugin : asked.exec;
    report.shape = target->shape;
    report.pair = target->plan.pairs[0];
    report.neighbours = neighbours_text(target->shape, relation_of(target->shape, report.pair));
    report.other_neighbours = other_neighbours_text(target->shape);
    if (const auto status = run(*target, budget, session, report); !status)
      report.error = status.error();
    report.meta = session.meta();
    return report;
  };
}

}  // namespace assay

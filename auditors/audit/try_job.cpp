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
#include "assay/auditors/methods/black_box/play_budget.hpp"

namespace assay {
namespace {

constexpr std::int64_t kPlaysASide = 5;
constexpr double kBatchSeconds = 2.0;  // that the batch of plays may take, by the time of one
constexpr std::size_t kDistinctEnough =
    3;  // outputs of one input, to tell a repetition from chance

// What says which target it is, how it is played and how many plays an audit takes.
constexpr std::array<std::string_view, 8> kShared = {"input",   "seed",   "samples", "runs",
                                                     "threads", "format", "quiet",   "write"};
// Of those that describe an external target: what only an audit does.
constexpr std::array<std::string_view, 6> kAuditOnly = {"transcripts", "changed-row",   "vary",
                                                        "settings",    "round-outputs", "failures"};

template <class Names>
bool is_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_shared(const OptionText& text) {
  if (is_of(kAuditOnly, text.name)) return false;
  return text.group == OptionGroup::kTarget || is_of(kShared, text.name);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::uint64_t> seeds_of(const detail::PlayedTarget& target, std::uint64_t lane,
                                    std::int64_t count) {
  return play_seeds({target.plan.seed, "try", lane, Phase::kPilot}, 0, count);
}

using Outputs = std::array<std::vector<std::vector<double>>, 2>;  // by side and play

// Plays both inputs in turn, a message a play.
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
    const std::array<InputTable, 2> inputs = {target_.plan.pairs[0].old_input(),
                                              target_.plan.pairs[0].new_input()};
    Outputs outputs;
    std::vector<double> times;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      for (std::size_t side = 0; side < 2; ++side) {
        const auto asked = Clock::now();
        auto played = play_or_fail(*started_.target, inputs[side], seeds.subspan(i, 1));
        if (!played && started_.target->first_failure()) {
          played.error().message +=
              "\n  An audit takes a failure as the output of its run: where it depends on the data, it is a leak. An "
              "input that is none of the program's is kept out by --domain, or refused (InvalidInput)";
        }
        const auto batch = ASSAY_TRY(std::move(played));
        times.push_back(seconds_since(asked));
        outputs[side].push_back(told_of(target_.shape, batch.play(0)));
        if (report == nullptr) continue;
        report->plays.push_back({side == 0 ? Side::kOld : Side::kNew,
                                 report->is_plugin ? seeds[i] : seeds[i] >> 11,
                                 outputs[side].back()});
      }
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    if (report != nullptr) report->play_seconds = times[times.size() / 2];
    return outputs;
  }

  // A message that asks for as many plays as an audit would, where that does not take long, of the old input.
  Result<OutputBatch> play_batch(TryReport& report) {
    const auto fast =
        static_cast<std::int64_t>(kBatchSeconds / std::max(report.play_seconds, 1e-9));
    const std::int64_t most = plays_a_message(started_.target->shape());
    const std::int64_t count = std::clamp<std::int64_t>(fast, 1, most);
    const auto seeds = seeds_of(target_, 2, count);
    const auto asked = Clock::now();
    auto batch =
        ASSAY_TRY(play_or_fail(*started_.target, target_.plan.pairs[0].old_input(), seeds));
    report.batch_seconds = seconds_since(asked) / static_cast<double>(count);
    return batch;
  }

 private:
  const detail::PlayedTarget& target_;
  ChildLimits limits_;
  detail::StartedTarget started_;
};

// All plays of each input.
bool all_alike(const Outputs& outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const auto& side) {
    return std::adjacent_find(side.begin(), side.end(), std::not_equal_to<>()) == side.end();
  });
}

// NaN is not equal to itself, and an output that holds one is the same output.
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

// Different outputs, those of ten plays' old input and of the message among them.
std::size_t distinct_of(const Outputs& first, const OutputBatch& batch, const InputShape& shape) {
  Outputs all;
  all[0] = first[0];
  for (std::int64_t i = 0; i < batch.count; ++i) all[0].push_back(told_of(shape, batch.play(i)));
  all = comparable(std::move(all));
  return std::set(all[0].begin(), all[0].end()).size();
}

// The ten plays, in a fresh process, and there with other seeds, singly and in a message of many.
void compare(const Outputs& first, const Outputs& again, const Outputs& other,
             const OutputBatch& batch, TryReport& report) {
  const auto add = [&](bool is_mistake, std::string text) {
    report.notes.push_back({is_mistake, std::move(text)});
  };
  const bool same_again = again == first;
  const bool same_other = other == first;
  const bool alike = all_alike(first) && same_again && same_other;
  // Of independent plays at most 2 sides in 2^9 do so by chance: five of one output, then five of another.
  const bool alike_in_each = all_alike(first) && all_alike(again) && all_alike(other) && !alike;
  if (alike && first[0] == first[1]) {
    add(false,
        "every play gave the same output, on both inputs and whatever the seed: does the program read its "
        "input? An audit can only say that such plays tell nothing");
    return;
  }
  const std::size_t in_message = alike ? distinct_of(first, batch, report.shape) : 0;
  if (in_message >= kDistinctEnough && !report.deterministic) {
    add(true,
        "all plays of one input were alike where a message asks for one, those of one message are not: a seed is "
        "fixed for each message. Draw from the seed that comes with each play");
  } else if (in_message > 1) {
    add(false, "the target adds little noise on these inputs: nearly all plays of one were alike");
  } else if (alike && !report.deterministic) {
    add(true,
        fmt::format(
            "the target adds no noise on these inputs: given {} different seeds, all plays of one input "
            "were alike, in three processes, and the two inputs differ. Where noise is meant, a seed is "
            "fixed, or the computed scale is 0: draw from the seed that comes with each play. Where none "
            "is meant, say --deterministic",
            2 * kPlaysASide + batch.count));
  }
  if (alike_in_each) {
    add(true,
        "plays of one process were alike, those of a fresh one were others: a seed set once when it starts, "
        "or taken from the clock. Draw from the seed that comes with each play");
  }
  if (!alike && report.deterministic) {
    add(false, "it is declared deterministic, but plays of one input differ");
  }
  if (!alike && same_again && same_other) {
    const std::size_t distinct = std::max(std::set(first[0].begin(), first[0].end()).size(),
                                          std::set(first[1].begin(), first[1].end()).size());
    add(distinct >= kDistinctEnough,
        "a fresh process gave the same outputs in the same order although its seeds were others: a "
        "seed is fixed when the program starts, so that its plays share their noise");
  }
  if (report.seeded && !same_again) {
    add(true,
        "its greeting says \"seeded\": true, but the same seeds gave other outputs in a fresh "
        "process: draw everything from the seed of the play, or do not promise it");
  }
  if (alike || alike_in_each || same_other || !same_again) return;
  if (!report.seeded && !report.is_plugin) {
    add(false, "the same seeds gave the same outputs: it may say \"seeded\": true in its greeting");
  }
  if (first[0] == first[1]) {
    add(false,
        "the output never depended on the input in these plays: with the same seed both inputs gave the "
        "same. On other inputs it may; if not, does the program read its input?");
  }
}

Result<PlayBudget> budget_of(const BlackBoxPlan& plan) {
  const auto samples = plan.samples > 0 ? std::optional(plan.samples) : std::nullopt;
  return divide_plays(plan.plays, samples, candidates_of(1, plan.pairs.size()).size());
}

AuditCost cost_of(const PlayBudget& budget, const TryReport& report, int threads) {
  AuditCost cost;
  cost.learning = budget.search + budget.learning + kCheckPlays;
  cost.certified = 2 * budget.samples;
  cost.seconds = (static_cast<double>(cost.learning) * report.batch_seconds +
                  static_cast<double>(cost.certified) * report.play_seconds) /
                     threads +
                 report.start_seconds;
  return cost;
}

Status run(const detail::PlayedTarget& target, const PlayBudget& budget, const Session& session,
           TryReport& report) {
  const auto& control = session.control;
  ChildLimits limits = target.limits;
  limits.cancel = control.cancel;
  const auto seeds = seeds_of(target, 0, kPlaysASide);
  Outputs first;
  {
    ChildLimits heard = limits;
    heard.hear_stderr = [&report](std::string_view text) { report.standard_error += text; };
    Trial trial(target, heard);
    ASSAY_TRY(trial.start(&report));
    control.report("playing", 0.1);
    first = comparable(ASSAY_TRY(trial.play(seeds, &report)));
  }
  control.report("playing", 0.4);
  Trial repeated(target, limits);
  ASSAY_TRY(repeated.start(nullptr));
  const Outputs again = comparable(ASSAY_TRY(repeated.play(seeds, nullptr)));
  control.report("playing", 0.7);
  Trial reseeded(target, limits);
  ASSAY_TRY(reseeded.start(nullptr));
  const auto other_seeds = seeds_of(target, 1, kPlaysASide);
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
                "a trial is of one target: --exec COMMAND or --plugin FILE");
  }
  AuditFacts facts = detail::facts_of(asked, "events", PureDp{Epsilon{1.0}});
  ASSAY_TRY(check_options(
      job, facts, fmt::format("a trial of an external {}", detail::value_text(asked.shape.kind))));
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

// assay frontier: what a search leaves of the conjecture of Remark 4 of the experts paper.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "assay/auditors/experts/claims/frontier.hpp"
#include "assay/auditors/writers/json.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/option_use.hpp"
#include "assay/cli/output_files.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/cli/words.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

using expert_checks::Frontier;
using expert_checks::FrontierPlan;
using expert_checks::FrontierRow;

constexpr std::array kFrontierFormats = {Format::kText, Format::kJson};

struct FrontierWords {
  std::string seed = "1";
  std::string budget = "8";
  std::string epochs = "7";
  std::string actions = "1e6";
  std::vector<std::string> noises;
  std::vector<std::string> constants;
  std::string checkpoint;
  std::string threads;
  std::string format = "text";
};

struct FrontierJob {
  FrontierPlan plan;
  std::string checkpoint;
  int threads = 1;
  Format format = Format::kText;
};

constexpr OptionUse<FrontierJob> kFrontierOptions[] = {
    {"--seed"}, {"--budget"},     {"--epochs"},  {"--actions"}, {"--noise"},
    {"--c2"},   {"--checkpoint"}, {"--threads"}, {"--format"},
};

Result<FrontierJob> read_job(const App& app, const FrontierWords& words) {
  FrontierJob job;
  ASSAY_TRY(refuse_unused(app, kFrontierOptions, job, "a search"));
  const auto seed = ASSAY_TRY(read_seed(words.seed));
  job.plan.seed = seed;
  const auto budget = ASSAY_TRY(named("--budget", parse_integer(words.budget)));
  job.plan.chunks = budget;
  const auto epochs = ASSAY_TRY(named("--epochs", parse_integer(words.epochs)));
  job.plan.most_epochs =
      static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(epochs, 0), 1000));
  const auto actions = ASSAY_TRY(named("--actions", parse_number(words.actions)));
  job.plan.most_actions = actions;
  if (!words.noises.empty()) job.plan.noises.clear();
  for (const auto& word : words.noises) {
    const auto noise = ASSAY_TRY(named("--noise", detail::read_value<LeaderNoise>(word)));
    job.plan.noises.push_back(noise);
  }
  if (!words.constants.empty()) job.plan.constants.clear();
  for (const auto& word : words.constants) {
    const auto c2 = ASSAY_TRY(named("--c2", parse_number(word)));
    job.plan.constants.push_back(c2);
  }
  if (auto status = check_plan(job.plan); !status) {
    Error error = status.error();
    error.message = "--" + error.message;
    error.path.clear();
    return tl::make_unexpected(error);
  }
  const auto threads = ASSAY_TRY(read_threads(words.threads));
  job.threads = threads;
  const auto format = ASSAY_TRY(parse_format(words.format, kFrontierFormats));
  job.format = format;
  job.checkpoint = words.checkpoint;
  return job;
}

std::string reproduce(const FrontierPlan& plan) {
  std::string text =
      fmt::format("assay frontier --seed {} --budget {} --epochs {} --actions {}", plan.seed,
                  plan.chunks, plan.most_epochs, number_text(plan.most_actions));
  for (const auto noise : plan.noises) text += " --noise " + detail::value_text(noise);
  for (const double c2 : plan.constants) text += " --c2 " + number_text(c2);
  return text;
}

constexpr std::string_view kNote =
    "A lower bound on c1 at each c2, from a search; nothing here is a proof that a constant "
    "suffices.\n"
    "No finite constants do (assay verify ftnl-conjecture): these are what instances of this size "
    "show.\n";

std::string to_text(const Frontier& frontier) {
  const auto table = frontier_table(frontier);
  std::string out = "Remark 4: the smallest c1 that survives at each c2\n\n";
  std::vector<std::size_t> widths;
  for (const auto& column : table.columns) widths.push_back(column.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = "  ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("{:<{}}", cells[i], i + 1 < cells.size() ? widths[i] + 2 : 0);
    }
    out += text + "\n";
  };
  line(table.columns);
  for (const auto& row : table.rows) line(row);
  out += fmt::format("\n{}{} instances by exact probabilities; each row again in 50 digits.\n",
                     kNote, grouped(frontier.evaluations));
  out += "Reproduce   " + reproduce(frontier.plan) + "\n";
  return out;
}

Json row_json(const FrontierRow& row) {
  const auto& at = row.instance;
  Json others = Json::array();
  for (const auto& group : {at.first, at.second}) {
    if (group.times > 0.0) others.push_back({{"gap", group.gap}, {"times", group.times}});
  }
  return {{"c2", row.c2},
          {"log_c1", row.precise_log_c1},
          {"log_c1_double", row.log_c1},
          {"instance",
           {{"noise", detail::value_text(at.noise)},
            {"epsilon", at.epsilon},
            {"epoch", at.epoch},
            {"best_mean", at.best_mean},
            {"gap", at.gap},
            {"others", others}}}};
}

std::string to_json(const Frontier& frontier) {
  Json rows = Json::array();
  for (const auto& row : frontier.rows) {
    if (std::isfinite(row.log_c1)) rows.push_back(row_json(row));
  }
  return json_text({{"assay_frontier", 1},
                    {"reproduce", reproduce(frontier.plan)},
                    {"evaluations", frontier.evaluations},
                    {"rows", rows}}) +
         "\n";
}

int run_frontier(const App& app, const FrontierWords& words) {
  const auto job = read_job(app, words);
  if (!job) {
    print_error(job.error());
    return exit_code(job.error().code);
  }
  Result<Frontier> frontier = fail(ErrorCode::kInternal, {});
  {
    ProgressLine progress;
    RunControl control;
    control.threads = job->threads;
    control.cancel = &catch_interrupts();
    control.progress = [&](std::string_view stage, double fraction) {
      progress.update(stage, fraction);
    };
    frontier = search_frontier(job->plan, job->checkpoint, control);
  }
  if (!frontier) {
    print_error(frontier.error());
    if (frontier.error().code == ErrorCode::kInterrupted) {
      print_note(job->checkpoint.empty()
                     ? "nothing was kept; with --checkpoint FILE a search can be resumed"
                     : "the same command resumes it");
    }
    return exit_code(frontier.error().code);
  }
  const std::string text = job->format == Format::kJson ? to_json(*frontier) : to_text(*frontier);
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_frontier(App& root) {
  auto words = std::make_shared<FrontierWords>();
  App* app = root.add_subcommand(
      "frontier", "Search the conjecture of the experts paper: the c1 that survives at each c2");
  app->add_option("--seed", words->seed, "Random seed of the searches")
      ->capture_default_str()
      ->envname("ASSAY_SEED");
  app->add_option("--budget", words->budget, "Searches for each noise and c2, 1 to 1000000")
      ->capture_default_str();
  app->add_option("--epochs", words->epochs, "Largest r, 1 to 8: epochs of up to 2^(r-1) rounds")
      ->capture_default_str();
  app->add_option("--actions", words->actions, "Most actions in either group of others, 1 to 1e12")
      ->capture_default_str();
  app->add_option("--noise", words->noises,
                  "laplace, exponential or gumbel, repeatable (default: all three)");
  app->add_option("--c2", words->constants, "The values of c2, repeatable (default: ten, 4 to 64)");
  app->add_option(
         "--checkpoint", words->checkpoint,
         "Keep finished searches in this file and start from them if it is there; a larger "
         "--budget goes on from a smaller one")
      ->type_name("FILE");
  app->add_option("--threads", words->threads,
                  "Threads (default: all cores); never changes the result")
      ->envname("ASSAY_THREADS");
  app->add_option("--format", words->format, "Report on stdout: text or json")
      ->capture_default_str();
  return {app, [app, words] { return run_frontier(*app, *words); }};
}

}  // namespace assay::cli

// assay frontier: what a search leaves of the conjecture of Remark 4 of the experts paper.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/auditors/experts/claims/frontier.hpp"
#include "assay/auditors/writers/json.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::cli {
namespace {

using expert_checks::Frontier;
using expert_checks::FrontierPlan;
using expert_checks::FrontierRow;

constexpr std::array kFrontierFormats = {Format::kText, Format::kJson};

struct FrontierJob : JobOptions {
  FrontierPlan plan;
  std::int64_t epochs = FrontierPlan{}.most_epochs;
  Number actions = {FrontierPlan{}.most_actions, "1e6"};
  std::vector<LeaderNoise> noises;  // none: those of the plan
  std::vector<double> constants;
  std::string checkpoint;
  RunOptions run;

  static void fields(const VisitOption<FrontierJob>& visit);
};

void FrontierJob::fields(const VisitOption<FrontierJob>& visit) {
  using J = FrontierJob;
  visit(option(&J::plan, &FrontierPlan::seed,
               {.name = "seed",
                .help = "Random seed of the searches",
                .range = at_least(0),
                .environment = "ASSAY_SEED",
                .shows_default = true}));
  visit(option(&J::plan, &FrontierPlan::chunks,
               {.name = "budget",
                .help = "Searches for each noise and c2, 1 to 1000000",
                .shows_default = true}));
  visit(option(&J::epochs, {.name = "epochs",
                            .help = "Largest r, 1 to 8: epochs of up to 2^(r-1) rounds",
                            .shows_default = true}));
  visit(option(&J::actions, {.name = "actions",
                             .help = "Most actions in either group of others, 1 to 1e12",
                             .shows_default = true}));
  visit(
      option(&J::noises, {.name = "noise",
                          .help = "laplace, exponential or gumbel, repeatable (default: all three)",
                          .takes_many = true}));
  visit(option(&J::constants, {.name = "c2",
                               .help = "The values of c2, repeatable (default: ten, 4 to 64)",
                               .takes_many = true}));
  visit(option(&J::checkpoint,
               {"checkpoint", "FILE",
                "Keep finished searches in this file and start from them if it is there; a "
                "larger --budget goes on from a smaller one"}));
  visit(option(&J::run, &RunOptions::threads, threads_option("the result")));
  visit(option(&J::run, &RunOptions::format, format_option("text or json")));
}

Result<FrontierPlan> read_plan(const FrontierJob& job) {
  ASSAY_TRY(check_options(job, {}, "a search"));
  FrontierPlan plan = job.plan;
  plan.most_epochs = static_cast<int>(std::clamp<std::int64_t>(job.epochs, 0, 1000));
  plan.most_actions = job.actions.value;
  if (!job.noises.empty()) plan.noises = job.noises;
  if (!job.constants.empty()) plan.constants = job.constants;
  if (auto status = check_plan(plan); !status) {
    Error error = status.error();
    error.message = "--" + error.message;
    error.path.clear();
    return tl::make_unexpected(error);
  }
  return plan;
}

std::string reproduce(const FrontierPlan& plan) {
  FrontierJob job;
  job.plan = plan;
  job.epochs = plan.most_epochs;
  job.actions = {plan.most_actions, {}};
  job.noises = plan.noises;
  job.constants = plan.constants;
  return command_line("assay frontier", job,
                      {"seed", "budget", "epochs", "actions", "noise", "c2"});
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

Result<int> run_frontier(const App& app) {
  const auto job = ASSAY_TRY(read_job<FrontierJob>(app));
  const auto plan = ASSAY_TRY(read_plan(job));
  const auto format = ASSAY_TRY(parse_format(job.run.format, kFrontierFormats));
  const PreparedJob<Frontier> prepared = [&](const Session& session) {
    return search_frontier(plan, job.checkpoint, session.control);
  };
  const auto frontier = run_here(prepared, job.run);
  if (!frontier) {
    print_error(frontier.error());
    if (frontier.error().code == ErrorCode::kInterrupted) {
      print_note(job.checkpoint.empty()
                     ? "nothing was kept; with --checkpoint FILE a search can be resumed"
                     : "the same command resumes it");
    }
    return exit_code(frontier.error().code);
  }
  const std::string text = format == Format::kJson ? to_json(*frontier) : to_text(*frontier);
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_frontier(App& root) {
  App* app = add_job<FrontierJob>(
      root, "frontier",
      "Search the conjecture of the experts paper: the c1 that survives at each c2");
  return {app, [app] { return run_frontier(*app); }};
}

}  // namespace assay::cli

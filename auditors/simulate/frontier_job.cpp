#include "assay/auditors/simulate/frontier_job.hpp"

#include <algorithm>

namespace assay {
namespace {

using expert_checks::FrontierPlan;

Result<FrontierPlan> frontier_plan(const FrontierJob& job) {
  ASSAY_TRY(check_options(job, {}, "a search"));
  FrontierPlan plan;
  plan.seed = job.seed;
  plan.chunks = job.budget;
  plan.most_epochs = static_cast<int>(std::clamp<std::int64_t>(job.epochs, 0, 1000));
  plan.most_actions = job.actions.value;
  if (!job.noises.empty()) plan.noises = job.noises;
  if (!job.constants.empty()) plan.constants = job.constants;
  if (auto status = check_plan(plan); !status) {
    return fail(status.error().code, "--" + status.error().message);
  }
  return plan;
}

// The command of the job, with all values that it left open.
std::string reproduce(const FrontierPlan& plan) {
  FrontierJob job;
  job.seed = plan.seed;
  job.budget = plan.chunks;
  job.epochs = plan.most_epochs;
  job.actions = {plan.most_actions, {}};
  job.noises = plan.noises;
  job.constants = plan.constants;
  return command_line("assay frontier", job,
                      {"seed", "budget", "epochs", "actions", "noise", "c2"});
}

}  // namespace

void FrontierJob::fields(const VisitOption<FrontierJob>& visit) {
  using J = FrontierJob;
  visit(option(&J::noises, {.name = "noise",
                            .type = "NOISE",
                            .help = "Search with this noise of the leader.",
                            .takes_many = true,
                            .default_text = "all three"}));
  visit(option(&J::constants, {.name = "c2",
                               .type = "C2",
                               .help = "Search for the smallest c1 at this c2.",
                               .takes_many = true,
                               .default_text = "ten values, 4 to 64"}));
  visit(option(&J::budget, {.name = "budget",
                            .type = "N",
                            .help = "Make this many searches for each noise and c2, 1 to 1000000.",
                            .group = OptionGroup::kEffort,
                            .shows_default = true}));
  visit(option(&J::epochs, {.name = "epochs",
                            .type = "R",
                            .help = "Search epochs up to this r, from 1 to 8. They have up to "
                                    "2^(r-1) rounds.",
                            .group = OptionGroup::kEffort,
                            .shows_default = true}));
  visit(option(&J::actions,
               {.name = "actions",
                .type = "K",
                .help = "Search instances whose two groups of other actions each have at most this "
                        "many actions, 1 to 1e12.",
                .group = OptionGroup::kEffort,
                .shows_default = true}));
  visit(option(&J::run, &RunOptions::threads, threads_option()));
  visit(option(&J::seed, seed_option()));
  visit(option(&J::checkpoint,
               {"checkpoint", "FILE",
                "Save finished searches in this file, and start from them if it exists. A search "
                "with a larger --budget continues a search with a smaller one.",
                OptionGroup::kSeed}));
  visit_output(visit, {"text", "json"}, false);
}

Result<PreparedJob<FrontierReport>> prepare(const FrontierJob& job) {
  const auto plan = ASSAY_TRY(frontier_plan(job));
  return [plan, checkpoint = job.checkpoint](const Session& session) -> Result<FrontierReport> {
    auto frontier = ASSAY_TRY(search_frontier(plan, checkpoint, session.control));
    return FrontierReport{std::move(frontier), reproduce(plan)};
  };
}

}  // namespace assay

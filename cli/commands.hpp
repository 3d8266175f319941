// The subcommands of `assay`, one source file each. `add_*` declares a subcommand and returns the function that
// runs if it was chosen. Its result is the exit status, or the error that ends the command.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/cli/options.hpp"
#include "assay/mechanisms/core/item_store.hpp"

namespace assay::cli {

struct Command {
  App* app = nullptr;
  std::function<Result<int>()> run;
};

Command add_audit(App& root);
Command add_try(App& root);
Command add_verify(App& root);
Command add_simulate(App& root);
Command add_detect(App& root);
Command add_account(App& root);
Command add_frontier(App& root);
Command add_replay(App& root);
Command add_bench(App& root);
Command add_sampler(App& root);
Command add_list(App& root);
Command add_explain(App& root);
Command add_suite(App& root);
// Runs the command with these arguments again, with the items of all its shards. Its result is the exit status.
using RunCommand = std::function<int(std::vector<std::string>, std::shared_ptr<ItemStore>)>;
Command add_merge(App& root, RunCommand run_command);
Command add_check_certificate(App& root);
Command add_adapter(App& root);
Command add_completion(App& root);
Command add_man(App& root);
Command add_schema(App& root);

}  // namespace assay::cli

// The subcommands of `assay`, one source file each. `add_*` declares a subcommand and returns the function that
// runs if it was chosen. Its result is the exit status, or the error that ends the command.
#pragma once

#include <functional>

#include "assay/cli/options.hpp"

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
Command add_check_certificate(App& root);
Command add_adapter(App& root);
Command add_completion(App& root);
Command add_man(App& root);
Command add_schema(App& root);

}  // namespace assay::cli

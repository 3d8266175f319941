// The subcommands of `assay`, one source file each. `add_*` declares a subcommand and returns what
// runs when it was chosen; the result is the exit status.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace assay::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command add_audit(CLI::App& root);
Command add_verify(CLI::App& root);
Command add_simulate(CLI::App& root);
Command add_detect(CLI::App& root);
Command add_account(CLI::App& root);
Command add_account_convert(CLI::App& account);
Command add_account_calibrate(CLI::App& account);
Command add_frontier(CLI::App& root);
Command add_list(CLI::App& root);
Command add_explain(CLI::App& root);
Command add_check_certificate(CLI::App& root);

}  // namespace assay::cli

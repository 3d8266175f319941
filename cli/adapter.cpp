// assay adapter: what stands between Assay and a policy, as a file.
#include "assay/policies/external/adapters.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

enum class Language { kPython, kC, kCpp };

constexpr std::array<std::pair<Language, std::string_view>, 3> enum_names(Language) {
  return {{{Language::kPython, "python"}, {Language::kC, "c"}, {Language::kCpp, "cpp"}}};
}

struct AdapterJob : JobOptions {
  Language language = Language::kPython;
  static void fields(const VisitOption<AdapterJob>& visit) {
    visit(option(&AdapterJob::language, {.name = "language",
                                         .type = "LANGUAGE",
                                         .help = "python, c or cpp",
                                         .is_positional = true,
                                         .is_required = true}));
  }
};

Result<int> run_adapter(const App& app) {
  const auto job = ASSAY_TRY(read_job<AdapterJob>(app));
  const auto text = job.language == Language::kPython ? python_adapter() : c_adapter();
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_adapter(App& root) {
  App* app = add_job<AdapterJob>(
      root, "adapter", "Print the adapter that makes a target of a policy in Python, C or C++");
  app->footer(
      "python: the module assay_target.py, which programs that Assay starts find by themselves; a file of\n"
      "it helps an editor, a test or a sandbox. c and cpp: the header assay_target.h, one file that needs no\n"
      "other: assay adapter c > assay_target.h");
  return {app, [app] { return run_adapter(*app); }};
}

}  // namespace assay::cli

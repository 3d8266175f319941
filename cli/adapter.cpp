// assay adapter: prints the file that connects a policy to Assay.
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
                                         .help = "Print the adapter of this language.",
                                         .is_positional = true,
                                         .is_required = true}));
  }
};

Result<int> run_adapter(const App& app) {
  const auto job = ASSAY_TRY(read_job<AdapterJob>(app));
  const auto text = job.language == Language::kPython ? python_adapter() : c_adapter();
  return print_unchanged(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_adapter(App& root) {
  App* app = add_job<AdapterJob>(
      root,
      {.name = "adapter",
       .summary = "Print the adapter that lets Assay run a policy in Python, C or C++",
       .examples = {{"Write the header for C", "assay adapter c > assay_target.h"},
                    {"Write the header for C++", "assay adapter cpp > assay_target.h"},
                    {"Write the Python module", "assay adapter python > assay_target.py"}},
       .notes = {
           "Programs that Assay starts find the module assay_target.py by themselves. A copy of it "
           "helps an editor, a test or a sandbox.",
           "The header assay_target.h serves C and C++, and needs no other file."}});
  return {app, [app] { return run_adapter(*app); }};
}

}  // namespace assay::cli

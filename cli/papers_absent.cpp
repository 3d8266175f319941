// Replaces papers.cpp and the subcommands for papers if ASSAY_PAPERS is OFF.
#include "assay/cli/papers.hpp"

#include "assay/cli/commands.hpp"

namespace assay::cli {
namespace {

constexpr const char* kAbsent = "not in this build (ASSAY_PAPERS=OFF)\n";

Command absent(App& root, const std::string& name) {
  App* app = root.add_subcommand(
      {.name = name, .summary = "This build lacks the papers' claims and faults"});
  OptionText words;
  words.name = "words";
  words.is_positional = true;
  words.is_repeatable = true;
  app->add_option(words);
  return {app, [name]() -> Result<int> {
            return fail(
                ErrorCode::kInvalidArgument,
                "'" + name +
                    "' needs the papers' claims and faults, which this build of assay lacks "
                    "(ASSAY_PAPERS=OFF)");
          }};
}

}  // namespace

Command add_verify(App& root) { return absent(root, "verify"); }
Command add_simulate(App& root) { return absent(root, "simulate"); }
Command add_detect(App& root) { return absent(root, "detect"); }
Command add_frontier(App& root) { return absent(root, "frontier"); }
Command add_check_certificate(App& root) { return absent(root, "check-certificate"); }

void list_claims(std::string& out) { out += kAbsent; }
void list_experiments(std::string& out) { out += kAbsent; }
void list_detection(std::string& out) { out += kAbsent; }
void list_sequences(std::string& out) { out += kAbsent; }

std::vector<NamedSchema> schemas_of_papers() { return {}; }

std::string claims_of_reference(const std::string&) { return {}; }
std::string explain_of_papers(const std::function<bool(std::string_view)>&) { return {}; }

}  // namespace assay::cli

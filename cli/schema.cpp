// assay schema: the JSON schemas of all reports and files. A test compares schemas/ with them.
#include "assay/cli/schema.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/account/odometer.hpp"
#include "assay/auditors/audit/audit_json.hpp"
#include "assay/auditors/audit/error_report.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/sampler/sampler_report.hpp"
#include "assay/auditors/suite/entry_options.hpp"
#include "assay/auditors/suite/replay.hpp"
#include "assay/auditors/suite/suite_history.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/suite/suite_tables.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/papers.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay::cli {
namespace {

struct SchemaJob : JobOptions {
  std::string name;
  static void fields(const VisitOption<SchemaJob>& visit) {
    visit(option(&SchemaJob::name, {.name = "name",
                                    .type = "NAME",
                                    .help = "Print this schema. Without a name, the schemas are "
                                            "listed.",
                                    .is_positional = true}));
  }
};

std::vector<NamedSchema> schemas() {
  std::vector<NamedSchema> all = {
      {"account-report", account_report_schema},     {"audit-report", audit_report_schema},
      {"bench-report", bench_report_schema},         {"error", error_schema},
      {"odometer-report", odometer_report_schema},   {"replay-report", replay_report_schema},
      {"sampler-report", sampler_report_schema},     {"suite", suite_schema},
      {"suite-comparison", suite_comparison_schema}, {"suite-history", suite_history_schema},
      {"suite-report", suite_report_schema},         {"try-report", try_report_schema}};
  for (const auto& one : schemas_of_papers()) all.push_back(one);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

Result<int> run_schema(const App& app) {
  const auto job = ASSAY_TRY(read_job<SchemaJob>(app));
  std::string text;
  std::vector<std::string> names;
  for (const auto& one : schemas()) {
    if (one.name == job.name) text = one.text();
    names.emplace_back(one.name);
  }
  if (job.name.empty()) {
    for (const auto& name : names) text += name + "\n";
  }
  if (text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "no schema is named '" + plain_text(job.name) + "'" +
                                                 nearest_hint(job.name, names) +
                                                 "; `assay schema` lists them");
  }
  return print_report(text) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_schema(App& root) {
  App* app = add_job<SchemaJob>(
      root,
      {.name = "schema",
       .summary = "List the JSON schemas of reports and files, or print one of them",
       .examples = {{"List the schemas", "assay schema"},
                    {"Print the schema of an audit's report", "assay schema audit-report"},
                    {"Check a suite in an editor", "assay schema suite > suite.schema.json"}}});
  return {app, [app] { return run_schema(*app); }};
}

}  // namespace assay::cli

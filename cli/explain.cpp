// assay explain: one case, claim, experiment or method in full, from the registry that runs it. A
// mechanism is explained by its case.
#include <fmt/format.h>

#include <memory>

#include "assay/auditors/audit.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/auditors/experiments/experiment.hpp"
#include "assay/auditors/report/text_layout.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/methods.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/release/mechanisms.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kWidth = 80;

// Filled lines, indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  for (const auto& line : detail::fill(detail::words_of(text), kWidth - indent)) {
    out += (out.empty() ? "" : "\n") + std::string(indent, ' ') + line;
  }
  return out;
}

void print_parameters(const std::vector<FieldDescription>& fields) {
  for (const auto& field : fields) {
    fmt::print("  {:<12} {:<2} {:<18} default {:<10} {}\n", field.name, field.symbol, field.allowed,
               field.default_value, field.help);
  }
}

// The mechanism of a case: both have one id.
const MechanismDescription* find_mechanism(std::string_view id) {
  for (const auto& mechanism : mechanism_descriptions()) {
    if (mechanism.name.id == id) return &mechanism;
  }
  return nullptr;
}

void explain_case(const AuditCase& audit_case) {
  const CaseDescription d = audit_case.describe();
  const MechanismDescription* mechanism = find_mechanism(d.id);
  fmt::print("{}: {}\n\n{}\n\n", d.id, d.title, wrapped(d.about, 2));
  fmt::print("Neighbours  {}\nAdversary   sees {}\n--input     {}\n", to_string(d.relation),
             to_string(d.view), d.input);
  if (mechanism != nullptr) fmt::print("Law         {}\n", mechanism->law);
  fmt::print(
      "Methods     {}\n\nParameters (-p name=value; a claim may use the name or the symbol)\n",
      fmt::join(d.methods, ", "));
  print_parameters(d.parameters);
  fmt::print("\n{}\n", mechanism != nullptr ? "Guarantee" : "Published claims");
  for (const auto& claim : d.claims) fmt::print("  {}\n", claim);
  fmt::print("\nReference\n{}\n", wrapped(d.reference, 2));
  if (mechanism != nullptr) fmt::print("\nAudit it with: assay audit {}\n", d.id);
}

void explain_claim(const RegisteredClaim& claim) {
  fmt::print("{}: {}\n\n{}\n\n", claim.id, claim.theorem, wrapped(std::string(claim.statement), 2));
  fmt::print("Kind        {}\nExpected    {}\nCost        about {} on one core, at --effort 1\n",
             detail::value_text(claim.kind), detail::value_text(claim.expected), claim.cost);
  if (!claim.rests_on.empty()) fmt::print("Rests on    {}\n", fmt::join(claim.rests_on, ", "));
  if (!claim.comment.empty()) {
    fmt::print("\nNote\n{}\n", wrapped(std::string(claim.comment), 2));
  }
  fmt::print("\nReference\n{}\n\nCheck it with: assay verify {}\n",
             wrapped(std::string(claim.paper), 2), claim.id);
}

void explain_experiment(const Experiment& experiment) {
  const ExperimentDescription d = experiment.describe();
  fmt::print("{}: {}\n\n{}\n\nReproduces\n{}\n\n", d.id, d.title, wrapped(d.about, 2),
             wrapped(d.reproduces, 2));
  fmt::print("Parameters (each a flag of `assay simulate {}`)\n", d.id);
  print_parameters(d.parameters);
  fmt::print("\nStated outcomes, which --check decides\n");
  for (const auto& outcome : d.outcomes) fmt::print("{}\n", wrapped(outcome, 2));
}

void explain_method(const MethodDescription& method) {
  fmt::print("{}: {}\n\n{}\n\nReference\n{}\n", method.id, method.line,
             wrapped(std::string(method.about), 2), wrapped(std::string(method.reference), 2));
}

int run_explain(const std::string& id) {
  std::vector<std::string> known;
  for (const auto& audit_case : audit_cases()) {
    known.push_back(audit_case->describe().id);
    if (known.back() == id) {
      explain_case(*audit_case);
      return kNothingViolated;
    }
  }
  for (const auto& claim : registered_claims()) {
    known.emplace_back(claim.id);
    if (claim.id == id) {
      explain_claim(claim);
      return kNothingViolated;
    }
  }
  for (const auto& experiment : experiments()) {
    known.push_back(experiment->describe().id);
    if (known.back() == id) {
      explain_experiment(*experiment);
      return kNothingViolated;
    }
  }
  for (const auto& method : audit_methods()) {
    known.emplace_back(method.id);
    if (method.id == id) {
      explain_method(method);
      return kNothingViolated;
    }
  }
  print_error(
      {ErrorCode::kUnknownKey, "nothing is called '" + id + "'" + nearest_hint(id, known), "", 0});
  return kUsage;
}

}  // namespace

Command add_explain(App& root) {
  auto id = std::make_shared<std::string>();
  App* app = root.add_subcommand(
      "explain", "Explain a case, a claim, an experiment, a mechanism or a method in full");
  app->add_option("id", *id, "A name from `assay list`")->required()->type_name("ID");
  return {app, [id] { return run_explain(*id); }};
}

}  // namespace assay::cli

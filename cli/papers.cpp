#include "assay/cli/papers.hpp"

#include <fmt/format.h>

#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/auditors/registry/certificates.hpp"
#include "assay/auditors/registry/claims.hpp"
#include "assay/auditors/registry/experiments.hpp"
#include "assay/auditors/simulate/frontier_report.hpp"
#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/cli/explain_parts.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/policies/faulty/sequence_table.hpp"

namespace assay::cli {
namespace {

std::string explain_claim(const RegisteredClaim& claim) {
  std::string out;
  out += fmt::format("{}: {}\n\nStatement, in our wording\n{}\n\n", claim.id, claim.theorem,
                     wrapped(std::string(claim.statement), 2));
  out += fmt::format(
      "Kind        {}\nExpected    {}\nCost        about {} on one core, at --effort 1\n",
      detail::value_text(claim.kind), detail::value_text(claim.expected), claim.cost);
  if (!claim.rests_on.empty())
    out += fmt::format("Rests on    {}\n", fmt::join(claim.rests_on, ", "));
  if (!claim.comment.empty()) {
    out += fmt::format("\nNote\n{}\n", wrapped(std::string(claim.comment), 2));
  }
  out += fmt::format("\nReference\n{}\n\nCheck it with: assay verify {}\n",
                     wrapped(claim.paper->citation(), 2), claim.id);
  return out;
}

std::string explain_experiment(const Experiment& experiment) {
  std::string out;
  const ExperimentDescription& d = experiment.describe();
  out += fmt::format("{}: {}\n\n{}\n\nReproduces\n{}\n\n", d.id, d.title, wrapped(d.about, 2),
                     wrapped(d.reproduces, 2));
  out += fmt::format("Parameters (each a flag of `assay simulate {}`)\n", d.id);
  add_parameters(d.parameters, out);
  out += fmt::format("\nStated outcomes, which --check decides\n");
  for (const auto& outcome : d.outcomes) out += fmt::format("{}\n", wrapped(outcome, 2));
  return out;
}

}  // namespace

void list_claims(std::string& out) {
  for (const auto& claim : registered_claims()) {
    out += fmt::format("{:<27} {:<12} {}: {} ({})\n", claim.id, detail::value_text(claim.expected),
                       claim.paper->name, claim.theorem, detail::value_text(claim.kind));
  }
}

void list_experiments(std::string& out) {
  for (const auto& experiment : experiments()) {
    const auto& d = experiment.describe();
    out += fmt::format("{:<24} {}\n", d.id, d.title);
  }
}

void list_detection(std::string& out) {
  for (const auto& row : faulty::detection_table()) {
    out += fmt::format("{:<24} truth {}\n", row.name, row.truth);
  }
}

void list_sequences(std::string& out) {
  for (const auto& row : faulty::sequence_table()) {
    out += fmt::format("{:<24} {}\n", row.name, row.fault);
  }
}

std::vector<NamedSchema> schemas_of_papers() {
  return {{"certificate", [] { return certificate_schema(counterexample_kinds()); }},
          {"certificate-check-report", certificate_check_report_schema},
          {"detection-report", detection_report_schema},
          {"frontier-report", frontier_report_schema},
          {"sequences-report", sequences_report_schema},
          {"simulation-report", simulation_report_schema},
          {"verification-report", verification_report_schema}};
}

std::string claims_of_reference(const std::string& reference) {
  std::vector<std::string_view> names;
  for (const auto& claim : registered_claims()) {
    if (reference.find(claim.paper->title) != std::string::npos) names.push_back(claim.id);
  }
  if (names.empty()) return {};
  return "Statements of the paper (assay verify NAME)\n" + wrapped(joined(names), 2) + "\n";
}

std::string explain_of_papers(const std::function<bool(std::string_view)>& is_asked) {
  for (const auto& claim : registered_claims()) {
    if (is_asked(claim.id)) return explain_claim(claim);
  }
  for (const auto& experiment : experiments()) {
    if (is_asked(experiment.describe().id)) return explain_experiment(experiment);
  }
  return {};
}

}  // namespace assay::cli

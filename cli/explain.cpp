// assay explain: one case or claim in full, from the registry that runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "assay/auditors/audit.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kWidth = 80;

// Breaks text at spaces, indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = width;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t space = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, space - from);
    if (column + 1 + word.size() > width) {
      out += (out.empty() ? "" : "\n") + std::string(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    from = space + 1;
  }
  return out;
}

void explain_case(const AuditCase& audit_case) {
  const CaseDescription d = audit_case.describe();
  fmt::print("{}: {}\n\n{}\n\n", d.id, d.title, wrapped(d.about, 2, kWidth));
  fmt::print("Neighbours  {}\nAdversary   sees {}\n--input     {}\n", to_string(d.relation),
             to_string(d.view), d.input);
  fmt::print(
      "Methods     {}\n\nParameters (-p name=value; a claim may use the name or the symbol)\n",
      fmt::join(d.methods, ", "));
  for (const auto& field : d.parameters) {
    fmt::print("  {:<12} {:<2} {:<18} default {:<10} {}\n", field.name, field.symbol, field.allowed,
               field.default_value, field.help);
  }
  fmt::print("\nPublished claims\n");
  for (const auto& claim : d.claims) fmt::print("  {}\n", claim);
  fmt::print("\nReference\n{}\n", wrapped(d.reference, 2, kWidth));
}

void explain_claim(const RegisteredClaim& claim) {
  fmt::print("{}: {}\n\n{}\n\n", claim.id, claim.theorem,
             wrapped(std::string(claim.statement), 2, kWidth));
  fmt::print("Kind        {}\nExpected    {}\nCost        about {} on one core, at --effort 1\n",
             detail::value_text(claim.kind), detail::value_text(claim.expected), claim.cost);
  if (!claim.rests_on.empty()) fmt::print("Rests on    {}\n", fmt::join(claim.rests_on, ", "));
  if (!claim.comment.empty()) {
    fmt::print("\nNote\n{}\n", wrapped(std::string(claim.comment), 2, kWidth));
  }
  fmt::print("\nReference\n{}\n\nCheck it with: assay verify {}\n",
             wrapped(std::string(claim.paper), 2, kWidth), claim.id);
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
  print_error(
      {ErrorCode::kUnknownKey, "nothing is called '" + id + "'" + nearest_hint(id, known), "", 0});
  return kUsage;
}

}  // namespace

Command add_explain(CLI::App& root) {
  auto id = std::make_shared<std::string>();
  CLI::App* app = root.add_subcommand("explain", "Explain a case or a claim in full");
  app->add_option("id", *id, "A name from `assay list`")->required()->type_name("ID");
  return {app, [id] { return run_explain(*id); }};
}

}  // namespace assay::cli

// assay explain: one case in full, from the same list of fields that reads its parameters.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "assay/auditors/audit.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/terminal.hpp"

namespace assay::cli {
namespace {

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

int run_explain(const std::string& id) {
  constexpr std::size_t kWidth = 80;
  const auto found = find_audit_case(id);
  if (!found) {
    print_error(found.error());
    return kUsage;
  }
  const CaseDescription d = (*found)->describe();
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
  return kNothingViolated;
}

}  // namespace

Command add_explain(CLI::App& root) {
  auto id = std::make_shared<std::string>();
  CLI::App* app =
      root.add_subcommand("explain", "Explain a case: input, neighbours, parameters, claims");
  app->add_option("id", *id, "A name from `assay list`")->required()->type_name("ID");
  return {app, [id] { return run_explain(*id); }};
}

}  // namespace assay::cli

// assay explain: describes a case, claim, experiment, method or group of `assay bench`, from the registry that runs it,
// or a word of the reports. A mechanism is described by its case.
#include <fmt/format.h>

#include <algorithm>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/auditors/text/glossary.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/explain_parts.hpp"
#include "assay/cli/methods.hpp"
#include "assay/cli/papers.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"

namespace assay::cli {
namespace {

// The mechanism of a case has the same id.
const MechanismDescription* find_mechanism(std::string_view id) {
  for (const auto& mechanism : mechanism_descriptions()) {
    if (mechanism.name.id == id) return &mechanism;
  }
  return nullptr;
}

// A mechanism with a sensitivity of its own states its relation at sensitivity 1.
std::string neighbours_of(const CaseDescription& d) {
  constexpr std::string_view kUnit = "by at most 1";
  const bool scales = std::any_of(d.parameters.begin(), d.parameters.end(),
                                  [](const auto& one) { return one.name == "sensitivity"; });
  std::string text = to_string(d.relation);
  if (scales && text.ends_with(kUnit)) text.replace(text.size() - 1, 1, "`sensitivity`");
  return text;
}

std::string explain_case(const AuditCase& audit_case) {
  std::string out;
  const CaseDescription d = audit_case.describe();
  const MechanismDescription* mechanism = find_mechanism(d.id);
  out += fmt::format("{}: {}\n\n{}\n\n", d.id, d.title, wrapped(d.about, 2));
  out += fmt::format("Neighbours  {}\nAdversary   sees {}\n--input     {}\n", neighbours_of(d),
                     to_string(d.view), d.input);
  if (mechanism != nullptr) out += fmt::format("Likelihood  {}\n", mechanism->distribution);
  out += fmt::format(
      "Methods     {}\n\nParameters (-p name=value; a claim may use the name or the symbol)\n",
      fmt::join(d.methods, ", "));
  add_parameters(d.parameters, out);
  out += fmt::format("\n{}\n", mechanism != nullptr ? "Guarantee" : "Published claims");
  for (const auto& claim : d.claims) out += fmt::format("  {}\n", claim);
  out += fmt::format("\nReference\n{}\n", wrapped(d.reference, 2));
  if (const auto claims = claims_of_reference(d.reference); !claims.empty()) out += "\n" + claims;
  if (mechanism != nullptr) out += fmt::format("\nAudit it with: assay audit {}\n", d.id);
  return out;
}

std::string explain_method(const MethodDescription& method) {
  std::string out;
  out +=
      fmt::format("{}: {}\n\n{}\n\nReference\n{}\n", method.id, method.line,
                  wrapped(std::string(method.about), 2), wrapped(std::string(method.reference), 2));
  return out;
}

std::string explain_group(const BenchGroup& group) {
  std::string out = fmt::format("{}: {}\n\nCandidates\n{}\n\nParameters (-p name=value)\n",
                                group.id, group.title, wrapped(joined(group.candidates), 2));
  add_parameters(group.parameters, out);
  return out +
         fmt::format("\nCompare them with: assay bench {} --epsilon 1 --delta 1e-6\n", group.id);
}

std::string explain_word(const GlossaryWord& word) {
  std::string out =
      fmt::format("{}: {}\n\n{}\n", word.id, word.line, wrapped(std::string(word.text), 2));
  if (!word.formula.empty()) out += fmt::format("\n  {}\n", word.formula);
  if (!word.source.empty()) {
    out += fmt::format("\nReference\n{}\n", wrapped(std::string(word.source), 2));
  }
  if (!word.aliases.empty()) {
    std::string aliases;
    for (const char c : word.aliases) aliases += c == ' ' ? std::string(", ") : std::string(1, c);
    out += fmt::format("\nAlso: {}\n", aliases);
  }
  return out;
}

std::string list_words() {
  std::string out = "Words of the reports (assay explain WORD)\n\n";
  for (const auto& word : glossary()) out += fmt::format("  {:<20} {}\n", word.id, word.line);
  return out +
         "\nCases, claims, experiments, mechanisms and methods are explained too. `assay list`\n"
         "lists them.\n";
}

int printed(const std::string& text) { return print_report(text) ? kNothingViolated : kUsage; }

struct ExplainJob : JobOptions {
  std::string id;
  static void fields(const VisitOption<ExplainJob>& visit) {
    visit(option(&ExplainJob::id, {.name = "id",
                                   .type = "ID",
                                   .help = "Explain this name from `assay list`, or this word of "
                                           "the reports. Without a name, the words are listed.",
                                   .is_positional = true}));
  }
};

Result<int> run_explain(const App& app) {
  const std::string id = ASSAY_TRY(read_job<ExplainJob>(app)).id;
  if (id.empty()) return printed(list_words());
  const std::string bare = bare_name(id);
  std::vector<std::string> known;
  const auto is_asked = [&](std::string_view name) {
    known.emplace_back(name);
    return bare_name(name) == bare;
  };
  for (const auto& audit_case : audit_cases()) {
    if (is_asked(audit_case->id())) return printed(explain_case(*audit_case));
  }
  if (const auto text = explain_of_papers(is_asked); !text.empty()) return printed(text);
  for (const auto& method : audit_methods()) {
    if (is_asked(method.id)) return printed(explain_method(method));
  }
  for (const auto& group : bench_groups()) {
    if (is_asked(group.id)) return printed(explain_group(group));
  }
  if (const GlossaryWord* word = find_word(id)) return printed(explain_word(*word));
  for (auto& name : glossary_names()) known.push_back(std::move(name));
  std::string hint = nearest_hint(id, known);
  if (hint.find("did you mean") == std::string::npos) {
    hint = "; `assay explain` lists the words, `assay list` the names";
  }
  return fail(ErrorCode::kUnknownKey, "nothing is called '" + id + "'" + hint);
}

}  // namespace

Command add_explain(App& root) {
  App* app = add_job<ExplainJob>(
      root, {.name = "explain",
             .summary =
                 "Explain a case, claim, experiment, mechanism or method, or a word of the reports",
             .examples = {{"Explain a case and its parameters", "assay explain thompson-sampling"},
                          {"Explain a word of the reports", "assay explain mu"},
                          {"List the words of the reports", "assay explain"}}});
  return {app, [app] { return run_explain(*app); }};
}

}  // namespace assay::cli

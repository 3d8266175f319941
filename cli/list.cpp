// assay list: lists the names of cases, claims and others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/cli/commands.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/cli/methods.hpp"
#include "assay/cli/papers.hpp"
#include "assay/cli/terminal.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"

namespace assay::cli {
namespace {

void list_cases(std::string& out) {
  for (const auto& audit_case : audit_cases()) {
    const auto d = audit_case->describe();
    out += fmt::format("{:<34} {}\n", d.id, d.title);
  }
}

void list_mechanisms(std::string& out) {
  for (const auto& mechanism : mechanism_descriptions()) {
    out += fmt::format("{:<34} {}\n", mechanism.name.id, mechanism.name.title);
  }
}

void list_methods(std::string& out) {
  for (const auto& method : audit_methods())
    out += fmt::format("{:<24} {}\n", method.id, method.line);
}

void list_groups(std::string& out) {
  for (const auto& group : bench_groups()) out += fmt::format("{:<24} {}\n", group.id, group.title);
}

struct Listing {
  std::string_view kind;
  void (*add)(std::string& out);
};
constexpr std::array<Listing, 8> kListings{{{"cases", list_cases},
                                            {"claims", list_claims},
                                            {"experiments", list_experiments},
                                            {"mechanisms", list_mechanisms},
                                            {"detect", list_detection},
                                            {"sequences", list_sequences},
                                            {"methods", list_methods},
                                            {"groups", list_groups}}};

struct ListJob : JobOptions {
  std::string kind, word;
  static void fields(const VisitOption<ListJob>& visit) {
    visit(option(&ListJob::kind, {.name = "kind",
                                  .type = "KIND",
                                  .help = "List these names.",
                                  .is_positional = true,
                                  .default_text = "all",
                                  .choices = {"cases", "claims", "experiments", "mechanisms",
                                              "detect", "sequences", "methods", "groups"}}));
    visit(option(&ListJob::word,
                 {.name = "word",
                  .type = "WORD",
                  .help = "List only the lines with this text, such as the name of a paper.",
                  .is_positional = true}));
  }
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// The lines that have the word, in any case.
std::string lines_with(const std::string& word, const std::string& text) {
  const auto alike = [](char a, char b) { return lower(a) == lower(b); };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    const auto found = std::search(line.begin(), line.end(), word.begin(), word.end(), alike);
    if (found != line.end()) out += line;
    at = end;
  }
  return out;
}

Result<int> run_list(const App& app) {
  const auto job = ASSAY_TRY(read_job<ListJob>(app));
  ASSAY_TRY(check_options(job, {}, "list"));
  const std::string& kind = job.kind;
  std::vector<std::string> known;
  std::string out;
  for (const auto& listing : kListings) {
    if (listing.kind == kind) {
      listing.add(out);
      out = lines_with(job.word, out);
      if (out.empty()) {
        return fail(ErrorCode::kUnknownKey,
                    "no line of `assay list " + kind + "` has '" + job.word + "'");
      }
      return print_report(out) ? kNothingViolated : kUsage;
    }
    known.emplace_back(listing.kind);
  }
  if (!kind.empty()) {
    return fail(ErrorCode::kUnknownKey, "cannot list '" + kind + "'" + nearest_hint(kind, known));
  }
  for (const auto& listing : kListings) {
    out += fmt::format("{}{}\n", &listing == &kListings.front() ? "" : "\n", listing.kind);
    listing.add(out);
  }
  return print_report(out) ? kNothingViolated : kUsage;
}

}  // namespace

Command add_list(App& root) {
  App* app = add_job<ListJob>(
      root,
      {.name = "list",
       .summary =
           "List cases, claims, experiments, mechanisms, methods, and what detect and bench run",
       .examples = {{"List the cases of `assay audit`", "assay list cases"},
                    {"List the claims of `assay verify`", "assay list claims"},
                    {"List those of one paper", "assay list claims FLIPHAT"},
                    {"List the groups of candidates of `assay bench`", "assay list groups"},
                    {"List everything", "assay list"}}});
  return {app, [app] { return run_list(*app); }};
}

}  // namespace assay::cli

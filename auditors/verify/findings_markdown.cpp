#include <fmt/format.h>

#include <string>
#include <string_view>

#include "assay/auditors/verify/verification_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

constexpr std::string_view kOpening =
    "# Findings\n\n"
    "These published claims did not survive a check. Each has a counterexample that a reader can follow\n"
    "with a pocket calculator. `assay verify` found them by a search that knows the statement of a\n"
    "claim but not the expected verdict. The papers are good ones. Most of their statements hold, often\n"
    "with room to spare, and a slip in a constant is easily made. Corrections to this page are welcome.\n\n"
    "`assay verify --findings` writes this page, and a test compares them.\n";

std::string number_of(const Paper& paper) {
  return paper.arxiv.empty() ? "" : ", arXiv:" + std::string(paper.arxiv);
}

std::string heading(const ClaimResult& result) {
  return fmt::format("\n## {}: {}\n\n{}.\n\n> {}\n", result.claim->id, result.claim->theorem,
                     result.claim->paper->short_citation() + number_of(*result.claim->paper),
                     result.claim->statement);
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text.empty() || text.back() == '.' ? text : text + ".";
}

std::string note(const ClaimResult& result) {
  return result.claim->comment.empty() ? "" : fmt::format("\n{}\n", result.claim->comment);
}

std::string plot(const ClaimResult& result) {
  if (result.claim->figure.empty()) return "";
  return fmt::format(
      "\n![{0}](figures/{0}.svg)\n\n`assay simulate {0}` draws this figure. Its numbers are in "
      "[figures/{0}.csv](figures/{0}.csv).\n",
      result.claim->figure);
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const auto& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string table_text(const FindingTable& table) {
  if (table.rows.empty()) return {};
  std::string out = "\n" + row_text(table.columns);
  out += row_text(std::vector<std::string>(table.columns.size(), "---"));
  for (const auto& row : table.rows) out += row_text(row);
  return out;
}

std::string covered(const ClaimResult& result) {
  return result.finding.domain.empty() ? ""
                                       : "\nCovered: " + sentence(result.finding.domain) + "\n";
}

std::string refuted_section(const ClaimResult& result, const std::string& folder) {
  std::string out = heading(result) + note(result);
  out += fmt::format("\n**{}**\n\n", sentence(result.finding.summary));
  for (const auto& step : result.finding.evidence) out += fmt::format("* {}\n", step);
  out += table_text(result.finding.table) + plot(result) + covered(result);
  out += fmt::format(
      "\nThe certificate is [certificates/{0}.json](certificates/{0}.json). Check it in 50 digits "
      "with\n"
      "`assay check-certificate {1}certificates/{0}.json`.\n",
      result.claim->id, folder.empty() ? "" : folder + "/");
  return out;
}

std::string remark_section(const ClaimResult& result) {
  std::string out = heading(result) + note(result);
  out += fmt::format("\n**{}.** {}\n", detail::value_text(result.finding.verdict),
                     sentence(result.finding.summary));
  out += covered(result);
  for (const auto& premise : result.refuted_premises) {
    out += fmt::format("\nIts printed proof uses `{}`, which is refuted above.\n", premise);
  }
  return out;
}

bool needs_remark(const ClaimResult& result) {
  const auto verdict = result.finding.verdict;
  if (verdict == ClaimVerdict::kRefuted) return false;
  return verdict == ClaimVerdict::kVacuous || !result.refuted_premises.empty();
}

}  // namespace

std::string findings_markdown(const Verification& verification, const std::string& folder) {
  std::string out(kOpening);
  for (const auto& result : verification.results) {
    if (result.finding.verdict == ClaimVerdict::kRefuted) out += refuted_section(result, folder);
  }
  bool first = true;
  for (const auto& result : verification.results) {
    if (!needs_remark(result)) continue;
    if (first) out += "\n# True, with a remark\n";
    first = false;
    out += remark_section(result);
  }
  return out;
}

}  // namespace assay

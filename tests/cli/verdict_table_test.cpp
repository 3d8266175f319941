// docs/read-a-report.md says which exit status and which colour each verdict has; the code agrees.
#include <map>
#include <sstream>

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/cli/exit_codes.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

using TableRows = std::map<std::string, std::vector<std::string>>;  // by verdict

// The cells after the meaning, of the table whose last column has this name and that follows this heading.
TableRows rows_below(const std::string& heading) {
  const std::string page = read_file(ASSAY_SOURCE_DIR "/docs/read-a-report.md");
  std::istringstream lines(page.substr(page.find("## " + heading)));
  TableRows rows;
  for (std::string line; std::getline(lines, line) && (rows.empty() || !line.empty());) {
    if (line.rfind("| ", 0) != 0) continue;
    std::istringstream cells(line.substr(1));
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, '|');) {
      row.push_back(cell.substr(1, cell.size() - 2));
    }
    if (row[0] == "verdict") {
      EXPECT_EQ(row.back(), "colour");
      rows[""];  // the table begins
    } else {
      rows[row[0]] = {row.begin() + 2, row.end()};
    }
  }
  rows.erase("");
  return rows;
}

struct ShownColour {
  std::string escape;  // in the terminal
  std::string css;     // on a page
};
const std::map<std::string, ShownColour> kColours = {
    {"red", {"\x1b[1;31m", "verdict violated"}},
    {"green", {"\x1b[1;32m", "verdict verified"}},
    {"blue", {"\x1b[1;34m", "verdict not-refuted"}},
    {"yellow", {"\x1b[1;33m", "verdict inconclusive"}}};

TEST(VerdictTable, OfAuditsHasTheExitStatusAndTheColourOfEachVerdict) {
  TableRows rows = rows_below("The verdict of an audit");
  for (const auto& [verdict, name] : enum_names(Verdict{})) {
    const auto& row = rows[std::string(name)];
    ASSERT_EQ(row.size(), 2u) << name;
    EXPECT_EQ(row[0], std::to_string(cli::exit_code(verdict))) << name;
    ASSERT_EQ(kColours.count(row[1]), 1u) << name;
    const ShownColour& colour = kColours.at(row[1]);
    AuditReport report = testing::sample_report();
    report.verdict = verdict;
    EXPECT_THAT(to_text(report, {.color = true}), StartsWith(colour.escape)) << name;
    EXPECT_THAT(to_html(report, std::nullopt), HasSubstr("<h1><span class=\"" + colour.css + "\""))
        << name;
  }
  EXPECT_EQ(rows.size(), enum_names(Verdict{}).size());
}

TEST(VerdictTable, OfPublishedStatementsHasTheColourOfEachVerdict) {
  TableRows rows = rows_below("The verdict of a published statement");
  RegisteredClaim claim;
  claim.id = "sample";
  claim.paper = &papers::kBestArm;
  for (const auto& [verdict, name] : enum_names(ClaimVerdict{})) {
    const auto& row = rows[std::string(name)];
    ASSERT_EQ(row.size(), 1u) << name;
    ASSERT_EQ(kColours.count(row[0]), 1u) << name;
    ClaimResult result;
    result.claim = &claim;
    result.finding.verdict = verdict;
    EXPECT_THAT(claim_text(result, {.color = true}),
                HasSubstr(kColours.at(row[0]).escape + std::string(name)))
        << name;
  }
  EXPECT_EQ(rows.size(), enum_names(ClaimVerdict{}).size());
}

}  // namespace
}  // namespace assay

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/auditors/verify/verification_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

using detail::Paint;

constexpr std::size_t kMargin = 14;  // of values

constexpr EnumTable<ClaimVerdict, Paint, 5> kPaints{
    {{ClaimVerdict::kHolds, Paint::kGreen},
     {ClaimVerdict::kNotRefuted, Paint::kBlue},
     {ClaimVerdict::kRefuted, Paint::kRed},
     {ClaimVerdict::kVacuous, Paint::kYellow},
     {ClaimVerdict::kInconclusive, Paint::kYellow}}};

std::string verdict_text(const ClaimResult& result) {
  std::string text = detail::value_text(result.finding.verdict);
  if (!result.as_expected()) {
    text += ", expected " + detail::value_text(result.claim->expected);
  } else if (result.finding.verdict == ClaimVerdict::kRefuted) {
    text += ", as known";
  }
  return text;
}

class ClaimWriter : detail::TextPage {
 public:
  explicit ClaimWriter(TextStyle style) : TextPage(style) {}

  std::string write(const ClaimResult& result) {
    const RegisteredClaim& claim = *result.claim;
    const ClaimFinding& finding = result.finding;
    title(result);
    entry("Claim", std::string(claim.statement));
    entry("Source", fmt::format("{}, {}", claim.theorem, claim.paper));
    entry("Because", finding.summary);
    for (const auto& premise : result.refuted_premises) {
      entry("Rests on", premise + ", which is refuted: the printed proof does not hold");
    }
    for (const auto& line : finding.evidence) bullet(line);
    table(finding.table);
    entry("Covered", finding.domain);
    if (finding.confidence < 1.0) {
      entry("Confidence", number_text(finding.confidence));
    }
    if (!claim.comment.empty()) entry("Note", std::string(claim.comment));
    return out_;
  }

 private:
  void title(const ClaimResult& result) {
    const std::string verdict = verdict_text(result);
    const std::string kind =
        fmt::format("{}, {}", detail::value_text(result.claim->kind), seconds_text(result.seconds));
    const std::string id(result.claim->id);
    const std::size_t used = id.size() + 2 + verdict.size() + kind.size();
    out_ += painted(id, Paint::kBold) + "  " +
            painted(verdict, entry_of(kPaints, result.finding.verdict)) +
            std::string(width_ > used + 2 ? width_ - used : 2, ' ') + painted(kind, Paint::kDim) +
            "\n";
  }

  void entry(const std::string& key, const std::string& value) {
    TextPage::entry(key, value, 2, Paint::kDim);
  }

  void bullet(const std::string& text) { hanging(std::string(kMargin, ' ') + "- ", text); }

  // Columns as wide as their widest cell; where they do not fit side by side, a block for each row.
  void table(const FindingTable& table) {
    if (table.rows.empty()) return;
    const auto widths = detail::column_widths(table.columns, table.rows);
    std::size_t total = kMargin;
    for (const std::size_t width : widths) total += width + 2;
    if (total > width_ + 2) return blocks(table);
    const auto line = [&](const std::vector<std::string>& cells) {
      return std::string(kMargin, ' ') + detail::table_line(cells, widths) + "\n";
    };
    out_ += painted(line(table.columns), Paint::kDim);
    for (const auto& row : table.rows) out_ += line(row);
  }

  void blocks(const FindingTable& table) {
    for (const auto& row : table.rows) {
      std::string text;
      for (std::size_t i = 0; i < row.size(); ++i) {
        text += (text.empty() ? "" : "; ") + table.columns[i] + ": " + row[i];
      }
      bullet(text);
    }
  }
};

}  // namespace

std::string claim_text(const ClaimResult& result, TextStyle style) {
  return ClaimWriter(style).write(result);
}

std::string verification_summary(const Verification& verification, TextStyle style) {
  std::string text;
  for (const auto& [verdict, name] : enum_names(ClaimVerdict{})) {
    const auto count = std::count_if(
        verification.results.begin(), verification.results.end(),
        [&, wanted = verdict](const ClaimResult& r) { return r.finding.verdict == wanted; });
    if (count == 0) continue;
    const std::string part = fmt::format("{} {}", count, name);
    text += (text.empty() ? "" : ", ") +
            (style.color ? detail::painted(part, entry_of(kPaints, verdict)) : part);
  }
  const auto done = static_cast<std::int64_t>(verification.results.size());
  std::string out = fmt::format("{} {}: {}.\n", done, plural(done, "claim"), text);
  if (done < verification.selected) {
    const auto left = verification.selected - done;
    out += fmt::format("Stopped: {} of {} {} {} not checked.\n", left, verification.selected,
                       plural(verification.selected, "claim"), left == 1 ? "was" : "were");
  }
  for (const auto& result : verification.results) {
    if (result.as_expected()) continue;
    out += fmt::format("Not as the registry expects: {}: {}.\n", result.claim->id,
                       verdict_text(result));
  }
  return out;
}

std::string to_text(const Verification& verification, TextStyle style) {
  std::string out;
  for (const auto& result : verification.results) out += claim_text(result, style) + "\n";
  return out + verification_summary(verification, style);
}

}  // namespace assay

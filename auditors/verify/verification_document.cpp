#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
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

// The table, or a line for each row if the table is too wide.
doc::Group table_of(const FindingTable& table) {
  doc::Document rows, lines;
  rows.table("", table.columns, table.rows, kMargin);
  doc::List list{{}, std::string(kMargin, ' ') + "- "};
  for (const auto& row : table.rows) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += (text.empty() ? "" : "; ") + table.columns[i] + ": " + row[i];
    }
    list.items.push_back(text);
  }
  lines.add(list);
  return {doc::GroupKind::kFirstThatFits, {rows, lines}};
}

doc::Document document_of(const ClaimResult& result) {
  const RegisteredClaim& claim = *result.claim;
  const ClaimFinding& finding = result.finding;
  doc::Document document;
  doc::Table title{"", {{"", false}, {"", true}}};
  title.wide = true;
  title.add({doc::strong(std::string(claim.id)) + "  " +
                 doc::chip(verdict_text(result), entry_of(kPaints, finding.verdict)),
             doc::Span{fmt::format("{}, {}", detail::value_text(claim.kind),
                                   seconds_text(result.seconds)),
                       doc::SpanKind::kProse, Paint::kDim}});
  document.add(title, doc::kTerminal | doc::kPage);
  document.heading(std::string(claim.id) + ": " + verdict_text(result), "", 3, doc::kMarkdown);
  doc::Facts stated{2, Paint::kDim}, covered{2, Paint::kDim};
  stated.add("Claim", std::string(claim.statement));
  stated.add("Source",
             fmt::format("{}, in our wording; {}", claim.theorem, claim.paper->citation()));
  stated.add("Because", finding.summary);
  for (const auto& premise : result.refuted_premises) {
    stated.add("Rests on", premise + ", which is refuted: the printed proof does not hold");
  }
  document.add_close(stated);
  document.add_close(doc::List{{finding.evidence.begin(), finding.evidence.end()},
                               std::string(kMargin, ' ') + "- "});
  document.add_close(table_of(finding.table));
  covered.add("Covered", finding.domain);
  if (finding.confidence < 1.0) covered.add("Confidence", number_text(finding.confidence));
  covered.add("Note", std::string(claim.comment));
  document.add_close(covered);
  return document;
}

// The number of claims for each verdict.
doc::Text counts_text(const Verification& verification) {
  const auto done = static_cast<std::int64_t>(verification.results.size());
  doc::Text counts = fmt::format("{} {}: ", done, plural(done, "claim"));
  bool first = true;
  for (const auto& [verdict, name] : enum_names(ClaimVerdict{})) {
    const auto count = std::count_if(
        verification.results.begin(), verification.results.end(),
        [&, wanted = verdict](const ClaimResult& r) { return r.finding.verdict == wanted; });
    if (count == 0) continue;
    counts += (first ? "" : ", ") +
              doc::chip(fmt::format("{} {}", count, name), entry_of(kPaints, verdict));
    first = false;
  }
  return counts + ".";
}

// What a reader has to know of the whole verification, and how to make it again.
void add_summary(const Verification& verification, const RunMeta& meta, doc::Document& document) {
  const auto done = static_cast<std::int64_t>(verification.results.size());
  doc::List lines{{counts_text(verification)}, ""};
  if (done < verification.selected) {
    const auto left = verification.selected - done;
    lines.items.push_back(fmt::format("Stopped: {} of {} {} {} not checked.", left,
                                      verification.selected, plural(verification.selected, "claim"),
                                      left == 1 ? "was" : "were"));
  }
  for (const auto& result : verification.results) {
    if (result.as_expected()) continue;
    lines.items.push_back(fmt::format("The registry expects another verdict: {}: {}.",
                                      result.claim->id, verdict_text(result)));
  }
  document.add(lines);
  if (!meta.version.empty()) {
    doc::Facts origin;
    origin.add("Assay", meta.version + ", " + meta.build);
    document.add(origin);
  }
  if (!verification.reproduce.empty()) document.reproduce(verification.reproduce);
}

}  // namespace

std::string claim_text(const ClaimResult& result, TextStyle style) {
  return to_terminal(document_of(result), style);
}

std::string verification_summary(const Verification& verification, const RunMeta& meta,
                                 TextStyle style) {
  doc::Document document;
  add_summary(verification, meta, document);
  return to_terminal(document, style);
}

std::string verification_headline(const Verification& verification) {
  std::string line;
  for (const auto& span : counts_text(verification).spans) line += span.text;
  for (const auto& [verdict, name] : enum_names(ClaimVerdict{})) {
    if (verdict == ClaimVerdict::kHolds) continue;
    std::string ids;
    for (const auto& result : verification.results) {
      if (result.finding.verdict != verdict) continue;
      ids += (ids.empty() ? "" : ", ") + std::string(result.claim->id);
    }
    if (!ids.empty()) line += fmt::format("\n{}: {}.", name, ids);
  }
  return line;
}

std::string to_text(const Verification& verification, const RunMeta& meta, TextStyle style) {
  std::string out;
  for (const auto& result : verification.results) out += claim_text(result, style) + "\n";
  return out + verification_summary(verification, meta, style);
}

std::string to_markdown(const Verification& verification, const RunMeta& meta) {
  constexpr std::size_t kMostBytes = 10'000'000;
  doc::Document document;
  document.heading("Verification of published claims", "", 1);
  add_summary(verification, meta, document);
  const Paper* paper = nullptr;
  for (const auto& result : verification.results) {
    if (result.claim->paper != paper) {
      paper = result.claim->paper;
      document.heading(std::string(paper->title));
      document.paragraph(paper->citation() + ".");
    }
    document.append(document_of(result));
  }
  return doc::to_markdown(document, kMostBytes);
}

}  // namespace assay

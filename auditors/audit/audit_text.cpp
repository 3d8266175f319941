#include "assay/auditors/audit/audit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/text/aligned_rows.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/enum_table.hpp"

namespace assay {
namespace {

using detail::fill;
using detail::kKeyWidth;
using detail::padded;
using detail::Paint;
using detail::words_of;

constexpr int kNumberWidth = 12;

constexpr EnumTable<Verdict, Paint, 4> kPaints{{{Verdict::kViolated, Paint::kRed},
                                                {Verdict::kVerified, Paint::kGreen},
                                                {Verdict::kNotRefuted, Paint::kBlue},
                                                {Verdict::kInconclusive, Paint::kYellow}}};

class TextWriter : detail::TextPage {
 public:
  TextWriter(const AuditReport& report, TextStyle style) : TextPage(style), report_(report) {}

  std::string write() {
    verdict();
    reasons();
    quantities();
    pair();
    event();
    witness();
    subject();
    checks();
    limits();
    provenance();
    ledger();
    return finish();
  }

 private:
  void verdict() {
    const std::string text = plain_text(headline(report_));
    const std::string name = to_string(report_.verdict);
    bool first = true;
    for (std::string part : fill(words_of(text), width_)) {
      if (first) {
        out_ += painted(part.substr(0, name.size()), entry_of(kPaints, report_.verdict));
        part.erase(0, name.size());
      }
      out_ += part + "\n";
      first = false;
    }
    if (!report_.neighbours.empty()) hanging("", "Neighbours: " + report_.neighbours);
  }

  void reasons() {
    const std::string why = why_text(report_), visible = visible_text(report_);
    if (why.empty() && visible.empty()) return;
    gap();
    if (!why.empty()) entry("Why", why);
    if (!visible.empty()) entry("Would see", visible);
  }

  void subject() {
    gap();
    entry("Claim", claim_text(report_));
    entry("", to_string(report_.relation) + "; the view is " + to_string(report_.view));
    entry("Case", report_.case_id + ": " + report_.case_title);
    entry("", parameters_text(report_.parameters, "="));
    for (const std::string& note : report_.notes) entry("", note);
    if (report_.input) entry("Input", input_text(*report_.input));
  }

  static std::string input_text(const InputSource& input) {
    return fmt::format("{}{}, {} {}, digest {}", input.file,
                       input.column.empty() ? "" : ", column " + input.column, grouped(input.rows),
                       plural(input.rows, "row"), input.digest);
  }

  void quantities() {
    if (report_.evidence.quantities.empty()) return;
    heading(report_.canaries || !has_pair(report_)
                ? "Certified privacy loss"
                : "Certified privacy loss of the worst pair found",
            "(" + percent(report_.confidence) + " confidence, jointly)");
    // A bound beside a claim may take all of its digits: two spaces stay before each.
    std::vector<std::vector<std::string>> rows{{"  at least", "  at most", "  claimed"}};
    for (const ReportedQuantity& quantity : report_.evidence.quantities) {
      const QuantityTexts texts = quantity_texts(report_.claim, quantity);
      rows.push_back({"  " + texts.lower, "  " + texts.upper,
                      "  " + (texts.claimed.empty() ? "-" : texts.claimed)});
    }
    detail::align(rows, {kNumberWidth, kNumberWidth, kNumberWidth});
    // The label stands above its numbers where it does not fit beside them.
    const auto row_line = [this](std::string label, const std::vector<std::string>& row,
                                 Paint paint) {
      const std::string numbers = row[0] + row[1] + row[2];
      const std::size_t room = width_ - std::min(width_, numbers.size());
      if (column_count(label) > room) line(std::exchange(label, ""), paint);
      line(padded(label, room) + numbers, paint);
    };
    row_line("", rows[0], Paint::kDim);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const ReportedQuantity& quantity = report_.evidence.quantities[i - 1];
      row_line("  " + quantity_label(quantity), rows[i], Paint::kNone);
      const std::string lower = evidence_text(quantity.lower);
      const std::string upper = evidence_text(quantity.upper);
      if (lower == upper) {
        hanging("      both by ", lower, Paint::kDim);
      } else {
        hanging("      at least by ", lower, Paint::kDim);
        hanging("      at most by  ", upper, Paint::kDim);
      }
    }
  }

  void canaries(const CanaryEvidence& found) {
    heading("Canaries", "(entries of the input set by fair coins, guessed from the output)");
    entry("tossed",
          fmt::format("{} in {} {}: {}", grouped(found.canaries), grouped(report_.evidence.samples),
                      plural(report_.evidence.samples, "run"), report_.pair.found_by),
          2);
    entry("guessed",
          fmt::format("{}, {} right; p-value under the claim {}", grouped(found.guesses),
                      grouped(found.correct), rounded_up(found.p_value, 4)),
          2);
    entry("learnt from", grouped(found.training) + " transcripts with coins of their own", 2);
    entry("all at 0", stream_text(report_.pair), 2);
  }

  void pair() {
    if (report_.canaries) return canaries(*report_.canaries);
    if (!has_pair(report_)) return;
    heading("Worst pair found");
    const WorstPair& worst = report_.pair;
    entry("change", change_text(report_), 2);
    if (shows_rows(report_)) {
      entry("old", row_text(worst.inputs.old_input().values), 2);
      entry("new", row_text(worst.inputs.new_input().values), 2);
    } else if (!table()) {
      entry("stream", stream_text(worst), 2);
    }
    if (!worst.found_by.empty()) entry("found by", worst.found_by, 2);
  }

  // Of inputs with several entries a round: as many columns as the lines hold.
  bool table() {
    for (std::size_t columns = 8; columns > 2; --columns) {
      const PairTable table = pair_table(report_, columns);
      if (table.rows.empty()) return false;
      const auto widths = detail::column_widths(table.columns, table.rows);
      const std::string head = "  " + detail::table_line(table.columns, widths);
      std::size_t total = 0;
      for (const std::size_t width : widths) total += width + 2;
      if (total > width_ && columns > 3) continue;
      line(head, Paint::kDim);
      for (const auto& row : table.rows) line("  " + detail::table_line(row, widths));
      return true;
    }
    return false;
  }

  void event() {
    if (!report_.evidence.event) return;
    const EventEvidence& seen = *report_.evidence.event;
    heading("Evidence", "(one event of the outputs, counted on both sides)");
    entry("score", seen.score, 2);
    entry("event", seen.event, 2);
    entry("old input", seen_text(seen.old_hits, seen.old_plays), 2);
    entry("new input", seen_text(seen.new_hits, seen.new_plays), 2);
    failures();
  }

  void failures() {
    if (!report_.evidence.failures) return;
    const FailureEvidence& found = *report_.evidence.failures;
    entry("failures", failures_text(found), 2);
    entry("", "the first said: " + found.said, 2);
  }

  void witness() {
    if (!report_.evidence.witness) return;
    const WitnessPath& path = *report_.evidence.witness;
    heading("Witness", "(a transcript or its beginning, with both probabilities)");
    entry("actions", actions_text(path.actions), 2);
    const std::string changed =
        report_.relation == Relation::kReplaceOneReward ? "reward" : "input";
    entry("log P", rounded(path.log_probability_old, 8) + " under the old " + changed, 2);
    entry("log Q", rounded(path.log_probability_new, 8) + " under the new " + changed, 2);
    entry("log P/Q", rounded(path.log_probability_old - path.log_probability_new, 8), 2);
    entry("forces", "mu >= " + rounded_down(path.mu, 5), 2);
  }

  void ledger() {
    if (report_.evidence.ledger.empty()) {
      heading("Alpha ledger", "(nothing spent: every bound is exact or proved)");
    } else {
      heading("Alpha ledger", "(" + spent_text(report_) + " spent)");
    }
    for (const LedgerEntry& share : report_.evidence.ledger) {
      hanging("  " + padded(rounded(share.alpha, 5), kKeyWidth), share.purpose);
    }
  }

  void checks() {
    if (report_.evidence.checks.empty()) return;
    heading("Checks", "(" + checks_title(report_) + ")");
    for (const CheckResult& check : report_.evidence.checks) {
      const std::string value = check.value_text();
      hanging("  " + padded(check.result_text(), kKeyWidth),
              check.name + (value.empty() ? "" : ": " + value),
              check.passed ? Paint::kNone : Paint::kRed);
      hanging(std::string(2 + kKeyWidth, ' '), check.meaning, Paint::kDim);
    }
  }

  void limits() {
    if (report_.evidence.limits.empty()) return;
    heading("Limits");
    for (const std::string& limit : report_.evidence.limits) hanging("  - ", limit);
  }

  void provenance() {
    gap();
    entry("Method", method_text(report_));
    if (report_.evidence.plays) entry("Plays", plays_text(*report_.evidence.plays));
    entry("Seed", std::to_string(report_.seed));
    if (!report_.reproduce.empty()) reproduce(report_.reproduce);
  }

  const AuditReport& report_;
};

}  // namespace

std::string to_text(const AuditReport& report, TextStyle style) {
  return TextWriter(report, style).write();
}

}  // namespace assay

#include "assay/auditors/writers/audit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/auditors/writers/audit_summary.hpp"
#include "assay/auditors/writers/rounding.hpp"
#include "assay/auditors/writers/safe_text.hpp"
#include "assay/auditors/writers/text_layout.hpp"

namespace assay {
namespace {

using detail::arguments_of;
using detail::fill;
using detail::padded;
using detail::padded_left;
using detail::Paint;
using detail::with_plain_spaces;
using detail::words_of;

constexpr std::size_t kLeastWidth = 60;
constexpr std::size_t kKeyWidth = 12;
constexpr std::size_t kNumberWidth = 12;

Paint paint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kViolated:
      return Paint::kRed;
    case Verdict::kVerified:
      return Paint::kGreen;
    case Verdict::kNotRefuted:
      return Paint::kBlue;
    case Verdict::kInconclusive:
      return Paint::kYellow;
  }
  return Paint::kNone;
}

class TextWriter {
 public:
  TextWriter(const AuditReport& report, TextStyle style)
      : report_(report),
        color_(style.color),
        width_(std::max(kLeastWidth, static_cast<std::size_t>(std::max(style.width, 0)))) {}

  std::string write() {
    verdict();
    subject();
    quantities();
    pair();
    witness();
    certainty();
    limits();
    provenance();
    return with_plain_spaces(std::move(out_));
  }

 private:
  std::string painted(const std::string& text, Paint paint) const {
    return color_ ? detail::painted(text, paint) : text;
  }

  void line(const std::string& text, Paint paint = Paint::kNone) {
    out_ += painted(text, paint) + "\n";
  }
  void gap() { out_ += "\n"; }

  // The aside goes on a line of its own where it does not fit.
  void heading(const std::string& text, const std::string& aside = "") {
    gap();
    out_ += painted(text, Paint::kBold);
    if (!aside.empty()) {
      const bool fits = column_count(text) + 2 + column_count(aside) <= width_;
      out_ += (fits ? "  " : "\n  ") + painted(aside, Paint::kDim);
    }
    out_ += "\n";
  }

  // "Key         value", the value wrapped under itself.
  void entry(const std::string& key, const std::string& value, std::size_t indent = 0) {
    const std::size_t margin = indent + kKeyWidth;
    bool first = true;
    for (const std::string& text : fill(words_of(plain_text(value)), width_ - margin)) {
      const std::string label = first ? key : "";
      out_ += std::string(indent, ' ') + painted(label, Paint::kBold) +
              std::string(kKeyWidth - std::min(kKeyWidth, column_count(label)), ' ') + text + "\n";
      first = false;
    }
  }

  void hanging(const std::string& lead, const std::string& text, Paint paint = Paint::kNone) {
    const std::size_t margin = column_count(lead);
    bool first = true;
    for (const std::string& part : fill(words_of(plain_text(text)), width_ - margin)) {
      line((first ? lead : std::string(margin, ' ')) + part, paint);
      first = false;
    }
  }

  void verdict() {
    const std::string text = plain_text(headline(report_));
    const std::string name = to_string(report_.verdict);
    bool first = true;
    for (std::string part : fill(words_of(text), width_)) {
      if (first) {
        out_ += painted(part.substr(0, name.size()), paint_of(report_.verdict));
        part.erase(0, name.size());
      }
      out_ += part + "\n";
      first = false;
    }
  }

  void subject() {
    gap();
    if (!report_.reason.empty() && headline(report_).find(report_.reason) == std::string::npos) {
      entry("Why", report_.reason);
    }
    if (report_.evidence.smallest_visible) {
      const SmallestVisible& visible = *report_.evidence.smallest_visible;
      entry("Would see", fmt::format("{} (violation {}, power {})", visible.statement,
                                     rounded(visible.violation, 5), rounded(visible.power, 4)));
    }
    entry("Claim", claim_text(report_));
    entry("", to_string(report_.relation) + "; the view is " + to_string(report_.view));
    entry("Case", report_.case_id + ": " + report_.case_title);
    entry("", parameters_text());
    if (report_.input) entry("Input", input_text(*report_.input));
  }

  std::string parameters_text() const {
    std::string text;
    for (const auto& [key, value] : report_.parameters) {
      text += (text.empty() ? "" : ", ") + key + "=" + value;
    }
    return text;
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
    const std::size_t label_width = width_ - 3 * kNumberWidth;
    line(padded("", label_width) + padded_left("at least", kNumberWidth) +
             padded_left("at most", kNumberWidth) + padded_left("claimed", kNumberWidth),
         Paint::kDim);
    for (const ReportedQuantity& quantity : report_.evidence.quantities) {
      const QuantityTexts texts = quantity_texts(report_.claim, quantity);
      line(padded("  " + quantity_label(quantity), label_width) +
           padded_left(texts.lower, kNumberWidth) + padded_left(texts.upper, kNumberWidth) +
           padded_left(texts.claimed.empty() ? "-" : texts.claimed, kNumberWidth));
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
    if (worst.shows_both) {
      entry("old", row_text(worst.inputs.old_input().values), 2);
      entry("new", row_text(worst.inputs.new_input().values), 2);
      if (!worst.found_by.empty()) entry("found by", worst.found_by, 2);
      return;
    }
    entry("change",
          fmt::format("{}: {} -> {}", changed_place(report_), number_text(worst.old_value()),
                      number_text(worst.new_value())),
          2);
    entry("stream", stream_text(worst), 2);
    if (!worst.found_by.empty()) entry("found by", worst.found_by, 2);
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

  void certainty() {
    if (report_.evidence.ledger.empty()) {
      heading("Alpha ledger", "(nothing spent: every bound is exact or proved)");
    } else {
      heading("Alpha ledger", "(" + spent_text(report_) + " spent)");
    }
    for (const LedgerEntry& share : report_.evidence.ledger) {
      hanging("  " + padded(rounded(share.alpha, 5), kKeyWidth), share.purpose);
    }
    if (report_.evidence.checks.empty()) return;
    heading("Checks", "(evidence against the reported probabilities)");
    for (const CalibrationCheck& check : report_.evidence.checks) {
      const std::string lead = "  " + padded(check.passed ? "ok" : "ALARM", kKeyWidth);
      hanging(lead,
              fmt::format("{}: e-value {}, alarm at {}", check.name, rounded(check.e_value, 4),
                          rounded(check.threshold, 5)),
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
    entry("Seed", std::to_string(report_.seed));
    if (report_.reproduce.empty()) return;
    const auto lines = fill(arguments_of(plain_text(report_.reproduce)), width_ - kKeyWidth - 4);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string label = i == 0 ? "Reproduce" : "";
      line(painted(label, Paint::kBold) + std::string(kKeyWidth - label.size(), ' ') +
           (i == 0 ? "" : "  ") + lines[i] + (i + 1 < lines.size() ? " \\" : ""));
    }
  }

  const AuditReport& report_;
  bool color_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string to_text(const AuditReport& report, TextStyle style) {
  return TextWriter(report, style).write();
}

}  // namespace assay

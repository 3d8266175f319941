#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

std::string chain_text(const ChainStep& step) {
  std::string text = to_string(step.mechanism);
  text += step.count == 1 ? ", once" : ", " + grouped(step.count) + " times";
  return step.label.empty() ? text : step.label + ": " + text;
}

std::string target_text(const AccountTarget& target) {
  return (target.asks_epsilon() ? "eps at delta = " : "delta at eps = ") +
         number_text(target.given);
}

IntervalText interval_text(double lower, double upper) {
  int digits = 4;
  for (; digits < 12; ++digits) {  // until the printed gap is less than twice the certified one
    const auto low = parse_number(rounded_down(lower, digits));
    const auto high = parse_number(rounded_up(upper, digits));
    if (!low || !high || *high - *low <= 2.0 * (upper - lower)) break;
  }
  const std::string upper_text = rounded_up(upper, digits);
  const double shown = parse_number(upper_text).value_or(upper);
  return {rounded_down(lower, digits), upper_text, rounded_up_within(upper - lower, shown, 2)};
}

namespace {

using detail::Paint;

class AccountTextWriter : detail::TextPage {
 public:
  explicit AccountTextWriter(TextStyle style) : TextPage(style) {}

  std::string write(const AccountReport& report) {
    if (!report.source.empty()) entry("Chain", report.source);
    for (std::size_t i = 0; i < report.chain.size(); ++i) {
      const bool alone = report.chain.size() == 1;
      entry(alone ? "Releases" : "Step " + std::to_string(i + 1), chain_text(report.chain[i]));
    }
    if (!report.relation.empty()) entry("Neighbours", report.relation);
    if (!report.view.empty()) entry("Adversary", "sees " + report.view);
    for (const AccountAnswer& answer : report.answers) add(answer);
    return finished(report.reproduce);
  }

  std::string write(const ConversionReport& report) {
    const ConversionTable& table = report.table;
    entry("Level", to_string(table.given));
    if (table.group > 1) {
      entry("Group",
            grouped(table.group) + " records" + (table.level.empty() ? "" : ": " + table.level));
    }
    out_ += "\n" + painted("It implies, at most", Paint::kBold) + "\n";
    for (const ConversionLine& line : table.lines) add(line);
    return finished(report.reproduce);
  }

  std::string write(const CalibrationReport& report) {
    const CalibratedNoise& c = report.calibration;
    const CalibrationRequest& r = report.request;
    std::string parameters;
    for (const auto& [key, value] : report.parameters) parameters += ", " + key + " " + value;
    entry("Mechanism", report.what + parameters);
    entry("Target", "eps = " + number_text(r.target.epsilon.value) +
                        ", delta = " + number_text(r.target.delta.value));
    out_ += "\n";
    entry("Scale", number_text(c.scale));
    if (c.none_below) {
      entry("", "no scale up to " + number_text(*c.none_below) + " serves, for the same pairs");
    }
    entry("Certificate", c.certificate);
    const IntervalText delta =
        interval_text(c.achieved.lower.value.value, c.achieved.upper.value.value);
    entry("Achieved", "delta at eps = " + number_text(r.target.epsilon.value) + " is at least " +
                          delta.lower + ", at most " + delta.upper + ", by " + c.achieved_by);
    return finished(report.reproduce);
  }

 private:
  void add(const AccountAnswer& answer) {
    const char* quantity = answer.target.asks_epsilon() ? "eps" : "delta";
    out_ += "\n" + painted(target_text(answer.target), Paint::kBold) + "\n";
    entry("certified", certified(answer, quantity), 2, Paint::kDim);
    if (!answer.worse_order.empty()) {
      entry("worse", answer.worse_order == "remove" ? "a record removed" : "a record added", 2,
            Paint::kDim);
    }
    entry("by", answer.route, 2, Paint::kDim);
    if (answer.closed) {
      const IntervalText closed = interval_text(answer.closed->lower, answer.closed->upper);
      entry("closed form", closed.lower + " to " + closed.upper + ", " + answer.closed->source, 2,
            Paint::kDim);
    }
    add_others(answer, quantity);
  }

  static std::string certified(const AccountAnswer& answer, const std::string& quantity) {
    if (!std::isfinite(answer.upper)) {
      std::string text = quantity + " is infinite or cannot be bounded: ";
      if (answer.lower && std::isinf(*answer.lower)) text = quantity + " is infinite: ";
      return text + answer.why_infinite;
    }
    if (!answer.lower) {
      return quantity + " is at most " + rounded_up(answer.upper, 6) +
             ": an upper bound only, no pair dominates the chain";
    }
    const IntervalText text = interval_text(*answer.lower, answer.upper);
    return quantity + " is at least " + text.lower + ", at most " + text.upper + "; the gap, " +
           text.gap + ", is the accuracy";
  }

  void add_others(const AccountAnswer& answer, const std::string& quantity) {
    constexpr std::size_t kNameWidth = 30, kNumberWidth = 12;
    if (answer.others.empty()) return;
    out_ += painted("  " + detail::padded("other accountings", kNameWidth) +
                        detail::padded_left(quantity + " at most", kNumberWidth) +
                        detail::padded_left("ratio", 9),
                    Paint::kDim) +
            "\n";
    for (const OtherAccounting& other : answer.others) {
      std::string text = "  " + detail::padded(other.name, kNameWidth);
      if (other.upper) {
        text += detail::padded_left(rounded_up(*other.upper, 6), kNumberWidth);
        if (std::isfinite(answer.upper) && answer.upper > 0.0) {
          text += detail::padded_left(rounded(*other.upper / answer.upper, 4), 9);
        }
        line(text);
      } else {
        hanging(text, "- (" + other.why_not + ")");
      }
    }
  }

  void add(const ConversionLine& conversion) {
    constexpr std::size_t kNameWidth = 34, kIndent = 6;
    if (conversion.upper) {
      out_ += "  " + detail::padded(conversion.to, kNameWidth) + conversion.quantity +
              " <= " + rounded_up(*conversion.upper, 9) + "\n";
    } else {
      out_ += "  " + detail::padded(conversion.to, kNameWidth) + "-\n";
    }
    const std::string reason = conversion.upper ? "by " + conversion.source : conversion.why_not;
    hanging(std::string(kIndent, ' '), reason, Paint::kDim);
  }

  std::string finished(const std::string& command) {
    gap();
    reproduce(command);
    return finish();
  }
};

}  // namespace

std::string to_text(const AccountReport& report, TextStyle style) {
  return AccountTextWriter(style).write(report);
}
std::string to_text(const ConversionReport& report, TextStyle style) {
  return AccountTextWriter(style).write(report);
}
std::string to_text(const CalibrationReport& report, TextStyle style) {
  return AccountTextWriter(style).write(report);
}

}  // namespace assay

#include "assay/auditors/audit/audit_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/audit/audit_figures.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/audit/round_groups.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

using detail::DescriptionList;
using detail::element;
using detail::figure_element;
using detail::folded;
using detail::html_page;
using detail::paragraph;
using detail::Table;
using detail::typeset;
using detail::word_link;

constexpr std::size_t kMostTableRows = 40;

// ---- words --------------------------------------------------------------------------------------

constexpr EnumTable<Verdict, std::string_view, 4> kClasses{
    {{Verdict::kViolated, "violated"},
     {Verdict::kVerified, "verified"},
     {Verdict::kNotRefuted, "not-refuted"},
     {Verdict::kInconclusive, "inconclusive"}}};

// "Method: likelihood, 200,000 transcripts a side, 99.9% confidence jointly; arms = 5, ..."
std::string conditions(const AuditReport& report) {
  std::string text = "Method: " + report.evidence.method;
  if (report.evidence.samples > 0) {
    text += ", " + grouped(report.evidence.samples) + " " +
            plural(report.evidence.samples, "transcript") + " a side";
  }
  text += ", " + percent(report.confidence) + " confidence jointly";
  if (!report.parameters.empty())
    text += "; " + parameters_text(report.parameters, detail::kEquals);
  return text + ".";
}

// About kMostTableRows rows, always with the last.
std::vector<std::size_t> thinned(std::size_t count) {
  std::vector<std::size_t> rows;
  const std::size_t stride =
      std::max<std::size_t>(1, (count + kMostTableRows - 1) / kMostTableRows);
  for (std::size_t i = 0; i < count; i += stride) rows.push_back(i);
  if (!rows.empty() && rows.back() != count - 1) rows.push_back(count - 1);
  return rows;
}

std::string thinned_note(std::size_t count, std::size_t shown) {
  return shown == count ? ""
                        : fmt::format(" ({} of {} rows; all are in the JSON report)", shown, count);
}

// ---- the page -----------------------------------------------------------------------------------

class HtmlWriter {
 public:
  HtmlWriter(const AuditReport& report, const std::optional<Error>& error)
      : report_(report), error_(error) {}

  std::string write() const {
    const std::string title = plain_text(report_.case_id + ": " + to_string(report_.verdict));
    return html_page(title + " \xE2\x80\x93 Assay privacy audit",
                     header() + quantities() + event() + curves() + losses() + pair() +
                         certainty() + limits() + provenance());
  }

 private:
  // Of one pair of inputs, shown below.
  bool is_of_pair() const { return !report_.canaries && has_pair(report_); }

  std::string header() const {
    const std::string verdict = to_string(report_.verdict);
    std::string line = headline(report_).substr(verdict.size());
    if (line.rfind(": ", 0) == 0) line.erase(0, 2);
    if (!line.empty() && line.front() == ' ') line.erase(0, 1);
    DescriptionList list;
    if (error_) list.add("The run failed", error_->to_string());
    if (const auto why = why_text(report_); !why.empty()) list.add("Why", why);
    if (const auto visible = visible_text(report_); !visible.empty()) {
      list.add_linked("power", "Would have seen", markup_text(visible));
    }
    list.add_linked("claim", "Claim", element("code", markup_text(claim_text(report_))));
    list.add_linked(
        "relation", "Neighbours",
        markup_text(report_.neighbours.empty() ? to_string(report_.relation) : report_.neighbours));
    list.add_linked("view", "View", markup_text(to_string(report_.view)));
    list.add_markup("Case", markup_text(report_.case_title) + " " +
                                element("code", markup_text(report_.case_id)));
    list.add("Parameters", parameters_text(report_.parameters, detail::kEquals));
    for (const std::string& note : report_.notes) list.add("", note);
    if (report_.input) {
      const InputSource& input = *report_.input;
      list.add("Input", fmt::format("{}{}, {} {}, digest {}", input.file,
                                    input.column.empty() ? "" : ", column " + input.column,
                                    grouped(input.rows), plural(input.rows, "row"), input.digest));
    }
    return "<header>\n" +
           element("span", verdict, "verdict " + std::string(entry_of(kClasses, report_.verdict))) +
           element("h1", markup_text(typeset(line))) + "\n" + list.text() + "</header>\n";
  }

  std::string quantities() const {
    if (report_.evidence.quantities.empty()) return "";
    Table table(std::string("Each interval holds the truth") +
                    (is_of_pair() ? " for the pair below" : "") + "; all of them together with " +
                    percent(report_.confidence) + " confidence. Bounds are rounded outward.",
                {{"quantity", false},
                 {"at least"},
                 {"at most"},
                 {"claimed"},
                 {"the lower bound rests on", false},
                 {"the upper bound rests on", false}});
    for (const ReportedQuantity& quantity : report_.evidence.quantities) {
      const QuantityTexts texts = quantity_texts(report_.claim, quantity);
      table.add_markup(
          {word_link(word_of(quantity.kind), typeset(quantity_label(quantity))), texts.lower,
           texts.upper, texts.claimed.empty() ? "\xE2\x80\x93" : texts.claimed,
           markup_text(evidence_text(quantity.lower)), markup_text(evidence_text(quantity.upper))});
    }
    const Figure figure = interval_figure(report_);
    std::string out = element("h2", is_of_pair() ? "Certified privacy loss of the worst pair found"
                                                 : "Certified privacy loss") +
                      "\n" + table.text();
    if (figure.panels.empty()) return out;
    return out + figure_element(figure,
                                "Bar: the certified interval. Dashed line: the largest value that "
                                "the claim allows. A bar that lies wholly to the right of its line "
                                "violates the claim. " +
                                    conditions(report_),
                                true);
  }

  static std::string_view word_of(QuantityKind kind) {
    constexpr EnumTable<QuantityKind, std::string_view, 4> kWords{
        {{QuantityKind::kDeltaAtEpsilon, "delta"},
         {QuantityKind::kEpsilonAtDelta, "eps"},
         {QuantityKind::kMuAboveDelta0, "delta0"},
         {QuantityKind::kMu, "mu"}}};
    return entry_of(kWords, kind);
  }

  std::string event() const {
    if (!report_.evidence.event) return "";
    const EventEvidence& seen = *report_.evidence.event;
    DescriptionList list;
    list.add_linked("event", "Event", markup_text(seen.event));
    list.add("Score", seen.score);
    list.add("Old input", seen_text(seen.old_hits, seen.old_plays));
    list.add("New input", seen_text(seen.new_hits, seen.new_plays));
    if (const auto& failures = report_.evidence.failures) {
      list.add("Failures", failures_text(*failures) + "; the first said: " + failures->said);
    }
    const auto& visible = report_.evidence.smallest_visible;
    if (visible) {
      list.add_linked("power", "Power",
                      fmt::format("{} for a violation of {}", rounded(visible->power, 4),
                                  rounded_up(visible->violation, 4)));
    }
    return detail::heading("h2", "Evidence: one event, counted on both sides") +
           "<div class=\"pair\">\n" +
           figure_element(
               score_figure(report_),
               "The score of each counted play, of plays on the old input (solid) and on "
               "the new one (dashed); the bins at either end hold what lies beyond. " +
                   conditions(report_)) +
           "<div>\n" + list.text() + "</div>\n</div>\n";
  }

  std::string curves() const {
    const Figure profile = profile_figure(report_);
    const Figure trade_off = trade_off_figure(report_);
    std::string body;
    if (!profile.panels.empty()) {
      body += "<div>" + figure_element(profile, profile_caption()) + profile_table() + "</div>\n";
    }
    if (!trade_off.panels.empty()) {
      body +=
          "<div>" + figure_element(trade_off, trade_off_caption()) + trade_off_table() + "</div>\n";
    }
    if (body.empty()) return "";
    return element("h2", "Privacy profile and trade-off curve") + "\n<div class=\"pair\">\n" +
           body + "</div>\n";
  }

  std::string profile_caption() const {
    const bool gaussian = std::holds_alternative<GaussianDp>(report_.claim);
    return std::string(
               "Privacy profile of the worst pair: the \xCE\xB4 that it needs at each \xCE\xB5, "
               "the "
               "larger of its two orientations. A curve that leaves below is zero, or smaller than "
               "the axis shows. ") +
           (gaussian ? "Dashed: the profile that the claim allows. "
                     : "Shaded between dashed lines: what the claim excludes. ") +
           conditions(report_);
  }

  std::string trade_off_caption() const {
    return "Trade-off curve of the worst pair: the smallest type II error of a test of the old "
           "value against the new one, by its type I error. A band that lies below the dashed "
           "curve violates the claim; the dotted line is no privacy loss at all. " +
           conditions(report_);
  }

  std::string profile_table() const {
    const auto rows = thinned(report_.evidence.profile.size());
    Table table(
        "Privacy profile" + thinned_note(report_.evidence.profile.size(), rows.size()),
        {{"\xCE\xB5"}, {"\xCE\xB4 at least"}, {"estimate"}, {"\xCE\xB4 at most"}, {"claimed"}});
    for (const std::size_t i : rows) {
      const ProfilePoint& p = report_.evidence.profile[i];
      ReportedQuantity quantity;
      quantity.kind = QuantityKind::kDeltaAtEpsilon;
      quantity.at = p.epsilon;
      const auto claimed = claimed_value(report_.claim, quantity);
      table.add({rounded(p.epsilon, 6), rounded_down(p.lower, 4), rounded(p.estimate, 4),
                 rounded_up(p.upper, 4), claimed ? rounded(*claimed, 4) : "\xE2\x80\x93"});
    }
    return folded("Numbers of the privacy profile", table.text());
  }

  std::string trade_off_table() const {
    const auto rows = thinned(report_.evidence.trade_off.size());
    Table table("Trade-off curve" + thinned_note(report_.evidence.trade_off.size(), rows.size()),
                {{"type I"}, {"type II at least"}, {"estimate"}, {"type II at most"}, {"claimed"}});
    for (const std::size_t i : rows) {
      const TradeOffPoint& p = report_.evidence.trade_off[i];
      table.add({rounded(p.type_one, 6), rounded_down(p.lower, 4), rounded(p.estimate, 4),
                 rounded_up(p.upper, 4), rounded(claimed_trade_off(report_.claim, p.type_one), 4)});
    }
    return folded("Numbers of the trade-off curve", table.text());
  }

  std::string losses() const {
    const Figure figure = loss_figure(report_);
    if (figure.panels.empty()) return "";
    const LossHistogram& losses = report_.evidence.losses;
    const std::size_t bins = std::min(losses.side_old.size(), losses.side_new.size());
    const auto rows = thinned(bins);
    Table table("Fractions of transcripts" + thinned_note(bins, rows.size()),
                {{"from"}, {"to"}, {"old value"}, {"new value"}});
    for (const std::size_t i : rows) {
      table.add({rounded(losses.edges[i], 5), rounded(losses.edges[i + 1], 5),
                 rounded(losses.side_old[i], 4), rounded(losses.side_new[i], 4)});
    }
    const std::string text = paragraph(
        "Each transcript has an exact loss: the log of its probability under the old value (P) "
        "over that under the new value (Q). The further apart the two histograms lie, the easier "
        "it is to tell from the actions which value was used; a private policy keeps them close.");
    return element("h2", "Privacy loss of transcripts") + "\n<div class=\"pair\">\n" +
           figure_element(
               figure,
               "Privacy loss of transcripts drawn under the old value (solid) and the new "
               "value (dashed). " +
                   conditions(report_)) +
           "<div>\n" + text + folded("Numbers of the histogram", table.text()) + "</div>\n</div>\n";
  }

  std::string canaries(const CanaryEvidence& found) const {
    DescriptionList list;
    list.add("Tossed", fmt::format("{} in {} {}: {}", grouped(found.canaries),
                                   grouped(report_.evidence.samples),
                                   plural(report_.evidence.samples, "run"), report_.pair.found_by));
    list.add("Guessed",
             fmt::format("{}, {} right; p-value under the claim {}", grouped(found.guesses),
                         grouped(found.correct), rounded_up(found.p_value, 4)));
    list.add("Learnt from", grouped(found.training) + " transcripts with coins of their own");
    list.add_code("All at 0", stream_text(report_.pair));
    return detail::heading("h2", "Canaries: entries of the input set by fair coins") + list.text();
  }

  std::string pair() const {
    if (report_.canaries) return canaries(*report_.canaries);
    if (!has_pair(report_)) return "";
    const WorstPair& worst = report_.pair;
    DescriptionList list;
    const PairTable excerpt = pair_table(report_, 16);
    list.add_linked("pair", "Change", markup_text(typeset(change_text(report_))));
    if (shows_rows(report_)) {
      list.add_code("Old input", row_text(worst.inputs.old_input().values));
      list.add_code("New input", row_text(worst.inputs.new_input().values));
    } else if (excerpt.rows.empty()) {
      list.add_code("Stream", stream_text(worst));
    }
    list.add("Found by", worst.found_by);
    const std::string title =
        report_.evidence.rounds.empty() ? "The worst pair" : "The worst pair, round by round";
    std::string out = detail::heading("h2", title) + list.text();
    if (excerpt.rows.empty()) return out + rounds() + witness();
    std::vector<detail::TableColumn> columns;
    for (const auto& name : excerpt.columns) columns.push_back({name});
    Table table("The input around the change, [old \xE2\x86\x92 new]", columns);
    for (const auto& row : excerpt.rows) {
      std::vector<std::string> cells;
      for (const auto& cell : row) cells.push_back(typeset(cell));
      table.add(cells);
    }
    return out + table.text() + rounds() + witness();
  }

  std::string rounds() const {
    const Figure figure = rounds_figure(report_);
    if (figure.panels.empty()) return "";
    return figure_element(figure, rounds_caption(), true) + rounds_table();
  }

  std::string rounds_caption() const {
    const std::size_t count = report_.evidence.rounds.size();
    std::string text =
        "Dotted line: the changed round. Mean privacy loss: the part of the expected log P/Q that "
        "the action of a round adds under the old value, and of log Q/P under the new one, in "
        "nats. ";
    if (count > kMostRoundsDrawn) {
      const std::size_t length = (count + kMostRoundsDrawn - 1) / kMostRoundsDrawn;
      text += fmt::format(
          "{} rounds are drawn in groups of {}: losses are summed over a group, and "
          "an arm is marked when the witness plays it in the group. ",
          grouped(static_cast<long long>(count)), length);
    }
    return text + conditions(report_);
  }

  std::string rounds_table() const {
    const auto groups = group_rounds(report_, 2 * kMostTableRows);
    const bool single = groups.size() == report_.evidence.rounds.size();
    Table table(single ? "Rounds (the reward is that with the old value)"
                       : fmt::format("Rounds in {} groups; losses summed over each", groups.size()),
                {{single ? "round" : "rounds"},
                 {"reward"},
                 {"mean loss, old"},
                 {"mean loss, new"},
                 {single ? "witness arm" : "witness arms"},
                 {"witness log P/Q so far"}});
    for (const RoundGroup& group : groups) table.add(round_cells(group));
    return folded("Numbers of the rounds", table.text());
  }

  static std::vector<std::string> round_cells(const RoundGroup& group) {
    const auto arms = joined(group.witness_arms, [](int arm) { return std::to_string(arm); });
    const std::string rounds = group.first == group.last
                                   ? std::to_string(group.first)
                                   : fmt::format("{}\xE2\x80\x93{}", group.first, group.last);
    const std::string reward =
        group.reward_low == group.reward_high
            ? rounded(group.reward_low, 4)
            : fmt::format("{} to {}", rounded(group.reward_low, 4), rounded(group.reward_high, 4));
    return {rounds,
            reward,
            rounded(group.loss_old, 4),
            rounded(group.loss_new, 4),
            arms.empty() ? "\xE2\x80\x93" : arms,
            group.witnessed ? rounded(group.witness_loss, 5) : "\xE2\x80\x93"};
  }

  std::string witness() const {
    if (!report_.evidence.witness) return "";
    const WitnessPath& path = *report_.evidence.witness;
    DescriptionList list;
    list.add_code("Actions", actions_text(path.actions));
    list.add("log P, old value", rounded(path.log_probability_old, 8));
    list.add("log Q, new value", rounded(path.log_probability_new, 8));
    list.add("log P/Q", rounded(path.log_probability_old - path.log_probability_new, 8));
    list.add("Forces", "\xCE\xBC \xE2\x89\xA5 " + rounded_down(path.mu, 5));
    return element("h3", word_link("witness", "Witness")) + "\n" +
           paragraph(
               "One transcript, or the beginning of one, with both of its exact "
               "probabilities, for anyone to check. Arms count from 1.") +
           list.text();
  }

  std::string certainty() const {
    std::string out = element("h2", "How sure, and why") + "\n<div class=\"pair\">\n<div>\n";
    if (report_.evidence.ledger.empty()) {
      out += paragraph("No alpha was spent: every bound is exact or proved.");
    } else {
      Table table("Alpha ledger: the error probability that each statement may use",
                  {{"alpha"}, {"statement", false}});
      for (const LedgerEntry& entry : report_.evidence.ledger) {
        table.add({rounded(entry.alpha, 5), entry.purpose});
      }
      table.add({spent_text(report_), "in all"});
      out += table.text() +
             element("p", "All of them hold together: the " + word_link("ledger", "ledger") +
                              " shares out what the " + word_link("confidence", "confidence") +
                              " leaves.") +
             "\n";
    }
    return out + "</div>\n<div>\n" + checks() + "</div>\n</div>\n";
  }

  std::string checks() const {
    if (report_.evidence.checks.empty()) return "";
    Table table("Checks: " + checks_title(report_),
                {{"check", false}, {"result", false}, {"evidence", false}});
    std::string meanings, words;
    std::array<bool, 3> measured{};
    for (const CheckResult& check : report_.evidence.checks) {
      table.add({check.name, check.result_text(), check.value_text()});
      measured[static_cast<std::size_t>(check.measure)] = true;
      meanings += element("li", element("strong", markup_text(check.name)) + ": " +
                                    markup_text(check.meaning)) +
                  "\n";
    }
    for (const auto& [measure, word] : {std::pair(CheckMeasure::kPValue, "p-value"),
                                        std::pair(CheckMeasure::kEValue, "e-value")}) {
      if (!measured[static_cast<std::size_t>(measure)]) continue;
      words += (words.empty() ? "Evidence: " : ", ") + word_link(word, word);
    }
    return table.text() + element("ul", meanings) + "\n" +
           (words.empty() ? "" : element("p", words + ".") + "\n");
  }

  std::string limits() const {
    if (report_.evidence.limits.empty()) return "";
    std::string items;
    for (const std::string& limit : report_.evidence.limits)
      items += element("li", markup_text(limit)) + "\n";
    return detail::heading("h2", "What this audit cannot say") + element("ul", items) + "\n";
  }

  std::string provenance() const {
    const RunMeta& meta = report_.meta;
    std::string out = detail::heading("h2", "Reproduce");
    out += detail::command_element(report_.reproduce);
    out += paragraph(fmt::format("Method {}; seed {}.", method_text(report_), report_.seed));
    if (report_.evidence.plays) {
      out += paragraph("Plays: " + plays_text(*report_.evidence.plays) + ".");
    }
    return out + detail::footer(fmt::format(
                     "Assay {} ({}). Started {}; {} s on {} {}; {} "
                     "transcripts a second.",
                     meta.version, meta.build, meta.started, rounded(meta.seconds, 3), meta.threads,
                     plural(meta.threads, "thread"), rounded(meta.transcripts_per_second, 3)));
  }

  const AuditReport& report_;
  const std::optional<Error>& error_;
};

}  // namespace

std::string to_html(const AuditReport& report, const std::optional<Error>& error) {
  return HtmlWriter(report, error).write();
}

}  // namespace assay

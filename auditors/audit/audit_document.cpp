#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/audit/audit_figures.hpp"
#include "assay/auditors/audit/audit_html.hpp"
#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_text.hpp"
#include "assay/auditors/audit/audit_tiles.hpp"
#include "assay/auditors/audit/frequency_grids.hpp"
#include "assay/auditors/audit/next_steps.hpp"
#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/audit/round_groups.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/core/messages.hpp"

namespace assay {
namespace {

using detail::Paint;
using doc::Document;
using doc::Facts;
using doc::kFull;
using doc::kPage;
using doc::kTerminal;
using doc::only_in;

constexpr std::size_t kMostTableRows = 40;
constexpr std::string_view kNone = "\xE2\x80\x93";  // in a cell

constexpr EnumTable<Verdict, Paint, 6> kVerdictPaints{{{Verdict::kViolated, Paint::kRed},
                                                       {Verdict::kVerified, Paint::kGreen},
                                                       {Verdict::kVerifiedIfReported, Paint::kBlue},
                                                       {Verdict::kNotRefuted, Paint::kBlue},
                                                       {Verdict::kWeak, Paint::kYellow},
                                                       {Verdict::kInconclusive, Paint::kYellow}}};

// "Method: likelihood, 200,000 transcripts on each input, 99.9% confidence jointly; arms = 5, ..."
std::string conditions(const AuditReport& report) {
  std::string text = "Method: " + report.evidence.method;
  if (report.evidence.samples > 0) {
    text += ", " + grouped(report.evidence.samples) + " " +
            plural(report.evidence.samples, "transcript") + " on each input";
  }
  text += ", " + percent(report.confidence) + " confidence jointly";
  if (!report.parameters.empty()) text += "; " + parameters_text(report.parameters, doc::kEquals);
  return text + ".";
}

// The indices of about kMostTableRows rows. The last row is always among them.
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

class AuditDocument {
 public:
  AuditDocument(const AuditReport& report, const std::optional<Error>& error)
      : report_(report), error_(error) {}

  Document build() {
    document_.title =
        report_.case_id + ": " + to_string(report_.verdict) + " \xE2\x80\x93 Assay privacy audit";
    document_.footer =
        doc::run_footer(report_.meta, "; " + rounded(report_.meta.transcripts_per_second, 3) +
                                          " transcripts a second");
    verdict();
    subject(kPage);
    quantities();
    event(kPage);
    curves();
    losses();
    pair();
    next();
    rounds();
    event(kFull);
    witness();
    subject(kFull);
    certainty();
    limits();
    provenance();
    document_.append(ledger(), kFull);
    return std::move(document_);
  }

 private:
  void verdict() {
    const std::string name = to_string(report_.verdict);
    const Paint paint = entry_of(kVerdictPaints, report_.verdict);
    std::string rest = headline(report_).substr(name.size());
    document_.add(doc::Paragraph{doc::chip(name, paint) + rest}, kTerminal);
    if (rest.rfind(':', 0) == 0) rest.erase(0, 1);
    document_.heading(doc::chip(name, paint) + rest, "", 1, kPage);
    document_.add(audit_tiles(report_), kPage);
    if (!report_.neighbours.empty()) {
      document_.add_close(doc::Paragraph{"Neighbours: " + report_.neighbours}, kTerminal);
    }
    Facts facts;
    if (error_) facts.add("The run failed", only_in(kPage, error_->to_string()));
    const std::string difference = difference_text(report_);
    facts.add("Why", difference);
    facts.add(difference.empty() ? "Why" : "", why_text(report_));
    facts.add("Estimate", estimate_text(report_));
    facts.add("strength", "Strength", strength_text(report_));
    if (const auto& again = report_.if_rounded) {
      facts.add("If rounded",
                fmt::format("to multiples of {}: {}", rounded(again->grid, 12), again->headline));
    }
    for (const CheckResult& check : report_.evidence.checks) {
      if (!check.passed) facts.add("ALARM", check.name + ": " + check.meaning);
    }
    document_.add(facts);
  }

  void subject(doc::Media media) {
    Facts facts;
    facts.add("claim", "Claim", doc::code(claim_text(report_)));
    const std::string relation = to_string(report_.relation), view = to_string(report_.view);
    facts.add("", only_in(kTerminal, relation + "; the adversary sees " + view));
    facts.add("relation", "Neighbours",
              only_in(kPage, report_.neighbours.empty() ? relation : report_.neighbours));
    facts.add("view", "View", only_in(kPage, view));
    facts.add("Case", doc::code(report_.case_id) + ": " + report_.case_title);
    const std::string parameters = parameters_text(report_.parameters, doc::kEquals);
    facts.add("", only_in(kTerminal, parameters));
    facts.add("Parameters", only_in(kPage, parameters));
    for (const std::string& note : report_.notes) facts.add("", note);
    if (report_.input) {
      const InputSource& input = *report_.input;
      facts.add("Input", doc::exact(fmt::format(
                             "{}{}, {} {}, digest {}", input.file,
                             input.column.empty() ? "" : ", column " + input.column,
                             grouped(input.rows), plural(input.rows, "row"), input.digest)));
    }
    document_.add(facts, media);
  }

  void quantities() {
    if (report_.evidence.quantities.empty()) return;
    const std::string confidence = percent(report_.confidence) + " confidence";
    document_.heading(is_of_pair(report_) ? "On the worst pair found" : "Certified privacy loss",
                      "(" + confidence + ", jointly)");
    document_.add(quantity_table(report_.evidence.quantities,
                                 std::string("Each interval contains the true value") +
                                     (is_of_pair(report_) ? " for the pair below" : "") +
                                     ". All of them hold jointly with " + confidence +
                                     ". Bounds are rounded outward."));
    document_.add(
        doc::Drawn{
            interval_figure(report_),
            "Bar: the certified interval. Dashed line: the largest value that the claim allows. If "
            "a bar lies entirely to the right of its line, the claim is violated. " +
                conditions(report_),
            true},
        kPage);
    if (report_.if_reported.empty()) return;
    document_.heading("If the reported probabilities are right",
                      "(the distributions that the target reports)");
    document_.add(quantity_table(
        report_.if_reported,
        "The same quantities of the distributions that the target reports, within the same " +
            confidence + "."));
  }

  doc::Table quantity_table(const std::vector<ReportedQuantity>& quantities,
                            std::string caption) const {
    doc::Table table{std::move(caption),
                     {{only_in(kPage, "quantity"), false},
                      {"at least", true, 10},
                      {"at most", true, 10},
                      {"claimed", true, 10},
                      {"the lower bound rests on", false, 0, kPage},
                      {"the upper bound rests on", false, 0, kPage}}};
    table.indent = 2;
    table.wide = true;
    const auto by = [](const EvidencedBound& bound, const char* known, const char* unknown) {
      return bound.evidence == Evidence::kNone ? unknown : known;
    };
    for (const ReportedQuantity& quantity : quantities) {
      const QuantityTexts texts = quantity_texts(report_.claim, quantity);
      const std::string lower = evidence_text(report_, quantity.lower),
                        upper = evidence_text(report_, quantity.upper);
      doc::Row row{{doc::word_link(word_of(quantity.kind), quantity_label(quantity)), texts.lower,
                    texts.upper, texts.claimed.empty() ? "-" : texts.claimed, lower, upper}};
      if (lower == upper) {
        row.notes = {{by(quantity.lower, "      both by ", "      both "), lower}};
      } else {
        row.notes = {{by(quantity.lower, "      at least by ", "      at least    "), lower},
                     {by(quantity.upper, "      at most by  ", "      at most     "), upper}};
      }
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  static std::string_view word_of(QuantityKind kind) {
    constexpr EnumTable<QuantityKind, std::string_view, 4> kWords{
        {{QuantityKind::kDeltaAtEpsilon, "delta"},
         {QuantityKind::kEpsilonAtDelta, "eps"},
         {QuantityKind::kMuAboveDelta0, "delta0"},
         {QuantityKind::kMu, "mu"}}};
    return entry_of(kWords, kind);
  }

  void event(doc::Media media) {
    if (!report_.evidence.event) return;
    const EventEvidence& seen = *report_.evidence.event;
    document_.heading("Evidence", "(one event, counted on the base input D and its neighbour D')",
                      2, media);
    if (media == kPage) frequencies();
    Facts facts{2};
    facts.add("score", seen.score);
    facts.add("event", "event", seen.event);
    facts.add("on D", seen_text(seen.base_hits, seen.base_runs));
    facts.add("on D'", seen_text(seen.neighbour_hits, seen.neighbour_runs));
    if (const auto& failures = report_.evidence.failures) {
      facts.add("failures", failures_text(*failures));
      facts.add("", "the first one said: " + failures->said);
    }
    const doc::Drawn scores{
        score_figure(report_),
        "The score of each counted run, on the base input D (solid) and on the neighbouring input D' "
        "(dashed). The first and the last bin also hold all scores beyond them. " +
            conditions(report_)};
    const Figure numbers = media == kPage ? number_figure(report_) : Figure{};
    if (numbers.panels.empty()) return document_.beside({Document(scores), Document(facts)}, media);
    const doc::Drawn values{numbers, number_caption(report_)};
    document_.beside({Document(values), Document(scores)}, media);
    document_.add(facts, media);
  }

  // What differs: the actions, or the values of a number.
  void frequencies() {
    const doc::DrawnGrid actions = action_grid(report_), values = value_grid(report_);
    document_.add(actions, kPage);
    if (!actions.grid.columns.empty()) {
      document_.folded("Numbers of the actions", action_table(report_));
    }
    document_.add(values, kPage);
  }

  void curves() {
    const Figure profile = profile_figure(report_), trade_off = trade_off_figure(report_);
    std::vector<Document> beside;
    if (!profile.panels.empty()) {
      beside.emplace_back(doc::Drawn{profile, profile_caption()});
      beside.back().folded("Numbers of the privacy profile", profile_table());
    }
    if (!trade_off.panels.empty()) {
      beside.emplace_back(doc::Drawn{trade_off, trade_off_caption()});
      beside.back().folded("Numbers of the trade-off curve", trade_off_table());
    }
    if (beside.empty()) return;
    document_.heading("Privacy profile and trade-off curve", "", 2, kPage);
    document_.beside(beside);
  }

  std::string profile_caption() const {
    const bool gaussian = std::holds_alternative<GaussianDp>(report_.claim);
    return std::string(
               "Privacy profile of the worst pair: the \xCE\xB4 that it needs at each \xCE\xB5, "
               "for the worse of its two orientations. Where a curve leaves the figure at the "
               "bottom, it is zero or below the range of the axis. ") +
           (gaussian ? "Dashed: the profile that the claim allows. "
                     : "Shaded between dashed lines: the values that the claim excludes. ") +
           conditions(report_);
  }

  std::string trade_off_caption() const {
    return "Trade-off curve of the worst pair: the smallest type II error of a test of the base "
           "input against the neighbouring input, as a function of its type I error. If the band "
           "lies below the dashed curve, the claim is violated. The dotted line means no privacy "
           "loss at all. " +
           conditions(report_);
  }

  doc::Table profile_table() const {
    const auto& profile = report_.evidence.profile;
    const auto rows = thinned(profile.size());
    doc::Table table{"Privacy profile" + thinned_note(profile.size(), rows.size()),
                     {{"eps"}, {"delta at least"}, {"estimate"}, {"delta at most"}, {"claimed"}}};
    for (const std::size_t i : rows) {
      const ProfilePoint& p = profile[i];
      ReportedQuantity quantity;
      quantity.kind = QuantityKind::kDeltaAtEpsilon;
      quantity.at = p.epsilon;
      const auto claimed = claimed_value(report_.claim, quantity);
      table.add({rounded(p.epsilon, 6), rounded_down(p.lower, 4), rounded(p.estimate, 4),
                 rounded_up(p.upper, 4), claimed ? rounded(*claimed, 4) : std::string(kNone)});
    }
    return table;
  }

  doc::Table trade_off_table() const {
    const auto& curve = report_.evidence.trade_off;
    const auto rows = thinned(curve.size());
    doc::Table table{
        "Trade-off curve" + thinned_note(curve.size(), rows.size()),
        {{"type I"}, {"type II at least"}, {"estimate"}, {"type II at most"}, {"claimed"}}};
    for (const std::size_t i : rows) {
      const TradeOffPoint& p = curve[i];
      table.add({rounded(p.type_one, 6), rounded_down(p.lower, 4), rounded(p.estimate, 4),
                 rounded_up(p.upper, 4), rounded(claimed_trade_off(report_.claim, p.type_one), 4)});
    }
    return table;
  }

  void losses() {
    const Figure figure = loss_figure(report_);
    if (figure.panels.empty()) return;
    const PairHistogram& losses = report_.evidence.losses;
    const std::size_t bins = std::min(losses.side_base.size(), losses.side_neighbour.size());
    const auto rows = thinned(bins);
    doc::Table table{"Fractions of transcripts" + thinned_note(bins, rows.size()),
                     {{"from"}, {"to"}, {"on D"}, {"on D'"}}};
    for (const std::size_t i : rows) {
      table.add({rounded(losses.edges[i], 5), rounded(losses.edges[i + 1], 5),
                 rounded(losses.side_base[i], 4), rounded(losses.side_neighbour[i], 4)});
    }
    const Document histogram(doc::Drawn{
        figure,
        "Privacy loss of transcripts on the base input D (solid) and on the neighbouring input D' "
        "(dashed). " +
            conditions(report_)});
    Document text;
    text.paragraph(
        "Each transcript has an exact loss: the log of its probability on the base input (P) over its "
        "probability on the neighbouring input (Q). The further apart the two histograms lie, the easier it is "
        "to tell from the actions which input was used. A private policy keeps them close.");
    text.folded("Numbers of the histogram", table);
    document_.heading("Privacy loss of transcripts", "", 2, kPage);
    document_.beside({histogram, text});
  }

  void canaries(const CanaryEvidence& found) {
    document_.heading("Canaries",
                      "(entries of the input that fair coins set, guessed from the output)");
    Facts facts{2};
    if (found.canaries == 0) {
      facts.add("tossed", "none yet for certified runs");
      facts.add("all at 0", doc::code(stream_text(report_.pair)));
      document_.add(facts);
      return;
    }
    facts.add(
        "tossed",
        fmt::format("{} in {} {}: {}", grouped(found.canaries), grouped(report_.evidence.samples),
                    plural(report_.evidence.samples, "run"), report_.pair.found_by));
    facts.add("guessed",
              fmt::format("{}, {} right; p-value under the claim {}", grouped(found.guesses),
                          grouped(found.correct), rounded_up(found.p_value, 4)));
    facts.add("learned from", grouped(found.training) + " transcripts with coins of their own");
    facts.add("all at 0", doc::code(stream_text(report_.pair)));
    document_.add(facts);
  }

  void pair() {
    if (report_.canaries) return canaries(*report_.canaries);
    if (!has_pair(report_)) return;
    const WorstPair& worst = report_.pair;
    const PairTable excerpt = pair_table(report_, 16);
    document_.heading("Worst pair found", "", 2, kPage);
    add_pair({2}, "change", excerpt, kPage);
    add_pair({0}, "Pair", excerpt, kTerminal);
    if (!excerpt.rows.empty()) {
      document_.table("The input around the change, [D -> D']", excerpt.columns, excerpt.rows);
      document_.blocks.back().media = kPage;
      document_.add_close(fitting_tables(), kFull);
    }
    Facts found{2};
    found.add("found by", worst.found_by);
    document_.add_close(found, kPage);
    Facts found_in_terminal;
    found_in_terminal.add("Found by", worst.found_by);
    document_.add_close(found_in_terminal, kFull);
  }

  void add_pair(Facts facts, const char* key, const PairTable& excerpt, doc::Media media) {
    facts.add("pair", key, change_text(report_));
    if (shows_rows(report_)) {
      facts.add(media == kPage ? "D" : "  D",
                doc::code(row_text(report_.pair.inputs.base_input().values)));
      facts.add(media == kPage ? "D'" : "  D'",
                doc::code(row_text(report_.pair.inputs.neighbour_input().values)));
    } else if (excerpt.rows.empty()) {
      facts.add(media == kPage ? "stream" : "", doc::code(stream_text(report_.pair)));
    }
    document_.add(facts, media);
  }

  void next() {
    auto steps = next_steps(report_);
    if (auto slow = advice_if_slow(report_); !slow.empty()) steps.push_back(std::move(slow));
    Facts facts;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      facts.add(i == 0 ? "Next" : "", steps[i]);
    }
    document_.add(facts, kTerminal);
    if (steps.empty()) return;
    document_.heading("What to do next", "", 2, kPage);
    document_.add(doc::List{{steps.begin(), steps.end()}}, kPage);
  }

  // For inputs with several entries a round: the table with as many columns as fit the lines.
  doc::Group fitting_tables() const {
    doc::Group tables{doc::GroupKind::kFirstThatFits, {}};
    for (std::size_t columns = 8; columns > 2; --columns) {
      const PairTable table = pair_table(report_, columns);
      tables.parts.emplace_back().table("", table.columns, table.rows, 2);
    }
    return tables;
  }

  void rounds() {
    const Figure figure = rounds_figure(report_);
    if (figure.panels.empty() || !is_of_pair(report_)) return;
    document_.heading("Round by round", "", 2, kPage);
    if (!report_.evidence.event) frequencies();
    document_.add(doc::Drawn{figure, rounds_caption(), true}, kPage);
    const auto groups = group_rounds(report_, 2 * kMostTableRows);
    const bool single = groups.size() == report_.evidence.rounds.size();
    doc::Table table{single ? "Rounds (the reward is that of the base input)"
                            : fmt::format("Rounds in {} groups; losses are summed over each group",
                                          groups.size()),
                     {{single ? "round" : "rounds"},
                      {"reward"},
                      {"mean loss, base input"},
                      {"mean loss, neighbouring input"},
                      {single ? "witness arm" : "witness arms"},
                      {"witness log P/Q so far"}}};
    for (const RoundGroup& group : groups) table.add(round_cells(group));
    document_.folded("Numbers of the rounds", table);
  }

  std::string rounds_caption() const {
    const std::size_t count = report_.evidence.rounds.size();
    std::string text =
        "Dotted line: the changed round. Mean privacy loss, in nats: how much the action of a "
        "round adds to the expected log P/Q on the base input, and to the expected log Q/P on the "
        "neighbouring input. ";
    if (count > kMostRoundsDrawn) {
      const std::size_t length = (count + kMostRoundsDrawn - 1) / kMostRoundsDrawn;
      text += fmt::format(
          "{} rounds are drawn in groups of {}. Losses are summed over each group, and an arm is "
          "marked if the witness chooses it in the group. ",
          grouped(static_cast<long long>(count)), length);
    }
    return text + conditions(report_);
  }

  static std::vector<doc::Text> round_cells(const RoundGroup& group) {
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
            rounded(group.loss_base, 4),
            rounded(group.loss_neighbour, 4),
            arms.empty() ? std::string(kNone) : arms,
            group.witnessed ? rounded(group.witness_loss, 5) : std::string(kNone)};
  }

  void witness() {
    if (!report_.evidence.witness) return;
    const WitnessPath& path = *report_.evidence.witness;
    document_.heading(doc::word_link("witness", "Witness"),
                      "(a transcript or its beginning, with both probabilities)", 3, kPage | kFull);
    document_.paragraph(
        "One transcript, or the beginning of one, with both of its exact probabilities, for anyone "
        "to check. Arms count from 0.",
        kPage);
    Facts facts{2};
    facts.add("actions", doc::code(actions_text(path.actions)));
    facts.add("log P", rounded(path.log_probability_base, 8) + " on the base input");
    facts.add("log Q", rounded(path.log_probability_neighbour, 8) + " on the neighbouring input");
    facts.add("log P/Q", rounded(path.log_probability_base - path.log_probability_neighbour, 8));
    facts.add("implies", "mu >= " + rounded_down(path.mu, 5));
    document_.add(facts, kPage | kFull);
  }

  Document ledger() const {
    const bool spent = !report_.evidence.ledger.empty();
    Document document;
    document.heading("Alpha ledger",
                     spent ? "(" + spent_text(report_) + " spent)"
                           : "(nothing is spent: every bound is exact or proved)",
                     3);
    Facts facts{2, Paint::kNone};
    for (const LedgerEntry& share : report_.evidence.ledger) {
      facts.add(rounded(share.alpha, 5), share.purpose);
    }
    document.add(facts);
    if (spent) {
      document.paragraph(doc::Text("All of them hold simultaneously: the ") +
                             doc::word_link("ledger", "ledger") +
                             " divides the error probability that the " +
                             doc::word_link("confidence", "confidence") + " leaves.",
                         kPage);
    }
    return document;
  }

  Document checks() const {
    Document document;
    if (report_.evidence.checks.empty()) return document;
    document.heading("Checks", "(" + checks_title(report_) + ")", 3);
    Facts facts{2, Paint::kNone}, on_page{2, Paint::kNone};  // by result, by name
    std::array<bool, 3> measured{};
    for (const CheckResult& check : report_.evidence.checks) {
      const std::string value = check.value_text(), result = check.result_text();
      const std::string and_value = value.empty() ? "" : ": " + value;
      const Paint paint = check.passed ? Paint::kNone : Paint::kRed;
      measured[static_cast<std::size_t>(check.measure)] = true;
      facts.facts.push_back(
          {result, doc::strong(check.name) + and_value, check.meaning, {}, paint});
      on_page.facts.push_back(
          {check.name, (check.passed ? doc::strong(result) : doc::chip(result, paint)) + and_value,
           check.meaning});
    }
    document.add(facts, kTerminal);
    document.add(on_page, kPage);
    doc::Text words;
    for (const auto& [measure, word] : {std::pair(CheckMeasure::kPValue, "p-value"),
                                        std::pair(CheckMeasure::kEValue, "e-value")}) {
      if (!measured[static_cast<std::size_t>(measure)]) continue;
      words += (words.empty() ? "Evidence: " : ", ") + doc::word_link(word, word);
    }
    if (!words.empty()) document.paragraph(words + ".", kPage);
    return document;
  }

  void certainty() {
    document_.append(checks(), kFull);
    document_.heading("Confidence and checks", "", 2, kPage);
    document_.beside({ledger(), checks()});
  }

  void limits() {
    if (report_.evidence.limits.empty()) return;
    document_.heading("Limits", "", 2, kFull);
    document_.heading("Limits of this audit", "", 2, kPage);
    document_.add(doc::List{{report_.evidence.limits.begin(), report_.evidence.limits.end()}},
                  kPage | kFull);
  }

  void provenance() {
    document_.heading("Reproduce", "", 2, kPage);
    Facts facts;
    facts.add("Method", method_text(report_));
    if (report_.evidence.runs) facts.add("Runs", runs_text(*report_.evidence.runs));
    facts.add("Seed", std::to_string(report_.seed));
    if (!report_.containment.empty()) facts.add("containment", "Containment", report_.containment);
    document_.add(facts, kPage | kFull);
    document_.add_close(doc::Command{report_.reproduce});
    if (report_.replay.empty()) return;
    document_.paragraph("Where runs on the two inputs diverge:", kPage);
    document_.add_close(doc::Command{report_.replay, "Replay"},
                        kPage | (has_short_replay(report_) ? kTerminal : kFull));
  }

  const AuditReport& report_;
  const std::optional<Error>& error_;
  Document document_;
};

}  // namespace

std::string to_text(const AuditReport& report, TextStyle style) {
  return to_terminal(AuditDocument(report, {}).build(), style);
}

std::string to_html(const AuditReport& report, const std::optional<Error>& error) {
  return to_page(AuditDocument(report, error).build());
}

}  // namespace assay

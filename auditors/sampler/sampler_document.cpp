#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/sampler/sampler_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Paint;
using doc::Document;
using doc::Facts;
using doc::kPage;
using doc::kTerminal;

constexpr Style kSeen{Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.4};
constexpr Style kLimit{Colour::kBlue, Dash::kSolid, Marker::kNone, 1.2};
constexpr Style kStatedLine{Colour::kBlack, Dash::kDashed, Marker::kNone, 1.4};
constexpr Style kOtherTail{Colour::kVermillion, Dash::kSolid, Marker::kSquare, 1.4};

// "NoDifferenceSeen" in words, and its colour.
struct VerdictWords {
  std::string text;
  Paint paint;
  doc::Tone tone;
};
VerdictWords words_of(FitVerdict verdict) {
  switch (verdict) {
    case FitVerdict::kDiffers:
      return {"Differs", Paint::kRed, doc::Tone::kBad};
    case FitVerdict::kNoDifference:
      return {"No difference seen", Paint::kGreen, doc::Tone::kGood};
    case FitVerdict::kWeak:
      return {"Weak", Paint::kYellow, doc::Tone::kWeak};
    case FitVerdict::kInconclusive:
      break;
  }
  return {"Inconclusive", Paint::kYellow, doc::Tone::kWeak};
}

std::string share_text(const SamplerFit& fit, const CountedEvent& one) {
  return rounded(static_cast<double>(one.count) / static_cast<double>(fit.samples), 4);
}

std::string bounds_text(const DistanceBounds& bounds, bool differs) {
  return (differs && bounds.lower > 0.0 ? "at least " + rounded_down(bounds.lower, 3) + " and "
                                        : "") +
         "at most " + rounded_up(bounds.upper, 3);
}

std::string factor_text(double factor) {
  if (factor == kInfinity || factor == 0.0) return "none of 1/4 to 4";
  return rounded_up_beside(factor, 1.0, 5);
}

void add_bounds(const SamplerReport& report, Document& document) {
  const SamplerFit& fit = report.fit;
  const bool differs = report.verdict == FitVerdict::kDiffers;
  document.heading("How far the distribution of the samples may be off");
  Facts facts{2, Paint::kNone, 18};
  facts.add("any threshold",
            "|P(X <= t) - stated| is " + bounds_text(fit.threshold, differs) + ", for every t");
  facts.add("total variation", bounds_text(fit.distance, differs) +
                                   fmt::format(", over all unions of {} cells", fit.cells.size()));
  if (fit.body_cells > 0) {
    facts.add(
        "eps (log ratio)",
        std::isfinite(fit.log_ratio)
            ? fmt::format(
                  "at most {}, over all unions of the {} cells of probability 1/150 or "
                  "more; a proved eps grows by at most {} where both of its events are such unions",
                  rounded_up(fit.log_ratio, 3), fit.body_cells, rounded_up(2.0 * fit.log_ratio, 3))
            : "no bound: a cell has no samples");
  }
  facts.add("finer events", "no bound: samples alone tell nothing about them");
  document.add(facts);
}

void add_strength(const SamplerReport& report, Document& document) {
  const FitStrength& strength = report.fit.strength;
  document.heading("Faults that this test sees with probability 0.9");
  Facts facts{2, Paint::kNone, 18};
  facts.add("total variation", rounded_up(strength.distance, 3) + " or more on the cells");
  if (report.fit.body_cells > 0 && std::isfinite(strength.log_ratio)) {
    facts.add("eps (log ratio)",
              rounded_up(strength.log_ratio, 3) + " or more, of one of these cells");
  }
  if (strength.scale_up) {
    const bool has_down = *strength.scale_down > 0.0;
    facts.add("scale", factor_text(*strength.scale_up) + " times the stated one" +
                           (has_down ? ", or " + rounded_down(*strength.scale_down, 5) + " times"
                                     : std::string()));
  }
  document.add(facts);
}

// The tails down to the first that has no sample, which bounds everything beyond it.
void add_tails(const SamplerReport& report, Document& document) {
  const SamplerFit& fit = report.fit;
  std::vector<std::vector<std::string>> rows;
  for (const auto kind : {FitEvent::Kind::kLowerTail, FitEvent::Kind::kUpperTail}) {
    bool is_empty = false;
    for (const auto& one : fit.tails) {
      if (one.event.kind != kind || (is_empty && one.count == 0)) continue;
      is_empty = one.count == 0;
      const bool is_lower = kind == FitEvent::Kind::kLowerTail;
      rows.push_back({std::string(is_lower ? "at or below " : "above ") +
                          rounded(is_lower ? one.event.low : one.event.high, 4),
                      rounded(one.event.probability, 3), grouped(one.count), share_text(fit, one),
                      rounded_down(one.lower, 3), rounded_up(one.upper, 3)});
    }
  }
  if (rows.empty()) return;
  document.heading("Tails");
  document.table("Certified limits of the probability of each tail.",
                 {"samples", "stated", "count", "share", "at least", "at most"}, rows, 2);
}

void add_tests(const SamplerReport& report, Document& document) {
  document.heading("Tests");
  std::vector<std::vector<std::string>> rows;
  for (const auto& test : report.fit.tests) {
    rows.push_back({test.name,
                    test.name == "possible" && !test.rejects() ? "-" : rounded(test.p_value, 2),
                    test.name == "possible" ? "-" : rounded(test.alpha, 2),
                    test.rejects() ? "rejects" : "", test.what});
  }
  document.table("A test rejects if its p-value is at most its level.",
                 {"test", "p-value", "level", "", "compares"}, rows, 2);
  doc::List findings{{}, "  - "};
  for (const auto& test : report.fit.tests) {
    if (test.rejects()) findings.items.push_back(test.name + ": " + test.finding);
  }
  if (!findings.items.empty()) document.add(findings);
}

double ratio_of(double value, double stated) { return stated > 0.0 ? value / stated : kNaN; }

Figure cells_figure(const SamplerReport& report) {
  const SamplerFit& fit = report.fit;
  Figure figure{"cells", "Share of samples in each cell, divided by the stated probability",
                fmt::format("The ratios of {} cells, each with its certified interval; 1 is the "
                            "stated distribution.",
                            fit.cells.size())};
  figure.width = 760.0;
  Panel panel;
  panel.plot_height = 300.0;
  panel.x.label = "sample";
  panel.y.label = "share/stated";
  std::vector<double> places, ratios;
  double widest = 0.0;
  for (const auto& cell : fit.cells) {
    if (cell.event.probability < kLeastBodyCell || !std::isfinite(cell.event.low) ||
        !std::isfinite(cell.event.high)) {
      continue;
    }
    const double place = report.stated->is_whole() && cell.event.low + 1.0 == cell.event.high
                             ? cell.event.high
                             : 0.5 * (cell.event.low + cell.event.high);
    const double p = cell.event.probability;
    const double low = ratio_of(cell.lower, p), high = ratio_of(cell.upper, p);
    places.push_back(place);
    ratios.push_back(
        ratio_of(static_cast<double>(cell.count) / static_cast<double>(fit.samples), p));
    panel.series.push_back(Series::line("", {place, place}, {low, high}, kLimit));
    widest = std::max({widest, high - 1.0, 1.0 - low});
  }
  panel.series.push_back(Series::markers("share, with certified limits", places, ratios, kSeen));
  Rule one;
  one.along = Rule::Along::kHorizontal;
  one.at = 1.0;
  one.label = "stated";
  one.style = kStatedLine;
  panel.rules.push_back(one);
  panel.y.low = std::max(0.0, 1.0 - 1.1 * widest);
  panel.y.high = 1.0 + 1.1 * widest;
  figure.panels.push_back(std::move(panel));
  return figure;
}

Figure tails_figure(const SamplerReport& report) {
  const SamplerFit& fit = report.fit;
  Figure figure{"tails", "Probability of each tail, against the stated one",
                "Certified intervals of the probabilities of both tails, on logarithmic axes; the "
                "dashed line is the stated distribution."};
  figure.width = 760.0;
  Panel panel;
  panel.plot_height = 300.0;
  panel.x = {"stated probability of the tail", Scale::kLog};
  panel.y = {"share, with certified limits", Scale::kLog};
  // Deeper tails have no sample and the same limit.
  const double least = 0.1 / static_cast<double>(fit.samples);
  for (const auto kind : {FitEvent::Kind::kLowerTail, FitEvent::Kind::kUpperTail}) {
    const bool is_lower = kind == FitEvent::Kind::kLowerTail;
    const Style style = is_lower ? kSeen : kOtherTail;
    std::vector<double> places, shares;
    for (const auto& one : fit.tails) {
      const double p = one.event.probability;
      if (one.event.kind != kind || p < least) continue;
      // Intervals at the same place would hide each other.
      const double place = is_lower ? p / 1.06 : p * 1.06;
      const double share = static_cast<double>(one.count) / static_cast<double>(fit.samples);
      places.push_back(place);
      shares.push_back(one.count > 0 ? share : kNaN);
      panel.series.push_back(Series::line("", {place, place},
                                          {std::max(one.lower, 0.1 * least), one.upper},
                                          {style.colour, Dash::kSolid, Marker::kNone, 1.2}));
    }
    if (places.empty()) continue;
    panel.series.push_back(
        Series::markers(is_lower ? "lower tail" : "upper tail", places, shares, style));
  }
  panel.series.push_back(Series::line("stated", {least, 0.5}, {least, 0.5}, kStatedLine));
  panel.x.low = 0.5 * least;
  panel.x.high = 1.0;
  panel.y.low = 0.1 * least;
  panel.y.high = 1.0;
  figure.panels.push_back(std::move(panel));
  return figure;
}

Document document_of(const SamplerReport& report) {
  const SamplerFit& fit = report.fit;
  const VerdictWords verdict = words_of(report.verdict);
  Document document;
  const std::string stated =
      report.stated->name() + ", " + parameters_text(report.stated->parameters(), doc::kEquals);
  document.title = "Sampler: " + report.stated->text() + " \xE2\x80\x93 Assay";
  document.footer = doc::run_footer(report.meta);
  document.heading("Sampler: " + report.stated->text(), "", 1, kPage);
  doc::Tiles tiles;
  tiles.tiles.push_back({"verdict", doc::Text(verdict.text),
                         doc::Text(percent(report.confidence) + " confidence"), verdict.tone,
                         false});
  tiles.tiles.push_back(
      {"total variation", doc::Text("at most " + rounded_up(fit.distance.upper, 3)),
       doc::Text(fmt::format("on {} cells", fit.cells.size())), doc::Tone::kNeutral, false});
  tiles.tiles.push_back(
      {"samples", doc::Text(grouped(fit.samples)), doc::Text(""), doc::Tone::kNeutral, false});
  document.add(tiles, kPage);
  Facts facts;
  facts.add("Verdict",
            doc::strong(verdict.text, verdict.paint) +
                doc::Text(" (" + percent(report.confidence) + " confidence): " + report.reason));
  facts.add("Stated", stated + (fit.events.rounded_to > 0.0 ? "; each sample rounded by at most " +
                                                                  number_text(fit.events.rounded_to)
                                                            : ""));
  facts.add("Samples",
            doc::Text(grouped(fit.samples) + " of ") + doc::code(report.subject) +
                (report.starts > 1 ? doc::Text(", started " + grouped(report.starts) + " times")
                                   : doc::Text("")));
  if (report.interrupted) facts.add("Interrupted", "the report has the samples until then");
  document.add(facts);
  add_bounds(report, document);
  add_strength(report, document);
  document.add(doc::Drawn{cells_figure(report),
                          "The share of samples in each cell of the body, divided by the stated "
                          "probability. Bars: certified limits, which hold at once.",
                          true},
               kPage);
  document.add(doc::Drawn{tails_figure(report),
                          "Both tails at several depths. Bars: certified limits. A tail without "
                          "samples has only an upper one.",
                          true},
               kPage);
  add_tails(report, document);
  add_tests(report, document);
  document.heading("What this does not show");
  doc::List limits{{}, "  - "};
  limits.items.emplace_back(
      "The bounds hold for samples that are independent and alike. The tests of order and repeats "
      "look for samples that are not.");
  if (!report.stated->is_whole()) {
    limits.items.emplace_back(
        "Which doubles can occur. Noise may follow its distribution, and its low bits still reveal "
        "the input: audit the mechanism (`assay audit --kind mechanism`).");
  }
  document.add(limits);
  if (!report.containment.empty()) {
    Facts held;
    held.add("Held by", report.containment);
    document.add(held);
  }
  document.reproduce(report.reproduce);
  return document;
}

}  // namespace

std::string to_text(const SamplerReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_html(const SamplerReport& report) { return to_page(document_of(report)); }

}  // namespace assay

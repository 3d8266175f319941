#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

std::string detail::level_text(double epsilon) {
  return std::isinf(epsilon) ? "inf" : fmt::format("{:.4f}", epsilon);
}

namespace {

using detail::level_text;
using detail::Paint;
using doc::Document;
using doc::kPage;
using doc::kTerminal;
using doc::Text;

// The axis that all mechanisms share; infinite values are at its end.
constexpr double kLowest = 0.008;
constexpr double kHighest = 20.0;

Series mark(const std::string& name, double epsilon, Style style) {
  const double at = std::isinf(epsilon) ? kHighest : epsilon;
  return Series::markers(name, {at}, {0.0}, style);
}

Panel panel_of(const DetectionResult& result, bool first) {
  const auto& row = *result.row;
  Panel panel;
  panel.title = fmt::format("{}: truth {}, ours {}", row.name, level_text(row.true_epsilon),
                            level_text(result.lower));
  panel.x = {"eps", Scale::kLog, kLowest, kHighest};
  panel.y.low = -1.0;
  panel.y.high = 1.0;
  panel.y.hidden = true;
  panel.plot_height = 24.0;
  const auto name = [&](const char* text) { return first ? std::string(text) : std::string(); };
  panel.rules.push_back(
      {Rule::Along::kVertical, row.claim, "", {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.0}});
  const auto add = [&](const char* text, double epsilon, Colour colour, Marker marker) {
    panel.series.push_back(mark(name(text), epsilon, {colour, Dash::kSolid, marker, 1.9}));
  };
  add("truth", row.true_epsilon, Colour::kBlack, Marker::kCross);
  add("best event", result.best_event, Colour::kOrange, Marker::kDiamond);
  if (row.statdp) add("StatDP", row.statdp->lower, Colour::kPurple, Marker::kTriangle);
  add("DP-Sniper", row.sniper_lower, Colour::kSkyBlue, Marker::kSquare);
  add("ours", result.lower, Colour::kVermillion, Marker::kCircle);
  return panel;
}

Figure figure_of(const Detection& detection) {
  Figure figure;
  figure.id = "bounds";
  figure.title = "Lower bounds and truths of each mechanism";
  for (const auto& result : detection.results) {
    figure.description +=
        fmt::format("{}: truth {}, best event {}, ours {}, DP-Sniper {}. ", result.row->name,
                    level_text(result.row->true_epsilon), level_text(result.best_event),
                    level_text(result.lower), level_text(result.row->sniper_lower));
    figure.panels.push_back(panel_of(result, figure.panels.empty()));
  }
  figure.columns = 2;
  figure.width = 1060.0;
  return figure;
}

doc::Table table_of(const Detection& detection) {
  const auto named = [](const char* text, const char* page) {
    return doc::only_in(kTerminal, text) + doc::only_in(kPage, page);
  };
  const doc::Column bar{"|", false, 1, kTerminal};
  doc::Table table{"Levels are eps at delta = 0; samples in millions.",
                   {{"mechanism", false, 24},
                    {"claim", true, 5},
                    {"truth", true, 7},
                    {named("best", "best event"), true, 7},
                    {"ceiling", true, 7},
                    bar,
                    {"ours", true, 7},
                    {named("sniper", "DP-Sniper"), true, 7},
                    {"StatDP", true, 7},
                    bar,
                    {named("ours", "samples, ours"), true, 6},
                    {named("sniper", "DP-Sniper's"), true, 6},
                    bar,
                    {"ours", true, 5, kTerminal},
                    {"snip.", true, 5, kTerminal},
                    {"St.DP", true, 5, kTerminal},
                    {"", false, 0, kTerminal},
                    {"verdict", false}}};
  table.gap = 1;
  const auto millions = [](std::int64_t samples) {
    return fmt::format("{:.1f}", static_cast<double>(samples) / 1e6);
  };
  for (const auto& result : detection.results) {
    const auto& row = *result.row;
    std::string verdict = result.convicted() ? "Violated" : "NotRefuted";
    if (!result.as_expected()) verdict += ", unexpected";
    if (result.above_truth()) verdict = "above the truth";
    const Paint paint = !result.as_expected() ? Paint::kYellow
                        : result.convicted()  ? Paint::kRed
                                              : Paint::kGreen;
    table.add({row.name, number_text(row.claim), level_text(row.true_epsilon),
               level_text(result.best_event), level_text(result.ceiling), "|",
               level_text(result.lower), level_text(row.sniper_lower),
               row.statdp ? level_text(row.statdp->lower) : "", "|", millions(result.samples),
               millions(result.sniper_samples), "|", fmt::format("{:.1f}", result.seconds),
               fmt::format("{:.0f}", row.sniper_seconds),
               row.statdp ? fmt::format("{:.0f}", row.statdp->seconds) : "", "",
               doc::Span{verdict, doc::SpanKind::kProse, paint}});
  }
  return table;
}

doc::List summary_of(const Detection& detection, const RunMeta& meta) {
  const auto count = [&](auto&& holds) {
    return std::count_if(detection.results.begin(), detection.results.end(), holds);
  };
  doc::List lines{{}, ""};
  lines.items.push_back(fmt::format(
      "{} of {} {} in {:.1f} s: {} violated; on {} the bound is better than DP-Sniper's.",
      detection.results.size(), detection.selected, plural(detection.selected, "mechanism"),
      meta.seconds, count([](const auto& r) { return r.convicted(); }),
      count([](const auto& r) { return r.beats_sniper(); })));
  const auto wrong = count([](const auto& r) { return !r.as_expected(); });
  if (wrong > 0)
    lines.items.push_back(fmt::format("Rows that are not as the truth implies: {}.", wrong));
  if (count([](const auto& r) { return r.above_truth(); }) > 0) {
    lines.items.push_back(
        fmt::format("The bound of each row may lie above the truth with probability {:.3g}.",
                    1.0 - detection.plan.confidence));
  }
  return lines;
}

Document document_of(const Detection& detection, const RunMeta& meta) {
  Document document;
  document.title = "Detection: the mechanisms of DP-Sniper";
  document.footer = doc::run_footer(meta);
  document.heading(document.title, "", 1, kPage);
  document.add(summary_of(detection, meta), kPage);
  doc::Facts plan;
  plan.add("Seed", std::to_string(detection.plan.seed));
  plan.add("Confidence", number_text(detection.plan.confidence) + " of each bound");
  plan.add("Samples", number_text(detection.plan.sample_share) + " of DP-Sniper's");
  document.add(plan, kPage);
  document.heading("Bounds", "", 2, kPage);
  document.add(
      doc::Drawn{
          figure_of(detection),
          "Certified lower bounds on eps beside the truth, on one logarithmic axis. The dotted line is the "
          "claim. Infinite values are at the right end. A bound of 0 is left out.",
          true},
      kPage);
  document.heading("Figures", "", 2, kPage);
  document.add(table_of(detection));
  document.paragraph(fmt::format(
      "best: the eps of the best event of probability at least 1e-3. ceiling: the bound that as "
      "many independent samples would certify on the event that is best for that number. It is no "
      "limit for our bounds, because our samples share their noise between the two inputs. The "
      "next columns are lower bounds on eps at delta = 0. Ours are certified, each at confidence "
      "{}; those of DP-Sniper are as measured, and those of StatDP as published. Then come samples "
      "in millions, and seconds.",
      number_text(detection.plan.confidence)));
  document.add(summary_of(detection, meta), kTerminal);
  return document;
}

}  // namespace

std::string to_text(const Detection& detection, const RunMeta& meta, TextStyle style) {
  return to_terminal(document_of(detection, meta), style);
}
std::string to_html(const Detection& detection, const RunMeta& meta) {
  return to_page(document_of(detection, meta));
}

std::string to_csv(const Detection& detection) {
  std::string out =
      "mechanism,claim,truth,best_event,ceiling,lower,sniper_epsilon,sniper_lower,statdp_lower,"
      "samples,"
      "sniper_samples,seconds,sniper_seconds,statdp_seconds,verdict,as_expected\n";
  for (const auto& r : detection.results) {
    const auto cited = [&](double faulty::CitedFigure::*field) {
      return r.row->statdp ? number_text((*r.row->statdp).*field) : std::string();
    };
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{:.3f},{},{},{},{}\n", r.row->name,
                       number_text(r.row->claim), number_text(r.row->true_epsilon),
                       number_text(r.best_event), number_text(r.ceiling), number_text(r.lower),
                       number_text(r.row->sniper_epsilon), number_text(r.row->sniper_lower),
                       cited(&faulty::CitedFigure::lower), r.samples, r.sniper_samples, r.seconds,
                       number_text(r.row->sniper_seconds), cited(&faulty::CitedFigure::seconds),
                       r.convicted() ? "Violated" : "NotRefuted", r.as_expected());
  }
  return out;
}

}  // namespace assay

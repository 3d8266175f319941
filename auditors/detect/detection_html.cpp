#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

using detail::level_text;

using detail::DescriptionList;
using detail::element;
using detail::paragraph;

// The axis that all mechanisms share; what is infinite stands at its end.
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

std::string table_of(const Detection& detection) {
  detail::Table table("Levels are eps at delta = 0; samples in millions.",
                      {{"mechanism", false},
                       {"claim", true},
                       {"truth", true},
                       {"best event", true},
                       {"ceiling", true},
                       {"ours", true},
                       {"DP-Sniper", true},
                       {"StatDP", true},
                       {"samples, ours / theirs", true},
                       {"verdict", false}});
  for (const auto& r : detection.results) {
    const auto millions = [](std::int64_t n) {
      return fmt::format("{:.1f}", static_cast<double>(n) / 1e6);
    };
    std::string verdict = r.convicted() ? "Violated" : "NotRefuted";
    if (r.above_truth()) verdict = "above the truth";
    table.add({r.row->name, number_text(r.row->claim), level_text(r.row->true_epsilon),
               level_text(r.best_event), level_text(r.ceiling), level_text(r.lower),
               level_text(r.row->sniper_lower),
               r.row->statdp ? level_text(r.row->statdp->lower) : "",
               millions(r.samples) + " / " + millions(r.sniper_samples), verdict});
  }
  return table.text();
}

}  // namespace

std::string to_html(const Detection& detection, const RunMeta& meta) {
  const auto count = [&](auto&& holds) {
    return std::count_if(detection.results.begin(), detection.results.end(), holds);
  };
  const std::string title = "Detection: the mechanisms of DP-Sniper";
  DescriptionList list;
  list.add("Violated",
           fmt::format("{} of {} mechanisms", count([](const auto& r) { return r.convicted(); }),
                       detection.selected));
  list.add("Better than DP-Sniper",
           fmt::format("on {}", count([](const auto& r) { return r.beats_sniper(); })));
  list.add("Above the truth", fmt::format("{}; a bound may be with probability {:.3g}, row by row",
                                          count([](const auto& r) { return r.above_truth(); }),
                                          1.0 - detection.plan.confidence));
  list.add("Seed", std::to_string(detection.plan.seed));
  list.add("Confidence", number_text(detection.plan.confidence) + " of each bound");
  list.add("Samples", number_text(detection.plan.sample_share) + " of DP-Sniper's");
  list.add("Seconds", fmt::format("{:.1f}, {} {}", meta.seconds, meta.threads,
                                  plural(meta.threads, "thread")));
  list.add("Build", meta.version + ", " + meta.build + ", " + meta.started);
  std::string main = element("h1", markup_text(title)) + "\n" + list.text();
  main += element("h2", "Bounds") + "\n" +
          detail::figure_element(
              figure_of(detection),
              "Certified lower bounds on eps beside the truth, on one logarithmic axis; the dotted "
              "line is the claim. What is infinite stands at the right end, a bound of 0 is left "
              "out.",
              true);
  main +=
      element("h2", "Figures") + "\n" + table_of(detection) +
      paragraph(
          "Best event: the largest log ratio of an event of probability at least 1e-3, from the "
          "law. Ceiling: what as many independent samples would certify, at the median, of the "
          "best event for that many; ours share their noise between the sides. DP-Sniper's bounds "
          "are measured with its implementation, StatDP's "
          "published with it.");
  return detail::html_page(title, main);
}

}  // namespace assay

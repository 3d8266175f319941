#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/text/aligned_rows.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

std::string detail::level_text(double epsilon) {
  return std::isinf(epsilon) ? "inf" : fmt::format("{:.4f}", epsilon);
}

namespace {

using detail::level_text;
using detail::Paint;

std::string millions(std::int64_t samples) {
  return fmt::format("{:.1f}", static_cast<double>(samples) / 1e6);
}

std::string verdict(const DetectionResult& result) {
  if (result.above_truth()) return "above the truth";
  const std::string text = result.convicted() ? "Violated" : "NotRefuted";
  return result.as_expected() ? text : text + ", unexpected";
}

Paint paint_of(const DetectionResult& result) {
  if (!result.as_expected()) return Paint::kYellow;
  return result.convicted() ? Paint::kRed : Paint::kGreen;
}

}  // namespace

std::string to_text(const Detection& detection, const RunMeta& meta, TextStyle style) {
  const auto paint = [&](const std::string& text, Paint color) {
    return style.color ? detail::painted(text, color) : text;
  };
  std::vector<std::vector<std::string>> rows{{"mechanism", "claim", "truth", "best", "ceiling", "|",
                                              "ours", "sniper", "StatDP", "|", "ours", "sniper",
                                              "|", "ours", "snip.", "St.DP"}};
  for (const auto& result : detection.results) {
    const auto& row = *result.row;
    rows.push_back({row.name, fmt::format("{}", row.claim), level_text(row.true_epsilon),
                    level_text(result.best_event), level_text(result.ceiling), "|",
                    level_text(result.lower), level_text(row.sniper_lower),
                    row.statdp ? level_text(row.statdp->lower) : "", "|", millions(result.samples),
                    millions(result.sniper_samples), "|", fmt::format("{:.1f}", result.seconds),
                    fmt::format("{:.0f}", row.sniper_seconds),
                    row.statdp ? fmt::format("{:.0f}", row.statdp->seconds) : ""});
  }
  detail::align(rows, {-24, 5, 7, 7, 7, 1, 7, 7, 7, 1, 6, 6, 1, 5, 5, 5});
  std::string out = paint(fmt::format("{}  verdict\n", fmt::join(rows[0], " ")), Paint::kDim);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& result = detection.results[i - 1];
    out +=
        fmt::format("{}  {}\n", fmt::join(rows[i], " "), paint(verdict(result), paint_of(result)));
  }
  const auto count = [&](auto&& holds) {
    return std::count_if(detection.results.begin(), detection.results.end(), holds);
  };
  const auto done = static_cast<std::int64_t>(detection.results.size());
  out += fmt::format(
      "\nbest: the best event of probability at least 1e-3. ceiling: what independent samples, as "
      "many as\nours, would certify of the best event for so many; ours share their noise between "
      "the sides. Then\nlower bounds on eps at delta = 0, ours certified at confidence {} row by "
      "row, DP-Sniper's as\nmeasured, StatDP's as published; samples in millions; seconds.\n\n",
      number_text(detection.plan.confidence));
  out += fmt::format("{} of {} {}: {} violated; a better bound than DP-Sniper's on {}; {:.1f} s.\n",
                     done, detection.selected, plural(detection.selected, "mechanism"),
                     count([](const auto& r) { return r.convicted(); }),
                     count([](const auto& r) { return r.beats_sniper(); }), meta.seconds);
  const auto wrong = count([](const auto& r) { return !r.as_expected(); });
  if (wrong > 0) {
    out += fmt::format("Not what the truth implies: {}.\n", wrong);
    if (count([](const auto& r) { return r.above_truth(); }) > 0) {
      out += fmt::format("A bound may lie above the truth with probability {:.3g}, row by row.\n",
                         1.0 - detection.plan.confidence);
    }
  }
  return out;
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

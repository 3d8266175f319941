#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/html_elements.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/text/svg_plot.hpp"

namespace assay {
namespace {

using detail::DescriptionList;
using detail::element;
using detail::typeset;

constexpr double kLeastDelta = 1e-12;
constexpr std::size_t kTableRows = 13;  // of a curve's numbers

constexpr Style kUpper{Colour::kBlue, Dash::kSolid, Marker::kNone, 2.0, 0.0};
constexpr Style kLower{Colour::kVermillion, Dash::kDashed, Marker::kNone, 1.6, 0.0};
constexpr Style kBetween{Colour::kSkyBlue, Dash::kSolid, Marker::kNone, 0.6, 0.35};
constexpr Style kAnswer{Colour::kBlack, Dash::kSolid, Marker::kDiamond, 1.9, 0.0};
constexpr Style kChance{Colour::kGrey, Dash::kDotted, Marker::kNone, 1.4, 0.0};

// ---- figures ------------------------------------------------------------------------------------

// The asked-for points; those without a finite place are left out.
Series answers_of(const AccountReport& report) {
  std::vector<double> eps, delta;
  for (const AccountAnswer& answer : report.answers) {
    const double given = answer.target.given;
    eps.push_back(answer.target.asks_epsilon() ? answer.upper : given);
    delta.push_back(answer.target.asks_epsilon() ? given : answer.upper);
  }
  return Series::markers("asked for", eps, delta, kAnswer);
}

Figure profile_figure(const AccountReport& report) {
  const AccountCurves& curves = *report.curves;
  const auto eps = column(curves.profile, &ProfileBand::epsilon);
  const auto upper = column(curves.profile, &ProfileBand::upper);
  const auto lower = column(curves.profile, &ProfileBand::lower);
  Figure figure{
      "profile", "Privacy profile",
      fmt::format("delta falls from {} at eps = 0 to {} at eps = {}.", rounded_up(upper.front(), 4),
                  rounded_up(upper.back(), 3), rounded(eps.back(), 4))};
  Panel panel;
  panel.title = "Privacy profile";
  panel.x.label = "\xCE\xB5";
  panel.x.low = 0.0;
  panel.y = {"\xCE\xB4", Scale::kLog, kLeastDelta, 1.0};
  if (curves.two_sided) panel.series.push_back(Series::band("", eps, lower, upper, kBetween));
  panel.series.push_back(Series::line("at most", eps, upper, kUpper));
  if (curves.two_sided) panel.series.push_back(Series::line("at least", eps, lower, kLower));
  panel.series.push_back(answers_of(report));
  figure.panels.push_back(panel);
  return figure;
}

Figure trade_off_figure(const AccountReport& report) {
  const AccountCurves& curves = *report.curves;
  const auto x = column(curves.trade_off, &TradeOffBand::type_one);
  const auto lower = column(curves.trade_off, &TradeOffBand::lower);
  const auto upper = column(curves.trade_off, &TradeOffBand::upper);
  const std::size_t middle = x.size() / 2;
  Figure figure{
      "trade-off", "Trade-off curve",
      fmt::format("At a type I error of {} every test has a type II error of at least {}.",
                  rounded(x[middle], 4), rounded_down(lower[middle], 4))};
  Panel panel;
  panel.title = "Trade-off curve";
  panel.x = {"type I error", Scale::kLinear, 0.0, 1.0};
  panel.y = {"type II error", Scale::kLinear, 0.0, 1.0};
  if (curves.two_sided) panel.series.push_back(Series::band("", x, lower, upper, kBetween));
  panel.series.push_back(Series::line("no test goes below", x, lower, kUpper));
  if (curves.two_sided) panel.series.push_back(Series::line("some test reaches", x, upper, kLower));
  panel.series.push_back(Series::line("guessing", {0.0, 1.0}, {1.0, 0.0}, kChance));
  figure.panels.push_back(panel);
  return figure;
}

// About kTableRows of the points, the last among them.
template <class T>
std::vector<T> thinned(const std::vector<T>& points) {
  std::vector<T> few;
  const std::size_t stride = std::max<std::size_t>(1, (points.size() - 1) / (kTableRows - 1));
  for (std::size_t i = 0; i < points.size(); i += stride) few.push_back(points[i]);
  return few;
}

std::string profile_table(const AccountCurves& curves) {
  detail::Table table("\xCE\xB4 between certified bounds",
                      {{"\xCE\xB5"}, {"at least"}, {"at most"}});
  for (const ProfileBand& p : thinned(curves.profile)) {
    table.add({rounded(p.epsilon, 5), curves.two_sided ? rounded_down(p.lower, 5) : "",
               rounded_up(p.upper, 5)});
  }
  return table.text();
}

std::string trade_off_table(const AccountCurves& curves) {
  detail::Table table("type II error of the best test, between certified bounds",
                      {{"type I error"}, {"at least"}, {"at most"}});
  for (const TradeOffBand& p : thinned(curves.trade_off)) {
    table.add({rounded(p.type_one, 5), rounded_down(p.lower, 5),
               curves.two_sided ? rounded_up(p.upper, 5) : ""});
  }
  return table.text();
}

std::string curves_markup(const AccountReport& report) {
  if (!report.curves || report.curves->profile.empty()) {
    return detail::paragraph("No profile: no finite eps is known at any delta down to 1e-9.");
  }
  const AccountCurves& curves = *report.curves;
  const std::string sides =
      curves.two_sided ? "The truth lies between the two lines, numerical error carried outward."
                       : "Upper bound of delta only: no pair dominates the chain.";
  return "<div class=\"pair\">\n" +
         detail::figure_element(
             profile_figure(report),
             "\xCE\xB4 as a function of \xCE\xB5. " + sides + " Below 1e-12 nothing is drawn.") +
         detail::figure_element(trade_off_figure(report),
                                "The least type II error of a test between neighbours, by its type "
                                "I error; both orders of the neighbours are covered.") +
         "</div>\n" + detail::folded("Numbers of the profile", profile_table(curves)) +
         detail::folded("Numbers of the trade-off curve", trade_off_table(curves));
}

// ---- answers ------------------------------------------------------------------------------------

std::string certified_text(const AccountAnswer& answer) {
  if (!std::isfinite(answer.upper)) {
    return (answer.lower && std::isinf(*answer.lower) ? "infinite: " : "not bounded: ") +
           answer.why_infinite;
  }
  if (!answer.lower) return "at most " + rounded_up(answer.upper, 6) + " (an upper bound only)";
  const IntervalText text = interval_text(*answer.lower, answer.upper);
  return "between " + text.lower + " and " + text.upper + ", a gap of " + text.gap;
}

std::string answer_markup(const AccountAnswer& answer) {
  const std::string quantity = answer.target.asks_epsilon() ? "\xCE\xB5" : "\xCE\xB4";
  DescriptionList list;
  list.add("Certified", certified_text(answer));
  if (!answer.worse_order.empty()) {
    list.add("Worse", answer.worse_order == "remove" ? "a record removed" : "a record added");
  }
  list.add("By", answer.route);
  if (answer.closed) {
    const IntervalText closed = interval_text(answer.closed->lower, answer.closed->upper);
    list.add("Closed form", closed.lower + " to " + closed.upper + ", " + answer.closed->source);
  }
  detail::Table table(
      "Other accountings of the same chain, the tightest first",
      {{"accounting", false}, {quantity + " at most"}, {"ratio"}, {"theorem, or why not", false}});
  for (const OtherAccounting& other : answer.others) {
    const bool rated = other.upper && std::isfinite(answer.upper) && answer.upper > 0.0;
    table.add({other.name, other.upper ? rounded_up(*other.upper, 6) : "",
               rated ? rounded(*other.upper / answer.upper, 4) : "",
               other.upper ? other.source : other.why_not});
  }
  return element("h2", markup_text(typeset(target_text(answer.target)))) + "\n" + list.text() +
         table.text();
}

}  // namespace

std::string to_html(const AccountReport& report) {
  const std::string title =
      "Account of " +
      (report.source.empty() ? step_name(report.chain.front().mechanism) : report.source);
  std::string steps;
  for (const ChainStep& step : report.chain) {
    steps += element("li", markup_text(chain_text(step))) + "\n";
  }
  std::string body = element("h1", markup_text(title)) + "\n" + element("ul", steps) + "\n";
  if (!report.relation.empty()) {
    body +=
        detail::paragraph("Neighbours: " + report.relation +
                          (report.view.empty() ? "" : "; the adversary sees " + report.view) + ".");
  }
  for (const AccountAnswer& answer : report.answers) body += answer_markup(answer);
  body += detail::heading("h2", "Profile and trade-off") + curves_markup(report);
  body += detail::heading("h2", "Reproduce") + detail::command_element(report.reproduce);
  const RunMeta& meta = report.meta;
  body += detail::footer(fmt::format("Assay {} ({}). Started {}; {} s.", meta.version, meta.build,
                                     meta.started, rounded(meta.seconds, 3)));
  return detail::html_page(title + " \xE2\x80\x93 Assay", body);
}

}  // namespace assay

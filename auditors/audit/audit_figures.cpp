#include "assay/auditors/audit/audit_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/auditors/audit/audit_summary.hpp"
#include "assay/auditors/audit/audit_tiles.hpp"
#include "assay/auditors/audit/round_groups.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/enum_table.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kHalfWidth = 520.0;
constexpr double kFullWidth = 1064.0;
constexpr double kLeastDelta = 1e-12;  // plots of delta go no lower
constexpr int kCurvePoints = 240;

constexpr Style kMeasured{Colour::kBlue, Dash::kSolid, Marker::kNone, 2.0, 0.0};
constexpr Style kMeasuredBand{Colour::kSkyBlue, Dash::kSolid, Marker::kNone, 0.8, 0.35};
constexpr Style kInterval{Colour::kBlue, Dash::kSolid, Marker::kNone, 2.6, 0.22};
constexpr Style kBeyondClaim{Colour::kVermillion, Dash::kSolid, Marker::kNone, 0.0, 0.12};
constexpr Style kStrength{Colour::kPurple, Dash::kDotted, Marker::kDiamond, 1.6, 0.0};
constexpr Style kClaim{Colour::kVermillion, Dash::kDashed, Marker::kNone, 2.0, 0.0};
constexpr Style kExcluded{Colour::kVermillion, Dash::kDashed, Marker::kNone, 1.2, 0.14};
constexpr Style kBaseSide{Colour::kBlue, Dash::kSolid, Marker::kNone, 1.6, 0.22};
constexpr Style kNeighbourSide{Colour::kOrange, Dash::kDashed, Marker::kNone, 2.0, 0.18};
constexpr Style kBaseMark{Colour::kBlue, Dash::kSolid, Marker::kCircle, 1.8, 0.0};
constexpr Style kNeighbourMark{Colour::kOrange, Dash::kSolid, Marker::kTriangle, 2.0, 0.0};
constexpr Style kPlain{Colour::kGrey, Dash::kSolid, Marker::kNone, 1.4, 0.0};
constexpr Style kChange{Colour::kBlack, Dash::kDotted, Marker::kNone, 1.4, 0.0};
constexpr Style kWitnessMark{Colour::kGreen, Dash::kSolid, Marker::kDiamond, 1.1, 0.0};
constexpr Style kWitnessLine{Colour::kGreen, Dash::kSolid, Marker::kNone, 2.0, 0.0};

struct EpsilonDelta {
  double epsilon;
  double delta;
};

// A Gaussian claim has none.
std::optional<EpsilonDelta> as_epsilon_delta(const PrivacyLevel& claim) {
  if (const auto* pure = std::get_if<PureDp>(&claim)) {
    return EpsilonDelta{pure->epsilon.value, 0.0};
  }
  if (const auto* level = std::get_if<ApproximateDp>(&claim)) {
    return EpsilonDelta{level->epsilon.value, level->delta.value};
  }
  return std::nullopt;
}

std::string claim_name(const AuditReport& report) {
  const auto level = as_epsilon_delta(report.claim);
  if (!level) {
    return "claim: \xCE\xBC = " + rounded(std::get<GaussianDp>(report.claim).mu.value, 5);
  }
  const std::string text = "claim: \xCE\xB5 = " + rounded(level->epsilon, 5);
  return level->delta == 0.0 ? text : text + ", \xCE\xB4 = " + rounded(level->delta, 5);
}

// ---- certified intervals ------------------------------------------------------------------------

std::string greek_label(const ReportedQuantity& quantity) {
  if (quantity.kind == QuantityKind::kMu) return "\xCE\xBC";
  constexpr EnumTable<QuantityKind, std::string_view, 3> kNames{
      {{QuantityKind::kDeltaAtEpsilon, "\xCE\xB4 at \xCE\xB5 = "},
       {QuantityKind::kEpsilonAtDelta, "\xCE\xB5 at \xCE\xB4 = "},
       {QuantityKind::kMuAboveDelta0, "\xCE\xBC over \xCE\xB4 \xE2\x89\xA5 "}}};
  return std::string(entry_of(kNames, quantity.kind)) + rounded(quantity.at, 6);
}

Axis interval_axis(const ReportedQuantity& quantity, double claimed,
                   std::optional<double> strength) {
  Axis axis;
  const double lower = quantity.lower.value;
  const double upper = quantity.upper.value;
  if (quantity.kind == QuantityKind::kDeltaAtEpsilon) {
    axis.scale = Scale::kLog;
    double least = 1.0;
    for (const double value : {lower, upper, claimed, strength.value_or(0.0)}) {
      if (value > 0.0) least = std::min(least, value);
    }
    axis.low = std::max(least / 10.0, kLeastDelta);
    axis.high = 1.0;
    return axis;
  }
  double most = 0.0;
  for (const double value : {lower, claimed, upper, strength.value_or(0.0)}) {
    if (std::isfinite(value)) most = std::max(most, value);
  }
  axis.low = 0.0;
  axis.high = most > 0.0 ? 1.12 * most : 1.0;
  return axis;
}

std::string range_text(const QuantityTexts& texts) {
  return texts.upper == kNoBound ? "at least " + texts.lower + ", no upper bound"
                                 : texts.lower + " to " + texts.upper;
}

Panel interval_panel(const AuditReport& report, const ReportedQuantity& quantity, double claimed) {
  const QuantityTexts texts = quantity_texts(report.claim, quantity);
  Panel panel;
  panel.title = greek_label(quantity) + ": " + range_text(texts);
  const auto strength = strength_mark(report, quantity);
  panel.plot_height = strength ? 64.0 : 48.0;
  panel.x = interval_axis(quantity, claimed, strength);
  panel.y.hidden = true;
  panel.y.low = 0.0;
  panel.y.high = panel.plot_height;
  panel.series.push_back(Series::band("", {claimed, panel.x.high.value_or(claimed)}, {0.0, 0.0},
                                      {panel.plot_height, panel.plot_height}, kBeyondClaim));
  panel.series.push_back(
      Series::interval("", quantity.lower.value, quantity.upper.value, 14.0, kInterval));
  panel.rules.push_back({Rule::Along::kVertical, claimed, "claimed " + texts.claimed, kClaim});
  if (strength) {
    panel.rules.push_back(
        {Rule::Along::kVertical, *strength, "visible from " + rounded_up(*strength, 4), kStrength});
  }
  return panel;
}

// ---- profile ------------------------------------------------------------------------------------

std::vector<double> evenly(double low, double high, int points) {
  std::vector<double> out;
  for (int i = 0; i <= points; ++i) {
    out.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(points));
  }
  return out;
}

double least_positive(const std::vector<double>& values, double least) {
  for (const double value : values) {
    if (value > 0.0) least = std::min(least, value);
  }
  return least;
}

// The low end of the delta axis: the decade of the smallest delta that is shown.
double least_delta_drawn(const AuditReport& report) {
  double least = 0.1;
  least = least_positive(column(report.evidence.profile, &ProfilePoint::lower), least);
  least = least_positive(column(report.evidence.profile, &ProfilePoint::estimate), least);
  least = least_positive(column(report.evidence.profile, &ProfilePoint::upper), least);
  if (const auto level = as_epsilon_delta(report.claim)) {
    least = least_positive({level->delta / 10.0}, least);
  }
  Axis axis;
  axis.scale = Scale::kLog;
  return widened_to_ticks(axis, {std::max(least, kLeastDelta), 1.0}, 1).low;
}

void add_claim_to_profile(const AuditReport& report, double low, double high, Panel& panel) {
  const std::string name = claim_name(report);
  if (const auto* gaussian = std::get_if<GaussianDp>(&report.claim)) {
    std::vector<double> epsilons = evenly(low, high, kCurvePoints);
    std::vector<double> deltas;
    for (const double epsilon : epsilons) {
      deltas.push_back(gdp_delta(gaussian->mu, Epsilon{epsilon}).value);
    }
    panel.series.push_back(Series::line(name, std::move(epsilons), std::move(deltas), kClaim));
    return;
  }
  const EpsilonDelta level = *as_epsilon_delta(report.claim);
  panel.series.push_back(Series::band("excluded", {level.epsilon, high}, {level.delta, level.delta},
                                      {1.0, 1.0}, kExcluded));
  Style point = kClaim;
  point.marker = Marker::kSquare;
  if (level.delta > 0.0) {
    panel.series.push_back(Series::markers(name, {level.epsilon}, {level.delta}, point));
  } else {
    panel.rules.push_back({Rule::Along::kVertical, level.epsilon, name, kClaim});
  }
}

// ---- rounds -------------------------------------------------------------------------------------

struct GroupColumns {
  std::vector<double> edges;
  std::vector<double> centres;
};

GroupColumns columns_of(const std::vector<RoundGroup>& groups) {
  GroupColumns out;
  for (const RoundGroup& group : groups) {
    out.edges.push_back(static_cast<double>(group.first) - 0.5);
    out.centres.push_back(0.5 * static_cast<double>(group.first + group.last));
  }
  out.edges.push_back(static_cast<double>(groups.back().last) + 0.5);
  return out;
}

Rule change_rule(const AuditReport& report) {
  return {Rule::Along::kVertical, static_cast<double>(report.pair.position()), "", kChange};
}

Panel rewards_panel(const AuditReport& report, const std::vector<RoundGroup>& groups,
                    const GroupColumns& at) {
  const WorstPair& pair = report.pair;
  Panel panel;
  panel.title =
      fmt::format("Rewards: {} \xE2\x86\x92 {} in round {}", rounded(pair.base_value(), 5),
                  rounded(pair.neighbour_value(), 5), pair.position());
  panel.plot_height = 110.0;
  if (groups.size() < report.evidence.rounds.size()) {
    panel.series.push_back(Series::band("smallest to largest", at.centres,
                                        column(groups, &RoundGroup::reward_low),
                                        column(groups, &RoundGroup::reward_high),
                                        {Colour::kGrey, Dash::kSolid, Marker::kNone, 0.6, 0.25}));
    panel.series.push_back(
        Series::line("mean", at.centres, column(groups, &RoundGroup::reward_mean), kPlain));
  } else {
    panel.series.push_back(Series::steps("both inputs", at.edges,
                                         column(groups, &RoundGroup::reward_mean),
                                         {Colour::kGrey, Dash::kSolid, Marker::kNone, 1.2, 0.25}));
  }
  const auto position = static_cast<double>(pair.position());
  panel.series.push_back(Series::markers("D", {position}, {pair.base_value()}, kBaseMark));
  panel.series.push_back(
      Series::markers("D\xE2\x80\xB2", {position}, {pair.neighbour_value()}, kNeighbourMark));
  panel.rules.push_back(change_rule(report));
  return panel;
}

Panel losses_panel(const AuditReport& report, const std::vector<RoundGroup>& groups,
                   const GroupColumns& at) {
  Panel panel;
  panel.title = groups.size() < report.evidence.rounds.size()
                    ? "Mean privacy loss, summed over each group of rounds"
                    : "Mean privacy loss of each round";
  panel.plot_height = 130.0;
  panel.series.push_back(
      Series::steps("on D", at.edges, column(groups, &RoundGroup::loss_base), kBaseSide));
  panel.series.push_back(Series::steps(
      "on D\xE2\x80\xB2", at.edges, column(groups, &RoundGroup::loss_neighbour), kNeighbourSide));
  panel.rules.push_back(change_rule(report));
  return panel;
}

Panel arms_panel(const AuditReport& report, const std::vector<RoundGroup>& groups,
                 const GroupColumns& at) {
  std::vector<double> x;
  std::vector<double> y;
  double most = 1.0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const int arm : groups[i].witness_arms) {
      x.push_back(at.centres[i]);
      y.push_back(static_cast<double>(arm));
      most = std::max(most, y.back());
    }
  }
  Panel panel;
  panel.title = "Witness: arms";
  panel.plot_height = std::clamp(18.0 * (most + 1.0), 54.0, 130.0);
  panel.y.low = -0.5;  // arms count from 0
  panel.y.high = most + 0.5;
  panel.y.whole = true;
  panel.series.push_back(Series::markers("", std::move(x), std::move(y), kWitnessMark));
  panel.rules.push_back(change_rule(report));
  return panel;
}

Panel witness_loss_panel(const AuditReport& report, const std::vector<RoundGroup>& groups) {
  std::vector<double> x;
  std::vector<double> y;
  for (const RoundGroup& group : groups) {
    if (!group.witnessed) continue;
    x.push_back(static_cast<double>(group.last));
    y.push_back(group.witness_loss);
  }
  Panel panel;
  panel.title = "Witness: log P/Q so far";
  panel.plot_height = 110.0;
  panel.series.push_back(Series::line("", std::move(x), std::move(y), kWitnessLine));
  panel.rules.push_back(change_rule(report));
  return panel;
}

void add_histograms(const PairHistogram& of, const std::string& label, const std::string& counted,
                    Figure& figure) {
  if (of.edges.size() < 2) return;
  Panel panel;
  panel.plot_height = 260.0;
  panel.x.label = label;
  panel.y.label = "fraction of " + counted;
  panel.series.push_back(Series::steps("on D", of.edges, of.side_base, kBaseSide));
  panel.series.push_back(
      Series::steps("on D\xE2\x80\xB2", of.edges, of.side_neighbour, kNeighbourSide));
  figure.panels.push_back(std::move(panel));
}

bool has_witness(const std::vector<RoundGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const auto& g) { return g.witnessed; });
}

}  // namespace

double claimed_trade_off(const PrivacyLevel& claim, double type_one) {
  if (const auto* gaussian = std::get_if<GaussianDp>(&claim)) {
    return gdp_trade_off(gaussian->mu, type_one);
  }
  const EpsilonDelta level = *as_epsilon_delta(claim);
  const double left = 1.0 - level.delta;
  return std::max({0.0, left - portable_exp(level.epsilon) * type_one,
                   portable_exp(-level.epsilon) * (left - type_one)});
}

Figure interval_figure(const AuditReport& report) {
  Figure figure{"intervals", "Certified intervals beside the claim", "", {}, 2, kFullWidth};
  for (const ReportedQuantity& quantity : report.evidence.quantities) {
    const auto claimed = claimed_value(report.claim, quantity);
    if (!claimed || !std::isfinite(*claimed)) continue;
    // A delta of 0 is nowhere on its logarithmic axis.
    if (quantity.kind == QuantityKind::kDeltaAtEpsilon && quantity.upper.value == 0.0) continue;
    const QuantityTexts texts = quantity_texts(report.claim, quantity);
    figure.panels.push_back(interval_panel(report, quantity, *claimed));
    figure.description += fmt::format("{}: {}, claimed {}. ", quantity_label(quantity),
                                      range_text(texts), texts.claimed);
  }
  if (figure.panels.size() == 1) figure.columns = 1;
  return figure;
}

Figure profile_figure(const AuditReport& report) {
  Figure figure{"profile", "Privacy profile of the worst pair", "", {}, 1, kHalfWidth};
  if (report.evidence.profile.empty()) return figure;
  const std::vector<double> epsilons = column(report.evidence.profile, &ProfilePoint::epsilon);
  double high = *std::max_element(epsilons.begin(), epsilons.end());
  const double low = *std::min_element(epsilons.begin(), epsilons.end());
  if (const auto level = as_epsilon_delta(report.claim)) {
    high = std::max(high, 1.1 * level->epsilon);
  }
  Panel panel;
  panel.plot_height = 300.0;
  panel.x.label = "\xCE\xB5";
  panel.x.high = high;
  panel.y.label = "\xCE\xB4(\xCE\xB5)";
  panel.y.scale = Scale::kLog;
  panel.y.high = 1.0;
  panel.y.low = least_delta_drawn(report);
  panel.series.push_back(
      Series::band("certified", epsilons, column(report.evidence.profile, &ProfilePoint::lower),
                   column(report.evidence.profile, &ProfilePoint::upper), kMeasuredBand));
  panel.series.push_back(Series::line(
      "estimate", epsilons, column(report.evidence.profile, &ProfilePoint::estimate), kMeasured));
  add_claim_to_profile(report, low, high, panel);
  figure.panels.push_back(std::move(panel));
  figure.description = fmt::format(
      "Delta as a function of epsilon, from {} to {}, with delta on a logarithmic axis: the "
      "certified band, the estimate, and the {}.",
      rounded(low, 4), rounded(high, 4), claim_name(report));
  return figure;
}

Figure trade_off_figure(const AuditReport& report) {
  Figure figure{"trade-off", "Trade-off curve of the worst pair", "", {}, 1, kHalfWidth};
  if (report.evidence.trade_off.empty()) return figure;
  const std::vector<double> type_one = column(report.evidence.trade_off, &TradeOffPoint::type_one);
  // The points lie close together near both ends, where the curve of a strong test bends.
  std::vector<double> x;
  for (const double u : evenly(-1.0, 1.0, kCurvePoints)) {
    const double rest = 1.0 - std::fabs(u);
    x.push_back(0.5 + 0.5 * (u < 0.0 ? -1.0 : 1.0) * (1.0 - rest * rest * rest));
  }
  std::vector<double> y;
  for (const double alpha : x) y.push_back(claimed_trade_off(report.claim, alpha));
  Panel panel;
  panel.plot_height = 300.0;
  panel.x = {"type I error", Scale::kLinear, 0.0, 1.0};
  panel.y = {"type II error", Scale::kLinear, 0.0, 1.0};
  panel.series.push_back(
      Series::band("certified", type_one, column(report.evidence.trade_off, &TradeOffPoint::lower),
                   column(report.evidence.trade_off, &TradeOffPoint::upper), kMeasuredBand));
  panel.series.push_back(Series::line("estimate", type_one,
                                      column(report.evidence.trade_off, &TradeOffPoint::estimate),
                                      kMeasured));
  panel.series.push_back(Series::line(claim_name(report), std::move(x), std::move(y), kClaim));
  panel.series.push_back(Series::line("", {0.0, 1.0}, {1.0, 0.0},
                                      {Colour::kGrey, Dash::kDotted, Marker::kNone, 1.4, 0.0}));
  figure.panels.push_back(std::move(panel));
  figure.description = fmt::format(
      "Type II error of the best test as a function of its type I error: the certified band, the "
      "estimate, and the {}. If the band lies below the claimed curve, the claim is violated.",
      claim_name(report));
  return figure;
}

Figure loss_figure(const AuditReport& report) {
  Figure figure{"losses", "Privacy loss of transcripts on both inputs", "", {}, 1, kHalfWidth};
  add_histograms(report.evidence.losses, "privacy loss log P/Q of a transcript", "transcripts",
                 figure);
  if (figure.panels.empty()) return figure;
  figure.description = fmt::format(
      "Histograms of the privacy loss, from {} to {}, of transcripts sampled on the base input "
      "and on the neighbouring input.",
      rounded(report.evidence.losses.edges.front(), 4),
      rounded(report.evidence.losses.edges.back(), 4));
  return figure;
}

Figure score_figure(const AuditReport& report) {
  Figure figure{"scores", "Score of the counted runs on both inputs", "", {}, 1, kHalfWidth};
  if (!report.evidence.event) return figure;
  const EventEvidence& event = *report.evidence.event;
  add_histograms(event.scores, "score of a run", "runs", figure);
  figure.description = fmt::format(
      "Histograms of the score of runs on the base input and on the neighbouring input. The counted "
      "event: {}.",
      event.event);
  return figure;
}

Figure number_figure(const AuditReport& report) {
  Figure figure{"numbers", "A number of the output on both inputs", "", {}, 1, kHalfWidth};
  const auto& seen = report.evidence.frequencies;
  if (!seen || !seen->number) return figure;
  add_histograms(seen->number->histogram, seen->number->name, "runs", figure);
  figure.description = fmt::format(
      "Histograms of {} on the base input and on the neighbouring input.", seen->number->name);
  return figure;
}

Figure rounds_figure(const AuditReport& report) {
  Figure figure{"rounds", "The worst pair, round by round", "", {}, 1, kFullWidth};
  if (report.evidence.rounds.empty()) return figure;
  const auto groups = group_rounds(report, kMostRoundsDrawn);
  const GroupColumns at = columns_of(groups);
  figure.panels.push_back(rewards_panel(report, groups, at));
  figure.panels.push_back(losses_panel(report, groups, at));
  if (has_witness(groups)) {
    figure.panels.push_back(arms_panel(report, groups, at));
    figure.panels.push_back(witness_loss_panel(report, groups));
  }
  for (Panel& panel : figure.panels) {
    panel.x.low = at.edges.front();
    panel.x.high = at.edges.back();
    panel.x.whole = true;
  }
  figure.panels.back().x.label = "round";
  figure.description = fmt::format(
      "Panels over rounds {} to {}: rewards, with the reward of round {} changed from {} to {}; "
      "the mean privacy loss; and the arms and the privacy loss so far of the witness.",
      groups.front().first, groups.back().last, report.pair.position(),
      rounded(report.pair.base_value(), 5), rounded(report.pair.neighbour_value(), 5));
  return figure;
}

}  // namespace assay

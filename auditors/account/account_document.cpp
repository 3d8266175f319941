#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

MaxNoise noise_of(const CalibrationRequest& request) {
  switch (request.kind) {
    case CalibratedKind::kGaussian:
      return MaxNoise::kGaussian;
    case CalibratedKind::kNoisyMax:
    case CalibratedKind::kTree:
      return request.noise;
    case CalibratedKind::kDiscreteLaplace:
      return MaxNoise::kDiscreteLaplace;
    case CalibratedKind::kLaplace:
    case CalibratedKind::kPeeling:
    case CalibratedKind::kDiscreteGaussian:
    case CalibratedKind::kRandomizedResponse:
      break;
  }
  return MaxNoise::kLaplace;
}

}  // namespace

std::optional<VectorSensitivity> vector_sensitivity(const CalibrationRequest& request) {
  const auto moves = static_cast<double>(request.moves.value_or(1));
  switch (request.kind) {
    case CalibratedKind::kGaussian:
      return VectorSensitivity{"L2", std::sqrt(moves) * request.sensitivity};
    case CalibratedKind::kLaplace:
      return VectorSensitivity{"L1", moves * request.sensitivity};
    case CalibratedKind::kNoisyMax:
    case CalibratedKind::kPeeling:
    case CalibratedKind::kTree:
    case CalibratedKind::kDiscreteGaussian:
    case CalibratedKind::kDiscreteLaplace:
    case CalibratedKind::kRandomizedResponse:
      break;
  }
  return std::nullopt;
}

std::optional<VectorSensitivity> vector_sensitivity(const ChainStep& step) {
  CalibrationRequest request;
  request.moves = step.moves;
  const auto* gaussian = std::get_if<GaussianStep>(&step.mechanism);
  if (const auto* sampled = std::get_if<SampledStep>(&step.mechanism)) {
    gaussian = std::get_if<GaussianStep>(&sampled->noise);
  }
  if (gaussian != nullptr) {
    request.sensitivity = gaussian->sensitivity;
    return vector_sensitivity(request);
  }
  const auto* laplace = std::get_if<LaplaceStep>(&step.mechanism);
  if (laplace == nullptr || step.moves == 1) return std::nullopt;
  request.kind = CalibratedKind::kLaplace;
  request.sensitivity = laplace->sensitivity;
  return vector_sensitivity(request);
}

namespace {

// By a sum over the integers; the weight of one is at most that of those nearer to 0.
AnswerError integer_error(const std::function<double(double)>& weight) {
  double sum = 0.0, squares = 0.0;
  std::vector<double> masses;
  for (double k = 0.0; masses.empty() || masses.back() > 1e-17 * masses.front(); ++k) {
    masses.push_back((k == 0.0 ? 1.0 : 2.0) * weight(k));
    sum += masses.back();
    squares += k * k * masses.back();
  }
  double within = 0.0;
  std::size_t half_width = 0;
  while ((within += masses[half_width]) < 0.95 * sum && half_width + 1 < masses.size())
    ++half_width;
  return {std::sqrt(squares / sum), static_cast<double>(half_width)};
}

AnswerError error_of(const GaussianStep& noise) {
  constexpr double kNormal95 = 1.959963984540054;  // Phi^-1(0.975)
  return {noise.sigma, kNormal95 * noise.sigma};
}
AnswerError error_of(const LaplaceStep& noise) {
  constexpr double kLaplace95 = 2.995732273553991;  // log 20
  return {std::sqrt(2.0) * noise.scale, kLaplace95 * noise.scale};
}
AnswerError error_of(const DiscreteGaussianStep& noise) {
  return integer_error(
      [&](double k) { return portable_exp(-0.5 * (k / noise.sigma) * (k / noise.sigma)); });
}
AnswerError error_of(const DiscreteLaplaceStep& noise) {
  return integer_error([&](double k) { return portable_exp(-k / noise.scale); });
}

}  // namespace

std::optional<AnswerError> answer_error(const StepMechanism& step) {
  return std::visit(
      []<class Step>(const Step& s) -> std::optional<AnswerError> {
        if constexpr (std::is_same_v<Step, SampledStep>) {
          return std::visit(
              []<class Noise>(const Noise& noise) { return answer_error(StepMechanism(noise)); },
              s.noise);
        } else if constexpr (requires { error_of(s); }) {
          return error_of(s);
        } else {
          return std::nullopt;
        }
      },
      step);
}

std::optional<AnswerError> answer_error(const CalibrationReport& report) {
  const CalibrationRequest& request = report.request;
  const bool releases_numbers = request.kind == CalibratedKind::kPeeling
                                    ? request.releases_values
                                    : request.kind != CalibratedKind::kNoisyMax;
  if (!releases_numbers) return std::nullopt;
  const double scale = report.calibration.scale;
  if (request.kind == CalibratedKind::kRandomizedResponse) return std::nullopt;
  if (request.kind == CalibratedKind::kDiscreteGaussian) {
    return error_of(DiscreteGaussianStep{scale});
  }
  if (request.kind == CalibratedKind::kDiscreteLaplace) return error_of(DiscreteLaplaceStep{scale});
  if (noise_of(request) == MaxNoise::kGaussian) return error_of(GaussianStep{scale});
  return error_of(LaplaceStep{scale});
}

namespace {

// "0.1,0.2,0.3, ... 1,001 numbers".
std::string shortened(const std::string& value) {
  constexpr std::int64_t kMostNumbers = 12;
  constexpr int kShown = 3;
  const std::int64_t numbers = std::count(value.begin(), value.end(), ',') + 1;
  if (numbers <= kMostNumbers) return value;
  std::size_t end = 0;
  for (int i = 0; i < kShown; ++i) end = value.find(',', end) + 1;
  return value.substr(0, end) + " ... " + grouped(numbers) + " numbers";
}

}  // namespace

std::vector<std::string> chain_lines(const AccountReport& report) {
  constexpr std::size_t kMostLines = 24;
  std::vector<std::string> lines;
  for (const ChainStep& step : report.chain) {
    if (lines.size() == kMostLines && report.chain.size() > kMostLines + 1) {
      lines.push_back("... and " +
                      grouped(static_cast<std::int64_t>(report.chain.size() - kMostLines)) +
                      " more steps, which JSON has");
      break;
    }
    lines.push_back(chain_text(step));
  }
  return lines;
}

std::string chain_text(const ChainStep& step) {
  const auto vector = vector_sensitivity(step);
  std::string text = step_name(step.mechanism);
  for (const auto& [key, value] : step_parameters(step.mechanism)) {
    text += ", ";
    if (key == "sensitivity" && vector && step.moves == 1) text += std::string(vector->norm) + " ";
    text += key + " " + shortened(value);
  }
  if (step.moves > 1) {
    text += ", " + grouped(step.moves) + " answers moved";
    if (vector) {
      text += " (" + std::string(vector->norm) + " sensitivity " + rounded(vector->value, 6) + ")";
    }
  }
  if (step.group > 1) text += ", group " + grouped(step.group);
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

RateBand rate_of(const TradeOffBand& point) {
  const auto beyond = [](double type_two, double towards) {
    return std::clamp(std::nextafter(1.0 - type_two, towards), 0.0, 1.0);
  };
  return {point.type_one, beyond(point.upper, 0.0), beyond(point.lower, 1.0)};
}

namespace {

using detail::Paint;
using doc::Document;
using doc::Facts;
using doc::kPage;
using doc::kTerminal;
using doc::only_in;

constexpr double kLeastDelta = 1e-12;
constexpr std::size_t kTableRows = 13;  // of a curve's numbers

constexpr Style kUpper{Colour::kBlue, Dash::kSolid, Marker::kNone, 2.0, 0.0};
constexpr Style kLower{Colour::kVermillion, Dash::kDashed, Marker::kNone, 1.6, 0.0};
constexpr Style kBetween{Colour::kSkyBlue, Dash::kSolid, Marker::kNone, 0.6, 0.35};
constexpr Style kAnswer{Colour::kBlack, Dash::kSolid, Marker::kDiamond, 1.9, 0.0};
constexpr Style kChance{Colour::kGrey, Dash::kDotted, Marker::kNone, 1.4, 0.0};

// ---- figures ------------------------------------------------------------------------------------

// The points that were asked for. Those without a finite bound are not drawn.
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
  // A little farther than the last answer, whose mark would lie on the frame.
  const auto answers = answers_of(report);
  const double last =
      answers.x.empty() ? 0.0 : *std::max_element(answers.x.begin(), answers.x.end());
  panel.x.high = std::max(eps.back(), 1.05 * last);
  panel.y = {"\xCE\xB4", Scale::kLog, kLeastDelta, 1.0};
  if (curves.two_sided) panel.series.push_back(Series::band("", eps, lower, upper, kBetween));
  panel.series.push_back(Series::line("at most", eps, upper, kUpper));
  if (curves.two_sided) panel.series.push_back(Series::line("at least", eps, lower, kLower));
  panel.series.push_back(answers);
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
  panel.series.push_back(Series::line("at least", x, lower, kUpper));
  if (curves.two_sided) panel.series.push_back(Series::line("at most", x, upper, kLower));
  panel.series.push_back(Series::line("no privacy loss", {0.0, 1.0}, {1.0, 0.0}, kChance));
  figure.panels.push_back(panel);
  return figure;
}

// About kTableRows of the points, evenly spaced.
template <class T>
std::vector<T> thinned(const std::vector<T>& points) {
  std::vector<T> few;
  const std::size_t stride = std::max<std::size_t>(1, (points.size() - 1) / (kTableRows - 1));
  for (std::size_t i = 0; i < points.size(); i += stride) few.push_back(points[i]);
  return few;
}

void add_curves(const AccountReport& report, Document& document) {
  document.heading("Profile and trade-off", "", 2, kPage);
  if (!report.curves || report.curves->profile.empty()) {
    return document.paragraph("No profile: no finite eps is known at any delta down to 1e-9.",
                              kPage);
  }
  const AccountCurves& curves = *report.curves;
  const bool is_exact = std::all_of(report.answers.begin(), report.answers.end(),
                                    [](const AccountAnswer& answer) { return answer.is_exact; });
  const std::string sides =
      curves.two_sided
          ? std::string("The true value lies between the two lines") +
                (is_exact ? ", with numerical error carried outward."
                          : ": one is above all data sets, the other is of explicit ones.")
          : "The line is only an upper bound on delta, because no pair dominates the chain.";
  const Document profile(doc::Drawn{
      profile_figure(report),
      "\xCE\xB4 as a function of \xCE\xB5. " + sides + " Below 1e-12 nothing is drawn."});
  const Document trade_off(doc::Drawn{
      trade_off_figure(report),
      "The smallest type II error of a test between neighbours, as a function of its type I error. "
      "It holds for both orders of the neighbours."});
  document.beside({profile, trade_off});
  doc::Table rates{"True-positive rate of the best test for one record, between certified bounds",
                   {{"false-positive rate"}, {"at least"}, {"at most"}}};
  for (const TradeOffBand& point : curves.rates) {
    const RateBand rate = rate_of(point);
    rates.add({number_text(rate.false_positive),
               curves.two_sided ? rounded_down(rate.lower, 4) : "", rounded_up(rate.upper, 4)});
  }
  document.add(rates);
  doc::Table numbers{"delta between certified bounds", {{"eps"}, {"at least"}, {"at most"}}};
  for (const ProfileBand& p : thinned(curves.profile)) {
    numbers.add({rounded(p.epsilon, 5), curves.two_sided ? rounded_down(p.lower, 5) : "",
                 rounded_up(p.upper, 5)});
  }
  document.folded("Numbers of the profile", numbers);
  doc::Table errors{"type II error of the best test, between certified bounds",
                    {{"type I error"}, {"at least"}, {"at most"}}};
  for (const TradeOffBand& p : thinned(curves.trade_off)) {
    errors.add({rounded(p.type_one, 5), rounded_down(p.lower, 5),
                curves.two_sided ? rounded_up(p.upper, 5) : ""});
  }
  document.folded("Numbers of the trade-off curve", errors);
}

// ---- reports ------------------------------------------------------------------------------------

std::string certified_text(const AccountAnswer& answer, const std::string& quantity) {
  if (!std::isfinite(answer.upper)) {
    const bool is_infinite = answer.lower && std::isinf(*answer.lower);
    return quantity + (is_infinite ? " is infinite: " : " is infinite or cannot be bounded: ") +
           answer.why_infinite;
  }
  if (!answer.lower) {
    return quantity + " is at most " + rounded_up(answer.upper, 6) +
           "; there is no lower bound, because no pair dominates the chain";
  }
  const IntervalText text = interval_text(*answer.lower, answer.upper);
  if (!answer.is_exact) {
    return quantity + " is at most " + text.upper + " for all data sets, and at least " +
           text.lower + " for some; they have different sources, and their gap is no accuracy";
  }
  return quantity + " is at least " + text.lower + ", at most " + text.upper + "; the gap, " +
         text.gap + ", is the accuracy";
}

// What each kind of step costs: how much less the rest costs.
void add_without(const AccountReport& report, const AccountAnswer& answer, Document& document) {
  if (answer.without.empty()) return;
  const std::string quantity = answer.target.asks_epsilon() ? "eps" : "delta";
  doc::Table table{"The same without one kind of step",
                   {{only_in(kTerminal, "without") + only_in(kPage, "left out"), false, 44},
                    {quantity + " at most", true, 12},
                    {"less by", true, 8}}};
  table.indent = 2;
  for (const WithoutStep& one : answer.without) {
    const bool is_rated = std::isfinite(answer.upper) && answer.upper > 0.0;
    const double share = std::max(0.0, 1.0 - one.upper / answer.upper);
    const std::string& label = report.chain[one.step].label;
    table.add({"step " + std::to_string(one.step + 1) + ", " +
                   (label.empty() ? step_name(report.chain[one.step].mechanism) : label),
               std::isfinite(one.upper) ? rounded_up(one.upper, 6) : "inf",
               is_rated ? rounded(100.0 * share, 3) + "%" : ""});
  }
  document.add_close(table);
}

void add_answer(const AccountReport& report, const AccountAnswer& answer, Document& document) {
  const std::string quantity = answer.target.asks_epsilon() ? "eps" : "delta";
  document.heading(target_text(answer.target));
  Facts facts{2, Paint::kDim};
  facts.add("certified", certified_text(answer, quantity));
  if (!answer.worse_order.empty()) {
    facts.add("worse", answer.worse_order == "remove" ? "a record removed" : "a record added");
  }
  facts.add("by", answer.route);
  if (answer.closed) {
    const IntervalText closed = interval_text(answer.closed->lower, answer.closed->upper);
    facts.add("closed form", closed.lower + " to " + closed.upper + ", " + answer.closed->source);
  }
  document.add(facts);
  doc::Table table{
      "Other accountings of the same chain, the tightest first",
      {{only_in(kTerminal, "other accountings") + only_in(kPage, "accounting"), false, 28},
       {quantity + " at most", true, 12},
       {"ratio", true, 7},
       {"theorem, or why not", false, 0, kPage}}};
  table.indent = 2;
  for (const OtherAccounting& other : answer.others) {
    if (!other.upper) {
      table.add({other.name, "- (" + other.why_not + ")"}, kTerminal);
      table.add({other.name, "", "", other.why_not}, kPage);
      continue;
    }
    const bool rated = std::isfinite(answer.upper) && answer.upper > 0.0;
    table.add({other.name, rounded_up(*other.upper, 6),
               rated ? rounded(*other.upper / answer.upper, 4) : "", other.source});
  }
  document.add_close(table);
  add_without(report, answer, document);
}

// The certified numbers, on a page. The first is the largest thing on it.
doc::Tiles tiles_of(const AccountReport& report) {
  constexpr std::size_t kMostTiles = 4;
  constexpr int kDigits = 6;
  doc::Tiles tiles;
  for (const AccountAnswer& answer : report.answers) {
    if (tiles.tiles.size() == kMostTiles) break;
    const bool is_finite = std::isfinite(answer.upper);
    const std::string value = is_finite ? "<= " + rounded_up(answer.upper, kDigits) : "unbounded";
    const std::string caption = !is_finite ? "no finite bound is known"
                                : answer.lower
                                    ? "and at least " + rounded_down(*answer.lower, kDigits)
                                    : "an upper bound; there is no lower bound";
    tiles.tiles.push_back({target_text(answer.target), value, caption,
                           is_finite ? doc::Tone::kNeutral : doc::Tone::kBad, tiles.tiles.empty()});
  }
  return tiles;
}

Document document_of(const AccountReport& report) {
  Document document;
  const std::string title =
      "Account of " +
      (report.source.empty() ? step_name(report.chain.front().mechanism) : report.source);
  document.title = title + " \xE2\x80\x93 Assay";
  document.footer = doc::run_footer(report.meta);
  document.heading(doc::exact(title), "", 1, kPage);
  document.add(tiles_of(report), kPage);
  Facts facts;
  facts.add("Chain", doc::exact(report.source));
  const auto lines = chain_lines(report);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_step = i + 1 < lines.size() || lines.size() == report.chain.size();
    facts.add(report.chain.size() == 1 ? "Releases"
              : is_step                ? "Step " + std::to_string(i + 1)
                                       : "",
              lines[i]);
  }
  if (report.kinds < std::ssize(report.chain)) {
    facts.add("Kinds", grouped(report.kinds) + " different among " +
                           grouped(std::ssize(report.chain)) +
                           " steps; equal steps are composed as one");
  }
  facts.add("Neighbours", report.relation);
  if (!report.view.empty()) facts.add("Adversary", "sees " + report.view);
  document.add(facts);
  for (const AccountAnswer& answer : report.answers) add_answer(report, answer, document);
  add_curves(report, document);
  constexpr std::size_t kLongestCommand = 2000;  // characters that a reader copies
  if (report.reproduce.size() <= kLongestCommand) {
    document.reproduce(report.reproduce);
  } else {
    document.paragraph("The command that reproduces this has " +
                       grouped(std::ssize(report.reproduce)) +
                       " characters: JSON has all of it. Long lists are better kept in a chain "
                       "file: assay account chain.toml");
  }
  return document;
}

// What the conversion of the relation, or to a group, costs.
std::string price_of(const ConversionLine& line) {
  if (!line.upper || !line.original || *line.original <= 0.0) return "";
  return "   (price: times " + rounded(*line.upper / *line.original, 4) + ")";
}

Document document_of(const ConversionReport& report) {
  const ConversionTable& table = report.table;
  Document document;
  Facts facts;
  facts.add("Level", to_string(table.given));
  const std::string implied = table.level.empty() ? "" : ": " + table.level;
  if (table.replaces) {
    facts.add("Relation", "from add-or-remove to replace-one, to remove a record and add another" +
                              (table.group > 1 ? "" : implied));
  }
  if (table.group > 1) facts.add("Group", grouped(table.group) + " records" + implied);
  document.add(facts);
  document.heading("It implies these upper bounds");
  doc::Table levels{"", {{"", false, 32}, {"", false}}};
  levels.indent = 2;
  for (const ConversionLine& line : table.lines) {
    const std::string bound =
        line.upper ? line.quantity + " <= " + rounded_up(*line.upper, 9) : "-";
    levels.rows.push_back({{line.to, bound + price_of(line)},
                           {{"      ", line.upper ? "by " + line.source : line.why_not}}});
  }
  document.add(levels);
  document.reproduce(report.reproduce);
  return document;
}

// The parameter that the scale is, and the distribution of the noise.
std::string scale_text(const CalibrationRequest& request) {
  if (request.kind == CalibratedKind::kDiscreteGaussian) {
    return "the sigma of Gaussian noise on integers, of weights e^(-k^2/(2 sigma^2))";
  }
  if (request.kind == CalibratedKind::kRandomizedResponse) return "1/eps of each response";
  switch (noise_of(request)) {
    case MaxNoise::kGaussian:
      return "the standard deviation sigma of Gaussian noise on real numbers";
    case MaxNoise::kLaplace:
      return "the scale b of Laplace noise";
    case MaxNoise::kExponential:
      return "the mean of exponential noise";
    case MaxNoise::kGumbel:
      return "the scale b of Gumbel noise";
    case MaxNoise::kDiscreteLaplace:
      break;
  }
  return "the scale b of Laplace noise on integers";
}

// The distance that the sensitivity is, in words.
std::string sensitivity_text(const CalibrationRequest& request) {
  const std::string each = number_text(request.sensitivity);
  const auto vector = vector_sensitivity(request);
  if (!vector) return each + " for each answer";
  const std::string distance = " in " + std::string(vector->norm) + " distance";
  if (!request.moves) {
    return each + distance + "; if one record moves k answers by 1 each, it is " +
           (vector->norm == "L2" ? "sqrt(k)" : "k");
  }
  return rounded(vector->value, 6) + distance + ": one record moves " + grouped(*request.moves) +
         " " + plural(*request.moves, "answer") + " by at most " + each +
         (*request.moves > 1 ? " each" : "");
}

// The level of each release of noisy max without Gaussian noise, for which the certificate gives the formula.
std::string level_of_release(const CalibrationReport& report) {
  const CalibrationRequest& request = report.request;
  if (request.kind == CalibratedKind::kRandomizedResponse) {
    return rounded_down(1.0 / report.calibration.scale, 9) + "-DP";
  }
  if (request.kind != CalibratedKind::kNoisyMax || request.noise == MaxNoise::kGaussian) return "";
  double shift = (request.monotone ? 1.0 : 2.0) * request.sensitivity;
  if (request.noise == MaxNoise::kDiscreteLaplace) shift = std::ceil(shift);
  return rounded_up(shift / report.calibration.scale, 5) + "-DP";
}

// With probability 95% noisy max chooses an answer at most so far below the largest. Another answer wins by t with at
// most the probability that the difference of two noises exceeds t, and n - 1 of these sum to 5%.
std::optional<double> gap_95(const CalibrationReport& report) {
  const CalibrationRequest& request = report.request;
  if (request.kind != CalibratedKind::kNoisyMax || request.answers < 2) return std::nullopt;
  const double share = 0.05 / static_cast<double>(request.answers - 1);
  const double scale = report.calibration.scale;
  switch (request.noise) {
    case MaxNoise::kGaussian:
      return std::sqrt(2.0) * scale * normal_ccdf_quantile(share);
    case MaxNoise::kExponential:  // the difference has Laplace noise
      return scale * portable_log(0.5 / share);
    case MaxNoise::kGumbel:  // and here a logistic distribution
      return scale * portable_log(1.0 / share - 1.0);
    case MaxNoise::kDiscreteLaplace:
      return std::nullopt;
    case MaxNoise::kLaplace:
      break;
  }
  double t = 0.0;  // (1 + t/2) e^-t / 2 = share, by a contraction
  for (int i = 0; i < 60; ++i) t = portable_log((1.0 + 0.5 * t) / (2.0 * share));
  return scale * t;
}

std::string error_text(const AnswerError& error, const char* of) {
  return std::string("of one ") + of + ": standard deviation " +
         rounded(error.standard_deviation, 4) + "; within " + rounded(error.half_width_95, 4) +
         " of the true value with probability 95%";
}

Document document_of(const CalibrationReport& report, const Solution& solution) {
  const SolvedParameter& solved = solution.solved;
  const auto number = [&](double value) {
    return solved.is_whole ? grouped(static_cast<std::int64_t>(value)) : number_text(value);
  };
  Document document;
  Facts asked, found;
  asked.add("Chain", chain_text(solution.chain[solution.step]));
  if (solution.chain.size() > 1) {
    const auto others = std::ssize(solution.chain) - 1;
    asked.add("",
              "and " + grouped(others) + " other " + plural(others, "step") + " of " + report.what);
  }
  asked.add("Neighbours", step_relation(solved.step.mechanism));
  asked.add("Target", "eps = " + number_text(report.request.target.epsilon.value) +
                          ", delta = " + number_text(report.request.target.delta.value));
  document.add(asked);
  found.add("Value", solution.parameter + " " + number(solved.value) + " is enough");
  const std::string private_side = solved.more_is_safer ? "smaller" : "larger";
  if (!solved.refuted) {
    found.add("", solved.achieved.lower
                      ? "no " + private_side + " value near it was shown to lose more"
                      : "there is no lower bound, because no pair dominates the chain");
  } else if (solved.monotone.empty()) {
    found.add("", number(*solved.refuted) + " is not enough; that this holds for every " +
                      private_side + " value is not proved");
  } else {
    const std::string end = solved.is_whole        ? number(*solved.refuted)
                            : solved.more_is_safer ? rounded_down(*solved.refuted, 8)
                                                   : rounded_up(*solved.refuted, 8);
    found.add("", "no value " + (solved.more_is_safer ? "up to " + end : "from " + end + " on") +
                      " is enough: " + solved.monotone);
  }
  const AccountAnswer& achieved = solved.achieved;
  found.add("Achieved",
            certified_text(achieved, target_text(achieved.target)) + ", by " + achieved.route);
  if (const auto error = answer_error(solved.step.mechanism)) {
    found.add("Error", error_text(*error, "answer"));
  }
  document.add(found);
  document.reproduce(report.reproduce);
  return document;
}

Document document_of(const CalibrationReport& report) {
  if (report.solution) return document_of(report, *report.solution);
  const CalibratedNoise& c = report.calibration;
  const std::string epsilon = number_text(report.request.target.epsilon.value);
  Document document;
  Facts asked, found;
  std::string parameters;
  const auto vector = vector_sensitivity(report.request);
  for (const auto& [key, value] : report.parameters) {
    const bool is_vector = key == "sensitivity" && vector && !report.request.moves;
    parameters += ", " + (is_vector ? std::string(vector->norm) + " " : "") + key + " " + value;
  }
  asked.add("Mechanism", report.what + parameters);
  asked.add("Sensitivity", sensitivity_text(report.request));
  asked.add("Target",
            "eps = " + epsilon + ", delta = " + number_text(report.request.target.delta.value));
  document.add(asked);
  found.add("Scale", number_text(c.scale) + ", " + scale_text(report.request));
  if (c.none_below) {
    found.add("",
              "by the argument below, no scale up to " + number_text(*c.none_below) + " suffices");
  }
  found.add("Certificate", c.certificate);
  const IntervalText delta =
      interval_text(c.achieved.lower.value.value, c.achieved.upper.value.value);
  found.add("Achieved", "delta at eps = " + epsilon + " is at least " + delta.lower + ", at most " +
                            delta.upper + ", by " + c.achieved_by);
  if (const auto error = answer_error(report)) {
    found.add("Error",
              error_text(*error, report.request.kind == CalibratedKind::kTree ? "node of the tree"
                                                                              : "answer"));
  }
  if (const auto level = level_of_release(report); !level.empty()) {
    found.add("Release", "each is " + level + ", by the formula of the certificate");
  }
  if (const auto gap = gap_95(report)) {
    found.add(
        "Error",
        fmt::format(
            "of the choice among {}: at most {} below the largest answer with probability 95%",
            grouped(report.request.answers), rounded_up(*gap, 4)));
  } else if (report.request.kind == CalibratedKind::kNoisyMax &&
             report.request.noise != MaxNoise::kDiscreteLaplace) {
    found.add("Error", "of the choice: --answers N says how far it may be below the largest of N");
  }
  document.add(found);
  document.reproduce(report.reproduce);
  return document;
}

}  // namespace

std::string to_text(const AccountReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_text(const ConversionReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_text(const CalibrationReport& report, TextStyle style) {
  return to_terminal(document_of(report), style);
}
std::string to_html(const AccountReport& report) { return to_page(document_of(report)); }

}  // namespace assay

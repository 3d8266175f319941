#include "assay/mechanisms/accounting/account/solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "assay/mechanisms/accounting/account/internal/composed_chain.hpp"
#include "assay/mechanisms/accounting/account/internal/selected_run.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

struct Solvable {
  std::string_view name;
  bool more_is_safer;
  bool is_whole;
  double start;
  double power;  // the cost as a mu of Gaussian DP goes about with this power of the value
};
constexpr Solvable kSolvable[] = {
    {"sigma", true, false, 1.0, -1.0},       {"scale", true, false, 1.0, -1.0},
    {"sensitivity", false, false, 1.0, 1.0}, {"distance", false, false, 1.0, 1.0},
    {"epsilon", false, false, 0.1, 1.0},     {"own_delta", false, false, 1e-9, 1.0},
    {"mu", false, false, 0.1, 1.0},          {"rho", false, false, 0.01, 0.5},
    {"sampling", false, false, 0.01, 1.0},   {"batch", false, true, 1.0, 1.0},
    {"records", true, true, 1000.0, -1.0},   {"batches", true, true, 64.0, -0.5},
    {"passes", false, true, 1.0, 0.5},       {"gamma", true, false, 0.1, -0.25},
    {"mean", false, false, 10.0, 0.25},      {"run_compose", false, true, 1.0, 0.5},
    {"compose", false, true, 1.0, 0.5},      {"moves", false, true, 1.0, 0.5}};

const Solvable* find_solvable(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSolvable), std::end(kSolvable),
                                   [&](const Solvable& one) { return one.name == name; });
  return found == std::end(kSolvable) ? nullptr : found;
}

// Why a value that (2) refutes refutes all less private ones; empty where that is not proved.
std::string monotone_argument(const StepMechanism& step, std::string_view name) {
  const std::string mechanism = step_name(step);
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return contains(names, mechanism);
  };
  if (name == "compose" || name == "moves" || name == "passes" || name == "run_compose") {
    return "fewer releases are a part of more";
  }
  if (const auto* search = std::get_if<RepeatAndSelectStep>(&step);
      search != nullptr && search->mechanism != nullptr) {
    return monotone_argument(search->mechanism->step().mechanism, name);
  }
  if ((name == "sigma" || name == "scale") &&
      is_one_of({GaussianStep::kName, LaplaceStep::kName, DiscreteLaplaceStep::kName})) {
    return "a release with more noise is one with less noise, with independent noise added";
  }
  if ((name == "sensitivity" || name == "distance") &&
      is_one_of({GaussianStep::kName, LaplaceStep::kName})) {
    return "records that move the answer less are among those that may move it more";
  }
  if (is_one_of({PureStep::kName, ApproximateStep::kName, GdpStep::kName, ZcdpStep::kName})) {
    if (name == "epsilon" || name == "own_delta" || name == "mu" || name == "rho") {
      return "a mechanism of a smaller level also has the larger one";
    }
  }
  if (name == "epsilon" && is_one_of({RandomizedResponseStep::kName})) {
    return "a response with a smaller eps is one with a larger eps, kept or replaced at random";
  }
  const auto* sampled = std::get_if<SampledStep>(&step);
  if (name == "sampling" && sampled != nullptr &&
      std::holds_alternative<PoissonSampler>(sampled->sampler) &&
      is_one_of({GaussianStep::kName, LaplaceStep::kName, DiscreteGaussianStep::kName,
                 DiscreteLaplaceStep::kName})) {
    return "a smaller sample is a larger one whose output is kept, or replaced by one without the record";
  }
  return "";
}

// The value to 8 digits, rounded to the private side.
double shortened_value(double value, bool up) {
  const double last = std::floor(portable_log(value) / portable_log(10.0)) - 7.0;
  if (last < -22.0 || last > 15.0) return value;
  double power = 1.0;  // exact
  for (double i = 0.0; i < std::fabs(last); ++i) power *= 10.0;
  const double units = last < 0.0 ? value * power : value / power;
  const double whole = up ? std::ceil(units) : std::floor(units);
  const double rounded = last < 0.0 ? whole / power : whole * power;
  return (up ? rounded >= value : rounded <= value) ? rounded : value;
}

class ParameterSearch {
 public:
  ParameterSearch(const OpenStep& open, std::span<const ChainStep> others,
                  const ApproximateDp& target, const RunControl& control)
      : open_(open), kind_(*find_solvable(open.open)), target_(target), control_(control) {
    chain_.assign(others.begin(), others.end());
    chain_.emplace_back();
    aim_ = size_of(target);
  }

  Result<SolvedParameter> run() {
    double start = open_.start.value_or(kind_.start);
    if (kind_.is_whole) start = std::max(1.0, std::round(start));
    const auto first = evaluate(start);
    if (!first) return tl::make_unexpected(first.error());
    ASSAY_TRY(bracket(*first));
    if (!safe_) {
      return fail(ErrorCode::kInvalidArgument,
                  "no value of " + open_.open + " that is allowed is enough: the " +
                      (kind_.more_is_safer ? "largest" : "smallest") + " tried is " +
                      number_text(unsafe_->value) +
                      (refusal_.empty() ? std::string() : "; beyond it, " + refusal_),
                  "/" + open_.open);
    }
    if (unsafe_) ASSAY_TRY(narrow());
    if (unsafe_) ASSAY_TRY(shorten_and_refute());
    SolvedParameter solved{safe_->value, refuted_,    kind_.is_whole, kind_.more_is_safer,
                           {},           safe_->step, safe_->answer};
    if (refuted_) solved.monotone = monotone_argument(safe_->step.mechanism, open_.open);
    return solved;
  }

 private:
  struct Point {
    double value = 0.0;
    double size = 0.0;  // log of the cost as a mu, or as an eps
    ChainStep step;
    AccountAnswer answer;
  };

  // The mu of Gaussian DP with this cost, as a logarithm: it goes about with a power of the value.
  double size_of(const ApproximateDp& cost) const {
    if (cost.epsilon.value <= 0.0 || (cost.delta.value == 0.0 && target_.delta.value > 0.0)) {
      return -kInfinity;
    }
    if (!std::isfinite(cost.epsilon.value) || cost.delta.value >= 1.0) return kInfinity;
    if (target_.delta.value == 0.0) return portable_log(cost.epsilon.value);
    const auto sigma = gaussian_scale(cost, 1.0);
    return sigma ? -portable_log(sigma->value.value) : kInfinity;
  }

  Result<ChainStep> step_at(double value) const {
    ChainStep step{{}, open_.count, open_.label, open_.moves};
    auto parameters = open_.parameters;
    if (open_.open == "compose") {
      step.count = static_cast<std::int64_t>(value);
    } else if (open_.open == "moves") {
      step.moves = static_cast<std::int64_t>(value);
    } else {
      parameters.push_back({open_.open, kind_.is_whole
                                            ? std::to_string(static_cast<std::int64_t>(value))
                                            : number_text(value)});
    }
    step.group = ASSAY_TRY(take_group(open_.mechanism, parameters));
    step.mechanism = ASSAY_TRY(make_step(open_.mechanism, parameters));
    return step;
  }

  // Evaluates the chain at a value, and moves the ends.
  Result<Point> evaluate(double value) {
    if (control_.interrupted()) return fail(ErrorCode::kInterrupted, "interrupted");
    auto step = ASSAY_TRY(step_at(value));
    chain_.back() = step;
    // Far from the aim an eps is found sooner, near it a delta more closely.
    using Asked = AccountTarget::Asked;
    const double eps = target_.epsilon.value, delta = target_.delta.value;
    const bool by_delta = is_near_ && delta > 0.0;
    const AccountTarget target = by_delta ? AccountTarget{Asked::kDeltaAtEpsilon, eps}
                                          : AccountTarget{Asked::kEpsilonAtDelta, delta};
    const double width = by_delta ? (chain_.size() == 1 ? 1.0 : 10.0) * kDeltaWidth : kCoarse * eps;
    auto answer = ASSAY_TRY(certified_cost(chain_, target, width, delta, control_));
    const double asked = by_delta ? delta : eps;
    const ApproximateDp cost{Epsilon{by_delta ? eps : answer.upper},
                             Delta{by_delta ? answer.upper : delta}};
    Point point{value, size_of(cost), std::move(step), std::move(answer)};
    const bool is_enough = point.answer.upper <= asked;
    if (point.answer.lower.value_or(0.0) > asked && (!refuted_ || is_safer(value, *refuted_))) {
      refuted_ = value;
    }
    if (is_enough && (!safe_ || is_safer(safe_->value, value))) safe_ = point;
    if (!is_enough && (!unsafe_ || is_safer(value, unsafe_->value))) unsafe_ = point;
    return point;
  }
  bool is_safer(double a, double b) const { return kind_.more_is_safer ? a > b : a < b; }

  // Steps from the first point until there is one on each side, or no more values are allowed.
  Status bracket(const Point& first) {
    constexpr double kFarthest = 4.0;  // in log(value), of one step
    Point last = first;
    double least = kind_.is_whole ? portable_log(1.5) : 0.02;
    for (int i = 0; i < 80 && (!safe_ || !unsafe_); ++i) {
      const bool to_safer = !safe_;
      double length = std::isfinite(last.size)
                          ? std::fabs((last.size - aim_) / kind_.power) * 1.05 + least
                          : 2.0;
      length = std::min(length, kFarthest);
      least *= 2.0;
      const double sign = to_safer == kind_.more_is_safer ? 1.0 : -1.0;
      const auto next = step_towards(last.value, sign, length);
      if (!next) return tl::make_unexpected(next.error());
      if (!*next) return {};  // no more values
      last = **next;
    }
    return {};
  }

  // The point that far away, or nearer where that is not allowed; none if there is none.
  Result<std::optional<Point>> step_towards(double from, double sign, double length) {
    for (int i = 0; i < 40; ++i, length *= 0.5) {
      double value = from * portable_exp(sign * length);
      if (kind_.is_whole) {
        value = std::clamp(std::round(value), 1.0, static_cast<double>(kMostReleases));
        if (value == from) value += sign;
        if (value < 1.0) break;
      }
      auto point = evaluate(value);
      if (point) return std::optional<Point>(std::move(*point));
      if (detail::is_interrupted(point.error())) return tl::make_unexpected(point.error());
      refusal_ = point.error().message;
      if (kind_.is_whole && std::fabs(value - from) <= 1.0) break;
    }
    return std::optional<Point>();
  }

  bool is_narrow() const {
    const double gap = std::fabs(safe_->value - unsafe_->value);
    return kind_.is_whole ? gap <= 1.0 : gap <= kNarrow * safe_->value;
  }

  // By interpolation in the sizes, which are about linear in log(value): a little to the safe side, then a little to
  // the other.
  Status narrow() {
    for (int i = 0; i < 60 && !is_narrow(); ++i) {
      const double from = portable_log(safe_->value), to = portable_log(unsafe_->value);
      double share = 0.5;
      if (i % 6 != 5 && std::isfinite(safe_->size) && std::isfinite(unsafe_->size) &&
          unsafe_->size > safe_->size) {
        share = (aim_ - safe_->size) / (unsafe_->size - safe_->size);
        const double nudge = std::max(0.02, std::min(0.4, 0.3 * kNarrow / std::fabs(to - from)));
        share = std::clamp(share + (i % 2 == 0 ? -nudge : nudge), 0.01, 0.99);
      }
      double value = portable_exp(from + share * (to - from));
      const auto [least, most] = std::minmax(safe_->value, unsafe_->value);
      if (kind_.is_whole) value = std::clamp(std::round(value), least + 1.0, most - 1.0);
      is_near_ = most - least <= 0.02 * most;
      if (value <= least || value >= most) break;
      ASSAY_TRY(evaluate(value));
    }
    return {};
  }

  Status shorten_and_refute() {
    is_near_ = true;
    // Afresh, near the aim, and with few digits.
    const Point exact = *safe_;
    safe_.reset();
    const double shown =
        kind_.is_whole ? exact.value : shortened_value(exact.value, kind_.more_is_safer);
    ASSAY_TRY(try_value(shown));
    if (!safe_) ASSAY_TRY(try_value(exact.value));
    if (!safe_) safe_ = exact;
    const double near = kind_.is_whole ? 0.01 * safe_->value + 2.0 : 2e-3 * safe_->value;
    double step = kind_.is_whole ? 1.0 : 2.0 * kNarrow * safe_->value;
    for (; step <= near; step *= 4.0) {
      if (refuted_ && std::fabs(*refuted_ - safe_->value) <= step) return {};
      if (!ASSAY_TRY(try_value(safe_->value + (kind_.more_is_safer ? -step : step)))) break;
    }
    const bool is_close = refuted_ && std::fabs(*refuted_ - safe_->value) <= near;
    if (is_close || !safe_->answer.lower) return {};
    return refute_between_pairs();
  }

  // Far from the safe value, where the two bounds are of different pairs.
  Status refute_between_pairs() {
    is_near_ = false;
    double length = 0.1;
    for (int i = 0; i < 5 && !refuted_; ++i, length *= 2.0) {
      double value = safe_->value * portable_exp(kind_.more_is_safer ? -length : length);
      if (kind_.is_whole) value = std::max(1.0, std::round(value));
      if (!ASSAY_TRY(try_value(value))) break;
    }
    double open = safe_->value;  // not refuted
    for (int i = 0; i < 8 && refuted_; ++i) {
      double value = std::sqrt(open) * std::sqrt(*refuted_);
      if (kind_.is_whole) value = std::round(value);
      if (value == open || value == *refuted_) break;
      if (!ASSAY_TRY(try_value(value))) break;
      if (*refuted_ != value) open = value;
    }
    return {};
  }

  // Whether the value is allowed and was evaluated.
  Result<bool> try_value(double value) {
    const auto point = evaluate(value);
    if (!point && detail::is_interrupted(point.error())) {
      return tl::make_unexpected(point.error());
    }
    return point.has_value();
  }

  static constexpr double kNarrow = 2e-6;
  static constexpr double kCoarse = 1e-4;      // of eps, relative to the target's
  static constexpr double kDeltaWidth = 1e-4;  // relative, of one kind of step

  OpenStep open_;
  const Solvable& kind_;
  ApproximateDp target_;
  const RunControl& control_;
  std::vector<ChainStep> chain_;
  double aim_ = 0.0;
  bool is_near_ = false;
  std::optional<Point> safe_, unsafe_;
  std::optional<double> refuted_;
  std::string refusal_;
};

}  // namespace

std::vector<std::string> solvable_parameters(const std::string& mechanism,
                                             std::span<const KeyValue> parameters) {
  const auto value_of = [&](std::string_view key) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const KeyValue& one) { return one.key == key; });
    return found == parameters.end() ? std::string() : found->value;
  };
  const std::string sampler = value_of("sampler"), run = value_of("run");
  std::vector<std::string> names;
  const auto add = [&](const std::vector<StepDescription>& all, std::string_view name) {
    for (const auto& one : all) {
      if (one.name != name) continue;
      for (const auto& parameter : one.parameters) {
        if (find_solvable(parameter.name) != nullptr) names.push_back(parameter.name);
      }
    }
  };
  const std::string releases = run.empty() ? mechanism : run;
  const bool is_short = releases == kSubsampledGaussian;
  add(step_descriptions(), is_short ? GaussianStep::kName : std::string_view(releases));
  if (!sampler.empty() || is_short) {
    add(sampler_descriptions(),
        sampler.empty() ? PoissonSampler::kName : std::string_view(sampler));
  }
  if (!run.empty()) names.insert(names.end(), {"gamma", "mean", "run_compose"});
  names.emplace_back("compose");
  if (run.empty() && sampler.empty() && !is_short) names.emplace_back("moves");
  return names;
}

Result<SolvedParameter> solve_parameter(const OpenStep& open, std::span<const ChainStep> others,
                                        const ApproximateDp& target, const RunControl& control) {
  ASSAY_TRY(detail::check_positive("epsilon", target.epsilon.value));
  ASSAY_TRY(detail::check_delta("delta", target.delta.value));
  const auto known = solvable_parameters(open.mechanism, open.parameters);
  if (!contains(known, open.open)) {
    return fail(
        ErrorCode::kUnknownKey,
        "'" + open.open + "' of " + open.mechanism + " cannot be solved for, only " + joined(known),
        "/solve");
  }
  return ParameterSearch(open, others, target, control).run();
}

}  // namespace assay

#include "assay/auditors/account/odometer.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <variant>

#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/filters.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/files.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostLines = 1'000'000;

// "gaussian sigma=20 compose=3"; nothing for a comment or an empty line.
Result<std::optional<ChainStep>> step_of_line(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string mechanism;
  if (!(words >> mechanism)) return std::nullopt;
  ChainStep step;
  std::vector<KeyValue> parameters;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kParse, "a parameter must be name=value, not '" + word + "'");
    }
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "label") {
      step.label = value;
    } else if (name == "compose" || name == "moves") {
      const auto count = parse_integer(value);
      if (!count || *count < 1 || *count > kMostReleases) {
        return fail(ErrorCode::kInvalidArgument,
                    name + " must be a whole number, 1 to 1000000000, not '" + value + "'");
      }
      (name == "compose" ? step.count : step.moves) = *count;
    } else {
      parameters.push_back({name, value});
    }
  }
  step.mechanism = ASSAY_TRY(make_step(mechanism, parameters));
  if (step.moves > 1 && !has_independent_noise(step.mechanism)) {
    return fail(ErrorCode::kInvalidArgument,
                "moves is for noise that each answer gets independently, not for " + mechanism);
  }
  if (step.moves > kMostReleases / step.count) {
    return fail(ErrorCode::kInvalidArgument, "moves times compose must be at most 1000000000");
  }
  return step;
}

double value_of(const PureDp& level) { return level.epsilon.value; }
double value_of(const ZeroConcentratedDp& level) { return level.rho.value; }
double value_of(const GaussianDp& level) { return level.mu.value; }

Known<PureDp> level_of(const StepMechanism& step, const PureDp&) { return step_pure(step); }
Known<ZeroConcentratedDp> level_of(const StepMechanism& step, const ZeroConcentratedDp&) {
  return step_zcdp(step);
}
Known<GaussianDp> level_of(const StepMechanism& step, const GaussianDp&) {
  return step_gaussian(step);
}

double left_of(const PureDp& budget, const PureDp& spent) {
  return (detail::Enclosure(budget.epsilon.value) - spent.epsilon.value).low;
}
double left_of(const ZeroConcentratedDp& budget, const ZeroConcentratedDp& spent) {
  return (detail::Enclosure(budget.rho.value) - spent.rho.value).low;
}
double left_of(const GaussianDp& budget, const GaussianDp& spent) {
  const detail::Enclosure all = budget.mu.value, used = spent.mu.value;
  const double squares = (all * all - used * used).low;
  return squares > 0.0 ? sqrt(detail::Enclosure(squares)).low : 0.0;
}

struct AnyOdometer {
  std::variant<PureOdometer, ConcentratedOdometer> of;

  Status record(const PureDp& level) { return std::get<PureOdometer>(of).record(level); }
  template <class Level>
  Status record(const Level& level) {
    return std::get<ConcentratedOdometer>(of).record(level);
  }
  double loss() const {
    return std::visit([](const auto& one) { return one.loss().value.value; }, of);
  }
};

using Numbered = std::pair<std::int64_t, ChainStep>;

// Spends the steps until one does not fit.
template <class Level>
Status spend(const Level& budget, const std::vector<Numbered>& steps, AnyOdometer odometer,
             OdometerReport& report) {
  auto filter = ASSAY_TRY(PrivacyFilter<Level>::create(budget));
  report.limit = value_of(budget);
  for (const auto& [number, step] : steps) {
    const auto at_line = [&, line = number](const std::string& message) {
      return fail(ErrorCode::kInvalidArgument, message, report.source, static_cast<long>(line));
    };
    const auto one = level_of(step.mechanism, budget);
    if (!one) return at_line(step_name(step.mechanism) + ": " + one.error().why);
    const auto whole = compose_repeated(*one, step.count * step.moves);
    if (!whole) return at_line(whole.error().message);
    OdometerLine line{number, step, value_of(*whole)};
    line.admitted = filter.spend(*whole).has_value();
    if (line.admitted) ASSAY_TRY(odometer.record(*whole));
    line.spent = value_of(filter.spent());
    line.left = std::max(0.0, left_of(budget, filter.spent()));
    line.loss_so_far = odometer.loss();
    report.lines.push_back(std::move(line));
    if (!report.lines.back().admitted) break;
  }
  return {};
}

Result<AnyOdometer> concentrated(const ApproximateDp& target, Rho expected) {
  return AnyOdometer{ASSAY_TRY(ConcentratedOdometer::create(target.delta, expected))};
}

Status spend_all(const std::vector<Numbered>& steps, OdometerReport& report) {
  if (report.level == FilterLevel::kPure) {
    return spend(PureDp{report.budget.epsilon}, steps, {PureOdometer{}}, report);
  }
  if (report.level == FilterLevel::kZcdp) {
    const auto budget = ASSAY_TRY(zcdp_budget(report.budget));
    const auto odometer = ASSAY_TRY(concentrated(report.budget, budget.rho));
    return spend(budget, steps, odometer, report);
  }
  const auto budget = ASSAY_TRY(gaussian_budget(report.budget));
  const double mu = budget.mu.value;
  const auto odometer = ASSAY_TRY(concentrated(report.budget, Rho{0.5 * mu * mu}));
  return spend(budget, steps, odometer, report);
}

Result<std::vector<Numbered>> read_steps(const std::string& path) {
  auto file = ASSAY_TRY(LineFile::open(path == "-" ? "/dev/stdin" : path));
  std::vector<Numbered> steps;
  std::string line;
  for (std::int64_t number = 1;; ++number) {
    const bool has_line = ASSAY_TRY(file.next(line));
    if (!has_line) break;
    auto step = step_of_line(line);
    if (!step) {
      return fail(step.error().code, step.error().message, path, static_cast<long>(number));
    }
    if (!*step) continue;
    if (steps.size() == kMostLines) {
      return fail(ErrorCode::kLimit, "more than 1000000 steps", path, static_cast<long>(number));
    }
    steps.emplace_back(number, std::move(**step));
  }
  return steps;
}

}  // namespace

void OdometerJob::fields(const VisitOption<OdometerJob>& visit) {
  using J = OdometerJob;
  visit(
      option(&J::file, {.name = "file",
                        .type = "FILE",
                        .help = "Spend the steps of this file, one per line; - reads the standard "
                                "input.",
                        .is_positional = true,
                        .is_required = true}));
  visit(option(&J::epsilon, {.name = "epsilon",
                             .type = "EPS",
                             .help = "All steps together may lose this eps.",
                             .group = OptionGroup::kClaim,
                             .is_required = true}));
  visit(option(&J::delta, {.name = "delta",
                           .type = "D",
                           .help = "And this delta. At 0 only pure steps can be spent.",
                           .group = OptionGroup::kClaim,
                           .shows_default = true}));
  visit(option(&J::level, {.name = "level",
                           .type = "LEVEL",
                           .help = "Add up the steps as this level, for the whole run.",
                           .group = OptionGroup::kClaim,
                           .default_text = "zcdp; pure at delta 0"}));
  visit_output(visit, {"text", "csv", "json"});
}

Result<PreparedJob<OdometerReport>> prepare(const OdometerJob& job) {
  ASSAY_TRY(check_options(job, {}, "an odometer"));
  OdometerReport report;
  report.source = job.file;
  report.budget = {Epsilon{job.epsilon}, Delta{job.delta}};
  report.level = job.level.value_or(job.delta > 0.0 ? FilterLevel::kZcdp : FilterLevel::kPure);
  if (!(job.epsilon > 0.0 && std::isfinite(job.epsilon))) {
    return fail(ErrorCode::kInvalidArgument,
                "--epsilon must be positive and finite, not " + number_text(job.epsilon));
  }
  const bool is_pure = report.level == FilterLevel::kPure;
  if (!(job.delta < 1.0 && (is_pure ? job.delta >= 0.0 : job.delta > 0.0))) {
    return fail(ErrorCode::kInvalidArgument, std::string("--delta must be ") +
                                                 (is_pure ? "in [0, 1)" : "in (0, 1)") + ", not " +
                                                 number_text(job.delta));
  }
  const auto steps = ASSAY_TRY(read_steps(job.file));
  auto spelled = job;
  spelled.level = report.level;
  report.reproduce =
      command_line("assay account odometer", spelled, {"file", "epsilon", "delta", "level"});
  return [report, steps](const Session& session) -> Result<OdometerReport> {
    OdometerReport done = report;
    ASSAY_TRY(spend_all(steps, done));
    done.meta = session.meta();
    return done;
  };
}

}  // namespace assay

#include "assay/auditors/regret/program_regret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/plugin_target.hpp"
#include "assay/policies/external/process_target.hpp"
#include "assay/policies/inputs/output_layout.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {
namespace {

template <class E>
constexpr bool kHasArms =
    !std::is_same_v<E, StochasticLosses> && !std::is_same_v<E, detail::ScoredDuels>;

std::span<const double> means_of(const AnyEnvironment& environment) {
  return std::visit([](const auto& one) { return one.means(); }, environment);
}

// ---- what fits

InputKind kind_in(RegretEnvironment environment) {
  if (environment == RegretEnvironment::kBernoulliLosses) return InputKind::kExperts;
  if (environment == RegretEnvironment::kScoredDuels) return InputKind::kDueling;
  return InputKind::kBandit;
}

// The kind that a best-arm target shares its environments with.
InputKind main_kind(InputKind kind) {
  return kind == InputKind::kBestArm ? InputKind::kBandit : kind;
}

Status check_kind(InputKind kind, RegretEnvironment environment) {
  std::vector<std::string> known, fitting;
  for (const auto& [one, name] : enum_names(RegretEnvironment{})) {
    if (kind_in(one) == main_kind(kind)) fitting.emplace_back(name);
  }
  if (fitting.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("kind must be bandit, best-arm, experts or dueling for a regret, not {}: "
                    "no environment here gives its inputs",
                    detail::value_text(kind)));
  }
  if (main_kind(kind) == kind_in(environment)) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("environment must be {} for kind {}, not {}", either(fitting),
                          detail::value_text(kind), detail::value_text(environment)));
}

Status check_rewards(const Domain& domain, const RegretSetting& setting,
                     const AnyEnvironment& environment) {
  bool whole = true;
  double low = 0.0, high = 1.0;
  if (const auto* arms = std::get_if<UniformArms>(&environment)) {
    whole = false;
    low = 1.0;
    high = 0.0;
    for (std::size_t i = 0; i < arms->means().size(); ++i) {
      const double least = arms->low(static_cast<int>(i));
      low = std::min(low, least);
      high = std::max(high, std::min(1.0, 2.0 * arms->means()[i] - least));
    }
  }
  if (std::holds_alternative<TruncatedExponentialArms>(environment)) whole = false;
  if (domain.contains(low) && domain.contains(high) && (whole || !domain.integers)) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("domain must contain the rewards of {}, {}, and {} does not",
                  detail::value_text(setting.environment),
                  whole ? "0 and 1" : number_text(low) + ":" + number_text(high), domain.text()));
}

// ---- tables of rewards, losses or outcomes

// The row of round t; moves `random` to the next round.
template <class E>
void fill_row(E& environment, std::int64_t t, std::int64_t arms, ReplayStream& random,
              std::span<double> row) {
  if constexpr (std::is_same_v<E, StochasticLosses>) {
    const auto losses = environment.feedback(t, 0, random);
    std::copy(losses.begin(), losses.end(), row.begin());
  } else {
    const ReplayStream before = random;  // the same random number for all
    for (int first = 0; first < arms; ++first) {
      if constexpr (kHasArms<E>) {
        random = before;
        row[static_cast<std::size_t>(first)] = environment.feedback(t, first, random);
      } else {
        for (int second = first + 1; second < arms; ++second) {
          random = before;
          const bool won = environment.feedback(t, Duel{first, second}, random);
          row[static_cast<std::size_t>(first * arms + second)] = won ? 1.0 : 0.0;
          row[static_cast<std::size_t>(second * arms + first)] = won ? 0.0 : 1.0;
        }
      }
    }
  }
}

// What each action would earn in each round; for a bandit it is not the input itself.
InputTable drawn_table(const RegretTable& table, ReplayStream random) {
  const InputShape& shape = table.shape;
  InputTable drawn = InputTable::zeros(
      shape.horizon, shape.traits().has_duels() ? shape.arms * shape.arms : shape.arms);
  std::visit(
      [&](auto environment) {
        for (std::int64_t t = 0; t < shape.horizon; ++t) {
          fill_row(environment, t, shape.arms, random, drawn.row(t));
        }
      },
      table.environment);
  return drawn;
}

// ---- runs

using Actions = std::vector<std::size_t>;

// In a duel both arms, one after the other; then the recommendation.
Actions actions_of(const RegretTable& table, std::span<const double> output) {
  Actions actions;
  for (const std::size_t entry : OutputLayout(table.shape).action_entries()) {
    actions.push_back(static_cast<std::size_t>(output[entry]));
  }
  return actions;
}

double regret_of(const RegretTable& table, const Actions& actions) {
  const auto means = means_of(table.environment);
  std::vector<std::int64_t> pulls(means.size(), 0);
  if (table.is_simple()) {
    pulls[actions.back()] = 1;
  } else {
    for (const std::size_t action : actions) ++pulls[action];
  }
  return pseudo_regret(pulls, means);
}

struct OneRun {
  std::uint64_t seed;
  std::int64_t executions = 0;
};

Result<Actions> execute(Target& target, const RegretTable& table, const InputTable& input,
                        OneRun& run) {
  ++run.executions;
  const auto batch = ASSAY_TRY(play_or_fail(target, input, std::span(&run.seed, 1)));
  return actions_of(table, batch.play(0));
}

// Solves (1) for the rewards x.
Result<Actions> execute_bandit(Target& target, const RegretTable& table, const InputTable& x,
                               OneRun& run) {
  const auto means = means_of(table.environment);
  const auto rounds = static_cast<std::size_t>(table.shape.horizon);
  const auto best = static_cast<std::size_t>(
      std::distance(means.begin(), std::max_element(means.begin(), means.end())));
  const auto earned = [&](std::size_t t, std::size_t action) {
    return x.row(static_cast<std::int64_t>(t))[action];
  };
  Actions chosen(rounds, best);
  std::size_t settled = 0;  // rounds whose action cannot change any more
  while (true) {
    std::vector<double> rewards(rounds);
    for (std::size_t t = 0; t < rounds; ++t) rewards[t] = earned(t, chosen[t]);
    auto now = ASSAY_TRY(execute(target, table, InputTable::column(rewards), run));
    for (std::size_t t = 0; t < settled; ++t) {
      if (now[t] == chosen[t]) continue;
      return fail(
          ErrorCode::kTarget,
          fmt::format(
              "with the same seed and the same rewards before it chose arm {} in round {}, and then "
              "arm {}. A regret needs a program whose choices follow from the seed and the rewards "
              "before: draw all random numbers from the seed, keep nothing from run to run, and do "
              "not look ahead",
              chosen[t], t + 1, now[t]));
    }
    std::size_t broken = settled;
    while (broken < rounds && earned(broken, now[broken]) == rewards[broken]) ++broken;
    chosen = std::move(now);
    if (broken == rounds && settled == rounds) return chosen;  // (1), and all choices were repeated
    settled = std::min(broken + 1, rounds);
  }
}

}  // namespace

Result<RegretTable> regret_table(InputShape shape, std::optional<InputKind> kind,
                                 const RegretSetting& setting) {
  shape.kind = kind.value_or(kind_in(setting.environment));
  ASSAY_TRY(check_kind(shape.kind, setting.environment));
  shape.arms = static_cast<std::int64_t>(setting.values.size());
  shape.horizon = setting.horizon;
  ASSAY_TRY(validate(shape));
  if (shape.arms * shape.horizon > kMostInputNumbers) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("horizon times the number of arms must be at most {}, not {}",
                            kMostInputNumbers, shape.arms * shape.horizon));
  }
  auto environment = ASSAY_TRY(environment_of(setting));
  RegretTable table{shape, std::move(environment)};
  if (table.shape.domain) {
    ASSAY_TRY(check_rewards(*table.shape.domain, setting, table.environment));
  }
  const auto means = means_of(table.environment);
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  const double choices =
      table.is_simple() ? 1.0
                        : static_cast<double>(table.shape.horizon * table.shape.traits().actions);
  table.most_regret = choices * (*high - *low);
  return table;
}

TargetRegrets play_regrets(Players& players, const RegretTable& table, std::uint64_t seed,
                           std::string_view purpose, std::int64_t first, std::int64_t end,
                           const RunControl& control) {
  TargetRegrets made;
  const auto count = static_cast<std::size_t>(end - first);
  const std::uint64_t environment = hash_purpose(kEnvironmentPurpose);
  // The regret of a run, and how often the program ran for it.
  using Run = std::pair<double, std::int64_t>;
  const auto ran =
      players.run(count, "runs", control, [&](Target& target, std::size_t at) -> Result<Run> {
        const std::int64_t i = first + static_cast<std::int64_t>(at);
        const auto drawn = drawn_table(
            table,
            ReplayStream({seed, environment, static_cast<std::uint64_t>(i), 1, Phase::kCertify}));
        OneRun run{play_seeds({seed, purpose}, i, 1).front()};
        const auto actions = table.shape.traits().is_stream()
                                 ? execute_bandit(target, table, drawn, run)
                                 : execute(target, table, drawn, run);
        const double regret = regret_of(table, ASSAY_TRY(actions));
        return Run(regret, run.executions);
      });
  made.error = ran.error;
  for (const auto& [regret, executions] : ran.values) {
    made.regrets.push_back(regret);
    made.executions += executions;
  }
  return made;
}

Result<std::unique_ptr<Target>> start(const RegretProgram& program, const RunControl& control) {
  ChildLimits limits = program.limits;
  limits.cancel = control.cancel;
  limits.deadline = control.deadline_here();
  const InputShape& shape = program.table.shape;
  if (program.command.empty()) {
    auto plugin = ASSAY_TRY(PluginTarget::load(program.word, shape, limits));
    return std::unique_ptr<Target>(std::move(plugin));
  }
  auto target = ASSAY_TRY(ProcessTarget::start({program.command, shape, limits}));
  return std::unique_ptr<Target>(std::move(target));
}

}  // namespace assay

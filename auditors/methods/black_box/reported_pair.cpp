#include "assay/auditors/methods/black_box/reported_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

template <class T>
T or_fault(Result<T> result) {
  if (!result) throw ReportedFault(std::move(result.error()));
  return std::move(*result);
}

std::string_view input_name(Side side) {
  return side == Side::kBase ? "the base input" : "the neighbouring input";
}

// Whether this path is one of those that are asked again.
bool is_chosen(Side side, std::span<const int> actions) {
  std::uint64_t hash = side == Side::kBase ? 17 : 29;
  for (const int action : actions) {
    hash = (hash ^ static_cast<std::uint64_t>(action)) * 0x9fb21c651e98df25u;
    hash ^= hash >> 29;
  }
  return hash % static_cast<std::uint64_t>(kPathsAskedAgain) == 0;
}

// Of an output in memory; the pair of a duel is one action.
std::vector<int> actions_of(const InputShape& shape, std::span<const double> output) {
  std::vector<int> actions;
  const bool is_duel = shape.kind == InputKind::kDueling;
  for (std::size_t i = 0; i < output.size(); i += is_duel ? 2 : 1) {
    const double action =
        is_duel ? output[i] * static_cast<double>(shape.arms) + output[i + 1] : output[i];
    actions.push_back(static_cast<int>(action));
  }
  return actions;
}

}  // namespace

ReportedPaths::ReportedPaths(std::unique_ptr<Target> first, const InputPair& pair,
                             std::uint64_t seed)
    : shape_(or_fault(path_shape(first->shape()))),
      inputs_{pair.base_input(), pair.neighbour_input()},
      seed_(seed),
      first_(std::move(first)) {
  first_->rest();  // it serves as the pattern of the others
}

std::unique_ptr<Target> ReportedPaths::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto target = std::move(idle_.back());
      idle_.pop_back();
      return target;
    }
  }
  return or_fault(first_->clone());
}

void ReportedPaths::give(std::unique_ptr<Target> target) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(target));
}

std::vector<double> ReportedPaths::ask_with(Target& target, Side side, std::span<const int> actions,
                                            std::int64_t from, std::uint64_t seed) {
  ++asked_;
  return or_fault(target.probabilities(inputs_[side == Side::kBase ? 0 : 1], seed, actions, from));
}

std::vector<double> ReportedPaths::ask(Side side, std::span<const int> actions, std::int64_t from) {
  auto target = take();
  auto values = ask_with(*target, side, actions, from, seed_);
  if (from == 0 && is_chosen(side, actions)) {
    ++asked_again_;
    compare(side, actions, from, values, ask_with(*target, side, actions, from, ~seed_));
  }
  give(std::move(target));
  return values;
}

std::vector<int> ReportedPaths::run(Side side, std::uint64_t seed) {
  auto target = take();
  ++runs_;
  const auto batch = or_fault(target->play(inputs_[side == Side::kBase ? 0 : 1], {{seed}}));
  if (!batch.failure.empty()) {
    throw ReportedFault(
        {ErrorCode::kTarget,
         "a run failed, and reported probabilities know no failure: " + batch.failure, "", 0},
        true);
  }
  give(std::move(target));
  return actions_of(first_->shape(), batch.play(0));
}

void ReportedPaths::compare(Side side, std::span<const int> actions, std::int64_t from,
                            std::span<const double> one, std::span<const double> other) const {
  const auto count = static_cast<std::size_t>(shape_.actions);
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (std::bit_cast<std::uint64_t>(one[i]) == std::bit_cast<std::uint64_t>(other[i])) continue;
    const auto round = static_cast<std::size_t>(from) + i / count;
    std::string path;
    for (std::size_t t = 0; t < std::min<std::size_t>(round, 20); ++t) {
      path += " " + std::to_string(actions[t]);
    }
    throw ReportedFault(
        {ErrorCode::kTarget,
         fmt::format(
             "the target reports different probabilities of the same round: action {} of round {} on {} has {} "
             "and, asked again with another seed, {}{}. A probability must depend on the input and on the "
             "earlier actions alone, as an average over all internal randomness",
             i % count, round + 1, input_name(side), number_text(one[i]), number_text(other[i]),
             path.empty() ? "" : ", both after the actions" + path + (round > 20 ? " ..." : "")),
         "", 0});
  }
}

void ReportedPaths::check_seeds(std::int64_t paths) {
  for (std::int64_t i = 0; i < paths; ++i) {
    const Side side = i % 2 == 0 ? Side::kBase : Side::kNeighbour;
    ReplayStream random(
        {seed_, hash_purpose("reported/paths"), static_cast<std::uint64_t>(i), 0, Phase::kCheck});
    // Half of the paths are of runs, which are likely, and half take any possible action.
    std::vector<int> actions;
    if (i % 4 < 2) {
      actions = run(side, random.next());
      actions.pop_back();
    } else {
      const auto count = static_cast<std::size_t>(shape_.actions);
      for (std::int64_t t = 0; t + 1 < shape_.rounds; ++t) {
        const auto row = ask(side, actions, t);
        std::vector<int> possible;
        for (std::size_t a = 0; a < count; ++a) {
          if (row[a] > 0.0) possible.push_back(static_cast<int>(a));
        }
        actions.push_back(possible[uniform_below(random, possible.size())]);
      }
    }
    auto target = take();
    const auto whole = ask_with(*target, side, actions, 0, random.next());
    compare(side, actions, 0, whole, ask_with(*target, side, actions, 0, random.next()));
    auto fresh = or_fault(first_->clone());
    const std::span<const int> cut(actions.data(), uniform_below(random, actions.size() + 1));
    compare(side, cut, 0, whole, ask_with(*fresh, side, cut, 0, random.next()));
    asked_again_ += 2;
    give(std::move(target));
  }
}

void ReportedPair::restart() {
  actions_.clear();
  run_.clear();
  is_over_ = false;
  for (Known& known : known_) known = {};
}

std::span<const double> ReportedPair::probabilities(Side side) const {
  Known& known = known_[side == Side::kBase ? 0 : 1];
  const auto count = static_cast<std::size_t>(paths_->shape().actions);
  const auto place = [&] { return static_cast<std::size_t>(round() - known.from) * count; };
  if (round() < known.from || place() >= known.values.size()) {
    if (is_over_) {  // no transcript gets here
      known = {round(), std::vector<double>(count, 1.0 / static_cast<double>(count))};
    } else if (!run_.empty()) {
      known = {0, paths_->ask(side, std::span(run_).first(run_.size() - 1), 0)};
    } else {
      known = {round(), paths_->ask(side, actions_, round())};
    }
    for (std::size_t first = 0; first < known.values.size(); first += count) {
      const auto row = std::span(known.values).subspan(first, count);
      double sum = 0.0;
      for (const double p : row) sum += p;
      if (sum == 1.0) continue;
      for (double& p : row) p /= sum;
    }
  }
  return std::span(known.values).subspan(place(), count);
}

std::pair<double, double> ReportedPair::of_action(std::size_t action) const {
  const double p = probabilities(Side::kBase)[action];
  const double q = probabilities(Side::kNeighbour)[action];
  if ((p > 0.0) == (q > 0.0)) return {p, q};
  throw ReportedFault(
      {ErrorCode::kTarget,
       fmt::format(
           "in round {} the target reports probability {} of action {} on {}, and 0 on the other input: no "
           "likelihood bounds the loss of an action that one input never gives",
           round() + 1, number_text(std::max(p, q)), action,
           input_name(p > 0.0 ? Side::kBase : Side::kNeighbour)),
       "", 0},
      true);
}

bool ReportedPair::forced() const {
  int possible = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(action_count()); ++a) {
    possible += of_action(a).first > 0.0 ? 1 : 0;
  }
  return possible == 1;
}

int ReportedPair::draw(Side side, ReplayStream& random) {
  if (actions_.empty() && run_.empty()) {
    run_ = paths_->run(side, random.next());
    for (Known& known : known_) known = {};
  }
  if (!run_.empty()) {
    const int action = run_[actions_.size()];
    if (probabilities(side)[static_cast<std::size_t>(action)] > 0.0) return action;
    throw ReportedFault(
        {ErrorCode::kTarget,
         fmt::format(
             "the draws do not follow the reported probabilities: a run chose action {} in round {} on {}, to "
             "which the target reports probability 0",
             action, round() + 1, input_name(side)),
         "", 0},
        true);
  }
  const auto row = probabilities(side);
  const double u = random.uniform();
  double sum = 0.0;
  int last = 0;
  for (std::size_t a = 0; a < row.size(); ++a) {
    if (!(row[a] > 0.0)) continue;
    last = static_cast<int>(a);
    sum += row[a];
    if (u < sum) break;
  }
  return last;
}

PairLogProbability ReportedPair::log_probability(int action, ArgmaxPrecision) const {
  const auto [p, q] = of_action(static_cast<std::size_t>(action));
  const auto log = [](double x) { return x > 0.0 ? portable_log(x) : -kInfinity; };
  return {log(p), log(q)};
}

void ReportedPair::log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                                     std::span<double> log_q) const {
  for (int action = 0; action < action_count(); ++action) {
    const auto log = log_probability(action, precision);
    log_p[static_cast<std::size_t>(action)] = log.p;
    log_q[static_cast<std::size_t>(action)] = log.q;
  }
}

void ReportedPair::advance(int action) {
  ASSAY_CHECK(action >= 0 && action < action_count(), "an action must exist");
  const auto count = static_cast<std::size_t>(action_count());
  if (of_action(static_cast<std::size_t>(action)).first == 0.0) is_over_ = true;
  if (!run_.empty() && run_[actions_.size()] != action) run_.clear();
  actions_.push_back(action);
  if (!run_.empty()) return;
  for (Known& known : known_) {  // what was known of later rounds was for other actions
    const auto rounds = static_cast<std::size_t>(std::max<std::int64_t>(0, round() - known.from));
    known.values.resize(std::min(known.values.size(), rounds * count));
  }
}

}  // namespace assay

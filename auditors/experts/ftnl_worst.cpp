#include "assay/auditors/experts/ftnl_worst.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "assay/auditors/experts/leader_bracket.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Relative error of a probability of one draw, as ExactLoss takes it.
constexpr double kDistributionError = kNoisyMaxRelativeError;

std::vector<double> group_distribution(const LeaderNoiseDistribution& noise,
                                       std::span<const ExpertGroup> groups, bool is_base) {
  std::vector<ScoreGroup> scores;
  for (const ExpertGroup& group : groups) {
    scores.push_back(
        ScoreGroup::fixed(-(group.rest + (is_base ? group.base_loss : group.neighbour_loss)),
                          static_cast<double>(group.count)));
  }
  auto distribution = leader_log_probabilities(noise, scores);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    distribution[g] += portable_log(static_cast<double>(groups[g].count));
  }
  return distribution;
}

using Groups = std::vector<ExpertGroup>;

std::vector<std::int64_t> counts_to_try(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count < most; count *= 2) counts.push_back(count);
  if (most >= 1) counts.push_back(most);
  return counts;
}

bool are_alike(const ExpertGroup& a, const ExpertGroup& b) {
  return a.rest == b.rest && a.base_loss == b.base_loss && a.neighbour_loss == b.neighbour_loss;
}

// `count` members of group g become like `like`.
Groups moved(Groups groups, std::size_t g, std::int64_t count, const ExpertGroup& like) {
  groups[g].count -= count;
  const auto same = std::find_if(groups.begin(), groups.end(),
                                 [&](const ExpertGroup& other) { return are_alike(other, like); });
  if (same != groups.end()) {
    same->count += count;
  } else {
    groups.push_back({like.rest, like.base_loss, like.neighbour_loss, count});
  }
  std::erase_if(groups, [](const ExpertGroup& group) { return group.count == 0; });
  return groups;
}

// Climbs from two groups that oppose each other, with or without others far behind, by steps that
// improve the claim's quantity: a rest moves, or members of a group become like those of another,
// or like any extreme. The vectors oppose each other throughout, by (2). There are local maxima, so
// it climbs from every kind of start, the best first, while the budget lasts. Then it tries all
// choices of few groups at few rests, and ascends from the best of these rest by rest, in steps
// that halve down to the resolution of doubles.
class GroupSearch {
 public:
  GroupSearch(const RnmFtnl& policy, const ClaimedQuantity& claimed, const RunControl& control)
      : policy_(policy), claimed_(claimed), control_(control), actions_(policy.config().actions) {
    // Farther apart only probabilities below e^-25 change.
    const auto n = static_cast<double>(rest_rounds(policy.config().horizon));
    reach_ = std::min(n, std::ceil(25.0 * policy.noise_scale()));
  }

  WorstGroups run() {
    std::vector<Candidate> starts;
    for (const std::int64_t first : counts_to_try(actions_ - 1)) {
      const std::int64_t others = actions_ - first;
      for (const std::int64_t far : std::set{std::int64_t{0}, others / 2, others - 1}) {
        if (far == 0 || reach_ > 0.0) starts.push_back(best_gap(first, far));
      }
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    Candidate best = starts.front();
    for (Candidate& start : starts) {
      climb(start);
      if (start.value > best.value) best = start;
    }
    // The time of an evaluation grows with the distance of the scores.
    limit_ = evaluated_ + static_cast<std::int64_t>(std::clamp(
                              1.2e5 / (8.0 + reach_ / policy_.noise_scale()), 500.0, 8000.0));
    ascend_from_lattice(best);
    return {best.groups, evaluated_, control_.stopped()};
  }

 private:
  static constexpr std::int64_t kMostEvaluations = 700;
  static constexpr std::size_t kMostGroups = 5;
  static constexpr std::int64_t kFewAhead = 3000;  // more evaluations

  struct Candidate {
    Groups groups;
    double value = -1.0;
  };

  // `first` experts against all others, of which `far` are as far behind as possible.
  Candidate best_gap(std::int64_t first, std::int64_t far) {
    Candidate best;
    for (const double gap : gaps()) {
      Groups groups{{std::max(gap, 0.0), 0.0, 1.0, first},
                    {std::max(-gap, 0.0), 1.0, 0.0, actions_ - first - far}};
      if (far > 0) groups.push_back({reach_, 1.0, 0.0, far});
      consider(groups, best);
    }
    return best;
  }

  std::vector<double> gaps() const {
    std::vector<double> out{0.0};
    for (double gap = 1.0; gap < reach_; gap *= 4.0) out.insert(out.end(), {gap, -gap});
    if (reach_ > 0.0) out.insert(out.end(), {reach_, -reach_});
    return out;
  }

  bool consider(Groups groups, Candidate& best) {
    if (groups.size() > kMostGroups) return false;
    from_zero(groups);
    ++evaluated_;
    const double value = lower_bound_of(grouped_distributions(policy_.noise(), groups), claimed_);
    if (!(value > best.value)) return false;
    best = {std::move(groups), value};
    return true;
  }

  // Adding a rest to all changes nothing, and rest 0 leaves the most room for steps.
  static void from_zero(Groups& groups) {
    double least = groups.front().rest;
    for (const ExpertGroup& group : groups) least = std::min(least, group.rest);
    for (ExpertGroup& group : groups) group.rest -= least;
  }

  bool is_spent() const { return evaluated_ >= limit_ || control_.stopped(); }
  bool is_whole() const { return policy_.config().resample; }

  // Tries every way for up to five experts, or for three groups of them, to have one of four rests
  // and one of both losses. Then it ascends from the best of these and from the best so far.
  void ascend_from_lattice(Candidate& best) {
    const bool is_many = actions_ > static_cast<std::int64_t>(kMostGroups);
    const std::size_t finished = is_many ? 4 : 3;
    std::vector<Candidate> starts;
    const std::int64_t lattice_limit = evaluated_ + (limit_ - evaluated_) / 2;
    for (const auto& counts : splits()) {
      std::vector<std::size_t> kinds(counts.size(), 0);
      do {
        if (evaluated_ >= lattice_limit || is_spent()) break;
        Candidate start;
        if (consider(groups_of(kinds, counts), start)) starts.push_back(std::move(start));
      } while (next(kinds, counts));
    }
    const auto better = [](const Candidate& a, const Candidate& b) { return a.value > b.value; };
    const auto ascend_best = [&](std::vector<Candidate>& of) {
      constexpr std::size_t kAscended = 8;
      std::stable_sort(of.begin(), of.end(), better);
      if (of.size() > kAscended) of.resize(kAscended);
      for (Candidate& start : of) ascend(start, is_whole() ? 1.0 : 1.0 / 64.0);
    };
    ascend_best(starts);
    if (is_many) {
      const std::int64_t before = evaluated_;
      limit_ += kFewAhead;
      auto few = few_ahead();
      ascend_best(few);
      limit_ += evaluated_ - before - kFewAhead;
      starts.insert(starts.end(), few.begin(), few.end());
    }
    starts.push_back(best);
    std::stable_sort(starts.begin(), starts.end(), better);
    if (starts.size() > finished) starts.resize(finished);
    for (Candidate& start : starts) {
      if (is_many) climb(start);  // moves members
      if (!is_whole()) ascend(start, 1e-9);
      if (start.value > best.value) best = start;
    }
  }

  // A few experts that oppose each other, not quite level, and all others far behind. Other kinds
  // of steps do not lead from one number of them to another, as each has its own distance.
  std::vector<Candidate> few_ahead() {
    const std::int64_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64};
    std::vector<Candidate> out;
    for (const std::int64_t first : numbers) {
      for (const std::int64_t second : numbers) {
        if (first + second >= actions_) break;
        Candidate start;
        for (const double part : {0.0, 0.25, -0.25, 0.5, -0.5}) {  // share of the noise's scale
          if (is_spent()) return out;
          const double ahead = part * policy_.noise_scale();
          const double gap = std::clamp(is_whole() ? std::round(ahead) : ahead, -reach_, reach_);
          consider({{std::max(gap, 0.0), 0.0, 1.0, first},
                    {std::max(-gap, 0.0), 1.0, 0.0, second},
                    {reach_, 1.0, 0.0, actions_ - first - second}},
                   start);
        }
        if (start.value >= 0.0) out.push_back(std::move(start));
      }
    }
    return out;
  }

  std::vector<std::vector<std::int64_t>> splits() const {
    if (actions_ <= static_cast<std::int64_t>(kMostGroups)) {
      return {std::vector<std::int64_t>(static_cast<std::size_t>(actions_), 1)};
    }
    std::vector<std::vector<std::int64_t>> out;
    for (const std::int64_t first : counts_to_try(actions_ - 2)) {
      for (const std::int64_t second : {std::int64_t{1}, (actions_ - first) / 2}) {
        out.push_back({first, second, actions_ - first - second});
      }
    }
    return out;
  }

  Groups groups_of(const std::vector<std::size_t>& kinds,
                   const std::vector<std::int64_t>& counts) const {
    const double middle = is_whole() ? std::floor(reach_ / 2.0) : reach_ / 2.0;
    const double rests[] = {0.0, is_whole() ? 1.0 : 0.5, middle, reach_};
    Groups groups;
    for (std::size_t g = 0; g < kinds.size(); ++g) {
      const double loss = static_cast<double>(kinds[g] % 2);
      groups.push_back({std::min(rests[kinds[g] / 2], reach_), loss, 1.0 - loss, counts[g]});
    }
    return groups;
  }

  // The next choice of kinds. For groups of equal size each choice comes in one order only.
  static bool next(std::vector<std::size_t>& kinds, const std::vector<std::int64_t>& counts) {
    constexpr std::size_t kKinds = 8;
    for (std::size_t g = kinds.size(); g-- > 0;) {
      if (kinds[g] + 1 == kKinds) continue;
      ++kinds[g];
      for (std::size_t after = g + 1; after < kinds.size(); ++after) {
        kinds[after] = counts[after] == counts[after - 1] ? kinds[after - 1] : 0;
      }
      return true;
    }
    return false;
  }

  // Coordinate ascent: a sweep of steps both ways. After a step that helps it takes the same step
  // once more.
  void ascend(Candidate& at, double least_step) {
    const auto whole = [&](double step) { return is_whole() ? std::floor(step) : step; };
    double step = std::max(whole(reach_ / 4.0), least_step);
    while (step >= least_step && !is_spent()) {
      const Groups from = at.groups;
      if (!sweep(at, step)) {
        step = whole(step / 2.0);
        continue;
      }
      Groups farther = at.groups;
      for (std::size_t g = 0; g < farther.size(); ++g) {
        farther[g].rest = std::clamp(2.0 * farther[g].rest - from[g].rest, 0.0, reach_);
      }
      consider(std::move(farther), at);
    }
  }

  bool sweep(Candidate& at, double step) {
    bool better = false;
    for (std::size_t g = 0; g < at.groups.size() && !is_spent(); ++g) {
      for (const double sign : {1.0, -1.0}) {
        Groups groups = at.groups;
        groups[g].rest = std::clamp(groups[g].rest + sign * step, 0.0, reach_);
        // Below zero, all others rise instead.
        if (at.groups[g].rest + sign * step < 0.0) {
          const double lacking = step - at.groups[g].rest;
          for (std::size_t other = 0; other < groups.size(); ++other) {
            if (other == g) continue;
            groups[other].rest = std::min(groups[other].rest + lacking, reach_);
          }
        }
        if (!consider(std::move(groups), at)) continue;
        better = true;
        break;
      }
    }
    return better;
  }

  void climb(Candidate& at) {
    // Sums of resamples are integers, and vertices have the worst ones (see the header).
    const double least_step = policy_.config().resample ? 1.0 : 1.0 / 64.0;
    const double first_step = std::max(1.0, std::floor(reach_ / 4.0));
    while (!is_spent()) {
      for (double step = first_step;; step = std::max(least_step, step / 2.0)) {
        while (!is_spent() && move_a_rest(at, step)) {
        }
        if (step <= least_step) break;
      }
      if (is_spent() || !move_members(at)) return;
    }
  }

  bool move_a_rest(Candidate& at, double step) {
    const Groups from = at.groups;
    for (std::size_t g = 0; g < from.size(); ++g) {
      for (const double sign : {1.0, -1.0}) {
        ExpertGroup like = from[g];
        like.rest = std::clamp(like.rest + sign * step, 0.0, reach_);
        if (like.rest != from[g].rest && consider(moved(from, g, from[g].count, like), at)) {
          return true;
        }
      }
    }
    return false;
  }

  bool move_members(Candidate& at) {
    const Groups from = at.groups;
    Groups models = from;
    for (const double rest : {0.0, reach_}) {
      for (const double loss : {0.0, 1.0}) models.push_back({rest, loss, 1.0 - loss, 0});
    }
    for (std::size_t g = 0; g < from.size(); ++g) {
      for (const ExpertGroup& model : models) {
        if (are_alike(model, from[g])) continue;
        for (const std::int64_t count : {std::int64_t{1}, (from[g].count + 1) / 2, from[g].count}) {
          if (consider(moved(from, g, count, model), at)) return true;
        }
      }
    }
    return false;
  }

  const RnmFtnl& policy_;
  const ClaimedQuantity& claimed_;
  const RunControl& control_;
  std::int64_t actions_;
  double reach_;
  std::int64_t evaluated_ = 0;
  std::int64_t limit_ = kMostEvaluations;
};

}  // namespace

LeaderDistributions both_distributions(LeaderDistribution base_side,
                                       LeaderDistribution neighbour_side) {
  LeaderDistributions distributions;
  distributions.log_p = std::move(base_side.log_p);
  distributions.log_q = std::move(neighbour_side.log_p);
  distributions.relative_error = std::max(base_side.relative_error, neighbour_side.relative_error);
  distributions.least_log = std::max(base_side.least_log, neighbour_side.least_log);
  return distributions;
}

LeaderDistributions leader_distributions(const RnmFtnl& policy, const InputPair& pair,
                                         const RunControl& control) {
  const int epoch = epoch_of(pair.changed_row() + 1);
  if (epoch > last_read_epoch(policy.config().horizon)) return {{{0.0}, {0.0}, 0.0}};
  return both_distributions(
      leader_distribution(
          policy, epoch, [&](std::int64_t t) { return pair.base_input().row(t); }, control),
      leader_distribution(
          policy, epoch, [&](std::int64_t t) { return pair.neighbour_row(t); }, control));
}

EnumeratedDistributions grouped_distributions(const LeaderNoiseDistribution& noise,
                                              std::span<const ExpertGroup> groups) {
  return {group_distribution(noise, groups, true), group_distribution(noise, groups, false),
          kDistributionError};
}

double proved_level(const RnmFtnl& policy) {
  return std::get<PureDp>(policy.proved_guarantee().level).epsilon.value;
}

std::int64_t rest_rounds(std::int64_t horizon) {
  const int epoch = last_read_epoch(horizon);
  return epoch <= 0 ? 0 : (std::int64_t{1} << (epoch - 1)) - 1;
}

InputPair pair_of_groups(const RnmFtnlConfig& config, std::span<const ExpertGroup> groups) {
  const int epoch = last_read_epoch(config.horizon);
  ASSAY_CHECK(epoch > 0, "an epoch that a later action reads");
  InputTable losses = InputTable::zeros(config.horizon, config.actions);
  Edit edit{(std::int64_t{1} << (epoch - 1)) - 1, {}};
  std::size_t expert = 0;
  for (const ExpertGroup& group : groups) {
    for (std::int64_t member = 0; member < group.count; ++member, ++expert) {
      losses.row(edit.row)[expert] = group.base_loss;
      edit.values.push_back(group.neighbour_loss);
      double left = group.rest;
      for (std::int64_t t = edit.row + 1; left > 0.0; ++t) {
        losses.row(t)[expert] = std::min(left, 1.0);
        left -= std::min(left, 1.0);
      }
    }
  }
  return InputPair::of(std::move(losses), std::move(edit));
}

namespace {

// The rest beyond which the largest loss no longer grows, or the largest at which the probability
// of the expert that is behind by one more stays above e^-1000 = e^kLeastNoisyMaxLog.
double most_rest(const RnmFtnl& policy) {
  const double b = policy.noise_scale();
  const double log_members = portable_log(static_cast<double>(policy.config().actions));
  const double in_range = std::max(0.0, std::floor((990.0 - log_members) * b - 1.0));
  switch (policy.config().noise) {
    case LeaderNoise::kLaplace:
      return std::min(std::floor(600.0 * b), in_range);
    case LeaderNoise::kExponential:
      return std::min(1.0, in_range);  // the loss is 2/b from there on
    case LeaderNoise::kGumbel:
      break;
  }
  return std::min(std::ceil((37.0 + log_members) * b), in_range);
}

}  // namespace

std::vector<ExpertGroup> worst_groups_for_pure(const RnmFtnl& policy) {
  const auto& config = policy.config();
  const double n = static_cast<double>(rest_rounds(config.horizon));
  return {{std::min(n, most_rest(policy)), 0.0, 1.0, 1},
          {0.0, 1.0, 0.0, config.actions - 1}};  // (1)
}

bool is_worst_for_pure(const RnmFtnl& policy, std::span<const ExpertGroup> groups) {
  const auto& config = policy.config();
  return groups[0].rest == static_cast<double>(rest_rounds(config.horizon)) ||
         (config.noise == LeaderNoise::kExponential && groups[0].rest >= 1.0);
}

WorstGroups search_groups(const RnmFtnl& policy, const ClaimedQuantity& claimed,
                          const RunControl& control) {
  return GroupSearch(policy, claimed, control).run();
}

namespace {

// The evaluations of the noise's functions that a search may use: about ten seconds on one core.
constexpr double kWorstSearchWork = 2.5e8;
constexpr double kDistributionWork = 2e9;  // the largest distribution that is computed at all
constexpr double kSumWork = 0.1;           // the cost of adding a loss to a sum
constexpr double kMostChanges = 2e4;       // in all
constexpr std::int64_t kMostFlips = 20'000;

// One expert's loss becomes 1 and all others' 0, or vice versa.
struct Opposition {
  std::size_t expert = 0;
  bool rises = true;

  std::vector<double> row(std::size_t actions) const {
    std::vector<double> out(actions, rises ? 0.0 : 1.0);
    out[expert] = rises ? 1.0 : 0.0;
    return out;
  }
};

// The distance by which an opposition moves the expert from a row, plus the average distance of the
// others the other way.
double move_of(std::span<const double> row, double sum, const Opposition& o) {
  const double own = row[o.expert];
  const double others = (sum - own) / (static_cast<double>(row.size()) - 1.0);
  return o.rises ? 1.0 - own + others : own + 1.0 - others;
}

// All 2 K oppositions, those that move the most first.
std::vector<Opposition> oppositions(std::span<const double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  std::vector<Opposition> out;
  for (std::size_t j = 0; j < row.size(); ++j) out.insert(out.end(), {{j, true}, {j, false}});
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    return move_of(row, sum, a) > move_of(row, sum, b);
  });
  return out;
}

double largest_move(std::span<const double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  double largest = 0.0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    largest = std::max({largest, move_of(row, sum, {j, true}), move_of(row, sum, {j, false})});
  }
  return largest;
}

struct Change {
  double value = -1.0;
  std::int64_t position = 1;
  std::vector<double> neighbour_row;
  LeaderDistributions distributions;

  static auto byte_fields(auto& self) {
    return std::tie(self.value, self.position, self.neighbour_row, self.distributions.log_p,
                    self.distributions.log_q, self.distributions.relative_error,
                    self.distributions.least_log);
  }
};

// A round of a base to change. All new vectors share the sums of the other rounds of its epoch.
class ChangedRound {
 public:
  ChangedRound(const RnmFtnl& policy, const InputTable& base, std::int64_t position,
               const ClaimedQuantity& claimed, const RunControl& control)
      : claimed_(claimed), control_(control), level_(proved_level(policy)), rest_(policy) {
    const int epoch = epoch_of(position);
    ASSAY_CHECK(epoch >= 1, "epochs count from 1");
    const std::int64_t first = std::int64_t{1} << (epoch - 1);
    for (std::int64_t t = first; t < 2 * first; ++t) {
      if (t != position) rest_.observe(base.row(t - 1));
    }
    rest_.fold(control);
    base_side_ = distribution_with(base.row(position - 1));
  }

  // Is it better than the best so far? Then it becomes the best. Never if the control has stopped
  // it.
  bool improves(Change& best, std::int64_t position, std::vector<double> neighbour_row) const {
    LeaderDistributions distributions =
        both_distributions(base_side_, distribution_with(neighbour_row));
    if (control_.stopped()) return false;
    const auto bracket = bracket_of(distributions, level_);
    const double value = bracket ? lower_bound_of(bracket->inner, claimed_) : 0.0;
    if (!(value > best.value)) return false;
    best = {value, position, std::move(neighbour_row), std::move(distributions)};
    return true;
  }

 private:
  LeaderDistribution distribution_with(std::span<const double> row) const {
    FtnlDistribution distribution = rest_;
    distribution.observe(row);
    return distribution.distribution(control_);
  }

  const ClaimedQuantity& claimed_;
  const RunControl& control_;
  double level_;
  FtnlDistribution rest_;
  LeaderDistribution base_side_;
};

class BesideSearch {
 public:
  BesideSearch(const RnmFtnl& policy, std::shared_ptr<const InputTable> base,
               const ClaimedQuantity& claimed, const RunControl& control)
      : policy_(policy),
        shared_(std::move(base)),
        base_(*shared_),
        claimed_(claimed),
        control_(control),
        actions_(policy.config().actions) {}

  Result<LossSearchResult> run() {
    ASSAY_TRY(plan());
    const auto best =
        map_chunks(control_, trials_.size(), [&](std::size_t i) { return best_of(trials_[i]); });
    Change top = *std::max_element(best.begin(), best.end(),
                                   [](const auto& a, const auto& b) { return a.value < b.value; });
    std::int64_t evaluated = 0;
    for (const Trial& trial : trials_) evaluated += static_cast<std::int64_t>(trial.changes);
    const std::int64_t all =
        2 * actions_ * (2 * rest_rounds(policy_.config().horizon) + 1);  // in rounds read
    LossSearchResult out;
    if (top.neighbour_row.empty()) {  // stopped before any
      top.position = trials_.front().position;
      top.neighbour_row =
          oppositions(base_.row(top.position - 1)).front().row(static_cast<std::size_t>(actions_));
    }
    out.stopped = control_.stopped();
    out.how = fmt::format("one expert against all others: {} of {} changes of the file{}{}",
                          out.stopped ? "some" : std::to_string(evaluated), all,
                          claimed_.limit > 0.0 ? ", then losses flipped one by one" : "",
                          out.stopped ? "; the run was stopped there" : "");
    if (claimed_.limit > 0.0) flip(top, evaluated);
    out.pair = {shared_, {top.position - 1, top.neighbour_row}};
    out.distributions = std::move(top.distributions);
    out.evaluated = evaluated;
    return out;
  }

 private:
  struct Trial {
    std::int64_t position = 1;
    std::size_t changes = 2;  // of 2 K
  };

  // `count` rounds of the epoch of that many rounds, those with losses that a change moves the
  // most.
  std::vector<std::int64_t> far_moving(std::int64_t rounds, std::int64_t count) const {
    std::vector<std::pair<double, std::int64_t>> order;
    for (std::int64_t t = rounds; t < 2 * rounds; ++t) {
      order.emplace_back(-largest_move(base_.row(t - 1)), t);
    }
    std::partial_sort(order.begin(), order.begin() + count, order.end());
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < count; ++i)
      out.push_back(order[static_cast<std::size_t>(i)].second);
    return out;
  }

  // Every epoch gets an equal share of the work.
  Status plan() {
    const int epochs = last_read_epoch(policy_.config().horizon);
    const double share = kWorstSearchWork / epochs;
    const double most = kMostChanges / epochs;
    for (int r = 1; r <= epochs; ++r) {
      const std::int64_t rounds = std::int64_t{1} << (r - 1);
      if (control_.stopped()) {  // tries no more
        trials_.push_back({rounds});
        return {};
      }
      const FtnlDistribution::Work work = epoch_work(rounds);
      ASSAY_TRY(check_work(work.fold + 2.0 * work.distribution, r));
      const double changes = std::clamp(0.5 * share / work.distribution, 2.0,
                                        std::min(2.0 * static_cast<double>(actions_), most));
      const double tried = std::clamp(
          std::min(share / (work.fold + (1.0 + changes) * work.distribution), most / changes), 2.0,
          1e9);
      const auto positions = std::min(rounds, static_cast<std::int64_t>(tried));
      for (const std::int64_t position : far_moving(rounds, positions)) {
        trials_.push_back({position, static_cast<std::size_t>(changes)});
      }
      flip_work_ = std::max(flip_work_, work.distribution);
    }
    return {};
  }

  FtnlDistribution::Work epoch_work(std::int64_t rounds) const {
    FtnlDistribution distribution(policy_);
    for (std::int64_t t = rounds; t < 2 * rounds; ++t) distribution.observe(base_.row(t - 1));
    FtnlDistribution::Work work = distribution.work();
    work.fold += kSumWork * static_cast<double>(rounds * actions_);
    return work;
  }

  static Status check_work(double work, int epoch) {
    if (work <= kDistributionWork) return {};
    return fail(ErrorCode::kLimit,
                fmt::format("the distribution that the {} rounds of epoch {} decide takes {:.2g} "
                            "steps, but {:.2g} is the most: give a horizon of at most {}, fewer "
                            "actions, a smaller epsilon, or losses of 0 and 1",
                            std::int64_t{1} << (epoch - 1), epoch, work, kDistributionWork,
                            (std::int64_t{1} << epoch) - 1),
                "/horizon");
  }

  Change best_of(const Trial& trial) const {
    Change best;
    if (control_.stopped()) return best;
    const ChangedRound round(policy_, base_, trial.position, claimed_, control_);
    auto tried = oppositions(base_.row(trial.position - 1));
    tried.resize(trial.changes);
    for (const Opposition& opposition : tried) {
      if (control_.stopped()) break;
      round.improves(best, trial.position, opposition.row(static_cast<std::size_t>(actions_)));
    }
    return best;
  }

  void flip(Change& best, std::int64_t& evaluated) const {
    if (control_.stopped()) return;
    const ChangedRound round(policy_, base_, best.position, claimed_, control_);
    auto left = static_cast<std::int64_t>(
        std::clamp(kWorstSearchWork / flip_work_, 8.0, static_cast<double>(kMostFlips)));
    for (bool better = true; better && left > 0;) {
      better = false;
      for (std::size_t j = 0; j < best.neighbour_row.size() && left > 0; ++j, --left) {
        if (control_.stopped()) return;
        auto row = best.neighbour_row;
        row[j] = 1.0 - row[j];
        ++evaluated;
        if (round.improves(best, best.position, std::move(row))) better = true;
      }
    }
  }

  const RnmFtnl& policy_;
  std::shared_ptr<const InputTable> shared_;
  const InputTable& base_;
  const ClaimedQuantity& claimed_;
  const RunControl& control_;
  std::int64_t actions_;
  std::vector<Trial> trials_;
  double flip_work_ = 1.0;
};

}  // namespace

Result<LossSearchResult> search_beside(const RnmFtnl& policy,
                                       const std::shared_ptr<const InputTable>& base,
                                       const ClaimedQuantity& claimed, const RunControl& control) {
  return BesideSearch(policy, base, claimed, control).run();
}

}  // namespace assay

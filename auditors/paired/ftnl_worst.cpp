#include "assay/auditors/paired/ftnl_worst.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/auditors/paired/ftnl_pair.hpp"
#include "assay/mechanisms/core/parallel.hpp"

namespace assay {
namespace {

// Relative error of a probability of one draw, as ExactLoss takes it.
constexpr double kLawError = kNoisyMaxRelativeError;

std::vector<double> group_law(const LeaderNoiseLaw& noise, std::span<const ExpertGroup> groups,
                              bool is_old) {
  std::vector<ScoreGroup> scores;
  for (const ExpertGroup& group : groups) {
    scores.push_back(
        ScoreGroup::fixed(-(group.rest + (is_old ? group.old_loss : group.new_loss)), group.count));
  }
  auto law = leader_log_probabilities(noise, scores);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    law[g] += portable_log(static_cast<double>(groups[g].count));
  }
  return law;
}

using Groups = std::vector<ExpertGroup>;

std::vector<std::int64_t> counts_to_try(std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count < most; count *= 2) counts.push_back(count);
  if (most >= 1) counts.push_back(most);
  return counts;
}

bool are_alike(const ExpertGroup& a, const ExpertGroup& b) {
  return a.rest == b.rest && a.old_loss == b.old_loss && a.new_loss == b.new_loss;
}

// `count` members of group g become like `like`.
Groups moved(Groups groups, std::size_t g, std::int64_t count, const ExpertGroup& like) {
  groups[g].count -= count;
  const auto same = std::find_if(groups.begin(), groups.end(),
                                 [&](const ExpertGroup& other) { return are_alike(other, like); });
  if (same != groups.end()) {
    same->count += count;
  } else {
    groups.push_back({like.rest, like.old_loss, like.new_loss, count});
  }
  std::erase_if(groups, [](const ExpertGroup& group) { return group.count == 0; });
  return groups;
}

// From two groups that oppose each other, and spectators, by steps that better the claim's quantity:
// a rest moves, or members of a group become like those of another, or like any extreme.
class GroupSearch {
 public:
  GroupSearch(const RnmFtnl& policy, const ClaimedQuantity& claimed)
      : policy_(policy), claimed_(claimed), actions_(policy.config().actions) {
    // Farther apart nothing changes but probabilities below e^-25.
    const auto n = static_cast<double>(rest_rounds(policy.config().horizon));
    reach_ = std::min(n, std::ceil(25.0 * policy.noise_scale()));
  }

  WorstGroups run() {
    for (const std::int64_t first : counts_to_try(actions_ - 1)) {
      for (const std::int64_t spectators : {std::int64_t{0}, actions_ - first - 1}) {
        for (const double gap : gaps()) consider(opposed(first, spectators, gap));
      }
    }
    climb();
    return {best_, evaluated_};
  }

 private:
  static constexpr std::int64_t kMostEvaluations = 700;
  static constexpr std::size_t kMostGroups = 5;

  Groups opposed(std::int64_t first, std::int64_t spectators, double gap) const {
    Groups groups{{std::max(gap, 0.0), 0.0, 1.0, first},
                  {std::max(-gap, 0.0), 1.0, 0.0, actions_ - first - spectators}};
    if (spectators > 0) groups.push_back({reach_, 1.0, 1.0, spectators});
    return groups;
  }

  std::vector<double> gaps() const {
    std::vector<double> out{0.0};
    for (double gap = 1.0; gap < reach_; gap *= 2.0) out.insert(out.end(), {gap, -gap});
    if (reach_ > 0.0) out.insert(out.end(), {reach_, -reach_});
    return out;
  }

  bool consider(const Groups& groups) {
    if (groups.size() > kMostGroups) return false;
    ++evaluated_;
    const double value = loss_objective(grouped_laws(policy_.noise(), groups), claimed_);
    if (!(value > highest_)) return false;
    highest_ = value;
    best_ = groups;
    return true;
  }

  void climb() {
    // Sums of resamples are integers, and those of vertices are worst (see the header).
    const double least_step = policy_.config().resample ? 1.0 : 1.0 / 64.0;
    double step = std::max(1.0, std::floor(reach_ / 4.0));
    while (evaluated_ < kMostEvaluations) {
      if (move_a_rest(step) || move_members()) continue;
      if (step <= least_step) return;
      step = std::max(least_step, step / 2.0);
    }
  }

  bool move_a_rest(double step) {
    const Groups from = best_;
    for (std::size_t g = 0; g < from.size(); ++g) {
      for (const double sign : {1.0, -1.0}) {
        ExpertGroup like = from[g];
        like.rest = std::clamp(like.rest + sign * step, 0.0, reach_);
        if (like.rest != from[g].rest && consider(moved(from, g, from[g].count, like))) return true;
      }
    }
    return false;
  }

  bool move_members() {
    const Groups from = best_;
    Groups models = from;
    for (const double rest : {0.0, reach_}) {
      for (const double old_loss : {0.0, 1.0}) {
        for (const double new_loss : {0.0, 1.0}) models.push_back({rest, old_loss, new_loss, 0});
      }
    }
    for (std::size_t g = 0; g < from.size(); ++g) {
      for (const ExpertGroup& model : models) {
        if (are_alike(model, from[g])) continue;
        for (const std::int64_t count : {std::int64_t{1}, (from[g].count + 1) / 2, from[g].count}) {
          if (consider(moved(from, g, count, model))) return true;
        }
      }
    }
    return false;
  }

  const RnmFtnl& policy_;
  const ClaimedQuantity& claimed_;
  std::int64_t actions_;
  double reach_;
  Groups best_;
  double highest_ = -1.0;
  std::int64_t evaluated_ = 0;
};

}  // namespace

EnumeratedLaws leader_laws(const RnmFtnl& policy, const LossPair& pair) {
  const int epoch = epoch_of(pair.position);
  if (epoch > last_read_epoch(policy.config().horizon)) return {{0.0}, {0.0}, 0.0};
  return {leader_law(policy, epoch, [&](std::int64_t t) { return pair.losses.row(t); }),
          leader_law(policy, epoch, [&](std::int64_t t) { return pair.new_side(t); }), kLawError};
}

EnumeratedLaws grouped_laws(const LeaderNoiseLaw& noise, std::span<const ExpertGroup> groups) {
  return {group_law(noise, groups, true), group_law(noise, groups, false), kLawError};
}

std::int64_t rest_rounds(std::int64_t horizon) {
  const int epoch = last_read_epoch(horizon);
  return epoch == 0 ? 0 : (std::int64_t{1} << (epoch - 1)) - 1;
}

LossPair pair_of_groups(const RnmFtnlConfig& config, std::span<const ExpertGroup> groups) {
  const int epoch = last_read_epoch(config.horizon);
  ASSAY_CHECK(epoch > 0, "an epoch that a later action reads");
  LossPair pair{
      LossSequence::zeros(config.actions, config.horizon), std::int64_t{1} << (epoch - 1), {}};
  std::size_t expert = 0;
  for (const ExpertGroup& group : groups) {
    for (std::int64_t member = 0; member < group.count; ++member, ++expert) {
      pair.losses.row(pair.position - 1)[expert] = group.old_loss;
      pair.new_row.push_back(group.new_loss);
      double left = group.rest;
      for (std::int64_t t = pair.position; left > 0.0; ++t) {
        pair.losses.row(t)[expert] = std::min(left, 1.0);
        left -= std::min(left, 1.0);
      }
    }
  }
  return pair;
}

std::vector<ExpertGroup> worst_groups_for_pure(const RnmFtnl& policy) {
  const auto& config = policy.config();
  const double b = policy.noise_scale();
  const double members = static_cast<double>(config.actions);
  double most = 1.0;  // exponential: the loss is 2/b from a rest of 1 on
  if (config.noise == LeaderNoise::kLaplace) most = std::floor(600.0 * b);
  if (config.noise == LeaderNoise::kGumbel) most = std::ceil((37.0 + portable_log(members)) * b);
  const double n = static_cast<double>(rest_rounds(config.horizon));
  return {{std::min(n, std::max(1.0, most)), 0.0, 1.0, 1},
          {0.0, 1.0, 0.0, config.actions - 1}};  // (1)
}

bool is_worst_for_pure(const RnmFtnl& policy, std::span<const ExpertGroup> groups) {
  return groups[0].rest == static_cast<double>(rest_rounds(policy.config().horizon));
}

double loss_objective(const EnumeratedLaws& laws, const ClaimedQuantity& claimed) {
  const auto exact = ExactLoss::create(laws);
  if (!exact) return 0.0;
  if (claimed.kind == QuantityKind::kMu) return exact->mu().lower.value.value;
  if (claimed.limit == 0.0) {
    return std::max(exact->largest_loss(Orientation::kOldToNew),
                    exact->largest_loss(Orientation::kNewToOld));
  }
  const Epsilon epsilon{claimed.at};
  return std::max(exact->delta(epsilon, Orientation::kOldToNew).lower.value.value,
                  exact->delta(epsilon, Orientation::kNewToOld).lower.value.value);
}

WorstGroups search_groups(const RnmFtnl& policy, const ClaimedQuantity& claimed) {
  return GroupSearch(policy, claimed).run();
}

namespace {

// Evaluations of the noise's functions that a search may cost; about ten seconds on one core.
constexpr double kSearchWork = 2.5e8;
constexpr double kLawWork = 2e9;  // the largest law that is computed at all

// The changed round and its new vector, beside a base.
struct Change {
  std::int64_t position = 1;
  std::vector<double> new_row;
};

// Of expert j against all others, in one direction or the other.
std::vector<double> one_against_all(std::int64_t actions, std::int64_t expert, bool rises) {
  std::vector<double> row(static_cast<std::size_t>(actions), rises ? 0.0 : 1.0);
  row[static_cast<std::size_t>(expert)] = rises ? 1.0 : 0.0;
  return row;
}

class BesideSearch {
 public:
  BesideSearch(const RnmFtnl& policy, const LossSequence& base, const ClaimedQuantity& claimed,
               const RunControl& control)
      : policy_(policy), base_(base), claimed_(claimed), control_(control) {}

  Result<WorstLossPair> run() {
    const std::int64_t actions = policy_.config().actions;
    const std::int64_t rounds = 2 * rest_rounds(policy_.config().horizon) + 1;  // that are read
    const double work = largest_work();
    if (work > kLawWork) {
      return fail(
          ErrorCode::kLimit,
          fmt::format("the law of an epoch takes {:.2g} evaluations, and {:.2g} is the most: "
                      "give losses of 0 and 1, fewer rounds or fewer experts",
                      work, kLawWork),
          "/horizon");
    }
    const std::int64_t all = 2 * rounds * actions;
    const auto most = static_cast<std::int64_t>(std::clamp(kSearchWork / work, 8.0, 20'000.0));
    const std::int64_t tried = std::min(all, most);
    std::vector<Change> changes;
    for (std::int64_t i = 0; i < tried; ++i) {
      const std::int64_t k = i * all / tried;  // evenly spread where not all are tried
      changes.push_back(
          {k / (2 * actions) + 1, one_against_all(actions, k / 2 % actions, k % 2 == 0)});
    }
    std::vector<double> values(changes.size());
    parallel_for(control_.threads, changes.size(),
                 [&](std::size_t i) { values[i] = value(changes[i]); });
    const auto top = std::max_element(values.begin(), values.end()) - values.begin();
    Change best = changes[static_cast<std::size_t>(top)];
    double highest = values[static_cast<std::size_t>(top)];
    std::int64_t evaluated = tried;
    if (claimed_.limit > 0.0) flip(best, highest, evaluated, most);
    WorstLossPair out;
    out.pair = pair_of(best);
    out.evaluated = evaluated;
    out.how = fmt::format("one expert against all others: {} of {} changes of the file{}", tried,
                          all, claimed_.limit > 0.0 ? ", then losses flipped one by one" : "");
    return out;
  }

 private:
  LossPair pair_of(const Change& change) const { return {base_, change.position, change.new_row}; }
  double value(const Change& change) const {
    return loss_objective(leader_laws(policy_, pair_of(change)), claimed_);
  }

  double largest_work() const {
    double work = 1.0;
    for (int r = 1; r <= last_read_epoch(policy_.config().horizon); ++r) {
      FtnlLaw law(policy_);
      const std::int64_t first = std::int64_t{1} << (r - 1);
      for (std::int64_t t = first; t < 2 * first; ++t) law.observe(base_.row(t - 1));
      work = std::max(work, 2.0 * law.work());
    }
    return work;
  }

  void flip(Change& best, double& highest, std::int64_t& evaluated, std::int64_t most) const {
    for (bool better = true; better && evaluated < 2 * most;) {
      better = false;
      for (std::size_t j = 0; j < best.new_row.size(); ++j) {
        Change other = best;
        other.new_row[j] = 1.0 - other.new_row[j];
        const double here = value(other);
        ++evaluated;
        if (!(here > highest)) continue;
        highest = here;
        best = other;
        better = true;
      }
    }
  }

  const RnmFtnl& policy_;
  const LossSequence& base_;
  const ClaimedQuantity& claimed_;
  const RunControl& control_;
};

}  // namespace

Result<WorstLossPair> search_beside(const RnmFtnl& policy, const LossSequence& base,
                                    const ClaimedQuantity& claimed, const RunControl& control) {
  return BesideSearch(policy, base, claimed, control).run();
}

}  // namespace assay

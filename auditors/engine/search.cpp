#include "assay/auditors/engine/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace assay {
namespace {

constexpr double kLevels[] = {0.0, 0.25, 0.5, 0.75, 1.0};

struct Scored {
  RewardPair pair;
  double score = 0.0;
};

// Uniform in {0, .., count - 1}; the bias of the modulus is below 2^-50 and only steers a search.
std::int64_t pick(ReplayStream& random, std::int64_t count) {
  return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(count));
}

// Positions worth trying first: the first rounds, where a mean rests on one reward.
std::vector<std::int64_t> early_positions(const PairSearchPlan& plan) {
  std::vector<std::int64_t> positions = {1,
                                         2,
                                         3,
                                         plan.action_count,
                                         plan.first_free_round,
                                         plan.first_free_round + 1,
                                         plan.horizon / 2};
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::erase_if(positions, [&](std::int64_t p) { return p < 1 || p > plan.horizon; });
  return positions;
}

// Streams of one or two levels are blocks on one base of zeros.
std::vector<RewardPair> base_patterns(std::int64_t horizon) {
  const auto length = static_cast<std::size_t>(horizon);
  const auto zeros = std::make_shared<const RewardSequence>(length, 0.0);
  std::vector<RewardPair> bases;
  const auto add = [&](const std::shared_ptr<const RewardSequence>& base,
                       std::initializer_list<RewardBlock> blocks) {
    bases.emplace_back(base, 1, 0.0, 1.0);
    for (const RewardBlock& block : blocks) {
      if (block.value != 0.0) bases.back().set_block(block);
    }
  };
  for (const double level : kLevels) add(zeros, {{0, horizon, level}});
  RewardSequence alternating(length);
  for (std::size_t t = 0; t < length; ++t) alternating[t] = static_cast<double>(t % 2);
  add(std::make_shared<const RewardSequence>(std::move(alternating)), {});
  for (std::int64_t start = 2; start < horizon; start *= 4) {
    for (const double before : {0.0, 1.0}) {
      add(zeros, {{0, start, before}, {start, horizon, 1.0 - before}});
    }
  }
  return bases;
}

// The positions that `most` pairs beside a base may have: all, or the first ones and as many spread
// over the rest.
std::vector<std::int64_t> positions_of(std::int64_t rounds, std::int64_t most) {
  std::vector<std::int64_t> positions;
  const std::int64_t count = std::clamp<std::int64_t>(most / 2, 1, rounds);
  const std::int64_t first = count == rounds ? rounds : (count + 1) / 2;
  for (std::int64_t t = 1; t <= first; ++t) positions.push_back(t);
  const double step = static_cast<double>(rounds - first) /
                      static_cast<double>(std::max(count - first, std::int64_t{1}));
  for (std::int64_t i = 1; i <= count - first; ++i) {
    positions.push_back(first + static_cast<std::int64_t>(static_cast<double>(i) * step));
  }
  return positions;
}

// Each position with the replacement values 0 and 1.
std::vector<RewardPair> pairs_of_base(const std::shared_ptr<const RewardSequence>& base,
                                      const PairObjective& objective) {
  std::vector<RewardPair> pairs;
  const auto rounds = std::min(static_cast<std::int64_t>(base->size()),
                               std::max(objective.rounds, std::int64_t{1}));
  for (const std::int64_t position : positions_of(rounds, objective.most)) {
    const double old_value = (*base)[static_cast<std::size_t>(position - 1)];
    for (const double value : {0.0, 1.0}) {
      if (old_value != value) pairs.emplace_back(base, position, old_value, value);
    }
  }
  return pairs;
}

RewardPair with_block(RewardPair pair, std::int64_t first, std::int64_t length, double level) {
  pair.set_block({first, std::min(first + length, pair.horizon()), level});
  return pair;
}

// The same values change at another position; what is there comes to where they were.
RewardPair moved(RewardPair pair, std::int64_t position) {
  const std::int64_t from = pair.position() - 1;
  pair.set_block({from, from + 1, pair.old_reward(position - 1)});
  pair.change_at(position, pair.old_value(), pair.new_value());
  return pair;
}

RewardPair proposal(const RewardPair& best, ReplayStream& random) {
  const std::int64_t horizon = best.horizon();
  const double level = kLevels[pick(random, std::size(kLevels))];
  switch (pick(random, 8)) {
    case 0:  // another position, with the same values
      return moved(best, pick(random, 2) == 0
                             ? 1 + pick(random, horizon)
                             : std::clamp<std::int64_t>(
                                   best.position() + (pick(random, 2) == 0 ? 1 : -1), 1, horizon));
    case 1: {  // other values at the position
      RewardPair pair = best;
      pair.change_at(best.position(), level, kLevels[pick(random, std::size(kLevels))]);
      return pair;
    }
    default: {  // a block of the rest of the stream, its length log-uniform
      std::int64_t length = 1;
      while (length < horizon && pick(random, 2) == 0) length *= 2;
      return with_block(best, pick(random, horizon), length, level);
    }
  }
}

// Every single-round change, and every position: for streams so short that it pays.
std::vector<RewardPair> all_single_changes(const RewardPair& best) {
  std::vector<RewardPair> pairs;
  for (std::int64_t t = 0; t < best.horizon(); ++t) {
    for (const double level : kLevels) {
      if (t + 1 != best.position()) pairs.push_back(with_block(best, t, 1, level));
    }
    pairs.push_back(moved(best, t + 1));
  }
  return pairs;
}

class Search {
 public:
  Search(const PairSearchPlan& plan, const PairObjective& objective, const RunControl& control)
      : plan_(plan),
        objective_(objective),
        control_(control),
        most_(plan.most_pairs.value_or(objective.most)) {}

  SearchResult run() {
    const auto starts = plan_.fixed_base ? pairs_of_base(plan_.fixed_base, objective_) : seeds();
    planned_ = static_cast<std::int64_t>(starts.size());
    consider(starts);
    if (!plan_.fixed_base) {
      planned_ = std::min(std::max(planned_, objective_.budget), objective_.most);
      climb();
    }
    RewardPair found = kept_.empty() ? starts.front() : finalist();
    found.flatten();
    return {std::move(found), evaluated_, stopped_, how()};
  }

 private:
  // The structural ones; where not all can be tried, first a changed first reward in each.
  std::vector<RewardPair> seeds() const {
    auto pairs = structural_seeds(plan_);
    if (objective_.most < static_cast<std::int64_t>(pairs.size())) {
      std::stable_sort(pairs.begin(), pairs.end(), [](const RewardPair& a, const RewardPair& b) {
        return a.position() < b.position();
      });
    }
    return pairs;
  }

  bool is_spent() const { return stopped_ || evaluated_ >= most_; }

  // Scores the candidates and keeps the best, best first; true if the best improved.
  bool consider(const std::vector<RewardPair>& pairs) {
    const std::size_t batch = kBatch * static_cast<std::size_t>(std::max(control_.threads, 1));
    const double before = kept_.empty() ? -1.0 : kept_.front().score;
    for (std::size_t first = 0; first < pairs.size() && !is_spent();) {
      const std::size_t count =
          std::min({batch, pairs.size() - first, static_cast<std::size_t>(most_ - evaluated_)});
      const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(first);
      score({begin, begin + static_cast<std::ptrdiff_t>(count)});
      first += count;
    }
    return !kept_.empty() && kept_.front().score > before * (1.0 + 1e-9);
  }

  void score(const std::vector<RewardPair>& pairs) {
    const std::vector<double> scores = objective_.coarse(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      stopped_ = stopped_ || std::isnan(scores[i]);
      if (stopped_) break;
      kept_.push_back({pairs[i], scores[i]});
      ++evaluated_;
    }
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    if (kept_.size() > kFinalists) kept_.resize(kFinalists);
    for (Scored& scored : kept_) scored.pair.flatten(kMostBlocks);
    control_.report("search", std::min(1.0, static_cast<double>(evaluated_) /
                                                static_cast<double>(objective_.budget)));
  }

  void climb() {
    constexpr std::int64_t kShort = 12;  // rounds: sweep all single changes
    if (kept_.empty()) return;
    ReplayStream random({plan_.seed, hash_purpose("search/proposals"), 0, 0, Phase::kSearch});
    if (plan_.horizon <= kShort) {
      while (evaluated_ < objective_.budget && !is_spent()) {
        if (!consider(all_single_changes(kept_.front().pair))) break;
      }
    }
    while (evaluated_ < objective_.budget && !is_spent()) {
      std::vector<RewardPair> pairs;
      // Mostly around the best, sometimes around a runner-up, against local optima.
      while (pairs.size() < kBatch) {
        const auto count = static_cast<std::int64_t>(kept_.size());
        const std::int64_t from = pick(random, 3) == 0 ? pick(random, count) : 0;
        pairs.push_back(proposal(kept_[static_cast<std::size_t>(from)].pair, random));
      }
      consider(pairs);
    }
  }

  RewardPair finalist() {
    if (!objective_.fine || stopped_) return kept_.front().pair;
    std::vector<RewardPair> pairs;
    for (const auto& scored : kept_) pairs.push_back(scored.pair);
    const auto scores = objective_.fine(pairs);
    if (std::any_of(scores.begin(), scores.end(), [](double s) { return std::isnan(s); })) {
      stopped_ = true;
      return kept_.front().pair;
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    return pairs[static_cast<std::size_t>(best)];
  }

  std::string how() const {
    const char* fixed = plan_.fixed_base ? ", the input fixed but for one reward" : "";
    if (kept_.empty()) {
      return fmt::format("no pair was scored by {}{}{}", objective_.name, fixed, why_ended());
    }
    if (evaluated_ >= planned_ && !stopped_) {
      return fmt::format("{} pairs tried by {}{}", evaluated_, objective_.name, fixed);
    }
    return fmt::format("{} of {} pairs tried by {}{}{}", evaluated_, planned_, objective_.name,
                       fixed, why_ended());
  }

  std::string why_ended() const {
    if (control_.interrupted()) return "; an interruption ended it";
    if (stopped_ || plan_.most_pairs) return "; the budget ended it";
    return kept_.empty() ? "; one takes longer than the whole search may" : "";
  }

  static constexpr std::size_t kFinalists = 8;
  static constexpr std::size_t kBatch = 16;
  static constexpr std::size_t kMostBlocks = 8;
  const PairSearchPlan& plan_;
  const PairObjective& objective_;
  const RunControl& control_;
  std::int64_t most_;
  std::vector<Scored> kept_;
  std::int64_t evaluated_ = 0;
  std::int64_t planned_ = 0;
  bool stopped_ = false;
};

}  // namespace

detail::CoarseSize detail::coarse_size(const PairSearchPlan& plan, double work_of_a_round) {
  constexpr double kFewestPairs = 16.0;  // at the cost of rounds
  constexpr std::int64_t kFewestRounds = 64;
  const double whole = static_cast<double>(plan.horizon) * work_of_a_round;
  if (kFewestPairs * whole <= kSearchWork) {
    return {plan.horizon, static_cast<std::int64_t>(kSearchWork / whole)};
  }
  const auto rounds = static_cast<std::int64_t>(kSearchWork / kFewestPairs / work_of_a_round);
  if (rounds < std::min(kFewestRounds, plan.horizon)) return {};
  return {rounds, static_cast<std::int64_t>(kFewestPairs)};
}

std::vector<RewardPair> structural_seeds(const PairSearchPlan& plan) {
  std::vector<RewardPair> pairs;
  for (const RewardPair& base : base_patterns(plan.horizon)) {
    for (const std::int64_t position : early_positions(plan)) {
      pairs.push_back(base);
      pairs.back().change_at(position, 0.0, 1.0);
    }
  }
  return pairs;
}

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control) {
  return Search(plan, objective, control).run();
}

}  // namespace assay

#include "assay/auditors/neighbours/search.hpp"

#include <fmt/format.h>

#include <numeric>

namespace assay {
namespace {

constexpr double kLevels[] = {0.0, 0.25, 0.5, 0.75, 1.0};

struct Scored {
  RewardPair pair;
  double score = 0.0;
};

RewardPair make_pair(RewardSequence stream, std::int64_t position, double old_value,
                     double new_value) {
  stream[static_cast<std::size_t>(position - 1)] = old_value;
  return {std::move(stream), position, new_value};
}

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

std::vector<RewardSequence> base_patterns(std::int64_t horizon) {
  const auto length = static_cast<std::size_t>(horizon);
  std::vector<RewardSequence> bases;
  for (const double level : kLevels) bases.emplace_back(length, level);
  RewardSequence alternating(length);
  for (std::size_t t = 0; t < length; ++t) alternating[t] = static_cast<double>(t % 2);
  bases.push_back(alternating);
  for (std::int64_t start = 2; start < horizon; start *= 4) {
    for (const double before : {0.0, 1.0}) {
      RewardSequence switching(length, 1.0 - before);
      std::fill_n(switching.begin(), start, before);
      bases.push_back(std::move(switching));
    }
  }
  return bases;
}

// Every position with the replacement values 0 and 1.
std::vector<RewardPair> pairs_of_base(const RewardSequence& base) {
  std::vector<RewardPair> pairs;
  for (std::size_t t = 0; t < base.size(); ++t) {
    for (const double value : {0.0, 1.0}) {
      if (base[t] != value) pairs.push_back({base, static_cast<std::int64_t>(t) + 1, value});
    }
  }
  return pairs;
}

RewardPair with_block(RewardPair pair, std::int64_t first, std::int64_t length, double level) {
  const double old_value = pair.old_value();
  const auto end =
      std::min<std::int64_t>(first + length, static_cast<std::int64_t>(pair.stream.size()));
  for (std::int64_t t = first; t < end; ++t) pair.stream[static_cast<std::size_t>(t)] = level;
  pair.stream[static_cast<std::size_t>(pair.position - 1)] = old_value;
  return pair;
}

RewardPair proposal(const RewardPair& best, ReplayStream& random) {
  const auto horizon = static_cast<std::int64_t>(best.stream.size());
  const double level = kLevels[pick(random, std::size(kLevels))];
  switch (pick(random, 8)) {
    case 0: {  // another position, with the same values
      const std::int64_t position =
          pick(random, 2) == 0 ? 1 + pick(random, horizon)
                               : std::clamp<std::int64_t>(
                                     best.position + (pick(random, 2) == 0 ? 1 : -1), 1, horizon);
      RewardSequence stream = best.stream;
      stream[static_cast<std::size_t>(best.position - 1)] =
          stream[static_cast<std::size_t>(position - 1)];
      return make_pair(std::move(stream), position, best.old_value(), best.new_value);
    }
    case 1: {  // other values at the position
      const double other = kLevels[pick(random, std::size(kLevels))];
      return make_pair(best.stream, best.position, level, other);
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
  const auto horizon = static_cast<std::int64_t>(best.stream.size());
  for (std::int64_t t = 0; t < horizon; ++t) {
    for (const double level : kLevels) {
      if (t + 1 != best.position) pairs.push_back(with_block(best, t, 1, level));
    }
    RewardSequence stream = best.stream;
    stream[static_cast<std::size_t>(best.position - 1)] = stream[static_cast<std::size_t>(t)];
    pairs.push_back(make_pair(std::move(stream), t + 1, best.old_value(), best.new_value));
  }
  return pairs;
}

class Search {
 public:
  Search(const PairSearchPlan& plan, const PairObjective& objective, const RunControl& control)
      : plan_(plan), objective_(objective), control_(control) {}

  SearchResult run() {
    consider(plan_.fixed_base ? pairs_of_base(*plan_.fixed_base) : structural_seeds(plan_));
    if (!plan_.fixed_base) climb();
    return {finalist(), evaluated_,
            fmt::format("{} pairs tried by {}{}", evaluated_, objective_.name,
                        plan_.fixed_base ? ", the input fixed but for one reward" : "")};
  }

 private:
  // Scores the candidates and keeps all of them, best first; true if the best improved.
  bool consider(const std::vector<RewardPair>& pairs) {
    const double before = kept_.empty() ? -1.0 : kept_.front().score;
    const std::vector<double> scores = objective_.coarse(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) kept_.push_back({pairs[i], scores[i]});
    evaluated_ += static_cast<std::int64_t>(pairs.size());
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    if (kept_.size() > kFinalists) kept_.resize(kFinalists);
    control_.report("search", std::min(1.0, static_cast<double>(evaluated_) /
                                                static_cast<double>(objective_.budget)));
    return kept_.front().score > before * (1.0 + 1e-9);
  }

  void climb() {
    constexpr std::int64_t kShort = 12;  // rounds: sweep all single changes
    constexpr std::size_t kBatch = 16;
    ReplayStream random({plan_.seed, hash_purpose("search/proposals"), 0, 0, Phase::kSearch});
    if (plan_.horizon <= kShort) {
      while (evaluated_ < objective_.budget && !control_.cancelled()) {
        if (!consider(all_single_changes(kept_.front().pair))) break;
      }
    }
    while (evaluated_ < objective_.budget && !control_.cancelled()) {
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

  RewardPair finalist() const {
    if (!objective_.fine) return kept_.front().pair;
    std::vector<RewardPair> pairs;
    for (const auto& scored : kept_) pairs.push_back(scored.pair);
    const auto scores = objective_.fine(pairs);
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    return pairs[static_cast<std::size_t>(best)];
  }

  static constexpr std::size_t kFinalists = 8;
  const PairSearchPlan& plan_;
  const PairObjective& objective_;
  const RunControl& control_;
  std::vector<Scored> kept_;
  std::int64_t evaluated_ = 0;
};

}  // namespace

std::vector<RewardPair> structural_seeds(const PairSearchPlan& plan) {
  std::vector<RewardPair> pairs;
  for (const auto& base : base_patterns(plan.horizon)) {
    for (const std::int64_t position : early_positions(plan)) {
      pairs.push_back(make_pair(base, position, 0.0, 1.0));
    }
  }
  return pairs;
}

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control) {
  return Search(plan, objective, control).run();
}

}  // namespace assay

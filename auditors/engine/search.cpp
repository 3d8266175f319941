#include "assay/auditors/engine/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/methods/paths.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::int64_t kExactSearchLimit = 8192;  // transcripts
constexpr double kSearchWork = 6e7;  // quarters of a microsecond, of each of the objectives
constexpr double kNotScored = std::numeric_limits<double>::quiet_NaN();

// (1) from `transcripts` on each input, over the first `rounds`.
double symmetrised_divergence(const PairProcess& fresh, std::uint64_t seed,
                              std::int64_t transcripts, std::int64_t rounds,
                              const RunControl& control) {
  const auto actions = static_cast<std::size_t>(fresh.action_count());
  std::vector<double> log_p(actions);
  std::vector<double> log_q(actions);
  double total = 0.0;
  const auto process = fresh.clone();
  StopPoll poll(control);
  for (const Side side : {Side::kBase, Side::kNeighbour}) {
    for (std::int64_t r = 0; r < transcripts; ++r) {
      ReplayStream random({seed, hash_purpose("search"), static_cast<std::uint64_t>(r),
                           detail::side_lane(side), Phase::kSearch});
      process->restart();
      for (std::int64_t t = 0; t < std::min(rounds, process->horizon()); ++t) {
        if (poll()) return kNotScored;
        if (!process->agrees() && !process->forced()) {
          if (!detail::log_probabilities_unless(poll, *process, ArgmaxPrecision::kSampling, log_p,
                                                log_q)) {
            return kNotScored;
          }
          const auto& a = side == Side::kBase ? log_p : log_q;
          const auto& b = side == Side::kBase ? log_q : log_p;
          for (std::size_t i = 0; i < actions; ++i) total += portable_exp(a[i]) * (a[i] - b[i]);
        }
        process->advance(process->draw(side, random));
      }
    }
  }
  return total / static_cast<double>(transcripts);
}

// delta(eps) from `transcripts` on each input, larger orientation.
double sampled_delta(const PairProcess& fresh, double epsilon, std::uint64_t seed,
                     std::int64_t transcripts, const RunControl& control) {
  double best = 0.0;
  const auto process = fresh.clone();
  StopPoll poll(control);
  for (const Side side : {Side::kBase, Side::kNeighbour}) {
    double sum = 0.0;
    for (std::int64_t r = 0; r < transcripts; ++r) {
      const StreamId id{seed, hash_purpose("search/delta"), static_cast<std::uint64_t>(r),
                        detail::side_lane(side), Phase::kSearch};
      const double loss = detail::sample_loss(*process, side, ReplayStream(id), nullptr, poll);
      if (poll.stopped()) return kNotScored;
      const double toward = side == Side::kBase ? loss : -loss;
      if (toward > epsilon) sum -= portable_expm1(epsilon - toward);
    }
    best = std::max(best, sum / static_cast<double>(transcripts));
  }
  return best;
}

using detail::Block;
using Candidate = detail::PairCandidate;
using Row = std::vector<double>;

struct Scored {
  Candidate candidate;
  double score = 0.0;
};

// Uniform in {0, .., count - 1}. The bias of the modulus is below 2^-50 and only steers a search.
std::int64_t pick(ReplayStream& random, std::int64_t count) {
  return static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(count));
}

// Positions worth trying first: the first rounds, where a mean depends on one reward.
std::vector<std::int64_t> early_positions(const PairSearchPlan& plan) {
  std::vector<std::int64_t> positions = {1,
                                         2,
                                         3,
                                         plan.action_count,
                                         plan.moves.first_free_round,
                                         plan.moves.first_free_round + 1,
                                         plan.horizon / 2};
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::erase_if(positions, [&](std::int64_t p) { return p < 1 || p > plan.horizon; });
  return positions;
}

InputTable filled(std::int64_t rows, const Row& row) {
  InputTable table = InputTable::zeros(rows, static_cast<std::int64_t>(row.size()));
  for (std::int64_t r = 0; r < rows; ++r) std::copy(row.begin(), row.end(), table.row(r).begin());
  return table;
}

// Streams of one or two levels are blocks on a base of the first level.
std::vector<Candidate> base_patterns(std::int64_t horizon, const std::vector<Row>& levels) {
  const Row& low = levels.front();
  const Row& high = levels.back();
  const auto lows = std::make_shared<const InputTable>(filled(horizon, low));
  std::vector<Candidate> bases;
  const auto add = [&](const std::shared_ptr<const InputTable>& base,
                       std::initializer_list<Block> blocks) {
    bases.push_back({base, {}, 0, low, high});
    for (const Block& block : blocks) {
      if (block.row != low) bases.back().blocks.push_back(block);
    }
  };
  for (const Row& level : levels) add(lows, {{0, horizon, level}});
  InputTable alternating = *lows;
  for (std::int64_t t = 1; t < horizon; t += 2) {
    std::copy(high.begin(), high.end(), alternating.row(t).begin());
  }
  add(std::make_shared<const InputTable>(std::move(alternating)), {});
  for (std::int64_t start = 2; start < horizon; start *= 4) {
    add(lows, {{0, start, low}, {start, horizon, high}});
    add(lows, {{0, start, high}, {start, horizon, low}});
  }
  return bases;
}

// The positions of at most `most` pairs beside a base: all, or the first ones and as many spread over
// the rest.
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

// Each position with the extreme values in its place.
std::vector<Candidate> pairs_of_base(const PairSearchPlan& plan, const PairObjective& objective) {
  const auto& base = plan.fixed_base;
  std::vector<Candidate> pairs;
  const auto rounds = std::min(base->rows, std::max(objective.rounds, std::int64_t{1}));
  for (const std::int64_t position : positions_of(rounds, objective.most)) {
    const auto there = base->row(position - 1);
    const Row base_row(there.begin(), there.end());
    for (const Row& row : {plan.moves.levels.front(), plan.moves.levels.back()}) {
      if (base_row != row) pairs.push_back({base, {}, position - 1, base_row, row});
    }
  }
  return pairs;
}

Candidate with_block(Candidate pair, std::int64_t first, std::int64_t length, const Row& level) {
  pair.blocks.push_back({first, std::min(first + length, pair.base->rows), level});
  return pair;
}

// Moves the change to another row, with the same values. The row there moves to the old place.
Candidate moved(Candidate pair, std::int64_t row) {
  const std::int64_t from = pair.changed;
  pair.blocks.push_back({from, from + 1, row == from ? pair.base_row : pair.unchanged(row)});
  pair.changed = row;
  return pair;
}

Candidate proposal(const Candidate& best, const std::vector<Row>& levels, ReplayStream& random) {
  const std::int64_t horizon = best.base->rows;
  const auto count = static_cast<std::int64_t>(levels.size());
  const auto any_level = [&]() -> const Row& {
    return levels[static_cast<std::size_t>(pick(random, count))];
  };
  const Row& level = any_level();
  switch (pick(random, 8)) {
    case 0:  // another position, with the same values
      return moved(best, pick(random, 2) == 0
                             ? pick(random, horizon)
                             : std::clamp<std::int64_t>(
                                   best.changed + (pick(random, 2) == 0 ? 1 : -1), 0, horizon - 1));
    case 1: {  // other values at the position
      Candidate pair = best;
      pair.base_row = level;
      pair.neighbour_row = any_level();
      return pair;
    }
    default: {  // a block of the rest of the stream, its length log-uniform
      std::int64_t length = 1;
      while (length < horizon && pick(random, 2) == 0) length *= 2;
      return with_block(best, pick(random, horizon), length, level);
    }
  }
}

// Every change of a single round, at every position, for streams so short that it pays.
std::vector<Candidate> all_single_changes(const Candidate& best, const std::vector<Row>& levels) {
  std::vector<Candidate> pairs;
  for (std::int64_t t = 0; t < best.base->rows; ++t) {
    for (const Row& level : levels) {
      if (t != best.changed) pairs.push_back(with_block(best, t, 1, level));
    }
    pairs.push_back(moved(best, t));
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
    const auto starts = plan_.fixed_base ? pairs_of_base(plan_, objective_) : seeds();
    planned_ = static_cast<std::int64_t>(starts.size());
    consider(starts);
    if (!plan_.fixed_base) {
      planned_ = std::min(std::max(planned_, objective_.budget), objective_.most);
      climb();
    }
    const Candidate& found = kept_.empty() ? starts.front() : finalist();
    return {found.pair(), evaluated_, stopped_, how()};
  }

 private:
  // The structural pairs. If there are too many to try, those with a changed first reward come first.
  std::vector<Candidate> seeds() const {
    auto pairs = detail::structural_seeds(plan_);
    if (objective_.most < static_cast<std::int64_t>(pairs.size())) {
      std::stable_sort(pairs.begin(), pairs.end(), [](const Candidate& a, const Candidate& b) {
        return a.changed < b.changed;
      });
    }
    return pairs;
  }

  bool is_spent() const { return stopped_ || evaluated_ >= most_; }

  // Scores the candidates and keeps the best, best first; true if the best improved.
  bool consider(const std::vector<Candidate>& pairs) {
    const std::size_t batch = kBatch * static_cast<std::size_t>(control_.workers());
    const double before = kept_.empty() ? -1.0 : kept_.front().score;
    for (std::size_t first = 0; first < pairs.size() && !is_spent();) {
      const std::size_t count =
          std::min({batch, pairs.size() - first, static_cast<std::size_t>(most_ - evaluated_)});
      keep(std::span(pairs).subspan(first, count));
      first += count;
    }
    return !kept_.empty() && kept_.front().score > before * (1.0 + 1e-9);
  }

  // Each thread polls the same control.
  std::vector<double> scores_of(std::span<const Candidate> pairs, const PairScore& score) const {
    RunControl alone = control_;
    alone.threads = 1;
    alone.progress = nullptr;
    return map_chunks(control_, pairs.size(), [&](std::size_t i) {
      return alone.stopped() ? kNotScored : score(pairs[i].pair(), alone);
    });
  }

  void keep(std::span<const Candidate> pairs) {
    const std::vector<double> scores = scores_of(pairs, objective_.coarse);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      stopped_ = stopped_ || std::isnan(scores[i]);
      if (stopped_) break;
      kept_.push_back({pairs[i], scores[i]});
      ++evaluated_;
    }
    std::stable_sort(kept_.begin(), kept_.end(),
                     [](const Scored& a, const Scored& b) { return a.score > b.score; });
    if (kept_.size() > kFinalists) kept_.resize(kFinalists);
    for (Scored& scored : kept_) scored.candidate.flatten(kMostBlocks);
    control_.report("search", std::min(1.0, static_cast<double>(evaluated_) /
                                                static_cast<double>(objective_.budget)));
  }

  void climb() {
    constexpr std::int64_t kShort = 12;  // rounds: try all single changes
    if (kept_.empty()) return;
    ReplayStream random({plan_.seed, hash_purpose("search/proposals"), 0, 0, Phase::kSearch});
    if (plan_.horizon <= kShort) {
      while (evaluated_ < objective_.budget && !is_spent()) {
        if (!consider(all_single_changes(kept_.front().candidate, plan_.moves.levels))) break;
      }
    }
    while (evaluated_ < objective_.budget && !is_spent()) {
      std::vector<Candidate> pairs;
      // Proposals are mostly around the best pair, sometimes around a runner-up, against local optima.
      while (pairs.size() < kBatch) {
        const auto count = static_cast<std::int64_t>(kept_.size());
        const std::int64_t from = pick(random, 3) == 0 ? pick(random, count) : 0;
        pairs.push_back(
            proposal(kept_[static_cast<std::size_t>(from)].candidate, plan_.moves.levels, random));
      }
      consider(pairs);
    }
  }

  const Candidate& finalist() {
    if (!objective_.fine || stopped_) return kept_.front().candidate;
    std::vector<Candidate> pairs;
    for (const auto& scored : kept_) pairs.push_back(scored.candidate);
    const auto scores = scores_of(pairs, objective_.fine);
    if (std::any_of(scores.begin(), scores.end(), [](double s) { return std::isnan(s); })) {
      stopped_ = true;
      return kept_.front().candidate;
    }
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    return kept_[static_cast<std::size_t>(best)].candidate;
  }

  std::string how() const {
    const char* fixed = plan_.fixed_base ? ", with the input fixed except for one reward" : "";
    if (kept_.empty()) {
      return fmt::format("no pair was scored by {}{}{}", objective_.name, fixed, why_ended());
    }
    if (evaluated_ >= planned_ && !stopped_) {
      return fmt::format("a search of {} pairs by {}{}", evaluated_, objective_.name, fixed);
    }
    return fmt::format("a search of {} of {} pairs by {}{}{}", evaluated_, planned_,
                       objective_.name, fixed, why_ended());
  }

  std::string why_ended() const {
    if (control_.interrupted()) return "; an interruption ended it";
    if (stopped_ || plan_.most_pairs) return "; the budget ended it";
    return kept_.empty() ? "; one pair takes longer than the whole search may" : "";
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

// How many rounds of a stream `coarse` examines, and how many pairs that allows; {} if no rounds fit.
struct CoarseSize {
  std::int64_t rounds = 0;
  std::int64_t pairs = 0;
};
CoarseSize coarse_size(const PairSearchPlan& plan, double work_of_a_round) {
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

}  // namespace

double detail::exact_objective(const PairProcess& fresh, const ClaimedQuantity& claimed,
                               const RunControl& control) {
  auto distributions = enumerate_transcripts(fresh, control);
  if (!distributions)
    return distributions.error().code == ErrorCode::kInterrupted ? kNotScored : 0.0;
  return lower_bound_of(std::move(*distributions), claimed);
}

PairObjective make_objective(const ProcessOfPair& make, const PairSearchPlan& plan) {
  const ClaimedQuantity claimed = claimed_quantity(plan.claim);
  const std::int64_t sampled_budget =
      std::clamp<std::int64_t>(100'000 / (plan.horizon * plan.action_count), 48, 600);
  const auto transcripts = detail::count_transcripts(plan.action_count, plan.horizon);
  const double round = detail::all_actions_work(plan.action_count);
  PairObjective objective;
  if (transcripts && *transcripts <= kExactSearchLimit) {
    const double prefixes =
        static_cast<double>(*transcripts) / static_cast<double>(plan.action_count - 1);
    objective.name = "exact enumeration";
    objective.budget = std::clamp<std::int64_t>(400'000 / *transcripts, 250, 1000);
    objective.most = static_cast<std::int64_t>(kSearchWork / (prefixes * round));
    objective.coarse = [make, claimed](const InputPair& pair, const RunControl& alone) {
      return detail::exact_objective(*make(pair), claimed, alone);
    };
    return objective;
  }
  constexpr int kBeam = 4;             // the width of each of four beams
  constexpr std::int64_t kCoarse = 8;  // transcripts on each input, which cost as much a round
  const auto size = coarse_size(plan, 16.0 * round);
  const std::int64_t rounds = size.rounds;
  objective.budget = sampled_budget;
  objective.most = size.pairs;
  objective.rounds = rounds;
  const auto name = [&](const char* what) {
    return rounds > 0 && rounds < plan.horizon
               ? std::string(what) + " over the first " + std::to_string(rounds) + " rounds"
               : std::string(what);
  };
  if (claimed.kind == QuantityKind::kMu || claimed.limit == 0.0) {
    objective.name = name("exact low-probability paths");
    objective.coarse = [make, claimed, rounds](const InputPair& pair, const RunControl& alone) {
      const auto process = make(pair);
      const auto found = search_paths(*process, {kBeam, rounds}, alone);
      if (found.rounds < std::min(rounds, process->horizon()) || alone.stopped()) {
        return kNotScored;
      }
      return claimed.kind == QuantityKind::kMu ? found.largest_mu.mu.value.value
                                               : std::fabs(found.largest_loss.loss());
    };
    return objective;
  }
  constexpr double kFine = 1024.0;
  constexpr double kFewestFine = 16.0;
  objective.name = name("sampled divergence");
  const std::uint64_t seed = plan.seed;
  objective.coarse = [make, seed, rounds](const InputPair& pair, const RunControl& alone) {
    return symmetrised_divergence(*make(pair), seed, kCoarse, rounds, alone);
  };
  const double played = 16.0 * static_cast<double>(plan.horizon) *
                        detail::one_action_work(plan.action_count);  // eight finalists, two inputs
  const double fine = std::min(kFine, std::floor(2.0 * kSearchWork / played));
  if (fine < kFewestFine) return objective;
  objective.name += ", then sampled delta(eps)";
  objective.fine = [make, seed, claimed, fine](const InputPair& pair, const RunControl& alone) {
    return sampled_delta(*make(pair), claimed.at, seed, static_cast<std::int64_t>(fine), alone);
  };
  return objective;
}

std::vector<double> detail::PairCandidate::unchanged(std::int64_t row) const {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    if (row >= block->first && row < block->end) return block->row;
  }
  const auto there = base->row(row);
  return {there.begin(), there.end()};
}

InputPair detail::PairCandidate::pair() const {
  const auto there = base->row(changed);
  if (blocks.empty() && std::equal(there.begin(), there.end(), base_row.begin())) {
    return {base, {changed, neighbour_row}};
  }
  InputTable input = *base;
  for (const Block& block : blocks) {
    for (std::int64_t r = block.first; r < block.end; ++r) {
      std::copy(block.row.begin(), block.row.end(), input.row(r).begin());
    }
  }
  std::copy(base_row.begin(), base_row.end(), input.row(changed).begin());
  return InputPair::of(std::move(input), {changed, neighbour_row});
}

void detail::PairCandidate::flatten(std::size_t most_blocks) {
  if (blocks.size() <= most_blocks) return;
  base = pair().base();
  blocks.clear();
}

std::vector<detail::PairCandidate> detail::structural_seeds(const PairSearchPlan& plan) {
  std::vector<PairCandidate> pairs;
  for (const PairCandidate& base : base_patterns(plan.horizon, plan.moves.levels)) {
    for (const std::int64_t position : early_positions(plan)) {
      pairs.push_back(base);
      pairs.back().changed = position - 1;
    }
  }
  return pairs;
}

SearchResult search_worst_pair(const PairSearchPlan& plan, const PairObjective& objective,
                               const RunControl& control) {
  return Search(plan, objective, control).run();
}

}  // namespace assay

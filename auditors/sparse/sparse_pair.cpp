#include "assay/auditors/sparse/sparse_pair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_chain.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostTold = 64;  // actions, in order

double order_log_probability(const Laplace& noise, const idealized::PeelingOutput& released,
                             std::span<const double> vector) {
  std::vector<double> sizes;
  sizes.reserve(vector.size());
  for (const double v : vector) sizes.push_back(std::fabs(v));
  return noisy_max_chain_log_probability(noise, sizes, released.indices);
}

// From coarse to fine, for a learner of prefixes.
void append_count(std::vector<int>& out, std::int64_t count, std::int64_t rounds) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(rounds));
  for (const int below : {bits - 4, 0}) {
    out.push_back(static_cast<int>(count >> std::max(below, 0)));
  }
}

// Do the arms differ in one coordinate at most?
bool is_of_one_coordinate(const ContextSet& contexts) {
  std::int64_t place = -1;
  for (std::int64_t arm = 1; arm < contexts.arms; ++arm) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(contexts.dimension); ++j) {
      if (contexts.of(arm)[j] == contexts.of(0)[j]) continue;
      if (place >= 0 && place != static_cast<std::int64_t>(j)) return false;
      place = static_cast<std::int64_t>(j);
    }
  }
  return true;
}

// (1), or (2), for one call of N-IHT: log densities of its peelings for each possible changed
// record.
class CallDensities {
 public:
  // One record for D and one for D', or one for each arm.
  CallDensities(std::vector<RegressionData> base_side, std::vector<RegressionData> neighbour_side)
      : sides_{std::move(base_side), std::move(neighbour_side)},
        logs_{std::vector<double>(sides_[0].size()), std::vector<double>(sides_[1].size())} {}

  void add_to_all(std::span<const double> context, double reward) {
    for (auto& side : sides_) {
      for (RegressionData& data : side) data.add(context, reward);
    }
  }
  RegressionData& of(Side side, std::size_t candidate) {
    return sides_[side == Side::kBase ? 0 : 1][candidate];
  }

  void observe(const NihtPlan& plan, const NihtStep& step) {
    const double scale = step.iteration == 0 ? plan.first_scale : plan.scale;
    const auto noise = Laplace::create(0.0, scale);
    ASSAY_CHECK(noise.has_value(), "calls have noise");
    if (sides_[0].size() == 1) {
      logs_[0][0] += peeling_loss(*noise, step.released, niht_vector(plan, sides_[0][0], theta_),
                                  niht_vector(plan, sides_[1][0], theta_));
    } else {
      for (std::size_t s = 0; s < 2; ++s) {
        for (std::size_t k = 0; k < sides_[s].size(); ++k) {
          logs_[s][k] +=
              peeling_log_density(*noise, step.released, niht_vector(plan, sides_[s][k], theta_));
        }
      }
    }
    theta_ = step.estimate;
  }
  double loss() const {
    LogSum base_side, neighbour_side;
    for (const double log : logs_[0]) base_side.add(1.0, log);
    for (const double log : logs_[1]) neighbour_side.add(1.0, log);
    return base_side.log() - neighbour_side.log();  // (2)
  }

 private:
  std::vector<RegressionData> sides_[2];
  std::vector<double> logs_[2];
  SparseVector theta_;
};

class SparseRelease final : public PairRelease {
 public:
  SparseRelease(const EpisodesConfig& config, std::vector<NihtPlan> plans, InputPair pair,
                double largest)
      : config_(config),
        plans_(std::move(plans)),
        fresh_(config),
        pair_(std::move(pair)),
        largest_(largest),
        changed_(pair_.changed_row()),
        episode_(episode_of_round(changed_)) {
    const std::int64_t end = (std::int64_t{2} << episode_) - 1;
    for (std::int64_t t = end; t < std::min(config_.horizon, 2 * end + 1); ++t) {
      reads_one_.push_back(is_of_one_coordinate(contexts_of(pair_.base()->row(t))));
    }
  }

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    if (episode_ >= static_cast<std::int64_t>(plans_.size())) return {{0}, 0.0};
    const NihtPlan& read = plans_[static_cast<std::size_t>(episode_)];
    if (read.iterations == 0) return {{0}, 0.0};
    GreedyEpisodes episodes = fresh_;
    CallDensities densities = call();
    const std::int64_t end = (std::int64_t{2} << episode_) - 1;  // the end of episode l
    for (std::int64_t t = 0; t < end; ++t) {
      const auto row = row_of(side, t);
      const int arm = episodes.choose(contexts_of(row), random);
      const std::int64_t episode = episodes.episode();
      if (episode == episode_) add_record(t, arm, episodes.estimate(), densities);
      if (!episodes.record(row[static_cast<std::size_t>(arm)])) continue;
      const NihtPlan& plan = plans_[static_cast<std::size_t>(episode)];
      episodes.set_estimate(run_niht(plan, episodes.records(), random, [&](const NihtStep& step) {
        if (episode == episode_) densities.observe(plan, step);
      }));
    }
    const auto rounds = static_cast<std::int64_t>(reads_one_.size());
    std::int64_t others = 0, of_one = 0, rounds_of_one = 0;
    std::vector<int> told;
    for (std::int64_t t = end; t < end + rounds; ++t) {
      const ContextSet contexts = contexts_of(pair_.base()->row(t));
      const int arm = greedy_arm(contexts, episodes.estimate());
      const bool one = reads_one_[static_cast<std::size_t>(t - end)];
      rounds_of_one += one;
      (one ? of_one : others) += arm != 0;
      if (t < end + kMostTold) told.push_back(arm);
    }
    std::vector<int> seen;
    append_count(seen, of_one, rounds_of_one);
    append_count(seen, others, rounds - rounds_of_one);
    seen.insert(seen.end(), told.begin(), told.end());
    return {std::move(seen), densities.loss()};
  }
  double largest_loss() const override { return largest_; }

 private:
  std::span<const double> row_of(Side side, std::int64_t round) const {
    return side == Side::kNeighbour ? pair_.neighbour_row(round) : pair_.base()->row(round);
  }
  ContextSet contexts_of(std::span<const double> row) const {
    return {config_.arms, config_.dimension, row.subspan(static_cast<std::size_t>(config_.arms))};
  }

  // The records of the changed episode, empty at first.
  CallDensities call() const {
    const std::int64_t n = std::int64_t{1} << episode_;
    const RegressionData none(config_.dimension, n,
                              plans_[static_cast<std::size_t>(episode_)].iterations,
                              {config_.x_max, episode_reward_clip(config_, n)});
    const std::vector<RegressionData> side(
        episode_ == 0 ? static_cast<std::size_t>(config_.arms) : 1, none);
    return {side, side};
  }
  void add_record(std::int64_t round, int arm, const SparseVector& estimate,
                  CallDensities& densities) const {
    if (round != changed_) {
      const auto row = pair_.base()->row(round);
      densities.add_to_all(contexts_of(row).of(arm), row[static_cast<std::size_t>(arm)]);
      return;
    }
    for (const Side side : {Side::kBase, Side::kNeighbour}) {
      const auto row = row_of(side, round);
      const ContextSet contexts = contexts_of(row);
      const auto add = [&](int played, std::size_t candidate) {
        densities.of(side, candidate)
            .add(contexts.of(played), row[static_cast<std::size_t>(played)]);
      };
      if (episode_ > 0) {
        add(greedy_arm(contexts, estimate), 0);
        continue;
      }
      for (int k = 0; k < config_.arms; ++k) add(k, static_cast<std::size_t>(k));
    }
  }

  EpisodesConfig config_;
  std::vector<NihtPlan> plans_;
  GreedyEpisodes fresh_;
  InputPair pair_;
  double largest_;
  std::int64_t changed_;
  std::int64_t episode_;
  std::vector<bool> reads_one_;  // by round of episode l + 1
};

}  // namespace

std::int64_t episode_of_round(std::int64_t round) {
  return std::bit_width(static_cast<std::uint64_t>(round + 1)) - 1;
}

double peeling_log_density(const Laplace& noise, const idealized::PeelingOutput& released,
                           std::span<const double> vector) {
  double log = order_log_probability(noise, released, vector);
  for (std::size_t r = 0; r < released.indices.size(); ++r) {
    log += noise.log_density(released.values[r] -
                             vector[static_cast<std::size_t>(released.indices[r])]);
  }
  return log;
}

double peeling_loss(const Laplace& noise, const idealized::PeelingOutput& released,
                    std::span<const double> base_vector, std::span<const double> neighbour_vector) {
  if (std::equal(base_vector.begin(), base_vector.end(), neighbour_vector.begin(),
                 neighbour_vector.end())) {
    return 0.0;
  }
  double loss = order_log_probability(noise, released, base_vector) -
                order_log_probability(noise, released, neighbour_vector);
  for (std::size_t r = 0; r < released.indices.size(); ++r) {
    const auto j = static_cast<std::size_t>(released.indices[r]);
    loss += (std::fabs(released.values[r] - neighbour_vector[j]) -
             std::fabs(released.values[r] - base_vector[j])) /
            noise.scale();  // (1)
  }
  return loss;
}

double largest_call_loss(const NihtPlan& plan, const NihtBounds& bounds) {
  if (plan.iterations == 0) return 0.0;
  if (plan.first_scale == 0.0) return kInfinity;
  using detail::Enclosure;
  Enclosure sum = Enclosure(niht_sensitivity(plan, bounds, 0)) / plan.first_scale;
  if (plan.iterations > 1) {
    sum = sum + Enclosure(niht_sensitivity(plan, bounds, 1)) / plan.scale *
                    static_cast<double>(plan.iterations - 1);
  }
  // The rounding of losses is far below the last factor.
  return (sum * (3.0 * static_cast<double>(plan.sparsity)) * (1.0 + 1e-9)).high;
}

Result<std::unique_ptr<PairRelease>> sparse_release(const EpisodesConfig& config,
                                                    std::vector<NihtPlan> plans,
                                                    const InputPair& pair, double largest) {
  if (pair.base_input().rows != config.horizon) {
    return fail(ErrorCode::kInvalidArgument, "the input must have a row for each of " +
                                                 std::to_string(config.horizon) + " rounds, not " +
                                                 std::to_string(pair.base_input().rows));
  }
  ASSAY_TRY(check_context_rows(config.arms, config.dimension, pair.base_input()));
  ASSAY_TRY(check_context_rows(
      config.arms, config.dimension,
      InputTable::one_row({pair.neighbour_row().begin(), pair.neighbour_row().end()})));
  return std::unique_ptr<PairRelease>(
      std::make_unique<SparseRelease>(config, std::move(plans), pair, largest));
}

Result<std::unique_ptr<PairRelease>> sparse_release(const Fliphat& policy, const InputPair& pair) {
  std::vector<NihtPlan> plans;
  for (std::int64_t episode = 0; episode < policy.estimates(); ++episode) {
    plans.push_back(policy.plan(episode));
  }
  const std::int64_t read = episode_of_round(pair.changed_row());
  const double largest =
      read < policy.estimates()
          ? largest_call_loss(policy.plan(read),
                              episode_bounds(policy.config(), std::int64_t{1} << read))
          : 0.0;
  return sparse_release(policy.config(), std::move(plans), pair, largest);
}

}  // namespace assay

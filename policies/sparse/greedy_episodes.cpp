#include "assay/policies/sparse/greedy_episodes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

constexpr double kMostPeeled = 100'000.0;

double iterations_of(const EpisodesConfig& config, std::int64_t records) {
  const auto n = static_cast<double>(records);
  switch (config.iterations) {
    case IterationRule::kText:
      return std::floor(config.iteration_factor * portable_log(n));  // (5)
    case IterationRule::kCode:
      return std::floor(config.iteration_factor *
                        portable_log1p(config.b_max * config.b_max * n));  // (6)
    case IterationRule::kTheorem:
      break;
  }
  const double log_cases = 2.0 * portable_log(config.b_max) + portable_log(n);
  return std::max(0.0, std::ceil(28.0 * config.kappa * log_cases));  // (4)
}

std::string sizes(const EpisodesConfig& config, std::int64_t records) {
  return "an episode of " + std::to_string(records) + " rounds has " +
         number_text(iterations_of(config, records)) + " iterations";
}

}  // namespace

Status EpisodesConfig::check() const {
  if (sparsity > dimension) {
    return fail(ErrorCode::kInvalidArgument,
                "sparsity must be 1 to dimension = " + std::to_string(dimension) + ", not " +
                    std::to_string(sparsity),
                "/sparsity");
  }
  for (std::int64_t n = 1; 2 * n <= horizon; n *= 2) {
    if (iterations_of(*this, n) * static_cast<double>(sparsity) > kMostPeeled) {
      return fail(ErrorCode::kLimit,
                  sizes(*this, n) + " of sparsity " + std::to_string(sparsity) +
                      "; together at most 100000 entries may be peeled",
                  iterations == IterationRule::kTheorem ? "/kappa" : "/iteration_factor");
    }
    if (kept_numbers(dimension, n, episode_iterations(*this, n)) > kMostKeptNumbers) {
      return fail(ErrorCode::kLimit,
                  sizes(*this, n) + ", and its records of dimension " + std::to_string(dimension) +
                      " hold more than " + number_text(kMostKeptNumbers) + " numbers",
                  "/horizon");
    }
  }
  return {};
}

double episode_reward_clip(const EpisodesConfig& config, std::int64_t records) {
  return config.x_max * config.b_max +
         config.sigma * std::sqrt(2.0 * portable_log(static_cast<double>(records)));  // (3)
}

std::int64_t episode_iterations(const EpisodesConfig& config, std::int64_t records) {
  return static_cast<std::int64_t>(iterations_of(config, records));
}

std::int64_t estimated_episodes(const EpisodesConfig& config) {
  // Episode l ends with round 2^(l+1) - 1, before T where 2^(l+1) <= T.
  return std::bit_width(static_cast<std::uint64_t>(config.horizon)) - 1;
}

NihtPlan episode_plan(const EpisodesConfig& config, std::int64_t records) {
  return {.sparsity = config.sparsity,
          .iterations = episode_iterations(config, records),
          .step = config.step,
          .projection = config.projection > 0.0 ? config.projection : config.b_max,
          .loss = config.loss};
}

NihtBounds episode_bounds(const EpisodesConfig& config, std::int64_t records) {
  return {.records = records,
          .context = config.x_max,
          .reward = episode_reward_clip(config, records),
          .b_max = config.b_max};
}

GreedyEpisodes::GreedyEpisodes(const EpisodesConfig& config)
    : config_(config),
      chosen_(static_cast<std::size_t>(config.dimension)),
      estimated_(estimated_episodes(config)) {
  start_records();
}

void GreedyEpisodes::start_records() {
  records_ = {};  // frees them before others exist
  if (episode_ >= estimated_) return;
  const std::int64_t n = std::int64_t{1} << episode_;
  records_ = RegressionData(config_.dimension, n, episode_iterations(config_, n),
                            {config_.x_max, episode_reward_clip(config_, n)});
}

int GreedyEpisodes::choose(const ContextSet& contexts, ReplayStream& random) {
  ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
  ASSAY_CHECK(contexts.arms == config_.arms && contexts.dimension == config_.dimension,
              "contexts of all arms and dimensions");
  const int arm =
      episode_ == 0
          ? static_cast<int>(uniform_below(random, static_cast<std::uint64_t>(config_.arms)))
          : greedy_arm(contexts, estimate_);  // (2)
  const auto context = contexts.of(arm);
  std::copy(context.begin(), context.end(), chosen_.begin());
  return arm;
}

bool GreedyEpisodes::record(double reward) {
  ASSAY_CHECK(round_ < config_.horizon, "observe follows an action, T times");
  if (episode_ < estimated_) records_.add(chosen_, reward);
  ++round_;
  // Episode l ends after round 2^(l+1) - 1: (1).
  if (round_ != (std::int64_t{2} << episode_) - 1) return false;
  ++episode_;
  return episode_ <= estimated_;
}

void GreedyEpisodes::set_estimate(SparseVector estimate) {
  estimate_ = std::move(estimate);
  start_records();
}

}  // namespace assay

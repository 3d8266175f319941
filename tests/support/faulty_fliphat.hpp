// One call of N-IHT written out by its listing, with a fault to plant, and rounds that read what it releases:
// plays of both sides, with the loss of what they release. Records do not depend on the arm.
#pragma once

#include "assay/auditors/sparse/sparse_pair.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_chain.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/sparse/l1_ball.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

enum class NihtFault {
  kNone,
  kCleanValues,  // the chosen coordinates as they are
  kReusesNoise,  // one draw a coordinate for the values of all iterations
  kRunningData,  // an estimate after every round, of the rounds so far; each round plays the last one
};

class FaultyNihtRelease final : public PairRelease {
 public:
  // The records of the pair's episode, the changed one among them, and the rounds after it.
  FaultyNihtRelease(const EpisodesConfig& config, NihtPlan plan, InputPair pair, NihtFault fault)
      : config_(config), plan_(plan), pair_(std::move(pair)), fault_(fault) {
    const std::int64_t episode = episode_of_round(pair_.changed_row());
    first_ = (std::int64_t{1} << episode) - 1;
    records_ = std::int64_t{1} << episode;
  }

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    // As the policy does, where no call before this one draws.
    uniform_below(random, static_cast<std::uint64_t>(config_.arms));
    RegressionData own = none(), other = none();
    std::vector<int> told;
    double loss = 0.0;
    SparseVector estimate;
    for (std::int64_t k = 1; k <= records_; ++k) {
      const std::int64_t t = first_ + k - 1;
      const auto row = row_of(side, t);
      if (fault_ == NihtFault::kRunningData) told.push_back(greedy_arm(contexts_of(row), estimate));
      add(own, row);
      add(other, row_of(side == Side::kBase ? Side::kNeighbour : Side::kBase, t));
      if (fault_ != NihtFault::kRunningData && k < records_) continue;
      NihtPlan plan = plan_;
      const double fewer = static_cast<double>(records_) / static_cast<double>(k);
      plan.first_scale *= fewer;
      plan.scale *= fewer;
      loss += call(plan, own, other, random, estimate);
    }
    for (std::int64_t t = first_ + records_; t < std::min(config_.horizon, first_ + 3 * records_);
         ++t) {
      told.push_back(greedy_arm(contexts_of(pair_.base()->row(t)), estimate));
    }
    int others = 0;
    for (const int arm : told) others += arm != 0;
    told.insert(told.begin(), others);
    return {told, side == Side::kBase ? loss : -loss};
  }

 private:
  RegressionData none() const {
    return {config_.dimension,
            records_,
            plan_.iterations,
            {config_.x_max, episode_reward_clip(config_, records_)}};
  }
  std::span<const double> row_of(Side side, std::int64_t t) const {
    return side == Side::kNeighbour ? pair_.neighbour_row(t) : pair_.base()->row(t);
  }
  ContextSet contexts_of(std::span<const double> row) const {
    return {config_.arms, config_.dimension, row.subspan(static_cast<std::size_t>(config_.arms))};
  }
  void add(RegressionData& data, std::span<const double> row) const {
    data.add(contexts_of(row).of(0), row[0]);
  }

  // Of the side that is played against the other.
  double call(const NihtPlan& plan, const RegressionData& own, const RegressionData& other,
              ReplayStream& random, SparseVector& estimate) const {
    double loss = 0.0;
    std::map<std::int64_t, std::pair<double, double>> drawn;  // noise of a coordinate, by side
    SparseVector theta;
    for (std::int64_t m = 0; m < plan.iterations; ++m) {
      const auto v = niht_vector(plan, own, theta);
      const auto w = niht_vector(plan, other, theta);
      const auto noise = Laplace::create(0.0, m == 0 ? plan.first_scale : plan.scale).value();
      auto released = niht_step(plan, own, m, theta, random).released;
      if (fault_ == NihtFault::kNone || fault_ == NihtFault::kRunningData) {
        loss += peeling_loss(noise, released, v, w);
      } else {
        loss += order(noise, released, v) - order(noise, released, w);
        for (std::size_t r = 0; r < released.indices.size(); ++r) {
          const auto j = static_cast<std::size_t>(released.indices[r]);
          if (fault_ == NihtFault::kCleanValues) {
            released.values[r] = v[j];
            if (v[j] != w[j]) loss = kForever;
            continue;
          }
          const double fresh = released.values[r] - v[j];
          const auto [known, is_new] =
              drawn.try_emplace(released.indices[r], fresh, released.values[r] - w[j]);
          released.values[r] = v[j] + known->second.first;
          const double if_other = released.values[r] - w[j];
          if (is_new) {
            loss += (std::fabs(if_other) - std::fabs(fresh)) / noise.scale();
          } else if (std::fabs(if_other - known->second.second) > 1e-9 * noise.scale()) {
            loss = kForever;  // the two values tell v's step apart from w's
          }
        }
      }
      theta = {};
      std::map<std::int64_t, double> sorted;
      for (std::size_t r = 0; r < released.indices.size(); ++r) {
        sorted[released.indices[r]] = released.values[r];
      }
      for (const auto& [index, value] : sorted) {
        theta.indices.push_back(index);
        theta.values.push_back(value);
      }
      project_onto_l1_ball(theta.values, plan.projection);
    }
    estimate = theta;
    return loss;
  }
  static double order(const Laplace& noise, const idealized::PeelingOutput& released,
                      std::vector<double> sizes) {
    for (double& size : sizes) size = std::fabs(size);
    return noisy_max_chain_log_probability(noise, sizes, released.indices);
  }

  static constexpr double kForever = std::numeric_limits<double>::infinity();

  EpisodesConfig config_;
  NihtPlan plan_;
  InputPair pair_;
  NihtFault fault_;
  std::int64_t first_ = 0;
  std::int64_t records_ = 1;
};

}  // namespace assay

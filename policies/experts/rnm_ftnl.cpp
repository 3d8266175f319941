#include "assay/policies/experts/rnm_ftnl.hpp"

#include <algorithm>
#include <string>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/experts/internal/noise_scale.hpp"

namespace assay {
namespace {

const std::string kPaper =
    "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential Privacy, ";

bool is_printed_exponential(const RnmFtnlConfig& config) {
  return config.noise == LeaderNoise::kExponential && config.calibration == Calibration::kPaper;
}

double scale_of(const RnmFtnlConfig& config) {  // (4)
  return config.calibration == Calibration::kPaper ? printed_scale(config.noise, config.epsilon)
                                                   : detail::scale_for(2.0, config.epsilon);
}

Guarantee pure(double epsilon, std::string source) {
  return {PureDp{Epsilon{epsilon}}, Relation::kReplaceOneLossVector, View::kActions,
          std::move(source)};
}

}  // namespace

Result<RnmFtnl> RnmFtnl::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise = ASSAY_TRY(leader_noise(config.noise, scale_of(config)));
  return RnmFtnl(config, noise);
}

RnmFtnl::RnmFtnl(const Config& config, const LeaderNoiseDistribution& noise)
    : PolicyOf(config), noise_(noise), sums_(static_cast<std::size_t>(config.actions), 0.0) {}

double RnmFtnl::noise_scale() const {
  return std::visit([](const auto& noise) { return noise.scale(); }, noise_);
}

int RnmFtnl::draw_leader(ReplayStream& random) const {
  if (round_ == 0) {
    return static_cast<int>(uniform_below(random, static_cast<std::uint64_t>(config_.actions)));
  }
  std::vector<double> noises(sums_.size());
  std::visit([&](const auto& noise) { noise.fill(random, noises); }, noise_);
  return static_cast<int>(
      detail::argmax(sums_.size(), [&](std::size_t j) { return noises[j] - sums_[j]; }));  // (3)
}

void RnmFtnl::start_epoch(int action) {
  action_ = action;
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

void RnmFtnl::observe(std::span<const double> losses, ReplayStream& random) {
  ASSAY_CHECK(action_ >= 0 && round_ < config_.horizon, "observe follows an action, T times");
  ASSAY_CHECK(losses.size() == sums_.size(), "one loss per expert");
  for (std::size_t j = 0; j < losses.size(); ++j) {
    ASSAY_CHECK(losses[j] >= 0.0 && losses[j] <= 1.0, "losses lie in [0, 1]");
    if (config_.resample) {
      sums_[j] += (random.next() >> 1) < probability_threshold(losses[j]) ? 1.0 : 0.0;  // (2)
    } else {
      sums_[j] += losses[j];  // (2)
    }
  }
  ++round_;
}

std::int64_t RnmFtnl::rounds_left() const {
  const auto next = static_cast<std::uint64_t>(round_ + 1);
  const auto end = static_cast<std::int64_t>(std::bit_floor(next) * 2);  // first of the next epoch
  return std::min(end - (round_ + 1), config_.horizon - round_);         // (1)
}

void RnmFtnl::observe_rounds(const LossCounts& block, ReplayStream& random) {
  ASSAY_CHECK(action_ >= 0, "losses follow an action");
  ASSAY_CHECK(block.rounds >= 1 && block.rounds <= rounds_left(), "rounds of one epoch");
  ASSAY_CHECK(block.distributions.size() == sums_.size() && block.high.size() == sums_.size(),
              "one distribution and one count per expert");
  for (std::size_t j = 0; j < sums_.size(); ++j) {
    const TwoPointDistribution& distribution = block.distributions[j];
    const std::int64_t high = block.high[j];
    if (config_.resample) {
      sums_[j] += static_cast<double>(
          binomial_count(random, high, probability_threshold(distribution.high)) +
          binomial_count(random, block.rounds - high,
                         probability_threshold(distribution.low)));  // (2)
    } else {
      sums_[j] += block.total(j);  // (2)
    }
  }
  round_ += block.rounds;
}

Guarantee RnmFtnl::guarantee() const {
  if (config_.calibration == Calibration::kCorrected) return proved_guarantee();
  const bool is_theorem_1 = !config_.resample && config_.noise == LeaderNoise::kLaplace;
  return pure(config_.epsilon, kPaper + (is_theorem_1       ? "Theorem 1"
                                         : config_.resample ? "Theorem 2"
                                                            : "Theorem 4"));
}

Guarantee RnmFtnl::proved_guarantee() const {
  if (last_read_epoch(config_.horizon) == 0) return pure(0.0, "no action reads a loss");
  const double moves = is_printed_exponential(config_) ? 2.0 : 1.0;
  return pure(moves * config_.epsilon, "report noisy max on the sums of one epoch");  // (5)
}

}  // namespace assay

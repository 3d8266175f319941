#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace assay {

namespace {

// The random bits of one round by (6). Each fine block is computed when it is first needed.
class RoundWords {
 public:
  RoundWords(const ReplayStream& random, std::size_t arms)
      : random_(random), coarse_blocks_((arms + 15) / 16) {}

  std::uint64_t top16(std::size_t arm) {
    load(coarse_, coarse_index_, arm / 16);
    return coarse_[arm % 16 / 4] >> (16 * (arm % 4)) & 0xffff;
  }
  std::uint64_t word(std::size_t arm) {
    load(fine_, fine_index_, coarse_blocks_ + arm / 4);
    return top16(arm) << 48 | fine_[arm % 4] >> 16;
  }

 private:
  void load(ReplayStream::Block& block, std::uint64_t& held, std::uint64_t index) {
    if (held != index) block = random_.block_ahead(index);
    held = index;
  }

  const ReplayStream& random_;
  std::uint64_t coarse_blocks_;
  ReplayStream::Block coarse_{};
  ReplayStream::Block fine_{};
  std::uint64_t coarse_index_ = ~std::uint64_t{0};
  std::uint64_t fine_index_ = ~std::uint64_t{0};
};

}  // namespace

const ModifiedThompsonSampling::WideBracket* ModifiedThompsonSampling::coarse_brackets() {
  static const auto table = [] {
    constexpr int kDropped = 16 - kBracketBits;
    std::array<WideBracket, std::size_t{1} << kBracketBits> out{};
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto first = static_cast<std::uint16_t>(k << kDropped);
      const auto last = static_cast<std::uint16_t>(first + (1u << kDropped) - 1);
      out[k] = {gaussian_bracket_from_top16(first).low, gaussian_bracket_from_top16(last).high};
    }
    return out;
  }();
  return table.data();
}

Status ModifiedThompsonSamplingConfig::check() const {
  if (pre_pulls * arms <= horizon) return {};
  return fail(ErrorCode::kInvalidArgument,
              "pre_pulls must be at most horizon / arms (b N <= T): " + std::to_string(pre_pulls) +
                  " pre-pulls of " + std::to_string(arms) + " arms take " +
                  std::to_string(pre_pulls * arms) + " rounds, and horizon is " +
                  std::to_string(horizon),
              "/pre_pulls");
}

Result<ModifiedThompsonSampling> ModifiedThompsonSampling::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return ModifiedThompsonSampling(config);
}

ModifiedThompsonSampling::ModifiedThompsonSampling(const Config& config)
    : PolicyOf(config),
      forced_rounds_(config.pre_pulls * config.arms),
      blocks_per_round_(
          static_cast<std::uint64_t>((config.arms + 15) / 16 + (config.arms + 3) / 4)),
      brackets_(coarse_brackets()),
      stride_(static_cast<std::size_t>(config.arms + config.arms % 2)),
      state_(kParts * stride_, 0.0),
      counts_(static_cast<std::size_t>(config.arms), 0) {
  const auto fill = [&](Part which, double value) {
    std::fill_n(state_.data() + which * stride_, config.arms, value);
  };
  fill(kScales, std::sqrt(config.variance));
  fill(kNextScales, std::sqrt(config.variance / 2.0));
  if (config.arms % 2 != 0) state_[kMeans * stride_ + stride_ - 1] = -kInfinity;
}

double ModifiedThompsonSampling::log_probability(int action, ArgmaxPrecision precision) const {
  ASSAY_CHECK(action >= 0 && action < config_.arms, "the action must be one of the arms");
  if (is_forced()) return action == forced_arm() ? 0.0 : -kInfinity;
  return log_argmax_probability(means(), scales(), action, precision);
}

Guarantee ModifiedThompsonSampling::guarantee() const {
  const double rounds = static_cast<double>(config_.horizon);
  const double pre_pulls = static_cast<double>(config_.pre_pulls);
  const double sampled = static_cast<double>(config_.horizon - forced_rounds_);
  const double c = config_.variance;
  const std::string paper = "Thompson Sampling Itself is Differentially Private, ";
  const auto gdp = [](double mu_squared, std::string source) {
    return Guarantee{GaussianDp{Mu{std::sqrt(mu_squared)}}, Relation::kReplaceOneReward,
                     View::kActions, std::move(source)};
  };
  if (config_.calibration == Calibration::kPaper) {
    if (config_.pre_pulls == 0 && c == 1.0) return gdp(rounds / 2.0, paper + "Lemma 4");  // (3)
    return gdp(rounds / (c * (pre_pulls + 1.0)), paper + "Lemma 5");                      // (3)
  }
  if (config_.pre_pulls == 0) {
    return gdp((rounds - 1.0) / (2.0 * c), paper + "Lemma 4 over rounds 2 to T");  // (4)
  }
  return gdp(sampled / (c * (pre_pulls + 1.0)),
             paper + "Lemma 5 over the T - bN rounds that sample");  // (5)
}

int ModifiedThompsonSampling::best_of(unsigned candidates, const ReplayStream& random) const {
  RoundWords words(random, counts_.size());
  int best = -1;
  double best_theta = -kInfinity;
  for (unsigned left = candidates; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    const auto arm = static_cast<std::size_t>(i);
    const double theta = means()[arm] + scales()[arm] * gaussian_from_word(words.word(arm));  // (2)
    if (theta > best_theta || best < 0) {
      best_theta = theta;
      best = i;
    }
  }
  return best;
}

int ModifiedThompsonSampling::choose_many(const ReplayStream& random) const {
  const auto mean = means();
  const auto scale = scales();
  RoundWords words(random, mean.size());
  std::array<double, 1024> upper;  // the largest number of arms
  double best_lower = -kInfinity;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const WideBracket ends = brackets_[words.top16(i) >> (16 - kBracketBits)];
    upper[i] = mean[i] + scale[i] * ends.high;
    best_lower = std::max(best_lower, mean[i] + scale[i] * ends.low);
  }
  std::size_t best = 0;
  double best_theta = -kInfinity;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (upper[i] < best_lower) continue;
    const double theta = mean[i] + scale[i] * gaussian_from_word(words.word(i));  // (2)
    if (theta > best_theta) {
      best_theta = theta;
      best = i;
    }
  }
  return static_cast<int>(best);
}

}  // namespace assay

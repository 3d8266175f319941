#include "assay/mechanisms/release/exponential_mechanism.hpp"

#include <algorithm>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

std::vector<double> scaled(std::span<const double> q, double scale) {
  const double most = *std::max_element(q.begin(), q.end());
  std::vector<double> out;
  for (const double x : q) out.push_back((x - most) / scale);  // (1)
  return out;
}

constexpr std::size_t kScoresInBlock = 1024;

// The weights of the candidates by blocks, in one pass over the scores. No maximum is needed first,
// since every block is relative to its own.
struct BlockWeights {
  std::vector<double> most;  // the largest score of the block
  std::vector<double> own;   // sum of e^((q - most of the block)/b)
  std::vector<double>
      until;  // sum of the weights of the blocks up to it, relative to the best score

  BlockWeights(std::span<const double> q, double scale) {
    for (std::size_t b = 0; b * kScoresInBlock < q.size(); ++b) {
      const auto part = block(q, b);
      most.push_back(*std::max_element(part.begin(), part.end()));
      double total = 0.0;
      for (const double x : part) total += portable_exp((x - most.back()) / scale);
      own.push_back(total);
    }
    const double best = *std::max_element(most.begin(), most.end());
    double total = 0.0;
    for (std::size_t b = 0; b < own.size(); ++b) {
      total += own[b] * portable_exp((most[b] - best) / scale);
      until.push_back(total);
    }
  }
  static std::span<const double> block(std::span<const double> q, std::size_t b) {
    return q.subspan(b * kScoresInBlock, std::min(kScoresInBlock, q.size() - b * kScoresInBlock));
  }
};

// The first entry of ascending sums above the target, which is below the last.
std::size_t first_above(std::span<const double> sums, double target) {
  return static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), target) -
                                  sums.begin());
}

// In [0, 1 - 2^-53], so that a product with a sum stays below the sum.
template <RandomSource R>
double unit(R& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

Relation relation_of(const SelectionConfig& config) {
  return config.sensitivity == 1.0 ? Relation::kAllAnswers : Relation::kReplaceOneRecord;
}

}  // namespace

Result<ExponentialMechanism> ExponentialMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise =
      ASSAY_TRY(Gumbel::create(0.0, detail::divide_up(2.0 * config.sensitivity, config.epsilon)));
  return ExponentialMechanism(config, noise);
}

template <RandomSource R>
ExponentialMechanism::Output ExponentialMechanism::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  const BlockWeights blocks(input, noise_.scale());
  const std::size_t block = first_above(blocks.until, blocks.until.back() * unit(random));
  const auto part = blocks.block(input, block);
  const double most = blocks.most[block];
  const double target = blocks.own[block] * unit(random);
  double total = 0.0;
  std::size_t i = 0;
  for (; i + 1 < part.size(); ++i) {
    total += portable_exp((part[i] - most) / noise_.scale());
    if (target < total) break;
  }
  return static_cast<Output>(block * kScoresInBlock + i);  // (2), (4)
}

template <RandomSource R>
ExponentialMechanism::Output ExponentialMechanism::release_streaming(const Input& input,
                                                                     R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  return static_cast<Output>(detail::argmax(
      input.size(), [&](std::size_t i) { return input[i] + noise_.sample(random); }));  // (2), (5)
}

template <RandomSource R>
void ExponentialMechanism::release_many(const Input& input, R& random,
                                        std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  const BlockWeights blocks(input, noise_.scale());
  std::vector<double> until(input.size());
  for (std::size_t b = 0; b < blocks.own.size(); ++b) {
    double total = 0.0;
    const auto part = blocks.block(input, b);
    for (std::size_t i = 0; i < part.size(); ++i) {
      total += portable_exp((part[i] - blocks.most[b]) / noise_.scale());
      until[b * kScoresInBlock + i] = total;
    }
  }
  for (double& x : out) {
    const std::size_t block = first_above(blocks.until, blocks.until.back() * unit(random));
    const auto part = std::span<const double>(until).subspan(
        block * kScoresInBlock, std::min(kScoresInBlock, until.size() - block * kScoresInBlock));
    x = static_cast<double>(block * kScoresInBlock +
                            first_above(part, blocks.own[block] * unit(random)));
  }
}

std::vector<double> ExponentialMechanism::log_pmf(const Input& input) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  const BlockWeights blocks(input, noise_.scale());
  const double total = portable_log(blocks.until.back());
  const double most = *std::max_element(blocks.most.begin(), blocks.most.end());
  std::vector<double> out;
  out.reserve(input.size());
  for (const double q : input) {
    out.push_back(std::min(0.0, (q - most) / noise_.scale() - total));  // (2)
  }
  return out;
}

Guarantee ExponentialMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, relation_of(config_), View::kOutput,
          "McSherry, Talwar (FOCS 2007), theorem 6"};
}

Result<PermuteAndFlip> PermuteAndFlip::create(const Config& config) {
  ASSAY_TRY(validate(config));
  return PermuteAndFlip(config);
}

std::vector<double> PermuteAndFlip::log_weights(const Input& input) const {
  return scaled(input, detail::divide_up(2.0 * config_.sensitivity, config_.epsilon));
}

template <RandomSource R>
void PermuteAndFlip::release_many(const Input& input, R& random, std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  auto weights = log_weights(input);
  for (double& w : weights) w = portable_exp(w);
  std::vector<std::size_t> order(weights.size());
  for (double& x : out) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t left = order.size();; --left) {
      std::swap(order[uniform_below(random, left)], order[left - 1]);
      const double w = weights[order[left - 1]];
      // The best candidate's coin always shows heads.
      if (w >= 1.0 || random.next() < static_cast<std::uint64_t>(w * 0x1p64)) {
        x = static_cast<double>(order[left - 1]);
        break;
      }
    }
  }
}

std::vector<double> PermuteAndFlip::log_pmf(const Input& input) const {
  const auto noise = Exponential::create(2.0 * config_.sensitivity / config_.epsilon);
  ASSAY_CHECK(noise.has_value(), "a scale of the configuration");
  return noisy_max_log_probabilities(*noise, input);  // (3)
}

Guarantee PermuteAndFlip::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, relation_of(config_), View::kOutput,
          "McKenna, Sheldon (NeurIPS 2020), theorem 1"};
}

ASSAY_BOTH_STREAMS(ExponentialMechanism, double);
ASSAY_MANY_FROM_BOTH_STREAMS(PermuteAndFlip, double);
template ExponentialMechanism::Output ExponentialMechanism::release_streaming(const Input&,
                                                                              ReplayStream&) const;
template ExponentialMechanism::Output ExponentialMechanism::release_streaming(const Input&,
                                                                              SecureStream&) const;

}  // namespace assay

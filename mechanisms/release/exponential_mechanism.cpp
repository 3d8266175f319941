#include "assay/mechanisms/release/exponential_mechanism.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/mechanisms/release/noisy_max_law.hpp"

namespace assay {
namespace {

std::vector<std::int64_t> indices(std::size_t n) {
  std::vector<std::int64_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<std::int64_t>(i);
  return out;
}

std::vector<double> scaled(std::span<const double> q, double scale) {
  const double most = *std::max_element(q.begin(), q.end());
  std::vector<double> out;
  for (const double x : q) out.push_back((x - most) / scale);  // (1)
  return out;
}

Relation relation_of(const SelectionConfig& config) {
  return config.sensitivity == 1.0 ? Relation::kAllAnswers : Relation::kReplaceOneRecord;
}

}  // namespace

Result<ExponentialMechanism> ExponentialMechanism::create(const Config& config) {
  return detail::create_valid<ExponentialMechanism>(config, [&]() -> Result<ExponentialMechanism> {
    const auto noise = Gumbel::create(0.0, 2.0 * config.sensitivity / config.epsilon);
    if (!noise) return tl::make_unexpected(noise.error());
    return ExponentialMechanism(config, *noise);
  });
}

ExponentialMechanism::Output ExponentialMechanism::release(const Input& input,
                                                           ReplayStream& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < input.size(); ++i) {
    const double value = input[i] + noise_.sample(random);
    if (value > most) most = value, best = i;
  }
  return static_cast<Output>(best);  // (2)
}

void ExponentialMechanism::release_many(const Input& input, ReplayStream& random,
                                        std::span<double> out) const {
  for (double& x : out) x = static_cast<double>(release(input, random));
}

std::vector<ExponentialMechanism::Output> ExponentialMechanism::outputs(const Input& input) const {
  return indices(input.size());
}

std::vector<double> ExponentialMechanism::log_pmf(const Input& input) const {
  auto out = scaled(input, noise_.scale());
  double total = -std::numeric_limits<double>::infinity();
  for (const double x : out) total = total < x ? log_add_exp(x, total) : log_add_exp(total, x);
  for (double& x : out) x -= total;  // (2)
  return out;
}

Guarantee ExponentialMechanism::guarantee() const {
  return {PureDp{Epsilon{config_.epsilon}}, relation_of(config_), View::kOutput,
          "McSherry, Talwar (FOCS 2007), theorem 6"};
}

Result<PermuteAndFlip> PermuteAndFlip::create(const Config& config) {
  return detail::create_valid<PermuteAndFlip>(
      config, [&]() -> Result<PermuteAndFlip> { return PermuteAndFlip(config); });
}

std::vector<double> PermuteAndFlip::log_weights(const Input& input) const {
  return scaled(input, 2.0 * config_.sensitivity / config_.epsilon);
}

PermuteAndFlip::Output PermuteAndFlip::release(const Input& input, ReplayStream& random) const {
  double out = 0.0;
  release_many(input, random, {&out, 1});
  return static_cast<Output>(out);
}

void PermuteAndFlip::release_many(const Input& input, ReplayStream& random,
                                  std::span<double> out) const {
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

std::vector<PermuteAndFlip::Output> PermuteAndFlip::outputs(const Input& input) const {
  return indices(input.size());
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

}  // namespace assay

#include "assay/mechanisms/release/counters/tree_counter.hpp"

#include <algorithm>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
TreeState::TreeState(const NodeNoise& noise, std::int64_t horizon, std::size_t width)
    : noise_(noise), width_(width), horizon_(horizon) {
  ASSAY_CHECK(width >= 1, "at least one sum");
  const auto levels = static_cast<std::size_t>(tree_levels(horizon));
  sum_.resize(levels * width);
  estimate_.resize((levels + 1) * width);
}

Status TreeMechanism::check_input(const Input& input) const {
  return detail::check_stream(input, config_.noise, config_.lowest, config_.sensitivity,
                              config_.horizon);
}

Result<NodeNoise> TreeMechanism::noise_for(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto scale =
      ASSAY_TRY(counter_scale(config.noise, {Epsilon{config.epsilon}, Delta{config.delta}},
                              config.sensitivity, tree_levels(config.horizon)));
  ASSAY_TRY(
      detail::check_exact(config.noise, config.horizon, config.lowest, config.sensitivity, scale));
  return NodeNoise::create(config.noise, scale);
}

Guarantee TreeMechanism::guarantee_by(std::string source) const {
  return counter_guarantee(config_.noise, {Epsilon{config_.epsilon}, Delta{config_.delta}},
                           config_.sensitivity, tree_levels(config_.horizon), noise_.scale(),
                           std::move(source));
}

Result<TreeCounterMechanism> TreeCounterMechanism::create(const Config& config) {
  return TreeCounterMechanism(config, ASSAY_TRY(noise_for(config)));
}

template <RandomSource R>
void TreeCounterMechanism::release_many(const Input& input, R& random,
                                        std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "entries within their range, at most T of them");
  ASSAY_CHECK(out.size() % input.size() == 0, "whole releases");
  noise_.fill(random, out);
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    auto counter = start();
    for (std::size_t i = 0; i < input.size(); ++i) {
      counter.add_with_noise(input[i], out[first + i]);
      out[first + i] = counter.estimate();
    }
  }
}

double TreeCounterMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one estimate per entry");
  std::vector<double> node(input.begin(), input.end());
  double sum = 0.0;
  for (std::size_t t = 1; t <= input.size(); ++t) {
    const std::size_t length = t & (~t + 1);
    for (std::size_t child = 1; child < length; child *= 2) node[t - 1] += node[t - child - 1];
    const double before = t == length ? 0.0 : output[t - length - 1];
    sum += noise_.log_density(output[t - 1] - before - node[t - 1]);
  }
  return sum;
}

double TreeCounterMechanism::variance(std::int64_t t) const {
  ASSAY_CHECK(t >= 1 && t <= config_.horizon, "a time of the stream");
  return std::popcount(static_cast<std::uint64_t>(t)) * noise_.variance();
}

double TreeCounterMechanism::error_bound(double beta) const {
  // The largest popcount up to T: all ones below the leading one, or one more if T is all ones.
  const auto t = static_cast<std::uint64_t>(config_.horizon);
  const int most = std::max(std::popcount(t), static_cast<int>(std::bit_width(t)) - 1);
  return noise_.sum_bound(most, beta / static_cast<double>(config_.horizon));  // (4)
}

Guarantee TreeCounterMechanism::guarantee() const {
  return guarantee_by("Dwork, Naor, Pitassi, Rothblum (STOC 2010); Chan, Shi, Song (2011)");
}

ASSAY_MANY_FROM_BOTH_STREAMS(TreeCounterMechanism, double);

}  // namespace assay

#include "assay/mechanisms/release/counters/honaker_counter.hpp"

#include <algorithm>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

// variance(t)/v of (4).
double squared_weights(std::uint64_t t) {
  double sum = 0.0;
  for (; t != 0; t &= t - 1) sum += honaker_weight(std::countr_zero(t));
  return sum;
}

}  // namespace

double honaker_weight(int k) {
  ASSAY_CHECK(k >= 0 && k <= 62, "a level of a tree");
  return 1.0 / (2.0 - 1.0 / static_cast<double>(std::uint64_t{1} << k));  // (2)
}

HonakerCounter::HonakerCounter(const NodeNoise& noise, std::int64_t horizon, std::size_t width)
    : TreeState(noise, horizon, width) {
  const auto levels = static_cast<std::size_t>(tree_levels(horizon));
  for (std::size_t k = 0; k < levels; ++k) weight_.push_back(honaker_weight(static_cast<int>(k)));
  best_.resize(levels * width);
}

std::vector<double> tree_node_sums(std::span<const double> stream) {
  const std::size_t n = stream.size();
  std::vector<double> nodes;
  nodes.reserve(2 * n);
  std::vector<double> waiting(64);
  for (std::size_t t = 1; t <= n; ++t) {
    double sum = stream[t - 1];
    nodes.push_back(sum);
    const int level = std::countr_zero(t);
    for (int k = 0; k < level; ++k) nodes.push_back(sum += waiting[static_cast<std::size_t>(k)]);
    waiting[static_cast<std::size_t>(level)] = sum;
  }
  return nodes;
}

Result<HonakerCounterMechanism> HonakerCounterMechanism::create(const Config& config) {
  return HonakerCounterMechanism(config, ASSAY_TRY(noise_for(config)));
}

template <RandomSource R>
HonakerCounterMechanism::Output HonakerCounterMechanism::release(const Input& input,
                                                                 R& random) const {
  Output nodes(2 * input.size() - static_cast<std::size_t>(std::popcount(input.size())));
  release_many(input, random, nodes);
  return nodes;
}

template <RandomSource R>
void HonakerCounterMechanism::release_many(const Input& input, R& random,
                                           std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "entries within their range, at most T of them");
  const auto nodes = tree_node_sums(input);
  ASSAY_CHECK(out.size() % nodes.size() == 0, "whole releases");
  noise_.fill(random, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += nodes[i % nodes.size()];
}

std::vector<double> HonakerCounterMechanism::estimates(const Output& output) const {
  std::vector<double> out;
  auto counter = start();
  for (std::size_t first = 0; first < output.size();) {
    const auto t = static_cast<std::uint64_t>(out.size() + 1);
    const auto count = static_cast<std::size_t>(std::countr_zero(t)) + 1;
    ASSAY_CHECK(first + count <= output.size(), "a whole release");
    counter.add_nodes(std::span(output).subspan(first, count));
    out.push_back(counter.estimate());
    first += count;
  }
  return out;
}

double HonakerCounterMechanism::log_density(const Output& output, const Input& input) const {
  const auto nodes = tree_node_sums(input);
  ASSAY_CHECK(output.size() == nodes.size(), "one number per node");
  double sum = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) sum += noise_.log_density(output[i] - nodes[i]);
  return sum;
}

double HonakerCounterMechanism::variance(std::int64_t t) const {
  ASSAY_CHECK(t >= 1 && t <= config_.horizon, "a time of the stream");
  return squared_weights(static_cast<std::uint64_t>(t)) * noise_.variance();
}

double HonakerCounterMechanism::error_bound(double beta) const {
  // A time below T agrees with T's bits down to a bit that it lacks; at most all bits below are set.
  const auto horizon = static_cast<std::uint64_t>(config_.horizon);
  double most = squared_weights(horizon);
  for (std::uint64_t rest = horizon; rest != 0; rest &= rest - 1) {
    const std::uint64_t bit = rest & (~rest + 1);
    const std::uint64_t head = horizon & ~(2 * bit - 1);
    most = std::max(most, squared_weights(head | (bit - 1)));
  }
  return noise_.sum_bound(most, beta / static_cast<double>(config_.horizon));  // (5)
}

Guarantee HonakerCounterMechanism::guarantee() const {
  return guarantee_by("Dwork, Naor, Pitassi, Rothblum (STOC 2010); Honaker (TPDP 2015)");
}

ASSAY_BOTH_STREAMS(HonakerCounterMechanism, double);

}  // namespace assay

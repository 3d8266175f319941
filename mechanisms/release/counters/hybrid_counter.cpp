#include "assay/mechanisms/release/counters/hybrid_counter.hpp"

#include <algorithm>
#include <bit>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

using detail::Enclosure;

// The last step that a double counts exactly, for idealized noise.
constexpr std::size_t kMostEpochs = 52;

// s releases/share, or s sqrt(releases/share), rounded up.
double shared_scale(CounterNoise kind, double scale, std::size_t releases, Enclosure share) {
  const Enclosure parts = Enclosure(static_cast<double>(releases)) / share;
  return (Enclosure(scale) * (is_laplace(kind) ? parts : sqrt(parts))).high;  // (3), (4)
}

std::int64_t epoch_of(std::int64_t t) { return std::bit_width(static_cast<std::uint64_t>(t)) - 1; }

}  // namespace

HybridCounter::HybridCounter(std::shared_ptr<const HybridNoise> noise)
    : noise_(std::move(noise)), tree_(noise_->total, 1) {}

void HybridCounter::start_epoch() {
  sum_ = 0.0;
  if (++epoch_ >= noise_->tree.size()) return;  // no step is left
  tree_ = TreeCounter(noise_->tree[epoch_], (std::int64_t{1} << epoch_) - 1);
}

Result<HybridCounterMechanism> HybridCounterMechanism::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto scale = ASSAY_TRY(counter_scale(
      config.noise, {Epsilon{config.epsilon}, Delta{config.delta}}, config.sensitivity, 1));
  const Enclosure share = config.share;
  const auto total =
      ASSAY_TRY(NodeNoise::create(config.noise, shared_scale(config.noise, scale, 1, share)));
  HybridNoise noise{total, {total}};
  Status exact;
  while (noise.tree.size() < kMostEpochs) {
    const std::size_t k = noise.tree.size();
    const double width = shared_scale(config.noise, scale, k, 1.0 - share);
    exact = detail::check_exact(config.noise, std::int64_t{1} << (k + 1), config.lowest,
                                config.sensitivity, std::max(width, total.scale()));
    const auto node = NodeNoise::create(config.noise, width);
    if (!exact || !node) break;
    noise.tree.push_back(*node);
  }
  if (noise.tree.size() == 1) {
    return fail(ErrorCode::kLimit,
                "entries or noise are too large for sums below 2^53: raise epsilon or lower "
                "sensitivity",
                "/epsilon");
  }
  return HybridCounterMechanism(config, scale,
                                std::make_shared<const HybridNoise>(std::move(noise)));
}

Status HybridCounterMechanism::check_input(const Input& input) const {
  return detail::check_stream(input, config_.noise, config_.lowest, config_.sensitivity, longest());
}

template <RandomSource R>
void HybridCounterMechanism::release_many(const Input& input, R& random,
                                          std::span<double> out) const {
  ASSAY_CHECK(check_input(input).has_value(), "entries within their range");
  ASSAY_CHECK(out.size() % input.size() == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += input.size()) {
    auto counter = start();
    for (std::size_t i = 0; i < input.size(); ++i) {
      counter.add(input[i], random);
      out[first + i] = counter.estimate();
    }
  }
}

double HybridCounterMechanism::log_density(const Output& output, const Input& input) const {
  ASSAY_CHECK(output.size() == input.size(), "one estimate per entry");
  const std::size_t n = input.size();
  double sum = 0.0;
  double total = 0.0;  // the estimate at the end of the epoch before
  std::vector<double> node;
  for (std::size_t first = 0, k = 0; first < n; first = 2 * first + 1, ++k) {
    const std::size_t length = std::size_t{1} << k;
    double epoch_sum = 0.0;
    node.assign(input.begin() + static_cast<std::ptrdiff_t>(first),
                input.begin() + static_cast<std::ptrdiff_t>(std::min(n, first + length)));
    for (const double x : node) epoch_sum += x;
    for (std::size_t j = 1; j <= std::min(node.size(), length - 1); ++j) {
      const std::size_t low = j & (~j + 1);
      for (std::size_t child = 1; child < low; child *= 2) node[j - 1] += node[j - child - 1];
      const double before = j == low ? total : output[first + j - low - 1];
      sum += noise_->tree[k].log_density(output[first + j - 1] - before - node[j - 1]);
    }
    if (node.size() < length) break;
    const double after = output[first + length - 1];
    sum += noise_->total.log_density(after - total - epoch_sum);
    total = after;
  }
  return sum;
}

double HybridCounterMechanism::variance(std::int64_t t) const {
  ASSAY_CHECK(t >= 1 && t <= longest(), "a time of the stream");
  const auto next = static_cast<std::uint64_t>(t) + 1;
  if (std::has_single_bit(next)) return std::countr_zero(next) * noise_->total.variance();
  const auto k = static_cast<std::size_t>(epoch_of(t));
  const auto j = next - (std::uint64_t{1} << k);
  return static_cast<double>(k) * noise_->total.variance() +
         std::popcount(j) * noise_->tree[k].variance();  // (5)
}

Guarantee HybridCounterMechanism::guarantee() const {
  return counter_guarantee(config_.noise, {Epsilon{config_.epsilon}, Delta{config_.delta}},
                           config_.sensitivity, 1, scale_,
                           "Chan, Shi, Song (ACM TISSEC 2011), hybrid mechanism");
}

ASSAY_MANY_FROM_BOTH_STREAMS(HybridCounterMechanism, double);

}  // namespace assay

#include "assay/mechanisms/release/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noisy_max/internal/top_k_distribution.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/internal/both_streams.hpp"

namespace assay {
namespace {

// The largest level per round that `holds`, from one that does, to 1e-9 of it. The certificates are
// monotone. If rounding breaks that, the result is still a level for which `holds` was true.
template <class Holds>
double largest_level(double good, Holds holds) {
  double bad = 2.0 * good;
  for (int doubling = 0; doubling < 40 && holds(bad); ++doubling) good = bad, bad = 2.0 * good;
  while (bad > good * (1.0 + 1e-9)) {
    const double middle = 0.5 * (good + bad);
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

double level_of_round(const TopKConfig& config) {
  const auto count = static_cast<double>(config.count);
  double best = (detail::Enclosure(config.epsilon) / count).low;  // (2)
  if (config.delta == 0.0 || config.count == 1) return best;
  const auto fits = [&](const Result<UpperBound<Epsilon>>& epsilon) {
    return epsilon && epsilon->value.value <= config.epsilon;
  };
  best = largest_level(best, [&](double level) {  // (3)
    const auto composed = OptimalComposition::create({Epsilon{level}, Delta{0.0}}, config.count);
    return composed && fits(composed->epsilon_at(Delta{config.delta}));
  });
  return largest_level(best, [&](double level) {  // (4)
    const detail::Enclosure square = detail::Enclosure(level) * level;
    const double rho = (square * count / 8.0).high;
    return fits(zcdp_epsilon(Rho{rho}, Delta{config.delta}));
  });
}

// The next of the sequences of `size` different indices below n in lexicographic order; ascending
// ones only where they are sets. False after the last.
bool next_output(std::vector<std::int64_t>& output, std::int64_t n, bool ordered) {
  const auto used = [&](std::size_t before, std::int64_t x) {
    return std::find(output.begin(), output.begin() + static_cast<std::ptrdiff_t>(before), x) !=
           output.begin() + static_cast<std::ptrdiff_t>(before);
  };
  for (std::size_t at = output.size(); at-- > 0;) {
    std::int64_t x = output[at] + 1;
    while (ordered && x < n && used(at, x)) ++x;
    const auto left = static_cast<std::int64_t>(output.size() - at - 1);
    if (x + (ordered ? 0 : left) >= n) continue;
    output[at] = x;
    for (std::size_t after = at + 1; after < output.size(); ++after) {
      std::int64_t y = ordered ? 0 : output[after - 1] + 1;
      while (ordered && used(after, y)) ++y;
      output[after] = y;
    }
    return true;
  }
  return false;
}

}  // namespace

Result<TopK> TopK::create(const Config& config) {
  ASSAY_TRY(validate(config));
  if (config.count > config.answers) {
    return fail(ErrorCode::kInvalidArgument,
                "count must be 1 to answers = " + std::to_string(config.answers) + ", not " +
                    std::to_string(config.count),
                "/count");
  }
  const double level = level_of_round(config);
  const auto noise =
      ASSAY_TRY(Gumbel::create(0.0, (2.0 * detail::Enclosure(config.sensitivity) / level).high));
  return TopK(config, noise, Epsilon{level});
}

template <RandomSource R>
TopK::Output TopK::release(const Input& input, R& random) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  using Entry = std::pair<double, std::int64_t>;
  // A heap with the worst of the best on top; equal values keep the first index.
  const auto better = [](const Entry& i, const Entry& j) {
    return i.first != j.first ? i.first > j.first : i.second < j.second;
  };
  std::vector<Entry> heap;
  const auto count = static_cast<std::size_t>(config_.count);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const Entry entry{input[i] + noise_.sample(random), static_cast<std::int64_t>(i)};
    if (heap.size() == count) {
      if (!better(entry, heap.front())) continue;
      std::pop_heap(heap.begin(), heap.end(), better);
      heap.pop_back();
    }
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), better);
  }
  std::sort(heap.begin(), heap.end(), better);
  Output output;
  for (const auto& entry : heap) output.push_back(entry.second);
  if (!config_.ordered) std::sort(output.begin(), output.end());
  return output;  // (1)
}

template <RandomSource R>
void TopK::release_many(const Input& input, R& random, std::span<std::int64_t> out) const {
  const auto count = static_cast<std::size_t>(config_.count);
  ASSAY_CHECK(out.size() % count == 0, "whole releases");
  for (std::size_t first = 0; first < out.size(); first += count) {
    const auto chosen = release(input, random);
    std::copy(chosen.begin(), chosen.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

double TopK::output_count() const {
  double total = 1.0;
  for (std::int64_t r = 0; r < config_.count; ++r) {
    total *= static_cast<double>(config_.answers - r);
    if (!config_.ordered) total /= static_cast<double>(r + 1);
  }
  return total;
}

std::vector<TopK::Output> TopK::outputs(const Input& input) const {
  ASSAY_CHECK(output_count() <= 0x1p20, "at most 2^20 outputs are listed");
  std::vector<Output> all;
  Output output(static_cast<std::size_t>(config_.count));
  for (std::size_t r = 0; r < output.size(); ++r) output[r] = static_cast<std::int64_t>(r);
  do {
    all.push_back(output);
  } while (next_output(output, static_cast<std::int64_t>(input.size()), config_.ordered));
  return all;
}

double TopK::log_probability(const Output& output, const Input& input) const {
  if (config_.ordered) return top_order_log_probability(noise_, input, output);
  return top_set_log_probability(noise_, input, output);
}

std::vector<double> TopK::log_pmf(const Input& input) const {
  ASSAY_CHECK(check_input(input).has_value(), "one finite score per candidate");
  std::vector<double> out;
  for (const Output& output : outputs(input)) out.push_back(log_probability(output, input));
  return out;
}

Guarantee TopK::guarantee() const {
  PrivacyLevel level = PureDp{Epsilon{config_.epsilon}};
  if (config_.delta > 0.0) level = ApproximateDp{Epsilon{config_.epsilon}, Delta{config_.delta}};
  return {level, config_.sensitivity == 1.0 ? Relation::kAllAnswers : Relation::kReplaceOneRecord,
          View::kOutput,
          "k rounds of the exponential mechanism (Durfee, Rogers, NeurIPS 2019), composed"};
}

ASSAY_BOTH_STREAMS(TopK, std::int64_t);

}  // namespace assay

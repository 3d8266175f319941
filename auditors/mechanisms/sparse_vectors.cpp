#include "assay/auditors/mechanisms/sparse_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

std::vector<InputPair> below_then_above(const SparseVectorConfig& config, double nu_scale) {
  std::vector<double> gaps{0.0, 4.0, 8.0, 20.0};
  if (config.answers > 64) gaps = {0.0, 8.0};
  std::vector<std::int64_t> above{
      std::min(config.cutoff, std::max<std::int64_t>(1, config.answers - 1))};
  if (above.front() > 1) above.push_back(1);
  const double bar = std::round(config.threshold);  // whole numbers keep the moves exact
  std::vector<InputPair> pairs;
  for (const double gap : gaps) {
    for (const std::int64_t k : above) {
      std::vector<double> base_row;
      std::vector<double> neighbour_row;
      for (std::int64_t i = 0; i < config.answers; ++i) {
        const bool below = i < config.answers - k;
        const double old = bar + (below ? std::round(gap * nu_scale) : 0.0);
        base_row.push_back(old);
        neighbour_row.push_back(old + (below ? 1.0 : -1.0));
      }
      pairs.emplace_back(std::move(base_row), std::move(neighbour_row));
    }
  }
  return pairs;
}

std::vector<InputPair> random_answers(const SparseVectorConfig& config, double nu_scale,
                                      ReplayStream& random) {
  constexpr int kPairs = 8;
  std::vector<InputPair> pairs;
  for (int i = 0; i < kPairs && config.answers <= 10; ++i) {
    auto pair = random_moves(config.answers, 2.0 * nu_scale, 1.0, random);
    if (pair.differing() > 0) pairs.push_back(std::move(pair));
  }
  return pairs;
}

Status check_distribution(const SparseVectorConfig& config, double work) {
  // Sequences that end with the last answer or with the cutoff-th answer above.
  double count = 0.0;
  double choose = 1.0;  // of n answers, k above
  for (std::int64_t k = 0; k < config.cutoff && k <= config.answers; ++k) {
    count += choose;
    choose *= static_cast<double>(config.answers - k) / static_cast<double>(k + 1);
  }
  // Sequences that reach the cutoff, by the place m of the last answer above.
  if (!(count + choose <= static_cast<double>(kMostListed))) {
    return fail(ErrorCode::kLimit,
                "the exact method lists at most 4096 outputs: use --method likelihood, fewer "
                "answers or a smaller cutoff",
                "/method");
  }
  return check_distribution_work(work);
}

}  // namespace assay::detail

#include "assay/policies/sparse/contexts.hpp"

#include <cmath>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {

double SparseVector::l1() const {
  double sum = 0.0;
  for (const double value : values) sum += std::fabs(value);
  return sum;
}

Status check_signal(const SparseVector& signal, std::int64_t dimension) {
  ASSAY_TRY(check_whole("dimension", dimension, 1, kMostContextDimension));
  if (signal.indices.size() != signal.values.size()) {
    return fail(ErrorCode::kInvalidArgument,
                "signal must hold a value for each of its " +
                    std::to_string(signal.indices.size()) + " indices, not " +
                    std::to_string(signal.values.size()),
                "/signal");
  }
  std::int64_t least = 0;
  for (std::size_t k = 0; k < signal.indices.size(); ++k) {
    const std::string entry = "entry " + std::to_string(k + 1) + " of signal must ";
    if (signal.indices[k] < least || signal.indices[k] >= dimension) {
      return fail(ErrorCode::kInvalidArgument,
                  entry + "have an index " + std::to_string(least) + " to " +
                      std::to_string(dimension - 1) + ", above those before, not " +
                      std::to_string(signal.indices[k]),
                  "/signal");
    }
    if (!std::isfinite(signal.values[k])) {
      return fail(ErrorCode::kInvalidArgument,
                  entry + "be finite, not " + number_text(signal.values[k]), "/signal");
    }
    least = signal.indices[k] + 1;
  }
  return {};
}

Result<SparseVector> random_signal(std::int64_t dimension, std::int64_t sparsity,
                                   std::uint64_t seed) {
  ASSAY_TRY(check_whole("dimension", dimension, 1, kMostContextDimension));
  ASSAY_TRY(check_whole("sparsity", sparsity, 0, dimension));
  ReplayStream random({.seed = seed, .purpose = hash_purpose("sparse/signal")});
  SparseVector signal;
  std::int64_t needed = sparsity;
  // Knuth's selection sampling takes position j with probability (still needed)/(still left).
  for (std::int64_t j = 0; needed > 0; ++j) {
    const auto left = static_cast<std::uint64_t>(dimension - j);
    if (uniform_below(random, left) >= static_cast<std::uint64_t>(needed)) continue;
    const double size = 0.5 + 0.5 * random.uniform();
    signal.indices.push_back(j);
    signal.values.push_back((random.next() >> 63) == 0 ? size : -size);  // (2)
    --needed;
  }
  return signal;
}

int greedy_arm(const ContextSet& contexts, const SparseVector& weights) {
  int best = 0;
  double most = weights.dot(contexts.of(0));
  for (int arm = 1; arm < contexts.arms; ++arm) {
    const double score = weights.dot(contexts.of(arm));
    if (score > most) {
      most = score;
      best = arm;
    }
  }
  return best;
}

Status check_context_rows(std::int64_t arms, std::int64_t dimension, const InputTable& rows) {
  ASSAY_TRY(check_whole("arms", arms, 2, kMostContextArms));
  ASSAY_TRY(check_whole("dimension", dimension, 1, kMostContextDimension));
  const std::int64_t columns = arms + arms * dimension;
  if (rows.rows < 1 || rows.columns != columns ||
      static_cast<std::int64_t>(rows.values.size()) != rows.rows * columns) {
    return fail(ErrorCode::kInvalidArgument,
                "the input must have at least one row, each of " + std::to_string(columns) +
                    " values: " + std::to_string(arms) + " rewards, then " + std::to_string(arms) +
                    " contexts of " + std::to_string(dimension) + " entries; it has " +
                    std::to_string(rows.rows) + " of " + std::to_string(rows.columns));
  }
  for (std::size_t k = 0; k < rows.values.size(); ++k) {
    if (std::fabs(rows.values[k]) <= kLargestContextNumber) continue;
    const auto width = static_cast<std::size_t>(columns);
    return fail(ErrorCode::kInvalidArgument, "row " + std::to_string(k / width + 1) + ", column " +
                                                 std::to_string(k % width + 1) +
                                                 " must be -1e100 to 1e100, not " +
                                                 number_text(rows.values[k]));
  }
  return {};
}

Result<RecordedContexts> RecordedContexts::create(std::int64_t arms, std::int64_t dimension,
                                                  InputTable rows) {
  ASSAY_TRY(check_context_rows(arms, dimension, rows));
  return RecordedContexts(arms, dimension, std::move(rows));
}

}  // namespace assay

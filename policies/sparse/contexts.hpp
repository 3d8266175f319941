// The contexts that a sparse linear bandit sees in each round, the sparse vectors that weigh their entries,
// and rounds as private input.
//
//   reward of arm i = <x_i, beta> + noise, x_i in R^d, beta with few entries that are not 0     (1)
//   random_signal: s positions of d, every set equally likely; |beta_j| uniform on [1/2, 1], signs by
//   fair coins; at most three draws an entry, in the order of the positions                     (2)
//
// Each row of private input is a round: the rewards of all K arms, then their contexts, K times d
// (inputs/input_table.hpp, kind contextual). Neighbours replace a row (kReplaceOneUser); joint DP
// hides the action of that row. Rewards here are -1e100 to 1e100, since policies clip them; the table
// of a black box holds rewards in [0, 1].
//
// Reference: Chakraborty, Roy, Basu, "FLIPHAT: Joint Differential Privacy for High Dimensional
// Sparse Linear Bandits", sections 2 and 6. Threads: values; a ContextSet refers to numbers that
// another object owns, until the next round.
// Cost: a product takes time in proportion to the entries of the sparse vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

inline constexpr std::int64_t kMostContextArms = 1024;
inline constexpr std::int64_t kMostContextDimension = 100'000;
inline constexpr double kLargestContextNumber = 1e100;  // so that sums of products stay finite

// The contexts of all arms in a round: row i starts at values[i * dimension].
struct ContextSet {
  std::int64_t arms = 0;
  std::int64_t dimension = 0;
  std::span<const double> values;

  std::span<const double> of(std::int64_t arm) const {
    return values.subspan(static_cast<std::size_t>(arm * dimension),
                          static_cast<std::size_t>(dimension));
  }
};

// The action is an arm, and the feedback is its reward, any finite number.
template <class C>
using ContextPolicy = PolicyOf<C, ContextSet, int, double>;

struct SparseVector {
  std::vector<std::int64_t> indices;  // ascending, from 0
  std::vector<double> values;         // one for each index

  double dot(std::span<const double> dense) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      sum += values[k] * dense[static_cast<std::size_t>(indices[k])];
    }
    return sum;
  }
  double l1() const;
  friend bool operator==(const SparseVector&, const SparseVector&) = default;
};

// Errors: a number of values other than that of indices; indices that do not ascend in 0..d - 1;
// values that are not finite.
Status check_signal(const SparseVector& signal, std::int64_t dimension);

// Draws the signal (2). Errors: a dimension or sparsity out of range; the message names it.
Result<SparseVector> random_signal(std::int64_t dimension, std::int64_t sparsity,
                                   std::uint64_t seed);

// The arm with the largest <x_i, weights>, the first if several are equal.
int greedy_arm(const ContextSet& contexts, const SparseVector& weights);

// Errors: no row; a row that has not K rewards and K x d entries; a number outside -1e100 to 1e100. The
// message names the row and the column, counted from 1.
Status check_context_rows(std::int64_t arms, std::int64_t dimension, const InputTable& rows);

// An environment that replays recorded rounds. It draws no random numbers.
class RecordedContexts {
 public:
  // Errors: those of check_context_rows.
  static Result<RecordedContexts> create(std::int64_t arms, std::int64_t dimension,
                                         InputTable rows);

  ContextSet context(std::int64_t round, ReplayStream&) const {
    return {arms_, dimension_, rows_.row(round).subspan(static_cast<std::size_t>(arms_))};
  }
  double feedback(std::int64_t round, int action, ReplayStream&) const {
    ASSAY_CHECK(action >= 0 && action < arms_, "the action must be one of the arms");
    return rows_.row(round)[static_cast<std::size_t>(action)];
  }

 private:
  RecordedContexts(std::int64_t arms, std::int64_t dimension, InputTable rows)
      : arms_(arms), dimension_(dimension), rows_(std::move(rows)) {}

  std::int64_t arms_;
  std::int64_t dimension_;
  InputTable rows_;
};

}  // namespace assay

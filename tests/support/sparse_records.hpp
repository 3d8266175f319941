// Records of sparse regressions, their vectors in full, and rounds drawn beforehand.
#pragma once

#include "assay/policies/sparse/contexts.hpp"
#include "assay/policies/sparse/gaussian_contexts.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct SparseRecords {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
};

inline std::vector<double> dense(const SparseVector& sparse, std::size_t d) {
  std::vector<double> out(d, 0.0);
  for (std::size_t k = 0; k < sparse.indices.size(); ++k) {
    out[static_cast<std::size_t>(sparse.indices[k])] = sparse.values[k];
  }
  return out;
}

// Rewards of all arms, then K x d entries, in every row.
inline InputTable drawn_rounds(std::int64_t arms, std::int64_t dimension, std::int64_t rounds,
                               const SparseVector& beta, ReplayStream random) {
  auto environment = GaussianContexts::create({.arms = arms, .dimension = dimension}, beta).value();
  InputTable table{rounds, arms * (1 + dimension), {}};
  for (std::int64_t t = 0; t < rounds; ++t) {
    const auto contexts = environment.context(t, random);
    const auto noise = random;
    for (int arm = 0; arm < arms; ++arm) {
      random = noise;
      table.values.push_back(environment.feedback(t, arm, random));
    }
    table.values.insert(table.values.end(), contexts.values.begin(), contexts.values.end());
  }
  return table;
}

}  // namespace assay

// Records of sparse regressions, and their vectors in full.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/policies/sparse/contexts.hpp"

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

}  // namespace assay

// The distributions of the sparse vector variants that release values, as cells (output_cells.hpp).
//
//   SparseVector3, flags o and values v: density prod f_nu(v_i - q_i) G_o(min v),
//   G_o(m) = integral over z <= m - T of f_rho(z) prod over below of F_nu(T + z - q_j) dz       (1)
//   idealized::NumericalSparseVector: P(flags) times independent values of Laplace noise                  (2)
//   ParallelSparseVectors: the product of the cells of 3 and 4                                 (3)
//
// (1) uses nodes in the least value, with G_o cumulatively over them, and a closed form in the other
// (at most two values: cutoff <= 2). Cells with losses within 1/2000 of the largest loss are merged.
// Accuracy: probabilities sum to 1 within 1e-9, losses to 1e-3 of the largest.
// Threads: pure functions. Cost: 0.1 to 1 s.
#pragma once

#include <span>

#include "assay/mechanisms/faulty/output_cells.hpp"
#include "assay/mechanisms/faulty/parallel_sparse_vectors.hpp"
#include "assay/mechanisms/faulty/sparse_vectors.hpp"
#include "assay/mechanisms/idealized/numerical_sparse_vector.hpp"

namespace assay::faulty {

// Precondition: cutoff <= 2.
OutputCells sparse_vector_cells(const SparseVector3& mechanism, std::span<const double> a,
                                std::span<const double> b);
OutputCells sparse_vector_cells(const idealized::NumericalSparseVector& mechanism,
                                std::span<const double> a, std::span<const double> b);
OutputCells sparse_vector_cells(const ParallelSparseVectors& mechanism, std::span<const double> a,
                                std::span<const double> b);

}  // namespace assay::faulty

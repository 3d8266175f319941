// How far one record moves the output C x + noise of a matrix mechanism, if it takes part in several of its steps.
//
// Column i of C is what step i adds to the released rows; a record moves step i by a vector h_i of norm at most 1 if it
// takes part in it, and by nothing otherwise. With G = C^T C the squared distance is the largest
//   sum of G_ij <h_i, h_j> over i, j in S                                                       (1)
// over the patterns S of at most k of the T steps, any two of them at least b apart, or exactly b ("spacing").
// Equal h_i show that (1) is at least sum of G_ij s_i s_j for any signs s; and it is at most sum of |G_ij|, so that
// a pattern is exact if its entries of G are not negative. Bounds over all patterns:
//   Toeplitz, c_0 >= c_1 >= .. >= 0:   S = 0, b, 2b, .., (k - 1) b, exact                       (2)
//   tree of dyadic intervals that end by T: counts of a level are at most min(k, ceil(width/b)), with the sum k; exact
//   for k = 1, and if b is a power of 2 that divides T; otherwise also (4), up to 2000 steps     (3)
//   any matrix: sum of w_i over S, w_i = max over S with i of sum of |G_ij| over j in S, both by dynamic programming; from
//   below the pattern that attains it, and patterns of equal steps                              (4)
// The release is one Gaussian release at that distance, even if the h_i depend on earlier rows: a row comes out after the
// last step that it contains, and the squared shifts of all rows add up to (1) for every course of events.
//
// Reference: Denisov, McMahan, Rush, Smith, Thakurta (NeurIPS 2022) for the last; Choquette-Choo et al., "(Amplified) banded
// matrix factorization" (NeurIPS 2023) for (4); Kalinin, Lampert, "Banded square root matrix factorization" (NeurIPS 2024)
// for (2).
// Proofs: docs/proofs/matrix_mechanisms.md. Errors: parameters outside their ranges; kLimit for a matrix with more than
// 2000 steps, or more work than some seconds. Threads: pure. Cost: (2) O(T), (3) at most 1 s, (4) O(T^2 (rows + k)).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

enum class Spacing { kAtLeast, kExact };
constexpr std::array<std::pair<Spacing, std::string_view>, 2> enum_names(Spacing) {
  return {{{Spacing::kAtLeast, "at-least"}, {Spacing::kExact, "exact"}}};
}

struct Participation {
  std::int64_t steps = 1;           // T: 1 to 1,000,000
  std::int64_t participations = 1;  // k: 1 to T; those that do not fit are left out
  std::int64_t separation = 1;      // b: 1 to T
  Spacing spacing = Spacing::kAtLeast;
};

// (1), between bounds.
using SquaredDistance = detail::Enclosure;

// The square root of the matrix of prefix sums: c_s = C(2 s, s)/4^s, each right to 3 s u of itself.
std::vector<double> square_root_coefficients(std::int64_t count);
// The lower triangular Toeplitz matrix of c, with zeros after its last coefficient. Each coefficient has this relative error.
Result<SquaredDistance> toeplitz_distance(std::span<const double> coefficients,
                                          const Participation& participation, double error = 0.0);
Result<SquaredDistance> tree_distance(const Participation& participation);
// Rows of `steps` entries each.
Result<SquaredDistance> matrix_distance(const std::vector<std::vector<double>>& rows,
                                        const Participation& participation);

}  // namespace assay

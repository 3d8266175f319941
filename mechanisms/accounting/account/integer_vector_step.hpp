// A step of discrete Gaussian noise on each entry of an integer vector, which one record moves by at most D in L2 distance.
//
// The squared distance is a whole number, D^2. A record that moves the entries by v has the product of the pairs of its
// entries, whose losses are the points (2 m + |v|^2)/(2 sigma^2) of a lattice,
//   P(m) = Pr[sum of v_i X_i = m],  Q(m) = P(m + |v|^2),  X_i the noise                             (1)
// (the same in both orders). No v is worst at all eps: with sigma = 2 and D^2 = 4, (2) leaks more than (1, 1, 1, 1) at
// delta = 1e-6, and less at 1e-3. A move that can be longer in some entry, or move one entry more, leaks at least as much,
// so the worst at each eps is among the partitions of D^2 into squares                              (2)
// Up to D^2 = 30 and sigma = 30 they are listed, and
//   above   the least pair above all their profiles dominates; one release is exact                 (3)
//   below   the one that leaks most, the same in every release; up to D^2 = 3 there is only one, so it is exact
// Beyond that no pair is given: rho = D^2/(2 sigma^2) is the bound from above (Canonne, Kamath, Steinke, NeurIPS 2020,
// proposition 5 and its product), and v of up to four entries that come nearest to D that from below.
// Reference: docs/proofs/integer_vectors.md for (1) to (3).
// Errors name the parameter and its range. Threads: values. Cost: 1 ms at sigma = 2, up to 1 s at sigma = 30.
#pragma once

#include <cstdint>
#include <string_view>

#include "assay/mechanisms/accounting/account/step_kinds.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay {

struct IntegerVectorStep {
  static constexpr std::string_view kName = "discrete-gaussian-vector";
  static constexpr std::string_view kTitle = "Gaussian noise on the entries of an integer vector";
  double sigma = 0.0;
  std::int64_t squared_sensitivity = 1;
  static void fields(auto&& visit) {
    using C = IntegerVectorStep;
    visit(field("sigma", &C::sigma, Range{0.3, 1e4}, "",
                "the sigma of the weights e^(-k^2/(2 sigma^2))"));
    visit(field("squared_sensitivity", &C::squared_sensitivity, Range{1, 1e9}, "",
                "the square of how far one record moves the vector in L2 distance"));
  }
  Status check() const;

  bool has_pair() const;
  Result<Known<StepLosses>> losses(const LossAccuracy& accuracy) const;
  Result<DirectedLosses> attained(const LossAccuracy& accuracy) const;
  Known<detail::Enclosure> largest_loss() const;
  detail::Enclosure rho() const;
  RenyiDp renyi() const;
};

}  // namespace assay

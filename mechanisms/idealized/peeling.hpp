// Peeling releases the s coordinates of a vector whose noisy absolute values are largest, one after another,
// and on request their noisy values. Not for the release of data.
//
//   round r: j_r = argmax over j not yet chosen of |v_j| + Z_rj, Z Laplace of scale b, all fresh (1)
//   then, if values are released: y_r = v_(j_r) + W_r, W Laplace of scale b                     (2)
//   b = peeling_scale of calibrate.hpp at (epsilon, delta), or the given scale                  (3)
//   log density of (j, y) = sum over r of log P(j_r wins among those left) + log f(y_r - v_(j_r)) (4)
//
// Privacy. Relation: every coordinate moves by at most `sensitivity` (guarantee() names the relation
// if that is 1). View: indices and values. Round r is report noisy max, 2 sensitivity/b-DP, since
// | |v| - |v'| | <= |v - v'|; a value is sensitivity/b-DP. The s or 2 s releases compose adaptively, by the
// best of the three theorems of calibrate.hpp. If the scale is given, guarantee() is the least epsilon that
// they prove at delta, to 1e-6 of it. For the scale of the papers, 2 sqrt(3 s log(1/delta))
// sensitivity/epsilon, they prove epsilon only for epsilon <= 1/2, delta <= 0.011, s >= 10.
// Idealized: the guarantee holds for real numbers; the low bits of values in double precision leak
// (release/fixed_point.hpp). To release data, take the indices alone (`values` false) and release
// the chosen coordinates by `laplace`.
// The caller must make sure that `sensitivity` bounds how far a coordinate moves; nothing here checks it.
// Sampling is exact in distribution, up to 64-bit numbers and 1e-15 of Z, by (5): docs/proofs/peeling.md.
// Reference: Dwork, Su, Zhang, "Differentially private false discovery rate control" (2021),
// algorithm 2; Cai, Wang, Zhang (Annals of Statistics, 2021), algorithm 3; order statistics:
// Devroye, "Non-uniform random variate generation" (1986), section V.2.
// Threads: a value. Cost: O(d + s (buckets + 3)) expected, at most 64 buckets; (4) s noisy_max_distribution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay::idealized {

struct PeelingConfig {
  double epsilon = 1.0;
  double delta = 0.0;
  double sensitivity = 1.0;
  std::int64_t coordinates = 5;
  std::int64_t rounds = 2;
  bool values = true;
  double scale = 0.0;

  static void fields(auto&& visit) {
    using C = PeelingConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{0.0, 0.5}, "delta", "privacy level, 0 for pure"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "lambda",
                "distance by which one record moves a coordinate"));
    visit(field("coordinates", &C::coordinates, Range{1, 100'000'000}, "d", "length of the input"));
    visit(field("rounds", &C::rounds, Range{1, 100'000}, "s", "coordinates chosen"));
    visit(field("values", &C::values, Range{}, "", "whether noisy values are released"));
    visit(field("scale", &C::scale, Range{0.0, 1e15}, "b",
                "scale of the noise; 0 for the least that epsilon and delta need"));
  }
};

struct PeelingOutput {
  std::vector<std::int64_t> indices;  // in the order of their choice, from 0
  std::vector<double> values;         // one for each index; empty if values are not released
  friend bool operator==(const PeelingOutput&, const PeelingOutput&) = default;
};

class PeelingMechanism
    : public assay::detail::ReadsAnswers<PeelingConfig, &PeelingConfig::coordinates> {
 public:
  using Output = PeelingOutput;

  // Errors: a field out of range; more rounds than coordinates; a scale, or its epsilon, that no
  // double holds.
  static Result<PeelingMechanism> create(const Config& config);

  // There is no release_many(), because an output is a structure and every release takes O(d) to make its buckets.
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // (4). The measure counts the indices, with Lebesgue measure for the values. It is -inf for an output that cannot
  // occur: indices repeated or out of range, a wrong number of indices or values.
  double log_density(const Output& output, const Input& input) const;

  double scale() const { return noise_.scale(); }
  // The level at config().delta, for any scale. If it is above epsilon = 1e6, it is the sum of the levels.
  Guarantee guarantee() const;

 private:
  PeelingMechanism(const Config& config, const Laplace& noise)
      : ReadsAnswers(config), noise_(noise) {}

  Laplace noise_;  // at 0
};

static_assert(DensityMechanism<PeelingMechanism>);

}  // namespace assay::idealized

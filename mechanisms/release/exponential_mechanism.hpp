// The exponential mechanism and permute-and-flip. Both release the index of a candidate whose score
// q_i is high.
//
//   w_i = exp(epsilon (q_i - max q)/(2 sensitivity))                                           (1)
//   ExponentialMechanism: P(I = i) = w_i/sum w                                                 (2)
//   PermuteAndFlip: tosses a coin of probability w_i for each candidate, in random order, until one
//   shows heads; P(I = i) = w_i integral over t in [0, 1] of prod over j != i of (1 - t w_j) dt (3)
//   Sampling (2): sums of w over blocks of 1024; one random number picks a block, another one a
//   candidate in the block                                                                      (4)
//   or, streaming, argmax q_i + G_i with Gumbel noise of scale 2 sensitivity/epsilon            (5)
//
// Privacy. Relation: every score moves by at most `sensitivity` (if that is 1, guarantee() names the
// relation "every answer moves by at most 1"). View: the index. Both are epsilon-DP.
// Accuracy: permute-and-flip's expected score is never below the exponential mechanism's. log_pmf()
// of (2) is within 1e-16 (1024 + n/1024 + |log P|). That of (3) is as accurate as
// noisy_max_distribution.hpp, since permute-and-flip is report noisy max with exponential noise.
// Samplers: (4) inverts a cdf whose sums are rounded by less than 2^-53 (1024 + n/1024) of the whole,
// which bounds its distance from (2) in total variation. (5) is right to 2^-64 per draw and 1e-15 of
// the noise. Coins of (3) are rounded to 2^-64 plus 1e-15 of themselves. So there is no pure bound
// for events whose probability is below these errors.
// Reference: McSherry, Talwar (FOCS 2007); McKenna, Sheldon, "Permute-and-flip" (NeurIPS 2020),
// theorem 1; (3) writes the sum over subsets in their proposition as an integral of its generating
// polynomial.
// Threads: values. Cost per candidate: one exp (4); two logs and a random number (5); times are in
// docs/benchmarks.md, selection. (4) is the default, since it is faster at every n measured.
// release_many is (4) with stored sums, 8 n bytes, then O(log n) per draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/random/random_source.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct SelectionConfig {
  double epsilon = 1.0;
  double sensitivity = 1.0;
  std::int64_t answers = 5;

  static void fields(auto&& visit) {
    using C = SelectionConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "distance by which one record moves a score"));
    visit(field("answers", &C::answers, Range{1, 100'000'000}, "n", "candidates"));
  }
};

class ExponentialMechanism : public detail::ReleasesIndex<SelectionConfig> {
 public:
  static Result<ExponentialMechanism> create(const Config& config);

  // By (4). release_many() gives the same indices as repeated calls of release().
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  // By (5): the same distribution from other random numbers.
  template <RandomSource R>
  Output release_streaming(const Input& input, R& random) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;

 private:
  ExponentialMechanism(const Config& config, const Gumbel& noise)
      : ReleasesIndex(config), noise_(noise) {}

  Gumbel noise_;  // of scale 2 sensitivity/epsilon
};

class PermuteAndFlip : public detail::ReleasesIndex<SelectionConfig>,
                       public detail::ReleasesOneOfMany<PermuteAndFlip> {
 public:
  static Result<PermuteAndFlip> create(const Config& config);

  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;

 private:
  using ReleasesIndex::ReleasesIndex;

  std::vector<double> log_weights(const Input& input) const;  // logarithms of (1)
};

static_assert(FiniteMechanism<ExponentialMechanism> && FiniteMechanism<PermuteAndFlip>);

}  // namespace assay

// The noise of continual counters. It has four kinds, and its scale follows from the number of noisy
// sums ("nodes") that contain one entry of the stream.
//
// An entry moves by at most D and is in at most n nodes, each moved by at most D. Noise of scale s:
//   Laplace kinds   e-DP for e = n D/s, so s = n D/e                                           (1)
//   Gaussian        mu-GDP for mu = sqrt(n) D/s                                                (2)
//   discrete Gaussian, integer D: rho-zCDP for rho = n D^2/(2 s^2), hence (e, delta)-DP        (3)
// So if one node alone needs the scale s1 for a level, n nodes need n s1 (Laplace kinds) or sqrt(n) s1.
// The same rule splits a budget: a share w of e, mu^2 or rho needs s1/w or s1/sqrt(w).
//
// A sum of noises with weights w_i, W = sum w_i^2, max |w_i| <= 1, exceeds in absolute value
//   Gaussian kinds  s sqrt(2 W L)                                                              (4)
//   Laplace kinds   s sqrt(8 L max(W, L)),   L = log(2/beta)                                   (5)
// with probability at most beta. Proofs: docs/proofs/counter_noise.md.
//
// The discrete kinds are for release: on integer streams every sum is an exact integer.
// Their samplers invert random numbers in doubles (discrete_laplace.hpp, discrete_gaussian.hpp): a
// tail is right to 2^-64 and 4e-16 (1 + |log of it|) of itself and ends at 45 scales. (1) to (3) do not
// account for this error. The idealized kinds add real noise in double precision, whose low bits leak;
// they are for simulation and audits.
// Reference: Dwork, Naor, Pitassi, Rothblum (STOC 2010); Chan, Shi, Song (ACM TISSEC 2011), whose
// tail bound (5) is; Canonne, Kamath, Steinke (NeurIPS 2020) for (3), with noise that is
// subgaussian of variance proxy s^2. Threads: values. Cost: that of the noise.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/random_source.hpp"

namespace assay {

enum class CounterNoise {
  kDiscreteLaplace,
  kDiscreteGaussian,
  kIdealizedLaplace,
  kIdealizedGaussian,
};

constexpr auto enum_names(CounterNoise) {
  return std::array{
      std::pair{CounterNoise::kDiscreteLaplace, std::string_view("discrete-laplace")},
      std::pair{CounterNoise::kDiscreteGaussian, std::string_view("discrete-gaussian")},
      std::pair{CounterNoise::kIdealizedLaplace, std::string_view("idealized-laplace")},
      std::pair{CounterNoise::kIdealizedGaussian, std::string_view("idealized-gaussian")},
  };
}

constexpr bool is_discrete(CounterNoise kind) {
  return kind == CounterNoise::kDiscreteLaplace || kind == CounterNoise::kDiscreteGaussian;
}
constexpr bool is_laplace(CounterNoise kind) {
  return kind == CounterNoise::kDiscreteLaplace || kind == CounterNoise::kIdealizedLaplace;
}

class NodeNoise {
 public:
  // Errors: a scale out of the noise's range (see its header).
  static Result<NodeNoise> create(CounterNoise kind, double scale);

  CounterNoise kind() const { return static_cast<CounterNoise>(distribution_.index()); }
  double scale() const;

  template <RandomSource R>
  double sample(R& random) const {
    return std::visit(
        [&](const auto& distribution) { return static_cast<double>(distribution.sample(random)); },
        distribution_);
  }
  // Makes the same draws as repeated calls of sample().
  template <RandomSource R>
  void fill(R& random, std::span<double> out) const {
    std::visit(
        [&](const auto& distribution) {
          if constexpr (requires { distribution.fill(random, out); }) {
            distribution.fill(random, out);
          } else {
            for (double& x : out) x = static_cast<double>(distribution.sample(random));
          }
        },
        distribution_);
  }

  // For discrete kinds the log-probability, which is -inf if z is not an integer.
  double log_density(double z) const;
  // The exact variance of the distribution; relative error 1e-13.
  double variance() const { return variance_; }
  // The bound (4) or (5) for a sum with W = squared_weights.
  double sum_bound(double squared_weights, double beta) const;

 private:
  using Distribution =
      std::variant<DiscreteLaplace, DiscreteGaussian, Laplace, Gaussian>;  // by kind
  explicit NodeNoise(const Distribution& distribution);

  Distribution distribution_;
  double variance_;
};

// The noise scale of one node of a counter: the smallest by (1) to (3), rounded up, at n = nodes.
// Errors: those of the calibrators; a delta that does not fit the noise.
Result<double> counter_scale(CounterNoise kind, const ApproximateDp& target, double sensitivity,
                             std::int64_t nodes);

// The guarantee at that scale: the target, or for Gaussian noise (2) rounded up. The relation is that one
// entry moves by at most `sensitivity`. It is named kOneAnswer if that is 1, and otherwise
// kReplaceOneRecord, where each record is in one entry.
Guarantee counter_guarantee(CounterNoise kind, const ApproximateDp& target, double sensitivity,
                            std::int64_t nodes, double scale, std::string source);

namespace detail {

// The rules between fields that the configurations of all counters share.
Status check_counter(CounterNoise kind, double delta, double sensitivity, double lowest);

// The largest double at or below lowest + sensitivity. If it were rounded up, one entry could move by
// more than `sensitivity`: by half of it where it is as small as the steps of doubles at `lowest`.
double highest_entry(double lowest, double sensitivity);

// Requires entries from lowest to highest_entry, so that any two streams that differ in one entry are
// neighbours; integers if the noise is discrete; and 1 to `most` entries.
Status check_stream(std::span<const double> input, CounterNoise kind, double lowest,
                    double sensitivity, std::int64_t most);

// Errors, for discrete kinds: sums of `entries` numbers with noise that may reach 2^53, so that they are not exact.
Status check_exact(CounterNoise kind, std::int64_t entries, double lowest, double sensitivity,
                   double largest_scale);

}  // namespace detail
}  // namespace assay

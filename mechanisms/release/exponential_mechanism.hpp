// The exponential mechanism and permute-and-flip: a candidate of high score, by index.
//
//   w_i = exp(epsilon (q_i - max q)/(2 sensitivity))                                           (1)
//   ExponentialMechanism: P(I = i) = w_i/sum w                                                 (2)
//   PermuteAndFlip: candidates in random order, the first whose coin of probability w_i shows
//   heads; P(I = i) = w_i integral over t in [0, 1] of prod over j != i of (1 - t w_j) dt       (3)
//
// Privacy. Relation: every score moves by at most `sensitivity` (every answer by at most 1 where
// that is 1, which guarantee() names). View: the index. epsilon-DP both.
// Accuracy: permute-and-flip's expected score is never below the exponential mechanism's. log_pmf
// of (3): 1e-13 of each probability. Samplers: coins rounded to 2^-64 plus 1e-15 of themselves.
// Reference: McSherry, Talwar (FOCS 2007); McKenna, Sheldon, "Permute-and-flip" (NeurIPS 2020),
// theorem 1; (3) is the sum over subsets of their proposition, as the integral of its generating
// polynomial. Threads: values. Cost: (2) 35 ns per candidate, by Gumbel noise; (3) 20 ns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

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
    visit(field("answers", &C::answers, Range{1, 1024}, "n", "candidates"));
  }
  friend bool operator==(const SelectionConfig&, const SelectionConfig&) = default;
};

class ExponentialMechanism {
 public:
  using Config = SelectionConfig;
  using Input = std::span<const double>;
  using Output = std::int64_t;  // the index, from 0

  static Result<ExponentialMechanism> create(const Config& config);

  Status check_input(const Input& input) const {
    return detail::check_answers(input, static_cast<std::size_t>(config_.answers));
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  std::vector<Output> outputs(const Input& input) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;
  const Config& config() const { return config_; }

 private:
  ExponentialMechanism(const Config& config, const Gumbel& noise)
      : config_(config), noise_(noise) {}

  Config config_;
  Gumbel noise_;  // of scale 2 sensitivity/epsilon
};

class PermuteAndFlip {
 public:
  using Config = SelectionConfig;
  using Input = std::span<const double>;
  using Output = std::int64_t;  // the index, from 0

  static Result<PermuteAndFlip> create(const Config& config);

  Status check_input(const Input& input) const {
    return detail::check_answers(input, static_cast<std::size_t>(config_.answers));
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  std::vector<Output> outputs(const Input& input) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;
  const Config& config() const { return config_; }

 private:
  explicit PermuteAndFlip(const Config& config) : config_(config) {}

  std::vector<double> log_weights(const Input& input) const;  // logarithms of (1)

  Config config_;
};

static_assert(FiniteMechanism<ExponentialMechanism> && FiniteMechanism<PermuteAndFlip>);

}  // namespace assay

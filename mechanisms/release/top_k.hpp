// One-shot top-k adds Gumbel noise to every score once, and releases the k candidates whose noisy
// scores are largest.
//
//   output: the indices of the k largest q_i + G_i, G_i Gumbel of scale b = 2 sensitivity/epsilon_0,
//   from the largest on, or as a set in ascending order                                        (1)
//   epsilon_0: the largest value for which one of three conditions shows that k adaptive draws are
//   (epsilon, delta)-DP
//     k epsilon_0 <= epsilon                                                                   (2)
//     the optimal composition of k epsilon_0-DP releases (optimal_composition.hpp)             (3)
//     k epsilon_0^2/8-zCDP, converted at the best order (zcdp.hpp)                             (4)
//
// Privacy. Relation: every score moves by at most `sensitivity` (if that is 1, guarantee() names the
// relation). View: the indices. The output is (epsilon, delta)-DP. By the Plackett-Luce distribution
// (top_k_distribution.hpp) it is k rounds of the exponential mechanism at epsilon_0, each without the
// candidates already chosen, so adaptive composition applies; the set is post-processing.
//   Proof of (4): the loss L of one draw is (q_i - q'_i)/b - c with the same c for every i, so it lies
//   in an interval of length epsilon_0 (bounded range). psi(a) = log E_Q e^(a L) has psi(0) = psi(1) = 0.
//   psi'' is the variance of a tilted L, so psi'' <= epsilon_0^2/4. Hence psi(a) <= a (a - 1)
//   epsilon_0^2/8, and D_a = psi(a)/(a - 1) <= a epsilon_0^2/8.
// At delta = 0 only (2) applies.
// Reference: Durfee, Rogers (NeurIPS 2019), lemma 4.2; Dong, Durfee, Rogers, "Optimal differential
// privacy composition for exponential mechanisms" (ICML 2020), for bounded range; Cesar, Rogers,
// "Bounding, concentrating, and truncating" (ALT 2021), lemma 3.4, for (4).
// Threads: a value. Cost: 35 ns per score and O(log k) for each that enters; log_pmf O(k n) per
// ordered output.
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

struct TopKConfig {
  double epsilon = 1.0;
  double delta = 0.0;
  double sensitivity = 1.0;
  std::int64_t answers = 5;
  std::int64_t count = 2;
  bool ordered = true;

  static void fields(auto&& visit) {
    using C = TopKConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{0.0, 0.5}, "delta", "privacy level, 0 for pure"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "distance by which one record moves a score"));
    visit(field("answers", &C::answers, Range{1, 100'000'000}, "n", "candidates"));
    visit(field("count", &C::count, Range{1, 100'000}, "k", "candidates released"));
    visit(field("ordered", &C::ordered, Range{}, "", "true: from the largest on; false: as a set"));
  }
};

class TopK : public detail::ReadsAnswers<TopKConfig> {
 public:
  using Output = std::vector<std::int64_t>;  // indices from 0

  // Errors: a field out of range, count above answers.
  static Result<TopK> create(const Config& config);

  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of count.
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<std::int64_t> out) const;
  // The number of possible outputs; a double, since no integer type holds it.
  double output_count() const;
  // Preconditions: at most 2^20 possible outputs; if they are sets, of at most 20 indices.
  std::vector<Output> outputs(const Input& input) const;
  std::vector<double> log_pmf(const Input& input) const;
  // The log-probability of one output. Preconditions: the output is possible; if it is a set, of at most 20 indices.
  double log_probability(const Output& output, const Input& input) const;

  Epsilon round_epsilon() const { return round_epsilon_; }  // epsilon_0
  Guarantee guarantee() const;

 private:
  TopK(const Config& config, const Gumbel& noise, Epsilon round)
      : ReadsAnswers(config), noise_(noise), round_epsilon_(round) {}

  Gumbel noise_;
  Epsilon round_epsilon_;
};

static_assert(FiniteMechanism<TopK>);

}  // namespace assay

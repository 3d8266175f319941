// The sparse vector technique in general. It decides which answers of a list are above a noisy threshold.
// The correct variants and the published wrong ones use this code with their own constants
// (above_threshold.hpp, numerical_sparse_vector.hpp, faulty/sparse_vectors.hpp).
//
//   z = Laplace(b_rho);  for i = 1, 2, ..: v_i = q_i + Laplace(b_nu),
//   answer i is above when v_i >= T + z, and below otherwise                                   (1)
//   If b_nu = 0, the answers get no noise. With `redraw`, a new z is drawn after each answer above.
//   After `stop` answers above, the remaining ones are not answered. With stop = 0 it never stops.
//
// Distribution. Between draws of z the answers are independent given z, so an output without redraw has
//   P(o) = integral of f_rho(z) prod over i of p_i(z)^[o_i above] (1 - p_i(z))^[o_i below] dz  (2)
//   p_i(z) = P(Laplace(b_nu) >= T + z - q_i)
// and with redraw the product of (2) over the blocks that end in an answer above.
// Accuracy of (2): 1e-12 of each probability above 1e-280; kinks of the integrand are at the breaks.
// Randomness: z first, then the noise of each answer as needed; a new z when it is redrawn.
// Reference: Lyu, Su, Li, "Understanding the sparse vector technique for differential privacy"
// (PVLDB 10(6), 2017), whose algorithms 1 to 6 are the variants' numbers.
// Threads: values. Cost: one Laplace draw (20 ns) per answer until it stops.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct SparseVectorConfig {
  double epsilon = 1.0;
  double threshold = 0.0;
  std::int64_t cutoff = 1;
  std::int64_t answers = 10;

  static void fields(auto&& visit) {
    using C = SparseVectorConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-3, 1e3}, "eps", "privacy level it claims"));
    visit(field("threshold", &C::threshold, Range{-1e9, 1e9}, "T", "public threshold"));
    visit(field("cutoff", &C::cutoff, Range{1, 1024}, "c",
                "number of answers above before it stops"));
    visit(field("answers", &C::answers, Range{1, 1024}, "n", "length of the input"));
  }
};

enum class Answer : std::int8_t { kNone = -1, kBelow = 0, kAbove = 1 };

// An answer as a double, for release_many(): 1 for above, 0 for below, NaN for not answered. (Mechanisms
// that release values write the value for above, and -infinity for below.)
double as_double(Answer answer);

namespace detail {

class SparseVectorRule {
 public:
  // Preconditions: scales are positive and finite; nu_scale may be 0 for no noise.
  SparseVectorRule(double threshold, double rho_scale, double nu_scale, std::int64_t stop,
                   bool redraw);

  // Calls visit(i, v_i, flag) for each answer until it stops. Returns the number of answers that were answered.
  template <RandomSource R, class Visit>
  std::size_t run(std::span<const double> q, R& random, Visit visit) const {
    double bar = threshold_ + rho_.sample(random);
    std::int64_t above = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double value = has_nu_ ? q[i] + nu_.sample(random) : q[i];
      const bool flag = value >= bar;  // (1)
      visit(i, value, flag);
      if (!flag) continue;
      if (++above == stop_) return i + 1;
      if (redraw_) bar = threshold_ + rho_.sample(random);
    }
    return q.size();
  }

  // Fills `out` with whole releases: entry(i, v_i, flag) for each answer, and NaN if it is not answered.
  template <RandomSource R, class Entry>
  void run_many(std::span<const double> q, R& random, std::span<double> out, Entry entry) const {
    ASSAY_CHECK(!q.empty() && out.size() % q.size() == 0, "whole releases");
    for (std::size_t first = 0; first < out.size(); first += q.size()) {
      double* row = out.data() + first;
      const std::size_t answered =
          run(q, random, [&](std::size_t i, double v, bool flag) { row[i] = entry(i, v, flag); });
      std::fill(row + answered, row + q.size(), as_double(Answer::kNone));
    }
  }

  template <RandomSource R>
  std::vector<Answer> flags(std::span<const double> q, R& random) const;
  template <RandomSource R>
  void flags_many(std::span<const double> q, R& random, std::span<double> out) const;
  // Every output for n answers, in lexicographic order where below comes before above.
  std::vector<std::vector<Answer>> outputs(std::size_t n) const;
  std::vector<double> log_pmf(std::span<const double> q) const;
  // An upper bound on the evaluations of the noise's distribution that log_pmf() needs, at 15 ns each.
  double distribution_work(std::span<const double> q) const;
  // log P(o) by (2).
  double log_probability(std::span<const Answer> flags, std::span<const double> q) const;

  // P(v >= T + z) and P(v < T + z) for answer q at threshold noise z.
  double above(double q, double z) const;
  double below(double q, double z) const;
  double threshold() const { return threshold_; }
  const Laplace& rho() const { return rho_; }
  const Laplace& nu() const { return nu_; }

  // Fails if there would be more than 2^16 outputs.
  static Status check_outputs(std::int64_t answers, std::int64_t stop);

 private:
  // The nodes of the integral over z in (2).
  std::vector<QuadratureNode> threshold_nodes(std::span<const double> q) const;
  double log_stretch(std::span<const Answer> flags, std::span<const double> q) const;
  // The log-probability of all blocks: the sum of log_stretch(flags, first, end) over them.
  template <class LogStretch>
  double sum_of_blocks(std::span<const Answer> flags, LogStretch log_stretch) const;

  double threshold_;
  Laplace rho_;
  Laplace nu_;
  bool has_nu_;
  std::int64_t stop_;
  bool redraw_;
};

// A variant that releases flags: Variant has rule(config) and guarantee(config).
template <class Variant>
class FlagSparseVector : public ReadsAnswers<SparseVectorConfig> {
 public:
  using Output = std::vector<Answer>;

  static Result<FlagSparseVector> create(const Config& config) {
    ASSAY_TRY(validate(config));
    return FlagSparseVector(config);
  }

  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    return rule_.flags(input, random);
  }
  // Fills `out` with independent releases, one after another; each entry is a flag by as_double(). Precondition:
  // out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const {
    rule_.flags_many(input, random, out);
  }
  // Precondition: at most 2^16 outputs, which means 16 answers, or more if the cutoff is small.
  std::vector<Output> outputs(const Input& input) const { return rule_.outputs(input.size()); }
  std::vector<double> log_pmf(const Input& input) const { return rule_.log_pmf(input); }

  Guarantee guarantee() const { return Variant::guarantee(this->config()); }
  const SparseVectorRule& rule() const { return rule_; }

 private:
  explicit FlagSparseVector(const Config& config)
      : ReadsAnswers(config), rule_(Variant::rule(config)) {}

  SparseVectorRule rule_;
};

}  // namespace detail
}  // namespace assay

// The sparse vector technique in general: which answers of a list lie above a noisy threshold. The
// correct variants and the published wrong ones are instances of this engine (above_threshold.hpp,
// numerical_sparse_vector.hpp, faulty/sparse_vectors.hpp).
//
//   z = Laplace(b_rho);  for i = 1, 2, ..: v_i = q_i + Laplace(b_nu),
//   answer i is above when v_i >= T + z, and below otherwise                                   (1)
//   b_nu = 0: no noise on the answers. `redraw`: a new z after each answer above.
//   After `stop` answers above, the remaining ones are not answered; stop = 0: never.
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

// Outputs as doubles, for release_many. If flags are released: 1 above, 0 below, NaN not answered. If
// values are released: the value, -infinity below, NaN not answered.
double as_double(Answer answer);

namespace detail {

class SparseVectorRule {
 public:
  // stop 0: never. Scales positive and finite, nu_scale 0 for none.
  SparseVectorRule(double threshold, double rho_scale, double nu_scale, std::int64_t stop,
                   bool redraw);

  // Calls visit(i, v_i, flag) for each answer until it stops. Returns the number of answers given.
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

  // Whole releases: entry(i, v_i, flag) for each answer, NaN for those without an answer.
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
  // The most evaluations of the noise's distribution that log_pmf needs; 15 ns each.
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
  // log P of all blocks, by log_stretch(flags, first, end) of each.
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
  // out.size() is a multiple of input.size(); each entry is a flag by as_double().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const {
    rule_.flags_many(input, random, out);
  }
  // Precondition: at most 2^16 outputs, that is 16 answers, or more with a small cutoff.
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

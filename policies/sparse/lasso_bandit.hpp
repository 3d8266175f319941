// The Sparsity-Agnostic Lasso bandit takes greedy actions by a lasso fit of all rounds so far. A baseline
// that is not private.
//
//   round t plays the arm argmax_i <x_i(t), b>, the first if several are equal; b = 0 before the first
//   fit                                                                                        (1)
//   after rounds t = r, 2 r, ..: b minimises ||y - X b||^2/(2 t) + lambda_t ||b||_1 (lasso.hpp),
//   lambda_t = 2 lambda_0 sqrt((4 log t + 2 log d)/t)                                          (2)
// The listing fits after every round; r = 200 and lambda_0 = 1 are from the experiments.
//
// Privacy. Relation: replace one round. View: all actions but that round's. There is no level, since the
// actions are a function of the rounds. guarantee() is eps = infinity.
// Reference: Oh, Iyengar, Zeevi, "Sparsity-Agnostic Lasso Bandit" (ICML 2021), algorithm 1;
// Chakraborty, Roy, Basu, "FLIPHAT", section 6.
// Threads: a value. The same bits on every machine.
// Cost: as in lasso.hpp, 8 us a round at d = 400, T = 20,000, r = 200. Memory: up to (T + d) d
// numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/sparse/contexts.hpp"
#include "assay/policies/sparse/lasso.hpp"

namespace assay {

struct LassoBanditConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 6;
  std::int64_t horizon = 1000;
  std::int64_t refit = 200;
  double lambda_0 = 1.0;

  static void fields(auto&& visit) {
    using C = LassoBanditConfig;
    visit(field("arms", &C::arms, Range{2, kMostContextArms}, "K", "number of arms"));
    visit(field("dimension", &C::dimension, Range{1, kMostContextDimension}, "d",
                "entries of a context"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("refit", &C::refit, Range{1, 1e9}, "r", "rounds between fits"));
    visit(field("lambda_0", &C::lambda_0, Range{1e-6, 1e6}, "lambda_0", "size of the penalty"));
  }
  Status check() const;  // Error: (T + d) d above kMostKeptNumbers.
};

class LassoBandit : public ContextPolicy<LassoBanditConfig> {
 public:
  static Result<LassoBandit> create(const Config& config);

  int choose(const ContextSet& contexts, ReplayStream&);  // (1)
  void observe(double reward);                            // (2)

  Guarantee guarantee() const;
  std::int64_t round() const { return round_; }  // rounds completed
  const Lasso::Fit& last_fit() const { return fit_; }

 private:
  explicit LassoBandit(const Config& config);

  Lasso lasso_;
  Lasso::Fit fit_;
  std::vector<double> chosen_;
  std::int64_t round_ = 0;
};

static_assert(Policy<LassoBandit>);

// lambda_t of (2).
double lasso_penalty(const LassoBanditConfig& config, std::int64_t round);

}  // namespace assay

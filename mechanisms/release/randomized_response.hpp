// Randomised response over the values 0 to k - 1 reports the true value v with some probability, and
// otherwise one of the other values, all equally likely.
//
//   P(Y = v) = e^epsilon/(e^epsilon + k - 1),  P(Y = w) = 1/(e^epsilon + k - 1), w != v        (1)
//
// Privacy. Relation: replace the one record, v, by any other value. View: the output. The mechanism is
// epsilon-DP, and this is attained.
// Accuracy: the probabilities (1) are rounded to 2^-64 plus 1e-15 of themselves.
// Reference: Warner (JASA, 1965); for k values Kairouz, Oh, Viswanath, "Extremal mechanisms for
// local differential privacy" (JMLR, 2016). Threads: a value. Cost: two random numbers, 8 ns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct RandomizedResponseConfig {
  double epsilon = 1.0;
  std::int64_t values = 2;

  static void fields(auto&& visit) {
    using C = RandomizedResponseConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("values", &C::values, Range{2, 1e6}, "k", "values 0 to k - 1"));
  }
};

class RandomizedResponse : public Configured<RandomizedResponseConfig>,
                           public detail::ReleasesManyByOne<RandomizedResponse> {
 public:
  using Input = std::int64_t;
  using Output = std::int64_t;

  static Result<RandomizedResponse> create(const Config& config);

  Status check_input(const Input& input) const {
    return detail::check_integer(input, 0, config_.values - 1);
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  std::vector<Output> outputs(const Input& input) const;
  std::vector<double> log_pmf(const Input& input) const;

  Guarantee guarantee() const;

 private:
  explicit RandomizedResponse(const Config& config);

  double lie_;        // (k - 1)/(e^epsilon + k - 1)
  double log_truth_;  // logarithms of (1)
  double log_another_;
};

static_assert(FiniteMechanism<RandomizedResponse>);

}  // namespace assay

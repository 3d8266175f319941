#include "assay/auditors/statistics/one_run.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kOutward = 1e-8;      // more than the relative error of (2)
constexpr double kGaussError = 1e-11;  // more than that of g
constexpr double kSmallestLevel = 1e-12;

void check_counts(const GuessCounts& counts) {
  ASSAY_CHECK(counts.guesses >= 1 && counts.guesses <= counts.canaries && counts.correct >= 0 &&
                  counts.correct <= counts.guesses,
              "guesses are at most the canaries, right ones at most the guesses");
}

// The distribution of B by that of its wrong guesses, which keeps its digits if eps is large.
double wrong_probability(Epsilon epsilon) {
  return portable_exp(-epsilon.value) / (1.0 + portable_exp(-epsilon.value));
}

}  // namespace

UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Epsilon epsilon, Delta delta) {
  check_counts(counts);
  if (counts.correct == 0) return {{1.0}};
  const double wrong = wrong_probability(epsilon);
  const std::int64_t r = counts.guesses, w = r - counts.correct;
  const double log_beta = binomial_log_cdf(w, r, wrong);
  double p = portable_exp(log_beta);
  if (delta.value > 0.0) {
    const double log_rest = binomial_log_at_least(w + 1, r, wrong);
    const double log_cost =
        portable_log(static_cast<double>(counts.correct)) + binomial_log_pmf(w, r, wrong) -
        portable_log(static_cast<double>(counts.canaries)) - portable_log(delta.value);
    p += portable_exp(std::min(1.0, log_beta + log_rest - log_cost));  // (2)
  }
  return {{std::min(1.0, p * (1.0 + kOutward) + 1e-300)}};
}

LowerBound<Epsilon> epsilon_from_share(double share, double guessed, Delta delta) {
  const double right = share * (1.0 - 1e-12) - delta.value / guessed * (1.0 + 1e-12);
  const double wrong = (1.0 - share) * (1.0 + 1e-12);
  if (!(right > wrong)) return {{0.0}};
  if (!(wrong > 0.0)) return {{HUGE_VAL}};
  return {{portable_log(right / wrong)}};  // (6)
}

LowerBound<Mu> mu_from_share(double share, double guessed) {
  const double right = share * (1.0 - 1e-12), wrong = (1.0 - share) * (1.0 + 1e-12);
  if (!(right > wrong)) return {{0.0}};
  if (!(wrong > 0.0)) return {{HUGE_VAL}};
  return mu_from_event_lower(portable_log(right * guessed), portable_log(wrong * guessed));  // (7)
}

LowerBound<Epsilon> one_run_epsilon(const GuessCounts& counts, Delta delta, double alpha) {
  const auto refuted = [&](double epsilon) {
    return one_run_p_value(counts, Epsilon{epsilon}, delta).value.value <= alpha;
  };
  if (!refuted(0.0)) return {{0.0}};
  double low = 0.0, high = 1.0;
  while (refuted(high)) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (refuted(middle) ? low : high) = middle;
  }
  return {{low}};
}

bool one_run_refutes(const GuessCounts& counts, Mu mu, double alpha) {
  check_counts(counts);
  const auto m = static_cast<double>(counts.canaries), r = static_cast<double>(counts.guesses);
  const auto v = static_cast<double>(counts.correct);
  const double limit = r / m * (1.0 + 1e-12);
  double right = alpha * v / m * (1.0 - 1e-12);
  double wrong = alpha * (r - v) / m * (1.0 - 1e-12);
  for (double i = v - 1.0; i >= 0.0; i -= 1.0) {
    const double shifted = normal_cdf(normal_quantile(right) - mu.value) * (1.0 - kGaussError);
    if (shifted <= wrong) return false;  // the sequence is constant from here on
    // Rounded down, so that the computed sequence stays below the exact one.
    right = (right + i / (r - i) * (shifted - wrong)) * (1.0 - 0x1.0p-50);  // (5)
    wrong = shifted;
    if (right + wrong > limit) return true;
  }
  return false;
}

LowerBound<Mu> one_run_mu(const GuessCounts& counts, double alpha) {
  double low = 0.0, high = 1.0;
  while (one_run_refutes(counts, Mu{high}, alpha)) {
    low = high;
    high *= 2.0;
  }
  for (int i = 0; i < 50 && high - low > 1e-7 * high && high > 1e-4; ++i) {
    const double middle = 0.5 * (low + high);
    (one_run_refutes(counts, Mu{middle}, alpha) ? low : high) = middle;
  }
  return {{low}};
}

UpperBound<Probability> one_run_p_value(const GuessCounts& counts, Mu mu) {
  if (!one_run_refutes(counts, mu, 0.5)) return {{1.0}};
  double low = kSmallestLevel, high = 0.5;
  while (high > low * 1.001) {
    const double middle = std::sqrt(low * high);
    (one_run_refutes(counts, mu, middle) ? high : low) = middle;
  }
  return {{high}};
}

}  // namespace assay

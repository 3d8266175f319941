// f(x) = sum_i 2^x a_i e^(-2^x a_i)/sum_i e^(-2^x a_i), the function behind Theorem 4. With p_i in
// proportion to e^(-2^x a_i) it is the mean of 2^x a_i, and
//   f' = log(2) (f - Var(2^x a)),                                                              (1)
//   integral of f over [u, infinity) = log(sum_i e^(-2^u a_i) / number of smallest a_i)/log 2  (2)
// if the smallest a_i is 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/experts/claims/checks.hpp"
#include "assay/auditors/experts/claims/deterministic.hpp"
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::expert_checks {
namespace {

double signed_softmax_mean(const Point& levels, double x) {
  const double power = portable_exp(kLog2 * x);
  double total = 0.0;
  double sum = 0.0;
  for (const double level : levels) {
    const double weight = portable_exp(-power * level);
    total += weight;
    sum += power * level * weight;
  }
  return sum / total;
}

// Three levels besides a_1 = 0, each with a number of actions.
std::vector<Parameter> level_space() {
  return {log_scale("a_2", 1e-4, 10.0), whole_log_scale("held by", 1, 1e6),
          log_scale("a_3", 1e-4, 10.0), whole_log_scale("then by", 1, 1e6),
          log_scale("a_4", 1e-4, 10.0), whole_log_scale("last by", 1, 1e6)};
}

std::vector<GapGroup> levels_at(const Point& point) {
  return {{point[0], point[1]}, {point[2], point[3]}, {point[4], point[5]}};
}

}  // namespace

SearchedClaim lemma_2_search() {
  return {{real("x", -2.0, 2.0), real("a_1", -3.0, 3.0), real("a_2", -3.0, 3.0),
           real("a_3", -3.0, 3.0), real("a_4", -3.0, 3.0)},
          [](const Point& point) {
            const Point levels(point.begin() + 1, point.end());
            const double h = 1e-3;
            const auto f = [&](double step) {
              return signed_softmax_mean(levels, point[0] + step * h);
            };
            const double slope = (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h);
            return slope - kLog2 * f(0.0);
          },
          1e-6};
}

// Lemma 2 is (1), since a variance is not negative. The search takes the derivative by differences,
// with an error below 1e-7.
Finding lemma_2(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "softmax-lemma2", .claim = lemma_2_search(), .points = 5'000},
                          request, control);
  finding.domain = "every K and real a_i; search: " + finding.points() +
                   " points, |a_i| <= 3, |x| <= 2, the derivative by differences";
  finding.evidence = {
      "proof step: f' = log(2) (f - Var(2^x a)) under p_i in proportion to e^(-2^x a_i)",
      "independent search: f' - log(2) f at most " + rounded_up(finding.outcome.margin, 2)};
  return proved(finding, "log(2) f - f' is log(2) times a variance");
}

SearchedClaim lemma_3_search() {
  return {level_space(),
          [](const Point& point) {
            const auto levels = levels_at(point);
            double total = 1.0;
            for (const auto& level : levels) total += level.times;
            const double bound = (kLog2 + 1.0) / kLog2 * portable_log(total);
            double sum = 0.0;
            for (double power = 2.0; power * 1e-4 < 800.0; power *= 2.0) {
              sum += softmax_mean(levels, power);
            }
            return sum / bound - 1.0;
          },
          1e-10};
}

// Lemma 3. By Lemma 2 and f >= 0, f(r) - f(x) <= log(2) times the integral of f over [r - 1, r] for
// every x there, and with the x that attains the mean f(r) <= (1 + log 2) times that integral. By
// (2) from 0 the sum is at most (1 + log 2) log(sum e^(-a_i))/log 2 <= (1 + log 2) log(K)/log 2.
// The same holds for a sum that starts at any whole r, where Theorem 4 needs it.
Finding lemma_3(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "softmax-lemma3", .claim = lemma_3_search(), .points = 4'000},
                          request, control);
  finding.domain = "every K and 0 = a_1 < a_2 <= ...; search: " + finding.points() +
                   " sets of three levels from 1e-4 to 10, each with up to 1e6 actions";
  finding.evidence = {
      "proof step: f(r) <= (1 + log 2) times the integral of f over [r - 1, r], and that over x >= "
      "0 is log(sum e^(-a_i))/log 2",
      fmt::format("independent search: sums of up to {}% of the bound, at {}",
                  rounded_up(100.0 * (1.0 + finding.outcome.margin), 4), finding.closest())};
  return proved(finding,
                "the sum is at most (1 + log 2) times an integral of at most log(K)/log 2");
}

SearchedClaim printed_integral_search() {
  return {{whole("K", 2, 5), log_scale("a_2", 0.01, 5.0), log_scale("a_3", 0.01, 5.0),
           log_scale("a_4", 0.01, 5.0), log_scale("a_5", 0.01, 5.0)},
          [](const Point& point) {
            double total = 1.0;
            for (std::size_t i = 1; i < static_cast<std::size_t>(point[0]); ++i) {
              total += portable_exp(-point[i]);
            }
            return std::abs(portable_log(total) - 2.0 * portable_log(point[0])) / kLog2;  // (2)
          },
          1e-9};
}

// The last step of Lemma 3 as printed: the integral of f over x >= 0 is (2/log 2) log K.
Finding printed_integral(const ClaimRequest& request, const RunControl& control) {
  // They differ everywhere, so the search prefers few levels to a large difference.
  auto finding = searched(
      {.id = "softmax-integral", .claim = printed_integral_search(), .points = 500, .keep = 0.1},
      request, control);
  finding.domain = finding.points() + " sets of 2 to 5 levels, the others from 0.01 to 5";
  return refuted_or_not(finding, "difference", [](const Point& point) {
    IntegralMismatch mismatch;
    mismatch.levels = {0.0};
    double total = 1.0;
    for (std::size_t i = 1; i < static_cast<std::size_t>(point[0]); ++i) {
      mismatch.levels.push_back(point[i]);
      total += portable_exp(-point[i]);
    }
    std::sort(mismatch.levels.begin(), mismatch.levels.end());
    mismatch.integral = portable_log(total) / kLog2;
    mismatch.printed = 2.0 * portable_log(point[0]) / kLog2;
    return mismatch;
  });
}

}  // namespace assay::expert_checks

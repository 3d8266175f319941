#include "assay/auditors/sparse/peeling_composition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kCountError = 4e-9;  // relative error of every P(k) and Q(k)
constexpr std::array<double, 7> kShares = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};  // the P(A) to try

PldOptions pld_options(const std::atomic<bool>* cancel) {
  PldOptions options;
  options.delta_relative_width = 0.01;
  options.cancel = cancel;
  return options;
}

using CountLogs = std::vector<double>;  // log P(k), k = 0 .. s

// (3).
CountLogs limit_counts(std::int64_t rounds, double share) {
  CountLogs logs;
  for (std::int64_t k = 0; k <= rounds; ++k) logs.push_back(binomial_log_pmf(k, rounds, share));
  return logs;
}

// The number k of choices from a group of `size` entries, which is `lead` scales above the other
// group of `other` entries.
CountLogs counts(std::int64_t rounds, std::int64_t size, std::int64_t other, double lead) {
  const auto noise = Laplace::create(0.0, 1.0);
  ASSAY_CHECK(noise.has_value(), "a scale of 1");
  CountLogs logs(static_cast<std::size_t>(rounds) + 1, -kInfinity);
  logs[0] = 0.0;
  for (std::int64_t r = 0; r < rounds; ++r) {
    for (std::int64_t k = r; k >= 0; --k) {
      const auto left = static_cast<double>(size - k);
      const std::array groups = {ScoreGroup::fixed(lead, left),
                                 ScoreGroup::fixed(0.0, static_cast<double>(other - r + k))};
      const auto each = grouped_noisy_max(*noise, groups);
      const auto at = static_cast<std::size_t>(k);
      const double from_group = logs[at] + each[0] + portable_log(groups[0].count);
      const double from_other = logs[at] + each[1] + portable_log(groups[1].count);
      logs[at + 1] = log_add_exp(logs[at + 1], from_group);
      logs[at] = from_other;
    }
  }
  return logs;
}

// (2).
double profile_of(const CountLogs& p, const CountLogs& q, const ComposedPld& values, double eps) {
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double x = eps - (p[k] - q[k]);
    const double below = values.delta(Epsilon{std::fabs(x)}).lower.value.value;
    const double part =
        x >= 0.0 ? below : std::max(0.0, -portable_expm1(x) + portable_exp(x) * below);
    // D falls by no more than e^x of a change of x.
    sum += portable_exp(p[k]) *
           std::max(0.0, part - 2.0 * kCountError * std::min(1.0, portable_exp(x)));
  }
  return std::max(0.0, sum * (1.0 - kCountError));
}

}  // namespace

double paper_peeling_shift(std::int64_t rounds, double epsilon, double delta) {
  return epsilon / (2.0 * std::sqrt(-3.0 * static_cast<double>(rounds) * portable_log(delta)));
}

Result<UpperBound<Delta>> peelings_delta_above(std::span<const PeeledEntries> peelings, Epsilon eps,
                                               const std::atomic<bool>* cancel) {
  std::vector<PldTerm> terms;
  double most = 0.0;
  for (const auto& one : peelings) {
    terms.push_back({ASSAY_TRY(loss_of::randomized_response(2.0 * one.shift)), one.count});
    terms.push_back({ASSAY_TRY(loss_of::laplace(1.0 / one.shift)), one.count});
    most += 3.0 * one.shift * static_cast<double>(one.count);
  }
  if (most * (1.0 + 1e-12) <= eps.value) return UpperBound<Delta>{Delta{0.0}};
  return ASSAY_TRY(pld_delta(terms, eps, pld_options(cancel))).upper;  // (1)
}

Result<LowerBound<Delta>> peeling_delta_below(const PeeledEntries& peeling, std::int64_t entries,
                                              Epsilon eps, const std::atomic<bool>* cancel) {
  const std::int64_t s = peeling.count;
  const double h = peeling.shift;
  ASSAY_CHECK(entries == 0 || entries >= 2 * s,
              "both groups have more entries than the choices take");
  const std::array terms = {PldTerm{ASSAY_TRY(loss_of::laplace(1.0 / h)), s}};
  const double near = std::min(eps.value, 0.5 * static_cast<double>(s) * h);
  const auto values = ASSAY_TRY(compose_near(terms, Epsilon{near}, pld_options(cancel)));
  double best = 0.0;
  for (const double share : kShares) {
    const double odds = share / (1.0 - share);
    double found = 0.0;
    if (entries == 0) {
      const double other = odds * portable_exp(-2.0 * h);
      found = profile_of(limit_counts(s, share), limit_counts(s, other / (1.0 + other)), values,
                         eps.value);
    } else {
      const double even = odds * portable_exp(-h);  // sizes with those odds
      const auto size =
          std::clamp(static_cast<std::int64_t>(static_cast<double>(entries) * even / (1.0 + even)),
                     s, entries - s);
      found = profile_of(counts(s, size, entries - size, h), counts(s, size, entries - size, -h),
                         values, eps.value);
    }
    best = std::max(best, found);
  }
  return LowerBound<Delta>{Delta{best}};
}

}  // namespace assay

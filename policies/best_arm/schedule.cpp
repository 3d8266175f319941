#include "assay/policies/best_arm/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

std::int64_t halved(std::int64_t x) { return (x + 1) / 2; }

// (1)
double elimination_rate(std::int64_t beyond, std::int64_t dimension) {
  if (beyond <= 1 || dimension == 1) return 2.0;
  const double exponent = 1.0 / portable_log(static_cast<double>(dimension));
  return std::max(2.0, portable_exp(exponent * portable_log(static_cast<double>(beyond))));
}

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

std::int64_t PhaseSchedule::effective_budget(std::int64_t budget) const {
  return budget - sum_of(allowances);  // (4)
}

PhaseSchedule elimination_schedule(Schedule schedule, std::int64_t arms, std::int64_t dimension) {
  const std::int64_t c = (dimension * dimension + 3) / 4;
  const std::int64_t least = schedule == Schedule::kProof ? 0 : 1;
  PhaseSchedule out;
  out.lambda = elimination_rate(arms - c, dimension);
  std::vector<std::int64_t> g{std::min(arms, c)};
  std::vector<std::int64_t> h{std::max<std::int64_t>(arms - c, 0)};
  for (std::int64_t i = 0; h.back() > 0 || i < least; ++i) {
    h.push_back(
        static_cast<std::int64_t>(std::ceil(static_cast<double>(h.back() + 1) / out.lambda)) - 1);
  }
  std::int64_t halvings = 0;
  for (; g.back() > 1 || halvings < least; ++halvings) g.push_back(halved(g.back()));
  g.push_back(halved(g.back()));  // (3) with g_0 = 1 looks no further than this
  out.first_stage = static_cast<std::int64_t>(h.size()) - 1;
  const std::int64_t phases = out.first_stage + halvings - least;
  for (std::int64_t p = 1; p <= phases + 1; ++p) {
    const bool first = p <= out.first_stage;
    const auto index = static_cast<std::size_t>(first ? p - 1 : p - out.first_stage - 1 + least);
    out.sizes.push_back(first ? g.front() + h[index] : g[index]);  // (2), (3)
    if (p <= phases) out.allowances.push_back(first ? dimension : c);
  }
  return out;
}

PhaseSchedule halving_schedule(std::int64_t arms) {
  PhaseSchedule out;
  out.sizes.push_back(arms);
  while (out.sizes.back() > 1) {
    out.sizes.push_back(halved(out.sizes.back()));
    out.allowances.push_back(0);
  }
  return out;
}

PhaseSchedule design_schedule(std::int64_t arms, std::int64_t dimension) {
  PhaseSchedule out;
  out.sizes.push_back(arms);
  std::int64_t left = dimension;
  do {
    const std::int64_t active = out.sizes.back();
    out.allowances.push_back(
        out.sizes.size() == 1 ? std::min(active, dimension * (dimension + 1) / 2) : active);
    left = halved(left);
    out.sizes.push_back(left);
  } while (left > 1);
  return out;
}

std::vector<std::int64_t> phase_budgets(const PhaseSchedule& schedule, std::int64_t budget) {
  const std::int64_t effective = schedule.effective_budget(budget);
  const std::int64_t share = floor_quotient(effective, schedule.phases());
  const std::int64_t remainder = effective - share * schedule.phases();
  std::vector<std::int64_t> budgets = schedule.allowances;
  for (std::int64_t p = 0; p < schedule.phases(); ++p) {
    budgets[static_cast<std::size_t>(p)] += share + (p < remainder ? 1 : 0);  // (5)
  }
  return budgets;
}

std::int64_t smallest_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs) {
  ASSAY_CHECK(needs.size() == schedule.allowances.size(), "one need per phase");
  // The share or the remainder must cover the largest need beyond the allowance. The last phase
  // with that need decides how large the remainder has to be.
  std::int64_t most = needs[0] - schedule.allowances[0];
  std::int64_t last = 0;
  for (std::int64_t p = 0; p < schedule.phases(); ++p) {
    const auto index = static_cast<std::size_t>(p);
    const std::int64_t beyond = needs[index] - schedule.allowances[index];
    if (beyond >= most) {
      most = beyond;
      last = p;
    }
  }
  return sum_of(schedule.allowances) + schedule.phases() * (most - 1) + last + 1;
}

Status check_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs,
                    std::int64_t budget) {
  const std::int64_t least = smallest_budget(schedule, needs);
  if (budget >= least) return {};
  return fail(ErrorCode::kInvalidArgument,
              "budget = " + std::to_string(budget) +
                  " leaves an arm of a phase without a pull; it must be at least " +
                  std::to_string(least),
              "/budget");
}

std::vector<std::int64_t> even_pulls(std::int64_t total, std::int64_t count) {
  std::vector<std::int64_t> pulls(static_cast<std::size_t>(count), total / count);
  std::fill_n(pulls.begin(), total % count, total / count + 1);
  return pulls;
}

std::vector<std::int64_t> proportional_pulls(std::int64_t total, std::span<const double> weights) {
  std::vector<std::int64_t> pulls(weights.size(), 0);
  const auto support = static_cast<double>(
      std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0.0; }));
  ASSAY_CHECK(static_cast<double>(total) >= support, "a pull for every arm with weight");
  const double factor = static_cast<double>(total) - 0.5 * support;
  std::int64_t missing = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0) pulls[i] = static_cast<std::int64_t>(std::ceil(factor * weights[i]));
    missing -= pulls[i];
  }
  // The arm that is furthest below its share gains; the arm that is furthest above loses.
  for (; missing != 0; missing += missing > 0 ? -1 : 1) {
    std::size_t chosen = weights.size();
    double ratio = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] <= 0.0) continue;
      const double now = static_cast<double>(missing > 0 ? -pulls[i] : pulls[i] - 1) / weights[i];
      if (chosen == weights.size() || now > ratio) {
        chosen = i;
        ratio = now;
      }
    }
    pulls[chosen] += missing > 0 ? 1 : -1;
  }
  return pulls;
}

}  // namespace assay

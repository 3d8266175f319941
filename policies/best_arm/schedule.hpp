// How many arms are active in each phase, and how the budget is shared among phases and arms.
//
// Symbols: K arms, d dimension, T budget, M phases, s_1..s_{M+1} active arms; logarithms natural.
//   lambda = inf{b >= 2 : b^(log d) >= K - c}, c = ceil(d^2/4); 2 where d = 1                  (1)
//   g_0 = min(K, c), g_i = ceil(g_{i-1}/2)
//   h_0 = max(K - c, 0), h_i = ceil((h_{i-1} + 1)/lambda) - 1
//   M_1 the least i >= 0 with h_i = 0, M = M_1 + the least i >= 0 with g_i = 1
//   proof:    s_p = g_0 + h_{p-1} for p <= M_1, g_{p-M_1-1} after                              (2)
//   literal:  both least i from 1, M one less; s_p = g_{p-M_1} after M_1                       (3)
//   T' = T - sum of allowances u_p, which are d for p <= M_1 and c after                        (4)
//   phase p pulls T'/M + u_p times: rounded down, the remainder one each, first phases first  (5)
//
// The paper defines the schedule three ways that disagree. (2) has s_1 = K, s_{M_1+1} = g_0 as its
// Lemma G.3 needs, M_1 = 0 when K <= c as its Appendix G says, s_{M+1} = 1; (3) are formulas
// (5) to (8) as printed. The paper rounds the pulls of every arm up, which can spend more than T;
// (5) spends exactly T, and an arm of a phase with n <= u_p arms gets at least the printed
// ceil(T'/(M n)) pulls. With more arms than u_p, all pulled, it can be one less: for K = 16, d = 4,
// T = 340 phase 1 pulls 85 times, five for most arms, where Lemma G.2 counts six.
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), section 3.1. Threads: pure functions. Same bits on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class Schedule { kProof, kLiteral };
constexpr std::array<std::pair<Schedule, std::string_view>, 2> enum_names(Schedule) {
  return {{{Schedule::kProof, "proof"}, {Schedule::kLiteral, "literal"}}};
}

struct PhaseSchedule {
  double lambda = 2.0;                   // (1); 2 where it has no part
  std::int64_t first_stage = 0;          // M_1
  std::vector<std::int64_t> sizes;       // s_1..s_{M+1}
  std::vector<std::int64_t> allowances;  // u_1..u_M

  std::int64_t phases() const { return static_cast<std::int64_t>(allowances.size()); }  // M
  std::int64_t effective_budget(std::int64_t budget) const;                             // T'
};

// (2) or (3).
PhaseSchedule elimination_schedule(Schedule schedule, std::int64_t arms, std::int64_t dimension);
// s halves, rounded up, to 1: sequential halving. No allowance.
PhaseSchedule halving_schedule(std::int64_t arms);
// OD-LinBAI: s_1 = K, s_{p+1} = ceil(d/2^p) to 1. The allowances are what its rounding up needs:
// min(K, d (d + 1)/2), then s_p.
PhaseSchedule design_schedule(std::int64_t arms, std::int64_t dimension);

// (5); of sum T.
std::vector<std::int64_t> phase_budgets(const PhaseSchedule& schedule, std::int64_t budget);

// The smallest budget with which phase p has at least needs[p] pulls.
std::int64_t smallest_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs);
// Error: a budget below it; names it.
Status check_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs,
                    std::int64_t budget);

// `total` over `count` arms: rounded down, the remainder one pull each, first arms first.
std::vector<std::int64_t> even_pulls(std::int64_t total, std::int64_t count);
// `total` over arms in proportion to weights of sum 1 by efficient rounding: at least one pull for
// each arm with weight, none for the others. Precondition: total is at least their number.
// Reference: Pukelsheim, Rieder, "Efficient rounding of approximate designs" (Biometrika 79, 1992).
std::vector<std::int64_t> proportional_pulls(std::int64_t total, std::span<const double> weights);

}  // namespace assay

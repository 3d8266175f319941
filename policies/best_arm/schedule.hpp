// The number of active arms in each phase, and the shares of the budget for phases and arms.
//
// Symbols: K arms, d dimension, T budget, M phases, s_1..s_{M+1} active arms; logarithms natural.
//   lambda = inf{b >= 2 : b^(log d) >= K - c}, c = ceil(d^2/4); 2 where d = 1                  (1)
//   g_0 = min(K, c), g_i = ceil(g_{i-1}/2)
//   h_0 = max(K - c, 0), h_i = ceil((h_{i-1} + 1)/lambda) - 1
//   M_1 the least i >= 0 with h_i = 0, M = M_1 + the least i >= 0 with g_i = 1
//   proof:    s_p = g_0 + h_{p-1} for p <= M_1, g_{p-M_1-1} after                              (2)
//   literal:  as proof, but both least i start from 1, and M is one less; s_p = g_{p-M_1} after M_1 (3)
//   T' = T - sum of allowances u_p, which are d for p <= M_1 and c after                        (4)
//   phase p pulls T'/M + u_p times, rounded down; the first phases get the remainder, one pull each (5)
//
// The paper defines the schedule in three ways that disagree. (2) has s_1 = K, s_{M_1+1} = g_0 as its
// Lemma G.3 needs, M_1 = 0 for K <= c as its Appendix G says, and s_{M+1} = 1. (3) is the paper's
// formulas (5) to (8) as printed. The paper rounds the pulls of every arm up, which can spend more than
// T. Our (5) spends exactly T, and an arm of a phase with n <= u_p arms gets at least the printed
// ceil(T'/(M n)) pulls. With more arms than u_p, all pulled, it can get one less: for K = 16, d = 4,
// T = 340 phase 1 pulls 85 times, five for most arms, and Lemma G.2 counts six.
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
  double lambda = 2.0;                   // (1); 2 if the schedule does not use it
  std::int64_t first_stage = 0;          // M_1
  std::vector<std::int64_t> sizes;       // s_1..s_{M+1}
  std::vector<std::int64_t> allowances;  // u_1..u_M

  std::int64_t phases() const { return static_cast<std::int64_t>(allowances.size()); }  // M
  std::int64_t effective_budget(std::int64_t budget) const;                             // T'
};

// The schedule (2) or (3).
PhaseSchedule elimination_schedule(Schedule schedule, std::int64_t arms, std::int64_t dimension);
// The schedule of sequential halving: s is halved, rounded up, until it is 1. There are no allowances.
PhaseSchedule halving_schedule(std::int64_t arms);
// The schedule of OD-LinBAI: s_1 = K, s_{p+1} = ceil(d/2^p) until it is 1. The allowances cover the pulls that
// it rounds up: min(K, d (d + 1)/2), then s_p.
PhaseSchedule design_schedule(std::int64_t arms, std::int64_t dimension);

// The pulls of each phase by (5). Their sum is T.
std::vector<std::int64_t> phase_budgets(const PhaseSchedule& schedule, std::int64_t budget);

// The smallest budget that gives every phase p at least needs[p] pulls.
std::int64_t smallest_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs);
// Errors: a budget below the smallest one, which the message names.
Status check_budget(const PhaseSchedule& schedule, std::span<const std::int64_t> needs,
                    std::int64_t budget);

// Divides `total` among `count` arms, rounded down; the first arms get the remainder, one pull each.
std::vector<std::int64_t> even_pulls(std::int64_t total, std::int64_t count);
// Divides `total` among arms in proportion to weights of sum 1, by efficient rounding. An arm of positive weight
// gets at least one pull, and the others get none. Precondition: `total` is at least the number of arms of positive
// weight.
// Reference: Pukelsheim, Rieder, "Efficient rounding of approximate designs" (Biometrika 79, 1992).
std::vector<std::int64_t> proportional_pulls(std::int64_t total, std::span<const double> weights);

}  // namespace assay

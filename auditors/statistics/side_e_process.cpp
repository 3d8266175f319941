#include "assay/auditors/statistics/side_e_process.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLargestBet = 0.95;  // of 1/max(-z)
constexpr double kRatio = 0.70710678118654752;

}  // namespace

double GamblersWealth::log_e_value() const {
  const double most = *std::max_element(logs.begin(), logs.end());
  if (!(most > -HUGE_VAL)) return -HUGE_VAL;
  double sum = 0.0;
  for (const double one : logs) sum += portable_exp(one - most);
  return most + portable_log(sum / static_cast<double>(kGamblers));
}

void GamblersWealth::add(const GamblersWealth& later) {
  for (std::size_t i = 0; i < kGamblers; ++i) logs[i] += later.logs[i];
}

GamblersWealth bet_on(const SideClaim& claim, double p, double q, const EventCounts& runs) {
  constexpr double kLeast = 1e-6;
  const double c = claim.slope;
  GamblersWealth wealth;
  const double most_q = std::min(1.0, (1.0 - claim.offset) / c) - kLeast;
  if (!(most_q > kLeast)) return wealth;  // the claim says no more than p <= 1
  const double q0 = std::clamp(most_likely_q(claim, std::clamp(p, kLeast, 1.0 - kLeast),
                                             std::clamp(q, kLeast, 1.0 - kLeast)),
                               kLeast, most_q);
  const double p0 = c * q0 + claim.offset;
  struct Kind {
    double z;
    std::int64_t count;
  };
  const std::array<Kind, 4> kinds = {Kind{2.0 * (1.0 - p0), runs.x},
                                     {-2.0 * p0, runs.n - runs.x},
                                     {-2.0 * c * (1.0 - q0), runs.y},
                                     {2.0 * c * q0, runs.m - runs.y}};  // (1)
  double bet = kLargestBet / (2.0 * std::max(p0, c * (1.0 - q0)));
  for (double& log : wealth.logs) {
    for (const Kind& kind : kinds) {
      log += static_cast<double>(kind.count) * portable_log1p(bet * kind.z);  // (2)
    }
    bet *= kRatio;
  }
  return wealth;
}

void ClaimEProcess::add(const ClaimEProcess& later) {
  all.add(later.all);
  if (!later.of_seedings) return;
  if (!of_seedings) of_seedings.emplace();
  for (std::size_t i = 0; i < of_seedings->size(); ++i) {
    (*of_seedings)[i].add((*later.of_seedings)[i]);
  }
}

bool ClaimEProcess::refutes(double alpha, double seeding_alpha) const {
  constexpr double kRounding = 1e-9;
  const auto reaches = [](const GamblersWealth& wealth, double level) {
    return wealth.log_e_value() >= -portable_log(level) + kRounding;
  };
  if (!reaches(all, alpha)) return false;
  return !of_seedings ||
         std::all_of(of_seedings->begin(), of_seedings->end(),
                     [&](const GamblersWealth& one) { return reaches(one, seeding_alpha); });
}

}  // namespace assay

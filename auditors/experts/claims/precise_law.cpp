#include "assay/auditors/experts/claims/precise_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/expm1.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstddef>
#include <limits>
#include <string>

#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

#include "assay/auditors/claims/certificates/certificate_numbers.inc"
#include "assay/auditors/claims/certificates/precise_choice.inc"

constexpr int kReach = 75;  // scales: e^-75 < 3e-33

// Scores -G of Bin(rounds, mean).
PreciseArms binomial_arms(std::int64_t rounds, const Float& mean, double arms) {
  PreciseArms group;
  group.arms = arms;
  if (mean == 0 || mean == 1) {
    group.scores = {mean == 0 ? Float(0) : Float(-rounds)};
    group.weights = {Float(1)};
    return group;
  }
  Float weight = pow(mean, Float(rounds));
  for (std::int64_t k = rounds; k >= 0; --k) {
    group.scores.push_back(Float(-k));
    group.weights.push_back(weight);
    weight *= Float(k) / Float(rounds - k + 1) * (1 - mean) / mean;
  }
  return group;
}

}  // namespace

namespace expert_checks {

double precise_log_needed_constant(const ConjectureInstance& instance, double c2) {
  const std::int64_t rounds = std::int64_t{1} << (instance.epoch - 1);
  const Float best = instance.best_mean;
  const Float temperature = 4 * Float(rounds) * Float(instance.epsilon) / Float(c2);
  // The means are doubles, as in the search; their gaps are those that the instance states.
  const auto mean = [&](double gap) { return Float(instance.best_mean + gap); };
  std::vector<PreciseArms> groups{binomial_arms(rounds, mean(instance.gap), 1.0),
                                  binomial_arms(rounds, best, 1.0)};
  Float total = 1 + exp(-temperature * Float(instance.gap));
  for (const auto& other : {instance.first, instance.second}) {
    if (other.times == 0.0) continue;
    groups.push_back(binomial_arms(rounds, mean(other.gap), other.times));
    if (other.gap > instance.epsilon) {
      total += Float(other.times) * exp(-temperature * Float(other.gap));
    }
  }
  const Float p = precise_choice(instance.noise, precise_scale(instance.noise, instance.epsilon),
                                 groups, 0, kReach);
  return static_cast<double>(Float(log(p) + temperature * Float(instance.gap) + log(total)));
}

}  // namespace expert_checks
}  // namespace assay

// The privacy cost of one run of Modified Thompson sampling, by the paper's instance accounting.
//
//   S_j = sum over sampling rounds t with n_{j,t} >= 1 of 1/(c (n_{j,t} + 1))               (1)
// n_{j,t} counts the pulls of arm j before round t; mu = sqrt(max_j S_j). The count of an arm changes
// only when the arm is pulled, so (1) is summed a block of rounds at a time, at each pull:
//   S_j += (rounds since the last pull of j, this one included) / (c (n_j + 1))             (2)
//
// Privacy: none. The number is read at the end of a run and is not a guarantee. It shows how far a typical run
// stays below the guarantee of the policy.
// Accuracy: doubles, rounded to nearest. Cost: one division a round, off the critical path of the policy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

class InstancePrivacy {
 public:
  // Rounds before `first_sampled` are pre-pulls.
  InstancePrivacy(std::size_t arms, double variance, std::int64_t first_sampled)
      : variance_(variance), first_sampled_(first_sampled), arms_(arms, Arm{first_sampled}) {}

  // Records that arm `action` was pulled in `round`, counted from 0.
  void pulled(std::int64_t round, int action) {
    Arm& arm = arms_[static_cast<std::size_t>(action)];
    if (round >= first_sampled_) {
      arm.spent += static_cast<double>(round + 1 - arm.since) * arm.cost;  // (2)
      arm.since = round + 1;
    }
    arm.shrunk += 1.0;
    arm.cost = 1.0 / (variance_ * arm.shrunk);
  }

  // The cost after `rounds` rounds in all.
  double mu(std::int64_t rounds) const {
    double largest = 0.0;
    for (const Arm& arm : arms_) {
      const double rest = static_cast<double>(rounds - arm.since) * arm.cost;
      largest = std::max(largest, arm.spent + rest);
    }
    return std::sqrt(largest);
  }

 private:
  struct Arm {
    std::int64_t since = 0;  // the first round that is not yet summed
    double shrunk = 1.0;     // n_j + 1
    double cost = 0.0;       // of each round since then
    double spent = 0.0;      // S_j before that round
  };

  double variance_;
  std::int64_t first_sampled_;
  std::vector<Arm> arms_;
};

}  // namespace assay

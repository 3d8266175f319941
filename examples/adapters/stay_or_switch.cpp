// A plug-in in C++ from a class of two arms that stays after a good reward and switches after a bad one, with
// the header assay_target.h:
//   c++ -std=c++20 -shared -fPIC -O2 -I<include folder of Assay> -o stay_or_switch.so stay_or_switch.cpp
#include <cmath>
#include <random>

#include "assay/policies/external/assay_target.h"

class
    StayOrSwitch {  // 1-DP for one replaced reward: it follows the rule with probability e/(1 + e)
 public:
  explicit StayOrSwitch(std::uint64_t seed) : random_(seed) {}
  int choose() const { return arm_; }
  void update(int arm, double reward) {
    const bool truly = std::bernoulli_distribution(1.0 / (1.0 + std::exp(-1.0)))(random_);
    arm_ = (reward >= 0.5) == truly ? arm : 1 - arm;
  }

 private:
  std::mt19937_64 random_;
  int arm_ = 0;
};

ASSAY_POLICY("stay or switch", "bandit", 1, [](const assay_shape_v1&, std::uint64_t seed) {
  return StayOrSwitch(assay_seed_for(seed, "answers"));  // a second generator needs another name
})

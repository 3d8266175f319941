// A plug-in in C++ from a class of two arms that stays after a good reward and switches after a bad one, with
// the header assay_target.h, and the probabilities of its actions:
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
    follows_ = 1.0 / (1.0 + std::exp(-1.0));
    favoured_ = reward >= 0.5 ? arm : 1 - arm;
    arm_ = std::bernoulli_distribution(follows_)(random_) ? favoured_ : 1 - favoured_;
  }
  void probabilities(double* of_arms) const {  // whatever the answers were: arm_ has no part in it
    of_arms[favoured_] = follows_;
    of_arms[1 - favoured_] = 1.0 - follows_;
  }

 private:
  std::mt19937_64 random_;
  int arm_ = 0;
  int favoured_ = 0;      // by the rule
  double follows_ = 1.0;  // the probability of that arm
};

ASSAY_POLICY_WITH_PROBABILITIES("stay or switch", "bandit", 1,
                                [](const assay_shape_v1&, std::uint64_t seed) {
                                  return StayOrSwitch(assay_seed_for(
                                      seed, "answers"));  // a second generator needs another name
                                })

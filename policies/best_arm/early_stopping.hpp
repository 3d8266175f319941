// ES(pi, n, iota) runs a policy pi, and stops it before it pulls arm iota for the (n + 1)-th time.
//
// Symbols: K arms, counted from 0, and an auxiliary arm K that pays 0; N the pulls of iota so far.
//   a round with N < n takes the action of pi; every later round pulls arm K                    (1)
//   the recommendation is pi's if arm K was never pulled, else arm K                            (2)
//   an event E of recommendations with N < n after T rounds has the same probability as under pi (3)
//
// Privacy. It has the privacy of pi, for tables with n rewards of arm iota (Corollary 4.4): until it
// pulls arm K it is pi, and from then on it reads nothing. If pi works in phases, those that ended
// earlier are released, and the interrupted one is not.
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), equations (18) and (19), Lemma 4.3; there the auxiliary arm is arm 0.
// Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

template <class C>
struct EarlyStoppingConfig {
  C policy;
  std::int64_t arm = 0;    // iota
  std::int64_t pulls = 1;  // n
  friend bool operator==(const EarlyStoppingConfig&, const EarlyStoppingConfig&) = default;
};

template <Policy P>
class EarlyStopping {
 public:
  using Config = EarlyStoppingConfig<typename P::Config>;
  using Context = NoContext;
  using Action = int;
  using Feedback = double;

  static Result<EarlyStopping> create(const Config& config) {
    return create(config, ASSAY_TRY(P::create(config.policy)));
  }
  // Creates it for a policy that its configuration does not identify. `policy` replaces config.policy.
  static Result<EarlyStopping> create(Config config, P policy) {
    config.policy = policy.config();
    if (config.arm < 0 || config.arm >= config.policy.arms) {
      return fail(ErrorCode::kInvalidArgument,
                  "arm must be 0 to " + std::to_string(config.policy.arms - 1) + ", not " +
                      std::to_string(config.arm),
                  "/arm");
    }
    if (config.pulls < 0) {
      return fail(ErrorCode::kInvalidArgument,
                  "pulls must be at least 0, not " + std::to_string(config.pulls), "/pulls");
    }
    return EarlyStopping(config, std::move(policy));
  }

  int choose(ReplayStream& random) {
    ASSAY_CHECK(!is_done(), "the budget has been spent");
    action_ = is_stopped() ? auxiliary_arm() : policy_.choose(random);  // (1)
    return action_;
  }
  void observe(double reward, ReplayStream& random) {
    ++round_;
    if (action_ == auxiliary_arm()) {
      was_stopped_ = true;
      return;
    }
    if (action_ == config_.arm) ++pulls_;
    detail::observe(policy_, reward, random);
  }

  std::int64_t round() const { return round_; }
  std::int64_t arms() const { return config_.policy.arms; }  // without the auxiliary one
  std::int64_t budget() const { return config_.policy.budget; }
  bool is_done() const { return round_ == budget(); }
  int auxiliary_arm() const { return static_cast<int>(config_.policy.arms); }
  std::int64_t pulls() const { return pulls_; }  // N
  int recommendation() const {
    ASSAY_CHECK(is_done(), "there is a recommendation after T rounds");
    return was_stopped_ ? auxiliary_arm() : policy_.recommendation();  // (2)
  }
  // The phases that ended before the policy stopped.
  auto phases() const requires requires(const P& policy) { policy.phases(); }
  { return policy_.phases(); }
  Guarantee guarantee() const { return policy_.guarantee(); }
  const Config& config() const { return config_; }

 private:
  EarlyStopping(const Config& config, P policy) : config_(config), policy_(std::move(policy)) {}
  bool is_stopped() const { return pulls_ >= config_.pulls; }

  Config config_;
  P policy_;
  std::int64_t pulls_ = 0;
  std::int64_t round_ = 0;
  int action_ = -1;
  bool was_stopped_ = false;
};

// An environment of the K arms and the auxiliary arm.
template <class E>
struct WithAuxiliaryArm {
  E environment;
  int auxiliary = 0;  // the policy's auxiliary_arm()

  double feedback(std::int64_t round, int arm, ReplayStream& random) {
    return arm == auxiliary ? 0.0 : environment.feedback(round, arm, random);
  }
};

}  // namespace assay

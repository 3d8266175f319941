// An audit that refutes nothing says which leak it would have seen with probability 0.9. Targets with exactly that leak,
// in the event that it assumes, must be convicted about as often: the estimate is by standard errors, so 0.8 is enough.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/canary_targets.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr double kLeastPower = 0.8;

// Releases 1 with probability p if the input is 1 and q if it is 0, with mean `frequency`, where p / q = e^epsilon; or,
// for Gaussian claims, Phi^-1(p) - Phi^-1(q) = mu.
struct OneEvent {
  double frequency = 0.1;
  double level = 0.0;
  bool gaussian = false;

  double of_neighbour() const {
    if (!gaussian) return 2.0 * frequency / (1.0 + std::exp(level));
    double low = 0.0, high = frequency;
    for (int i = 0; i < 200; ++i) {
      const double q = 0.5 * (low + high), p = 2.0 * frequency - q;
      (normal_quantile(p) - normal_quantile(q) > level ? low : high) = q;
    }
    return low;
  }
  FunctionTarget target() const {
    const double q = of_neighbour(), p = 2.0 * frequency - q;
    return {InputShape{.kind = InputKind::kMechanism},
            [p, q](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
              out.push_back(random.uniform() < (input.values[0] > 0.5 ? p : q) ? 1.0 : 0.0);
            }};
  }
};

BlackBoxPlan plan_of(const PrivacyLevel& claim, std::uint64_t seed) {
  BlackBoxPlan plan{{.claim = claim, .confidence = 0.99, .seed = seed}, 1500};
  plan.check_certified = false;
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  return plan;
}

BlackBoxOutcome audited(const FunctionTarget& target, const BlackBoxPlan& plan) {
  auto players = Players::create(target.clone().value(), 1).value();
  return audit_black_box(players, true, plan, {}).value();
}

// The same target, seeded in two ways, so that an audit divides its runs.
class KeyedTarget final : public Target {
 public:
  explicit KeyedTarget(FunctionTarget target) : target_(std::move(target)) {}
  const InputShape& shape() const override { return target_.shape(); }
  std::string name() const override { return "keyed"; }
  TakesKeys takes_keys() const override { return TakesKeys::kTaken; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    return target_.play(input, seeds);
  }
  Result<OutputBatch> play_keyed(const InputTable& input, std::span<const std::uint64_t>,
                                 std::span<const RunKey> keys) override {
    std::vector<std::uint64_t> seeds;
    for (const RunKey& key : keys) seeds.push_back(key[0]);
    return target_.play(input, seeds);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<KeyedTarget>(target_));
  }

 private:
  FunctionTarget target_;
};

BlackBoxOutcome audited_in_two_seedings(const FunctionTarget& target, const BlackBoxPlan& plan) {
  auto players = Players::create(std::make_unique<KeyedTarget>(target), 1).value();
  return audit_black_box(players, true, plan, {}).value();
}

// The same from records of 4,500 runs on each input, of which an audit counts two thirds.
BlackBoxOutcome recorded(const FunctionTarget& target, const BlackBoxPlan& plan) {
  auto copy = target.clone().value();
  OutputBatch runs[2];
  for (std::uint64_t side = 0; side < 2; ++side) {
    ReplayStream random({plan.seed, hash_purpose("tests/recorded"), side, 0});
    std::vector<std::uint64_t> seeds(4500);
    for (auto& seed : seeds) seed = random.next();
    const InputPair& pair = plan.pairs.front();
    runs[side] = copy->play(side == 0 ? pair.base_input() : pair.neighbour_input(), seeds).value();
  }
  return audit_recorded(target.shape(), runs[0], runs[1], 0, plan).value();
}

using Audit = BlackBoxOutcome (*)(const FunctionTarget&, const BlackBoxPlan&);

TEST(StatedStrength, ALeakOfThatSizeIsSeenAsOftenAsSaid) {
  struct Row {
    const char* name;
    Audit audit;
    PrivacyLevel claim;
    OneEvent half;  // leaks half of what the claim allows
  };
  const Row rows[] = {
      {"bets, frequent", audited, PureDp{Epsilon{1.0}}, {0.3, 0.5}},
      {"bets, rare", audited, PureDp{Epsilon{1.0}}, {0.05, 0.5}},
      {"bets, mu", audited, GaussianDp{Mu{1.0}}, {0.3, 0.5, true}},
      {"bets, two seedings", audited_in_two_seedings, PureDp{Epsilon{1.0}}, {0.3, 0.5}},
      {"records", recorded, PureDp{Epsilon{1.0}}, {0.2, 0.5}},
  };
  const int runs = dear_repetitions(400);
  for (const auto& [name, audit, claim, half] : rows) {
    const auto quiet = audit(half.target(), plan_of(claim, 1));
    ASSERT_TRUE(quiet.evidence.smallest_visible) << name;
    OneEvent leak = half;
    leak.level = quiet.evidence.smallest_visible->level;
    EXPECT_GT(leak.level, 1.0) << name;
    EXPECT_LT(leak.level, 3.0) << name;
    const FunctionTarget target = leak.target();
    const int missed = count_runs_in_parallel(runs, [&](std::uint64_t run) {
      auto plan = plan_of(claim, 100 + run);
      plan.say_visible = false;
      return audit(target, plan).decision->verdict != Verdict::kViolated;
    });
    EXPECT_LE(missed, binomial_limit(runs, 1.0 - kLeastPower, 5)) << name << " " << leak.level;
    // Nor is it said so late that anything would be seen: a leak half as far above the claim often is not.
    leak.level = 1.0 + 0.4 * (leak.level - 1.0);
    const FunctionTarget smaller = leak.target();
    EXPECT_GE(count_runs_in_parallel(runs,
                                     [&](std::uint64_t run) {
                                       auto plan = plan_of(claim, 100 + run);
                                       plan.say_visible = false;
                                       return audit(smaller, plan).decision->verdict !=
                                              Verdict::kViolated;
                                     }),
              runs / 4)
        << name;
  }
}

TEST(StatedStrength, OfOneRunIsSeenAsOftenAsSaid) {
  const int runs = dear_repetitions(400);
  const auto verdict_of = [](double epsilon, std::uint64_t seed, std::optional<double>& visible) {
    const FunctionTarget target = released_bits(100, epsilon);
    const auto canaries = Canaries::structural(target.shape(), 0).value();
    auto players = Players::create(target.clone().value(), 1).value();
    const OneRunPlan plan{{.claim = PureDp{Epsilon{1.0}}, .confidence = 0.99, .seed = seed}, 2, 60};
    const auto outcome = audit_one_run(players, true, canaries, plan, {}).value();
    if (outcome.evidence.smallest_visible) visible = outcome.evidence.smallest_visible->level;
    return outcome.decision->verdict;
  };
  std::optional<double> visible, unused;
  verdict_of(0.5, 1, visible);
  ASSERT_TRUE(visible);
  EXPECT_LT(*visible, 3.0);
  const int missed = count_runs(runs, [&](std::uint64_t run) {
    return verdict_of(*visible, 100 + run, unused) != Verdict::kViolated;
  });
  EXPECT_LE(missed, binomial_limit(runs, 1.0 - kLeastPower, 5)) << *visible;
}

}  // namespace
}  // namespace assay

// The whole flow of a black-box audit: a probe, a search that may end early, pairs around the best, as many
// plays as the event needs. Programs that keep their claim in every state are refuted at most as often as
// alpha says, also those that drift, remember, or show off while they are searched; their leaking twins
// are convicted, most of them before the budget is spent.
#include "assay/auditors/methods/one_run/probed_audit.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr int kProbedCells = 5;
constexpr std::int64_t kEntries = 12;

// The same change in another row.
std::vector<InputPair> shifted(const InputPair& best, std::size_t most) {
  std::vector<InputPair> out;
  const InputTable base_input = best.base_input();
  for (std::int64_t row = 0; row < base_input.rows && out.size() < most; ++row) {
    if (row == best.changed_row()) continue;
    const double other = base_input.row(row)[0] > 0.5 ? 0.0 : 1.0;
    out.push_back(InputPair::of(base_input, {row, {other}}));
  }
  return out;
}

BlackBoxOutcome audit_once(std::unique_ptr<Target> target, PrivacyLevel claim, std::uint64_t seed,
                           double confidence = 1.0 - kAuditAlpha) {
  const InputShape shape = target->shape();
  auto players = Players::create(std::move(target), 1).value();
  BlackBoxPlan plan{{.claim = claim, .confidence = confidence, .seed = seed}, 0, 4'000};
  plan.say_visible = plan.check_certified = false;
  plan.pairs = structural_pairs(shape, 4);
  plan.refine = shifted;
  const PlayedSubject subject{&players, false, claim};
  const auto canaries = Canaries::structural(shape, 0).value();
  return audit_probed(std::span(&subject, 1), plan, canaries, {}).value();
}

template <class MakeTarget>
int probed_refutations(int runs, PrivacyLevel claim, const MakeTarget& make) {
  return count_runs(runs, [&](std::uint64_t seed) {
    return audit_once(make(), claim, seed).decision->verdict == Verdict::kViolated;
  });
}

std::unique_ptr<Target> told(double epsilon) {
  return std::make_unique<FunctionTarget>(teller(kEntries, epsilon));
}

// Tells every reward where many plays are asked for at once, as searches do; one by one it is a teller.
class ShowOff final : public Target {
 public:
  ShowOff() : private_(teller(kEntries, 1.0)), open_(teller(kEntries, 20.0)) {}
  const InputShape& shape() const override { return private_.shape(); }
  std::string name() const override { return "show-off"; }
  Result<OutputBatch> play(const InputTable& input, std::span<const std::uint64_t> seeds) override {
    return seeds.size() > 1 ? open_.play(input, seeds) : private_.play(input, seeds);
  }
  Result<std::unique_ptr<Target>> clone() const override {
    return std::unique_ptr<Target>(std::make_unique<ShowOff>());
  }

 private:
  FunctionTarget private_, open_;
};

// Plays what it was given the time before, or a wave; its own input never.
std::unique_ptr<Target> late(bool drifts) {
  auto last = std::make_shared<std::vector<double>>(kEntries, 0.0);
  auto runs = std::make_shared<double>(0.0);
  return std::make_unique<FunctionTarget>(
      bandit_shape(2, kEntries),
      [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        *runs += 1.0;
        for (const double reward : *last) {
          const double wave = 0.5 + 0.45 * std::sin(*runs / 150.0);
          out.push_back(random.uniform() < (drifts ? wave : 0.1 + 0.8 * reward) ? 1.0 : 0.0);
        }
        *last = input.values;
      });
}

TEST(ProbedValidity, ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(400);
  EXPECT_LE(probed_refutations(runs, PureDp{Epsilon{1.0}}, [] { return told(1.0); }),
            binomial_limit(runs, kAuditAlpha, kProbedCells));
}

TEST(ProbedValidity, WhatIsShownToTheSearchAloneIsNotBelieved) {
  const int runs = 200;
  EXPECT_LE(
      probed_refutations(runs, PureDp{Epsilon{1.0}}, [] { return std::make_unique<ShowOff>(); }),
      binomial_limit(runs, kAuditAlpha, kProbedCells));
}

TEST(ProbedValidity, ProgramsThatDriftOrAnswerLate) {
  const int runs = dear_repetitions(300);
  for (const bool drifts : {true, false}) {
    EXPECT_LE(probed_refutations(runs, PureDp{Epsilon{0.0}}, [&] { return late(drifts); }),
              binomial_limit(runs, kAuditAlpha, kProbedCells));
  }
}

TEST(ProbedValidity, LeakingCounterpartsAreConvictedBeforeTheBudgetIsSpent) {
  const int runs = 100;
  int refuted = 0, sparing = 0;
  for (int run = 0; run < runs; ++run) {
    const auto outcome =
        audit_once(told(4.0), PureDp{Epsilon{1.0}}, static_cast<std::uint64_t>(run), 0.999);
    refuted += outcome.decision->verdict == Verdict::kViolated ? 1 : 0;
    sparing += outcome.evidence.runs->all() < 3'000 ? 1 : 0;
    EXPECT_LE(outcome.evidence.runs->all(), 4'000);
  }
  EXPECT_GE(refuted, runs * 98 / 100);
  EXPECT_GE(sparing, runs * 9 / 10);
}

}  // namespace
}  // namespace assay

// Random certificates within the rules: what is written reads back as it was.
#include "assay/auditors/claims/certificates/certificate_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "assay/auditors/registry/certificates.hpp"
#include "assay/tests/support/every_counterexample.hpp"

namespace assay {
namespace {

int whole_number(int low, int high) { return *rc::gen::inRange(low, high + 1); }

// Bits of every kind: small, round and 53 random ones.
double between(double low, double high) {
  const auto part = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, (1LL << 53) + 1));
  switch (whole_number(0, 3)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return std::clamp(std::ldexp(part, -53 - whole_number(0, 40)), low, high);
    default:
      return std::clamp(low + (high - low) * std::ldexp(part, -53), low, high);
  }
}

std::vector<ArmPlays> histories(int arms, int least) {
  std::vector<ArmPlays> history(static_cast<std::size_t>(whole_number(least, 12)));
  for (auto& plays : history)
    plays = {whole_number(0, arms - 1), between(0, 1), whole_number(1, 1'000'000'000)};
  return history;
}

EventNumbers event_numbers(int arms) {
  EventNumbers numbers;
  numbers.event.resize(static_cast<std::size_t>(arms));
  std::iota(numbers.event.begin(), numbers.event.end(), 0);
  numbers.event.resize(static_cast<std::size_t>(whole_number(1, arms)));
  numbers.epsilon = between(0, 1e6);
  numbers.delta = between(1e-300, 0.5);
  numbers.p = between(0, 1);
  numbers.q = between(0, 1);
  numbers.true_delta = between(-1e9, 1);
  return numbers;
}

Certificate round() {
  RoundCounterexample round;
  round.arms = whole_number(2, 16);
  round.history = histories(round.arms, 1);
  round.changed =
      static_cast<std::size_t>(whole_number(0, static_cast<int>(round.history.size()) - 1));
  round.history[round.changed].times = 1;
  round.new_reward = between(0, 1);
  round.numbers = event_numbers(round.arms);
  return {"ts-step-dp", round};
}

std::vector<double> list(int size, double low, double high) {
  std::vector<double> out;
  for (int i = 0; i < size; ++i) out.push_back(between(low, high));
  return out;
}

Certificate noisy_max() {
  const int arms = whole_number(2, 16);
  NoisyMaxCounterexample max;
  max.values = list(arms, -1e9, 1e9);
  max.deviations = list(arms, 1e-9, 1e9);
  max.sensitivities = list(arms, 0, 1e9);
  max.changed = static_cast<std::size_t>(whole_number(0, arms - 1));
  max.new_value = between(-1e9, 1e9);
  max.numbers = event_numbers(arms);
  return {"rnm-hetero-gauss", max};
}

Certificate law() {
  LawMismatch law;
  law.arms = whole_number(2, 16);
  law.history = histories(law.arms, 0);
  law.arm = whole_number(0, law.arms - 1);
  law.probability = between(0, 1);
  law.printed_probability = between(0, 1);
  return {"ts-eq27", law};
}

LeaderNoise noise() { return static_cast<LeaderNoise>(whole_number(0, 2)); }

Certificate epoch() {
  const int actions = whole_number(2, 16);
  EpochCounterexample epoch;
  epoch.noise = noise();
  epoch.epsilon = between(1e-3, 100);
  epoch.others = list(actions, 0, 1e3);
  epoch.before = list(actions, 0, 1);
  epoch.after = list(actions, 0, 1);
  epoch.action = whole_number(0, actions - 1);
  epoch.p = between(0, 1);
  epoch.q = between(0, 1);
  epoch.loss = between(-100, 100);
  return {"ftnl-dp-gumbel", epoch};
}

Certificate regret() {
  RegretCounterexample regret;
  regret.epsilon = between(1e-3, 100);
  regret.epochs = whole_number(1, 60);
  regret.gaps.resize(static_cast<std::size_t>(whole_number(1, 16)));
  for (auto& group : regret.gaps) group = {between(0, 1), std::floor(between(1, 1e15))};
  regret.regret = between(0, 1e9);
  regret.bound = between(0, 1e9);
  return {"ftnl-det-regret-printed", regret};
}

Certificate integral() {
  IntegralMismatch mismatch;
  mismatch.levels = list(whole_number(1, 15), 1e-300, 1e3);
  mismatch.levels.push_back(0.0);
  std::sort(mismatch.levels.begin(), mismatch.levels.end());
  mismatch.integral = between(0, 1e3);
  mismatch.printed = between(0, 1e3);
  return {"softmax-integral", mismatch};
}

Certificate growth() {
  GrowthCounterexample growth;
  growth.noise = noise();
  growth.epsilon = between(1e-3, 0.4);
  growth.gap = between(0.5, 0.999);
  growth.split = between(0.1, 1e3);
  growth.rate_below = between(-1e3, 1);
  growth.rate_above = between(-1e3, 1);
  return {"ftnl-conjecture", growth};
}

Certificate gaussian() {
  GaussianCounterexample gaussian;
  gaussian.view = static_cast<BestArmView>(whole_number(0, 1));
  gaussian.epsilon = between(1e-3, 1e3);
  gaussian.delta = between(1e-15, 0.5);
  gaussian.pulls = whole_number(1, 1'000'000);
  gaussian.others = between(0, static_cast<double>(gaussian.pulls - 1));
  gaussian.p = between(0, 1);
  gaussian.q = between(0, 1);
  gaussian.true_delta = between(-1e9, 1);
  return {gaussian.view == BestArmView::kRelease ? "bai-gauss-release" : "bai-gauss-dp", gaussian};
}

Certificate moments() {
  MomentsCounterexample moments;
  moments.epsilon = between(1e-2, 100);
  moments.first = between(0.01, 1);
  moments.second = between(0.01, 1);
  // Below second/first, as the arms have to be.
  moments.third = between(0.001, std::min(0.999, 0.99 * moments.second / moments.first));
  moments.pulls = whole_number(1, 10'000);
  moments.p = between(0, 1);
  moments.q = between(0, 1);
  moments.loss = between(-100, 100);
  return {"dp-od-dp", moments};
}

Certificate later_basis() {
  LaterBasisCounterexample basis;
  basis.epsilon = between(1e-2, 100);
  // Neither short nor dependent, as the rules have it.
  basis.x1 = between(0.1, 1);
  basis.y1 = between(-1, 1);
  basis.x2 = between(-1, -0.1) * basis.y1;
  basis.y2 = between(0.1, 1);
  basis.norm = between(0, 10);
  basis.loss = between(-100, 100);
  return {"dp-od-literal", basis};
}

Certificate measure() {
  return {"bai-change-of-measure",
          MeasureCounterexample{between(1e-3, 100), between(1e-9, 1), between(0, 1), between(0, 1),
                                between(-100, 100), between(0, 600)}};
}

Certificate budget() {
  const int dimension = whole_number(2, 64);
  return {"bai-budget", BudgetCounterexample{whole_number(dimension * dimension, 10'000), dimension,
                                             whole_number(1, 1'000'000'000), between(0, 1e12)}};
}

Certificate borda() {
  BordaCounterexample borda;
  const int arms = whole_number(2, 16);
  for (int i = 0; i < arms; ++i) borda.scores.push_back(between(-2, 2) + 6.0 * i);  // ascending
  borda.scores[0] = -100;
  borda.arm = whole_number(0, arms - 2);
  borda.lead = between(-1, 1);
  borda.gap = between(0, 1);
  return {"ebs-property-2", borda};
}

Certificate phase() {
  PhaseCounterexample phase;
  phase.plays = whole_number(2, 10'000);
  phase.horizon = whole_number(20'000, 1'000'000'000);
  phase.delta = between(1e-9, 0.5);
  phase.preference = between(0.001, 0.999);
  phase.score = between(0, 1);
  phase.bias = between(-1, 1);
  return {"ebs-unbiased-phase", phase};
}

Certificate pulls() {
  return {"duel-pulls", PullsCounterexample{whole_number(2, 1'000'000'000), between(1e-3, 100),
                                            between(0.5001, 0.999), between(0, 0.999),
                                            between(0, 1e12), between(0, 1e12), between(0, 1e3)}};
}

Certificate duel_regret() {
  return {"duel-regret", DuelRegretCounterexample{
                             2 * whole_number(2, 500'000'000), between(1e-3, 100), between(1e-3, 2),
                             between(0, 1e12), between(0, 1), between(-1e9, 1e9)}};
}

Certificate score_gap() {
  return {"duel-gap", ScoreGapCounterexample{between(1e-6, 2), between(0, 1)}};
}

Certificate confidence() {
  return {
      "gopt-confidence",
      ConfidenceCounterexample{whole_number(4, 1'000'000'000), between(1e-3, 100), between(1e-9, 1),
                               between(0, 1e15), between(0, 1e15), between(-1, 1), between(0, 1)}};
}

Certificate gradient() {
  GradientCounterexample found;
  found.records = whole_number(1, 1'000'000'000);
  found.loss = whole_number(0, 1) == 0 ? SquaredLoss::kFull : SquaredLoss::kHalf;
  found.step = between(1e-9, 1000);
  found.x_max = between(1e-6, 1000);
  found.b_max = between(1e-6, 1000);
  found.sigma = between(0, 1000);
  for (int j = whole_number(1, 16); j > 0; --j) {
    found.estimate.push_back(between(-1000, 1000));
    found.context.push_back(between(-found.x_max, found.x_max));
    found.other_context.push_back(between(-found.x_max, found.x_max));
  }
  found.reward = between(-1e7, 1e7);
  found.other_reward = between(-1e7, 1e7);
  found.distance = between(0, 1e12);
  found.allowed = between(0, 1e12);
  return {"niht-sensitivity", found};
}

Certificate clipping() {
  return {"clip-inactive", ClippingCounterexample{std::int64_t{1} << whole_number(0, 29),
                                                  between(0, 1), between(0, 1)}};
}

Certificate peeling() {
  const int entries = whole_number(1, 10'000);
  return {"peel-dp", PeelingCounterexample{entries, between(1e-3, 1000), between(1e-9, 0.5),
                                           whole_number(1, entries), between(0, 1), between(0, 1),
                                           between(-1e9, 1)}};
}

Certificate lower() {
  const int sparsity = whole_number(1, 100'000'000);
  return {"sparse-lower",
          LowerCounterexample{whole_number(1, 1'000'000'000),
                              whole_number(10 * sparsity, 1'000'000'000), sparsity,
                              between(1e-6, 1000), between(1e-6, 1000), between(1e-12, 1000),
                              between(1e-9, 1), between(0, 1e12), between(0, 1e12)}};
}

Certificate greedy_sign() {
  return {"fliphat-jdp", GreedySignCounterexample{between(1e-3, 1e3), between(1e-15, 0.5),
                                                  whole_number(1, 10'000), between(1e-3, 1e6),
                                                  between(0, 1), between(0, 1), between(-1e9, 1)}};
}

void fill_groups(PeeledGroups& found, int most_power, double most_sigma) {
  found.records = std::int64_t{1} << whole_number(8, most_power);
  found.sigma = between(0, most_sigma);
  found.lead = whole_number(-60, 60);
  found.shift = between(0, 1e3);
  found.p = between(0, 1);
  found.q = between(0, 1);
  found.true_delta = between(-1e9, 1);
}

Certificate normalized_contexts() {
  NormalizedContextsCounterexample found;
  found.epsilon = between(1e-3, 0.5);
  found.delta = between(1e-15, 0.011);
  found.group = whole_number(10, 200);
  found.sparsity = whole_number(10, static_cast<int>(std::min<std::int64_t>(60, 2 * found.group)));
  fill_groups(found, 24, 1e3);
  return {"fliphat-jdp-normalized", found};
}

Certificate experiments() {
  ExperimentsCounterexample found;
  found.epsilon = between(0.5, 10);
  found.b_max = between(2.5, 5);
  fill_groups(found, 13, 1.0);
  return {"fliphat-jdp-experiments", found};
}

RC_GTEST_PROP(CertificateJson, ReadsBackWhatItWrote, ()) {
  constexpr Certificate (*kKinds[])() = {
      round,      noisy_max, law,     epoch,       regret,      integral,
      growth,     gaussian,  moments, later_basis, measure,     budget,
      borda,      phase,     pulls,   duel_regret, score_gap,   confidence,
      gradient,   clipping,  peeling, lower,       greedy_sign, normalized_contexts,
      experiments};
  RC_ASSERT(std::size(kKinds) == counterexample_kinds().size());
  const Certificate certificate = kKinds[whole_number(0, std::size(kKinds) - 1)]();
  const std::string text = to_json(certificate);
  const auto read = read_certificate(text);
  if (!read) RC_LOG() << read.error().to_string() << "\n" << text;
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == certificate);
  RC_ASSERT(to_json(*read) == text);
}

}  // namespace
}  // namespace assay

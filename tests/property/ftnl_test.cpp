// Laws of RNM-FTNL over generated losses.
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

RnmFtnl any_policy(std::int64_t most_actions) {
  auto config = ftnl_config(
      *rc::gen::inRange<std::int64_t>(2, most_actions + 1),
      *rc::gen::element<std::int64_t>(2, 3, 4, 7, 8, 16, 20),
      *rc::gen::element(LeaderNoise::kLaplace, LeaderNoise::kExponential, LeaderNoise::kGumbel),
      *rc::gen::arbitrary<bool>(), *rc::gen::element(Calibration::kPaper, Calibration::kCorrected));
  config.epsilon = *rc::gen::element(0.05, 0.5, 1.0, 3.0);
  return RnmFtnl::create(config).value();
}

double any_loss(ReplayStream& random, int kind) {
  const double u = random.uniform();
  if (kind == 0) return u < 0.5 ? 0.0 : 1.0;
  if (kind == 1) return std::floor(5.0 * u) / 4.0;
  return u;
}

InputPair any_pair(const RnmFtnlConfig& config) {
  ReplayStream random = arbitrary_stream();
  const int kind = *rc::gen::inRange(0, 3);
  InputTable losses = InputTable::zeros(config.horizon, config.actions);
  Edit edit{*rc::gen::inRange<std::int64_t>(0, config.horizon), {}};
  for (double& loss : losses.values) loss = any_loss(random, kind);
  for (std::int64_t j = 0; j < config.actions; ++j) edit.values.push_back(any_loss(random, kind));
  return InputPair::of(std::move(losses), std::move(edit));
}

RC_GTEST_PROP(FtnlDistributions, BothSidesSumToOne, ()) {
  const auto policy = any_policy(6);
  const auto distributions = leader_distributions(policy, any_pair(policy.config()));
  for (const auto* side : {&distributions.log_p, &distributions.log_q}) {
    double total = 0.0;
    for (const double log_p : *side) total += std::exp(log_p);
    RC_ASSERT(std::fabs(total - 1.0) < 1e-12);
  }
}

RC_GTEST_PROP(FtnlDistributions, NoPairLosesMoreThanTheWorstOneOrTheProvedLevel, ()) {
  const auto policy = any_policy(5);
  const auto groups = worst_groups_for_pure(policy);
  const auto worst = grouped_distributions(policy.noise(), groups);
  // Cells of groups: the loss of a member is that of its group.
  double limit = 0.0;
  for (std::size_t g = 0; g < worst.log_p.size(); ++g) {
    limit = std::max(limit, std::fabs(worst.log_p[g] - worst.log_q[g]));
  }
  const double proved = std::get<PureDp>(policy.proved_guarantee().level).epsilon.value;
  RC_ASSERT(limit <= proved + 2e-12);
  if (!is_worst_for_pure(policy, groups)) limit = proved;
  const auto distributions = leader_distributions(policy, any_pair(policy.config()));
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    RC_ASSERT(std::fabs(distributions.log_p[j] - distributions.log_q[j]) <= limit + 2e-12);
  }
}

double delta_of_distributions(const EnumeratedDistributions& distributions, double epsilon) {
  double delta = 0.0;
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    delta += std::max(
        0.0, std::exp(distributions.log_p[j]) - std::exp(epsilon + distributions.log_q[j]));
  }
  return delta;
}

// (2) of ftnl_worst.hpp, beside the same other rounds, which are resampled where the policy does.
RC_GTEST_PROP(FtnlDistributions, VectorsThatOpposeEachOtherHaveTheLargestDelta, ()) {
  const auto policy = any_policy(4);
  const InputPair pair = any_pair(policy.config());
  const double epsilon = policy.config().epsilon * *rc::gen::element(0.0, 0.3, 0.8);
  const double delta = delta_of_distributions(leader_distributions(policy, pair), epsilon);
  double largest = 0.0;
  const std::int64_t actions = policy.config().actions;
  for (std::uint64_t set = 0; set < std::uint64_t{1} << actions; ++set) {
    InputTable losses = pair.base_input();
    const auto base_row = vertex(actions, ~set);
    std::copy(base_row.begin(), base_row.end(), losses.row(pair.changed_row()).begin());
    const auto opposed =
        InputPair::of(std::move(losses), {pair.changed_row(), vertex(actions, set)});
    largest =
        std::max(largest, delta_of_distributions(leader_distributions(policy, opposed), epsilon));
  }
  RC_ASSERT(delta <= largest + 1e-11);
}

RC_GTEST_PROP(FtnlDistributions, AnExpertIsLikelierTheLessItLosesAndTheMoreOthersDo, ()) {
  const auto policy = any_policy(5);
  const auto& config = policy.config();
  ReplayStream random = arbitrary_stream();
  std::vector<double> row;
  for (std::int64_t j = 0; j < config.actions; ++j) row.push_back(0.75 * random.uniform());
  auto worse = row;
  worse[0] += 0.25;
  FtnlDistribution before(policy);
  FtnlDistribution after(policy);
  before.observe(row);
  after.observe(worse);
  const auto p = before.log_probabilities();
  const auto q = after.log_probabilities();
  RC_ASSERT(q[0] < p[0]);
  for (std::size_t j = 1; j < p.size(); ++j) RC_ASSERT(q[j] > p[j]);
}

RC_GTEST_PROP(FtnlDistributions, TheOrderOfExpertsAndOfRoundsDoesNotMatter, ()) {
  const auto policy = any_policy(5);
  const auto& config = policy.config();
  ReplayStream random = arbitrary_stream();
  std::vector<std::vector<double>> rows(3);
  for (auto& row : rows) {
    for (std::int64_t j = 0; j < config.actions; ++j) row.push_back(any_loss(random, 1));
  }
  FtnlDistribution straight(policy);
  FtnlDistribution reversed(policy);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    straight.observe(rows[t]);
    const auto& row = rows[rows.size() - 1 - t];
    reversed.observe(std::vector<double>(row.rbegin(), row.rend()));
  }
  const auto p = straight.log_probabilities();
  const auto q = reversed.log_probabilities();
  for (std::size_t j = 0; j < p.size(); ++j) {
    RC_ASSERT(std::fabs(p[j] - q[p.size() - 1 - j]) < 4e-12);
  }
}

}  // namespace
}  // namespace assay

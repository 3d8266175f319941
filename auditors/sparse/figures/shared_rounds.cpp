#include "assay/auditors/sparse/figures/shared_rounds.hpp"

#include <algorithm>

namespace assay::detail {
namespace {

struct Player {
  SparsePolicy policy;
  ReplayStream random;
  double missed = 0.0;
  double earned = 0.0;
  double missed_at_half = 0.0;
  double earned_at_half = 0.0;
  std::vector<double> pseudo = {};  // at each recorded round
  std::vector<double> realised = {};
  std::vector<std::int64_t> pulls = {};
};

// Runs a round with a given context. On return the environment has drawn its random bits of that
// round.
void play_round(std::int64_t round, const ContextSet& context, const GaussianContexts& environment,
                ReplayStream luck, Player& player) {
  std::visit(
      [&](auto& policy) {
        const int arm = policy.choose(context, player.random);
        const double reward = environment.feedback(round, arm, luck);
        observe(policy, reward, player.random);
        player.missed += environment.gap(arm);
        player.earned += environment.earned(arm, reward);
        ++player.pulls[static_cast<std::size_t>(arm)];
      },
      player.policy);
}

// False if the run was cancelled.
bool play_rounds(const ChunkPlan& plan, GaussianContexts environment, ReplayStream luck,
                 std::vector<Player>& players) {
  const std::span<const std::int64_t> recorded = plan.rounds;
  const std::int64_t horizon = recorded.back();
  std::size_t next = 0;
  for (std::int64_t round = 0; round < horizon; ++round) {
    if (plan.cancelled()) return false;
    const auto context = environment.context(round, luck);
    for (auto& player : players) play_round(round, context, environment, luck, player);
    environment.feedback(round, 0, luck);  // all policies get the same draw
    const std::int64_t played = round + 1;
    for (auto& player : players) {
      if (played == horizon / 2) {
        player.missed_at_half = player.missed;
        player.earned_at_half = player.earned;
      }
      if (played != recorded[next]) continue;
      player.pseudo.push_back(player.missed);
      player.realised.push_back(-player.earned);
    }
    if (played == recorded[next]) ++next;
  }
  return true;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::string half_name(const std::string& name) { return name + ", half of the rounds"; }

SimulatedSeries make_shared_series(std::string id, std::vector<NamedPolicy> policies,
                                   GaussianContexts environment, Halves halves) {
  SimulatedSeries series;
  series.id = std::move(id);
  series.means.assign(environment.means().begin(), environment.means().end());
  for (const auto& one : policies) series.together.push_back(one.name);
  if (halves == Halves::kYes) {
    for (const auto& one : policies) series.together.push_back(half_name(one.name));
  }
  series.play = [policies = std::move(policies), environment = std::move(environment),
                 halves](const ChunkPlan& plan) -> std::optional<ChunkResult> {
    const std::size_t arms = environment.means().size();
    const std::size_t parts = halves == Halves::kYes ? 2 : 1;
    ChunkResult result;
    result.pulls.assign(parts * policies.size() * arms, 0);
    for (std::int64_t repetition = plan.first; repetition < plan.end; ++repetition) {
      std::vector<Player> players;
      for (std::size_t k = 0; k < policies.size(); ++k) {
        players.push_back(
            {policies[k].policy, plan.stream(plan.policy_purpose, repetition, 2 * k)});
        players.back().pulls.assign(arms, 0);
      }
      const ReplayStream luck = plan.stream(plan.environment_purpose, repetition, 1);
      if (!play_rounds(plan, environment, luck, players)) return std::nullopt;
      std::vector<double> pseudo, realised;
      std::size_t place = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        for (const auto& player : players) {
          append(pseudo, player.pseudo);
          append(realised, player.realised);
          result.final_pseudo.push_back(part == 0 ? player.missed : player.missed_at_half);
          result.final_realised.push_back(-(part == 0 ? player.earned : player.earned_at_half));
          for (const auto pulls : player.pulls) result.pulls[place++] += pulls;
        }
      }
      result.pseudo.add(pseudo);
      result.realised.add(realised);
    }
    return result;
  };
  return series;
}

}  // namespace assay::detail

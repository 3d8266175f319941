#include "assay/auditors/sparse/sparse_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "assay/auditors/sparse/sparse_inputs.hpp"
#include "assay/auditors/sparse/sparse_pair.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"
#include "assay/policies/sparse/iht_bandit.hpp"
#include "assay/policies/sparse/lasso_bandit.hpp"

namespace assay {
namespace {

constexpr std::int64_t kMostListed = 16'000'000;  // numbers in all listed inputs
constexpr std::int64_t kMostPairs = 15;

// Copies of the records that losses need: one for D and one for D', or one for each arm of the
// first round.
double kept_copies(const EpisodesConfig& config, std::int64_t records) {
  return records == 1 ? 2.0 * static_cast<double>(config.arms) : 2.0;
}

// The microseconds that the losses of a run take for a call after this episode.
double microseconds(const EpisodesConfig& config, const NihtPlan& plan, std::int64_t records) {
  const auto d = static_cast<double>(config.dimension);
  const auto m = static_cast<double>(plan.iterations);
  const double distribution =
      4.0 + 0.25 * static_cast<double>(config.sparsity) * std::min(d, 100.0) + 0.2 * d;
  const double gradient =
      1e-3 * std::min(kept_numbers(config.dimension, records, plan.iterations), d * d);
  const double copies = kept_copies(config, records);
  return m * (copies * distribution + (1.0 + copies) * gradient);
}

// A run cannot stop before its end, and it keeps all copies at once.
Status check_losses(const Fliphat& policy, std::int64_t episode) {
  constexpr double kMostMicroseconds = 5e5;
  if (episode >= policy.estimates()) return {};
  const auto& config = policy.config();
  const std::int64_t n = std::int64_t{1} << episode;
  const NihtPlan& plan = policy.plan(episode);
  if (microseconds(config, plan, n) <= kMostMicroseconds &&
      kept_copies(config, n) * kept_numbers(config.dimension, n, plan.iterations) <=
          kMostKeptNumbers) {
    return {};
  }
  return fail(
      ErrorCode::kLimit,
      fmt::format("the losses of a run take too long or too much memory: after an episode of {} "
                  "rounds {} iterations, dimension {}, sparsity {}, {} arms; method must be events",
                  n, plan.iterations, config.dimension, config.sparsity, config.arms),
      "/method");
}

// The episodes for which pairs are listed, and the time of a run of those, in rounds of 50 ns. They
// are the first with a call of some iterations, the last with no more iterations, and the first
// that leaves enough rounds to read all coordinates, or most of them, without those that take much
// longer than the first.
struct ListedEpisodes {
  std::vector<ReadEpisode> episodes;
  std::int64_t rounds = 0;
};
template <class Plan>
ListedEpisodes listed_episodes(const EpisodesConfig& config, Plan&& plan_of) {
  constexpr std::int64_t kThresholds = 32;
  std::vector<std::int64_t> chosen;  // the three
  double least = 0.0;
  std::int64_t most_reads = 0;
  for (std::int64_t episode = 0; episode < estimated_episodes(config); ++episode) {
    const NihtPlan plan = plan_of(episode);
    if (plan.iterations == 0) continue;
    const std::int64_t n = std::int64_t{1} << episode;
    const double takes = microseconds(config, plan, n);
    if (chosen.empty()) {
      least = takes;
      chosen = {episode, episode, episode};
    }
    if (takes > std::max(500.0, 4.0 * least)) break;
    const std::int64_t reads = std::min(2 * n, config.horizon + 1 - 2 * n);
    if (plan.iterations == plan_of(chosen[0]).iterations && reads > n) chosen[1] = episode;
    if (std::min(reads, config.dimension + kThresholds) > most_reads) {
      most_reads = std::min(reads, config.dimension + kThresholds);
      chosen[2] = episode;
    }
  }
  if (chosen.empty()) return {{ReadEpisode{}}, 0};
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  ListedEpisodes out;
  for (const std::int64_t episode : chosen) {
    const NihtPlan plan = plan_of(episode);
    out.episodes.push_back({episode, plan.first_scale});
    const double takes = 20.0 * microseconds(config, plan, std::int64_t{1} << episode);
    out.rounds = std::max(out.rounds, static_cast<std::int64_t>(takes));
  }
  return out;
}

// Checks an edit too, if there is one.
Status check_rounds(const InputShape& shape, const InputPair& pair) {
  const InputTable& table = pair.base_input();
  if (table.rows != shape.horizon) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("has {} rows, but horizon is {}; give one line for each round, with {} "
                            "rewards, then {} contexts of {} entries",
                            table.rows, shape.horizon, shape.arms, shape.arms, shape.dimension));
  }
  ASSAY_TRY(check_context_rows(shape.arms, shape.dimension, table));
  if (pair.edit().values.empty()) return {};
  return check_context_rows(shape.arms, shape.dimension, InputTable::one_row(pair.edit().values));
}

template <class P>
void play_rounds(const P& fresh, const InputShape& shape, std::span<const double> input,
                 ReplayStream& random, std::vector<double>& out) {
  P policy = fresh;
  const auto columns = static_cast<std::size_t>(shape.columns());
  for (std::size_t at = 0; at < input.size(); at += columns) {
    const auto row = input.subspan(at, columns);
    const int arm = policy.choose(
        {shape.arms, shape.dimension, row.subspan(static_cast<std::size_t>(shape.arms))}, random);
    out.push_back(arm);
    const double reward = row[static_cast<std::size_t>(arm)];
    if constexpr (requires { policy.observe(reward, random); }) {
      policy.observe(reward, random);
    } else {
      policy.observe(reward);
    }
  }
}

void set_pairs(AuditedSubject& subject, const EpisodesConfig& config,
               std::vector<ReadEpisode> episodes) {
  const std::int64_t numbers = subject.shape.rows() * subject.shape.columns();
  const SparsePairs plan{
      config, std::move(episodes),
      static_cast<std::size_t>(std::clamp<std::int64_t>(kMostListed / numbers, 1, kMostPairs))};
  subject.hard_pairs = hard_sparse_pairs(plan);
  subject.beside = std::bind_front(sparse_pairs_beside, plan);
  subject.random_pair = std::bind_front(random_sparse_pair, plan);
}

void set_proved(AuditedSubject& subject, const Fliphat& policy) {
  const auto& config = policy.config();
  const auto [epsilon, episode] = detail::proved_noise(policy);
  Guarantee proved = policy.guarantee();
  proved.level = PureDp{Epsilon{epsilon}};
  if (config.delta > 0.0 && epsilon > 0.0)
    proved.level = ApproximateDp{Epsilon{epsilon}, Delta{config.delta}};
  proved.source = epsilon == 0.0 ? "the policy never reads a round"
                                 : "composition of all peelings of an episode (niht.hpp)";
  subject.proved = proved;
  if (config.calibration == Calibration::kCorrected || epsilon == 0.0) return;
  const std::int64_t n = std::int64_t{1} << episode;
  const NihtPlan& plan = policy.plan(episode);
  const NihtBounds bounds = episode_bounds(config, n);
  subject.notes.push_back(fmt::format(
      "at eps = {} the paper's noise has a proved level of {} at delta = {}: {} peeling{} of {} "
      "entries after an episode of {} rounds",
      number_text(config.epsilon), rounded_up(epsilon, 6), number_text(config.delta),
      plan.iterations, plan.iterations == 1 ? "" : "s", config.sparsity, n));
  const double unit = *niht_unit_scale(plan, {config.epsilon, config.delta, config.calibration});
  const std::int64_t last = plan.iterations > 1 ? 1 : 0;
  subject.notes.push_back(fmt::format(
      "that noise is for a sensitivity of {}; a round moves a vector of that call by up to {}, {} times as much",
      rounded(plan.first_scale / unit, 6), rounded_up(niht_sensitivity(plan, bounds, last), 6),
      rounded(niht_sensitivity(plan, bounds, last) * unit / plan.first_scale, 4)));
}

// ---- the knowledge of each subject

void fill(AuditedSubject& subject, const Fliphat& policy) {
  set_proved(subject, policy);
  auto listed =
      listed_episodes(policy.config(), [&](std::int64_t episode) { return policy.plan(episode); });
  subject.rounds = listed.rounds;
  set_pairs(subject, policy.config(), std::move(listed.episodes));
  subject.release = [policy](const InputPair& pair) -> Result<std::unique_ptr<PairRelease>> {
    ASSAY_TRY(check_losses(policy, episode_of_round(pair.changed_row())));
    return sparse_release(policy, pair);
  };
}

void fill(AuditedSubject& subject, const IhtBandit& policy) {
  const auto& config = policy.config();
  set_pairs(subject, config, listed_episodes(config, [&](std::int64_t episode) {
                               return episode_plan(config, std::int64_t{1} << episode);
                             }).episodes);
}

// The first round outweighs all others until the first fit, which the next round uses.
void fill(AuditedSubject& subject, const LassoBandit& policy) {
  const auto& config = policy.config();
  constexpr double kReward = 1e6;
  InputTable table = InputTable::zeros(subject.shape.rows(), subject.shape.columns());
  const auto row = table.row(0);
  const auto arms = static_cast<std::size_t>(config.arms);
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = k < arms ? kReward : 1.0;
  Edit edit{0, {row.begin(), row.end()}};
  for (std::size_t arm = 0; arm < arms; ++arm) edit.values[arm] = -kReward;
  if (config.refit < config.horizon) {
    const auto reads = table.row(config.refit).subspan(arms);
    const auto d = static_cast<std::ptrdiff_t>(config.dimension);
    std::fill_n(reads.begin() + d, d, 1.0);
  }
  subject.hard_pairs = {InputPair::of(std::move(table), edit)};
  subject.beside = [edit](const std::shared_ptr<const InputTable>& base) {
    return std::vector<InputPair>{{base, edit}};
  };
}

}  // namespace

detail::ProvedNoise detail::proved_noise(const Fliphat& policy) {
  const auto& config = policy.config();
  ProvedNoise most;
  for (std::int64_t episode = 0; episode < policy.estimates(); ++episode) {
    const NihtPlan& plan = policy.plan(episode);
    if (plan.iterations == 0) continue;
    if (config.calibration == Calibration::kCorrected) return {config.epsilon, episode};
    const NihtBounds bounds = episode_bounds(config, std::int64_t{1} << episode);
    if (most.epsilon > 0.0) {
      // Does it give that level as well? This takes one scale, but the least epsilon takes dozens.
      double ratio = plan.first_scale / niht_sensitivity(plan, bounds, 0);
      if (plan.iterations > 1) {
        ratio = std::min(ratio, plan.scale / niht_sensitivity(plan, bounds, 1));
      }
      const auto needed = peeling_scale({Epsilon{most.epsilon}, Delta{config.delta}},
                                        Peeling{plan.iterations * plan.sparsity, 1.0, true});
      if (needed && needed->value.value <= round_down(ratio)) continue;
    }
    const double epsilon = niht_proved_epsilon(plan, bounds, config.delta);
    if (epsilon > most.epsilon) most = {epsilon, episode};
  }
  return most;
}

namespace {

template <class P>
Result<AuditedSubject> sparse_subject(const CaseDescription& described,
                                      const std::vector<KeyValue>& parameters) {
  const auto config = ASSAY_TRY(read_configuration<typename P::Config>(parameters));
  const InputShape shape{.kind = InputKind::kContextual,
                         .arms = config.arms,
                         .horizon = config.horizon,
                         .dimension = config.dimension};
  ASSAY_TRY(shape.check());
  const P policy = ASSAY_TRY(P::create(config));
  AuditedSubject subject = subject_of(described.id, described.title, policy);
  subject.shape = shape;
  subject.check = [shape](const InputPair& pair) { return check_rounds(shape, pair); };
  subject.play = [policy, shape](std::span<const double> input, ReplayStream& random,
                                 std::vector<double>& out) {
    play_rounds(policy, shape, input, random, out);
  };
  fill(subject, policy);
  return subject;
}

template <class P>
ListedCase sparse_case(CaseDescription d) {
  d.about +=
      " The private input is a sequence of rounds, each with a context and a reward for every arm. "
      "The policy learns only the reward of the arm that it pulls. Neighbouring sequences differ "
      "in one round. The adversary sees every action but that round's (joint DP).";
  d.relation = Relation::kReplaceOneUser;
  d.view = View::kOtherActions;
  d.input =
      "contexts and rewards: one line for each round, with the rewards of all arms, then their "
      "contexts, arms x dimension numbers, separated by commas";
  d.input_kind = InputKind::kContextual;
  d.parameters = describe_fields<typename P::Config>();
  return {std::move(d), sparse_subject<P>};
}

}  // namespace

std::vector<ListedCase> sparse_cases() {
  return {
      sparse_case<Fliphat>(
          {.id = "fliphat",
           .title = "FLIPHAT: sparse estimates by peeling, joint DP",
           .about =
               "The policy runs in episodes of doubling length. Each acts greedily by a sparse "
               "estimate from the previous episode. Noisy iterative hard thresholding makes the "
               "estimate by gradient steps, after each of which peeling releases the largest "
               "coordinates.",
           .methods = {"release", "events"},
           .claims = {"eps=epsilon, delta=delta  (Theorem 5.1)"},
           .reference =
               "S. Chakraborty, S. Roy, D. Basu, \"FLIPHAT: Joint Differential Privacy for High Dimensional Sparse Linear "
               "Bandits\""}),
      sparse_case<IhtBandit>(
          {.id = "iht-bandit",
           .title = "Episodes of iterative hard thresholding, not private",
           .about = "This policy has the episodes of FLIPHAT without noise. It promises no privacy "
                    "and serves for comparison.",
           .methods = {"events"},
           .reference =
               "T. Blumensath, M. E. Davies, \"Iterative Hard Thresholding for Compressed Sensing\""}),
      sparse_case<LassoBandit>(
          {.id = "lasso-bandit",
           .title = "The sparsity-agnostic lasso bandit, not private",
           .about = "It acts greedily by a lasso fit of all rounds so far. It promises no privacy "
                    "and serves for comparison.",
           .methods = {"events"},
           .reference = "M. Oh, G. Iyengar, A. Zeevi, \"Sparsity-Agnostic Lasso Bandit\""})};
}

}  // namespace assay

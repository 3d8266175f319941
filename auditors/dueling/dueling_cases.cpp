#include "assay/auditors/dueling/dueling_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "assay/auditors/dueling/dueling_inputs.hpp"
#include "assay/auditors/dueling/dueling_pair.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"

namespace assay {
namespace {

constexpr std::string_view kDuelingPaper =
    "A. Saha, H. Asi, \"DP-Dueling: Learning from Preference Feedback without Compromising User "
    "Privacy\"";
constexpr std::int64_t kDefaultHorizon = 1000;
template <class P>
constexpr std::int64_t kMostPairs = 24;
template <>
constexpr std::int64_t kMostPairs<GOptDpdb> = 8;       // their score equations take long
constexpr std::int64_t kMostListed = 16'000'000;       // numbers in all listed inputs
constexpr std::int64_t kMostSearched = 4'000'000'000;  // rounds of the runs that rank them

template <class P>
constexpr bool kHasFeatures = std::is_same_v<P, GOptDpdb>;

// The policy's fields, at a horizon that an audit takes seconds for.
template <class P>
struct CaseConfig : P::Config {
  CaseConfig() { this->horizon = kDefaultHorizon; }

  static void fields(auto&& visit) { visit_base_fields<CaseConfig, typename P::Config>(visit); }
};

// The proved level of all pairs, and remarks on the setting.
struct ProvedLevel {
  std::optional<Guarantee> guarantee;
  double largest_loss = kInfinity;
  std::vector<std::string> notes;
};

ProvedLevel proved_of(const Guarantee& stated, double epsilon, std::string source,
                      std::vector<std::string> notes) {
  Guarantee proved = stated;
  proved.level = PureDp{Epsilon{epsilon}};
  proved.source = std::move(source);
  return {proved, epsilon, std::move(notes)};
}

// (1)
ProvedLevel proved_level(const DpEbsElimination& policy) {
  const auto& config = policy.config();
  const std::int64_t nodes = detail::nodes_moved_and_read(config.arms, config.horizon);
  const double spent = (detail::Enclosure(static_cast<double>(nodes)) / policy.noise_scale()).high;
  const std::string moved = fmt::format("{} {}", nodes, plural(nodes, "node"));
  return proved_of(
      policy.guarantee(), spent,
      fmt::format("{}: a bit moves at most {} that a duel reads", policy.guarantee().source, moved),
      {fmt::format("of eps = {}, {} is spent: at most {} with Laplace({}) noise that a duel reads "
                   "{} by 1",
                   number_text(config.epsilon), rounded(spent, 6), moved,
                   rounded(policy.noise_scale(), 6), nodes == 1 ? "moves" : "move")});
}

ProvedLevel proved_level(const LocalEbsElimination& policy) {
  return {policy.guarantee(), policy.config().epsilon, {}};
}

ProvedLevel proved_level(const EbsElimination&) { return {}; }

ProvedLevel proved_level(const GOptDpdb& policy) {
  const auto& config = policy.config();
  const DuelPlan* plan = policy.plan().get();
  if (plan == nullptr) {
    return proved_of(policy.guarantee(), 0.0, "one item is in every duel from the first round on",
                     {"all items coincide, and every duel is of the first with itself"});
  }
  std::vector<std::string> notes = {fmt::format(
      "design of phase 1: {} of {} pairs of items, certificate max |z|^2/r - 1 <= {}, r = {}",
      plan->pairs.size(), config.arms * (config.arms - 1) / 2,
      rounded_up(std::max(plan->gap, 0.0), 3), plan->rank)};
  std::int64_t rounds = config.initial_draws;
  for (const std::int64_t pulls : plan->pulls) rounds += pulls;
  notes.push_back(fmt::format(
      "phase 1 takes {} rounds of {}{}", grouped(rounds), grouped(config.horizon),
      rounds < config.horizon ? ""
                              : ": no outcome is ever read; -p phase_scale=F shortens phases"));
  return proved_of(
      policy.guarantee(), rounds < config.horizon ? policy.spent_epsilon() : 0.0,
      rounds < config.horizon ? policy.guarantee().source : "no phase ends before the horizon",
      std::move(notes));
}

// An outcome in the form that the policy's observe takes.
template <class P>
void observe(P& policy, bool won, ReplayStream& random) {
  if constexpr (requires { policy.observe(won, random); }) {
    policy.observe(won, random);
  } else {
    policy.observe(won);
  }
}

bool outcome_of(std::span<const double> input, std::int64_t arms, std::int64_t round,
                const Duel& duel) {
  return input[static_cast<std::size_t>((round * arms + duel.first) * arms + duel.second)] == 1.0;
}

// Rounds of a base in which a changed bit is informative: for an elimination, the first rounds of
// the best and the worst arm, and, in its runs, the rounds before an arm leaves.
template <class P>
std::vector<std::int64_t> telling_rounds(const P& fresh, const InputTable& base) {
  const std::int64_t arms = fresh.config().arms;
  const std::int64_t seen = fresh.config().horizon - 1;  // rounds that the policy reads
  constexpr std::uint64_t kPlays = 3;
  std::vector<std::int64_t> left;
  for (std::uint64_t i = 0; i < kPlays; ++i) {
    P policy = fresh;
    ReplayStream random({.purpose = hash_purpose("dueling/telling"), .replicate = i});
    std::int64_t t = 0;
    for (; t < seen && policy.active().size() == static_cast<std::size_t>(arms); ++t) {
      const Duel duel = policy.choose(random);
      observe(policy, outcome_of(base.values, arms, t, duel), random);
    }
    left.push_back(t);
  }
  std::sort(left.begin(), left.end());
  const std::int64_t turn = left[1] - left[1] % arms;
  std::vector<std::int64_t> out;
  for (const std::int64_t t : {std::int64_t{0}, turn - arms, turn - 1, turn / 2 - turn / 2 % arms,
                               arms - 1, turn - 4 * arms, left[1] - 1}) {
    if (t < 0 || t >= seen || contains(out, t)) continue;
    out.push_back(t);
    if (left[1] == seen) break;  // nobody leaves
  }
  if (out.empty()) out.push_back(0);
  return out;
}

// The first round of each pair of the first design.
std::vector<std::int64_t> telling_rounds(const GOptDpdb& fresh, const InputTable&) {
  std::vector<std::int64_t> out;
  std::int64_t round = fresh.config().initial_draws;
  if (fresh.plan() != nullptr) {
    for (const std::int64_t pulls : fresh.plan()->pulls) {
      if (round < fresh.config().horizon && out.size() < 4) out.push_back(round);
      round += pulls;
    }
  }
  if (out.empty()) out.push_back(0);
  return out;
}

Status check_outcomes(const InputShape& shape, const InputTable& table) {
  if (table.rows == shape.horizon && table.columns == shape.arms * shape.arms) {
    return check_input(shape, table);
  }
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("has {} rows of {} outcomes, but horizon is {} and arms is {}; give one line for "
                  "each round, with arms x arms = {} outcomes",
                  table.rows, table.columns, shape.horizon, shape.arms, shape.arms * shape.arms));
}

template <class P>
Result<std::unique_ptr<PairRelease>> release_of(const P& policy, const InputPair& pair,
                                                double largest) {
  if constexpr (std::is_same_v<P, EbsElimination>) {
    return dueling_release(policy, pair);
  } else {
    return dueling_release(policy, pair, largest);
  }
}

}  // namespace

// docs/proofs/dp_ebs_elimination.md, (7)
std::int64_t detail::longest_counter_read(std::int64_t arms, std::int64_t horizon) {
  return horizon <= 1 ? 0 : (horizon + arms - 2) / 2 + arms - 2;
}

std::int64_t detail::nodes_moved_and_read(std::int64_t arms, std::int64_t horizon) {
  const std::int64_t entries = longest_counter_read(arms, horizon);
  return arms == 2 ? std::bit_width(static_cast<std::uint64_t>(entries))
                   : std::max<std::int64_t>(tree_nodes_moved_twice(entries), 0);
}

namespace {

template <class P>
Result<AuditedSubject> dueling_subject(const CaseDescription& described,
                                       std::vector<KeyValue> given) {
  const auto features = kHasFeatures<P> ? take_parameter(given, kFeatureFile) : std::nullopt;
  auto config = ASSAY_TRY(read_configuration<CaseConfig<P>>(given));
  const InputShape sizes = duel_shape(config.arms, config.horizon);
  if (!features) ASSAY_TRY(sizes.check());  // before designs are made
  const P policy = ASSAY_TRY(create_with_features<P>(config, features));
  const auto asked = field_values(config);
  static_cast<typename P::Config&>(config) = policy.config();
  ASSAY_TRY(check_kept(given, asked, field_values(config)));
  AuditedSubject subject = subject_of(described.id, described.title, policy);
  subject.parameters = field_values(config);
  if (features) subject.parameters.push_back({std::string(kFeatureFile), *features});
  subject.variables = claim_variables(config);
  subject.shape = duel_shape(config.arms, config.horizon);
  ASSAY_TRY(subject.shape.check());
  const ProvedLevel proved = proved_level(policy);
  subject.proved = proved.guarantee;
  subject.notes = proved.notes;
  subject.check = [shape = subject.shape](const InputPair& pair) {
    return check_outcomes(shape, pair.base_input());
  };
  const std::int64_t numbers = config.arms * config.arms * config.horizon;
  const std::int64_t ranked = 4096 * config.horizon;  // rounds for each pair
  const DuelingPairs plan{
      .arms = config.arms,
      .horizon = config.horizon,
      .in_turn = !kHasFeatures<P>,
      .most = static_cast<std::size_t>(std::clamp<std::int64_t>(
          std::min(kMostListed / numbers, kMostSearched / 20 / ranked), 1, kMostPairs<P>)),
      .rounds = [policy](const std::shared_ptr<const InputTable>& base) {
        return telling_rounds(policy, *base);
      }};
  subject.hard_pairs = hard_dueling_pairs(plan);
  subject.beside = std::bind_front(dueling_pairs_beside, plan);
  subject.random_pair = std::bind_front(random_dueling_pair, plan);
  subject.release = [policy, largest = proved.largest_loss](const InputPair& pair) {
    return release_of(policy, pair, largest);
  };
  subject.play = [policy](std::span<const double> input, ReplayStream& random,
                          std::vector<double>& out) {
    P playing = policy;
    for (std::int64_t t = 0; t < playing.config().horizon; ++t) {
      const Duel duel = playing.choose(random);
      out.insert(out.end(), {static_cast<double>(duel.first), static_cast<double>(duel.second)});
      observe(playing, outcome_of(input, playing.config().arms, t, duel), random);
    }
  };
  return subject;
}

template <class P>
ListedCase dueling_case(CaseDescription d) {
  d.about +=
      " The private input is a preference sequence: in each round a user's answers to all pairs of "
      "arms, of which the policy reads one. Neighbouring sequences differ in one round. The "
      "adversary sees every duel.";
  d.relation = Relation::kReplaceOnePreferences;
  d.input =
      "a preference sequence: one line for each round, with arms x arms outcomes, 1 if the arm of "
      "the row beats that of the column, separated by commas";
  d.input_kind = Duel::kInput;
  d.methods = {"release", "events"};
  d.parameters = describe_fields<CaseConfig<P>>();
  if (kHasFeatures<P>) {
    d.parameters.push_back(
        {std::string(kFeatureFile), "", "text", "", "a file",
         "features of the items as CSV, one line for each item; without it Assay draws them"});
  }
  d.reference = kDuelingPaper;
  return {std::move(d), dueling_subject<P>};
}

}  // namespace

std::vector<ListedCase> dueling_cases() {
  return {
      dueling_case<DpEbsElimination>(
          {.id = "dp-ebs",
           .title = "DP-EBS-Elimination: duels, wins in tree counters",
           .about =
               "Arms duel random rivals in turn. A tree counter keeps each arm's wins private, and "
               "an arm leaves when its bound falls behind.",
           .claims = {"eps=epsilon  (Lemma 2)"}}),
      dueling_case<GOptDpdb>(
          {.id = "gopt-dpdb",
           .title = "GOptimal-DPDB: duels by designs, noisy wins of pairs",
           .about =
               "Each phase holds duels by a G-optimal design of score differences. The wins of "
               "each pair get Laplace noise, and items leave when their score falls behind.",
           .claims = {"eps=epsilon  (Theorem 3)",
                      "eps=epsilon/log(T)  (noise=proof, the true level)"}}),
      dueling_case<LocalEbsElimination>(
          {.id = "ebs-local",
           .title = "EBS elimination of randomised responses",
           .about = "This is the elimination of DP-EBS in the local model, where every user's "
                    "answer is randomised before the policy sees it.",
           .claims = {"eps=epsilon  (Remark 3)"}}),
      dueling_case<EbsElimination>(
          {.id = "ebs-non-private",
           .title = "EBS elimination, not private",
           .about = "This is the elimination of DP-EBS without noise. It promises no privacy and "
                    "serves for comparison."})};
}

}  // namespace assay

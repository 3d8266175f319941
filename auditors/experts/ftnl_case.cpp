#include "assay/auditors/experts/ftnl_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/experts/leader_bracket.hpp"
#include "assay/auditors/methods/exact_evidence.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

using Config = RnmFtnlConfig;

constexpr std::string_view kTitle = "RNM-FTNL: experts, follow the noisy leader of the last epoch";

constexpr std::int64_t kMostLosses = std::int64_t{1}
                                     << 22;  // losses of a sequence, which the report holds
constexpr std::int64_t kLongestWitness = 4096;

Status check_size(const Config& config) {
  if (config.horizon <= kMostLosses / config.actions) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("horizon times actions must be at most {}, as the report holds the loss "
                          "sequence; {} times {} is more",
                          kMostLosses, config.horizon, config.actions),
              "/horizon");
}

Status check_input(const Config& config, const InputTable& input) {
  if (input.columns == config.actions && input.rows == config.horizon) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("has {} {} of {} {}, but horizon is {} and actions is {}; give one line "
                          "for each round, or -p horizon={} -p actions={}",
                          input.rows, plural(input.rows, "round"), input.columns,
                          input.columns == 1 ? "loss" : "losses", config.horizon, config.actions,
                          input.rows, input.columns));
}

bool is_pure(const PrivacyLevel& claim) {
  const ClaimedQuantity claimed = claimed_quantity(claim);
  return claimed.kind == QuantityKind::kDeltaAtEpsilon && claimed.limit == 0.0;
}

bool is_certified(const EnumeratedDistributions& distributions) {
  const auto in_range = [](double log_p) { return log_p >= kLeastNoisyMaxLog; };
  return std::all_of(distributions.log_p.begin(), distributions.log_p.end(), in_range) &&
         std::all_of(distributions.log_q.begin(), distributions.log_q.end(), in_range);
}

// The level of all pairs: that of the worst pair, if it is known and exact; otherwise the proof's.
Guarantee all_pairs_guarantee(const RnmFtnl& policy) {
  Guarantee proved = policy.proved_guarantee();
  if (last_read_epoch(policy.config().horizon) == 0) return proved;
  const auto groups = worst_groups_for_pure(policy);
  const EnumeratedDistributions distributions = grouped_distributions(policy.noise(), groups);
  if (!is_certified(distributions) || !is_worst_for_pure(policy, groups)) return proved;
  const auto exact = ExactLoss::create(distributions);
  if (!exact) return proved;
  const double level =
      std::max(exact->epsilon(Delta{0.0}, Orientation::kBaseToNeighbour).upper.value.value,
               exact->epsilon(Delta{0.0}, Orientation::kNeighbourToBase).upper.value.value);
  auto& proved_level = std::get<PureDp>(proved.level).epsilon.value;
  if (level < proved_level) {
    proved_level = level;
    proved.source = "the exact loss of the worst pair, by monotonicity and log-concavity";
  }
  return proved;
}

Result<LossSearchResult> find_pair(const RnmFtnl& policy, const PrivacyLevel& claim,
                                   const std::shared_ptr<const InputTable>& base,
                                   const RunControl& control) {
  const Config& config = policy.config();
  LossSearchResult found;
  if (last_read_epoch(config.horizon) == 0) {
    const std::vector<double> row(static_cast<std::size_t>(config.actions), base ? 0.0 : 1.0);
    found.pair = base ? InputPair(base, {0, row})
                      : InputPair::of(InputTable::zeros(config.horizon, config.actions), {0, row});
    found.how = "no action reads a loss";
    return found;
  }
  if (base) return search_beside(policy, base, claimed_quantity(claim), control);
  if (is_pure(claim)) {
    const auto groups = worst_groups_for_pure(policy);
    found.pair = pair_of_groups(config, groups);
    found.is_worst = is_worst_for_pure(policy, groups);
    found.how = found.is_worst
                    ? "proof: no pair has a larger loss"
                    : fmt::format(
                          "proof: no pair has a larger loss if its sums over the other rounds of "
                          "the epoch differ by at most {}",
                          number_text(groups[0].rest));
    return found;
  }
  const auto groups = search_groups(policy, claimed_quantity(claim), control);
  found.pair = pair_of_groups(config, groups.groups);
  found.how = fmt::format("search of {} pairs of groups of like experts{}", groups.evaluated,
                          groups.stopped ? "; the run was stopped there" : "");
  return found;
}

// "1, 0 x 99"
std::string row_text(std::span<const double> row) {
  std::string text;
  for (std::size_t i = 0; i < row.size();) {
    std::size_t end = i + 1;
    while (end < row.size() && row[end] == row[i]) ++end;
    if (text.size() > 60) return text + ", ...";
    text += (text.empty() ? "" : ", ") + number_text(row[i]);
    if (end - i > 1) text += fmt::format(" x {}", end - i);
    i = end;
  }
  return text;
}

std::string change_text(const InputPair& pair) {
  return fmt::format("the losses of round {} change from ({}) to ({})", pair.changed_row() + 1,
                     row_text(pair.base_row()), row_text(pair.neighbour_row()));
}

std::size_t likeliest(std::span<const double> distribution) {
  return static_cast<std::size_t>(std::max_element(distribution.begin(), distribution.end()) -
                                  distribution.begin());
}

// The beginning of a transcript up to the draw that differs: the output of the largest loss there,
// and the likeliest actions before.
std::optional<WitnessPath> witness_of(const RnmFtnl& policy, const InputPair& pair,
                                      const LeaderDistributions& distributions,
                                      const RunControl& control) {
  const int epoch = epoch_of(pair.changed_row() + 1);
  const std::int64_t first = std::int64_t{1} << epoch;  // round that uses the draw
  if (epoch > last_read_epoch(policy.config().horizon) || first > kLongestWitness) {
    return std::nullopt;
  }
  WitnessPath path;
  const double uniform = -portable_log(static_cast<double>(policy.config().actions));
  double common = uniform;
  double error = distributions.relative_error;
  path.actions.assign(1, 0);
  for (int r = 1; r < epoch; ++r) {
    const auto distribution = leader_distribution(
        policy, r, [&](std::int64_t t) { return pair.base_input().row(t); }, control);
    if (control.stopped()) return std::nullopt;
    const std::size_t leader = likeliest(distribution.log_p);
    common += distribution.log_p[leader];
    error += distribution.relative_error;
    path.actions.insert(path.actions.end(), std::size_t{1} << r, static_cast<int>(leader));
  }
  std::size_t widest = likeliest(distributions.log_p);
  for (std::size_t j = 0; j < distributions.log_p.size(); ++j) {
    const auto size = [&](std::size_t i) {
      return std::fabs(distributions.log_p[i] - distributions.log_q[i]);
    };
    if (distributions.is_certified(j) && size(j) > size(widest)) widest = j;
  }
  path.actions.push_back(static_cast<int>(widest));
  path.log_probability_base = common + distributions.log_p[widest];
  path.log_probability_neighbour = common + distributions.log_q[widest];
  error += 1e-15 * std::fabs(common);
  const double high = std::max(path.log_probability_base, path.log_probability_neighbour) - error;
  const double low = std::min(path.log_probability_base, path.log_probability_neighbour) + error;
  path.mu = high > low ? mu_from_event_lower(high, low).value.value : 0.0;
  return path;
}

// A pure level of all pairs also holds for this pair, without the numerical error of its
// distribution.
void cap_by_proof(std::vector<ReportedQuantity>& quantities, const Guarantee& all_pairs) {
  const double level = std::get<PureDp>(all_pairs.level).epsilon.value;
  for (ReportedQuantity& quantity : quantities) {
    double limit = quantity.upper.value;
    if (quantity.kind == QuantityKind::kEpsilonAtDelta) limit = level;
    if (quantity.kind == QuantityKind::kDeltaAtEpsilon && quantity.at >= level) limit = 0.0;
    if (limit < quantity.upper.value) {
      quantity.upper = {limit, Evidence::kTheorem, all_pairs.source};
    }
  }
}

std::vector<std::string> limits_of(const LossSearchResult& found,
                                   const LeaderDistributions& distributions,
                                   const PrivacyLevel& claim, std::vector<std::string> limits) {
  if (found.is_worst && is_pure(claim)) {
    limits[0] =
        "The largest loss is that of the worst pair, by proof. delta and mu are those of the pair "
        "shown; other pairs may have larger ones.";
  }
  limits.push_back(
      "The transcript's loss is that of one draw, in the epoch after the changed vector's. The "
      "analysis treats noise as real numbers; doubles round them.");
  if (distributions.relative_error > kNoisyMaxRelativeError) {
    limits.push_back(fmt::format(
        "The audit computes each expert's number of ones among its resampled losses within a "
        "window. The rest, by proof, and rounding change a probability by a relative {:.1g} at "
        "most, and every bound is rounded outward by as much.",
        distributions.relative_error));
  }
  return limits;
}

// The level itself, in the digits of the comparison.
std::string refutation(const PairEvidence& evidence, const PrivacyLevel& claim) {
  const auto* largest = find_quantity(evidence.quantities, QuantityKind::kEpsilonAtDelta, 0.0);
  if (!is_pure(claim) || largest == nullptr) return {};
  return fmt::format(
      "the largest loss, of the expert in the witness, is at least {:.11g}, but the claim allows "
      "{:.6g}",
      largest->lower.value, std::get<PureDp>(claim).epsilon.value);
}

// Without distributions only the proved level is known.
Result<PairEvidence> bounds_of(const LeaderDistributions& distributions, const RnmFtnl& policy,
                               const PrivacyLevel& claim, Delta delta0) {
  if (distributions.log_p.empty()) {
    return stopped_evidence({}, claim, delta0, {Mu{std::numeric_limits<double>::infinity()}});
  }
  const auto bracket = ASSAY_TRY(bracket_of(distributions, proved_level(policy)));
  return bracket_evidence(bracket, claim, delta0);
}

// The exact distributions of the one draw that differs; if the run was stopped, those from the
// search.
Result<PairEvidence> draw_evidence(const RnmFtnl& policy, const Guarantee& all_pairs,
                                   const LossSearchResult& found, const PrivacyLevel& claim,
                                   Delta delta0, const RunControl& control) {
  LeaderDistributions distributions = leader_distributions(policy, found.pair, control);
  // Those from the search give the same bounds, from sums in another order.
  if (control.stopped()) distributions = found.distributions;
  auto evidence = ASSAY_TRY(bounds_of(distributions, policy, claim, delta0));
  cap_by_proof(evidence.quantities, all_pairs);
  evidence.refutation = refutation(evidence, claim);
  if (!distributions.log_p.empty())
    evidence.witness = witness_of(policy, found.pair, distributions, control);
  evidence.limits = limits_of(found, distributions, claim, std::move(evidence.limits));
  return evidence;
}

}  // namespace

CaseDescription FtnlCase::describe() const {
  CaseDescription d;
  d.id = kId;
  d.title = kTitle;
  d.about =
      "The policy follows one expert in each of its epochs, whose lengths double. Report-noisy-max "
      "chooses the expert from the negated sums of the losses of the previous epoch or, with "
      "resample, from the negated sums of their Bernoulli resamples. The noise is Laplace or "
      "Gumbel of scale 2/eps, or exponential of scale 1/eps as printed (calibration=paper) or "
      "2/eps (corrected). The policy sees all experts' losses. Neighbouring sequences differ in "
      "the whole vector of one round. The adversary sees the actions. At the default horizon of 3 "
      "the policy reads one epoch of a single round.";
  d.relation = Relation::kReplaceOneLossVector;
  d.input =
      "a loss sequence: one line for each round of the horizon, with the losses of all experts in "
      "[0, 1], separated by commas";
  d.input_kind = InputKind::kExperts;
  d.methods = {"exact"};
  d.parameters = describe_fields<Config>();
  d.claims = {"eps=epsilon  (Theorem 1: Laplace, no resampling)",
              "eps=epsilon  (Theorem 2: all three noises, resampling)",
              "eps=epsilon  (Theorem 4: exponential and Gumbel, no resampling)",
              "eps=2*epsilon  (exponential noise with calibration=paper, the true level)"};
  d.reference =
      "R. Wu, Y.-X. Wang, \"Improved Regret in Stochastic Decision-Theoretic Online Learning under "
      "Differential Privacy\", Algorithm 1";
  return d;
}

Result<AuditedSubject> FtnlCase::subject(const std::vector<KeyValue>& parameters) const {
  constexpr double kSearchTime = 0.8;  // the distributions take the rest
  const auto config = ASSAY_TRY(read_configuration<Config>(parameters));
  ASSAY_TRY(check_size(config));
  const auto policy = ASSAY_TRY(RnmFtnl::create(config));
  const Guarantee all_pairs = all_pairs_guarantee(policy);
  AuditedSubject subject = subject_of(kId, kTitle, policy);
  subject.proved = all_pairs;
  subject.shape.kind = InputKind::kExperts;
  subject.shape.arms = config.actions;
  subject.shape.horizon = config.horizon;
  subject.check = [config](const InputPair& pair) {
    return check_input(config, pair.base_input());
  };
  subject.find = [policy, all_pairs](const PrivacyLevel& claim,
                                     const std::shared_ptr<const InputTable>& base, Delta delta0,
                                     const RunControl& control) -> Result<FoundEvidence> {
    auto found = ASSAY_TRY(find_pair(policy, claim, base, control.within(kSearchTime)));
    // Whole losses, as without a base, take no time.
    const RunControl& of_distributions = base ? control : RunControl{};
    auto evidence =
        ASSAY_TRY(draw_evidence(policy, all_pairs, found, claim, delta0, of_distributions));
    found.how = change_text(found.pair) + "; " + found.how;
    return FoundEvidence{std::move(found), std::move(evidence)};
  };
  subject.play = [policy](std::span<const double> input, ReplayStream& random,
                          std::vector<double>& out) {
    RnmFtnl playing = policy;
    const auto experts = static_cast<std::size_t>(playing.config().actions);
    for (std::int64_t t = 0; t < playing.config().horizon; ++t) {
      out.push_back(playing.choose(random));
      playing.observe(input.subspan(static_cast<std::size_t>(t) * experts, experts), random);
    }
  };
  return subject;
}

}  // namespace assay

#include "assay/mechanisms/accounting/account/sampled_step.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/mechanisms/accounting/account/internal/step_levels.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/internal/input_ranges.hpp"
#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"
#include "assay/mechanisms/accounting/pld/mixture_loss.hpp"
#include "assay/mechanisms/accounting/pld/sampled_loss.hpp"
#include "assay/mechanisms/accounting/pld/shuffled_loss.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay {
namespace {

using detail::Enclosure;

constexpr double kMostShift = 1000.0;  // of noise on integers

// ---- the noise, in units of the distance that one record moves it ---------------------------------

struct ScaledNoise {
  AddedNoise noise;
  bool is_quotient = false;  // the scale has a rounding of its own
};

bool is_level(const SampledNoise& noise) {
  return std::holds_alternative<PureStep>(noise) || std::holds_alternative<GdpStep>(noise);
}

double sensitivity_of(const SampledNoise& noise) {
  if (const auto* gaussian = std::get_if<GaussianStep>(&noise)) return gaussian->sensitivity;
  if (const auto* laplace = std::get_if<LaplaceStep>(&noise)) return laplace->sensitivity;
  return 1.0;
}

// Noise that a record moves by `distance`; for a level, by what the level covers.
ScaledNoise scaled(const SampledNoise& noise, double distance) {
  using Kind = AddedNoise::Kind;
  return std::visit(
      [distance]<class Noise>(const Noise& n) -> ScaledNoise {
        const auto shift = static_cast<std::int64_t>(distance);
        if constexpr (std::is_same_v<Noise, GaussianStep>) {
          return {{Kind::kGaussian, n.sigma / distance, 1}, distance != 1.0};
        } else if constexpr (std::is_same_v<Noise, LaplaceStep>) {
          return {{Kind::kLaplace, n.scale / distance, 1}, distance != 1.0};
        } else if constexpr (std::is_same_v<Noise, DiscreteGaussianStep>) {
          return {{Kind::kDiscreteGaussian, n.sigma, shift}, false};
        } else if constexpr (std::is_same_v<Noise, DiscreteLaplaceStep>) {
          return {{Kind::kDiscreteLaplace, n.scale, shift}, false};
        } else if constexpr (std::is_same_v<Noise, PureStep> ||
                             std::is_same_v<Noise, RandomizedResponseStep>) {
          return {{Kind::kDiscreteLaplace, 1.0 / n.epsilon, 1}, true};
        } else {
          return {{Kind::kGaussian, 1.0 / n.mu, 1}, true};
        }
      },
      noise);
}

// The largest log-ratio of noise that a record moves by `distance`.
Enclosure largest_ratio(const SampledNoise& noise, double distance) {
  return std::visit(
      [distance]<class Noise>(const Noise& n) -> Enclosure {
        if constexpr (std::is_same_v<Noise, LaplaceStep> ||
                      std::is_same_v<Noise, DiscreteLaplaceStep>) {
          return Enclosure(distance) / n.scale;
        } else if constexpr (std::is_same_v<Noise, PureStep> ||
                             std::is_same_v<Noise, RandomizedResponseStep>) {
          return n.epsilon;
        } else {
          return kInfinity;
        }
      },
      noise);
}

// Losses are computed for scales within these limits.
Status check_scale(const SampledNoise& noise, double distance, double least_sigma = 0.05) {
  const auto check = [](const char* name, double value, const std::string& unit,
                        Range range) -> Status {
    if (value >= range.low && value <= range.high) return {};
    const std::string times = unit.empty() ? "" : " times";
    return detail::out_of_range(
        name, number_text(range.low) + " to " + number_text(range.high) + times + unit,
        number_text(value) + times);
  };
  const std::string unit = distance == sensitivity_of(noise)
                               ? " the sensitivity"
                               : " the distance " + number_text(distance);
  return std::visit(
      [&]<class Noise>(const Noise& n) -> Status {
        if constexpr (std::is_same_v<Noise, GaussianStep>) {
          return check("sigma", n.sigma / distance, unit, {least_sigma, 1e6});
        } else if constexpr (std::is_same_v<Noise, LaplaceStep>) {
          return check("scale", n.scale / distance, unit, {1e-2, 1e6});
        } else if constexpr (std::is_same_v<Noise, PureStep> ||
                             std::is_same_v<Noise, RandomizedResponseStep>) {
          return check("epsilon", n.epsilon, "", {1e-6, 100.0});
        } else if constexpr (std::is_same_v<Noise, GdpStep>) {
          return check("mu", n.mu, "", {1e-6, 20.0});
        } else {
          return {};
        }
      },
      noise);
}

// ---- who is in the sample -------------------------------------------------------------------------

// What a sampler does to one record, with the distances by which the record moves the sum.
struct Inclusion {
  double sampling = 0.0;
  double distance = 0.0;
};

Inclusion fixed_size_inclusion(const SampledNoise& noise, const FixedSizeSampler& sampler) {
  const double share = static_cast<double>(sampler.batch) / static_cast<double>(sampler.records);
  return {share, is_level(noise) ? 1.0 : sampler.distance};
}

// The batch is full without the record with probability `full`, and then takes it with probability `pushing`.
struct Truncation {
  double full = 0.0;
  double pushing = 0.0;       // rounded up
  double included_low = 0.0;  // the probability that the record is in the batch, rounded down
  double error = 0.0;         // relative, of `full` and 1 - full
};

// P(N >= least), and a bound on its relative error: five roundings for each step away from the mode, and one for each
// term of the sums (count_distribution.hpp, (2)).
std::pair<double, double> tail_of(std::int64_t n, double p, std::int64_t least) {
  const auto counts = binomial_distribution(n, p);
  double tail = 0.0;
  const auto terms = static_cast<std::int64_t>(counts.weights.size());
  for (std::int64_t k = terms - 1; k >= 0; --k) {  // the small ones first
    if (static_cast<std::int64_t>(counts.least) + k < least) break;
    tail += counts.weights[static_cast<std::size_t>(k)];
  }
  return {std::min(tail, 1.0), kUnitRoundoff * (8.0 * static_cast<double>(terms) + 64.0)};
}

Truncation truncation_of(const TruncatedPoissonSampler& sampler) {
  const auto [full, full_error] = tail_of(sampler.records - 1, sampler.sampling, sampler.batch);
  const auto [over, over_error] = tail_of(sampler.records, sampler.sampling, sampler.batch + 1);
  const double error = full_error + over_error;
  // The record and `batch` others or more were drawn, and `batch` of them are kept: n P(kept and full) is batch P(over).
  const double both =
      over * static_cast<double>(sampler.batch) / static_cast<double>(sampler.records);
  const double pushing = full > 0.0 ? both / full : sampler.sampling;
  const double up = 1.0 + 4.0 * error;
  return {
      full, std::clamp(pushing * up, kSampling.low, kSampling.high),
      std::max(kSampling.low, ((1.0 - full * up) * sampler.sampling + both) * (1.0 - 4.0 * error)),
      error};
}

// ---- losses ---------------------------------------------------------------------------------------

PrivacyLoss with_quotient(const ScaledNoise& scaled, PrivacyLoss loss, double log_tail) {
  if (!scaled.is_quotient) return loss;
  const double unit = 1.0 / scaled.noise.scale;
  const bool is_gaussian = scaled.noise.kind == AddedNoise::Kind::kGaussian;
  return detail::for_quotient(std::move(loss),
                              is_gaussian ? detail::normal_reach(unit, log_tail) : unit);
}

Result<DirectedLosses> poisson_pair(const SampledNoise& noise, const Inclusion& record,
                                    double log_tail) {
  const auto added = scaled(noise, record.distance);
  auto remove = ASSAY_TRY(
      loss_of::poisson(added.noise, record.sampling, SamplingDirection::kRemove, log_tail));
  auto add =
      ASSAY_TRY(loss_of::poisson(added.noise, record.sampling, SamplingDirection::kAdd, log_tail));
  return DirectedLosses{with_quotient(added, std::move(remove), log_tail),
                        with_quotient(added, std::move(add), log_tail), false};
}

Result<DirectedLosses> replaced_pair(const SampledNoise& noise, const Inclusion& record,
                                     double log_tail) {
  const auto added = scaled(noise, record.distance);
  auto loss = ASSAY_TRY(loss_of::poisson_replaced(added.noise, record.sampling, log_tail));
  loss = with_quotient(added, std::move(loss), log_tail);
  return both_orders(loss);
}

Result<DirectedLosses> hull_pair(const SampledNoise& noise, const Inclusion& record,
                                 double log_tail) {
  const auto added = scaled(noise, record.distance);
  auto loss = ASSAY_TRY(loss_of::fixed_size_replaced(added.noise, record.sampling, log_tail));
  loss = with_quotient(added, std::move(loss), log_tail);
  return both_orders(loss);
}

// Gaussian noise that is moved by k with probability weights[k].
Result<DirectedLosses> mixture_pair(const ScaledNoise& added, const std::vector<double>& weights,
                                    double log_tail, SampledRelation relation) {
  std::vector<double> shifts(weights.size());
  std::iota(shifts.begin(), shifts.end(), 0.0);
  const auto loss = [&](MixturePair pair) -> Result<PrivacyLoss> {
    auto mixture =
        ASSAY_TRY(loss_of::gaussian_mixture(weights, shifts, added.noise.scale, pair, log_tail));
    if (!added.is_quotient) return mixture;
    const double furthest = std::min(kFurthestShift, shifts.back() / added.noise.scale);
    return detail::for_quotient(std::move(mixture), detail::normal_reach(furthest, log_tail));
  };
  if (relation == SampledRelation::kReplaceOne) {
    auto replaced = ASSAY_TRY(loss(MixturePair::kReplace));
    return both_orders(replaced);
  }
  auto remove = ASSAY_TRY(loss(MixturePair::kRemove));
  auto add = ASSAY_TRY(loss(MixturePair::kAdd));
  return DirectedLosses{std::move(remove), std::move(add), false};
}

// A group of records, each in the sample by itself.
Result<DirectedLosses> group_pair(const SampledStep& step, const PoissonSampler& sampler,
                                  double log_tail) {
  const auto added = scaled(step.noise, sensitivity_of(step.noise));
  return mixture_pair(added, group_weights(sampler.group, sampler.sampling), log_tail,
                      step.relation);
}

Result<StepLosses> losses_of(const SampledStep& step, const PoissonSampler& sampler,
                             const LossAccuracy& accuracy) {
  const double log_tail = accuracy.log_tail;
  if (sampler.group > 1) {
    auto pair = ASSAY_TRY(group_pair(step, sampler, log_tail));
    return StepLosses{std::move(pair), std::nullopt, {}, {}};
  }
  const Inclusion record{sampler.sampling, sensitivity_of(step.noise)};
  const bool replaces = step.relation == SampledRelation::kReplaceOne;
  auto pair = ASSAY_TRY(replaces ? replaced_pair(step.noise, record, log_tail)
                                 : poisson_pair(step.noise, record, log_tail));
  return StepLosses{std::move(pair), std::nullopt, {}, {}};
}

Result<StepLosses> losses_of(const SampledStep& step, const FixedSizeSampler& sampler,
                             const LossAccuracy& accuracy) {
  const double log_tail = accuracy.log_tail;
  const Inclusion record = fixed_size_inclusion(step.noise, sampler);
  auto pair = ASSAY_TRY(poisson_pair(step.noise, record, log_tail));
  if (step.relation == SampledRelation::kAddOrRemove) {
    return StepLosses{std::move(pair), std::nullopt, {}, {}};
  }
  auto hull = ASSAY_TRY(hull_pair(step.noise, record, log_tail));
  return StepLosses{std::move(hull), std::move(pair),
                    "the least pair above one release of a fixed-size batch, in either order",
                    "one record against equal others, the same way in every release"};
}

// How often one record is drawn.
struct Copies {
  std::vector<double> weights;  // of 0, 1, .. copies
  double drawn_low = 0.0;       // the probability of one copy or more, rounded down
  double drawn_high = 0.0;
  double error = 0.0;  // relative, of the weights
};

Copies copies_of(const WithReplacementSampler& sampler) {
  const auto n = static_cast<double>(sampler.records);
  const auto b = static_cast<double>(sampler.batch);
  auto weights = binomial_distribution(sampler.batch, 1.0 / n).weights;  // from 0 on, as b <= n
  const Enclosure drawn = -expm1(log1p(Enclosure(-1.0) / n) * b);
  const double error = kUnitRoundoff * (8.0 * static_cast<double>(weights.size()) + 64.0);
  return {std::move(weights), std::clamp(drawn.low, kSampling.low, kSampling.high),
          std::clamp(drawn.high, kSampling.low, kSampling.high), error};
}

// Adds the masses of `part`.
void append(PrivacyLoss part, PrivacyLoss& whole) {
  std::vector<LossAtom> atoms;
  std::merge(whole.atoms.begin(), whole.atoms.end(), part.atoms.begin(), part.atoms.end(),
             std::back_inserter(atoms),
             [](const LossAtom& a, const LossAtom& b) { return a.loss < b.loss; });
  whole.atoms = std::move(atoms);
  for (LossPiece& piece : part.pieces) whole.pieces.push_back(std::move(piece));
  whole.mass_at_infinity += part.mass_at_infinity;
  whole.mass_above += part.mass_above;
  whole.mass_below += part.mass_below;
  whole.loss_error = std::max(whole.loss_error, part.loss_error);
  whole.weight_error = std::max(whole.weight_error, part.weight_error);
}

// The noise, or the level, for k records replaced at once; and whether losses are computed for it.
struct ForCopies {
  SampledNoise noise;
  double distance = 1.0;
  bool is_in_range = true;
};

ForCopies for_copies(SampledNoise noise, double distance, double copies) {
  if (auto* pure = std::get_if<PureStep>(&noise)) pure->epsilon *= copies;
  if (auto* gdp = std::get_if<GdpStep>(&noise)) gdp->mu *= copies;
  const double moved = is_level(noise) ? 1.0 : copies * distance;
  bool is_in_range = check_scale(noise, moved).has_value();
  if (const auto* laplace = std::get_if<DiscreteLaplaceStep>(&noise)) {
    is_in_range = is_in_range && moved <= kMostShift && moved <= 300.0 * laplace->scale;
  }
  if (std::holds_alternative<DiscreteGaussianStep>(noise)) {
    is_in_range = is_in_range && moved <= kMostShift;
  }
  return {noise, moved, is_in_range};
}

Result<StepLosses> losses_of(const SampledStep& step, const WithReplacementSampler& sampler,
                             const LossAccuracy& accuracy) {
  constexpr double kRare = 1e-10;  // of delta, in all releases: copies that count as infinite loss
  const double log_tail = accuracy.log_tail;
  const Copies copies = copies_of(sampler);
  const std::vector<double>& weights = copies.weights;
  double rest = 0.0;  // of more than `most` copies
  std::size_t most = weights.size() - 1;
  const double rare = kRare * accuracy.delta / static_cast<double>(accuracy.releases);
  while (most > 1 &&
         (rest + weights[most] <= rare ||
          !for_copies(step.noise, sampler.distance, static_cast<double>(most)).is_in_range)) {
    rest += weights[most--];
  }
  double kept = 0.0;
  for (std::size_t k = most; k >= 1; --k) kept += weights[k];
  PrivacyLoss above;
  for (std::size_t k = 1; k <= most; ++k) {
    const auto [noise, distance, _] =
        for_copies(step.noise, sampler.distance, static_cast<double>(k));
    const auto pair = ASSAY_TRY(hull_pair(noise, {copies.drawn_high, distance}, log_tail));
    append(loss_of::flagged({}, pair.remove, weights[k] / kept, 4.0 * copies.error), above);  // (7)
  }
  above.mass_above += 1e-300 + rest * (1.0 + 8.0 * copies.error);
  // Further shifts become `last` ones of Gaussian noise, and all become one distance of other noise: these leak no more.
  const auto added = scaled(step.noise, is_level(step.noise) ? 1.0 : sampler.distance);
  auto below = ASSAY_TRY(poisson_pair(
      step.noise, {copies.drawn_low, is_level(step.noise) ? 1.0 : sampler.distance}, log_tail));
  if (added.noise.kind == AddedNoise::Kind::kGaussian) {
    const double furthest = std::floor(kFurthestShift * added.noise.scale);
    const std::size_t last = std::min({most, static_cast<std::size_t>(std::max(furthest, 1.0)),
                                       static_cast<std::size_t>(kMostComponents - 1)});
    std::vector<double> shares(weights.begin(), weights.begin() + last + 1);
    for (std::size_t k = last + 1; k < weights.size(); ++k) shares.back() += weights[k];
    below = ASSAY_TRY(mixture_pair(added, shares, log_tail, SampledRelation::kAddOrRemove));
    for (PrivacyLoss* loss : {&below.remove, &below.add}) {
      loss->loss_error += 4.0 * copies.error;
      loss->weight_error += 4.0 * copies.error;
    }
  }
  return StepLosses{both_orders(above), std::move(below),
                    "the output also tells how often the record was drawn, of those drawn at all",
                    "one record against equal others, the same way in every release"};
}

Result<StepLosses> losses_of(const SampledStep& step, const TruncatedPoissonSampler& sampler,
                             const LossAccuracy& accuracy) {
  const double log_tail = accuracy.log_tail;
  const bool replaces = step.relation == SampledRelation::kReplaceOne;
  const Truncation truncation = truncation_of(sampler);
  const double sensitivity = sensitivity_of(step.noise);
  const auto pair = [&](const Inclusion& record) {
    return replaces ? replaced_pair(step.noise, record, log_tail)
                    : poisson_pair(step.noise, record, log_tail);
  };
  const auto free = ASSAY_TRY(pair({sampler.sampling, sensitivity}));
  const Inclusion pushing{truncation.pushing, sampler.distance};
  const auto full = ASSAY_TRY(replaces ? hull_pair(step.noise, pushing, log_tail)
                                       : poisson_pair(step.noise, pushing, log_tail));
  const auto either = [&](const PrivacyLoss& first, const PrivacyLoss& second) {
    PrivacyLoss both = loss_of::flagged(first, second, truncation.full, truncation.error);
    both.mass_above += 1e-300;  // what a `full` of 0 may have lost
    return both;
  };
  DirectedLosses dominating{either(free.remove, full.remove), either(free.add, full.add),
                            free.symmetric};
  auto attained = ASSAY_TRY(pair({truncation.included_low, sensitivity}));
  return StepLosses{std::move(dominating), std::move(attained),
                    "the output also tells whether the batch was full without the record",
                    "the others contribute nothing"};
}

// A record takes part in one step of a cycle, with the columns of that step alone.
Result<StepLosses> losses_of(const SampledStep& step, const CyclicPoissonSampler& sampler,
                             const LossAccuracy& accuracy) {
  return losses_of(step, PoissonSampler{sampler.sampling}, accuracy);
}

constexpr double kBetweenPairs = 1e-3;  // of eps

// Losses of a pass, between two sides.
Result<StepLosses> losses_of(const SampledStep& step, const AllocationSampler& sampler,
                             const LossAccuracy& accuracy) {
  const double passes = std::sqrt(static_cast<double>(sampler.passes));
  auto added = scaled(step.noise, sensitivity_of(step.noise));
  if (sampler.passes > 1) added = {{added.noise.kind, added.noise.scale / passes, 1}, true};
  const bool is_narrow = added.noise.kind == AddedNoise::Kind::kGaussian && added.noise.scale < 0.3;
  const double log_tail = is_narrow ? -600.0 : accuracy.log_tail;
  auto base = ASSAY_TRY(loss_of::added(added.noise, log_tail));
  base = with_quotient(added, std::move(base), log_tail);
  AllocationOptions options;
  options.delta = std::clamp(accuracy.delta, 1e-100, 0.5);
  options.relative_width = accuracy.relative_width;
  options.cancel = accuracy.cancel;
  const bool replaces = step.relation == SampledRelation::kReplaceOne;  // which needs both orders
  // Its two pairs are further apart by far.
  if (replaces) options.relative_width = std::max(options.relative_width, kBetweenPairs);
  const auto in = [&](SamplingDirection direction) {
    AllocationOptions own = options;
    if (!replaces && accuracy.lesser == direction) {
      own.relative_width = std::max(own.relative_width, kRoughWidth);
    }
    return loss_of::allocated_several(base, sampler.batches, sampler.participations, direction,
                                      own);
  };
  auto remove = ASSAY_TRY(in(SamplingDirection::kRemove));
  auto add = ASSAY_TRY(in(SamplingDirection::kAdd));
  const bool is_single = sampler.participations == 1;
  DirectedLosses attained{std::move(remove.lower), std::move(add.lower), false};
  if (!replaces) {
    return StepLosses{
        {std::move(remove.upper), std::move(add.upper), false},
        std::move(attained),
        is_single ? "" : "draws of one batch of a part of them each, composed",
        is_single ? "" : "the sum of a score of every batch, with others that contribute nothing"};
  }
  const auto opposed = loss_of::opposed(remove.upper, add.upper);
  return StepLosses{both_orders(opposed), std::move(attained),
                    "the losses of one record and of its opposite move against each other",
                    "one record against one that contributes nothing"};
}

Result<StepLosses> losses_of(const SampledStep& step, const ShuffleSampler& sampler,
                             const LossAccuracy& accuracy) {
  ShuffleOptions options;
  options.delta = std::clamp(accuracy.delta, 1e-100, 0.5);
  options.cancel = accuracy.cancel;
  const auto* response = std::get_if<RandomizedResponseStep>(&step.noise);
  auto pairs = ASSAY_TRY(
      response != nullptr
          ? loss_of::shuffled_response(response->epsilon, response->answers, sampler.users, options)
          : loss_of::shuffled_pure(std::get<PureStep>(step.noise).epsilon, sampler.users, options));
  std::string above = "copies of the user's answer hide it";
  std::string below = "randomised response, of which all other users have one value";
  if (response != nullptr && response->answers > 2) {
    above = "the true answers of the other users are revealed";
    below = "the other users all have one value, a third one";
  } else if (response != nullptr) {
    above = "the least pair above all values of the other users, in either order";
    below = "the other users have the same values in every release";
  }
  return StepLosses{
      {pairs.dominating, pairs.dominating, true},
      DirectedLosses{std::move(pairs.attained), std::move(pairs.attained_mirror), false},
      std::move(above),
      std::move(below)};
}

Enclosure mixed(Enclosure sampling, Enclosure log_ratio) {
  if (std::isinf(log_ratio.high)) return {log_ratio.low, kInfinity};
  return log1p(sampling * expm1(log_ratio));
}

// Of Poisson sampling, by sampled_loss.hpp, (1) to (3).
Enclosure largest_on_sample(const SampledNoise& noise, SampledRelation relation,
                            const Inclusion& record, SamplingDirection order) {
  const Enclosure most = largest_ratio(noise, record.distance);
  const Enclosure remove =
      std::isinf(most.low) ? Enclosure(kInfinity) : mixed(record.sampling, most);
  const Enclosure add =
      std::isinf(most.low) ? -log1p(Enclosure(-record.sampling)) : -mixed(record.sampling, -most);
  if (relation == SampledRelation::kReplaceOne)
    return std::isinf(remove.low) ? remove : remove + add;
  return order == SamplingDirection::kRemove ? remove : add;
}

Enclosure larger(Enclosure a, Enclosure b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

Result<SampledStep> make_sampled(const SampledNoise& noise, Sampler sampler,
                                 SampledRelation relation) {
  const auto refuse = [](const std::string& why, const char* field) {
    return fail(ErrorCode::kInvalidArgument, why, std::string("/") + field);
  };
  const bool is_response = std::holds_alternative<RandomizedResponseStep>(noise);
  if (std::holds_alternative<ShuffleSampler>(sampler)) {
    if (!is_response && !std::holds_alternative<PureStep>(noise)) {
      return refuse(
          "shuffle takes randomized-response, or pure for other local answers of eps-DP. Nearest: pure with the "
          "eps of one user's answer, if that is finite",
          "sampler");
    }
    if (relation != SampledRelation::kReplaceOne) {
      return refuse(
          "shuffle needs the relation replace-one: a user who comes or goes changes the number of answers. "
          "Nearest: replace-one, with a user who answers at random in place of one who is absent",
          "relation");
    }
  } else if (is_response) {
    return refuse(
        "randomized-response takes no sampler but shuffle: it has no answer for a record outside the sample. "
        "Nearest: pure with the sampler poisson, if such a record leaves no trace",
        "sampler");
  }
  const double sensitivity = sensitivity_of(noise);
  const bool on_integers = std::holds_alternative<DiscreteGaussianStep>(noise) ||
                           std::holds_alternative<DiscreteLaplaceStep>(noise);
  const auto set_distance = [&](double& distance) -> Status {
    if (distance == 0.0) distance = 2.0 * sensitivity;
    if (is_level(noise) && distance != 2.0) {
      return refuse("distance is for noise, not for a level, which states what it covers",
                    "distance");
    }
    if (distance < sensitivity || distance > 2.0 * sensitivity) {
      return detail::out_of_range("distance", "from the sensitivity to twice that, or 0",
                                  number_text(distance));
    }
    if (on_integers && distance != std::floor(distance)) {
      return detail::out_of_range("distance", "a whole number for noise on integers",
                                  number_text(distance));
    }
    return {};
  };
  if (auto* fixed = std::get_if<FixedSizeSampler>(&sampler)) {
    if (fixed->batch >= fixed->records) {
      return refuse(
          "batch must be below records; a batch of all records is the noise without a sampler",
          "batch");
    }
    ASSAY_TRY(set_distance(fixed->distance));
    ASSAY_TRY(check_scale(noise, is_level(noise) ? 1.0 : fixed->distance));
  }
  if (auto* drawn = std::get_if<WithReplacementSampler>(&sampler)) {
    if (relation != SampledRelation::kReplaceOne) {
      return refuse(
          "with-replacement needs the relation replace-one: one record more changes how often every other is "
          "drawn. Nearest: with-replacement with replace-one, or fixed-size",
          "relation");
    }
    if (drawn->batch > drawn->records) {
      return refuse("batch must be at most records for with-replacement", "batch");
    }
    ASSAY_TRY(set_distance(drawn->distance));
    const double distance = is_level(noise) ? 1.0 : drawn->distance;
    ASSAY_TRY(check_scale(noise, distance));
    if (!for_copies(noise, distance, 1.0).is_in_range) {
      return refuse(
          "distance must be at most 1000 for noise on integers, and 300 times the scale of discrete-laplace",
          "distance");
    }
  }
  ASSAY_TRY(check_scale(noise, sensitivity));
  const bool is_gaussian =
      std::holds_alternative<GaussianStep>(noise) || std::holds_alternative<GdpStep>(noise);
  if (const auto* poisson = std::get_if<PoissonSampler>(&sampler); poisson && poisson->group > 1) {
    if (!is_gaussian) {
      return refuse(
          "group above 1 with a sampler needs gaussian or gdp. Nearest: the noise with the group and "
          "without the sampler",
          "group");
    }
    ASSAY_TRY(group_pair({noise, sampler, relation}, *poisson, kDefaultLogTail));
  }
  if (const auto* cyclic = std::get_if<CyclicPoissonSampler>(&sampler)) {
    if (cyclic->bands > cyclic->parts) {
      return refuse(
          "bands must be at most parts: a record would be in steps whose columns overlap, which has no "
          "certified bound. Nearest: a matrix of " +
              std::to_string(cyclic->parts) + " bands, or matrix-factorization without a sampler",
          "bands");
    }
    if (cyclic->bands > 1 && !std::holds_alternative<GaussianStep>(noise)) {
      return refuse(
          "bands above 1 needs gaussian: its columns are measured in L2. Nearest: bands 1",
          "bands");
    }
  }
  if (const auto* allocation = std::get_if<AllocationSampler>(&sampler)) {
    if (allocation->passes > 1 && !is_gaussian) {
      return refuse(
          "passes above 1 needs gaussian or gdp: other noise has no single pair for all passes "
          "together. Nearest: batches that are drawn anew, as compositions",
          "passes");
    }
    if (allocation->participations >= allocation->batches) {
      return refuse(
          "participations must be below batches; a record in all of them is the noise without a sampler, "
          "once for each batch",
          "participations");
    }
    // One batch may lose at most about 300 (allocation_loss.hpp).
    const double unit = sensitivity * std::sqrt(static_cast<double>(allocation->passes));
    ASSAY_TRY(check_scale(noise, unit, 0.08));
  }
  if (auto* truncated = std::get_if<TruncatedPoissonSampler>(&sampler)) {
    if (truncated->batch > truncated->records) {
      return refuse("batch must be at most records", "batch");
    }
    if (is_level(noise)) {
      return refuse(
          "truncated-poisson needs noise, not a level: a full batch replaces a record, and one that "
          "is not full adds it. Nearest: poisson, if no batch is cut",
          "sampler");
    }
    ASSAY_TRY(set_distance(truncated->distance));
    ASSAY_TRY(check_scale(noise, truncated->distance));
  }
  return SampledStep{noise, sampler, relation};
}

Result<StepLosses> sampled_losses(const SampledStep& step, const LossAccuracy& accuracy) {
  return std::visit([&](const auto& sampler) { return losses_of(step, sampler, accuracy); },
                    step.sampler);
}

Enclosure sampled_largest_loss(const SampledStep& step, SamplingDirection order) {
  const double sensitivity = sensitivity_of(step.noise);
  return std::visit(
      [&]<class S>(const S& sampler) -> Enclosure {
        if constexpr (std::is_same_v<S, PoissonSampler> ||
                      std::is_same_v<S, CyclicPoissonSampler>) {
          const Enclosure one =
              largest_on_sample(step.noise, step.relation, {sampler.sampling, sensitivity}, order);
          if constexpr (std::is_same_v<S, PoissonSampler>) {  // log P(no record of the group)
            return sampler.group == 1 ? one : one * static_cast<double>(sampler.group);
          }
          return one;
        } else if constexpr (std::is_same_v<S, FixedSizeSampler>) {
          const Inclusion record = fixed_size_inclusion(step.noise, sampler);
          const auto in = [&](SamplingDirection direction) {
            return largest_on_sample(step.noise, SampledRelation::kAddOrRemove, record, direction);
          };
          if (step.relation == SampledRelation::kAddOrRemove) return in(order);
          return larger(in(SamplingDirection::kRemove), in(SamplingDirection::kAdd));
        } else if constexpr (std::is_same_v<S, WithReplacementSampler>) {
          const Enclosure most =
              largest_ratio(step.noise, is_level(step.noise) ? 1.0 : sampler.distance);
          if (std::isinf(most.low)) return kInfinity;
          // Each draw by itself changes the output by at most what it does where all others equal y.
          return log1p(expm1(most) / static_cast<double>(sampler.records)) *
                 static_cast<double>(sampler.batch);
        } else if constexpr (std::is_same_v<S, AllocationSampler>) {
          const Enclosure most = largest_ratio(step.noise, sensitivity) *
                                 static_cast<double>(sampler.participations);  // every x is this
          const bool replaces = step.relation == SampledRelation::kReplaceOne;
          return replaces ? Enclosure{most.low, (most * 2.0).high} : most;
        } else if constexpr (std::is_same_v<S, ShuffleSampler>) {
          return largest_ratio(step.noise, 1.0);  // all users give the same answer
        } else {
          const Truncation truncation = truncation_of(sampler);
          const auto in = [&](SampledRelation relation, const Inclusion& record,
                              SamplingDirection direction) {
            return largest_on_sample(step.noise, relation, record, direction);
          };
          const Inclusion pushing{truncation.pushing, sampler.distance};
          const bool replaces = step.relation == SampledRelation::kReplaceOne;
          using enum SampledRelation;
          using enum SamplingDirection;
          const Enclosure free = in(step.relation, {sampler.sampling, sensitivity}, order);
          const Enclosure full =
              replaces ? larger(in(kAddOrRemove, pushing, kRemove), in(kAddOrRemove, pushing, kAdd))
                       : in(kAddOrRemove, pushing, order);
          const Enclosure least = in(step.relation, {truncation.included_low, sensitivity}, order);
          return {least.low, std::max(free.high, full.high)};
        }
      },
      step.sampler);
}

Known<RenyiDp> sampled_renyi(const SampledStep& step) {
  const Enclosure largest = larger(sampled_largest_loss(step, SamplingDirection::kRemove),
                                   sampled_largest_loss(step, SamplingDirection::kAdd));
  if (std::isfinite(largest.high)) return *to_renyi(PureDp{Epsilon{largest.high}});
  const auto* gaussian = std::get_if<GaussianStep>(&step.noise);
  const bool adds = step.relation == SampledRelation::kAddOrRemove;
  if (gaussian != nullptr && adds) {
    const double sigma_low = (Enclosure(gaussian->sigma) / gaussian->sensitivity).low;
    const auto* poisson = std::get_if<PoissonSampler>(&step.sampler);
    if (poisson != nullptr && poisson->group == 1) {
      return detail::subsampled_renyi(sigma_low, poisson->sampling);
    }
    if (const auto* cyclic = std::get_if<CyclicPoissonSampler>(&step.sampler)) {
      return detail::subsampled_renyi(sigma_low, cyclic->sampling);
    }
    if (const auto* fixed = std::get_if<FixedSizeSampler>(&step.sampler)) {
      const Enclosure share =
          Enclosure(static_cast<double>(fixed->batch)) / static_cast<double>(fixed->records);
      return detail::subsampled_renyi((Enclosure(gaussian->sigma) / fixed->distance).low,
                                      share.high);
    }
  }
  return tl::make_unexpected(Unknown{"no Renyi curve is computed for this sampler and noise"});
}

}  // namespace assay

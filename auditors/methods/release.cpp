#include "assay/auditors/methods/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "assay/auditors/methods/losses.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/auditors/statistics/betting.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr std::array kOrientations = {Orientation::kOldToNew, Orientation::kNewToOld};
// The share of alpha of each statement; they sum to at most 1.
constexpr double kClaimLowerShare = 0.35;
constexpr double kClaimUpperShare = 0.25;
constexpr double kEpsilonLowerShare = 0.2;
constexpr double kEpsilonUpperShare = 0.2;
constexpr int kEpsilonGridPoints = 32;
constexpr int kFinerSteps = 16;

struct BothSides {
  std::vector<ReleasedPlay> from_old;
  std::vector<ReleasedPlay> from_new;
};

// Stopped: what both sides have, without a gap.
BothSides play_both(const PairRelease& release, std::uint64_t seed, std::string_view purpose,
                    Phase phase, std::int64_t count, const RunControl& control) {
  BothSides out;
  const auto size = static_cast<std::size_t>(count);
  out.from_old.resize(size);
  out.from_new.resize(size);
  const std::size_t whole = detail::play_until_stopped(size, control, [&](std::size_t i) {
    for (const Side side : {Side::kOld, Side::kNew}) {
      auto& to = side == Side::kOld ? out.from_old : out.from_new;
      to[i] = release.sample(
          side, ReplayStream({seed, hash_purpose(purpose), i, detail::side_lane(side), phase}));
    }
  });
  out.from_old.resize(whole);
  out.from_new.resize(whole);
  return out;
}

double sign_of(Orientation o) { return o == Orientation::kOldToNew ? 1.0 : -1.0; }

// (1), for either sign of the loss.
double posterior(double loss) {
  return loss >= 0.0 ? 1.0 / (1.0 + portable_exp(-loss))
                     : portable_exp(loss) / (1.0 + portable_exp(loss));
}

// z of (2), rounded down; s and 1 - s in the orientation, growth = e^eps.
double gain(double s, double other, double growth) {
  constexpr double kRounding = 1e-12;
  return s - growth * other - kRounding * (1.0 + growth);
}

// The variable of (3), rounded up.
double excess_above(double loss, double epsilon) {
  const double rounding = 1e-9 * (1.0 + epsilon);
  return loss > epsilon - rounding
             ? std::min(1.0, std::max(0.0, -portable_expm1(epsilon - loss)) + rounding)
             : 0.0;
}

// What is needed of a play: its loss, and what the event is chosen by.
struct ScoredPlay {
  double loss = 0.0;
  double of_old = 0.5;  // s, for either side
  double of_new = 0.5;
  double score = 0.5;  // estimate of E[s | a]

  ScoredPlay(const ReleasedPlay& play, const detail::PosteriorTree& tree)
      : loss(play.loss),
        of_old(posterior(play.loss)),
        of_new(posterior(-play.loss)),
        score(tree(play.actions)) {}
  double gain_of(Orientation o, double growth) const {
    return o == Orientation::kOldToNew ? gain(of_old, of_new, growth)
                                       : gain(of_new, of_old, growth);
  }
};
using ScoredPlays = std::array<std::vector<ScoredPlay>, 2>;  // of the old side, of the new one

ScoredPlays scored(const BothSides& plays, const detail::PosteriorTree& tree) {
  ScoredPlays out;
  for (const auto& play : plays.from_old) out[0].emplace_back(play, tree);
  for (const auto& play : plays.from_new) out[1].emplace_back(play, tree);
  return out;
}

class Certifier {
 public:
  Certifier(double largest_loss, const ReleasePlan& plan, ScoredPlays plays, ScoredPlays training)
      : plan_(plan),
        plays_(std::move(plays)),
        training_(std::move(training)),
        largest_(largest_loss),
        ledger_(AlphaLedger::create(alpha_of(plan.confidence)).value()) {
    const double top = largest_trained();
    for (int i = 0; i < kEpsilonGridPoints; ++i) {
      grid_.push_back(top * i / (kEpsilonGridPoints - 1));
    }
  }

  PairEvidence run() {
    PairEvidence out;
    out.method = "release";
    out.samples = static_cast<std::int64_t>(plays_[0].size());
    out.samples_planned = plan_.samples;
    out.interrupted = out.samples < out.samples_planned;
    const ClaimedQuantity claimed = claimed_quantity(plan_.claim);
    if (claimed.kind == QuantityKind::kDeltaAtEpsilon) {
      out.quantities.push_back(delta_at(claimed.at));
    } else {
      out.quantities.push_back(mu_lower());
    }
    const double delta = claimed.kind == QuantityKind::kDeltaAtEpsilon && claimed.limit > 0.0
                             ? claimed.limit
                             : plan_.delta0.value;
    out.quantities.push_back(epsilon_at(delta));
    out.limits = {
        "A privacy guarantee is a statement about all pairs; this run certifies the pair below.",
        "Upper bounds are those of everything released, of which the actions are a function; they "
        "may lose less.",
        "Bounds are conditional on the losses that the policy reports of its releases."};
    for (const auto& entry : ledger_.entries()) out.ledger.push_back({entry.purpose, entry.alpha});
    return out;
  }

 private:
  double spend(std::string purpose, double share) {
    return ledger_.spend(std::move(purpose), share).value();
  }
  // Guesses of the moments come from the training plays, and affect width alone.
  BettingPlan bets(double alpha, const std::vector<double>& trained) const {
    const auto n = static_cast<double>(std::max<std::size_t>(trained.size(), 1));
    double mean = 0.0, square = 0.0;
    for (const double value : trained) mean += value / n;
    for (const double value : trained) square += (value - mean) * (value - mean) / n;
    return {alpha, static_cast<std::int64_t>(plays_[0].size()), mean, square};
  }
  std::string note(double alpha) const {
    return fmt::format("{} plays a side, alpha = {:.3g}", plays_[0].size(), alpha);
  }

  // What is added to the pairs' values of (2) so that they are at least 0.
  double shift(double epsilon) const {
    return std::max(0.0,
                    -2.0 * gain(posterior(-largest_), posterior(largest_), portable_exp(epsilon)));
  }

  // (2) of each pair of plays, and the shift; the event is the one for this eps.
  std::vector<double> values(const ScoredPlays& plays, Orientation o, double epsilon) const {
    const double least = posterior(epsilon);  // e^eps/(1 + e^eps)
    const double growth = portable_exp(epsilon);
    std::vector<double> out(plays[0].size(), shift(epsilon));
    for (const auto& side : plays) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double score = o == Orientation::kOldToNew ? side[i].score : 1.0 - side[i].score;
        if (score > least) out[i] += side[i].gain_of(o, growth);
      }
    }
    for (double& value : out) value = std::max(value, 0.0);  // rounding alone is below
    return out;
  }

  // The variable of (3), of the side that the orientation starts from.
  std::vector<double> excesses(const ScoredPlays& plays, Orientation o, double epsilon) const {
    std::vector<double> out;
    for (const auto& play : plays[o == Orientation::kOldToNew ? 0 : 1]) {
      out.push_back(excess_above(sign_of(o) * play.loss, epsilon));
    }
    return out;
  }

  // Among the finite losses of the training plays.
  double largest_trained() const {
    double largest = 1e-3;
    for (const auto& side : training_) {
      for (const auto& play : side) {
        if (std::isfinite(play.loss)) largest = std::max(largest, std::fabs(play.loss));
      }
    }
    return largest;
  }

  // What a bound on a mean is expected to be, from training plays.
  double expected_lower(Orientation o, double epsilon, double alpha) const {
    const auto plan = bets(alpha, values(training_, o, epsilon));
    return plan.design_mean - shift(epsilon) - margin(plan, shift(epsilon));
  }
  double expected_upper(Orientation o, double epsilon, double alpha) const {
    const auto plan = bets(alpha, excesses(training_, o, epsilon));
    return plan.design_mean + margin(plan, 1.0);
  }
  // What a few plays of at most `range` could take back.
  static double margin(const BettingPlan& plan, double range) {
    const double n = static_cast<double>(std::max<std::int64_t>(plan.horizon, 1));
    return 4.0 * std::sqrt(plan.design_variance / n) + 12.0 * range / n;
  }

  // The grid, with finer steps around the first point that is not `low`.
  template <class Predicate>
  std::vector<double> refined(const Predicate& low) const {
    std::size_t first = 0;
    while (first + 1 < grid_.size() && low(grid_[first])) ++first;
    std::vector<double> out;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      out.push_back(grid_[i]);
      if (i + 2 < first || i > first || i + 1 == grid_.size()) continue;
      for (int k = 1; k < kFinerSteps; ++k) {
        out.push_back(grid_[i] + (grid_[i + 1] - grid_[i]) * k / kFinerSteps);
      }
    }
    return out;
  }

  LowerBound<Mean> lower_mean(Orientation o, double epsilon, double alpha) const {
    return mean_lower_bound(values(plays_, o, epsilon), bets(alpha, values(training_, o, epsilon)));
  }

  ReportedQuantity delta_at(double epsilon) {
    ReportedQuantity q{QuantityKind::kDeltaAtEpsilon, epsilon, {}, {1.0, Evidence::kNone, ""}};
    const double low =
        spend("delta at the claimed eps, lower, 2 orientations", kClaimLowerShare) / 2.0;
    const double high =
        spend("delta at the claimed eps, upper, 2 orientations", kClaimUpperShare) / 2.0;
    double upper = 0.0;
    for (const auto o : kOrientations) {
      const double lower = lower_mean(o, epsilon, low).value.value - shift(epsilon);
      if (lower > q.lower.value) q.lower = {lower, Evidence::kSampling, note(low)};
      upper = std::max(upper, mean_upper_bound(excesses(plays_, o, epsilon), 1.0,
                                               bets(high, excesses(training_, o, epsilon)))
                                  .value.value);
    }
    if (epsilon >= largest_) upper = 0.0;
    if (upper < 1.0) q.upper = {upper, Evidence::kSampling, note(high)};
    return q;
  }

  // The mu that delta at one eps forces.
  ReportedQuantity mu_lower() {
    ReportedQuantity q{
        QuantityKind::kMu, 0.0, {}, {std::numeric_limits<double>::infinity(), Evidence::kNone, ""}};
    const double low = spend("mu, lower, 2 orientations", kClaimLowerShare) / 2.0;
    for (const auto o : kOrientations) {
      double most = 0.0, at = 0.0;
      for (const double e : grid_) {
        const double mean = expected_lower(o, e, low);
        const double mu = mean > 0.0 ? gdp_mu(Epsilon{e}, Delta{std::min(mean, 0.999)}).value : 0.0;
        if (mu > most) {
          most = mu;
          at = e;
        }
      }
      const double delta = lower_mean(o, at, low).value.value - shift(at);
      if (!(delta > 0.0)) continue;
      const double mu = gdp_mu_lower(Epsilon{at}, portable_log(std::min(delta, 0.999))).value.value;
      if (mu > q.lower.value) q.lower = {mu, Evidence::kSampling, note(low)};
    }
    return q;
  }

  // Tests in a fixed order: "delta(eps) <= delta" true at one point is true at all larger ones. Training
  // plays choose the points.
  ReportedQuantity epsilon_at(double delta) {
    ReportedQuantity q{QuantityKind::kEpsilonAtDelta,
                       delta,
                       {},
                       {std::numeric_limits<double>::infinity(), Evidence::kNone, ""}};
    const double low = spend(fmt::format("eps at delta = {:.3g}, lower, 2 orientations", delta),
                             kEpsilonLowerShare) /
                       2.0;
    const double high = spend(fmt::format("eps at delta = {:.3g}, upper, 2 orientations", delta),
                              kEpsilonUpperShare) /
                        2.0;
    double upper = 0.0;
    for (const auto o : kOrientations) {
      const auto rising = refined([&](double e) { return expected_lower(o, e, low) > delta; });
      for (const double e : rising) {
        MeanExceedsTest test(delta + shift(e), bets(low, values(training_, o, e)));
        test.observe(values(plays_, o, e));
        if (!test.certified()) break;
        if (e > q.lower.value) q.lower = {e, Evidence::kSampling, note(low)};
      }
      double certified = std::numeric_limits<double>::infinity();
      const auto falling = refined([&](double e) { return expected_upper(o, e, high) >= delta; });
      for (auto e = falling.rbegin(); e != falling.rend() && delta > 0.0; ++e) {
        MeanBelowTest test(delta, 1.0, bets(high, excesses(training_, o, *e)));
        test.observe(excesses(plays_, o, *e));
        if (!test.certified()) break;
        certified = *e;
      }
      upper = std::max(upper, certified);
    }
    if (largest_ < upper) upper = largest_;
    if (upper < q.upper.value) q.upper = {upper, Evidence::kSampling, note(high)};
    return q;
  }

  const ReleasePlan& plan_;
  ScoredPlays plays_;
  ScoredPlays training_;
  double largest_;
  AlphaLedger ledger_;
  std::vector<double> grid_;
};

}  // namespace

detail::PosteriorTree::PosteriorTree(const std::vector<ReleasedPlay>& from_old,
                                     const std::vector<ReleasedPlay>& from_new) {
  constexpr std::size_t kLeast = 16;
  constexpr double kPrior = 8.0;  // plays that a parent's estimate counts for
  struct Member {
    const std::vector<int>* actions;
    double s;
  };
  std::vector<Member> members;
  for (const auto* side : {&from_old, &from_new}) {
    for (const auto& play : *side) members.push_back({&play.actions, posterior(play.loss)});
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return *a.actions < *b.actions; });
  // Sorted, those that share a beginning are neighbours.
  struct Task {
    std::int32_t node;
    std::size_t begin, end, depth;
  };
  nodes_.emplace_back();
  std::vector<Task> open{{0, 0, members.size(), 0}};
  while (!open.empty()) {
    const Task task = open.back();
    open.pop_back();
    for (std::size_t i = task.begin; i < task.end;) {
      if (members[i].actions->size() <= task.depth) {
        ++i;
        continue;
      }
      const int action = (*members[i].actions)[task.depth];
      std::size_t end = i;
      double sum = 0.0;
      while (end < task.end && members[end].actions->size() > task.depth &&
             (*members[end].actions)[task.depth] == action) {
        sum += members[end++].s;
      }
      const auto count = static_cast<double>(end - i);
      if (end - i >= kLeast) {
        const auto child = static_cast<std::int32_t>(nodes_.size());
        const double parent = nodes_[static_cast<std::size_t>(task.node)].estimate;
        nodes_.push_back({(sum + kPrior * parent) / (count + kPrior), {}});
        nodes_[static_cast<std::size_t>(task.node)].next.emplace_back(action, child);
        open.push_back({child, i, end, task.depth + 1});
      }
      i = end;
    }
  }
}

double detail::PosteriorTree::operator()(const std::vector<int>& actions) const {
  const Node* at = &nodes_[0];
  for (const int action : actions) {
    const auto next =
        std::lower_bound(at->next.begin(), at->next.end(), action,
                         [](const auto& entry, int key) { return entry.first < key; });
    if (next == at->next.end() || next->first != action) break;
    at = &nodes_[static_cast<std::size_t>(next->second)];
  }
  return at->estimate;
}

double detail::leak_of_actions(const PairRelease& release, const PrivacyLevel& claim,
                               std::uint64_t seed, std::int64_t count, const RunControl& control) {
  BothSides first = play_both(release, seed, "release/search", Phase::kSearch, count, control);
  BothSides rest;
  for (auto* side : {&first.from_old, &first.from_new}) {
    const auto half = side->begin() + static_cast<std::ptrdiff_t>(side->size() / 2);
    auto& to = side == &first.from_old ? rest.from_old : rest.from_new;
    to.assign(std::make_move_iterator(half), std::make_move_iterator(side->end()));
    side->erase(half, side->end());
  }
  const ScoredPlays plays = scored(rest, PosteriorTree(first.from_old, first.from_new));
  const double n = static_cast<double>(std::max<std::size_t>(plays[0].size(), 1));
  const ClaimedQuantity claimed = claimed_quantity(claim);
  const double epsilon = claimed.kind == QuantityKind::kDeltaAtEpsilon ? claimed.at : 0.0;
  const double growth = portable_exp(epsilon);
  double forward = 0.0, backward = 0.0, told = 0.0;
  for (const auto& side : plays) {
    for (const ScoredPlay& play : side) {
      if (play.score > posterior(epsilon))
        forward += play.gain_of(Orientation::kOldToNew, growth) / n;
      if (1.0 - play.score > posterior(epsilon))
        backward += play.gain_of(Orientation::kNewToOld, growth) / n;
      told += (play.score - 0.5) * (play.of_old - 0.5) / n;
    }
  }
  const double leak = std::max(forward, backward);
  return leak > 0.0 ? leak : std::min(told - 1.0, 0.0);
}

Result<PairEvidence> audit_by_release(const PairRelease& release, const ReleasePlan& plan,
                                      const RunControl& control) {
  const auto training =
      play_both(release, plan.seed, "release/training", Phase::kPilot, plan.training, control);
  if (static_cast<std::int64_t>(training.from_old.size()) < plan.training) {
    return tl::make_unexpected(detail::stopped_error());
  }
  const auto plays =
      play_both(release, plan.seed, "release/certify", Phase::kCertify,
                std::min(plan.samples, plan.stop_after.value_or(plan.samples)), control);
  const detail::PosteriorTree tree(training.from_old, training.from_new);
  return Certifier(release.largest_loss(), plan, scored(plays, tree), scored(training, tree)).run();
}

}  // namespace assay

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

// The share of alpha of each statement; they sum to at most 1.
constexpr double kClaimLowerShare = 0.35;
constexpr double kClaimUpperShare = 0.25;
constexpr double kEpsilonLowerShare = 0.2;
constexpr double kEpsilonUpperShare = 0.2;
constexpr int kEpsilonGridPoints = 32;
constexpr int kFinerSteps = 16;

struct BothSides {
  std::vector<ReleasedPlay> from_base;
  std::vector<ReleasedPlay> from_neighbour;
};

constexpr int kPlain = -1;  // the tilt of runs that are not tilted
constexpr std::size_t kBatch = 1 << 14;

// If stopped: the runs that both inputs have, without a gap. Memory grows with the runs made, not with `count`.
BothSides play_both(const PairRelease& release, int tilt, std::uint64_t seed,
                    std::string_view purpose, Phase phase, std::int64_t count,
                    const RunControl& control) {
  BothSides out;
  const std::uint64_t named = hash_purpose(purpose) + static_cast<std::uint64_t>(tilt - kPlain);
  const auto size = static_cast<std::size_t>(count);
  std::size_t whole = 0;  // where the next batch starts, unless it was stopped
  for (std::size_t first = 0; first < size && whole == first; first += kBatch) {
    const std::size_t end = std::min(first + kBatch, size);
    auto runs = detail::values_until_stopped(end - first, control, [&](std::size_t k) {
      const auto from = [&](Side side) {
        const ReplayStream random({seed, named, first + k, detail::side_lane(side), phase});
        return tilt == kPlain ? release.sample(side, random)
                              : release.sample_tilted(tilt, side, random);
      };
      auto from_base = from(Side::kBase);
      return std::pair(std::move(from_base), from(Side::kNeighbour));
    });
    for (auto& [from_base, from_neighbour] : runs) {
      out.from_base.push_back(std::move(from_base));
      out.from_neighbour.push_back(std::move(from_neighbour));
    }
    whole = first + runs.size() == end ? end : 0;
  }
  return out;
}

double sign_of(Orientation o) { return o == Orientation::kBaseToNeighbour ? 1.0 : -1.0; }

// (1), for either sign of the loss.
double posterior(double loss) {
  return loss >= 0.0 ? 1.0 / (1.0 + portable_exp(-loss))
                     : portable_exp(loss) / (1.0 + portable_exp(loss));
}

// z of (2), or v of (4), rounded down. The arguments are s and 1 - s in the orientation, times the weight, and their
// largest values; growth = e^eps.
double gain(double s, double other, double growth, double most = 1.0, double most_other = 1.0) {
  constexpr double kRounding = 1e-12;
  return s - growth * other - kRounding * (most + growth * most_other);
}

// The variable of (3), rounded up.
double excess_above(double loss, double epsilon) {
  const double rounding = 1e-9 * (1.0 + epsilon);
  return loss > epsilon - rounding
             ? std::min(1.0, std::max(0.0, -portable_expm1(epsilon - loss)) + rounding)
             : 0.0;
}

// The values of a run that one orientation needs.
struct Seen {
  double s = 0.5;  // times the weight
  double other = 0.5;
  double most = 1.0;
  double most_other = 1.0;
  double score = 0.5;  // estimates of E[s | a], E[1 - s | a]
  double other_score = 0.5;

  bool in_event(double growth) const { return score > growth * other_score; }
  double gain_at(double growth) const { return gain(s, other, growth, most, most_other); }
};

// The loss of a run, and the scores that choose the event.
struct ScoredPlay {
  double loss = 0.0;
  Seen forward, backward;  // D to D', D' to D

  ScoredPlay(const ReleasedPlay& play, const detail::PosteriorTree& tree) : loss(play.loss) {
    const auto score = tree(play.actions);
    const double of_base = play.weight * posterior(play.loss);
    const double of_neighbour = play.weight * posterior(-play.loss);
    forward = {of_base,       of_neighbour,      play.most_base, play.most_neighbour,
               score.of_base, score.of_neighbour};
    backward = {of_neighbour,       of_base,      play.most_neighbour, play.most_base,
                score.of_neighbour, score.of_base};
  }
  const Seen& in(Orientation o) const {
    return o == Orientation::kBaseToNeighbour ? forward : backward;
  }
};
using ScoredRuns = std::array<std::vector<ScoredPlay>, 2>;  // on D, on D'

ScoredRuns scored(const BothSides& runs, const detail::PosteriorTree& tree) {
  ScoredRuns out;
  for (const auto& play : runs.from_base) out[0].emplace_back(play, tree);
  for (const auto& play : runs.from_neighbour) out[1].emplace_back(play, tree);
  return out;
}

// Runs from one pair of distributions, plain or tilted: those that chose the events, and those that certify.
struct PlaySet {
  int tilt = kPlain;
  detail::PosteriorTree tree;
  ScoredRuns training;
  std::int64_t horizon = 0;  // runs on each input that certify, at first the planned number
  ScoredRuns runs;

  PlaySet(int its_tilt, const BothSides& trained, std::int64_t planned)
      : tilt(its_tilt),
        // Weighted means of tilted runs differ between the inputs by e^eps, so none is shrunk.
        tree(trained.from_base, trained.from_neighbour, its_tilt == kPlain ? 8.0 : 0.0),
        training(scored(trained, tree)),
        horizon(planned) {}
  void certify_with(const BothSides& from) {
    runs = scored(from, tree);
    horizon = static_cast<std::int64_t>(runs[0].size());
  }
};

class Certifier {
 public:
  // The plain runs come first in `sets`.
  Certifier(double largest_loss, const ReleasePlan& plan, std::vector<PlaySet> sets)
      : plan_(plan),
        sets_(std::move(sets)),
        largest_(largest_loss),
        ledger_(AlphaLedger::create(alpha_of(plan.confidence)).value()) {}

  // The tilts for which training runs predict better bounds than for plain runs, before any run certifies.
  std::vector<PlaySet*> choose_tilts() {
    if (sets_.size() == 1) return {};
    const ClaimedQuantity claimed = claimed_quantity(plan_.claim);
    for (const auto o : kOrientations) {
      double most_delta = 0.0, most_epsilon = 0.0;
      for (std::size_t k = 0; k < sets_.size(); ++k) {
        const auto lower_at = [&](double e, double share) {
          return expected_lower(sets_[k], o, e, share * alpha_of(plan_.confidence) / 2.0);
        };
        const double delta = lower_at(claimed.at, kClaimLowerShare);
        if (delta > most_delta) {
          most_delta = delta;
          for_delta_[index_of(o)] = k;
        }
        double epsilon = 0.0;
        for (const double e : grid(sets_[k])) {
          if (!(lower_at(e, kEpsilonLowerShare) > delta_of_level())) break;
          epsilon = e;
        }
        if (epsilon > most_epsilon) {
          most_epsilon = epsilon;
          for_epsilon_[index_of(o)] = k;
        }
      }
    }
    std::vector<PlaySet*> chosen;
    for (std::size_t k = 1; k < sets_.size(); ++k) {
      for (const auto& by : {for_delta_, for_epsilon_}) {
        if (by[0] != k && by[1] != k) continue;
        chosen.push_back(&sets_[k]);
        break;
      }
    }
    return chosen;
  }
  PlaySet& plain() { return sets_[0]; }
  // Reproducing a stopped run uses the plain runs alone, so the run itself does too.
  void cut_tilts() {
    for_delta_ = for_epsilon_ = {0, 0};
    sets_.erase(sets_.begin() + 1, sets_.end());
    cut_ = true;
  }

  PairEvidence run() {
    PairEvidence out;
    out.method = "release";
    out.samples = sets_[0].horizon;
    out.samples_planned = plan_.samples;
    out.interrupted = cut_ || out.samples < out.samples_planned;
    for (std::size_t k = 1; k < sets_.size(); ++k) {
      out.tilted_samples += 2 * static_cast<std::int64_t>(sets_[k].runs[0].size());
    }
    const ClaimedQuantity claimed = claimed_quantity(plan_.claim);
    if (claimed.kind == QuantityKind::kDeltaAtEpsilon) {
      out.quantities.push_back(delta_at(claimed.at));
    } else {
      out.quantities.push_back(mu_lower());
    }
    out.quantities.push_back(epsilon_at(delta_of_level()));
    out.limits = {
        "A privacy guarantee is a statement about all pairs; this run certifies the worst pair "
        "found.",
        "Upper bounds are those of the whole release, of which the actions are a function. The "
        "actions may lose less.",
        "Bounds are conditional on the losses that the policy reports of its releases."};
    for (const auto& entry : ledger_.entries()) out.ledger.push_back({entry.purpose, entry.alpha});
    return out;
  }

 private:
  double delta_of_level() const { return reported_delta(plan_); }
  double spend(std::string purpose, double share) {
    return ledger_.spend(std::move(purpose), share).value();
  }
  // The training runs give guesses of the moments, which affect width alone.
  static BettingPlan bets(const PlaySet& set, double alpha, const std::vector<double>& trained) {
    const auto n = static_cast<double>(std::max<std::size_t>(trained.size(), 1));
    double mean = 0.0, square = 0.0;
    for (const double value : trained) mean += value / n;
    for (const double value : trained) square += (value - mean) * (value - mean) / n;
    return {alpha, set.horizon, mean, square};
  }
  static std::string note(const PlaySet& set, double alpha) {
    return fmt::format("{}{} runs on each input, alpha = {:.3g}", set.horizon,
                       set.tilt == kPlain ? "" : " tilted", alpha);
  }

  // The limits that define the event for this eps, and the shift that makes the values of pairs of runs at
  // least 0.
  struct Event {
    double growth = 1.0;
    double most = 1.0;  // A leaves out actions above these
    double most_other = 1.0;
    double shift = 0.0;

    bool holds(const Seen& seen) const {
      return seen.in_event(growth) && seen.most <= most && seen.most_other <= most_other;
    }
  };
  Event event_at(const PlaySet& set, Orientation o, double epsilon) const {
    Event event{portable_exp(epsilon)};
    if (set.tilt == kPlain) {
      event.shift =
          std::max(0.0, -2.0 * gain(posterior(-largest_), posterior(largest_), event.growth));
      return event;
    }
    event.most = event.most_other = 0.0;
    for (const auto& side : set.training) {
      for (const auto& play : side) {
        const Seen& seen = play.in(o);
        if (!seen.in_event(event.growth) || !std::isfinite(seen.most + seen.most_other)) continue;
        event.most = std::max(event.most, seen.most);
        event.most_other = std::max(event.most_other, seen.most_other);
      }
    }
    event.shift = -2.0 * (1.0 + 1e-9) *
                  gain(0.0, event.most_other, event.growth, event.most, event.most_other);
    return event;
  }

  // (2), or (4), of each pair of runs, plus the shift.
  static std::vector<double> values(const ScoredRuns& runs, Orientation o, const Event& event) {
    std::vector<double> out(runs[0].size(), event.shift);
    for (const auto& side : runs) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Seen& seen = side[i].in(o);
        if (event.holds(seen)) out[i] += seen.gain_at(event.growth);
      }
    }
    for (double& value : out) value = std::max(value, 0.0);  // only rounding is below 0
    return out;
  }

  // The variable of (3), on the input from which the orientation starts.
  std::vector<double> excesses(const ScoredRuns& runs, Orientation o, double epsilon) const {
    std::vector<double> out;
    for (const auto& play : runs[index_of(o)]) {
      out.push_back(excess_above(sign_of(o) * play.loss, epsilon));
    }
    return out;
  }

  // Reaches up to the largest finite loss of the training runs, or, if some are infinite, up to the loss that
  // the number of runs could show.
  static std::vector<double> grid(const PlaySet& set) {
    double largest = 1e-3;
    for (const auto& side : set.training) {
      for (const auto& play : side) {
        const double loss =
            std::isfinite(play.loss)
                ? std::fabs(play.loss)
                : portable_log(static_cast<double>(std::max<std::int64_t>(set.horizon, 2)));
        largest = std::max(largest, loss);
      }
    }
    std::vector<double> out;
    for (int i = 0; i < kEpsilonGridPoints; ++i) {
      out.push_back(largest * i / (kEpsilonGridPoints - 1));
    }
    return out;
  }

  // The expected bound on a mean, from training runs.
  double expected_lower(const PlaySet& set, Orientation o, double epsilon, double alpha) const {
    const Event event = event_at(set, o, epsilon);
    const auto plan = bets(set, alpha, values(set.training, o, event));
    return plan.design_mean - event.shift - margin(plan, event.shift);
  }
  double expected_upper(Orientation o, double epsilon, double alpha) const {
    const auto plan = bets(sets_[0], alpha, excesses(sets_[0].training, o, epsilon));
    return plan.design_mean + margin(plan, 1.0);
  }
  // How much a few runs of at most `range` could reduce a bound.
  static double margin(const BettingPlan& plan, double range) {
    const double n = static_cast<double>(std::max<std::int64_t>(plan.horizon, 1));
    return 4.0 * std::sqrt(plan.design_variance / n) + 12.0 * range / n;
  }

  // The grid, with finer steps around the first point that is not `low`.
  template <class Predicate>
  static std::vector<double> refined(const PlaySet& set, const Predicate& low) {
    const auto points = grid(set);
    std::size_t first = 0;
    while (first + 1 < points.size() && low(points[first])) ++first;
    std::vector<double> out;
    for (std::size_t i = 0; i < points.size(); ++i) {
      out.push_back(points[i]);
      if (i + 2 < first || i > first || i + 1 == points.size()) continue;
      for (int k = 1; k < kFinerSteps; ++k) {
        out.push_back(points[i] + (points[i + 1] - points[i]) * k / kFinerSteps);
      }
    }
    return out;
  }

  double certified_lower(const PlaySet& set, Orientation o, double epsilon, double alpha) const {
    const Event event = event_at(set, o, epsilon);
    return mean_lower_bound(values(set.runs, o, event),
                            bets(set, alpha, values(set.training, o, event)))
               .value.value -
           event.shift;
  }

  ReportedQuantity delta_at(double epsilon) {
    ReportedQuantity q{QuantityKind::kDeltaAtEpsilon, epsilon, {}, {1.0, Evidence::kNone, ""}};
    const double low =
        spend("delta at the claimed eps, lower, 2 orientations", kClaimLowerShare) / 2.0;
    const double high =
        spend("delta at the claimed eps, upper, 2 orientations", kClaimUpperShare) / 2.0;
    const PlaySet& plain = sets_[0];
    double upper = 0.0;
    for (const auto o : kOrientations) {
      const PlaySet& set = sets_[for_delta_[index_of(o)]];
      const double lower = certified_lower(set, o, epsilon, low);
      if (lower > q.lower.value) q.lower = {lower, Evidence::kSampling, note(set, low)};
      upper =
          std::max(upper, mean_upper_bound(excesses(plain.runs, o, epsilon), 1.0,
                                           bets(plain, high, excesses(plain.training, o, epsilon)))
                              .value.value);
    }
    if (epsilon >= largest_) upper = 0.0;
    if (upper < 1.0) q.upper = {upper, Evidence::kSampling, note(plain, high)};
    return q;
  }

  // The mu that delta at one eps implies.
  ReportedQuantity mu_lower() {
    ReportedQuantity q = unbounded(QuantityKind::kMu, 0.0);
    const PlaySet& plain = sets_[0];
    const double low = spend("mu, lower, 2 orientations", kClaimLowerShare) / 2.0;
    for (const auto o : kOrientations) {
      double most = 0.0, at = 0.0;
      for (const double e : grid(plain)) {
        const double mean = expected_lower(plain, o, e, low);
        const double mu = mean > 0.0 ? gdp_mu(Epsilon{e}, Delta{std::min(mean, 0.999)}).value : 0.0;
        if (mu > most) {
          most = mu;
          at = e;
        }
      }
      const double delta = certified_lower(plain, o, at, low);
      if (!(delta > 0.0)) continue;
      const double mu = gdp_mu_lower(Epsilon{at}, portable_log(std::min(delta, 0.999))).value.value;
      if (mu > q.lower.value) q.lower = {mu, Evidence::kSampling, note(plain, low)};
    }
    return q;
  }

  // Tests in a fixed order: if "delta(eps) <= delta" is true at one point, it is true at all larger ones. The
  // training runs choose the points.
  ReportedQuantity epsilon_at(double delta) {
    ReportedQuantity q = unbounded(QuantityKind::kEpsilonAtDelta, delta);
    const double low = spend(fmt::format("eps at delta = {:.3g}, lower, 2 orientations", delta),
                             kEpsilonLowerShare) /
                       2.0;
    const double high = spend(fmt::format("eps at delta = {:.3g}, upper, 2 orientations", delta),
                              kEpsilonUpperShare) /
                        2.0;
    const PlaySet& plain = sets_[0];
    double upper = 0.0;
    for (const auto o : kOrientations) {
      const PlaySet& set = sets_[for_epsilon_[index_of(o)]];
      const auto rising =
          refined(set, [&](double e) { return expected_lower(set, o, e, low) > delta; });
      for (const double e : rising) {
        const Event event = event_at(set, o, e);
        MeanExceedsTest test(delta + event.shift, bets(set, low, values(set.training, o, event)));
        test.observe(values(set.runs, o, event));
        if (!test.certified()) break;
        if (e > q.lower.value) q.lower = {e, Evidence::kSampling, note(set, low)};
      }
      double certified = std::numeric_limits<double>::infinity();
      const auto falling =
          refined(plain, [&](double e) { return expected_upper(o, e, high) >= delta; });
      for (auto e = falling.rbegin(); e != falling.rend() && delta > 0.0; ++e) {
        MeanBelowTest test(delta, 1.0, bets(plain, high, excesses(plain.training, o, *e)));
        test.observe(excesses(plain.runs, o, *e));
        if (!test.certified()) break;
        certified = *e;
      }
      upper = std::max(upper, certified);
    }
    if (largest_ < upper) upper = largest_;
    if (upper < q.upper.value) q.upper = {upper, Evidence::kSampling, note(plain, high)};
    return q;
  }

  const ReleasePlan& plan_;
  std::vector<PlaySet> sets_;
  std::array<std::size_t, 2> for_delta_{0, 0};  // of sets_, by orientation
  std::array<std::size_t, 2> for_epsilon_{0, 0};
  double largest_;
  AlphaLedger ledger_;
  bool cut_ = false;
};

}  // namespace

detail::PosteriorTree::PosteriorTree(const std::vector<ReleasedPlay>& from_base,
                                     const std::vector<ReleasedPlay>& from_neighbour,
                                     double prior) {
  constexpr std::size_t kLeast = 16;
  struct Member {
    const std::vector<int>* actions;
    double of_base, of_neighbour;
  };
  std::vector<Member> members;
  for (const auto* side : {&from_base, &from_neighbour}) {
    for (const auto& play : *side) {
      members.push_back(
          {&play.actions, play.weight * posterior(play.loss), play.weight * posterior(-play.loss)});
    }
  }
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return *a.actions < *b.actions; });
  // In sorted order, runs with a common beginning are adjacent.
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
      double base_sum = 0.0, neighbour_sum = 0.0;
      while (end < task.end && members[end].actions->size() > task.depth &&
             (*members[end].actions)[task.depth] == action) {
        base_sum += members[end].of_base;
        neighbour_sum += members[end++].of_neighbour;
      }
      const auto count = static_cast<double>(end - i);
      if (end - i >= kLeast) {
        const auto child = static_cast<std::int32_t>(nodes_.size());
        const Estimate parent = nodes_[static_cast<std::size_t>(task.node)].estimate;
        nodes_.push_back({{(base_sum + prior * parent.of_base) / (count + prior),
                           (neighbour_sum + prior * parent.of_neighbour) / (count + prior)},
                          {}});
        nodes_[static_cast<std::size_t>(task.node)].next.emplace_back(action, child);
        open.push_back({child, i, end, task.depth + 1});
      }
      i = end;
    }
  }
}

detail::PosteriorTree::Estimate detail::PosteriorTree::operator()(
    const std::vector<int>& actions) const {
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

bool detail::wants_tilts(const PairRelease& release, const AuditTerms& terms,
                         std::int64_t samples) {
  constexpr double kFew = 20.0;
  return release.tilts() > 0 &&
         claimed_quantity(terms.claim).kind == QuantityKind::kDeltaAtEpsilon &&
         reported_delta(terms) * static_cast<double>(samples) < kFew;
}

double detail::leak_of_actions(const PairRelease& release, const PrivacyLevel& claim,
                               std::uint64_t seed, std::int64_t count, bool tilted,
                               const RunControl& control) {
  const ClaimedQuantity claimed = claimed_quantity(claim);
  const double epsilon = claimed.kind == QuantityKind::kDeltaAtEpsilon ? claimed.at : 0.0;
  const double growth = portable_exp(epsilon);
  double leak = 0.0, told = 0.0;
  for (int tilt = kPlain; tilt < (tilted ? release.tilts() : 0); ++tilt) {
    BothSides first =
        play_both(release, tilt, seed, "release/search", Phase::kSearch, count, control);
    BothSides rest;
    for (auto* side : {&first.from_base, &first.from_neighbour}) {
      const auto half = side->begin() + static_cast<std::ptrdiff_t>(side->size() / 2);
      auto& to = side == &first.from_base ? rest.from_base : rest.from_neighbour;
      to.assign(std::make_move_iterator(half), std::make_move_iterator(side->end()));
      side->erase(half, side->end());
    }
    PlaySet set(tilt, first, count);
    set.certify_with(rest);
    const double n = static_cast<double>(std::max<std::size_t>(set.runs[0].size(), 1));
    for (const auto o : kOrientations) {
      double sum = 0.0, squares = 0.0;
      for (const auto& side : set.runs) {
        for (const ScoredPlay& play : side) {
          const Seen& seen = play.in(o);
          if (!seen.in_event(growth) || !std::isfinite(seen.most_other)) continue;
          const double value = seen.gain_at(growth) / n;
          sum += value;
          squares += value * value;
        }
      }
      // Estimates vary in size, so count only the part that noise does not explain.
      leak = std::max(leak, tilted ? sum - 2.0 * std::sqrt(squares) : sum);
    }
    if (tilt != kPlain) continue;
    for (const auto& side : set.runs) {
      for (const ScoredPlay& play : side) {
        told += (play.forward.score - 0.5) * (play.forward.s - 0.5) / n;
      }
    }
  }
  return leak > 0.0 ? leak : std::min(told - 1.0, 0.0);
}

Result<PairEvidence> audit_by_release(const PairRelease& release, const ReleasePlan& plan,
                                      const RunControl& control) {
  const auto train = [&](int tilt) {
    return play_both(release, tilt, plan.seed, "release/training", Phase::kPilot, plan.training,
                     control);
  };
  const auto trained = train(kPlain);
  if (static_cast<std::int64_t>(trained.from_base.size()) < plan.training) {
    return tl::make_unexpected(detail::stopped_error());
  }
  std::vector<PlaySet> sets{{kPlain, trained, plan.samples}};
  const bool with_tilts = detail::wants_tilts(release, plan, plan.samples);
  for (int tilt = 0; with_tilts && !plan.stop_after && tilt < release.tilts(); ++tilt) {
    sets.emplace_back(tilt, train(tilt), plan.samples);
  }
  Certifier certifier(release.largest_loss(), plan, std::move(sets));
  const auto tilted = certifier.choose_tilts();
  const auto certify = [&](PlaySet& set, std::int64_t count) {
    set.certify_with(play_both(release, set.tilt, plan.seed, "release/certify", Phase::kCertify,
                               count, control));
    return set.horizon == count;
  };
  certify(certifier.plain(), std::min(plan.samples, plan.stop_after.value_or(plan.samples)));
  bool is_whole = !(with_tilts && plan.stop_after);
  for (PlaySet* set : tilted) {
    is_whole = is_whole && certify(*set, plan.samples / static_cast<std::int64_t>(tilted.size()));
  }
  if (!is_whole) certifier.cut_tilts();
  return certifier.run();
}

}  // namespace assay

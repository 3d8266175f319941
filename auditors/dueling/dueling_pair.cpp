#include "assay/auditors/dueling/dueling_pair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Both inputs, with a byte for each outcome.
class Outcomes {
 public:
  static Result<Outcomes> create(std::int64_t arms, std::int64_t horizon, const InputPair& pair) {
    ASSAY_TRY(check_input(duel_shape(arms, horizon), pair.base_input()));
    ASSAY_TRY(check_input(duel_shape(arms, 1), InputTable::one_row({pair.neighbour_row().begin(),
                                                                    pair.neighbour_row().end()})));
    return Outcomes(arms, pair);
  }

  std::int64_t changed_row() const { return changed_; }
  bool of(Side side, std::int64_t round, const Duel& duel) const {
    const std::size_t place =
        static_cast<std::size_t>(duel.first) * arms_ + static_cast<std::size_t>(duel.second);
    if (round == changed_ && side == Side::kNeighbour) return changed_to_[place] != 0;
    return outcomes_[static_cast<std::size_t>(round) * arms_ * arms_ + place] != 0;
  }
  // D' minus D, in the changed round.
  int difference(const Duel& duel) const {
    return static_cast<int>(of(Side::kNeighbour, changed_, duel)) -
           static_cast<int>(of(Side::kBase, changed_, duel));
  }

 private:
  Outcomes(std::int64_t arms, const InputPair& pair)
      : arms_(static_cast<std::size_t>(arms)), changed_(pair.changed_row()) {
    for (const double outcome : pair.base_input().values) outcomes_.push_back(outcome == 1.0);
    for (const double outcome : pair.neighbour_row()) changed_to_.push_back(outcome == 1.0);
  }

  std::size_t arms_;
  std::int64_t changed_;
  std::vector<std::uint8_t> outcomes_;
  std::vector<std::uint8_t> changed_to_;
};

// From coarse to fine, for a learner of prefixes: the highest bits, as many as a few thousand runs
// distinguish.
void append_time(std::vector<int>& out, std::int64_t time) {
  constexpr int kFinest = 6;
  const int bits = std::bit_width(static_cast<std::uint64_t>(time));
  out.push_back(bits);
  for (int told = 3; told <= std::min(bits, kFinest); ++told) {
    out.push_back(static_cast<int>(time >> (bits - told)));
  }
}

// The information of an elimination's duels on who left, and when. Arms go first in turn until one
// leaves: the first arm that is skipped, in which round; then the rounds since which arms are not
// seen.
class SeenDuels {
 public:
  explicit SeenDuels(std::int64_t arms) : last_(static_cast<std::size_t>(arms), 0) {}

  void note(std::int64_t round, const Duel& duel) {
    last_[static_cast<std::size_t>(duel.first)] = round;
    last_[static_cast<std::size_t>(duel.second)] = round;
    rounds_ = round + 1;
    if (passed_over_) return;
    if (duel.first != due_) {
      passed_over_ = true;
      in_its_place_ = duel.first;
      at_ = round;
      return;
    }
    before_ = duel;
    if (++due_ == static_cast<int>(last_.size())) due_ = 0;
  }
  bool passed_over() const { return passed_over_; }

  std::vector<int> told(const Duel& changed) const {
    std::vector<int> out{1};
    if (!passed_over_) return out;
    const auto arms = static_cast<std::int64_t>(last_.size());
    const auto role = [&](int arm) {
      return arm == changed.first ? 0 : arm == changed.second ? 1 : 2;
    };
    out.insert(out.end(), {role(due_), role(in_its_place_)});
    append_time(out, at_ / arms);
    if (at_ / arms >= 64) return out;
    out.insert(out.end(), {static_cast<int>(at_), role(before_.second), due_, in_its_place_});
    if (arms == 2) return out;
    std::vector<std::pair<std::int64_t, int>> gone;
    for (int arm = 0; arm < arms; ++arm) {
      const std::int64_t last = last_[static_cast<std::size_t>(arm)];
      if (last + 8 * arms < rounds_) gone.emplace_back(last, arm);
    }
    std::sort(gone.begin(), gone.end());
    if (gone.size() > kMostGone) gone.resize(kMostGone);
    for (const auto& [last, arm] : gone) {
      out.push_back(role(arm));
      append_time(out, last / arms);
      out.push_back(arm);
    }
    return out;
  }

 private:
  static constexpr std::size_t kMostGone = 3;

  std::vector<std::int64_t> last_;  // by arm, the last round that it was seen
  std::int64_t rounds_ = 0;
  int due_ = 0;
  bool passed_over_ = false;
  int in_its_place_ = 0;
  std::int64_t at_ = 0;
  Duel before_;
};

// Blocks of one duel after another, without the short ones of initial draws.
class SeenRuns {
 public:
  SeenRuns(std::int64_t arms, std::int64_t shortest) : arms_(arms), shortest_(shortest) {}

  void note(const Duel& duel) {
    if (!(duel == duel_)) end();
    duel_ = duel;
    ++length_;
  }
  std::vector<int> told() {
    end();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostTold = 64;

  void end() {
    if (length_ >= shortest_ && out_.size() < kMostTold) {
      out_.push_back(static_cast<int>(duel_.first * arms_ + duel_.second));
      out_.push_back(static_cast<int>(length_));
    }
    length_ = 0;
  }

  std::int64_t arms_;
  std::int64_t shortest_;
  Duel duel_{-1, -1};
  std::int64_t length_ = 0;
  std::vector<int> out_{1};
};

// The outcome for the rest of a sampler if no duel read a difference.
ReleasedPlay nothing_seen() { return {{0}, 0.0}; }

// The differences of the releases of one run, and the loss so far, for each policy.
template <class P>
class Difference;

template <>
class Difference<DpEbsElimination> {
 public:
  Difference(const DpEbsElimination& policy, Side side)
      : side_(side), scale_(policy.noise_scale()) {}

  // Called before the policy observes the changed outcome.
  void begin(const DpEbsElimination& policy, const Duel& duel, int difference, bool) {
    duel_ = duel;
    moved_.begin(policy.counter(duel.first).time() + 1, difference);
  }
  void operator()(const DpEbsElimination::Fed& fed) {
    if (fed.arm != duel_.first) return;
    if (fed.left == duel_.second) moved_.take_back(fed.time);
    loss_ += moved_loss(side_, fed.noise, moved_.of(fed.time), scale_);  // (2)
  }
  double loss() const { return loss_; }
  const Duel& duel() const { return duel_; }

 private:
  Side side_;
  double scale_;
  Duel duel_{-1, -1};
  MovedNodes moved_;
  double loss_ = 0.0;
};

template <>
class Difference<LocalEbsElimination> {
 public:
  Difference(const LocalEbsElimination& policy, Side)
      : truth_(portable_log(1.0 - policy.lie()) - portable_log(policy.lie())) {}

  void begin(const LocalEbsElimination&, const Duel& duel, int, bool of_base) {
    duel_ = duel;
    asked_ = true;
    of_base_ = of_base;
  }
  void operator()(bool told) {
    if (asked_) loss_ = told == of_base_ ? truth_ : -truth_;  // (3)
    asked_ = false;
  }
  double loss() const { return loss_; }
  const Duel& duel() const { return duel_; }

 private:
  double truth_;
  Duel duel_{-1, -1};
  bool asked_ = false;
  bool of_base_ = false;
  double loss_ = 0.0;
};

// For a policy that eliminates, and shows its releases.
template <class P>
class EliminationRelease final : public PairRelease {
 public:
  EliminationRelease(const P& policy, Outcomes outcomes, double largest)
      : policy_(policy), outcomes_(std::move(outcomes)), largest_(largest) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    P policy = policy_;
    Difference<P> difference(policy, side);
    SeenDuels seen(policy.config().arms);
    const std::int64_t changed = outcomes_.changed_row();
    // Nobody sees the outcome of the last round.
    const std::int64_t last = policy.config().horizon - 1;
    std::int64_t t = 0;
    for (; t < last && !policy.rounds().finished(); ++t) {
      const Duel duel = policy.choose(random);
      seen.note(t, duel);
      if (t == changed) {
        const int moved = outcomes_.difference(duel);
        if (moved == 0) return nothing_seen();
        difference.begin(policy, duel, moved, outcomes_.of(Side::kBase, t, duel));
      }
      policy.observe(outcomes_.of(side, t, duel), random, difference);
    }
    if (t <= changed) return nothing_seen();
    // The arm that is left duels itself, and soon it is not the one whose turn it is.
    do {
      seen.note(t, policy.choose(random));
    } while (++t <= last && !seen.passed_over());
    // The reported numbers cover all rounds, even if the elimination was over before.
    if (t <= last) seen.note(last, policy.choose(random));
    return {seen.told(difference.duel()), difference.loss()};
  }
  double largest_loss() const override { return largest_; }

 private:
  P policy_;
  Outcomes outcomes_;
  double largest_;
};

// Without noise only the duels are random.
class PlainRelease final : public PairRelease {
 public:
  PlainRelease(const EbsElimination& policy, Outcomes outcomes)
      : policy_(policy), outcomes_(std::move(outcomes)) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    const auto& config = policy_.config();
    EbsElimination policy = policy_;
    // The run on the other input, along the same duels.
    detail::CountedEbs other(config.arms, config.horizon, config.delta, 0.0);
    const Side other_side = side == Side::kBase ? Side::kNeighbour : Side::kBase;
    double loss = 0.0;  // on the input of the run
    for (std::int64_t t = 0; t < config.horizon; ++t) {
      const auto chances = policy.active().size();
      const Duel duel = policy.choose(random);
      const auto others = other.rounds().active();
      const auto rival = std::lower_bound(others.begin(), others.end(), duel.second);
      const bool known = rival != others.end() && *rival == duel.second;
      Leader leader{static_cast<std::uint64_t>(rival - others.begin()), others.size()};
      if (!known || other.choose(leader).first != duel.first) {
        loss = kInfinity;
        break;
      }
      if (others.size() != chances) {
        loss += portable_log(static_cast<double>(others.size())) -
                portable_log(static_cast<double>(chances));  // (4)
      }
      policy.observe(outcomes_.of(side, t, duel));
      other.observe(outcomes_.of(other_side, t, duel));
    }
    if (side == Side::kNeighbour) loss = -loss;
    // The loss is a function of the duels, so it gives the best event.
    const double shown = std::clamp(loss, -1e6, 1e6);
    return {{static_cast<int>(std::floor(shown)), static_cast<int>(std::floor(1e3 * shown))}, loss};
  }

 private:
  // The random bits for which uniform_below returns `index` of `size`.
  struct Leader {
    std::uint64_t index;
    std::size_t size;
    std::uint64_t next() const {
      return size == 1 ? 0 : index << std::countl_zero(static_cast<std::uint64_t>(size - 1));
    }
  };

  EbsElimination policy_;
  Outcomes outcomes_;
};

class GOptRelease final : public PairRelease {
 public:
  GOptRelease(const GOptDpdb& policy, Outcomes outcomes, double largest)
      : policy_(policy), outcomes_(std::move(outcomes)), largest_(largest) {}

  ReleasedPlay sample(Side side, ReplayStream random) const override {
    GOptDpdb policy = policy_;
    const auto& config = policy.config();
    SeenRuns seen(config.arms, config.initial_draws > 0 ? 3 : 1);
    const std::int64_t changed = outcomes_.changed_row();
    const std::int64_t last = config.horizon - 1;
    std::optional<double> loss;
    for (std::int64_t t = 0; t <= last; ++t) {
      const Duel duel = policy.choose(random);
      if (t >= changed) seen.note(duel);
      if (t == changed && outcomes_.difference(duel) == 0) return nothing_seen();
      if (t == last || policy.active().size() == 1) continue;
      const std::int64_t phase = policy.phase();
      policy.observe(outcomes_.of(side, t, duel), random);
      if (policy.phase() == phase || t < changed || loss) continue;
      loss = loss_of(side, policy.last_release(), t + 1, policy.noise_scale());
      if (!loss) return nothing_seen();  // an initial draw
    }
    if (!loss) return nothing_seen();
    return {seen.told(), *loss};
  }
  double largest_loss() const override { return largest_; }

 private:
  // For a phase that ended with round `end`; none if the changed round was an initial draw.
  std::optional<double> loss_of(Side side, const DuelRelease& release, std::int64_t end,
                                double scale) const {
    const DuelPlan& plan = *release.plan;
    for (std::size_t c = plan.pairs.size(); c-- > 0; end -= plan.pulls[c]) {
      const std::int64_t begin = end - plan.pulls[c];
      if (outcomes_.changed_row() < begin) continue;
      if (outcomes_.changed_row() >= end) break;
      double wins = 0.0;
      for (std::int64_t t = begin; t < end; ++t) wins += outcomes_.of(side, t, plan.pairs[c]);
      return moved_loss(side, release.noisy_wins[c] - wins, outcomes_.difference(plan.pairs[c]),
                        scale);
    }
    return std::nullopt;
  }

  GOptDpdb policy_;
  Outcomes outcomes_;
  double largest_;
};

template <class Release, class P, class... More>
Result<std::unique_ptr<PairRelease>> released(const P& policy, const InputPair& pair,
                                              More... more) {
  auto outcomes = ASSAY_TRY(Outcomes::create(policy.config().arms, policy.config().horizon, pair));
  return std::unique_ptr<PairRelease>(
      std::make_unique<Release>(policy, std::move(outcomes), more...));
}

}  // namespace

Result<std::unique_ptr<PairRelease>> dueling_release(const DpEbsElimination& policy,
                                                     const InputPair& pair, double largest) {
  return released<EliminationRelease<DpEbsElimination>>(policy, pair, largest);
}

Result<std::unique_ptr<PairRelease>> dueling_release(const LocalEbsElimination& policy,
                                                     const InputPair& pair, double largest) {
  return released<EliminationRelease<LocalEbsElimination>>(policy, pair, largest);
}

Result<std::unique_ptr<PairRelease>> dueling_release(const EbsElimination& policy,
                                                     const InputPair& pair) {
  return released<PlainRelease>(policy, pair);
}

Result<std::unique_ptr<PairRelease>> dueling_release(const GOptDpdb& policy, const InputPair& pair,
                                                     double largest) {
  return released<GOptRelease>(policy, pair, largest);
}

}  // namespace assay
